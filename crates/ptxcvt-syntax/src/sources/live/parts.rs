//! The functions of a C++ file that can be read alone, and the findings after an edit of one of them.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::super::assembly::Kind;
use super::super::cpp::read_within;
use super::super::declared::Declarations;
use super::super::facts::{Facts, Part};
use super::super::functions::{closes_groups, functions};
use super::super::guard::Declared;
use super::super::judge::Judge;
use super::super::replacement::replaced;
use super::super::scan::Scanner;
use super::moved::{Moved, places};
use crate::check::CheckOptions;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The functions of a file that can be read alone.
#[derive(Debug)]
pub(super) struct Parts {
    facts: Facts,
    /// In the order of the text.
    all: Vec<Part>,
    /// Texts that the program replaces in other texts.
    replaced: Vec<String>,
}

impl Parts {
    /// The parts of a file. `None` if no function can be read alone.
    pub fn of(text: &str, facts: Facts) -> Option<Parts> {
        // An operand with the constraint `C` names an array, which may be in any function.
        let takes_text =
            |(at, operand): (usize, &str)| text[at + operand.len()..].trim_start().starts_with('(');
        if text.match_indices("\"C\"").any(takes_text) {
            return None;
        }
        let (mut all, mut from) = (Vec::new(), 0);
        for function in functions(text, 0).all {
            let part = facts.part(text, &function).filter(|part| facts.keeps(&part.range));
            // An unclosed bracket may end in any other function.
            let is_closed = part.is_some() || closes_groups(&text[function.head..function.body.end]);
            if !is_closed || !closes_groups(&text[from..function.head]) {
                return None;
            }
            from = function.body.end;
            all.extend(part);
        }
        Some(Parts { facts, all, replaced: replaced(text) })
    }

    /// The parts after an edit, the number of the edited part, and how places move. `None` if the edit is not inside
    /// one part, or may change how another part is read.
    pub fn changed(mut self, text: &str, range: &Range<usize>, new: &str) -> Option<(Parts, usize, Moved)> {
        let number = self.all.partition_point(|part| part.range.end <= range.end);
        let part = self.all.get(number).filter(|part| part.range.start < range.start)?;
        let old = &text[part.range.clone()];
        let own = |at: usize| at - part.range.start;
        let mut edited = old.to_owned();
        edited.replace_range(own(range.start)..own(range.end), new);
        let functions = functions(&edited, 0);
        let [one] = &functions.all[..] else { return None };
        let is_one = functions.is_whole && one.head == 0 && one.body.end == edited.len();
        let after = self.facts.part(&edited, one).filter(|_| is_one && !edited.contains("\"C\""))?;
        let names =
            self.names(text, number, &self.facts.declarations(old), &self.facts.declarations(&edited))?;
        let moved = Moved { end: part.range.end, longer: edited.len() as isize - old.len() as isize };
        let start = part.range.start;
        for later in &mut self.all[number + 1..] {
            later.range = moved.place(later.range.start)..moved.place(later.range.end);
            later.body = moved.place(later.body);
        }
        self.all[number] = Part { range: start..start + edited.len(), body: start + after.body, ..after };
        self.facts.names = names;
        Some((self, number, moved))
    }

    /// The file's declared names after an edit. `None` if the edit may change the meaning of a name that another part
    /// uses.
    fn names(
        &self,
        text: &str,
        number: usize,
        old: &Declarations,
        new: &Declarations,
    ) -> Option<Rc<Declared>> {
        let is_followed = |name: &String| self.facts.followed.contains(name);
        let changed = old.changed.symmetric_difference(&new.changed);
        if old.dependent != new.dependent || old.followed != new.followed || { changed }.any(is_followed) {
            return None;
        }
        let mut names = self.facts.names.clone();
        for sets in SETS {
            let (before, after) = (sets.0(&old.names), sets.0(&new.names));
            for name in before.symmetric_difference(after) {
                match self.others_declare(text, number, name, sets.0)? {
                    true if !sets.0(&names).contains(name) => return None,
                    true => {}
                    false => {
                        let set = sets.1(Rc::make_mut(&mut names));
                        let is_declared = after.contains(name);
                        let _ = if is_declared { set.insert(name.clone()) } else { set.remove(name) };
                    }
                }
            }
        }
        Some(names)
    }

