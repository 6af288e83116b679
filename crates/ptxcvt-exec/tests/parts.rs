//! Proofs by parts hold for every domain and comparison: random blocks of bitwise operations against every input, or many
//! random ones.

use ptxcvt::inputs::SplitMix64;
use ptxcvt::mask;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::prove::{Answer, Domain, Method, Options, Verdict, method, prove};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block, Meaning, Port};

/// The types of operands, one after the other from the lowest bit.
type Types = &'static [&'static str];

/// Inputs of 16 bits together: few enough to try all of them.
const FEW: [Types; 7] =
    [&["f16"], &["bf16"], &["e4m3x2"], &["e5m2x2"], &["ue8m0x2"], &["e2m3x2"], &["e3m2x2"]];
const MANY: [Types; 6] = [
    &["f64"],
    &["f32", "f32"],
    &["f16x2", "bf16x2"],
    &["f16", "bf16", "f32"],
    &["f32x2"],
    &["e4m3x4", "f32"],
];
const RESULTS: [Types; 13] = [
    &["f16"],
    &["bf16"],
    &["e4m3x2"],
    &["e5m2x2"],
    &["ue8m0x2"],
    &["e2m3x2"],
    &["f16x2"],
    &["f32"],
    &["f64"],
    &["f16", "e4m3x2"],
    &["b16", "bf16"],
    &["f32", "f32"],
    &["u16", "e5m2x4"],
];

fn width(ty: &str) -> u32 {
    ptxcvt_exec::PortType::read(ty).unwrap_or_else(|| panic!("{ty}")).register.width
}

