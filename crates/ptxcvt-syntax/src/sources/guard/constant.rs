//! Reads definitions of C++ constants, with a value for each group of configurations.

use std::rc::Rc;

use super::Preprocessor;
use super::cast::without_casts;
use super::expand::Macro;
use super::expression::evaluate;
use super::operands::qualified;
use super::reach::Reach;
use super::scopes::Definition;
use super::token::{Token, tokens};
use super::value::Numbers;
use crate::cpp::Integer;

impl Preprocessor {
    /// Reads the definition of a constant. `scope` is the number of blocks around it.
    pub fn constant(&mut self, definition: &Definition<'_>, scope: usize) {
        let here = self.read();
        let values = self.code(|file| file.values(definition));
        Rc::make_mut(&mut self.scopes).define(definition.name, scope, &here, values);
    }

    /// Reads the definition of a variable. It counts as a constant if no other value is assigned to it.
    pub fn variable(&mut self, definition: &Definition<'_>, scope: usize) {
        let here = self.here();
        Rc::make_mut(&mut self.variables).insert(definition.name.to_owned(), (scope, here));
        let depends = |value: &String| self.depends_on_target(value);
        if definition.value.as_ref().is_some_and(depends) {
            self.constant(definition, scope);
        }
    }

    /// Reads an assignment to a variable. If the assignment is compiled for other targets than the variable's
    /// definition, the variable's value depends on the target.
    pub fn assign(&mut self, name: &str, value: &str) {
        if self.dependent.contains(name) {
            return;
        }
        let is_elsewhere = self.variables.get(name).is_some_and(|(_, there)| *there != self.here());
        let is_constant = |file: &Self| !tokens(value).iter().any(|token| file.is_variable(token));
        if self.depends_on_target(value) || (is_elsewhere && is_constant(self)) {
            Rc::make_mut(&mut self.dependent).insert(name.to_owned());
        }
    }

    /// The values of a constant, each with a group of configurations.
    fn values(&mut self, definition: &Definition<'_>) -> Vec<(Reach, Macro)> {
        let name = definition.name;
        let unknown = vec![(Reach::all(), Macro::Before)];
        let Some(value) = &definition.value else { return unknown };
        let text = tokens(value);
        if self.depends(&text).0 {
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
        if self.variables.values().any(|(inner, _)| *inner > scope) {
            Rc::make_mut(&mut self.variables).retain(|_, (inner, _)| *inner <= scope);
        }
    }

    /// Makes the values of all constants unknown, because the open blocks are unknown.
    pub fn forget_constants(&mut self) {
        Rc::make_mut(&mut self.scopes).forget();
    }
}
