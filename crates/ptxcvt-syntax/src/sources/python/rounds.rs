//! How often a loop runs, and calls that end the program.
//!
//! The Python Language Reference, "The for statement"; the library's `range`, `enumerate` and `sys.exit`.

use super::expression::Expression;
use super::flow::Rounds;
use super::literals::Tokens;

/// Functions that have as many items as their first argument.
const SAME: [&str; 7] = ["enumerate", "iter", "list", "reversed", "sorted", "tqdm", "tuple"];

/// True for a statement that calls a function which never returns.
pub(super) fn leaves(statement: &str) -> bool {
    ["sys.exit(", "exit(", "quit(", "os._exit(", "os.abort("].iter().any(|call| statement.starts_with(call))
}

impl<'s> Tokens<'s> {
    /// How often a loop runs over what begins at a place, up to the colon of its head.
    pub fn rounds(&mut self, from: usize) -> Rounds {
        let back = self.scanner.at;
        self.scanner.at = from;
        let rounds = self.items(false).filter(|_| self.next_on_line() == b':');
        self.scanner.at = back;
        rounds.unwrap_or_default()
    }

    /// How many items an expression has; `None` if that is not known.
    fn items(&mut self, lines: bool) -> Option<Rounds> {
        let start = self.scanner.at;
        let word = self.scanner.word();
        if self.scanner.peek() == b'(' && SAME.contains(&word) {
            let call = self.scanner.at;
            self.scanner.step();
            self.blanks(true);
            let rounds = self.items(true);
            self.scanner.at = call;
            self.pass();
            return rounds;
        }
        if self.scanner.peek() == b'(' && word == "range" {
            return self.range();
        }
        self.scanner.at = start;
        match self.expression(lines) {
            Expression::List(items) => {
                let starred = |item: &Expression<'s>| match item {
                    Expression::Unknown(span) => self.scanner.text[span.start as usize..].starts_with('*'),
                    Expression::Repeated(_) => true,
                    _ => false,
                };
                let unknown = items.iter().filter(|item| starred(item)).count();
                match items.len() {
                    count if unknown == 0 => Some(Rounds::Exactly(count)),
                    count if unknown < count => Some(Rounds::Some),
                    _ => None,
                }
            }
            Expression::Dictionary(items) if !items.is_empty() => Some(Rounds::Some),
            _ => None,
        }
    }

    /// The number of items of `range(…)` with literal arguments.
    fn range(&mut self) -> Option<Rounds> {
        let open = self.scanner.at;
        self.pass();
        let arguments: Option<Vec<usize>> =
            self.scanner.content(open).split(',').map(|argument| argument.trim().parse().ok()).collect();
        let count = match arguments?[..] {
            [end] => end,
            [begin, end] => end.saturating_sub(begin),
            [begin, end, step] if step > 0 => end.saturating_sub(begin).div_ceil(step),
            _ => return None,
        };
        Some(Rounds::Exactly(count))
    }
}