/// A block that computes one register from all inputs, and splits it into the outputs. With `wide`, there is another
/// input, which is not used: then all inputs are too many to try.
fn block(inputs: Types, outputs: Types, wide: bool, code: &str) -> Block {
    let mut text =
        String::from(".reg .b16 h; .reg .b32 s; .reg .b64 w, r, t, u; .reg .pred p; mov.b64 w, 0;\n");
    let mut at = 0;
    for (n, ty) in inputs.iter().enumerate() {
        text += &match width(ty) {
            8 => format!("cvt.u64.u8 t, a{n};"),
            16 => format!("mov.b16 h, a{n}; cvt.u64.u16 t, h;"),
            32 => format!("mov.b32 s, a{n}; cvt.u64.u32 t, s;"),
            _ => format!("mov.b64 t, a{n};"),
        };
        text += &format!("shl.b64 t, t, {at}; or.b64 w, w, t;\n");
        at += width(ty);
    }
    text += code;
    at = 0;
    for (n, ty) in outputs.iter().enumerate() {
        text += &format!("\nshr.u64 t, r, {at}; ");
        text += &match width(ty) {
            8 => format!("cvt.u8.u64 d{n}, t;"),
            16 => format!("cvt.u16.u64 h, t; mov.b16 d{n}, h;"),
            32 => format!("cvt.u32.u64 s, t; mov.b32 d{n}, s;"),
            _ => format!("mov.b64 d{n}, t;"),
        };
        at += width(ty);
    }
    let ports = |name: &str, types: Types| {
        let each = types.iter().enumerate().map(|(n, ty)| format!("{name}{n}:.{ty}"));
        each.collect::<Vec<_>>().join(",")
    };
    let unused = if wide { ",unused:.b64" } else { "" };
    let interface = Interface::ports(&ports("d", outputs), &(ports("a", inputs) + unused)).unwrap();
    read::block(&text, &interface).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Bitwise operations, and the same ones with changes where some bits have a value.
fn codes(random: &mut SplitMix64, bits: u32) -> [String; 2] {
    let exponents =
        [0x7f80_0000_7f80_0000, 0x7ff0_0000_0000_0000, 0x7c00_7c00_7c00_7c00, 0x7878_7878_7878_7878];
    let constant = |random: &mut SplitMix64| match random.below(4) {
        0 => 0,
        1 => mask(64),
        2 => exponents[random.below(4)],
        _ => random.next_u64(),
    };
    let mut one = format!("xor.b64 r, w, {:#x}; ", constant(random));
    match random.below(4) {
        0 => one += &format!("shl.b64 r, r, {}; ", random.below(17)),
        1 => one += &format!("shr.u64 r, r, {}; ", random.below(9)),
        2 => one += &format!("shl.b64 t, r, {bits}; or.b64 r, r, t; "),
        _ => {}
    }
    one += &format!(
        "xor.b64 r, r, {:#x}; or.b64 r, r, {:#x}; ",
        constant(random),
        constant(random) & constant(random)
    );
    let mut other = one.clone();
    for _ in 0..random.below(3) {
        // A few bits in a row, often those of an exponent, or any few bits.
        let some = match random.below(3) {
            0 => mask(1 + random.below(4) as u32) << random.below(bits as usize),
            1 => exponents[random.below(4)] & mask(8) << random.below(bits as usize),
            _ => (0..3).fold(0, |all, _| all | 1 << random.below(bits as usize)),
        } & mask(bits);
        let value = if random.below(2) == 0 { some } else { random.next_u64() & some };
        let changed = 1_u64 << random.below(64).min(random.below(64));
        other += &format!(
            "and.b64 u, w, {some:#x}; setp.eq.u64 p, u, {value:#x}; mov.b64 t, r; @p xor.b64 t, t, {changed:#x}; mov.b64 r, t; "
        );
    }
    [one, other]
}

/// The results of both blocks for these inputs.
fn results(blocks: &[Block; 2], inputs: &[Vec<u64>]) -> [Vec<Vec<u64>>; 2] {
    [0, 1].map(|n| {
        let program = Program::new(&blocks[n]);
        let mut runner = program.runner();
        let chunk = |lanes: &[Vec<u64>]| {
            let of = |at: usize, lane: usize| lanes[lane.min(lanes.len() - 1)][at];
            (0..blocks[n].inputs().len()).for_each(|at| runner.set(at, |lane| of(at, lane)));
            runner.run();
            let lane = |lane| (0..blocks[n].outputs().len()).map(|at| runner.get(at, lane)).collect();
            (0..lanes.len()).map(lane).collect::<Vec<Vec<u64>>>()
        };
        inputs.chunks(LANES).flat_map(chunk).collect()
    })
}

fn elements(port: &Port, bits: u64) -> Vec<(Option<Meaning>, u64)> {
    match port.meaning {
        Some(meaning) => meaning.elements(bits).map(|element| (Some(meaning), element)).collect(),
        None => vec![(None, bits)],
    }
}

fn is_inside(block: &Block, domain: Domain, inputs: &[u64]) -> bool {
    let mut all = block.inputs().iter().zip(inputs).flat_map(|(port, bits)| elements(port, *bits));
    all.all(|(meaning, element)| meaning.is_none_or(|m| domain.holds(m.format, element)))
}

fn differs(block: &Block, up_to_nan: bool, a: &[u64], b: &[u64]) -> bool {
    block.outputs().iter().zip(a).zip(b).any(|((port, a), b)| {
        elements(port, *a).into_iter().zip(elements(port, *b)).any(|((meaning, a), (_, b))| {
            a != b && !(up_to_nan && meaning.is_some_and(|m| m.is_nan(a) && m.is_nan(b)))
        })
    })
}

/// Whether a proof takes only a moment.
fn is_quick(blocks: &[Block; 2], options: &Options) -> bool {
    match method(&blocks[0], &blocks[1], options) {
        Ok(Method::Exhaustive { bits }) => bits <= 20,
        Ok(Method::ByParts { parts }) => parts.iter().map(|bits| 1_u64 << bits).sum::<u64>() <= 1 << 18,
        // A search proves nothing, but elements up to NaN may be proven bit by bit.
        Ok(_) => options.up_to_nan && options.first,
        // Without a format, the domain or the comparison is refused.
        Err(_) => false,
    }
}

/// Every domain with every comparison, for two blocks. `check` receives each answer, and whether one of the inputs
/// differs.
fn every_question(blocks: &[Block; 2], inputs: &[Vec<u64>], mut check: impl FnMut(&Options, &Answer, bool)) {
    let [a, b] = results(blocks, inputs);
    let differing = |up_to_nan| -> Vec<&Vec<u64>> {
        let lanes = inputs.iter().zip(a.iter().zip(&b));
        lanes.filter(|(_, (a, b))| differs(&blocks[0], up_to_nan, a, b)).map(|(inputs, _)| inputs).collect()
    };
    for up_to_nan in [false, true] {
        let differing = differing(up_to_nan);
        for domain in Domain::ALL {
            for first in [false, true] {
                let options = Options { up_to_nan, domain, first, samples: 1 << 12, threads: 1 };
                if !is_quick(blocks, &options) {
                    continue;
                }
                let answer = prove(&blocks[0], &blocks[1], &options, &|_| {}).unwrap();
                if let Some(difference) = &answer.difference {
                    let [a, b] = [0, 1].map(|n| blocks[n].eval(&difference.inputs).unwrap());
                    assert_eq!((&a, &b), (&difference.a, &difference.b));
                    let is_right = is_inside(&blocks[0], domain, &difference.inputs)
                        && differs(&blocks[0], up_to_nan, &a, &b);
                    assert!(is_right, "{answer}: {difference:x?}, {options:?}: {} {}", blocks[0], blocks[1]);
                }
                let found = differing.iter().any(|inputs| is_inside(&blocks[0], domain, inputs));
                check(&options, &answer, found);
            }
        }
    }
}

/// All values of the inputs, if there are 16 bits, with 0 for the unused input.
fn all_inputs(types: Types) -> Vec<Vec<u64>> {
    let split = |mut bits: u64| {
        let mut inputs: Vec<u64> = Vec::new();
        for ty in types {
            inputs.push(bits & mask(width(ty)));
            bits >>= width(ty);
        }
        inputs.push(0);
        inputs
    };
    (0..1 << 16).map(split).collect()
}

#[test]
fn parts_have_the_answer_of_all_inputs() {
    let mut random = SplitMix64::new(29);
    let mut counts = [[0; 2]; 2];
    for inputs in FEW {
        let all = all_inputs(inputs);
        for outputs in RESULTS.into_iter().cycle().take(16) {
            let blocks = codes(&mut random, 16).map(|code| block(inputs, outputs, true, &code));
            every_question(&blocks, &all, |options, answer, differs| {
                let expected = if differs { Verdict::Different } else { Verdict::Proven };
                let [a, b] = &blocks;
                assert_eq!(
                    answer.verdict(),
                    expected,
                    "{inputs:?} {outputs:?} {options:?}, {answer}: {a} {b}"
                );
                if matches!(answer.method, Method::ByParts { .. }) {
                    let kind = usize::from(options.up_to_nan || options.domain == Domain::Normal);
                    counts[kind][usize::from(differs)] += 1;
                }
            });
        }
    }
    assert!(counts.into_iter().flatten().all(|count| count > 300), "{counts:?}");
}

/// Proofs of wider inputs are never refuted by random ones, among them many that are near NaN, infinity and zero.
#[test]
fn no_random_input_refutes_a_proof() {
    let mut random = SplitMix64::new(31);
    let (mut proofs, mut refuted) = (0, 0);
    for inputs in MANY {
        let widths: Vec<u32> = inputs.iter().map(|ty| width(ty)).collect();
        let one = |random: &mut SplitMix64, width: u32| {
            let bits = random.next_u64();
            let exponents = [0, 0x7f80_7f80_7f80_7f80, 0x7ff0_0000_0000_0000, 0x7c00_7c00_7c00_7c00];
            mask(width)
                & match random.below(3) {
                    0 => bits,
                    1 => bits & 0x800f_8003_807f_8003 | exponents[random.below(4)],
                    _ => bits & mask(16) | exponents[random.below(4)] | 0x0080_0080_0080_0080,
                }
        };
        let samples: Vec<Vec<u64>> =
            (0..1 << 14).map(|_| widths.iter().map(|width| one(&mut random, *width)).collect()).collect();
        for outputs in RESULTS.into_iter().chain([&["f32x2"][..], &["f64"], &["f64"]]) {
            let blocks = codes(&mut random, 64).map(|code| block(inputs, outputs, false, &code));
            every_question(&blocks, &samples, |options, answer, differs| {
                let [a, b] = &blocks;
                let is_proof = answer.is_proof();
                assert!(!(differs && is_proof), "{inputs:?} {outputs:?} {options:?}, {answer}: {a} {b}");
                proofs += u32::from(is_proof);
                refuted += u32::from(differs);
            });
        }
    }
    assert!(proofs > 200 && refuted > 200, "{proofs} {refuted}");
}

fn asm(constraints: &str, text: &str) -> Block {
    read::block(text, &Interface::constraints(constraints).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The code with a change of the lowest bit of the result, where bits of the first input have a value.
fn changed(constraints: &str, code: &str, bits: u64, value: u64) -> [Block; 2] {
    let change = format!(
        "{{ .reg .b64 t, u; .reg .pred p; {} and.b64 u, %1, {bits}; setp.eq.u64 p, u, {value}; @p xor.b64 t, t, 1;
           mov.b64 %0, t; }}",
        code.replace("%0", "t")
    );
    [asm(constraints, code), asm(constraints, &change)]
}

/// Bits of a fraction alone are subnormal, but bits of other parts make the number normal.
#[test]
fn bits_of_other_parts_make_a_number_normal() {
    let truncated = "prmt.b32 %0, %2, %1, 0x7632;";
    let odd = "{ .reg .b32 t, u; .reg .pred p; prmt.b32 t, %2, %1, 0x7632; and.b32 u, %2, 0xffff;
                 setp.ne.u32 p, u, 0; @p or.b32 t, t, 1; mov.b32 %0, t; }";
    let pairs =
        [[truncated, odd].map(|code| asm("=r,f,f", code)), changed("=l,d", "and.b64 %0, %1, 7;", 7, 5)];
    for blocks in &pairs {
        for first in [false, true] {
            let options = Options { domain: Domain::Normal, first, ..Options::default() };
            let answer = prove(&blocks[0], &blocks[1], &options, &|_| {}).unwrap();
            assert!(matches!(answer.method, Method::ByParts { .. }), "{answer}");
            let difference = answer.difference.unwrap();
            assert!(is_inside(&blocks[0], Domain::Normal, &difference.inputs), "{difference:x?}");
            assert_ne!(difference.a, difference.b);
            assert_eq!(difference.kinds.subnormal, 0, "{difference:?}");
        }
    }
    // What differs only for numbers that are outside is equal.
    let [a, b] = changed("=l,d", "and.b64 %0, %1, 0xfff0000000000007;", 0x7ff0_0000_0000_0007, 5);
    let normal = Options { domain: Domain::Normal, ..Options::default() };
    assert!(prove(&a, &b, &normal, &|_| {}).unwrap().is_proof());
    assert_eq!(prove(&a, &b, &Options::default(), &|_| {}).unwrap().verdict(), Verdict::Different);
}

