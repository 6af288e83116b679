//! Proofs: what is equal is found equal, on every input; what differs is found where it differs first.

use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Answer, Domain, Method, Options, prove};
use ptxcvt_exec::read::{self, Interface};

fn block(text: &str, constraints: &str) -> Block {
    read::block(text, &Interface::constraints(constraints).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn form(opcode: &str) -> Block {
    Block::of_form(opcode.parse().unwrap())
}

fn ask(a: &Block, b: &Block, options: &Options) -> Answer {
    prove(a, b, options, &|_| {}).unwrap()
}

#[test]
fn sixteen_bits_are_tried_completely() {
    let permute = block("{ .reg .b32 t; cvt.u32.u16 t, %1; prmt.b32 %0, 0, t, 0x5140; }", "=r,h");
    let answer = ask(&form("cvt.rn.f16x2.e5m2x2"), &permute, &Options::default());
    assert_eq!((&answer.method, answer.compared), (&Method::Exhaustive { bits: 16 }, 65_536));
    // They differ on every NaN but the canonical one: 5 of 6 codes a byte.
    let difference = answer.difference.unwrap();
    assert_eq!(difference.inputs, [0x007d]);
    assert_eq!((difference.a[0], difference.b[0]), (0x7fff, 0x7d00));
    assert_eq!(difference.kinds.nan, difference.count);
    let up_to_nan = Options { up_to_nan: true, ..Options::default() };
    assert!(ask(&form("cvt.rn.f16x2.e5m2x2"), &permute, &up_to_nan).is_proof());
    let numbers = Options { domain: Domain::Numbers, ..Options::default() };
    let answer = ask(&form("cvt.rn.f16x2.e5m2x2"), &permute, &numbers);
    assert!(answer.is_proof());
    assert_eq!((answer.compared, answer.skipped), (250 * 250, 65_536 - 250 * 250));
}

#[test]
fn halves_are_proven_one_by_one() {
    let half = "{ .reg .b16 a, b, c, d; mov.b32 {a, b}, %1; mov.b32 {c, d}, %2; abs.f16 a, a; neg.f16 d, d; \
                mov.b32 %0, {a, d}; }";
    let other = "{ .reg .b32 t; and.b32 t, %1, 0x7fff; xor.b32 %0, %2, 0x80000000; and.b32 %0, %0, 0xffff0000; \
                 or.b32 %0, %0, t; }";
    let answer = ask(&block(half, "=r,r,r"), &block(other, "=r,r,r"), &Options::default());
    assert_eq!(answer.method, Method::ByParts { parts: vec![16, 16] });
    assert!(answer.is_proof());
}

#[test]
fn many_bits_are_sampled_and_the_answer_says_so() {
    let few = Options { samples: 1 << 14, ..Options::default() };
    let fused = block("fma.rn.f32 %0, %1, %2, %3;", "=f,f,f,f");
    let same = ask(&fused, &fused.clone(), &few);
    assert_eq!((&same.method, same.is_proof(), same.compared), (&Method::Sampled, false, 1 << 14));
    assert!(same.to_string().starts_with("no difference found in 16384 inputs"));
    let split = block("{ .reg .f32 t; mul.f32 t, %1, %2; add.f32 %0, t, %3; }", "=f,f,f,f");
    assert!(ask(&fused, &split, &few).difference.is_some());
}

#[test]
fn blocks_that_cannot_be_compared_are_refused() {
    let one = block("cvt.rn.f16.f32 %0, %1;", "=h,f");
    let two = block("cvt.rn.f16x2.f32 %0, %1, %2;", "=r,f,f");
    let refused = |a, b, options: &Options| prove(a, b, options, &|_| {}).unwrap_err().to_string();
    assert_eq!(refused(&one, &two, &Options::default()), "the first has 1 input, the second 2");
    let wide = block("cvt.u32.u16 %0, %1;", "=r,h");
    let finite = Options { domain: Domain::Finite, ..Options::default() };
    assert_eq!(
        refused(&wide, &wide, &finite),
        "the domain `finite` needs an input whose number format is told"
    );
}

/// Codes packed by multiplication and addition: each bit may depend on all, but each element has few values by then.
#[test]
fn elements_that_meet_in_sums() {
    let ask = |packed: &str| {
        let text = format!(
            "{{ .reg .b32 t, u, v; cvt.u32.u16 t, %1; cvt.u32.u16 u, %2; cvt.u32.u16 v, %3;
               shr.u32 t, t, 12; shr.u32 u, u, 12; shr.u32 v, v, 12; {packed} }}"
        );
        let sums = block(&text, "=r,h,h,h");
        let masks = block(
            "{ .reg .b32 t; .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {%1, z}; shr.u32 %0, %0, 4;
               mov.b32 t, {%2, z}; shr.u32 t, t, 8; lop3.b32 %0, %0, t, 0xf00, 0xe4;
               mov.b32 t, {%3, z}; shr.u32 t, t, 12; lop3.b32 %0, %0, t, 0xff0, 0xe4; and.b32 %0, %0, 0xfff; }",
            "=r,h,h,h",
        );
        let options = Options { samples: 1 << 12, ..Options::default() };
        [prove(&sums, &masks, &options, &|_| {}), prove(&masks, &sums, &options, &|_| {})].map(Result::unwrap)
    };
    for answer in ask("mad.lo.u32 t, t, 16, u; mad.lo.u32 %0, t, 16, v;") {
        assert_eq!(answer.method, Method::ByValues { values: vec![16, 16, 16] });
        assert_eq!(answer.compared, 3 * 65_536 + 4096);
        assert!(answer.is_proof(), "{answer}");
        let text = "equal: every input up to where the elements meet, with 16 and 16 and 16 values, and every \
                    combination of these";
        assert_eq!(answer.to_string(), text);
    }
    // One combination of the 4096 is wrong; the samples may miss it.
    let wrong = "mad.lo.u32 t, t, 16, u; mad.lo.u32 t, t, 16, v; .reg .pred p; setp.eq.u32 p, t, 0xfff;
                 selp.b32 %0, 0, t, p;";
    for answer in ask(wrong) {
        let difference = answer.difference.unwrap();
        assert!(difference.inputs.iter().all(|x| *x >= 0xf000), "{difference:x?}");
        assert!(difference.a != difference.b);
    }
    // A whole element reaches the sum.
    for answer in
        ask("mad.lo.u32 t, t, 16, u; mad.lo.u32 %0, t, 16, v; cvt.u32.u16 u, %2; add.u32 %0, %0, u;")
    {
        assert_eq!(answer.method, Method::Sampled);
    }
}
