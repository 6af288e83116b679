//! Proofs: equal blocks are proven equal on every input; for different ones the first difference is found.

use ptxcvt_exec::Block;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use ptxcvt_exec::prove::{Answer, Domain, Method, Options, Restriction, Verdict, prove, prove_until};
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
    assert_eq!(Some(difference.kinds.nan), difference.count);
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
    let moved = block("{ .reg .f32 t; mov.f32 t, %3; fma.rn.f32 %0, %1, %2, t; }", "=f,f,f,f");
    let same = ask(&fused, &moved, &few);
    assert_eq!((&same.method, same.is_proof(), same.compared), (&Method::Sampled, false, 1 << 14));
    assert!(same.to_string().starts_with("no difference found in 16384 trials"));
    let split = block("{ .reg .f32 t; mul.f32 t, %1, %2; add.f32 %0, t, %3; }", "=f,f,f,f");
    assert!(ask(&fused, &split, &few).difference.is_some());
}

/// Whatever the method, a comparison that is broken off has no answer, and ends after a few more reports.
#[test]
fn a_comparison_can_be_broken_off() {
    let fused = block("fma.rn.f32 %0, %1, %2, %3;", "=f,f,f,f");
    let moved = block("{ .reg .f32 t; mov.f32 t, %3; fma.rn.f32 %0, %1, %2, t; }", "=f,f,f,f");
    // By values: each element becomes one of few values before a product combines them.
    let sums = block(
        "{ .reg .b32 t, u; cvt.u32.u16 t, %1; cvt.u32.u16 u, %2; mul.hi.u32 t, t, 0x100000; mul.hi.u32 u, u, 0x100000;
           mad.lo.u32 %0, t, 16, u; }",
        "=r,h,h",
    );
    let masks = block(
        "{ .reg .b32 t, u; cvt.u32.u16 t, %1; cvt.u32.u16 u, %2; shr.u32 t, t, 8; and.b32 t, t, 0xf0;
           shr.u32 u, u, 12; or.b32 %0, t, u; }",
        "=r,h,h",
    );
    let pairs = [
        (sums, masks),
        (form("cvt.rn.bf16.f32"), form("cvt.rz.bf16.f32")),
        (form("cvt.rn.f16x2.f32"), form("cvt.rz.f16x2.f32")),
        (fused, moved),
    ];
    for (a, b) in &pairs {
        for threads in [1, 3] {
            let options = Options { threads, ..Options::default() };
            let reports = AtomicU32::new(0);
            let progress = |_| {
                let number = reports.fetch_add(1, Ordering::Relaxed);
                if number >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            assert_eq!(prove_until(a, b, &options, &progress).unwrap(), None);
            assert!(reports.load(Ordering::Relaxed) < 3 + threads as u32, "{reports:?}");
        }
    }
}

/// A search may try an input several times; it counts once.
#[test]
fn differing_inputs_are_counted_once() {
    let moved = block("mov.u64 %0, %1;", "=l,l");
    for (test, most) in [
        ("setp.eq.u64 p, %1, 0x123456789abcdef0;", 1),
        ("{ .reg .b64 x; and.b64 x, %1, 0xfffffffffffffffc; setp.eq.u64 p, x, 0x123456789abcdef0; }", 4),
    ] {
        let text = format!("{{ .reg .pred p; {test} selp.u64 %0, 1, %1, p; }}");
        for threads in [1, 2] {
            let options = Options { samples: 1 << 16, threads, ..Options::default() };
            let answer = ask(&block(&text, "=l,l"), &moved, &options);
            let difference = answer.difference.as_ref().expect("the constant is tried");
            let count = difference.count.expect("there are few");
            assert_eq!(difference.kinds.other, count, "{test}");
            assert!((1..=most).contains(&count) && difference.trials > most, "{test}: {count}");
            let inputs = ptxcvt::counted(count, "input");
            let expected = format!("different: on {inputs}, found in {} of 65536 trials", difference.trials);
            assert_eq!(answer.to_string(), expected);
        }
    }
    // Nearly every input differs: the trials are known, and a lower bound of the inputs.
    let next = block("add.u64 %0, %1, 1;", "=l,l");
    let answer = ask(&next, &moved, &Options { samples: 3 << 20, ..Options::default() });
    let difference = answer.difference.as_ref().expect("all inputs differ");
    assert_eq!((difference.count, difference.trials, difference.kinds.other), (None, 3 << 20, 3 << 20));
    let expected = "different: on more than 1048576 inputs, found in 3145728 of 3145728 trials";
    assert_eq!(answer.to_string(), expected);
}

