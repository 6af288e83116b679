//! Sentences that explain differences: what a codec does instead.
//!
//! A sentence holds for every difference of its class. "Some" says that other inputs of the same kind are right.

use std::collections::HashMap;

use ptxcvt::{Conversion, Format, Overflow, Value};

use super::choice::Choice;
use super::place::{Position, Region, Situation, Size};
use super::tally::{Cell, Seen};
use super::verdict::{Class, value};

/// Results in one situation, with the set of choices that they equal.
pub type Results<'t> = (Situation, u128, &'t Cell);

/// The choices that are a zero.
const ZEROS: u128 = 1 << (Choice::PositiveZero as u32) | 1 << (Choice::NegativeZero as u32);

/// The results of a class: what a sentence is about.
pub struct Evidence<'t> {
    /// The class.
    pub class: Class,
    /// The source and the destination format.
    pub formats: (Format, Format),
    /// Results that differ.
    pub wrong: Vec<Results<'t>>,
    /// Results that would be of the class if they differed.
    pub right: Vec<Results<'t>>,
    /// Results of numbers beyond the range.
    pub beyond: Vec<&'t Cell>,
    /// What the codec returned for numbers of the destination.
    pub at_codes: &'t HashMap<u64, Seen>,
}

impl Evidence<'_> {
    /// The mistake behind the differences.
    pub fn sentence(&self) -> String {
        let destination = self.formats.1;
        if self.wrong.iter().all(|(_, _, cell)| cell.smallest.got > u64::MAX >> (64 - destination.storage()))
        {
            return format!("results have bits beyond the {} of a code", destination.storage());
        }
        match self.class {
            Class::Nan => {
                self.special(&format!("NaN{}", self.of_sign(" without a sign bit", " with the sign bit set")))
            }
            Class::Infinity => self.special(&format!("{}infinity", self.of_sign("positive ", "negative "))),
            Class::Overflow => self.special(&self.beyond()),
            Class::ZeroSign => self.zero_sign().to_owned(),
            Class::Subnormal if self.wrong.iter().all(|(situation, ..)| situation.region == Region::Zero) => {
                self.special("zero")
            }
            Class::Subnormal => self.small(),
            Class::Exact => self.widespread().unwrap_or_else(|| {
                let name = format!(
                    "{}{}numbers that the format has",
                    self.some(),
                    self.of_sign("positive ", "negative ")
                );
                match self.common() {
                    Some(Choice::PositiveZero | Choice::NegativeZero) => format!("{name} become zero"),
                    Some(choice) => format!("{name} become {}", choice.describe()),
                    None => format!("{name} become others"),
                }
            }),
            Class::Ties => self.widespread().unwrap_or_else(|| self.rounded("ties", "neither neighbour")),
            Class::Rounding => self
                .widespread()
                .unwrap_or_else(|| self.rounded("numbers between two codes", "neither of them")),
        }
    }

    /// A word for the sign of the differences if all have the same and results of the other one are right.
    fn of_sign<'w>(&self, positive: &'w str, negative: &'w str) -> &'w str {
        let one = |negative: bool| {
            let has = |results: &[Results<'_>]| {
                results.iter().any(|(situation, ..)| situation.negative == negative)
            };
            (has(&self.wrong), has(&self.right))
        };
        match (one(false), one(true)) {
            ((true, _), (false, true)) => positive,
            ((false, _), (true, _)) => negative,
            _ => "",
        }
    }

    /// Right results whose sign a difference has.
    fn also_right(&self) -> impl Iterator<Item = &Results<'_>> {
        let of_same_sign = |right: &&Results<'_>| {
            self.wrong.iter().any(|(situation, ..)| situation.negative == right.0.negative)
        };
        self.right.iter().filter(of_same_sign)
    }

    /// "some " if other inputs of the kind are right. Numbers that round to zero or to the largest number are no exception
    /// to what happens to other small and large ones.
    fn some(&self) -> &'static str {
        let zero = |set: u128| set & ZEROS != 0;
        let to_zero = self.wrong.iter().all(|(_, set, _)| zero(*set));
        let counts = |(right, set, _): &Results<'_>| match self.class {
            _ if self.wrong.iter().any(|(situation, ..)| situation == right) => true,
            Class::Subnormal => to_zero && !zero(*set),
            Class::Overflow => matches!(right.position, Position::Above | Position::Near | Position::Beyond),
            _ => true,
        };
        if self.also_right().any(counts) { "some " } else { "" }
    }

    /// Numbers beyond the range.
    fn beyond(&self) -> String {
        let (some, destination) = (self.some(), self.formats.1);
        let is_signed = |sign: bool| self.wrong.iter().any(|(situation, ..)| situation.negative == sign);
        match (is_signed(false), is_signed(true)) {
            (true, false) => format!("{some}numbers above {}", value(destination, destination.max_finite())),
            (false, true) => format!("{some}numbers below {}", value(destination, destination.min_finite())),
            _ => format!("{some}numbers beyond {}", value(destination, destination.max_finite())),
        }
    }

    fn zero_sign(&self) -> &'static str {
        let negative = self.wrong.iter().all(|(situation, ..)| situation.negative);
        let positive = self.wrong.iter().all(|(situation, ..)| !situation.negative);
        let zeros = self.wrong.iter().all(|(situation, ..)| situation.region == Region::Zero);
        match (zeros, negative, positive) {
            (true, true, _) => "-0 becomes +0",
            (true, _, true) => "+0 becomes -0",
            (false, true, _) => "negative numbers that round to zero become +0",
            (false, _, true) => "positive numbers that round to zero become -0",
            _ => "zeros have the wrong sign",
        }
    }

    /// Results that should be subnormal or zero; the least number of a format without zero.
    fn small(&self) -> String {
        let destination = self.formats.1;
        let sign = self.of_sign("positive ", "negative ");
        if self.wrong.iter().any(|(situation, ..)| situation.region == Region::Least) {
            let least = value(destination, destination.min_positive());
            return self.special(&format!("{}{sign}numbers below {least}, the least number,", self.some()));
        }
        let tie = |(situation, ..): &Results<'_>| situation.position == Position::Tie;
        let what = if self.wrong.iter().all(tie) { "ties" } else { "results" };
        let below = value(destination, destination.min_normal());
        let name = |some: &str| format!("{some}{sign}{what} below {below}, the smallest normal number,");
        let is = |set: u128, choice: Choice| set >> (choice as u32) & 1 != 0;
        let kept = self.wrong.iter().all(|(_, set, _)| is(*set, Choice::Floor) || is(*set, Choice::Next));
        let exact = |(situation, ..): &Results<'_>| situation.position == Position::Exact;
        if self.has(ZEROS) {
            format!("{} become zero", name(self.some()))
        } else if kept && self.wrong.iter().any(exact) {
            format!("{} are kept", name(self.some()))
        } else {
            let twice = |otherwise: &str| {
                let name = name(self.some());
                self.rounded_twice(&name).unwrap_or_else(|| format!("{name} are {otherwise}"))
            };
            match self.direction() {
                Some((_, direction @ WRONG_NEIGHBOUR)) => twice(&format!("rounded {direction}")),
                Some((some, direction)) => format!("{} are rounded {direction}", name(some)),
                None => twice("wrong"),
            }
        }
    }

    /// "Ties round towards zero", or in another direction, or in none.
    fn rounded(&self, name: &str, neither: &str) -> String {
        let sign = self.of_sign("positive ", "negative ");
        let verb = if name == "ties" { "round to" } else { "become" };
        match self.direction() {
            Some((some, WRONG_NEIGHBOUR)) => {
                let name = format!("{some}{sign}{name}");
                self.rounded_twice(&name).unwrap_or_else(|| format!("{name} round to the wrong neighbour"))
            }
            Some((some, direction)) => format!("{some}{sign}{name} round {direction}"),
            None => format!("{}{sign}{name} {verb} {neither}", self.some()),
        }
    }

    /// "NaN becomes …", by the choice that all results have in common, or their code.
    fn special(&self, name: &str) -> String {
        let destination = self.formats.1;
        let plural = name.contains("numbers");
        let (becomes, stays) = if plural { ("become", "stay") } else { ("becomes", "stays") };
        let got = self.wrong[0].2.smallest.got;
        let alike = self.wrong.iter().all(|(_, _, cell)| cell.alike && cell.smallest.got == got);
        let magnitude = got & !destination.sign_bit();
        let mirrored = destination.is_signed()
            && !destination.is_integer()
            && self.wrong.iter().all(|(situation, _, cell)| {
                let sign = if situation.negative { destination.sign_bit() } else { 0 };
                cell.alike && cell.smallest.got == magnitude | sign
            });
        match self.common() {
            Some(Choice::Floor) if plural => format!("{name} become the largest number"),
            // A format without zero has its least number in its place.
            Some(Choice::PositiveZero) if !matches!(destination.decode(0), Value::Finite(x) if x.is_zero()) =>
            {
                format!("{name} {becomes} the least number")
            }
            Some(choice) if name.ends_with(choice.describe()) => {
                format!("{name} {stays} {}", choice.describe())
            }
            Some(choice) => format!("{name} {becomes} {}", choice.describe()),
            None if alike => {
                let code = ptxcvt::literal::hex(got, destination.storage());
                format!("{name} {becomes} {} ({code})", value(destination, got))
            }
            None if mirrored => {
                format!("{name} {becomes} {} with the source's sign", value(destination, magnitude))
            }
            None => format!("{name} {becomes} different codes"),
        }
    }

    /// The choice that all of the differences are.
    fn common(&self) -> Option<Choice> {
        let set = self.wrong.iter().fold(u128::MAX, |set, (_, these, _)| set & these);
        Choice::ALL.iter().copied().find(|choice| set >> (*choice as u32) & 1 != 0)
    }

    /// All of the differences are one of these choices.
    fn has(&self, bits: u128) -> bool {
        // The neighbour towards zero may be zero itself: that is rounding.
        self.wrong.iter().all(|(_, set, _)| set & bits != 0)
            && self.wrong.iter().any(|(situation, ..)| situation.size != Size::Zero)
    }

    /// The direction in which all inputs of the kind were rounded; else, with "some " unless the kind is that of the
    /// differences alone, the direction of the differences.
    fn direction(&self) -> Option<(&'static str, &'static str)> {
        // Ties are a kind of their own.
        let ties = self.wrong.iter().all(|(situation, ..)| situation.position == Position::Tie);
        let between = |(situation, ..): &&Results<'_>| match situation.position {
            Position::Exact => false,
            position => !ties || position == Position::Tie,
        };
        let right: Vec<Results<'_>> = self.also_right().filter(between).copied().collect();
        let all: Vec<Results<'_>> = right.iter().chain(&self.wrong).copied().collect();
        match direction(&all) {
            Some(WRONG_NEIGHBOUR) | None => {
                let some = if right.is_empty() { "" } else { "some " };
                direction(&self.wrong).map(|name| (some, name))
            }
            Some(name) => Some(("", name)),
        }
    }

    /// The explanation that the number was first rounded to a format in between, if that gives every example.
    fn rounded_twice(&self, name: &str) -> Option<String> {
        let (source, destination) = self.formats;
        let between = [Format::F32, Format::F16, Format::Bf16].into_iter().find(|between| {
            let second = Conversion::new(*between, destination).overflow(Overflow::Saturate);
            let fits = between.bits() < source.bits() && between.bits() > destination.bits();
            let explains =
                |seen: Seen| second.eval(Conversion::new(source, *between).eval(seen.input)) == seen.got;
            fits && self.wrong.iter().all(|(_, _, cell)| explains(cell.smallest) && explains(cell.simplest))
        })?;
        Some(format!("{name} are rounded twice, first to `{between}`"))
    }

    /// Mistakes that concern many numbers of the destination: "everything from 256 on becomes 448".
    fn widespread(&self) -> Option<String> {
        let (source, destination) = self.formats;
        let largest = destination.max_finite();
        let unit = 1 << destination.low_padding();
        let at = |code: u64| self.at_codes.get(&code).map(|seen| seen.got);
        let negative = destination.sign_bit();
        if destination.is_signed()
            && negative != 0
            && self.wrong.iter().all(|(situation, ..)| situation.negative)
        {
            let codes = || self.at_codes.keys().filter(|code| **code & negative != 0 && **code != negative);
            let lost = |code: &&u64| at(**code) == Some(**code & !negative);
            if codes().count() > 0 && codes().all(|code| lost(&code)) {
                return Some("negative numbers lose their sign".to_owned());
            }
        }
        let end = at(largest)?;
        let becomes = |sign: u64| {
            self.wrong.iter().all(|(situation, _, cell)| {
                cell.alike && cell.smallest.got == end | if situation.negative { sign } else { 0 }
            })
        };
        let mut from = largest;
        while from >= unit && at(from - unit) == Some(end) {
            from -= unit;
        }
        if from <= unit && becomes(0) {
            return Some(format!("every number becomes {}", value(destination, end)));
        }
        // All differences are beyond the last number that is not concerned.
        let before = size(destination, from.checked_sub(unit)?)?;
        let beyond = |seen: Seen| size(source, seen.input).is_some_and(|input| input > before);
        let explains = from < largest
            && becomes(negative)
            && self.beyond.iter().all(|cell| cell.alike && cell.smallest.got & !negative == end)
            && self.wrong.iter().all(|(_, _, cell)| beyond(cell.smallest));
        explains.then(|| {
            format!("everything from {} on becomes {}", value(destination, from), value(destination, end))
        })
    }
}

