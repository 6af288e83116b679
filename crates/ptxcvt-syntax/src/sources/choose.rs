//! Follows the macros of `<nv/target>` in a C++ file. Each block is read like code inside an `#if`.

use super::dispatch::{Dispatch, condition};
use super::reader::Reader;

impl Reader<'_> {
    /// Reads the first condition of a macro that chooses by target.
    pub(super) fn dispatch(&mut self, dispatch: Dispatch) {
        if !self.opens() {
            return;
        }
        if let Some(text) = self.condition() {
            self.preprocessor.directive(&format!("if {text}"));
            self.dispatches.push(dispatch);
        }
    }

    /// The condition before the next comma, in the form of a preprocessor condition. `None` if there is no condition.
    pub(super) fn condition(&mut self) -> Option<String> {
        let rest = &self.scanner.text[self.scanner.at..];
        let end = rest.find([',', '(', ')', ';']).filter(|end| rest[*end..].starts_with(','))?;
        self.scanner.at += end + 1;
        Some(condition(&rest[..end].replace('\n', " ")))
    }

    /// Follows a parenthesis or a comma among the arguments of a macro that chooses by target.
    pub(super) fn in_dispatch(&mut self, byte: u8) {
        let Some(dispatch) = self.dispatches.last_mut() else { return };
        match (byte, dispatch.depth) {
            (b'(', _) => dispatch.depth += 1,
            (b')', 0) => {
                self.dispatches.pop();
                self.preprocessor.directive("endif");
            }
            (b')', _) => dispatch.depth -= 1,
            (_, 0) if dispatch.alternates => {
                if let Some(text) = self.condition() {
                    self.preprocessor.directive(&format!("elif {text}"));
                }
            }
            (_, 0) => self.preprocessor.directive("else"),
            _ => {}
        }
    }
}