/// The names of registers are not part of a program; the order of operands and their registers are.
#[test]
fn equal_instructions_need_no_input() {
    let text = "{ .reg .b64 s; add.u64 s, %1, %2; @p xor.b64 s, s, %2; mov.b64 %0, s; }";
    let text = text.replace("{ .reg", "{ .reg .pred p; .reg").replace("add", "setp.lt.u64 p, %1, %2; add");
    let block_of = |text: &str| block(text, "=l,l,l");
    let few = Options { samples: 1 << 10, ..Options::default() };
    let same = ask(&block_of(&text), &block_of(&text.replace(" s,", " sum,").replace(" s;", " sum;")), &few);
    assert_eq!((&same.method, same.is_proof(), same.compared), (&Method::Identical, true, 0));
    for (from, to) in [
        ("add.u64 s, %1, %2", "add.u64 s, %2, %1"),
        ("@p xor", "@!p xor"),
        ("@p xor", "xor"),
        ("setp.lt.u64", "setp.lt.s64"),
        ("xor.b64 s, s, %2", "xor.b64 s, s, 0"),
        ("mov.b64 %0, s;", "mov.b64 %0, s; mov.b64 %0, %0;"),
    ] {
        let other = text.replace(from, to);
        assert_ne!(other, text);
        let answer = ask(&block_of(&text), &block_of(&other), &few);
        assert_ne!(answer.method, Method::Identical, "{other}");
        assert!(!answer.is_proof(), "{other}");
    }
    // If there are few enough inputs, all of them are tried.
    let small = block("cvt.u8.u16 %0, %1;", "=r,h");
    assert!(matches!(ask(&small, &small.clone(), &few).method, Method::Exhaustive { .. }));
}

/// Powers of two have a NaN, which domains exclude; they have no other code that is not a normal, positive number.
#[test]
fn domains_exclude_the_nan_of_powers_of_two() {
    let exact = form("cvt.rn.bf16x2.ue8m0x2");
    let other = block("{ .reg .b32 t; cvt.rn.bf16x2.ue8m0x2 t, %1; and.b32 %0, t, 0x7fc07fc0; }", "=r,h");
    let answer = ask(&exact, &other, &Options::default());
    assert_eq!(answer.difference.unwrap().inputs, [0x00ff]);
    for domain in [Domain::Numbers, Domain::Finite, Domain::Normal, Domain::Positive] {
        let answer = ask(&exact, &other, &Options { domain, ..Options::default() });
        assert!(answer.is_proof(), "{domain}");
        assert_eq!((answer.compared, answer.skipped), (255 * 255, 65_536 - 255 * 255), "{domain}");
    }
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
        "the domain `finite` needs an input with a format with exponents, such as f16 or ue8m0: declare one"
    );
}

/// Codes packed by multiplication and addition: each bit of the result may depend on all inputs, but each element has
/// few values when it is packed.
#[test]
fn elements_that_meet_in_sums() {
    // A product, about which the analysis knows less than about a shift.
    let ask_with = |packed: &str, options: &Options| {
        let text = format!(
            "{{ .reg .b32 t, u, v; cvt.u32.u16 t, %1; cvt.u32.u16 u, %2; cvt.u32.u16 v, %3;
               mul.hi.u32 t, t, 0x100000; mul.hi.u32 u, u, 0x100000; mul.hi.u32 v, v, 0x100000; {packed} }}"
        );
        let sums = block(&text, "=r,h,h,h");
        let masks = block(
            "{ .reg .b32 t; .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {%1, z}; shr.u32 %0, %0, 4;
               mov.b32 t, {%2, z}; shr.u32 t, t, 8; lop3.b32 %0, %0, t, 0xf00, 0xe4;
               mov.b32 t, {%3, z}; shr.u32 t, t, 12; lop3.b32 %0, %0, t, 0xff0, 0xe4; and.b32 %0, %0, 0xfff; }",
            "=r,h,h,h",
        );
        [prove(&sums, &masks, options, &|_| {}), prove(&masks, &sums, options, &|_| {})].map(Result::unwrap)
    };
    let ask = |packed: &str| ask_with(packed, &Options { samples: 1 << 12, ..Options::default() });
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
    // The example has the smallest inputs with these values, whichever thread finds them.
    for threads in [1, 2, 5] {
        for answer in ask_with(wrong, &Options { first: true, threads, ..Options::default() }) {
            assert_eq!(answer.difference.unwrap().inputs, [0xf000; 3], "{threads} threads");
        }
    }
    // A whole element reaches the sum.
    for answer in
        ask("mad.lo.u32 t, t, 16, u; mad.lo.u32 %0, t, 16, v; cvt.u32.u16 u, %2; add.u32 %0, %0, u;")
    {
        assert_eq!(answer.method, Method::Sampled);
    }
}

