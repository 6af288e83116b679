//! The outcomes of conditions and of look-ups, one combination after another. Conditions with the same text have the
//! same outcome, and two different values of one name exclude each other.

use super::names::{Here, Names, Step};

/// No more combinations than this are followed.
const MAX_COMBINATIONS: usize = 256;

/// The cause of a value that later assignments might have overwritten, and did not.
pub(super) const KEPT: &str = "kept";

/// One combination of outcomes.
#[derive(Default)]
pub(super) struct World {
    /// For each choice that was made: which alternative, of how many.
    choices: Vec<(usize, usize)>,
    made: usize,
    /// How many combinations came before.
    tried: usize,
    /// Conditions and their outcomes.
    facts: Vec<(String, bool)>,
    /// Look-ups and the keys that were chosen.
    keys: Vec<(String, String)>,
    /// What was picked, by what asked.
    picked: Vec<(String, usize)>,
    /// The causes of choices: conditionals, blocks and expressions that do not depend on each other.
    sources: Vec<String>,
    /// The program does not arrive at the place.
    ended: bool,
}

impl World {
    /// Calls `each` in every combination of outcomes that are possible at a place. False if there are too many.
    pub fn each(names: &Names<'_>, here: &Here, mut each: impl FnMut(&mut World)) -> bool {
        let mut world = World::default();
        loop {
            world.begin(names, here);
            each(&mut world);
            world.choices.truncate(world.made);
            while let Some((chosen, count)) = world.choices.pop() {
                if chosen + 1 < count {
                    world.choices.push((chosen + 1, count));
                    break;
                }
            }
            world.tried += 1;
            if world.choices.is_empty() {
                return true;
            }
            if world.tried >= MAX_COMBINATIONS {
                return false;
            }
        }
    }

    /// True if this combination depends on two choices or more, which may exclude each other in ways that are not
    /// known.
    pub fn is_doubtful(&self) -> bool {
        self.sources.len() > 1
    }

    /// The outcomes that the blocks around a place imply.
    fn begin(&mut self, names: &Names<'_>, here: &Here) {
        self.made = 0;
        self.facts.clear();
        self.keys.clear();
        self.picked.clear();
        self.sources.clear();
        self.ended = false;
        for implied in names.implied(here) {
            let (atom, holds) = atom(&names.at(implied.condition, implied.before));
            self.facts.push((atom, holds == implied.outcome));
        }
        for step in &here.path {
            let Step::Branch(number, branch) = step else { continue };
            let conditional = names.conditional(*number);
            self.facts.push((format!("conditional {number}"), true));
            self.keys.push((format!("conditional {number}"), branch.to_string()));
            for (at, condition) in conditional.branches.iter().take(branch + 1).enumerate() {
                if let (Some(condition), false) = (condition, conditional.opaque) {
                    let (atom, holds) = atom(&names.at(condition, conditional.before));
                    self.facts.push((atom, holds == (at == *branch)));
                }
            }
        }
    }

    /// The branch that a conditional takes; `None` if it takes none.
    pub fn branch(&mut self, names: &Names<'_>, number: usize) -> Option<usize> {
        let name = format!("conditional {number}");
        if let Some((_, branch)) = self.keys.iter().find(|(key, _)| *key == name) {
            return branch.parse().ok();
        }
        let conditional = names.conditional(number);
        let mut found = None;
        if conditional.opaque {
            // None of the patterns may fit.
            let all = conditional.branches.iter().any(|pattern| pattern.is_some_and(|text| text == "_"));
            let chosen = self.choose(conditional.branches.len() + usize::from(!all), |_| &name);
            found = (chosen < conditional.branches.len()).then_some(chosen);
        } else {
            for (at, condition) in conditional.branches.iter().enumerate() {
                let holds = |condition: &str| self.holds(&names.at(condition, conditional.before), &name);
                if condition.is_none_or(holds) {
                    found = Some(at);
                    break;
                }
            }
        }
        let branch = found.map_or("none".to_owned(), |branch| branch.to_string());
        self.keys.push((name, branch));
        found
    }

    /// Whether a condition holds. `source` is what asks.
    pub fn holds(&mut self, condition: &str, source: &str) -> bool {
        let (atom, holds) = atom(condition);
        if let Some(outcome) = constant(&atom) {
            return outcome == holds;
        }
        if let Some((_, outcome)) = self.facts.iter().find(|(known, _)| *known == atom) {
            return *outcome == holds;
        }
        // Another value of the same name holds already.
        let excluded = comparison(&atom).is_some_and(|(subject, value)| {
            let other = |(known, outcome): &(String, bool)| {
                *outcome && comparison(known).is_some_and(|(s, v)| s == subject && v != value)
            };
            let chosen = |(key, chosen): &(String, String)| key == subject && chosen != value;
            self.facts.iter().any(other) || self.keys.iter().any(chosen)
        });
        let chosen = comparison(&atom).is_some_and(|(subject, value)| {
            self.keys.iter().any(|(key, chosen)| key == subject && chosen == value)
        });
        let outcome = !excluded && (chosen || self.choose(2, |_| source) == 0);
        self.facts.push((atom, outcome));
        outcome == holds
    }

