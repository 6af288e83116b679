//! Sentences that explain differences: they say what a codec does instead.
//!
//! A sentence holds for every difference of its class. "Some" says that other inputs of the same kind are right.

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Value};

use super::cause::{Cause, Causes};
use super::choice::{Choice, separate_sign};
use super::place::{Position, Region, Situation, Size};
use super::tally::{Cell, Tail, magnitude};
use super::verdict::{Class, value};

/// Results in one situation, with the set of choices that they equal.
pub type Results<'t> = (Situation, u128, &'t Cell);

/// The choices that are a zero.
const ZEROS: u128 = 1 << (Choice::PositiveZero as u32) | 1 << (Choice::NegativeZero as u32);

/// The results of a class, which a sentence describes.
pub struct Evidence<'t> {
    /// The class.
    pub class: Class,
    /// The source and the destination format.
    pub formats: (Format, Format),
    /// Results that differ.
    pub wrong: Vec<Results<'t>>,
    /// Results that would be of the class if they differed.
    pub right: Vec<Results<'t>>,
    /// The results of all classes, with true for each that differs.
    pub all: &'t [(bool, Results<'t>)],
    /// The large numbers that have equal results, positive and negative ones.
    pub tails: &'t [Tail; 2],
}

impl Evidence<'_> {
    /// The mistake behind the differences.
    pub fn sentence(&self) -> String {
        let destination = self.formats.1;
        if self.causes().has(Cause::Wide) {
            return format!("results have bits beyond the {} of a code", destination.storage());
        }
        match self.class {
            Class::Nan => {
                let (some, noun) = if self.some().is_empty() { ("", "NaN") } else { ("some ", "NaNs") };
                let sign = self.of_sign(" without a sign bit", " with the sign bit set");
                self.special(&format!("{some}{noun}{sign}"))
            }
            Class::Infinity => self.special(&format!("{}infinity", self.of_sign("positive ", "negative "))),
            Class::Overflow => self.special(&self.beyond()),
            Class::ZeroSign => self.zero_sign(),
            Class::Subnormal if self.wrong.iter().all(|(situation, ..)| situation.region == Region::Zero) => {
                self.special(&format!("{}zero", self.of_sign("positive ", "negative ")))
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
            Class::Ties => {
                self.widespread().unwrap_or_else(|| self.rounded("ties", "round to neither neighbour"))
            }
            Class::Rounding => self
                .widespread()
                .unwrap_or_else(|| self.rounded("numbers between two codes", "become neither of them")),
        }
    }

    /// A sentence that explains every difference.
    fn causes(&self) -> Causes {
        self.wrong.iter().fold(Causes::ALL, |causes, (_, _, cell)| causes.and(cell.causes))
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

    /// Correct results with the sign of a difference.
    fn also_right(&self) -> impl Iterator<Item = &Results<'_>> {
        let of_same_sign = |right: &&Results<'_>| {
            self.wrong.iter().any(|(situation, ..)| situation.negative == right.0.negative)
        };
        self.right.iter().filter(of_same_sign)
    }

    /// "some " if other inputs of the kind are right. Correct results for numbers that round to zero or to the largest
    /// number do not contradict a sentence about other small or large numbers.
    fn some(&self) -> &'static str {
        let zero = |set: u128| set & ZEROS != 0;
        let counts = |(right, set, _): &Results<'_>| match self.class {
            _ if self.wrong.iter().any(|(situation, ..)| situation == right) => true,
            Class::Subnormal => !zero(*set),
            Class::Overflow => matches!(right.position, Position::Above | Position::Near | Position::Beyond),
            _ => true,
        };
        if self.also_right().any(counts) { "some " } else { "" }
    }

    /// Numbers beyond the range.
    fn beyond(&self) -> String {
        let (some, destination) = (self.some(), self.formats.1);
        let is_signed = |sign: bool| self.wrong.iter().any(|(situation, ..)| situation.negative == sign);
        let largest = value(destination, destination.max_finite());
        let least = match destination.parameters().kind {
            // These kinds are compared by magnitude.
            Kind::Float { .. } | Kind::PowerOfTwo { .. } => format!("-{largest}"),
            _ => value(destination, destination.min_finite()),
        };
        match (is_signed(false), is_signed(true)) {
            (true, false) => format!("{some}numbers above {largest}"),
            (false, true) => format!("{some}numbers below {least}"),
            _ if least == format!("-{largest}") => format!("{some}numbers beyond {largest}"),
            _ => format!("{some}numbers outside {least} to {largest}"),
        }
    }

    fn zero_sign(&self) -> String {
        let negative = self.wrong.iter().all(|(situation, ..)| situation.negative);
        let positive = self.wrong.iter().all(|(situation, ..)| !situation.negative);
        let zeros = self.wrong.iter().all(|(situation, ..)| situation.region == Region::Zero);
        // A correct result for zero itself does not contradict a sentence about numbers that round to zero.
        let right = |(is_wrong, (situation, set, _)): &(bool, Results<'_>)| {
            !is_wrong
                && set & ZEROS != 0
                && situation.region == Region::Ordinary
                && situation.negative == negative
        };
        let some = if self.all.iter().any(right) { "some " } else { "" };
        match (zeros, negative, positive) {
            (true, true, _) => "-0 becomes +0".to_owned(),
            (true, _, true) => "+0 becomes -0".to_owned(),
            (false, true, _) => format!("{some}negative numbers that round to zero become +0"),
            (false, _, true) => format!("{some}positive numbers that round to zero become -0"),
            _ => "zeros have the wrong sign".to_owned(),
        }
    }

    /// Results that should be subnormal or zero; the least number of a format without zero.
    fn small(&self) -> String {
        let destination = self.formats.1;
        let sign = self.sign();
        if self.wrong.iter().any(|(situation, ..)| situation.region == Region::Least) {
            let least = value(destination, destination.min_positive());
            return self.special(&format!("{}{sign}numbers below {least}, the least number,", self.some()));
        }
        let tie = |(situation, ..): &Results<'_>| situation.position == Position::Tie;
        let what = if self.wrong.iter().all(tie) { "ties" } else { "results" };
        let below = value(destination, destination.min_normal());
        let name = |some: &str| format!("{some}{sign}{what} below {below}, the smallest normal number,");
        if let Some(mistake) = self.sign_mistake() {
            return format!("{} {mistake}", name(self.some()));
        }
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
                let known = self.rounded_twice(&name).or_else(|| self.other_exponent(&name));
                known.unwrap_or_else(|| format!("{name} are {otherwise}"))
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
        let neighbour = 1_u128 << (Choice::Floor as u32) | 1 << (Choice::Next as u32);
        match self.direction() {
            Some((some, WRONG_NEIGHBOUR)) => {
                let name = format!("{some}{sign}{name}");
                self.rounded_twice(&name).unwrap_or_else(|| format!("{name} round to the wrong neighbour"))
            }
            Some((some, direction)) => format!("{some}{sign}{name} round {direction}"),
            None if self.wrong.iter().all(|(_, set, _)| set & neighbour == 0) => {
                format!("{}{sign}{name} {neither}", self.some())
            }
            None => format!("{}{sign}{name} become wrong codes", self.some()),
        }
    }

    /// "NaN becomes …", by the choice that all results have in common, or their code.
    fn special(&self, name: &str) -> String {
        let destination = self.formats.1;
        let plural = name.contains("numbers") || name.contains("NaNs");
        let (becomes, stays) = if plural { ("become", "stay") } else { ("becomes", "stays") };
        let got = self.wrong[0].2.smallest.got;
        let alike = self.wrong.iter().all(|(_, _, cell)| cell.alike && cell.smallest.got == got);
        let sign = separate_sign(destination);
        let magnitude = got & !sign;
        let signed = |inverted: bool| {
            sign != 0
                && self.wrong.iter().all(|(situation, _, cell)| {
                    let own = if situation.negative != inverted { sign } else { 0 };
                    cell.alike && cell.smallest.got == magnitude | own
                })
        };
        let mirrored = signed(false);
        match self.common() {
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
            // Several codes are NaN.
            None if mirrored && destination.decode(magnitude).is_nan() => {
                let code = ptxcvt::literal::hex(magnitude, destination.storage());
                format!("{name} {becomes} NaN ({code}) with the source's sign")
            }
            None if mirrored => {
                format!("{name} {becomes} {} with the source's sign", value(destination, magnitude))
            }
            None if signed(true) => {
                format!("{name} {becomes} {} with the opposite sign", value(destination, magnitude))
            }
            None => format!("{name} {becomes} different codes"),
        }
    }

    /// The choice that explains all differences, other than a neighbour: at the end of the range, a neighbour is also
    /// another choice, such as the largest number.
    fn common(&self) -> Option<Choice> {
        let set = self.wrong.iter().fold(u128::MAX, |set, (_, these, _)| set & these);
        let named = |choice: &Choice| !matches!(choice, Choice::Floor | Choice::Next);
        Choice::ALL.iter().copied().filter(named).find(|choice| set >> (*choice as u32) & 1 != 0)
    }

    /// All of the differences are one of these choices.
    fn has(&self, bits: u128) -> bool {
        // The neighbour towards zero may be zero itself: that is rounding.
        self.wrong.iter().all(|(_, set, _)| set & bits != 0)
            && self.wrong.iter().any(|(situation, ..)| situation.size != Size::Zero)
    }

    /// The rounding direction of all inputs of this kind. If they disagree, the direction of the differences, prefixed
    /// by "some " unless only differing inputs are of this kind.
    fn direction(&self) -> Option<(&'static str, &'static str)> {
        // Ties are a separate kind.
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

    /// The explanation that the number was first rounded to a format in between, if that gives every result.
    fn rounded_twice(&self, name: &str) -> Option<String> {
        let between = self.causes().between().next()?;
        Some(format!("{name} are rounded twice, first to `{between}`"))
    }

    /// The explanation that the exponent or its bias is another, if that gives every result.
    fn other_exponent(&self, name: &str) -> Option<String> {
        let (causes, destination) = (self.causes(), self.formats.1);
        match () {
            () if causes.has(Cause::CarryLost) => Some(format!("{name} lose the carry into the exponent")),
            () if causes.has(Cause::Scaled(1)) => Some(format!("{name} are twice what they should be")),
            () if causes.has(Cause::Scaled(-1)) => Some(format!("{name} are half of what they should be")),
            () if causes.has(Cause::Fnuz) => Some(format!("{name} are codes of `{destination}fnuz`")),
            () => None,
        }
    }

    /// Mistakes that concern many numbers of the destination: "everything from 256 on becomes 448".
    fn widespread(&self) -> Option<String> {
        let sign = self.sign();
        if let Some(mistake) = self.sign_mistake() {
            return Some(format!("{}{sign}numbers {mistake}", self.some()));
        }
        let results = || format!("{}{sign}results", self.some());
        self.constant().or_else(|| self.collapsed()).or_else(|| self.other_exponent(&results()))
    }

    /// The sign of all differences, if it matters. Only negative numbers can lose their sign.
    fn sign(&self) -> &'static str {
        match self.causes().has(Cause::SignLost) {
            true => "negative ",
            false => self.of_sign("positive ", "negative "),
        }
    }

    /// What happens to the sign of each number, if the results are correct except for the sign.
    fn sign_mistake(&self) -> Option<&'static str> {
        let causes = self.causes();
        if causes.has(Cause::SignLost) {
            Some("lose their sign")
        } else if causes.has(Cause::SignInverted) {
            Some("get the opposite sign")
        } else {
            None
        }
    }

    /// "Every number becomes 0", or every number of one sign.
    fn constant(&self) -> Option<String> {
        let destination = self.formats.1;
        let code = self.wrong[0].2.smallest.got;
        let constant = |negative: bool| {
            let mut of_sign = self
                .all
                .iter()
                .filter(|(_, (situation, ..))| !matches!(situation.region, Region::Nan | Region::Infinity))
                .filter(|(_, (situation, ..))| situation.negative == negative);
            of_sign.all(|(_, (.., cell))| cell.alike && cell.smallest.got == code)
        };
        let concerned =
            |negative: bool| self.wrong.iter().all(|(situation, ..)| situation.negative == negative);
        let which = match (constant(false), constant(true)) {
            (true, true) => "number",
            (true, false) if concerned(false) => "positive number",
            (false, true) if concerned(true) => "negative number",
            _ => return None,
        };
        Some(format!("every {which} becomes {}", value(destination, code)))
    }

    /// "Everything from 256 on becomes 448".
    fn collapsed(&self) -> Option<String> {
        let concerned =
            |negative: bool| self.wrong.iter().any(|(situation, ..)| situation.negative == negative);
        let part = |negative| concerned(negative).then(|| self.collapsed_of(negative));
        match (part(false), part(true)) {
            (Some(part), None) => part.map(|(from, to)| format!("everything from {from} on becomes {to}")),
            (None, Some(part)) => part.map(|(from, to)| format!("everything from {from} down becomes {to}")),
            (Some(Some((from, to))), Some(Some((least, bottom)))) => {
                let mirrored = least == format!("-{from}") && bottom == format!("-{to}");
                let rest = match mirrored {
                    true => " with the source's sign".to_owned(),
                    false => format!(", and everything from {least} down becomes {bottom}"),
                };
                Some(format!("everything from {from} on becomes {to}{rest}"))
            }
            _ => None,
        }
    }

    /// The first number of a sign from which on all have one result, and that result. `None` if the differences of this
    /// sign include other numbers, or are no more than the rounding of numbers next to the largest one.
    fn collapsed_of(&self, negative: bool) -> Option<(String, String)> {
        let (source, destination) = self.formats;
        let tail = self.tails[usize::from(negative)];
        let end = tail.end?.got;
        let is_in = |(situation, _, cell): &Results<'_>| {
            situation.negative == negative
                && cell.alike
                && cell.smallest.got == end
                && tail.has(source, cell.smallest.input)
        };
        let of_sign = |(situation, ..): &&Results<'_>| situation.negative == negative;
        if !self.wrong.iter().filter(of_sign).all(is_in) {
            return None;
        }
        let all =
            self.all.iter().filter(|(is_wrong, result)| *is_wrong && is_in(result)).map(|(_, result)| result);
        let neighbour = 1_u128 << (Choice::Floor as u32) | 1 << (Choice::Next as u32);
        let is =
            |tie: bool| move |(situation, ..): &Results<'_>| (situation.position == Position::Tie) == tie;
        let rounded = all.clone().all(|(_, set, _)| set & neighbour != 0)
            && !(all.clone().any(is(true)) && all.clone().any(is(false)));
        if rounded {
            return None;
        }
        let first =
            all.map(|(.., cell)| cell.smallest.input).min_by_key(|input| magnitude(source, *input))?;
        // Start the range at the result if it is smaller than the first differing input: it is a rounder number.
        let begins = size(destination, end).zip(size(source, first)).is_some_and(|(end, first)| {
            let other = tail.other.map_or(Some(0.0), |other| size(source, other));
            end < first && other.is_some_and(|other| other < end)
        });
        let is_same_sign = (end & destination.sign_bit() != 0) == negative;
        let from = if begins && is_same_sign { value(destination, end) } else { value(source, first) };
        Some((from, value(destination, end)))
    }
}

/// The direction of results that are neighbours of the source but have no other direction in common.
const WRONG_NEIGHBOUR: &str = "to the wrong neighbour";

/// The magnitude of a number, for comparisons.
fn size(format: Format, code: u64) -> Option<f64> {
    format.decode(code).finite().map(|x| x.to_f64().abs())
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