/// Consecutive inputs with the same two results are counted at once, but each input counts under its own kind.
#[test]
fn saturated_results_are_counted_by_kind() {
    let limit = |bits: u32| {
        let interface = Interface::ports("d:.f16", "a:.f16").unwrap();
        let text = format!("{{ .reg .b16 t; mov.b16 t, a; min.u16 t, t, {bits}; mov.b16 d, t; }}");
        read::block(&text, &interface).unwrap()
    };
    let [a, b] = [0x7bff, 0x7c00].map(limit);
    let difference = prove(&a, &b, &Options::default(), &|_| {}).unwrap().difference.unwrap();
    // From 0x7c00 on the results differ; NaN are 0x7c01 to 0x7fff and 0xfc01 to 0xffff.
    assert_eq!(difference.inputs, [0x7c00]);
    assert_eq!((difference.kinds.nan, difference.kinds.overflow), (2046, 1 + 0x7c00 + 1));
    assert_eq!(difference.count, Some(0x8400));
}

/// One input in 2^64 differs: the constants of the blocks, and numbers made from them, are tried first.
#[test]
fn constants_of_the_blocks_are_tried() {
    let few = Options { samples: 1 << 14, threads: 1, ..Options::default() };
    let zero = block("{ .reg .b64 t; xor.b64 t, %1, %1; cvt.u32.u64 %0, t; }", "=r,l");
    for (condition, special) in [
        ("setp.eq.u64 p, %1, 0x123456789abcdef1;", 0x1234_5678_9abc_def1_u64),
        ("add.u64 t, %1, 77; setp.eq.u64 p, t, 0x123456789abcdef1;", 0x1234_5678_9abc_def1 - 77),
        ("xor.b64 t, %1, 0x5555aaaa5555aaaa; setp.eq.u64 p, t, 0x99;", 0x5555_aaaa_5555_aaaa ^ 0x99),
        ("not.b64 t, %1; setp.eq.u64 p, t, 0x123456789abcdef1;", !0x1234_5678_9abc_def1),
        ("mul.lo.u64 t, %1, 0xdeadbeef; setp.eq.u64 p, t, 0x1234567;", 0),
        (
            "setp.gt.u64 p, %1, 0xfffffffffffffff0; setp.lt.and.u64 p, %1, 0xfffffffffffffff2, p;",
            0xffff_ffff_ffff_fff1,
        ),
        (
            "mov.b64 {h, l}, %1; setp.eq.u32 p, h, 0xcafe; setp.eq.and.u32 p, l, 0xbabe1234, p;",
            0xbabe_1234_0000_cafe,
        ),
    ] {
        let text =
            format!("{{ .reg .pred p; .reg .b64 t; .reg .b32 h, l; {condition} selp.u32 %0, 1, 0, p; }}");
        let difference = ask(&block(&text, "=r,l"), &zero, &few).difference;
        let difference = difference.unwrap_or_else(|| panic!("nothing found for {condition}"));
        if special != 0 {
            assert_eq!(difference.inputs, [special], "{condition}");
        }
    }
    // Chains of operations, each undone.
    let copy = block("mov.b64 %0, %1;", "=d,d");
    for condition in [
        "sub.u64 t, t, 0x9e3779b97f4a7c15; sub.u64 t, t, 0x0f0f0f0f12345678; setp.eq.u64 p, t, 0x1234567890abcdef;",
        "xor.b64 t, t, 0x5555aaaa5555aaaa; add.u64 t, t, 77777777777; not.b64 t, t; setp.eq.u64 p, t, 0x1234567890abcdef;",
        "mad.lo.u64 t, t, 0xdeadbeef, 12345; setp.eq.u64 p, t, 0x1234567890abcdef;",
        "mov.b64 {l, h}, t; shf.l.wrap.b32 l, l, l, 7; add.u32 h, h, 5; setp.eq.u32 p, l, 0x12345678; \
         setp.eq.and.u32 p, h, 0xcafebabe, p;",
        "add.f64 x, %1, 0d3ff0000000000000; setp.eq.f64 p, x, 0d400921FB54442D18;",
        "mul.f64 x, %1, 0d4008000000000000; add.f64 x, x, 0dbff8000000000000; setp.eq.f64 p, x, 0d400921FB54442D18;",
        "fma.rn.f64 x, %1, 0d4008000000000000, 0dbff8000000000000; setp.eq.f64 p, x, 0d400921FB54442D18;",
        "div.rn.f64 x, %1, 0d4008000000000000; cvt.rn.f32.f64 f, x; mov.b32 l, f; setp.eq.u32 p, l, 0x40490fdb;",
        // Under a guard, and where two places are wanted.
        "setp.gt.u64 q, t, 99; @q add.u64 t, t, 0x1111111111; setp.eq.u64 p, t, 0x1234567890abcdef;",
    ] {
        let text = format!(
            "{{ .reg .pred p, q; .reg .b64 t; .reg .b32 h, l; .reg .f64 x; .reg .f32 f; mov.b64 t, %1; {condition} \
             selp.f64 %0, 0d0000000000000000, %1, p; }}"
        );
        let answer = ask(&block(&text, "=d,d"), &copy, &few);
        assert!(answer.difference.is_some(), "nothing found for {condition}");
    }
    // Two inputs, each with its own constant.
    let both = "{ .reg .pred p; setp.eq.u64 p, %1, 0x123456789abcdef1; setp.eq.and.u64 p, %2, 0xfedcba9876543210, p; \
                selp.u32 %0, 1, 0, p; }";
    let zero = block("{ .reg .b64 t; xor.b64 t, %1, %2; xor.b64 t, t, t; cvt.u32.u64 %0, t; }", "=r,l,l");
    let found = ask(&block(both, "=r,l,l"), &zero, &few).difference.expect("a combination of constants");
    assert_eq!(found.inputs, [0x1234_5678_9abc_def1, 0xfedc_ba98_7654_3210]);
}