/// Whether a result is NaN depends on the bits of several parts.
#[test]
fn bits_of_other_parts_make_a_result_a_number() {
    let up_to_nan = Options { up_to_nan: true, first: true, samples: 1 << 16, ..Options::default() };
    let two = "{ .reg .b32 t, u; .reg .pred p; not.b32 t, %2; and.b32 u, %2, 6; setp.eq.u32 p, u, 6;
                 @p xor.b32 t, t, 1; mov.b32 %0, t; not.b32 %1, %3; }";
    let pairs = [
        changed("=d,d", "not.b64 %0, %1;", 6, 6),
        changed("=d,d", "xor.b64 %0, %1, 0x7ff8000000000000;", 6, 6),
        ["not.b32 %0, %2; not.b32 %1, %3;", two].map(|code| asm("=f,=f,f,f", code)),
        // Too rare for a search, but the difference of a part happens to be one of numbers.
        changed("=d,d", "mov.b64 %0, %1;", 0x3fff_c000, 0x1234_4000),
    ];
    for blocks in &pairs {
        for first in [false, true] {
            if !first && blocks[0].inputs().len() > 1 {
                // Every value of two f32 takes seconds.
                continue;
            }
            let options = Options { first, ..up_to_nan };
            let answer = prove(&blocks[0], &blocks[1], &options, &|_| {}).unwrap();
            let difference = answer.difference.unwrap_or_else(|| panic!("{}", blocks[1]));
            assert!(differs(&blocks[0], true, &difference.a, &difference.b), "{difference:x?}");
        }
    }
    // A difference of NaNs needs all 64 bits, which are too many: this is not proven, although it is true.
    let nan = "{ .reg .b64 u; .reg .pred p; or.b64 %0, %1, 0x7ff8000000000000; and.b64 u, %1, 6; setp.eq.u64 p, u, 6;
                 @p xor.b64 %0, %0, 1; }";
    let blocks = ["or.b64 %0, %1, 0x7ff8000000000000;", nan].map(|code| asm("=d,d", code));
    let answer = prove(&blocks[0], &blocks[1], &up_to_nan, &|_| {}).unwrap();
    assert_eq!((answer.verdict(), answer.method), (Verdict::NotProven, Method::Sampled));
    assert!(answer.obstacle.is_some_and(|obstacle| obstacle.together > obstacle.limit));
    // An equal f64 is no obstacle to a proof of f16, whose NaNs differ.
    let ports = Interface::ports("d:.f16,e:.f64", "a:.b16,b:.b64").unwrap();
    let code = |bit: u32| format!("or.b16 d, a, 0x7e00; xor.b16 d, d, {bit}; not.b64 e, b;");
    let [a, b] = [1, 2].map(|bit| read::block(&code(bit), &ports).unwrap());
    let answer = prove(&a, &b, &up_to_nan, &|_| {}).unwrap();
    assert!(matches!(answer.method, Method::ByParts { .. }) && answer.is_proof(), "{answer}");
}