/// The direction of results that are neighbours of the source but have no other direction in common.
const WRONG_NEIGHBOUR: &str = "to the wrong neighbour";

/// The magnitude of a number, for comparisons.
fn size(format: Format, code: u64) -> Option<f64> {
    match format.decode(code) {
        Value::Finite(x) => Some(x.to_f64().abs()),
        Value::Infinity { .. } | Value::Nan { .. } => None,
    }
}

/// The direction in which all of these results were rounded.
fn direction(results: &[Results<'_>]) -> Option<&'static str> {
    let is = |set: u128, choice: Choice| set >> (choice as u32) & 1 != 0;
    let all = |test: &dyn Fn(&Situation, bool) -> bool| {
        results.iter().all(|(situation, set, _)| {
            is(*set, Choice::Next) && test(situation, true)
                || is(*set, Choice::Floor) && test(situation, false)
        })
    };
    let tie = |situation: &Situation| situation.position == Position::Tie;
    [
        ("towards zero", all(&|_, away| !away)),
        ("away from zero", all(&|_, away| away)),
        ("up", all(&|situation, away| away != situation.negative)),
        ("down", all(&|situation, away| away == situation.negative)),
        ("to odd", all(&|situation, away| tie(situation) && away != situation.odd)),
        ("to even", all(&|situation, away| tie(situation) && away == situation.odd)),
        (WRONG_NEIGHBOUR, all(&|_, _| true)),
    ]
    .into_iter()
    .find_map(|(name, found)| found.then_some(name))
}