/// The results differ only where several registers have certain values at once, each computed from several inputs.
#[test]
fn conditions_are_met_together() {
    let few = Options { samples: 1 << 12, threads: 1, ..Options::default() };
    let zero = block("{ .reg .b64 t; mov.b64 t, 0; mov.b64 %0, t; }", "=l,l,l,l");
    for condition in [
        "add.u64 s, %1, %2; sub.u64 d, %1, %2; setp.eq.u64 p, s, 0x123456789abcdef1; setp.eq.and.u64 p, d, 0x7777777777777, p;",
        // Constants in registers, as nvcc writes them.
        "mov.u64 t, 0x123456789abcdef1; mov.u64 u, 0x7777777777777; add.u64 s, %1, %2; sub.u64 d, %1, %2; \
         setp.eq.u64 p, s, t; setp.eq.and.u64 p, d, u, p;",
        "add.u64 s, %1, %2; xor.b64 d, %1, %2; setp.eq.u64 p, s, 0x20406080a0c0e100; setp.eq.and.u64 p, d, 0x1e3c1e781e3c1ef0, p;",
        // Neighbours of constants.
        "add.u64 s, %1, %2; sub.u64 d, %1, %2; setp.gt.u64 p, s, 0xfffffffffffffff0; setp.lt.and.u64 p, s, 0xfffffffffffffff2, p; \
         setp.eq.and.u64 p, d, 0x77777777777777, p;",
        // Without a comparison of each.
        "add.u64 s, %1, %2; sub.u64 d, %1, %2; xor.b64 s, s, 0x123456789abcdef1; xor.b64 d, d, 0x7777777777777; \
         or.b64 s, s, d; setp.eq.u64 p, s, 0;",
        // A product, and operations after it.
        "mad.lo.u64 s, %1, %2, 5; xor.b64 s, s, 0x5555aaaa5555aaaa; sub.u64 d, %1, %2; setp.eq.u64 p, s, 0x796693941710ede7; \
         setp.eq.and.u64 p, d, 0xfdfbf9f7f5f3f1f1, p;",
        // Three of three.
        "add.u64 s, %1, %2; add.u64 d, %2, %3; xor.b64 t, %1, %3; setp.eq.u64 p, s, 0x20406080a0c0e100; \
         setp.eq.and.u64 p, d, 0xaf59acfdd4b0f39d, p; setp.eq.and.u64 p, t, 0x912954853410156d, p;",
        // Bits that move: a rotation, halves.
        "mov.b64 {l, h}, %1; shf.l.wrap.b32 l, h, h, 9; cvt.u32.u64 h, %2; xor.b32 h, h, l; add.u32 l, l, h; \
         setp.eq.u32 p, h, 0x693c0f96; setp.eq.and.u32 p, l, 0xa59687b4, p;",
        // One of three inputs alone.
        "add.u64 s, %1, %2; add.u64 s, s, %3; setp.eq.u64 p, s, 0xbe77da3a200b5d15; add.u64 d, %2, 99; \
         setp.eq.and.u64 p, d, 0x11223344556677eb, p; sub.u64 u, %1, %3; setp.eq.and.u64 p, u, 0x70e6b382cc0fed63, p;",
    ] {
        let text = format!(
            "{{ .reg .pred p; .reg .b64 s, d, t, u; .reg .b32 h, l; {condition} selp.b64 %0, 1, 0, p; }}"
        );
        let answer = ask(&block(&text, "=l,l,l,l"), &zero, &few);
        assert!(answer.difference.is_some(), "nothing found for {condition}");
    }
    // One condition in each block.
    let odd = |condition: &str| {
        let text = format!(
            "{{ .reg .pred p, q; .reg .b64 s; {condition} selp.b64 s, 1, 0, p; sub.u64 %0, %1, %2; \
             setp.eq.u64 q, %0, 0x222222222222; selp.b64 %0, s, 0, q; }}"
        );
        block(&text, "=l,l,l,l")
    };
    let [a, b] = ["add", "xor"].map(|name| {
        odd(&format!("{name}.b64 s, %1, %2; setp.eq.u64 p, s, 0x123456789abcde;")
            .replace("add.b64", "add.u64"))
    });
    assert!(ask(&a, &b, &few).difference.is_some());
    // Conversions that pack, and operands that follow from requirements on the others.
    for (condition, constraints) in [
        (
            "cvt.rn.satfinite.e4m3x2.f32 c, %1, %2; cvt.u32.u16 h, c; setp.eq.u32 p, h, 0x3cfe; setp.eq.and.u32 p, %3, 0x99, p;",
            "=l,f,f,r",
        ),
        (
            "cvt.rn.bf16x2.f32 h, %1, %2; mad.lo.u32 l, h, 0x01010101, %3; setp.eq.u32 p, l, 0xfeedface; setp.eq.and.u32 p, %3, 3, p;",
            "=l,f,f,r",
        ),
        (
            "div.rn.f32 f, %1, %2; mov.b32 h, f; setp.eq.u32 p, h, 0x3eaaaaab; mov.b32 l, %1; setp.eq.and.u32 p, l, 0x40e00000, p;",
            "=l,f,f,r",
        ),
        (
            "bfi.b32 h, %1, %2, 5, 11; bfe.u32 l, %1, 11, 21; setp.eq.u32 p, h, 0xcafe1234; setp.eq.and.u32 p, l, 0x1234, p;",
            "=l,r,r,r",
        ),
        (
            "add.rn.f16x2 h, %1, %2; setp.eq.u32 p, h, 0x3e005640; setp.eq.and.u32 p, %2, 0x3c003c00, p;",
            "=l,r,r,r",
        ),
        (
            "sad.u32 h, %1, %2, %3; setp.eq.u32 p, h, 0x80001234; setp.eq.and.u32 p, %3, 0x1111, p; setp.eq.and.u32 p, %1, 9, p;",
            "=l,r,r,r",
        ),
        ("mul.hi.u64 s, %1, 0x9e3779b97f4a7c15; setp.eq.u64 p, s, 0x1122334455667788;", "=l,l,r,r"),
        ("sqrt.rn.f64 e, %1; mov.b64 s, e; setp.eq.u64 p, s, 0x3ff6a09e667f3bcd;", "=l,d,r,r"),
        ("mul.lo.u64 s, %1, %1; setp.eq.u64 p, s, 0xca4ab582281edee1;", "=l,l,r,r"),
    ] {
        let text = format!(
            "{{ .reg .pred p; .reg .b64 s; .reg .b32 h, l, m; .reg .b16 c; .reg .f32 f; .reg .f64 e; {condition} selp.b64 %0, 1, 0, p; }}"
        );
        let zero = block("{ .reg .b64 t; mov.b64 t, 0; mov.b64 %0, t; }", constraints);
        let answer = ask(&block(&text, constraints), &zero, &few);
        assert!(answer.difference.is_some(), "nothing found for {condition}");
    }
    // Conditions that exclude each other: the sum and the difference of two numbers are both odd or both even.
    let never = "{ .reg .pred p; .reg .b64 s, d; add.u64 s, %1, %2; sub.u64 d, %1, %2; setp.eq.u64 p, s, 0x123456789abcdef1; \
                 setp.eq.and.u64 p, d, 0x777777777776, p; selp.b64 %0, 1, 0, p; }";
    assert_eq!(ask(&block(never, "=l,l,l,l"), &zero, &few).verdict(), Verdict::NotProven);
}

