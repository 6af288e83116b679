//! A reader of JSON that keeps the strings of a few keys, with their places.
//!
//! RFC 8259. As in Python, `NaN` and `Infinity` are accepted, and the last of equal keys counts. serde_json returns
//! neither the places of strings, which findings need, nor the values before an error.

use super::scan::Scanner;

/// A value; parts that are not needed are `Other`.
pub(super) enum Json {
    Object(Vec<(&'static str, Json)>),
    Array(Vec<Json>),
    /// A string: the places of its quotes.
    String(usize, usize),
    Other,
}

impl Json {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(items) => items.iter().rfind(|(other, _)| *other == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The items of a list. Empty for other values.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }
}

/// Why a text is not JSON, and where.
pub(super) struct Invalid {
    pub at: usize,
    pub what: &'static str,
}

/// Limit on the nesting of values.
const DEEPEST: u32 = 200;

pub(super) struct Reader<'s> {
    scanner: Scanner<'s>,
    /// The keys whose values are kept.
    keys: &'static [&'static str],
    depth: u32,
}

/// The values before an error, and the error.
pub(super) type Partial = (Json, Option<Invalid>);

/// Reads a text. After an error, the values before it are kept.
pub(super) fn read(text: &str, keys: &'static [&'static str]) -> Partial {
    let mut reader = Reader { scanner: Scanner::new(text), keys, depth: 0 };
    reader.scanner.at = text.len() - text.trim_start_matches('\u{feff}').len();
    let (value, error) = reader.value(true);
    if error.is_some() {
        return (value, error);
    }
    reader.blanks();
    let rest = (!reader.scanner.at_end()).then(|| reader.invalid("something follows the end of the object"));
    (value, rest)
}

impl Reader<'_> {
    fn invalid(&self, what: &'static str) -> Invalid {
        Invalid {
            at: self.scanner.at,
            what: if self.scanner.at_end() { "the text has no end" } else { what },
        }
    }

    fn blanks(&mut self) {
        while matches!(self.scanner.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.scanner.step();
        }
    }

    fn value(&mut self, keep: bool) -> Partial {
        self.blanks();
        match self.scanner.peek() {
            b'{' | b'[' if self.depth == DEEPEST => {
                (Json::Other, Some(self.invalid("it is nested too deeply")))
            }
            open @ (b'{' | b'[') => {
                self.depth += 1;
                self.scanner.step();
                let found = if open == b'{' { self.object(keep) } else { self.array(keep) };
                self.depth -= 1;
                found
            }
            b'"' => match self.string() {
                Ok((from, to)) => (Json::String(from, to), None),
                Err(error) => (Json::Other, Some(error)),
            },
            _ => {
                let rest = self.scanner.rest();
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
                let length = rest.iter().take_while(|b| is_part(b)).count();
                let word = &rest[..length];
                let known =
                    [&b"true"[..], b"false", b"null", b"NaN", b"Infinity", b"-Infinity"].contains(&word);
                let number = word.iter().any(u8::is_ascii_digit)
                    && word.iter().all(|b| b"0123456789+-.eE".contains(b));
                if !known && !number {
                    return (Json::Other, Some(self.invalid("a value was expected")));
                }
                self.scanner.at += length;
                (Json::Other, None)
            }
        }
    }

    /// The places of the quotes of a string.
    fn string(&mut self) -> Result<(usize, usize), Invalid> {
        let from = self.scanner.at;
        self.scanner.step();
        loop {
            match self.scanner.peek() {
                b'"' => {
                    self.scanner.step();
                    return Ok((from, self.scanner.at - 1));
                }
                b'\\' => {
                    self.scanner.step();
                    self.scanner.step();
                }
                0..b' ' => {
                    let what = "a string has no end on its line";
                    return Err(Invalid { at: from, ..self.invalid(what) });
                }
                _ => self.scanner.step(),
            }
        }
    }

    fn object(&mut self, keep: bool) -> Partial {
        let mut items = Vec::new();
        self.blanks();
        if self.scanner.take(b'}') {
            return (Json::Object(items), None);
        }
        loop {
            self.blanks();
            let key = match self.scanner.peek() {
                b'"' => self.string(),
                _ => Err(self.invalid("a key in quotes was expected")),
            };
            let (from, to) = match key {
                Ok(key) => key,
                Err(error) => return (Json::Object(items), Some(error)),
            };
            self.blanks();
            if !self.scanner.take(b':') {
                let error = self.invalid("a colon was expected");
                return (Json::Object(items), Some(error));
            }
            let name = &self.scanner.text[from + 1..to];
            let kept = self.keys.iter().find(|key| **key == name).filter(|_| keep);
            let (value, error) = self.value(kept.is_some());
            items.extend(kept.map(|key| (*key, value)));
            match self.next(b'}', error) {
                Ok(true) => {}
                Ok(false) => return (Json::Object(items), None),
                Err(error) => return (Json::Object(items), Some(error)),
            }
        }
    }

    fn array(&mut self, keep: bool) -> Partial {
        let mut items = Vec::new();
        self.blanks();
        if self.scanner.take(b']') {
            return (Json::Array(items), None);
        }
        loop {
            let (value, error) = self.value(keep);
            if keep {
                items.push(value);
            }
            match self.next(b']', error) {
                Ok(true) => {}
                Ok(false) => return (Json::Array(items), None),
                Err(error) => return (Json::Array(items), Some(error)),
            }
        }
    }

    /// True if another item follows. False after the closing bracket.
    fn next(&mut self, close: u8, error: Option<Invalid>) -> Result<bool, Invalid> {
        if let Some(error) = error {
            return Err(error);
        }
        self.blanks();
        match () {
            () if self.scanner.take(b',') => Ok(true),
            () if self.scanner.take(close) => Ok(false),
            () => Err(self.invalid("a comma or a closing bracket was expected")),
        }
    }
}
