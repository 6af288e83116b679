//! The operands with which a form is tried, in blocks of rows.
//!
//! These are all inputs of sources up to 16 bits, all 2^32 of one-operand 32-bit sources on request, and
//! otherwise the lattices and seeded random operands of [`ptxcvt::inputs`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Type, Value, little_endian, mask};

use crate::kernel;

/// The number of inputs to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// A small selection: about a thousand operands per form, for a first look.
    Quick,
    /// Every input up to 16 bits, lattices and random operands beyond.
    #[default]
    Ordinary,
    /// Like `Ordinary`, and all 2^32 inputs of one-operand 32-bit sources.
    Exhaustive,
}

/// A set of operands that can be named in a vector file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Every value of one operand from `first` to `last`; the others are constant.
    Range {
        /// The operands in PTX order.
        operands: [u64; inputs::MAX_OPERANDS],
        /// The index of the operand that varies.
        at: usize,
        /// The first value.
        first: u64,
        /// The last value.
        last: u64,
    },
    /// The operands of [`inputs::operands`]: a lattice, then random ones.
    Lattice {
        /// The number of random operands after the lattice.
        random: usize,
        /// The generator's seed.
        seed: u64,
    },
}

impl Set {
    /// The set as vector files write it, for a form with `count` operands.
    pub fn text(&self, count: usize) -> String {
        match self {
            Set::Range { operands, at, first, last } => {
                let one = |(i, value): (usize, &u64)| {
                    if i == *at { format!("{first:x}..{last:x}") } else { format!("{value:x}") }
                };
                operands[..count].iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
            }
            Set::Lattice { random, seed } => format!("lattice+{random}@{seed}"),
        }
    }
}

/// Random operands in addition to a lattice, and their seed.
const RANDOM: usize = 1 << 16;
const SEED: u64 = 0x7074_7863_7674;
/// The approximate number of operands per form under [`Effort::Quick`].
const QUICK: u64 = 1024;

/// The operands with which a form is tried.
#[derive(Clone, Copy, Debug)]
pub struct Cases {
    form: Form,
    set: Set,
    all: u64,
    /// The distance between two places of the set, if only a part of it is tried.
    step: Option<usize>,
}

impl Cases {
    /// The set for `form` and `effort`.
    pub fn new(form: Form, effort: Effort) -> Cases {
        let width = form.source().width();
        let complete = width <= 16 || (width == 32 && effort == Effort::Exhaustive);
        let set = if form.source_count() == 1 && complete {
            Set::Range { operands: [0; 5], at: 0, first: 0, last: mask(width) }
        } else {
            Set::Lattice { random: RANDOM, seed: SEED }
        };
        let mut cases = Cases::of_set(form, set);
        if effort == Effort::Quick {
            let size = match set {
                Set::Range { .. } => cases.all,
                Set::Lattice { .. } => lattice(&form).len() as u64,
            };
            // An odd step reaches every pattern of low bits.
            cases.step = Some(size.div_ceil(QUICK) as usize | 1);
        }
        cases
    }

    /// All operands of a set.
    pub fn of_set(form: Form, set: Set) -> Cases {
        let all = match set {
            Set::Range { first, last, .. } => last - first + 1,
            Set::Lattice { random, .. } => lattice(&form).len() as u64 + random as u64,
        };
        Cases { form, set, all, step: None }
    }

    /// The set, if all of it is tried.
    pub fn complete_set(&self) -> Option<Set> {
        self.step.is_none().then_some(self.set)
    }

    /// The number of operands.
    pub fn count(&self) -> u64 {
        match (self.set, self.step) {
            (_, None) => self.all,
            (Set::Range { .. }, Some(step)) => self.all.div_ceil(step as u64),
            (Set::Lattice { .. }, Some(step)) => picks(&self.form, step).len() as u64,
        }
    }

    /// The operands, in blocks of at most `rows`.
    pub fn blocks(&self, rows: usize) -> impl Iterator<Item = Block> {
        let form = self.form;
        let mut source: Box<dyn Iterator<Item = [u64; inputs::MAX_OPERANDS]>> = match (self.set, self.step) {
            (Set::Range { mut operands, at, first, last }, step) => {
                Box::new((first..=last).step_by(step.unwrap_or(1)).map(move |x| {
                    operands[at] = x;
                    operands
                }))
            }
            (Set::Lattice { random, seed }, None) => Box::new(inputs::operands(&form, random, seed)),
            (Set::Lattice { seed, .. }, Some(step)) => Box::new(thinned(form, step, seed)),
        };
        std::iter::from_fn(move || {
            let mut block = Block::new(form);
            for operands in source.by_ref().take(rows) {
                block.push(&operands);
            }
            (block.rows() > 0).then_some(block)
        })
    }
}

/// The lattice of a source type, computed once because that of f64 is long.
fn lattice(form: &Form) -> Arc<Vec<u64>> {
    static LATTICES: Mutex<BTreeMap<Type, Arc<Vec<u64>>>> = Mutex::new(BTreeMap::new());
    let mut lattices = LATTICES.lock().unwrap_or_else(PoisonError::into_inner);
    let walk = || Arc::new(inputs::operands(form, 0, 0).map(|operands| operands[0]).collect());
    Arc::clone(lattices.entry(form.source()).or_insert_with(walk))
}

