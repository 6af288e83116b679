//! Counts of results by situation and by the choices that they equal.

use std::collections::HashMap;

use ptxcvt::formats::Kind;
use ptxcvt::{Conversion, Format, little_endian};

use super::cause::Causes;
use super::choice::CHOICES;
use super::inputs::Inputs;
use super::place::{Place, Places, Region, Situation};

/// An input and what the codec returned for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The code of the input.
    pub input: u64,
    /// The code that the codec returned.
    pub got: u64,
}

/// Results in one situation that equal the same choices.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The number of results.
    pub count: u64,
    /// The result with the smallest magnitude.
    pub smallest: Seen,
    /// The result whose input is the simplest number.
    pub simplest: Seen,
    /// True if every result is the same code.
    pub alike: bool,
    /// The causes that explain every result.
    pub causes: Causes,
}

/// The codes that a result is compared with.
#[derive(Debug)]
pub struct Yardstick {
    /// The source format.
    pub source: Format,
    /// The destination format.
    pub destination: Format,
    /// The places of sources.
    pub places: Places,
    /// Conversions to compare with in addition to the choices.
    pub conversions: Vec<Conversion>,
}

/// The most conversions of a yardstick, so that a set of choices and conversions is a `u128`.
pub const MOST_CONVERSIONS: usize = 128 - CHOICES;

/// Counts of results. Tallies of parts of the inputs are added with [`Tally::add`].
#[derive(Debug)]
pub struct Tally {
    cells: HashMap<(Situation, u128), Cell>,
    /// The cell of the last result.
    last: Option<((Situation, u128), Cell)>,
    /// Conversions that every result so far equals, a bit for each.
    pub alive: u128,
    /// Conversions that are compared with to the end.
    wanted: u128,
    /// The large numbers that have equal results, positive and negative ones.
    pub tails: [Tail; 2],
    /// How many results were counted.
    pub inputs: u64,
}

impl Tally {
    /// No results yet. Conversions in the set `wanted` are compared with all results, the others as long as they equal
    /// every result.
    pub fn new(yardstick: &Yardstick, wanted: u128) -> Tally {
        let all = (1_u128 << yardstick.conversions.len()) - 1;
        Tally {
            cells: HashMap::new(),
            last: None,
            alive: all,
            wanted,
            tails: [Tail::default(); 2],
            inputs: 0,
        }
    }

    /// Every cell with its situation and the set of choices that its results equal; conversions are above the choices.
    pub fn cells(&self) -> impl Iterator<Item = (Situation, u128, &Cell)> {
        assert!(self.last.is_none(), "the tally is finished before its cells are read");
        self.cells.iter().map(|((situation, set), cell)| (*situation, *set, cell))
    }

    /// Counts the results of consecutive inputs. `N` is the width of a result in bytes.
    pub fn take<const N: usize>(
        &mut self,
        yardstick: &Yardstick,
        inputs: &Inputs,
        first: u64,
        results: &[[u8; N]],
    ) {
        let count = results.len();
        let mut at = 0;
        while at < count {
            let input = |offset: usize| inputs.at(first + offset as u64);
            let place = yardstick.places.place(input(at));
            let same = |offset: usize| yardstick.places.place(input(offset)) == place;
            let end = match inputs.are_consecutive() {
                true => gallop(at, count, same),
                false => at + 1,
            };
            let compared = self.alive | self.wanted;
            let mut expected = [0; MOST_CONVERSIONS];
            for (code, conversion) in selected(compared, &yardstick.conversions).zip(&mut expected) {
                *conversion = code.1.eval(input(at));
            }
            let mut start = at;
            while start < end {
                let result = results[start];
                let rest = &results[start..end];
                let run = if rest.iter().all(|other| *other == result) {
                    rest.len()
                } else {
                    rest.iter().take_while(|other| **other == result).count()
                };
                let got = little_endian(&result);
                let mut set = u128::from(yardstick.places.choices(&place, got));
                let mut equal = 0;
                for ((n, _), code) in selected(compared, &yardstick.conversions).zip(&expected) {
                    equal |= u128::from(*code == got) << n;
                }
                self.alive &= equal;
                set |= (equal & (self.alive | self.wanted)) << CHOICES;
                self.count(yardstick, &place, set, got, (start..start + run).map(input));
                start += run;
            }
            at = end;
        }
        self.inputs += count as u64;
    }

    /// Counts the equal results of consecutive inputs in one place.
    fn count(
        &mut self,
        yardstick: &Yardstick,
        place: &Place,
        set: u128,
        got: u64,
        inputs: impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + Clone,
    ) {
        let situation = place.situation;
        let run = inputs.len() as u64;
        let first = inputs.clone().next().expect("a run is not empty");
        let ends = [first, inputs.clone().next_back().expect("a run is not empty")];
        let source = yardstick.source;
        let smallest = ends.into_iter().min_by_key(|input| magnitude(source, *input)).expect("two ends");
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let simplest = simplest_between(low, high);
        let seen = |input| Seen { input, got };
        if !matches!(situation.region, Region::Nan | Region::Infinity) {
            let largest = ends.into_iter().max_by_key(|input| magnitude(source, *input)).expect("two ends");
            let tail = Tail { end: Some(seen(largest)), other: None };
            self.tails[usize::from(situation.negative)].add(source, tail);
        }
        let key = (situation, set);
        // A cause that one result of the kind has ruled out need not be tried again.
        let possible = match &self.last {
            Some((last, cell)) if *last == key => cell.causes,
            _ => self.cells.get(&key).map_or(Causes::ALL, |cell| cell.causes),
        };
        let causes = possible.that_explain(&yardstick.places, place, inputs, got);
        let cell =
            Cell { count: run, smallest: seen(smallest), simplest: seen(simplest), alike: true, causes };
        match &mut self.last {
            Some((last, known)) if *last == key => known.add(source, &cell),
            _ => {
                self.flush(source);
                self.last = Some((key, cell));
            }
        }
    }