#[test]
fn what_is_not_proven_says_what_is_in_the_way() {
    let few = Options { samples: 1 << 10, threads: 1, ..Options::default() };
    let fused = block("fma.rn.f32 %0, %1, %2, %3;", "=f,f,f,f");
    let moved = block("{ .reg .f32 t; mov.f32 t, %3; fma.rn.f32 %0, %1, %2, t; }", "=f,f,f,f");
    let answer = ask(&fused, &moved, &few);
    assert_eq!(answer.verdict(), Verdict::NotProven);
    let obstacle = answer.obstacle.unwrap();
    assert_eq!((obstacle.bits, obstacle.together, obstacle.limit), (96, 96, 32));
    assert_eq!(obstacle.restrictions, [Restriction::Fixed(vec![1, 2])]);
    // One bit too many, which is the sign in a narrower domain.
    let one = block(
        "{ .reg .b32 t; .reg .f32 x; and.b32 t, %2, 1; cvt.rn.f32.u32 x, t; add.f32 %0, %1, x; }",
        "=f,f,r",
    );
    let other = block(
        "{ .reg .b32 t; .reg .f32 x; and.b32 t, 1, %2; cvt.rn.f32.u32 x, t; add.f32 %0, %1, x; }",
        "=f,f,r",
    );
    let obstacle = ask(&one, &other, &few).obstacle.unwrap();
    assert_eq!((obstacle.bits, obstacle.together), (64, 33));
    assert_eq!(
        obstacle.restrictions,
        [Restriction::Domain(Domain::Positive), Restriction::Fixed(vec![0]), Restriction::Fixed(vec![1])]
    );
    // A fixed summand may have any value, and carries still reach the top: nothing would help.
    let sum = block("add.u64 %0, %1, %2;", "=l,l,l");
    let swapped = block("add.u64 %0, %2, %1;", "=l,l,l");
    let obstacle = ask(&sum, &swapped, &few).obstacle.unwrap();
    assert_eq!((obstacle.together, obstacle.restrictions), (128, Vec::new()));
    // With one half fixed, as the restriction says, the other one is tried completely.
    let mut sum = block("add.f16 %0, %1, %2;", "=h,h,h");
    let mut swapped = block("add.f16 %0, %2, %1;", "=h,h,h");
    for block in [&mut sum, &mut swapped] {
        block.fix(1, 0x3c00);
    }
    let answer = ask(&sum, &swapped, &few);
    assert_eq!((answer.verdict(), answer.compared), (Verdict::Proven, 65_536));
}