/// A part of the lattice of a source type: every `step`-th place, and some special values.
fn picks(form: &Form, step: usize) -> Vec<u64> {
    let lattice = lattice(form);
    let format = form.source().format();
    let special = |bits: &&u64| match format.decode(**bits) {
        Value::Finite(x) => x.is_zero(),
        Value::Infinity { .. } | Value::Nan { .. } => true,
    };
    let specials: Vec<u64> = lattice.iter().filter(special).copied().collect();
    let some = specials.iter().step_by(specials.len().div_ceil(64).max(1));
    some.chain(lattice.iter().step_by(step)).copied().collect()
}

/// Every operand of [`picks`], combined with random other operands.
fn thinned(form: Form, step: usize, seed: u64) -> impl Iterator<Item = [u64; inputs::MAX_OPERANDS]> {
    let picks = picks(&form, step);
    let sources = form.operands().skip(1).filter(|operand| operand.ty.is_some()).count();
    let mut generator = SplitMix64::new(seed);
    (0..picks.len()).map(move |row| {
        std::array::from_fn(|i| match i < sources {
            true => picks[(row + i * (picks.len() / sources + 1)) % picks.len()],
            false => generator.next_u64(),
        })
    })
}

/// Rows of operands, masked to the operands' widths.
#[derive(Clone, Debug)]
pub struct Block {
    form: Form,
    widths: Vec<u32>,
    values: Vec<u64>,
}

impl Block {
    /// A block without rows.
    pub fn new(form: Form) -> Block {
        Block { form, widths: form.operands().skip(1).map(|o| o.width).collect(), values: Vec::new() }
    }

    /// Adds a row; values beyond the form's operands are ignored.
    ///
    /// # Panics
    ///
    /// Panics if the row has fewer values than the form has operands.
    pub fn push(&mut self, operands: &[u64]) {
        assert!(operands.len() >= self.widths.len(), "a row has a value for each operand of the form");
        self.values.extend(self.widths.iter().zip(operands).map(|(width, value)| value & mask(*width)));
    }

    /// The form of the operands.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.widths.len()
    }

    /// The operands of a row, in PTX order.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.values[row * self.widths.len()..][..self.widths.len()]
    }

    /// The columns as a kernel reads them: little-endian, each as wide as its operand.
    pub fn columns(&self) -> Vec<Vec<u8>> {
        let bytes = self.form.operands().skip(1).map(|o| kernel::column_bytes(&o));
        let column = |(at, bytes): (usize, usize)| {
            let values = self.values.iter().skip(at).step_by(self.widths.len());
            values.flat_map(|v| v.to_le_bytes().into_iter().take(bytes)).collect()
        };
        bytes.enumerate().map(column).collect()
    }
}

/// The results in a column that a kernel wrote.
pub fn results(form: &Form, column: &[u8]) -> Vec<u64> {
    let bytes = form.result_width() as usize / 8;
    column.chunks_exact(bytes).map(little_endian).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        text.parse().unwrap()
    }

    #[test]
    fn small_sources_are_complete() {
        for (text, count) in [("cvt.f32.f16", 65_536), ("cvt.rn.f16x2.e2m1x2", 256), ("cvt.u32.u8", 256)] {
            let cases = Cases::new(form(text), Effort::Ordinary);
            assert_eq!(
                (cases.count(), cases.blocks(1000).map(|b| b.rows() as u64).sum::<u64>()),
                (count, count)
            );
        }
        let both: Vec<_> = Cases::new(form("cvt.rn.satfinite.e4m3x2.f16x2"), Effort::Ordinary)
            .blocks(1 << 20)
            .flat_map(|b| (0..b.rows()).map(|r| b.row(r)[0]).collect::<Vec<_>>())
            .collect();
        for shift in [0, 16] {
            let halves: std::collections::BTreeSet<_> = both.iter().map(|x| x >> shift & 0xffff).collect();
            assert_eq!(halves.len(), 65_536, "every code in the half at bit {shift}");
        }
    }

    #[test]
    fn exhaustive_means_all_of_one_operand() {
        let count = |text| Cases::new(form(text), Effort::Exhaustive).count();
        assert_eq!(count("cvt.rn.f16.f32"), 1 << 32);
        assert!(count("cvt.rn.f16x2.f32") < 1 << 24);
        assert!(count("cvt.rn.f32.f64") < 1 << 24);
        for form in Form::all().filter(|f| f.rounding() == Some(ptxcvt::Rounding::Rs)) {
            let cases = Cases::new(form, Effort::Ordinary);
            assert_eq!(cases.count(), cases.blocks(1 << 16).map(|b| b.rows() as u64).sum::<u64>(), "{form}");
        }
    }

    #[test]
    fn columns_are_little_endian_and_as_wide_as_their_operands() {
        let mut block = Block::new(form("cvt.rs.satfinite.e2m1x4.f32"));
        block.push(&[0x0102_0304, 2, 3, 4, 0xa1b2_c3d4]);
        assert_eq!(block.columns()[0], [4, 3, 2, 1]);
        assert_eq!(block.columns()[4], [0xd4, 0xc3, 0xb2, 0xa1]);
        let mut block = Block::new(form("cvt.rn.f16x2.e2m1x2"));
        block.push(&[0x1ff]);
        assert_eq!((block.columns(), block.row(0)), (vec![vec![0xff]], &[0xff_u64][..]));
        assert_eq!(results(&form("cvt.rn.satfinite.e4m3x2.f32"), &[1, 2, 3, 4]), [0x0201, 0x0403]);
    }
}
