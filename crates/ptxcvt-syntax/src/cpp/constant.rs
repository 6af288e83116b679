//! Integer constant expressions of C++ code, such as the operand of the constraint `n`: literals and operators.
//!
//! ISO C++, "Integer literals", "Integral promotions", "Usual arithmetic conversions" and "Expressions"; `int` has 32 bits,
//! `long` 64, as in Linux.

use super::{Integer, LEVELS, binary, character, integer};

/// The greatest depth of parentheses and signs.
const MAX_DEPTH: u32 = 100;

/// The value of a constant expression; `None` if it has names or casts, or no defined value.
///
/// ```
/// use ptxcvt_syntax::cpp::constant;
/// assert_eq!(constant::value("-8 >> 1"), Some(-4));
/// assert_eq!(constant::value("1 << 31"), Some(-0x8000_0000));
/// assert_eq!(constant::value("1u << 31"), Some(0x8000_0000));
/// assert_eq!(constant::value("SIZE + 1"), None);
/// ```
#[must_use]
pub fn value(text: &str) -> Option<i64> {
    let mut reader = Reader { rest: text.trim_start() };
    let value = reader.choice(0)?;
    reader.rest.is_empty().then_some(value.bits)
}

/// A number of type `int`, `unsigned`, `long` or `unsigned long`.
#[derive(Clone, Copy)]
struct Value {
    /// The value; for `unsigned long` its bits.
    bits: i64,
    is_wide: bool,
    is_unsigned: bool,
}

impl Value {
    /// The number modulo the size of its type.
    fn new(bits: i64, is_wide: bool, is_unsigned: bool) -> Value {
        let bits = match (is_wide, is_unsigned) {
            (true, _) => bits,
            (false, true) => i64::from(bits as u32),
            (false, false) => i64::from(bits as i32),
        };
        Value { bits, is_wide, is_unsigned }
    }

    fn int(bits: i64) -> Value {
        Value::new(bits, false, false)
    }

    /// A literal has the first type that holds it; a decimal one without `u` has a sign.
    fn literal(text: &str) -> Option<Value> {
        let Integer { bits, .. } = integer(text)?;
        let lower = text.to_ascii_lowercase();
        let has_suffix = |letters: &[char]| {
            let digits = lower.trim_end_matches(['u', 'l', 'z']);
            lower[digits.len()..].contains(letters)
        };
        let is_decimal = !lower.starts_with('0') || lower == "0";
        let (has_u, has_l) = (has_suffix(&['u']), has_suffix(&['l', 'z']));
        let fits = |wide: bool, unsigned: bool| {
            let value = Value::new(bits, wide, unsigned);
            value.bits == bits && (unsigned || bits >= 0)
        };
        let types = [(false, false), (false, true), (true, false), (true, true)];
        let is_candidate = |&(wide, unsigned): &(bool, bool)| {
            (wide || !has_l) && (unsigned || !has_u) && (!unsigned || has_u || !is_decimal)
        };
        let (wide, unsigned) = types.into_iter().filter(is_candidate).find(|&(w, u)| fits(w, u))?;
        Some(Value::new(bits, wide, unsigned))
    }

    fn converted(self, to: Value) -> Value {
        Value::new(self.bits, to.is_wide, to.is_unsigned)
    }

    /// The type to which two operands are converted, with no value.
    fn common(self, other: Value) -> Value {
        let is_unsigned = match self.is_wide == other.is_wide {
            true => self.is_unsigned || other.is_unsigned,
            // `long` holds every `unsigned`.
            false => (if self.is_wide { self } else { other }).is_unsigned,
        };
        Value { bits: 0, is_wide: self.is_wide || other.is_wide, is_unsigned }
    }

    fn number(self) -> Integer {
        Integer { bits: self.bits, is_unsigned: self.is_unsigned }
    }

    /// The result of an operator of [`LEVELS`]. `None` if it is undefined, as where a number with a sign overflows.
    fn binary(self, operator: &str, right: Value) -> Option<Value> {
        let (a, b, ty) = match operator {
            "<<" | ">>" => {
                let width = if self.is_wide { 64 } else { 32 };
                if !(0..width).contains(&right.bits) {
                    return None;
                }
                let bits = binary(operator, self.number(), Value::int(right.bits).number())?;
                return Some(Value::new(bits, self.is_wide, self.is_unsigned));
            }
            "&&" | "||" => (self, right, Value::int(0)),
            _ => {
                let common = self.common(right);
                (self.converted(common), right.converted(common), common)
            }
        };
        let bits = binary(operator, a.number(), b.number())?;
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
            return Some(Value::int(bits));
        }
        let (c, d) = (i128::from(a.bits), i128::from(b.bits));
        let exact = match operator {
            "+" => c + d,
            "-" => c - d,
            "*" => c * d,
            "/" => c / d,
            _ => i128::from(bits),
        };
        let result = Value::new(bits, ty.is_wide, ty.is_unsigned);
        (ty.is_unsigned || i128::from(result.bits) == exact).then_some(result)
    }

    fn unary(self, sign: char) -> Option<Value> {
        match sign {
            '+' => Some(self),
            '-' => Value::int(0).binary("-", self),
            '~' => Some(Value::new(!self.bits, self.is_wide, self.is_unsigned)),
            '!' => Some(Value::int((self.bits == 0).into())),
            _ => None,
        }
    }
}

struct Reader<'t> {
    /// Begins with no blank.
    rest: &'t str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    /// `condition ? yes : no`
    fn choice(&mut self, depth: u32) -> Option<Value> {
        let condition = self.operators(0, depth)?;
        if !self.take("?") {
            return Some(condition);
        }
        let yes = self.choice(depth + 1)?;
        let no = self.take(":").then(|| self.choice(depth + 1)).flatten()?;
        let chosen = if condition.bits != 0 { yes } else { no };
        Some(chosen.converted(yes.common(no)))
    }

    /// Operators of this level of [`LEVELS`] and of stronger ones.
    fn operators(&mut self, level: usize, depth: u32) -> Option<Value> {
        let Some(operators) = LEVELS.get(level) else { return self.operand(depth) };
        let mut left = self.operators(level + 1, depth)?;
        while let Some(operator) = self.operator().filter(|operator| operators.contains(operator)) {
            self.take(operator);
            let right = self.operators(level + 1, depth)?;
            left = left.binary(operator, right)?;
        }
        Some(left)
    }

    /// The longest operator that begins here.
    fn operator(&self) -> Option<&'static str> {
        let all = LEVELS.iter().copied().flatten().copied();
        all.filter(|operator| self.rest.starts_with(operator)).max_by_key(|operator| operator.len())
    }

    fn operand(&mut self, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.take("(") {
            let value = self.choice(depth + 1)?;
            return self.take(")").then_some(value);
        }
        let first = self.rest.chars().next()?;
        if "+-~!".contains(first) {
            self.take(first.encode_utf8(&mut [0; 4]));
            // `--` and `++` change a variable.
            let is_step = matches!(first, '+' | '-') && self.rest.starts_with(first);
            return if is_step { None } else { self.operand(depth + 1)?.unary(first) };
        }
        if first == '\'' {
            let (end, _) = self.rest.char_indices().skip(2).find(|(_, c)| *c == '\'')?;
            let value = character(&self.rest[1..end])?;
            self.rest = self.rest[end + 1..].trim_start();
            return Some(Value::int(value));
        }
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'' | '.'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let value = match word {
            "true" => Value::int(1),
            "false" => Value::int(0),
            _ => Value::literal(word)?,
        };
        self.rest = rest.trim_start();
        Some(value)
    }
}