#[test]
fn the_first_difference_ends_the_search() {
    let (a, b) = (form("cvt.rn.bf16.f16"), form("cvt.rz.bf16.f16"));
    let first = Options { first: true, threads: 1, ..Options::default() };
    let answer = ask(&a, &b, &first);
    let difference = answer.difference.as_ref().unwrap();
    assert!(difference.stopped && difference.trials == 1 && answer.compared < 1 << 11, "{answer:?}");
    assert_eq!(a.eval(&difference.inputs).unwrap(), difference.a);
    assert_ne!(difference.a, difference.b);
    assert_eq!(answer.to_string(), "different: stopped at the first difference");
}

/// A signed byte in a wider register has its sign above, as `cvt` leaves it.
#[test]
fn signed_bytes_in_wider_registers() {
    let byte = |extend: &str| {
        block(&format!("{{ .reg .b8 b, c; cvt.u8.u16 b, %1; cvt.s8.u8 c, b; cvt.{extend} %0, c; }}"), "=h,h")
    };
    let form = form("cvt.s8.u8");
    for blocks in [[&form, &byte("s16.s8")], [&byte("s16.s8"), &form]] {
        let answer = ask(blocks[0], blocks[1], &Options::default());
        assert_eq!(answer.verdict(), Verdict::Proven, "{answer}");
    }
    let difference = ask(&form, &byte("u16.u8"), &Options::default()).difference.unwrap();
    assert_eq!((difference.inputs, difference.a, difference.b), (vec![0x80], vec![0x80], vec![0x80]));
    assert_eq!((difference.kinds.sign_of_zero, difference.count), (0, Some(128)));
    // 64 bits of input; only the low ones are used.
    let wide = block("{ .reg .b8 b; cvt.s8.s64 b, %1; cvt.s16.s8 %0, b; }", "=h,l");
    let answer = ask(&self::form("cvt.s8.s64"), &wide, &Options::default());
    assert_eq!(answer.verdict(), Verdict::Proven, "{answer}");
}

