//! Several expressions between commas.

use super::expression::Expression;
use super::literals::Tokens;

impl<'s> Tokens<'s> {
    /// An expression, or several between commas as a list.
    pub fn tuple(&mut self, lines: bool) -> Expression<'s> {
        let first = self.expression(lines);
        let end = self.scanner.at;
        self.blanks(lines);
        if lines || self.scanner.peek() != b',' {
            self.scanner.at = end;
            return first;
        }
        let mut all = vec![first];
        while self.scanner.take(b',') {
            self.blanks(false);
            if matches!(self.scanner.peek(), b'=' | b':' | b'\n' | b'\r' | b'#') || self.scanner.at_end() {
                break;
            }
            all.push(self.expression(false));
            self.blanks(false);
        }
        Expression::List(all)
    }

    /// True for an expression that may be any number of items: `*items`, or a comprehension.
    pub fn is_starred(&self, item: &Expression<'_>) -> bool {
        match item {
            Expression::Unknown(span) => self.scanner.text[span.start as usize..].starts_with('*'),
            Expression::Repeated(..) => true,
            _ => false,
        }
    }
}
