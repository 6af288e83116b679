//! How often a loop runs.
//!
//! The Python Language Reference, "The for statement"; the library's `range` and `enumerate`.

use super::expression::Expression;
use super::flow::Rounds;
use super::literals::Tokens;

/// Functions that have as many items as their first argument.
const SAME: [&str; 7] = ["enumerate", "iter", "list", "reversed", "sorted", "tqdm", "tuple"];

impl<'s> Tokens<'s> {
    /// How often a loop runs over what begins at a place, up to the colon of its head.
    pub fn rounds(&mut self, from: usize, number: &mut dyn FnMut(&str) -> Option<i64>) -> Rounds {
        let back = self.scanner.at;
        self.scanner.at = from;
        let rounds = self.items(false, number).filter(|_| self.next_on_line() == b':');
        self.scanner.at = back;
        rounds.unwrap_or_default()
    }

    /// How many items an expression has; `None` if that is not known.
    fn items(&mut self, lines: bool, number: &mut dyn FnMut(&str) -> Option<i64>) -> Option<Rounds> {
        let start = self.scanner.at;
        let mut word = self.scanner.word();
        // `tl.range`, `tl.static_range`
        let attribute = self.scanner.take(b'.');
        if attribute {
            word = self.scanner.word();
        }
        if !attribute && self.scanner.peek() == b'(' && SAME.contains(&word) {
            let call = self.scanner.at;
            self.scanner.step();
            self.blanks(true);
            let rounds = self.items(true, number);
            self.scanner.at = call;
            self.pass();
            return rounds;
        }
        if self.scanner.peek() == b'(' && matches!(word, "range" | "static_range") {
            return self.range(number);
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
            // The characters of a literal.
            Expression::Sum(parts) => parts
                .iter()
                .any(|part| matches!(part, Expression::Literal(span) if span.start < span.end))
                .then_some(Rounds::Some),
            _ => None,
        }
    }

    /// The number of items of `range(…)` with arguments that are numbers.
    fn range(&mut self, number: &mut dyn FnMut(&str) -> Option<i64>) -> Option<Rounds> {
        let open = self.scanner.at;
        self.pass();
        let plain =
            self.scanner.content(open).split(',').map(str::trim).filter(|argument| !argument.is_empty());
        // Triton's options: `num_stages=2`.
        let plain = plain.filter(|argument| !argument.contains('='));
        let arguments: Option<Vec<i64>> =
            plain.map(|argument| integer(argument).or_else(|| number(argument))).collect();
        let (begin, end, step) = match arguments?[..] {
            [end] => (0, end, 1),
            [begin, end] => (begin, end, 1),
            [begin, end, step] if step != 0 => (begin, end, step),
            _ => return None,
        };
        let way = if step > 0 { end.checked_sub(begin)? } else { begin.checked_sub(end)? };
        let count = u64::try_from(way).unwrap_or(0).div_ceil(step.unsigned_abs());
        Some(usize::try_from(count).map_or(Rounds::Some, Rounds::Exactly))
    }
}

/// The value of an integer as Python writes it.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = digits.replace('_', "").to_ascii_lowercase();
    let radix =
        |prefix: &str, radix| plain.strip_prefix(prefix).map(|digits| i64::from_str_radix(digits, radix));
    let value = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    let value = value.unwrap_or_else(|| plain.parse()).ok()?;
    Some(if negative { -value } else { value })
}