/// Integers next to each other are a difference of rounding only where a float was rounded.
#[test]
fn integers_are_rounded_only_from_floats() {
    let kinds = |a: &Block, b: &Block| {
        let difference = prove(a, b, &Options::default(), &|_| {}).unwrap().difference.unwrap();
        (difference.kinds.rows().collect::<Vec<_>>(), difference.count)
    };
    let of =
        |text: &str, ports: &str| read::block(text, &Interface::ports("d:.u16", ports).unwrap()).unwrap();
    let [one, two] = ["1", "2"].map(|n| of(&format!("add.u16 d, a, {n};"), "a:.u16"));
    assert_eq!(kinds(&one, &two), (vec![("other", 1 << 16)], Some(1 << 16)));
    // Down and up differ for every number that is not an integer, negative ones included, unless a result saturates.
    let form = |text: &str| Block::of_form(text.parse().unwrap());
    let (rows, _) = kinds(&form("cvt.rmi.s32.f16"), &form("cvt.rpi.s32.f16"));
    assert!(rows.iter().all(|(name, _)| ["tie", "rounding", "subnormal"].contains(name)), "{rows:?}");
}

/// Fixed-point numbers on both sides of zero are neighbours, as everywhere else.
#[test]
fn fixed_point_neighbours() {
    let form = |rounding: &str| form(&format!("cvt.{rounding}.satfinite.s2f6x2.bf16x2"));
    let difference = ask(&form("rn"), &form("rz"), &Options::default()).difference.unwrap();
    assert_eq!((difference.kinds.tie, difference.kinds.other), (254, 0), "{:?}", difference.kinds);
}

/// Runs of inputs that are all in the domain, or all outside, are counted at once: the numbers are those of one input
/// after the other.
#[test]
fn domains_are_counted_exactly() {
    let interface = Interface::constraints("=h,h").unwrap();
    for (format, number) in [("f16", ptxcvt::Format::F16), ("bf16", ptxcvt::Format::Bf16)] {
        let same = read::block(&format!("abs.{format} %0, %1;"), &interface).unwrap();
        let other =
            read::block(&format!("{{ neg.{format} %0, %1; min.{format} %0, %0, %1; }}"), &interface).unwrap();
        for domain in Domain::ALL {
            let options = Options { domain, ..Options::default() };
            let answer = prove(&same, &other, &options, &|_| {}).unwrap();
            let codes = (0..1_u64 << 16).filter(|code| domain.holds(number, *code));
            let differs = |code: &u64| same.eval(&[*code]).unwrap() != other.eval(&[*code]).unwrap();
            let (count, different) = (codes.clone().count() as u64, codes.filter(differs).count() as u64);
            assert_eq!((answer.compared, answer.skipped), (count, (1 << 16) - count), "{format} {domain}");
            assert_eq!(answer.difference.unwrap().count, Some(different), "{format} {domain}");
        }
    }
}

