//! Random blocks of any instructions, operands and guards: both implementations return the same bits on every tier, and
//! `prove` contradicts neither them nor itself.

use ptxcvt::Form;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_bulk::Tier;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::prove::{Method, Options, Verdict, method, prove};
use ptxcvt_exec::{Block, Guard, Op, Operand, Reg, Ty};

/// How many blocks are made. Each costs a few milliseconds.
const BLOCKS: u64 = 300;

/// The widths of registers, 1 for predicates.
const TYPES: [Ty; 5] = [Ty::Pred, Ty::B8, Ty::B16, Ty::B32, Ty::B64];

/// A block that is being made: registers by width.
struct Maker {
    block: Block,
    pools: Vec<(u32, Vec<Reg>)>,
    random: SplitMix64,
    ops: Vec<Op>,
    forms: Vec<Form>,
}

impl Maker {
    /// Registers of every width: inputs, an output, and one that only instructions write.
    fn new(seed: u64, ops: &[Op], forms: &[Form]) -> Maker {
        let mut block = Block::new();
        let mut pools = Vec::new();
        for ty in TYPES {
            let input = block.input(format!("in{ty}"), ty);
            let output = block.output(format!("out{ty}"), ty);
            let inside = block.temporary(format!("t{ty}"), ty);
            pools.push((ty.width(), vec![input, output, inside]));
        }
        Maker { block, pools, random: SplitMix64::new(seed), ops: ops.to_vec(), forms: forms.to_vec() }
    }

    fn register(&mut self, width: u32) -> Reg {
        let pool = self.pools.iter().find(|(of, _)| *of == width).map(|(_, pool)| pool);
        let pool = pool.unwrap_or_else(|| panic!("registers of {width} bits"));
        pool[self.random.below(pool.len())]
    }

    /// An instruction with the operands of `like`, other registers and sometimes a guard.
    fn add(&mut self, like: &Block) {
        let instruction = &like.code()[0];
        let width = |r: &Reg| like.declaration(*r).ty.width;
        let mut operands = Vec::new();
        for operand in &instruction.operands {
            operands.push(match operand {
                Operand::Register(r) => Operand::Register(self.register(width(r))),
                Operand::WithCarry(d, _) => Operand::WithCarry(self.register(width(d)), self.register(1)),
                Operand::Pair(..) => {
                    let (p, q) = (self.register(1), self.register(1));
                    Operand::Pair(Some(p), (p != q).then_some(q))
                }
                Operand::Vector(parts) => {
                    let count = parts.len();
                    let ty = like.declaration(match &parts[0] {
                        Operand::Register(r) => *r,
                        other => panic!("a vector of registers, not {other:?}"),
                    });
                    Operand::Vector(
                        (0..count).map(|_| Operand::Register(self.register(ty.ty.width))).collect(),
                    )
                }
                Operand::Constant(_) => Operand::Constant(self.random.next_u64() & 0xff),
                other => other.clone(),
            });
        }
        let guard = (self.random.below(4) == 0)
            .then(|| Guard { register: self.register(1), negated: self.random.below(2) == 0 });
        // Some registers do not fit, such as bytes where a form wants a number type.
        let _ = self.block.push_guarded(guard, &instruction.opcode.to_string(), operands);
    }

    fn make(mut self) -> Block {
        while self.block.code().len() < 6 {
            let like = match self.random.below(3) {
                0 => Block::of_form(self.forms[self.random.below(self.forms.len())]),
                _ => {
                    let constant = self.random.next_u64() & 0xff;
                    Block::of_op(self.ops[self.random.below(self.ops.len())], constant)
                }
            };
            self.add(&like);
        }
        self.block
    }
}

/// Random inputs, with small and repeated numbers among them.
fn inputs(block: &Block, random: &mut SplitMix64) -> Vec<u64> {
    let one = |port: &ptxcvt_exec::Port| {
        let bits = match random.below(4) {
            0 => random.next_u64() & 0x1f,
            1 => (random.next_u64() & 0x1f).wrapping_neg(),
            _ => random.next_u64(),
        };
        bits & u64::MAX >> (64 - block.width(*port))
    };
    block.inputs().iter().map(one).collect()
}

fn compare_with_reference(block: &Block, random: &mut SplitMix64) {
    let all: Vec<Vec<u64>> = (0..LANES).map(|_| inputs(block, random)).collect();
    for tier in Tier::available() {
        let program = Program::with_tier(block, tier).unwrap();
        let mut runner = program.runner();
        (0..block.inputs().len()).for_each(|n| runner.set(n, |lane| all[lane][n]));
        runner.run();
        // Every 16th lane: the reference is slow, and a wrong kernel is wrong in many lanes.
        for (lane, given) in all.iter().enumerate().step_by(16) {
            let expected = block.eval(given).unwrap();
            for (n, bits) in expected.iter().enumerate() {
                assert_eq!(runner.get(n, lane), *bits, "{tier} {given:x?} output {n} of {block}");
            }
        }
    }
}

/// True if a proof would take no more than a moment.
fn is_quick(a: &Block, b: &Block, options: &Options) -> bool {
    match method(a, b, options).unwrap() {
        Method::Exhaustive { bits } => bits <= 16,
        Method::ByParts { parts } => parts.iter().all(|bits| *bits <= 16),
        _ => true,
    }
}

#[test]
fn implementations_agree_and_proofs_hold() {
    let ops: Vec<Op> = Op::all().collect();
    let forms: Vec<Form> = Form::all().filter(|form| form.result_width() >= 8).collect();
    let options = Options { samples: 256, threads: 1, ..Options::default() };
    let (mut proofs, mut differences, mut last) = (0, 0, None::<Block>);
    for seed in 0..BLOCKS {
        let block = Maker::new(seed, &ops, &forms).make();
        let mut random = SplitMix64::new(seed);
        compare_with_reference(&block, &mut random);
        block.possibly_undefined();
        if is_quick(&block, &block, &options) {
            let same = prove(&block, &block.clone(), &options, &|_| {}).unwrap();
            assert!(same.difference.is_none(), "{same} of {block}");
        }
        // All inputs but the byte and the predicate are fixed: few enough for proofs of different blocks.
        let narrow = |mut block: Block| {
            for n in (2..block.inputs().len()).rev() {
                block.fix(n, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            }
            block
        };
        if let Some(other) = last.replace(block.clone()) {
            let (a, b) = (narrow(block), narrow(other));
            let answer = prove(&a, &b, &options, &|_| {}).unwrap();
            let mut every = (0..1_u64 << 9).map(|x| vec![x & 1, x >> 1]);
            let differs = every.any(|inputs| a.eval(&inputs).unwrap() != b.eval(&inputs).unwrap());
            assert_eq!(
                answer.verdict(),
                if differs { Verdict::Different } else { Verdict::Proven },
                "{a}{b}"
            );
            proofs += u32::from(!differs);
            differences += u32::from(differs);
        }
    }
    assert!(differences > 100, "{proofs} proofs, {differences} differences: too much alike");
}