    /// `Some(true)` if another part declares the name, `Some(false)` if no other part uses it, `None` if neither is
    /// certain.
    fn others_declare(&self, text: &str, number: usize, name: &str, set: Set) -> Option<bool> {
        /// Limit on the parts that are searched for a declaration.
        const MAX_PARTS: usize = 16;
        let is_word = |at: Option<&u8>| at.is_some_and(|byte| Scanner::is_word(*byte));
        let bytes = text.as_bytes();
        let (mut is_used, mut last, mut read) = (false, number, 0);
        for (at, _) in text.match_indices(name) {
            if is_word(at.checked_sub(1).and_then(|n| bytes.get(n))) || is_word(bytes.get(at + name.len())) {
                continue;
            }
            let other = self.all.partition_point(|part| part.range.end <= at);
            let range =
                self.all.get(other).map(|part| part.range.clone()).filter(|range| range.contains(&at));
            if range.is_some() && other == number {
                continue;
            }
            is_used = true;
            let Some(range) = range.filter(|_| other != last) else { continue };
            (last, read) = (other, read + 1);
            if set(&self.facts.declarations(&text[range]).names).contains(name) {
                return Some(true);
            }
            if read == MAX_PARTS {
                return None;
            }
        }
        (!is_used).then_some(false)
    }

    /// The findings after an edit of a part.
    pub fn found(
        &self,
        text: &str,
        number: usize,
        moved: Moved,
        before: &[Diagnostic],
        options: &CheckOptions,
    ) -> Option<Vec<Diagnostic>> {
        let part = self.all[number].range.clone();
        let (short, at) = self.without_others(text, number);
        let own = at..at + part.len();
        let (mut assemblies, facts) = read_within(&short, self.facts.names.clone());
        if !facts.dependent.is_subset(&self.facts.dependent) || !facts.keeps(&own) {
            return None;
        }
        assemblies.retain(|assembly| own.contains(&(assembly.span().start as usize)));
        let mut judge = Judge::default();
        let (written, inline): (Vec<_>, Vec<_>) =
            assemblies.iter().partition(|one| one.kind == Kind::Written);
        inline.into_iter().for_each(|assembly| judge.judge(assembly, options, &self.replaced));
        judge.written(written, &self.replaced);
        let found = judge.findings().diagnostics;
        let is_within = |one: &Diagnostic, range: &Range<usize>| {
            places(one).all(|span| range.start <= span.start as usize && span.end as usize <= range.end)
        };
        if !found.iter().all(|one| is_within(one, &own)) {
            return None;
        }
        let shift = |span: Span| {
            let place = |place: u32| (place as usize - at + part.start) as u32;
            Span::new(place(span.start), place(span.end))
        };
        let old = part.start..moved.end;
        let (mut all, mut later) = (Vec::new(), Vec::new());
        for one in before {
            let start = one.span().start as usize;
            match () {
                () if places(one).all(|span| span.end as usize <= old.start) => all.push(one.clone()),
                () if places(one).all(|span| span.start as usize >= old.end) => later.push(one),
                () if old.contains(&start) && is_within(one, &old) => {}
                () if places(one).all(|span| !old.contains(&(span.start as usize))) => {
                    match start < old.start {
                        true => all
                            .push(one.clone().moved(|span| moved.span(span), |span| Some(moved.span(span)))),
                        false => later.push(one),
                    }
                }
                () => return None,
            }
        }
        all.extend(found.into_iter().map(|one| one.moved(shift, |span| Some(shift(span)))));
        let later = later.into_iter().cloned();
        all.extend(later.map(|one| one.moved(|span| moved.span(span), |span| Some(moved.span(span)))));
        Some(all)
    }

    /// The text without the other parts, and where the part begins in it.
    fn without_others(&self, text: &str, number: usize) -> (String, usize) {
        let (mut short, mut from, mut begins) = (String::new(), 0, 0);
        for (at, part) in self.all.iter().enumerate() {
            short.push_str(&text[from..part.range.start]);
            from = part.range.end;
            match at == number {
                true => {
                    begins = short.len();
                    short.push_str(&text[part.range.clone()]);
                }
                false if part.defines => {
                    short.push_str(&text[part.range.start..part.body]);
                    short.push_str("{}");
                }
                // The previous line may be a directive.
                false => short.push_str("\n;"),
            }
        }
        short.push_str(&text[from..]);
        (short, begins)
    }
}

/// A set of names.
type Set = fn(&Declared) -> &HashSet<String>;
type SetMut = fn(&mut Declared) -> &mut HashSet<String>;

/// The sets of names in declarations.
const SETS: [(Set, SetMut); 6] = [
    (|declarations| &declarations.parameters, |declarations| &mut declarations.parameters),
    (|declarations| &declarations.constants, |declarations| &mut declarations.constants),
    (|declarations| &declarations.variables, |declarations| &mut declarations.variables),
    (|declarations| &declarations.functions, |declarations| &mut declarations.functions),
    (|declarations| &declarations.objects, |declarations| &mut declarations.objects),
    (|declarations| &declarations.constraints, |declarations| &mut declarations.constraints),
];
