//! Finds the input bits on which each output bit may depend. The set is never too small.
//!
//! Every bit of every register is a known constant or the set of input bits on which it may depend. In general each bit of
//! a result depends on all sources (for packed types, on those of its half). Three kinds of instructions are analysed
//! more closely:
//!
//! - bitwise operations, whose truth table is found by evaluating the instruction;
//! - operations that move bits by constant amounts, found by sending single bits through;
//! - sums, in which a bit depends only on lower bits.

use ptxcvt::{Form, Opcode as Conversion};

use super::compare::Pair;
use crate::block::{Block, Instruction, Port};
use crate::modifier::Modifier;
use crate::operand::{Operand, Reg};
use crate::semantics::mask;
use crate::table::{Kind, Op, Opcode, Semantics};

/// A set of input bits. The bits of the last input come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits([u64; 4]);

impl Bits {
    /// The largest number of input bits.
    const CAPACITY: u32 = 256;

    fn of(bit: u32) -> Bits {
        let mut words = [0; 4];
        words[bit as usize / 64] = 1 << (bit % 64);
        Bits(words)
    }

    pub fn or(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn without(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    pub fn len(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    pub fn is_within(self, other: Bits) -> bool {
        self.0.iter().zip(other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::CAPACITY).filter(move |bit| self.0[*bit as usize / 64] >> (bit % 64) & 1 != 0)
    }
}

/// The knowledge about a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Constant(bool),
    Depends(Bits),
}

impl Known {
    fn bits(self) -> Bits {
        match self {
            Known::Constant(_) => Bits::default(),
            Known::Depends(bits) => bits,
        }
    }

    fn join(self, other: Known) -> Known {
        if self == other { self } else { Known::Depends(self.bits().or(other.bits())) }
    }
}

/// A register's bits, the lowest first.
type Register = Vec<Known>;

fn constant(bits: u64, width: u32) -> Register {
    (0..width).map(|i| Known::Constant(bits >> i & 1 != 0)).collect()
}

/// The value of a register if all of its bits are constants.
fn value(register: &[Known]) -> Option<u64> {
    register.iter().enumerate().try_fold(0, |bits, (i, known)| match known {
        Known::Constant(bit) => Some(bits | u64::from(*bit) << i),
        Known::Depends(_) => None,
    })
}

fn union(bits: &[Known]) -> Bits {
    bits.iter().fold(Bits::default(), |all, known| all.or(known.bits()))
}

/// The input bits on which each bit of each output may depend; `None` if there are more than [`Bits`] can hold.
pub(super) fn of(block: &Block, inputs: &[Pair]) -> Option<Vec<Vec<Bits>>> {
    if inputs.iter().map(|p| p.width).sum::<u32>() > Bits::CAPACITY {
        return None;
    }
    let widths = block.registers().iter().map(|r| r.ty.width);
    let mut state: Vec<Register> = widths.map(|width| constant(0, width)).collect();
    let mut first = 0;
    for (port, pair) in block.inputs().iter().zip(inputs).rev() {
        let register = &mut state[port.register.0 as usize];
        for (at, known) in register.iter_mut().enumerate().take(pair.width as usize) {
            let own = if pair.fixed { Bits::default() } else { Bits::of(first + at as u32) };
            *known = Known::Depends(own);
        }
        first += pair.width;
    }
    for instruction in block.code() {
        step(block, instruction, &mut state);
    }
    let output = |p: &Port| state[p.register.0 as usize].iter().map(|k| k.bits()).collect();
    Some(block.outputs().iter().map(output).collect())
}

fn step(block: &Block, instruction: &Instruction, state: &mut [Register]) {
    let results = results(block, instruction, state);
    let guard = instruction.guard.map(|g| state[g.register.0 as usize][0]);
    for (register, result) in instruction.written().zip(results) {
        let old = &mut state[register.0 as usize];
        for (known, new) in old.iter_mut().zip(result) {
            *known = match guard {
                None => new,
                // The old value or the new one, depending on the guard.
                Some(guard) => Known::Depends(known.join(new).bits().or(guard.bits())),
            };
        }
    }
}

/// The new value of each register that an instruction writes.
fn results(block: &Block, instruction: &Instruction, state: &[Register]) -> Vec<Register> {
    let width = |r: Reg| block.declaration(r).ty.width;
    let written: Vec<u32> = instruction.written().map(width).collect();
    let sources: Vec<Register> = match &instruction.opcode {
        Opcode::Op(op) if !matches!(op.row().semantics, Semantics::Move) => {
            let places = op.row().operands.iter().map(|o| op.operand_type(o).width());
            let each = instruction.operands.iter().zip(places).skip(1);
            each.map(|(operand, width)| read(operand, width, state)).collect()
        }
        _ => {
            let flat = instruction.operands.iter().skip(1).flat_map(|o| match o {
                Operand::Vector(parts) => parts.iter(),
                one => std::slice::from_ref(one).iter(),
            });
            flat.map(|o| read(o, 64, state)).collect()
        }
    };
    match &instruction.opcode {
        Opcode::Convert(form) => {
            let width = written.first().copied().unwrap_or(form.result_width());
            vec![conversion(form, &sources, width)]
        }
        Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
            let mut all = sources.concat().into_iter();
            let parts = match &instruction.operands[0] {
                Operand::Vector(parts) => parts.len() as u32,
                _ => 1,
            };
            // Dropped parts occupy their place, too.
            let share = op.ty(0).width() / parts;
            let mut split: Vec<Register> =
                (0..parts).map(|_| all.by_ref().take(share as usize).collect()).collect();
            if let Operand::Vector(targets) = &instruction.operands[0] {
                let mut kept = targets.iter().map(|t| *t != Operand::Sink);
                split.retain(|_| kept.next().expect("one for each part"));
            }
            split
        }
        Opcode::Op(op) => match written[..] {
            [width, _] if matches!(instruction.operands[0], Operand::WithCarry(..)) => {
                vec![operation(op, &sources, width), vec![Known::Depends(union(&sources.concat()))]]
            }
            [width] if !matches!(instruction.operands[0], Operand::Pair(..)) => {
                vec![operation(op, &sources, width)]
            }
            // Each of two predicates depends on everything.
            _ => written.iter().map(|_| vec![Known::Depends(union(&sources.concat()))]).collect(),
        },
    }
}

/// A source operand; a constant has the given width.
fn read(operand: &Operand, width: u32, state: &[Register]) -> Register {
    match operand {
        Operand::Register(r) => state[r.0 as usize].clone(),
        Operand::Not(r) => match state[r.0 as usize][0] {
            Known::Constant(bit) => vec![Known::Constant(!bit)],
            depends => vec![depends],
        },
        Operand::Constant(bits) => constant(*bits, width),
        _ => Vec::new(),
    }
}

/// `cvt`: each element of the result depends on its own element of the sources, and on scale and random bits.
fn conversion(form: &Form, sources: &[Register], width: u32) -> Register {
    if let Some(result) = truncated(form, sources, width) {
        return result;
    }
    let elements = form.lanes();
    let packed = form.opcode() == Conversion::CvtPack;
    let data = sources.len() - usize::from(form.source_count() > data_operands(form));
    let extra = union(&sources[data..].concat());
    let storage = if packed { form.destination().width() } else { form.destination().format().storage() };
    let mut result = Vec::new();
    for element in (0..elements).rev() {
        let own = if form.source().lanes() > 1 {
            let part = form.source().format().storage();
            let first = ((elements - 1 - element) * part) as usize;
            union(&sources[0][first..first + part as usize])
        } else {
            let bits = form.source().width() as usize;
            union(&sources[element as usize][..bits.min(sources[element as usize].len())])
        };
        let known = Known::Depends(if packed { own } else { own.or(extra) });
        result.extend(std::iter::repeat_n(known, storage as usize));
    }
    // Above the elements are the low bits of c for `cvt.pack`, and the extension of the result for `cvt`.
    if packed {
        let rest = sources.get(2).cloned().unwrap_or_default();
        result.extend(
            rest.into_iter().chain(std::iter::repeat(Known::Constant(false))).take(32 - result.len()),
        );
    }
    let signed =
        form.destination().format().is_signed() && form.destination().format().is_integer() && !packed;
    let fill = if signed { result.last().copied() } else { None }.unwrap_or(Known::Constant(false));
    result.resize(width as usize, fill);
    result
}

/// `cvt` between integers without `.sat` keeps the low bits, extends them as the source's type says, and then as the
/// destination's type says.
fn truncated(form: &Form, sources: &[Register], width: u32) -> Option<Register> {
    let (to, from) = (form.destination(), form.source());
    let wraps = form.opcode() == Conversion::Cvt && !form.has(ptxcvt::Modifier::Sat);
    let whole = |ty: ptxcvt::Type| ty.lanes() == 1 && ty.format().is_integer() && ty.format().storage() >= 8;
    if !wraps || !whole(to) || !whole(from) {
        return None;
    }
    let mut result = sources[0].get(..from.format().storage() as usize)?.to_vec();
    for (ty, width) in [(from, to.format().storage()), (to, width)] {
        let fill = if ty.format().is_signed() { result.last().copied()? } else { Known::Constant(false) };
        result.resize(width as usize, fill);
    }
    Some(result)
}

/// The number of operands that hold elements.
fn data_operands(form: &Form) -> usize {
    let extra = |o: &ptxcvt::forms::Operand| {
        matches!(
            o.role,
            ptxcvt::forms::Role::RandomBits | ptxcvt::forms::Role::ScaleFactor | ptxcvt::forms::Role::Rest
        )
    };
    form.operands().skip(1).filter(|o| !extra(o)).count()
}

/// Any other instruction with one result.
fn operation(op: &Op, sources: &[Register], width: u32) -> Register {
    let values: Option<Vec<u64>> = sources.iter().map(|s| value(s)).collect();
    if let Some(values) = values {
        return constant(op.eval(&values), width);
    }
    match op.name() {
        "and" | "or" | "xor" | "not" | "lop3" | "selp" => bitwise(op, sources, width),
        "shl" | "shr" | "prmt" | "shf" | "bfe" | "bfi" | "brev" | "szext" if moves_bits(op, sources) => {
            moved(op, sources, width)
        }
        "add" | "sub"
            if op.ty(0).format().is_none() && op.lanes() == 1 && !op.modifiers().has(Modifier::Sat) =>
        {
            sum(sources, width, op.name() == "sub")
        }
        "addc" | "subc" => sum(sources, width, op.name() == "subc"),
        "mul" | "mad" if op.ty(0).format().is_none() && op.modifiers().has(Modifier::Lo) => {
            (1..=width as usize).map(|n| prefix(sources, n)).collect()
        }
        _ => by_parts(op.parts(), sources, width),
    }
}

/// Every bit depends on everything in the same one of `lanes` parts.
fn by_parts(lanes: u32, sources: &[Register], width: u32) -> Register {
    let part = (width / lanes) as usize;
    let one = |lane: u32| {
        let own = sources.iter().map(|s| match s.len() {
            1 => union(s),
            n => {
                let size = n / lanes as usize;
                union(&s[lane as usize * size..(lane as usize + 1) * size])
            }
        });
        Known::Depends(own.fold(Bits::default(), Bits::or))
    };
    (0..lanes).flat_map(|lane| std::iter::repeat_n(one(lane), part)).collect()
}

/// Bit by bit, by the instruction's truth table. Sources that are known or make no difference drop out. A source of one
/// bit, such as the predicate of `selp`, applies to every bit.
fn bitwise(op: &Op, sources: &[Register], width: u32) -> Register {
    // The table of `lop3` applies to all bits.
    let tables: Vec<Option<u64>> = sources
        .iter()
        .zip(op.row().operands.iter().skip(1))
        .map(|(s, o)| if o.kind == Kind::Constant { value(s) } else { None })
        .collect();
    let single: Vec<bool> =
        op.row().operands.iter().skip(1).map(|o| op.operand_type(o).width() == 1).collect();
    (0..width as usize)
        .map(|i| {
            let bits: Vec<Known> = sources
                .iter()
                .zip(&single)
                .map(|(s, single)| {
                    s.get(if *single { 0 } else { i }).copied().unwrap_or(Known::Constant(false))
                })
                .collect();
            let free: Vec<usize> = (0..bits.len())
                .filter(|n| tables[*n].is_none() && matches!(bits[*n], Known::Depends(_)))
                .collect();
            // The bit of the result for each setting of the free sources.
            let outcome = |setting: u32| {
                let word = |(n, known): (usize, &Known)| {
                    let bit = match (free.iter().position(|f| *f == n), known) {
                        (Some(at), _) => setting >> at & 1 != 0,
                        (None, Known::Constant(bit)) => *bit,
                        (None, Known::Depends(_)) => false,
                    };
                    tables[n].unwrap_or(match bit {
                        true if single[n] => 1,
                        true => mask(width),
                        false => 0,
                    })
                };
                let words: Vec<u64> = bits.iter().enumerate().map(word).collect();
                op.eval(&words) >> i & 1 != 0
            };
            let outcomes: Vec<bool> = (0..1 << free.len()).map(outcome).collect();
            let matters = |at: usize| (0..outcomes.len()).any(|s| outcomes[s] != outcomes[s ^ 1 << at]);
            let needed: Vec<Bits> =
                (0..free.len()).filter(|at| matters(*at)).map(|at| bits[free[at]].bits()).collect();
            match needed.is_empty() {
                true => Known::Constant(outcomes[0]),
                false => Known::Depends(needed.into_iter().fold(Bits::default(), Bits::or)),
            }
        })
        .collect()
}

/// How many sources have bits that move; the others are amounts.
fn movable(op: &Op) -> usize {
    match op.name() {
        "prmt" | "shf" | "bfi" => 2,
        _ => 1,
    }
}

fn moves_bits(op: &Op, sources: &[Register]) -> bool {
    sources.iter().skip(movable(op)).all(|s| value(s).is_some())
}

/// With constant amounts, each bit of the result is a constant or the exclusive or of source bits (in fact of one). Single
/// bits that are sent through show which.
fn moved(op: &Op, sources: &[Register], width: u32) -> Register {
    let moving = movable(op);
    let with = |n: usize, bits: u64| -> u64 {
        let words = sources.iter().enumerate();
        let words: Vec<u64> = words
            .map(|(at, s)| {
                if at == n {
                    bits
                } else if at < moving {
                    0
                } else {
                    value(s).expect("`moves_bits` found constants")
                }
            })
            .collect();
        op.eval(&words)
    };
    let none = with(usize::MAX, 0);
    let mut result = constant(none, width);
    for (n, source) in sources.iter().enumerate().take(moving) {
        for (at, known) in source.iter().enumerate() {
            let changed = with(n, 1 << at) ^ none;
            for (_, bit) in result.iter_mut().enumerate().filter(|(i, _)| changed >> i & 1 != 0) {
                *bit = match (*bit, known) {
                    (Known::Constant(old), Known::Constant(new)) => Known::Constant(old ^ new),
                    (Known::Constant(_), Known::Depends(_)) => *known,
                    (Known::Depends(old), known) => Known::Depends(old.or(known.bits())),
                };
            }
        }
    }
    result
}

/// Depends on everything in the lowest `n` bits.
fn prefix(sources: &[Register], n: usize) -> Known {
    let low = sources.iter().map(|s| union(&s[..n.min(s.len())]));
    Known::Depends(low.fold(Bits::default(), Bits::or))
}

/// A sum or difference, with the carry flag if there is a third source: a bit depends on the bits in its own place and on
/// the carry.
fn sum(sources: &[Register], width: u32, subtract: bool) -> Register {
    let mut carry = sources.get(2).filter(|flag| flag[0] != Known::Constant(false)).map(|flag| union(flag));
    let mut result = Vec::new();
    for (&a, &b) in sources[0].iter().zip(&sources[1]).take(width as usize) {
        let zero = [a, b].map(|known| known == Known::Constant(false));
        let here = a.bits().or(b.bits()).or(carry.unwrap_or_default());
        result.push(match (zero, carry) {
            ([true, true], None) => Known::Constant(false),
            _ => Known::Depends(here),
        });
        // A carry starts where two bits may be one. A borrow starts where a bit is subtracted, and passes through zeros.
        let ends = match (subtract, carry) {
            (true, carry) => zero[1] && carry.is_none(),
            (false, None) => zero[0] || zero[1],
            (false, Some(_)) => zero[0] && zero[1],
        };
        carry = if ends { None } else { Some(here) };
    }
    result
}
