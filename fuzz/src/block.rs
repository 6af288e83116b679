//! Blocks of PTX for `run` and `prove`: a block that parses returns the same bits in both implementations, and is equal to
//! itself.

use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::prove::{Options, prove};
use ptxcvt_exec::read::{self, Interface};

/// Valid blocks, one for each way to write them.
pub const SEEDS: &[&str] = &[
    "// =h,f,f\n{ .reg .b16 h<2>; cvt.rn.f16.f32 h0, %1; cvt.rn.f16.f32 h1, %2; add.f16 %0, h0, h1; }",
    "{ .reg.b32 a, b; .reg .pred p, q; setp.lt.s32 p|q, $1, 5; @p mov.b32 a, $1; @!p prmt.b32 a, $1, 0, 0x5410;\n\
     lop3.b32 b, a, 0x000f000f, 0x64006400, (0xf0 & 0xcc) | 0xaa; selp.b32 $0, a, b, q; }",
    ".func (.reg .b32 d) f (.reg .b32 a, .reg .f32 b) { .reg .b8 x<4>; mov.b32 {x0, x1, x2, x3}, a;\n\
     L: mov.b32 d, {x3, x2, x1, x0}; fma.rn.ftz.f32 b, b, 0f3F800000, 1.5; xor.b32 d, d, b; ret; }",
    "asm volatile(\"{ .reg .b64 %%t; mov.b64 %%t, {%1, %[y]};\\n\"\n  \"shf.l.wrap.b32 %0, %1, %[y], %3; LAB_%=: }\"\n\
     : \"=r\"(d) : \"r\"(x), [y] \"r\"(y), \"n\"(7) : \"memory\");",
    "cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;",
    "{ .reg .b32 t; bfe.u32 t, %1, 4, 8; mul.wide.u16 %0, 3, 5; bfi.b32 %0, t, %0, 8, 8; dp4a.u32.u32 %0, %0, t, 1; }",
];

/// Parses the bytes as a block, runs it in both implementations, and compares it with itself.
///
/// # Panics
///
/// Panics if an error is outside the text, or if the implementations differ.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let interface = Interface { approximate: bytes.len() % 2 == 0, ..Interface::default() };
    let block = match read::block(&text, &interface) {
        Ok(block) => block,
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len(), "{error:?}");
            assert!(!error.message.is_empty() && error.message.len() < 1_000 + 8 * text.len(), "{error:?}");
            return;
        }
    };
    if block.code().len() > 200 || block.registers().len() > 500 {
        return;
    }
    let inputs: Vec<u64> =
        (1..).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).take(block.inputs().len()).collect();
    let results = block.eval(&inputs).expect("one value per operand");
    assert_eq!(block.trace(&inputs).expect("one value per operand").len(), block.code().len());
    let program = Program::new(&block);
    let mut runner = program.runner();
    for (n, port) in block.inputs().iter().enumerate() {
        runner.set(n, |_| inputs[n] & u64::MAX >> (64 - block.width(*port)));
    }
    runner.run();
    for (n, bits) in results.iter().enumerate() {
        assert_eq!(runner.get(n, LANES - 1), *bits, "output {n} of {block}");
    }
    for found in block.possibly_undefined() {
        assert!(found.instruction.is_none_or(|at| at < block.code().len()), "{found:?} of {block}");
    }
    let few = Options { samples: 256, threads: 1, ..Options::default() };
    // Constants for all inputs but the first, so that every value of that one is tried.
    let mut narrow = block.clone();
    while narrow.inputs().len() > 1 {
        narrow.fix(narrow.inputs().len() - 1, inputs[narrow.inputs().len() - 1]);
    }
    if let [first] = inputs[..1.min(inputs.len())] {
        let fixed = narrow.eval(&[first]).expect("one value per operand");
        assert_eq!(fixed, results, "fixed inputs of {block}");
    }
    for block in [block, narrow] {
        if block.inputs().iter().map(|p| block.width(*p)).sum::<u32>() <= 12 {
            let answer = prove(&block, &block.clone(), &few, &|_| {});
            assert!(answer.is_ok_and(|answer| answer.is_proof()), "{block}");
        }
    }
}
