//! Sentences that explain differences: what a codec does instead.

use std::collections::HashMap;

use ptxcvt::Format;

use super::choice::Choice;
use super::place::{Position, Region, Situation, Size};
use super::tally::{Cell, Seen};
use super::verdict::{Class, value};

/// Results that differ in one situation, with the set of choices that they equal.
pub type Wrong<'t> = (Situation, u128, &'t Cell);

/// The mistake behind the differences of a class. `whole` says that every input of these situations differs.
pub fn sentence(class: Class, wrong: &[Wrong<'_>], whole: bool, destination: Format) -> String {
    let chosen = common(wrong);
    let some = if whole { "" } else { "some " };
    match class {
        Class::Nan if wrong.iter().all(|(situation, ..)| situation.negative) => {
            special("NaN with the sign bit set", wrong, chosen, destination)
        }
        Class::Nan => special("NaN", wrong, chosen, destination),
        Class::Infinity => {
            let signs = wrong.iter().fold([false; 2], |mut signs, (situation, ..)| {
                signs[usize::from(situation.negative)] = true;
                signs
            });
            let name = match signs {
                [true, false] => "positive infinity",
                [false, true] => "negative infinity",
                _ => "infinity",
            };
            special(name, wrong, chosen, destination)
        }
        Class::Overflow => {
            let end = value(destination, destination.max_finite());
            let signs: Vec<bool> = wrong.iter().map(|(situation, ..)| situation.negative).collect();
            let name = match (signs.contains(&false), signs.contains(&true)) {
                (true, false) => format!("{some}numbers above {end}"),
                (false, true) => {
                    format!("{some}numbers below {}", value(destination, destination.min_finite()))
                }
                _ => format!("{some}numbers beyond {end}"),
            };
            special(&name, wrong, chosen, destination)
        }
        Class::ZeroSign => {
            let negative = wrong.iter().all(|(situation, ..)| situation.negative);
            let positive = wrong.iter().all(|(situation, ..)| !situation.negative);
            let zeros = wrong.iter().all(|(situation, ..)| situation.region == Region::Zero);
            match (zeros, negative, positive) {
                (true, true, _) => "-0 becomes +0".to_owned(),
                (true, _, true) => "+0 becomes -0".to_owned(),
                (false, true, _) => "negative numbers that round to zero become +0".to_owned(),
                (false, _, true) => "positive numbers that round to zero become -0".to_owned(),
                _ => "zeros have the wrong sign".to_owned(),
            }
        }
        Class::Subnormal if wrong.iter().all(|(situation, ..)| situation.region == Region::Zero) => {
            special("zero", wrong, chosen, destination)
        }
        Class::Subnormal => {
            let least = value(destination, destination.min_normal());
            match direction(wrong) {
                _ if has(wrong, Choice::PositiveZero, Choice::NegativeZero) => {
                    format!("{some}results below {least}, the smallest normal number, become zero")
                }
                Some(direction) => format!(
                    "{some}results below {least}, the smallest normal number, are rounded {direction}"
                ),
                None => format!("{some}results below {least}, the smallest normal number, are wrong"),
            }
        }
        Class::Exact => match chosen {
            Some(Choice::PositiveZero | Choice::NegativeZero) => {
                format!("{some}numbers that the format has become zero")
            }
            Some(choice) => format!("{some}numbers that the format has become {}", choice.describe()),
            None => format!("{some}numbers that the format has become others"),
        },
        Class::Ties => match direction(wrong) {
            Some(direction) => format!("{some}ties round {direction}"),
            None => format!("{some}ties round to neither neighbour"),
        },
        Class::Rounding => match direction(wrong) {
            Some(direction) => format!("{some}numbers between two codes round {direction}"),
            None => format!("{some}numbers between two codes become neither of them"),
        },
    }
}

/// "NaN becomes …", by the choice that all results have in common, or their code.
fn special(name: &str, wrong: &[Wrong<'_>], chosen: Option<Choice>, destination: Format) -> String {
    let plural = name.contains("numbers");
    let becomes = if plural { "become" } else { "becomes" };
    let got = wrong[0].2.smallest.got;
    let alike = wrong.iter().all(|(_, _, cell)| cell.alike && cell.smallest.got == got);
    match chosen {
        Some(Choice::Floor) if plural => format!("{name} become the largest number"),
        Some(choice) => format!("{name} {becomes} {}", choice.describe()),
        None if alike => {
            let code = ptxcvt::literal::hex(got, destination.storage());
            format!("{name} {becomes} {} ({code})", value(destination, got))
        }
        None => format!("{name} {becomes} different codes"),
    }
}

/// The choice that all of these results are.
fn common(wrong: &[Wrong<'_>]) -> Option<Choice> {
    let set = wrong.iter().fold(u128::MAX, |set, (_, these, _)| set & these);
    Choice::ALL.iter().copied().find(|choice| set >> (*choice as u32) & 1 != 0)
}

/// All of these results are one of two choices.
fn has(wrong: &[Wrong<'_>], one: Choice, other: Choice) -> bool {
    let bits = 1 << (one as u32) | 1 << (other as u32);
    // The neighbour towards zero may be zero itself: that is rounding.
    wrong.iter().all(|(_, set, _)| set & bits != 0)
        && wrong.iter().any(|(situation, ..)| situation.size != Size::Zero)
}

/// The direction in which all of these results were rounded.
fn direction(wrong: &[Wrong<'_>]) -> Option<&'static str> {
    let is = |set: u128, choice: Choice| set >> (choice as u32) & 1 != 0;
    let all = |test: &dyn Fn(&Situation, bool) -> bool| {
        wrong.iter().all(|(situation, set, _)| {
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
        ("to the wrong neighbour", all(&|_, _| true)),
    ]
    .into_iter()
    .find_map(|(name, found)| found.then_some(name))
}

/// Mistakes that concern many numbers of the destination: "everything from 256 on becomes 448". The results for numbers
/// of the destination are ordered by their code.
pub fn collapse(at_codes: &HashMap<u64, Seen>, destination: Format) -> Option<String> {
    let largest = destination.max_finite();
    let unit = 1 << destination.low_padding();
    let at = |code: u64| at_codes.get(&code).map(|seen| seen.got);
    let end = at(largest)?;
    let negative = destination.sign_bit();
    if destination.is_signed() && negative != 0 {
        let codes = || at_codes.keys().filter(|code| **code & negative != 0 && **code != negative);
        let lost = |code: &&u64| at(**code) == Some(**code & !negative);
        if codes().count() > 0 && codes().all(|code| lost(&code)) {
            return Some("negative numbers lose their sign".to_owned());
        }
    }
    let mut from = largest;
    while from >= unit && at(from - unit) == Some(end) {
        from -= unit;
    }
    if from == unit {
        return Some(format!("every number becomes {}", value(destination, end)));
    }
    (from < largest).then(|| {
        format!("everything from {} on becomes {}", value(destination, from), value(destination, end))
    })
}
