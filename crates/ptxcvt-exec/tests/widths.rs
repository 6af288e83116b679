//! Bytes in wider registers of the other block: `.s8` is sign-extended there, other bytes have zeros above. Proofs are
//! compared with loops over all inputs.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Answer, Options, Verdict, input_bits, is_elementwise, prove};
use ptxcvt_exec::read::{self, Interface};

fn ports(text: &str, outputs: &str, inputs: &str) -> Block {
    let interface = Interface::ports(outputs, inputs).unwrap();
    read::block(text, &interface).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn block(text: &str, constraints: &str) -> Block {
    read::block(text, &Interface::constraints(constraints).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn form(opcode: &str) -> Block {
    Block::of_form(opcode.parse().unwrap())
}

fn ask(a: &Block, b: &Block) -> Answer {
    prove(a, b, &Options::default(), &|_| {}).unwrap()
}

/// Both orders, which have the same verdict.
fn verdict(a: &Block, b: &Block) -> Verdict {
    let verdict = ask(a, b).verdict();
    assert_eq!(ask(b, a).verdict(), verdict);
    verdict
}

#[test]
fn bytes_are_extended_into_every_register() {
    for (opcode, text, constraints, verdict_of) in [
        ("cvt.rn.f32.s8", "cvt.rn.f32.s16 %0, %1;", "=f,h", Verdict::Proven),
        ("cvt.rn.f32.s8", "cvt.rn.f32.s32 %0, %1;", "=f,r", Verdict::Proven),
        ("cvt.rn.f32.s8", "cvt.rn.f32.s64 %0, %1;", "=f,l", Verdict::Proven),
        ("cvt.rn.f32.s8", "cvt.rn.f32.u32 %0, %1;", "=f,r", Verdict::Different),
        ("cvt.rn.f32.u8", "cvt.rn.f32.s16 %0, %1;", "=f,h", Verdict::Proven),
        ("cvt.rn.f32.u8", "cvt.rn.f32.u32 %0, %1;", "=f,r", Verdict::Proven),
        ("cvt.rn.f32.u8", "cvt.rn.f32.s64 %0, %1;", "=f,l", Verdict::Proven),
        ("cvt.sat.u8.s8", "max.s32 %0, %1, 0;", "=r,r", Verdict::Proven),
        ("cvt.s32.s8", "mov.b32 %0, %1;", "=r,r", Verdict::Proven),
        ("cvt.s16.s8", "mov.b16 %0, %1;", "=h,h", Verdict::Proven),
        ("cvt.s64.s8", "mov.b64 %0, %1;", "=l,l", Verdict::Proven),
        // Right only for a register with zeros above.
        (
            "cvt.s32.s8",
            "{ .reg .b32 t; xor.b32 t, %1, 0x80; sub.u32 %0, t, 0x80; }",
            "=r,r",
            Verdict::Different,
        ),
        // Packed bytes have the same width, so nothing is extended.
        ("cvt.rn.f16x2.e4m3x2", "cvt.rn.f16x2.e4m3x2 %0, %1;", "=r,h", Verdict::Proven),
        (
            "cvt.rn.f16x2.e2m1x2",
            "{ .reg .b8 t; cvt.u8.u32 t, %1; cvt.rn.f16x2.e2m1x2 %0, t; }",
            "=r,r",
            Verdict::Proven,
        ),
    ] {
        assert_eq!(verdict(&form(opcode), &block(text, constraints)), verdict_of, "{opcode}: {text}");
    }
}

#[test]
fn the_example_has_the_inputs_of_both_blocks() {
    let (byte, word) =
        (form("cvt.s32.s8"), block("{ .reg .b32 t; xor.b32 t, %1, 0x80; sub.u32 %0, t, 0x80; }", "=r,r"));
    for (a, b) in [(&byte, &word), (&word, &byte)] {
        let difference = ask(a, b).difference.unwrap();
        assert_eq!([difference.inputs[0], difference.inputs_of_b[0]], input_bits([a, b], 0, 0x80));
        assert_eq!(difference.a, a.eval(&difference.inputs).unwrap());
        assert_eq!(difference.b, b.eval(&difference.inputs_of_b).unwrap());
        assert_ne!(difference.a, difference.b);
        assert_eq!(difference.count, Some(128));
    }
    assert_eq!(input_bits([&byte, &word], 0, 0x80), [0x80, 0xffff_ff80]);
    assert_eq!(input_bits([&word, &byte], 0, 0x7f), [0x7f, 0x7f]);
}

/// A search starts from constants of the block with the wider register.
#[test]
fn constants_of_wider_registers_are_found() {
    let sum = ports("{ .reg .b64 t; cvt.s64.s8 t, x; add.u64 d, t, y; }", "d:.b64", "x:.s8,y:.b64");
    let wide = |special: &str| {
        let text = format!(
            "{{ .reg .b64 t; .reg .pred p; cvt.s64.s32 t, x; add.u64 d, t, y; setp.eq.s32 p, x, {special}; \
             setp.eq.and.u64 p, y, 0x123456789abcdef1, p; @p add.u64 d, d, 1; }}"
        );
        ports(&text, "d:.b64", "x:.b32,y:.b64")
    };
    let few = Options { samples: 1 << 16, ..Options::default() };
    let difference = prove(&sum, &wide("-100"), &few, &|_| {}).unwrap().difference.unwrap();
    assert_eq!(difference.inputs, [0x9c, 0x1234_5678_9abc_def1]);
    assert_eq!(difference.inputs_of_b, [0xffff_ff9c, 0x1234_5678_9abc_def1]);
    // 156 has the same low byte, but is not a signed byte.
    let answer = prove(&sum, &wide("156"), &few, &|_| {}).unwrap();
    assert_eq!(answer.verdict(), Verdict::NotProven, "{answer}");
}

/// Functions return a signed number of 16 bits sign-extended, as the calling convention of CUDA says.
#[test]
fn results_of_functions_are_sign_extended() {
    let function = |extension: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .func (.param .b32 r) f(.param .b32 x) {{ .reg .b16 %h; .reg .b32 %w; .reg .b16 %x;\n\
             ld.param.u16 %x, [x]; cvt.rzi.s16.f16 %h, %x; {extension} %w, %h; st.param.b32 [r], %w; ret; }}"
        );
        read::block(&text, &Interface::default()).unwrap()
    };
    let form = form("cvt.rzi.s16.f16");
    assert_eq!(verdict(&form, &function("cvt.s32.s16")), Verdict::Proven);
    assert_eq!(verdict(&form, &function("cvt.u32.u16")), Verdict::Different);
}

/// Random blocks of bytes against random blocks of wider registers, and what a loop over all inputs says.
#[test]
fn random_blocks_agree_with_a_loop() {
    let mut random = SplitMix64::new(22);
    let mut pick = |count: usize| random.below(count);
    let mut seen = [0; 2];
    for case in 0..240 {
        // Two bytes take 256 times as long.
        let count = if case % 12 == 0 { 2 } else { 1 };
        let width = [16, 32, 64][pick(3)];
        let mut types = Vec::new();
        let (mut narrow, mut wide) = (String::new(), String::new());
        for n in 0..count {
            let ty = ["s8", "u8", "b8"][pick(3)];
            let letter = if ty == "s8" { "s" } else { "u" };
            narrow += &format!("cvt.{letter}{width}.{letter}8 t{n}, x{n}; ");
            wide += &match pick(5) {
                0 | 1 => format!("mov.b{width} t{n}, x{n}; "),
                2 => format!("and.b{width} t{n}, x{n}, 255; "),
                3 => format!("cvt.s{width}.s8 t{n}, x{n}; "),
                _ => format!("max.s{width} t{n}, x{n}, 0; "),
            };
            types.push(ty);
        }
        let combined = match count {
            1 => format!("add.u{width} d, t0, 3;"),
            _ => format!("{}{width} d, t0, t1;", ["add.u", "and.b", "max.s", "max.u"][pick(4)]),
        };
        let of = |text: &str, ty: &dyn Fn(usize) -> String| {
            let inputs: Vec<String> = (0..count).map(|n| format!("x{n}:.{}", ty(n))).collect();
            let text = format!("{{ .reg .b{width} t<2>; {text}{combined} }}");
            ports(&text, &format!("d:.b{width}"), &inputs.join(","))
        };
        let narrow = of(&narrow, &|n| types[n].to_owned());
        let wide = of(&wide, &|_| format!("b{width}"));
        let mut differing = Vec::new();
        for number in 0..1_u64 << (8 * count) {
            let codes: Vec<u64> = (0..count).rev().map(|n| number >> (8 * n) & 0xff).collect();
            let extended = |(code, ty): (&u64, &&str)| match *ty {
                "s8" => *code as u8 as i8 as u64 & u64::MAX >> (64 - width),
                _ => *code,
            };
            let above: Vec<u64> = codes.iter().zip(&types).map(extended).collect();
            let results = (narrow.eval(&codes).unwrap(), wide.eval(&above).unwrap());
            if results.0 != results.1 {
                differing.push((codes, above));
            }
        }
        let answer = ask(&narrow, &wide);
        let text = format!("{types:?}\n{narrow}\n{wide}\n{answer}");
        seen[usize::from(differing.is_empty())] += 1;
        match (&answer.difference, differing.first()) {
            (None, None) => assert!(answer.is_proof(), "{text}"),
            (Some(found), Some((codes, above))) => {
                assert_eq!((&found.inputs, &found.inputs_of_b), (codes, above), "{text}");
                assert_eq!(found.count, Some(differing.len() as u64), "{text}");
            }
            _ => panic!("{text}\n{differing:x?}"),
        }
        assert_eq!(ask(&wide, &narrow).verdict(), answer.verdict(), "{text}");
        if count == 1 {
            assert!(is_elementwise(&narrow, &wide).unwrap(), "{text}");
        }
    }
    assert!(seen.iter().all(|count| *count > 40), "{seen:?}");
}