/// As many inputs differ as one after the other, and each of them has a kind.
#[test]
fn every_difference_is_counted() {
    let cases = [
        ("=h,h", "cvt.rn.bf16.f16 %0, %1;", "cvt.rz.bf16.f16 %0, %1;"),
        ("=f,h", "{ .reg .f32 t; cvt.f32.f16 t, %1; mul.f32 %0, t, 0f3F800001; }", "cvt.f32.f16 %0, %1;"),
        ("=h,h", "mul.f16 %0, %1, %1;", "{ .reg .b16 t; neg.f16 t, %1; fma.rn.f16 %0, t, %1, %1; }"),
        ("=h,h", "add.u16 %0, %1, 1;", "add.u16 %0, %1, 2;"),
        ("=r,h", "cvt.rni.s32.f16 %0, %1;", "cvt.rzi.s32.f16 %0, %1;"),
        ("=l,h", "cvt.s64.s16 %0, %1;", "cvt.u64.u16 %0, %1;"),
        ("=d,h", "cvt.rn.f64.s16 %0, %1;", "cvt.rn.f64.u16 %0, %1;"),
        // Only the second of two results differs.
        ("=h,=h,h", "mov.b16 %0, %2; abs.f16 %1, %2;", "mov.b16 %0, %2; neg.f16 %1, %2;"),
        // Only where a predicate holds.
        (
            "=h,h",
            "mov.b16 %0, %1;",
            "{ .reg .pred p; setp.gt.s16 p, %1, 7; mov.b16 %0, %1; @p neg.f16 %0, %1; }",
        ),
    ];
    for (constraints, a, b) in cases {
        let [a, b] = [a, b].map(|text| block(text, constraints));
        for domain in [Domain::All, Domain::Finite, Domain::Positive] {
            for up_to_nan in [false, true] {
                let options = Options { up_to_nan, domain, ..Options::default() };
                // Some blocks have no number to which the options apply.
                let Ok(answer) = prove(&a, &b, &options, &|_| {}) else { continue };
                let first = Options { first: true, ..options };
                same_as_one_by_one([&a, &b], &options, &answer, &ask(&a, &b, &first));
            }
        }
    }
}

/// Compares the answer for 16 bits of input, and that of a search for the first difference, with all inputs one by one.
fn same_as_one_by_one(blocks: [&Block; 2], options: &Options, answer: &Answer, first: &Answer) {
    let number = blocks.iter().find_map(|block| block.inputs()[0].meaning.filter(|m| m.is_float()));
    let inside = |x: &u64| number.is_none_or(|m| options.domain.holds(m.format, *x));
    let is_nan = |results: &[u64]| {
        let ports = |block: &Block| block.outputs().iter().map(|p| p.meaning).collect::<Vec<_>>();
        let [left, right] = blocks.map(ports);
        let meanings = left.into_iter().zip(right).map(|(x, y)| x.or(y));
        meanings.zip(results).map(|(m, x)| m.is_some_and(|m| m.is_nan(*x))).collect::<Vec<_>>()
    };
    let differs = |x: &u64| {
        let [a, b] = blocks.map(|block| block.eval(&[*x]).unwrap());
        let (nan_a, nan_b) = (is_nan(&a), is_nan(&b));
        (0..a.len()).any(|n| a[n] != b[n] && !(options.up_to_nan && nan_a[n] && nan_b[n]))
    };
    let tried: Vec<u64> = (0..1 << 16).filter(inside).collect();
    let expected: Vec<u64> = tried.iter().copied().filter(differs).collect();
    assert_eq!((answer.compared, answer.skipped), (tried.len() as u64, 65_536 - tried.len() as u64));
    let difference = answer.difference.as_ref().expect("the blocks differ");
    assert_eq!(difference.count, Some(expected.len() as u64), "{options:?}");
    assert_eq!(difference.kinds.rows().map(|(_, count)| count).sum::<u64>(), expected.len() as u64);
    assert_eq!(difference.inputs, expected[..1]);
    let difference = first.difference.as_ref().expect("the blocks differ");
    assert!(difference.stopped && expected.contains(&difference.inputs[0]));
}

/// An input may differ in several independent parts, and one trial of a part stands for many inputs: neither is a number
/// of inputs.
#[test]
fn parts_count_trials() {
    for (a, b, trials) in [
        ("not.b32 %0, %1;", "mov.b32 %0, %1;", "64 of 64 trials of 32"),
        ("xor.b32 %0, %1, 0x80000000;", "or.b32 %0, %1, 0x80000000;", "1 of 64 trials of 32"),
    ] {
        let [a, b] = [a, b].map(|text| block(text, "=r,r"));
        let answer = ask(&a, &b, &Options::default());
        assert_eq!(answer.to_string(), format!("different: in {trials} independent parts"));
        assert_eq!(answer.difference.unwrap().count, None);
    }
}