    /// The key that a look-up finds, of those that there are.
    pub fn key<'k>(&mut self, looked_up: &str, keys: &[&'k str], at: usize) -> Option<&'k str> {
        if let Some(known) = keys.iter().find(|key| **key == looked_up) {
            return Some(*known);
        }
        if is_literal(looked_up) {
            return None;
        }
        if let Some((_, chosen)) = self.keys.iter().find(|(name, _)| name == looked_up) {
            return keys.iter().copied().find(|key| key == chosen);
        }
        let chosen = self.one_of(looked_up, keys, &format!("key {at}"))?;
        self.keys.push((looked_up.to_owned(), keys[chosen].to_owned()));
        Some(keys[chosen])
    }

    /// The number of the value that a name has, of those that it may have by what is known of it.
    pub fn one_of(&mut self, name: &str, values: &[&str], source: &str) -> Option<usize> {
        let said = |value: &str, outcome: bool| {
            self.facts.iter().any(|(atom, holds)| {
                *holds == outcome
                    && comparison(atom).is_some_and(|(s, v)| s == name && unquoted(v) == unquoted(value))
            })
        };
        let numbers = 0..values.len();
        let possible: Vec<usize> = match numbers.clone().find(|number| said(values[*number], true)) {
            Some(known) => vec![known],
            None => numbers.filter(|number| !said(values[*number], false)).collect(),
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@');
        let mentions = |atom: &str| atom.split(|c| !is_part(c)).any(|word| word == name);
        let other = |(atom, _): &(String, bool)| {
            mentions(atom) && comparison(atom).is_none_or(|(subject, _)| subject != name)
        };
        if self.facts.iter().any(other) {
            // A condition that is not followed may exclude some values.
            self.sources.push(format!("condition on {name}"));
        }
        if possible.is_empty() {
            return None;
        }
        Some(possible[self.pick(source, possible.len(), |_| source)])
    }

    /// The alternative of `count` that this combination has. Whoever asks again gets the same one. `source` is the cause of
    /// an alternative.
    pub fn pick<'t>(&mut self, event: &str, count: usize, source: impl Fn(usize) -> &'t str) -> usize {
        if let Some((_, picked)) = self.picked.iter().find(|(known, _)| known == event) {
            return *picked;
        }
        let chosen = self.choose(count, source);
        self.picked.push((event.to_owned(), chosen));
        chosen
    }

    /// The program ends before the place in this combination.
    pub fn ends(&mut self) {
        self.ended = true;
    }

    /// True if the program does not arrive at the place in this combination.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The alternative that this combination has, of `count`.
    fn choose<'t>(&mut self, count: usize, source: impl Fn(usize) -> &'t str) -> usize {
        if count < 2 {
            return 0;
        }
        if self.made == self.choices.len() {
            self.choices.push((0, count));
        }
        let (chosen, _) = self.choices[self.made];
        self.made += 1;
        let source = source(chosen);
        if !self.sources.iter().any(|known| known == source) {
            self.sources.push(source.to_owned());
        }
        chosen
    }
}

/// A condition without `not`, and the outcome that makes it hold.
fn atom(condition: &str) -> (String, bool) {
    let text = condition.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = text.as_str();
    let mut holds = true;
    while let Some(rest) = text.strip_prefix("not ") {
        (text, holds) = (rest.trim(), !holds);
    }
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        if inner.contains(['(', ')']) {
            break;
        }
        text = inner.trim();
    }
    for (negated, plain) in [(" is not ", " is "), (" != ", " == "), (" not in ", " in ")] {
        if text.matches(negated).count() == 1 && !text.contains(" and ") && !text.contains(" or ") {
            return (text.replacen(negated, plain, 1), !holds);
        }
    }
    (text.to_owned(), holds)
}

/// The outcome of a condition that is always the same.
fn constant(atom: &str) -> Option<bool> {
    match atom {
        "True" => Some(true),
        // Only the checkers of types take it for true.
        "False" | "None" | "TYPE_CHECKING" | "typing.TYPE_CHECKING" => Some(false),
        _ => atom.parse::<u64>().ok().map(|number| number != 0),
    }
}

/// The sides of `a == b` or `a is b`.
fn comparison(atom: &str) -> Option<(&str, &str)> {
    if atom.contains(" and ") || atom.contains(" or ") {
        return None;
    }
    atom.split_once(" == ").or_else(|| atom.split_once(" is ")).map(|(a, b)| (a.trim(), b.trim()))
}

/// A literal's text without its quotes.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

fn is_literal(key: &str) -> bool {
    key.starts_with(['"', '\'']) || key.bytes().all(|b| b.is_ascii_digit())
}
