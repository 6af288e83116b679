//! Several names that get values at once: `a, b = "x", "y"` and `for a, b in …`.
//!
//! The Python Language Reference, "Assignment statements" and "The for statement".

use std::rc::Rc;

use super::expression::{Expression, Rows};
use super::items::Items;
use super::literals::Tokens;
use crate::identifier::names;
use crate::source::Span;

impl<'s> Tokens<'s> {
    /// The names of a target with their values; an unknown value is `None`. The whole result is `None` if the target
    /// contains anything other than names.
    fn unpacked(
        &self,
        target: &Expression<'s>,
        value: Option<&Expression<'s>>,
        found: &mut Vec<(&'s str, Option<Expression<'s>>)>,
    ) -> Option<()> {
        match target {
            Expression::Name(name) => {
                found.push((name, value.cloned()));
                Some(())
            }
            Expression::List(targets) => {
                let fits = |values: &Vec<Expression<'s>>| {
                    values.len() == targets.len() && !values.iter().any(|value| self.is_starred(value))
                };
                let values = match value {
                    Some(Expression::List(values)) if fits(values) => &values[..],
                    _ => &[],
                };
                let all = targets.iter().enumerate();
                all.into_iter().try_for_each(|(n, target)| self.unpacked(target, values.get(n), found))
            }
            _ => None,
        }
    }

    /// The names of a loop with their values in every round. `None` if its target contains anything other than names,
    /// or if its items are unknown.
    pub fn rows(&self, target: &Expression<'s>, items: &Items<'s>, at: usize) -> Option<Rc<Rows<'s>>> {
        let all = items.all.as_ref()?;
        let mut columns: Vec<(&'s str, Vec<Expression<'s>>)> = Vec::new();
        for item in all {
            let mut row = Vec::new();
            self.unpacked(target, Some(item), &mut row)?;
            if columns.is_empty() {
                columns = row.iter().map(|(name, _)| (*name, Vec::new())).collect();
            }
            for ((_, column), (_, value)) in columns.iter_mut().zip(row) {
                column.push(value.unwrap_or(Expression::Unknown(Span::default())));
            }
        }
        let column = |(name, all)| (name, Rc::new(Expression::List(all)));
        Some(Rc::new(Rows { at, columns: columns.into_iter().map(column).collect() }))
    }

    /// The target of a loop, which ends at the word `in`, at `end`.
    pub fn loop_target(&self, from: usize, end: usize) -> Expression<'s> {
        let mut tokens = Tokens::new(&self.scanner.text[..end]);
        tokens.scanner.at = from;
        tokens.blanks(false);
        let target = tokens.tuple(false);
        tokens.blanks(false);
        if tokens.scanner.at_end() { target } else { Expression::Unknown(Span::default()) }
    }

    /// The names and values of a statement such as `a, b = "x", "y"`, and the end of its targets. `None` if a value may
    /// depend on another of the names.
    pub fn unpack(&mut self, first: usize) -> Option<(Vec<(&'s str, Expression<'s>)>, usize)> {
        let back = std::mem::replace(&mut self.scanner.at, first);
        let found = self.assignment();
        self.scanner.at = back;
        found
    }

    fn assignment(&mut self) -> Option<(Vec<(&'s str, Expression<'s>)>, usize)> {
        let first = self.scanner.at;
        // Most statements begin with something else.
        if !matches!(self.scanner.peek(), b'(' | b'[') {
            self.scanner.word();
            if self.next_on_line() != b',' {
                return None;
            }
            self.scanner.at = first;
        }
        let target = self.tuple(false);
        let ends = self.next_on_line() == b'=' && !self.scanner.starts_with("==");
        if !ends || !matches!(target, Expression::List(_)) {
            return None;
        }
        let targets = self.scanner.at;
        self.scanner.step();
        self.blanks(false);
        let from = self.scanner.at;
        let value = self.tuple(false);
        if !matches!(self.next_on_line(), b'\n' | b'\r' | b'#' | 0) {
            return None;
        }
        let mut found = Vec::new();
        self.unpacked(&target, Some(&value), &mut found)?;
        let text = &self.scanner.text[from..self.scanner.at];
        let mut words = names(text);
        if words.any(|word| found.iter().any(|(name, _)| *name == word)) {
            return None;
        }
        let known = |(name, value): (&'s str, Option<Expression<'s>>)| Some((name, value?));
        Some((found.into_iter().filter_map(known).collect(), targets))
    }
}
