//! Reads definitions of C++ constants, with a value for each group of configurations.

use std::ops::Range;
use std::rc::Rc;

use super::Preprocessor;
use super::cast::without_casts;
use super::expand::Macro;
use super::expression::evaluate;
use super::operands::qualified;
use super::outcome::Test;
use super::preprocessor::Function;
use super::reach::Reach;
use super::scopes::{Definition, Outer, Variable};
use super::token::{Token, tokens};
use super::value::Numbers;
use crate::cpp::Integer;

impl Preprocessor {
    /// Reads the definition of a constant. `scope` is the number of blocks around it.
    pub fn constant(&mut self, definition: &Definition<'_>, scope: usize) {
        let here = self.read();
        let values = self.code(|file| file.values(definition));
        let varies = definition.value.as_deref().is_none_or(|value| self.varies(value));
        Rc::make_mut(&mut self.scopes).define(definition.name, scope, &here, (values, varies));
    }

    /// Begins a block with `scope` blocks around its content, in which names may have other values than before it.
    pub fn begin_outer(&mut self, scope: usize, outer: Outer) {
        if !self.declared.homonyms.is_empty() {
            Rc::make_mut(&mut self.scopes).begin(scope, outer, &self.declared.homonyms);
        }
    }

    /// Reads the definition of a variable, whose name is at `at`. It counts as a constant if no other value is assigned
    /// to it.
    pub fn variable(&mut self, definition: &Definition<'_>, at: usize, scope: usize) {
        self.place = Some(at);
        let here = self.here();
        let value = definition.value.as_deref().unwrap_or_default();
        // Other code may change a variable outside of functions.
        let varies = if scope == 0 || self.varies(value) { here.clone() } else { Reach::none() };
        let is_elsewhere = self.late.contains(&at);
        let variable = Variable { at, scope, here, varies, is_elsewhere };
        Rc::make_mut(&mut self.variables).insert(definition.name.to_owned(), variable);
        if !value.is_empty() && self.depends_on_target(value) {
            self.constant(definition, scope);
        }
    }

    /// True if a value differs between threads, whatever the constants in it: that of `kFp8 && x` may not.
    fn varies(&mut self, value: &str) -> bool {
        let is_chosen = ["&&", "||", "?"].iter().any(|operator| value.contains(operator));
        self.has_variable(value) && (!is_chosen || self.keeps(value, Test::If).is_none())
    }

    /// True if a value may differ between threads.
    pub fn has_variable(&self, value: &str) -> bool {
        tokens(value).iter().any(|token| self.is_variable(token))
    }

    /// The place of the name in the last definition of a variable.
    pub fn variable_at(&self, name: &str) -> Option<usize> {
        self.variables.get(name).map(|known| known.at)
    }

    /// Reads an assignment to a variable. If the assignment is compiled for other targets than the variable's
    /// definition, the variable's value depends on the target.
    pub fn assign(&mut self, name: &str, value: &str) {
        if self.dependent.contains(name) {
            return;
        }
        let known = self.variables.get(name).map(|known| &known.here);
        let is_elsewhere = known.is_some_and(|there| *there != self.here());
        if self.depends_on_target(value) || (is_elsewhere && !self.has_variable(value)) {
            self.set_by_target(name);
        } else {
            self.vary(name);
        }
    }

    /// Reads an assignment at `at` to a name that is not known as a variable, such as a parameter or a member. Unless
    /// the statement is a declaration, the name has had a value since the beginning of the function.
    pub fn assign_unknown(&mut self, name: &str, at: usize, value: &str, is_assignment: bool) {
        if self.depends_on_target(value) {
            return self.set_by_target(name);
        }
        let Some(Function { scope, here: function }) = self.function.clone().filter(|_| is_assignment) else {
            return;
        };
        let here = self.here();
        let is_elsewhere = here != function && (here.depends() || function.depends());
        if is_elsewhere && !self.has_variable(value) {
            let varies = function.and(&here.not());
            let variable = Variable { at, scope, here: function, varies, is_elsewhere };
            Rc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
        }
    }

