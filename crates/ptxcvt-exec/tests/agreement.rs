//! Compares the kernels with the reference: every instruction of the table, on every tier of this machine, over edges and
//! random operands; and blocks with guards, packing, and conversions into wider registers.

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt_bulk::Tier;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block, Meaning, Op, Port};

/// Operands for corner cases: edges of the format next to each other, small integers, random bits.
struct Operands {
    edges: Vec<(u32, Option<Meaning>, Vec<u64>)>,
    random: SplitMix64,
}

impl Operands {
    fn new(block: &Block) -> Self {
        let of = |port: &Port| {
            let codes = port.meaning.map_or(Vec::new(), |m| edges(m.format).collect());
            (block.width(*port), port.meaning, codes)
        };
        Operands { edges: block.inputs().iter().map(of).collect(), random: SplitMix64::new(7) }
    }

    fn next(&mut self) -> Vec<u64> {
        let Operands { edges, random } = self;
        let one = |(width, meaning, codes): &(u32, Option<Meaning>, Vec<u64>)| {
            let draw = random.next_u64();
            let bits = match (draw % 8, meaning) {
                (0..4, Some(m)) => (0..m.lanes).fold(0, |all, _| {
                    all << (m.format.storage() % 64) | codes[random.next_u64() as usize % codes.len()]
                }),
                (4, _) => draw >> 32 & 0x3f,
                (5, _) => (draw >> 32 & 0x3f).wrapping_neg(),
                _ => random.next_u64(),
            };
            bits & u64::MAX >> (64 - width)
        };
        edges.iter().map(one).collect()
    }
}

/// Compares both implementations on `rounds` times [`LANES`] lanes.
fn agree(block: &Block, rounds: usize, name: &str) {
    let mut operands = Operands::new(block);
    let all: Vec<Vec<u64>> = (0..rounds * LANES).map(|_| operands.next()).collect();
    let expected: Vec<Vec<u64>> = all.iter().map(|inputs| block.eval(inputs).unwrap()).collect();
    for tier in Tier::available() {
        let program = Program::with_tier(block, tier).unwrap();
        let mut runner = program.runner();
        for (inputs, expected) in all.chunks(LANES).zip(expected.chunks(LANES)) {
            (0..block.inputs().len()).for_each(|n| runner.set(n, |lane| inputs[lane][n]));
            runner.run();
            for (lane, (inputs, expected)) in inputs.iter().zip(expected).enumerate() {
                for (n, expected) in expected.iter().enumerate() {
                    assert_eq!(runner.get(n, lane), *expected, "{name} {tier} {inputs:x?} output {n}");
                }
            }
        }
    }
}

#[test]
fn every_instruction_on_every_tier() {
    let mut seen = 0;
    for op in Op::all() {
        let tables = if op.name() == "lop3" { 0..256 } else { 0..1 };
        for table in tables {
            agree(&Block::of_op(op, table), 1, &op.to_string());
        }
        seen += 1;
    }
    assert!(seen > 1000, "only {seen}");
}

/// Instructions that kernels compute are compared on more operands.
#[test]
fn kernels_on_many_operands() {
    for op in Op::all() {
        let block = Block::of_op(op, 0xe8);
        let exact = !block.is_approximate();
        if exact && Program::new(&block).slow_steps() == 0 && op.types().any(|t| t.format().is_some()) {
            agree(&block, 3, &op.to_string());
        }
    }
}

#[test]
fn blocks() {
    for (text, constraints) in [
        ("{ .reg .pred p; setp.lt.f32 p, %1, %2; @p mov.b32 %0, 7; @!p add.u32 %0, %3, 1; }", "=r,f,f,r"),
        (
            "{ .reg .pred p, q; setp.ltu.f16x2 p|q, %1, %2; selp.b32 %0, %1, %2, p; @q not.b32 %0, %0; }",
            "=r,r,r",
        ),
        // The guard is a predicate that the instruction itself writes.
        (
            "{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; @p setp.le.bf16x2 p|q, %1, %2; selp.b32 %0, 1, 2, q; }",
            "=r,r,r",
        ),
        ("{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, %1; mov.b32 %0, {d, b, a, c}; }", "=r,r"),
        ("{ .reg .b16 a, b, c, d; mov.b64 {a, b, _, d}, %1; mov.b64 %0, {d, a, b, b}; }", "=l,l"),
        ("{ .reg .b8 t; cvt.u8.u32 t, %1; cvt.s32.s8 %0, t; }", "=r,r"),
        ("{ .reg .u16 t; cvt.u16.u32 t, %1; cvt.rn.f16.u16 %0, t; }", "=h,r"),
        ("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, 0f3F800000, %2}, %3;", "=r,f,f,r"),
        ("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;", "=r,r,r"),
        ("{ .reg .b32 t; prmt.b32 t, %1, %2, 0x9a31; shf.l.wrap.b32 %0, t, %1, 35; }", "=r,r,r"),
        ("{ .reg .b64 t; mul.wide.s32 t, %1, -3; shr.s64 %0, t, 7; }", "=l,r"),
        ("fma.rn.f16x2 %0, %1, %2, %3;", "=r,r,r,r"),
        ("{ .reg .b32 t; mov.b32 t, 0xd480d480; fma.rn.f16x2 %0, %1, t, %2; }", "=r,r,r"),
        ("{ .reg .b32 t; mov.b32 t, 0x43004300; sub.bf16x2 %0, %1, t; }", "=r,r"),
        ("bfe.s32 %0, %1, 5, 9;", "=r,r"),
        ("bfe.u64 %0, %1, 60, 9;", "=l,l"),
    ] {
        let block = read::block(text, &Interface::constraints(constraints).unwrap());
        agree(&block.unwrap_or_else(|e| panic!("{text}: {e}")), 4, text);
    }
}