    fn flush(&mut self, source: Format) {
        if let Some((key, cell)) = self.last.take() {
            self.cells.entry(key).and_modify(|known| known.add(source, &cell)).or_insert(cell);
        }
    }

    /// Adds the results of another part.
    pub fn add(&mut self, source: Format, mut other: Tally) {
        self.flush(source);
        other.flush(source);
        for (key, cell) in other.cells {
            self.cells.entry(key).and_modify(|known| known.add(source, &cell)).or_insert(cell);
        }
        for (tail, other) in self.tails.iter_mut().zip(other.tails) {
            tail.add(source, other);
        }
        self.alive &= other.alive;
        self.inputs += other.inputs;
    }
}

/// The finite numbers of one sign above `other`, all of which have the result of the largest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The number of greatest magnitude. `None` without any number.
    pub end: Option<Seen>,
    /// The number of greatest magnitude with another result, if there is one.
    pub other: Option<u64>,
}

impl Tail {
    /// Adds other numbers.
    fn add(&mut self, source: Format, tail: Tail) {
        let (Some(own), Some(added)) = (self.end, tail.end) else {
            *self = if self.end.is_some() { *self } else { tail };
            return;
        };
        let size = |input: u64| magnitude(source, input);
        let (end, beaten) = if size(own.input) < size(added.input) { (added, own) } else { (own, added) };
        let differs = (beaten.got != end.got).then_some(beaten.input);
        // A result that differs from the other one may equal this one, but then the other result itself is larger.
        let others = [self.other, tail.other, differs].into_iter().flatten();
        *self = Tail { end: Some(end), other: others.max_by_key(|input| size(*input)) };
    }

    /// True if a number of the tail's sign is in it.
    pub fn has(&self, source: Format, input: u64) -> bool {
        self.other.is_none_or(|other| magnitude(source, input) > magnitude(source, other))
    }
}

impl Cell {
    /// Adds results of the same kind.
    pub fn add(&mut self, source: Format, other: &Cell) {
        self.count += other.count;
        self.alike &= other.alike && self.smallest.got == other.smallest.got;
        self.causes = self.causes.and(other.causes);
        if magnitude(source, other.smallest.input) < magnitude(source, self.smallest.input) {
            self.smallest = other.smallest;
        }
        if plainness(source, other.simplest.input) < plainness(source, self.simplest.input) {
            self.simplest = other.simplest;
        }
    }
}

/// The conversions of a set, with their numbers.
fn selected(set: u128, conversions: &[Conversion]) -> impl Iterator<Item = (usize, &Conversion)> {
    let mut set = set;
    std::iter::from_fn(move || {
        let n = set.trailing_zeros() as usize;
        if n >= conversions.len() {
            return None;
        }
        set &= set - 1;
        Some((n, &conversions[n]))
    })
}

/// The end of the run of places that are the same as at `from`. Places change monotonically.
pub fn gallop(from: usize, end: usize, same: impl Fn(usize) -> bool) -> usize {
    let (mut known, mut step) = (from, 1);
    while known + step < end && same(known + step) {
        known += step;
        step *= 2;
    }
    // The first that differs is after `known` and at most `beyond`.
    let mut beyond = (known + step).min(end);
    while beyond - known > 1 {
        let middle = known + (beyond - known) / 2;
        if same(middle) { known = middle } else { beyond = middle }
    }
    beyond
}

/// A number that orders codes by magnitude, positive numbers first.
pub fn magnitude(format: Format, code: u64) -> (u64, bool) {
    let negative = code & format.sign_bit() != 0;
    let unused = 64 - format.storage();
    let complement = matches!(format.parameters().kind, Kind::Integer { signed: true } | Kind::Fixed { .. });
    match complement {
        true => (((code << unused) as i64 >> unused).unsigned_abs(), negative),
        false => (code & !format.sign_bit(), negative),
    }
}

/// A number that is less for simpler numbers: few significant bits, an exponent near 0, positive, small. No two codes
/// have the same.
fn plainness(format: Format, code: u64) -> (u32, u64, bool, u64) {
    let (size, negative) = magnitude(format, code);
    let fraction = if format.is_integer() { 0 } else { format.fraction_bits() + format.low_padding() };
    let significant = match fraction {
        0 if size == 0 => 0,
        0 => 64 - size.leading_zeros() - size.trailing_zeros(),
        _ => fraction - (size | 1 << fraction).trailing_zeros().min(fraction),
    };
    let one = if format.is_integer() { 1 } else { format.one() };
    (significant, size.abs_diff(one), negative, size)
}

/// The code from `low` to `high` that ends with the most zero bits.
fn simplest_between(low: u64, high: u64) -> u64 {
    let differing = 64 - (low ^ high).leading_zeros();
    (0..=differing.min(63))
        .rev()
        .map(|zeros| (low.wrapping_add((1 << zeros) - 1)) >> zeros << zeros)
        .find(|code| (low..=high).contains(code))
        .expect("with no zero bits, the code is `low`")
}