    /// Records that a name's value depends on the target.
    pub fn set_by_target(&mut self, name: &str) {
        Rc::make_mut(&mut self.dependent).insert(name.to_owned());
    }

    /// Records that a variable gets a value here that may differ between threads. In other targets it may have none.
    pub fn vary(&mut self, name: &str) {
        self.change(name, false);
        let here = self.here();
        if let Some(known) = Rc::make_mut(&mut self.variables).get_mut(name) {
            known.varies = known.varies.or(&here);
        }
    }

    /// Records that a variable may get another value here. `by_target`: the value depends on the target.
    pub fn change(&mut self, name: &str, by_target: bool) {
        let Some(known) = self.variables.get(name) else { return };
        let (at, here) = (known.at, self.here());
        let is_elsewhere = here != known.here && (here.depends() || known.here.depends());
        let is_new = !known.is_elsewhere && !here.and(&known.varies.not()).is_none();
        if !is_new || !(by_target || is_elsewhere) {
            return;
        }
        if self.flags.tested.contains(&at) {
            Rc::make_mut(&mut self.flags).late.insert(at);
        }
        if let Some(known) = Rc::make_mut(&mut self.variables).get_mut(name) {
            known.is_elsewhere = true;
        }
    }

    /// The values of a constant, each with a group of configurations.
    fn values(&mut self, definition: &Definition<'_>) -> Vec<(Reach, Macro)> {
        let name = definition.name;
        let unknown = vec![(Reach::all(), Macro::Before)];
        let Some(value) = &definition.value else { return unknown };
        let text = tokens(value);
        let (names_it, is_by_definition) = self.depends(&text);
        if names_it || (is_by_definition && !self.varies(value)) {
            Rc::make_mut(&mut self.dependent).insert(name.to_owned());
        }
        if self.declared.parameters.contains(name) || self.declared.variables.contains(name) {
            return unknown;
        }
        let mut values = Vec::new();
        for (reach, tokens) in self.expand(qualified(text)) {
            let tokens = without_casts(tokens);
            let is_constant = !tokens.iter().any(|token| self.is_variable(token));
            let flags = Rc::make_mut(&mut self.flags);
            let value = evaluate(&tokens, Numbers::Code, flags);
            // The preprocessor computes with 64 bits. Values that fit an `int` are the same in the other types.
            let least = if definition.is_unsigned { 0 } else { i64::from(i32::MIN) };
            let fits = value.is_some_and(|value| value.fits(least, i32::MAX.into()));
            if !is_constant || !fits {
                values.push((reach, Macro::Before));
                continue;
            }
            let zero = Integer { bits: 0, is_unsigned: true };
            let as_type = match (definition.is_bool, definition.is_unsigned) {
                (true, _) => [Token::Operator("!="), Token::Number(0)],
                (_, true) => [Token::Operator("+"), Token::Written(zero, "0u".to_owned())],
                (..) => [Token::Operator("+"), Token::Number(0)],
            };
            let open = vec![Token::Operator("("); 2];
            let close = || vec![Token::Operator(")")];
            let value = [open, tokens, close(), as_type.to_vec(), close()].concat();
            values.push((reach, Macro::Object(value, None)));
        }
        values
    }

    /// Leaves the blocks that are nested more deeply than `scope`.
    pub fn leave_scopes(&mut self, scope: usize) {
        Rc::make_mut(&mut self.scopes).leave(scope);
        if self.variables.values().any(|known| known.scope > scope) {
            Rc::make_mut(&mut self.variables).retain(|_, known| known.scope <= scope);
        }
    }

    /// Leaves a statement: forgets the variables that it defines.
    pub fn leave_statement(&mut self, statement: &Range<usize>) {
        if self.variables.values().any(|known| statement.contains(&known.at)) {
            Rc::make_mut(&mut self.variables).retain(|_, known| !statement.contains(&known.at));
        }
    }

    /// Makes the values of all constants unknown, because the open blocks are unknown.
    pub fn forget_constants(&mut self) {
        Rc::make_mut(&mut self.scopes).forget();
    }
}
