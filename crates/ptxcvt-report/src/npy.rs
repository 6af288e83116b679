//! The header of a `.npy` file, NumPy's format for one array. The command, which reads files larger than memory, and the
//! page, which has no files, read it by these rules.
//!
//! The rules are those of `numpy.lib.format` in NumPy 2, on the literals that NumPy and other libraries write: no
//! escapes in texts, and no expressions. Records are recognised, but not read.

use std::fmt;

/// The first bytes of every `.npy` file.
pub const SIGNATURE: &[u8] = b"\x93NUMPY";

/// How many bytes at the beginning of a file [`Prefix::read`] needs.
pub const PREFIX: usize = 12;

/// The longest text that is read; those of arrays of numbers are far shorter.
const LONGEST: u64 = 1 << 20;

/// Why a header cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderError(String);

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HeaderError {}

impl HeaderError {
    fn strange() -> Self {
        HeaderError(
            "its header is not a dictionary of descr (a type with its byte order, such as '<f4'), fortran_order and shape".into(),
        )
    }
}

/// The place of a header's text: its beginning and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prefix {
    /// The place of the first byte of the text.
    pub start: usize,
    /// The number of bytes of the text.
    pub length: u64,
}

impl Prefix {
    /// Reads the signature, the version and the length. `file` has the first [`PREFIX`] bytes, or all of a shorter file.
    ///
    /// # Errors
    ///
    /// Fails if the file does not begin with the signature, has an unknown version, ends before the text, or has a text of
    /// more than a mebibyte.
    pub fn read(file: &[u8]) -> Result<Prefix, HeaderError> {
        let Some(after) = file.strip_prefix(SIGNATURE) else {
            return Err(HeaderError("it does not begin with the signature of the format".into()));
        };
        // Version 1.0 has a length of 16 bits, later ones one of 32.
        let (start, length) = match *after {
            [1, 0, low, high, ..] => (10, u64::from(u16::from_le_bytes([low, high]))),
            [2 | 3, 0, a, b, c, d, ..] => (12, u64::from(u32::from_le_bytes([a, b, c, d]))),
            [1..=3, 0, ..] | [] | [_] => return Err(HeaderError("it ends within its header".into())),
            [major, minor, ..] => {
                let what = format!("it has version {major}.{minor}, and NumPy reads 1.0, 2.0 and 3.0");
                return Err(HeaderError(what));
            }
        };
        if length > LONGEST {
            return Err(HeaderError(format!("its header would have {}", ptxcvt::counted(length, "byte"))));
        }
        Ok(Prefix { start, length })
    }
}

/// The text of a header: the type of the elements, and the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The type of an element.
    pub element: Element,
    /// Whether the first axis is the contiguous one.
    pub fortran: bool,
    /// The lengths of the axes.
    pub shape: Vec<u64>,
}

impl Header {
    /// Reads the text: a dictionary as a Python literal.
    ///
    /// ```
    /// use ptxcvt_report::npy::Header;
    /// let header = Header::read(b"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }\n")?;
    /// assert_eq!((header.element.to_string(), header.bytes()), (">f4".to_owned(), 24));
    /// # Ok::<(), ptxcvt_report::npy::HeaderError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the text is something else, if the elements are records, or if the array is larger than 2^63 bytes.
    pub fn read(text: &[u8]) -> Result<Header, HeaderError> {
        let mut text = Text(text);
        let header = text.dictionary()?;
        // NumPy counts an axis of length 0 as one of length 1.
        let axes = header.shape.iter().map(|axis| (*axis).max(1));
        let count = axes.clone().try_fold(1_u64, u64::checked_mul);
        let bytes = axes.chain([header.element.size.max(1)]).try_fold(1_u64, u64::checked_mul);
        let fits = |n: Option<u64>| n.is_some_and(|n| i64::try_from(n).is_ok());
        if fits(count) && fits(bytes) { Ok(header) } else { Err(HeaderError("its shape overflows".into())) }
    }

    /// The number of bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.shape.iter().product::<u64>() * self.element.size
    }
}

/// The type of an element: a byte order, a letter and a size, such as `<f4`.
///
/// ```
/// use ptxcvt_report::npy::Element;
/// let element = Element::read(">u2").ok_or("not a type")?;
/// assert_eq!((element.kind(), element.size(), element.is_big_endian()), ('u', 2, true));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// `<`, `>`, or `|` if the bytes have no order.
    order: char,
    kind: char,
    /// The number of bytes.
    size: u64,
    /// The number in the type's name, which counts characters in texts.
    count: u64,
    /// The unit of a date, such as `[ns]`.
    unit: String,
}

impl Element {
    /// Reads the name of a type. As in NumPy, a type without a byte order, or with `=` or `|`, has that of the machine.
    pub fn read(name: &str) -> Option<Element> {
        let native = if cfg!(target_endian = "big") { '>' } else { '<' };
        let (order, rest) = match name.chars().next()? {
            order @ ('<' | '>') => (order, &name[1..]),
            '=' | '|' => (native, &name[1..]),
            _ => (native, name),
        };
        let kind = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let rest = &rest[1..];
        let (number, unit) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
        // NumPy reads the number as C's `strtol` does.
        let number = number.trim_start();
        let digits = number.strip_prefix('+').unwrap_or(number);
        let count = digits.parse::<u64>().ok().filter(|_| !digits.starts_with('+'))?;
        let is_unit = |unit: &str| {
            let inner = unit.strip_prefix('[').and_then(|unit| unit.strip_suffix(']'));
            inner.is_some_and(|unit| unit.chars().all(|c| c.is_ascii_alphanumeric() || c == '/'))
        };
        let (size, kind) = match (kind, count) {
            ('b', 1) | ('i' | 'u', 1 | 2 | 4 | 8) | ('f', 2 | 4 | 8 | 16) | ('c', 8 | 16 | 32) => {
                (count, kind)
            }
            ('m' | 'M', 8) if unit.is_empty() || is_unit(unit) => (count, kind),
            ('S' | 'a', _) => (count, 'S'),
            ('V', _) => (count, kind),
            // A character of a text has 32 bits.
            ('U', _) => (count.checked_mul(4)?, kind),
            _ => return None,
        };
        if !unit.is_empty() && !matches!(kind, 'm' | 'M') {
            return None;
        }
        let has_order = !matches!((kind, size), ('b' | 'i' | 'u', 1) | ('S' | 'V', _));
        Some(Element { order: if has_order { order } else { '|' }, kind, size, count, unit: unit.to_owned() })
    }

    /// The letter: `f`, `i` and `u` are numbers.
    pub fn kind(&self) -> char {
        self.kind
    }

    /// The number of bytes of an element.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the first byte is the most significant one.
    pub fn is_big_endian(&self) -> bool {
        self.order == '>'
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}{}", self.order, self.kind, self.count, self.unit)
    }
}

/// The rest of a header's text.
struct Text<'t>(&'t [u8]);

impl<'t> Text<'t> {
    fn dictionary(&mut self) -> Result<Header, HeaderError> {
        let (mut element, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.takes(b'}') {
            let key = self.quoted()?;
            self.expect(b':')?;
            match key {
                b"descr" => element = Some(self.element()?),
                b"fortran_order" => fortran = Some(self.truth()?),
                b"shape" => shape = Some(self.shape()?),
                _ => return Err(HeaderError::strange()),
            }
            if !self.takes(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        self.skip_blanks();
        match (element, fortran, shape) {
            (Some(element), Some(fortran), Some(shape)) if self.0.is_empty() => {
                Ok(Header { element, fortran, shape })
            }
            _ => Err(HeaderError::strange()),
        }
    }

    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// Takes a byte if it is the next one after blanks.
    fn takes(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let rest = self.0.strip_prefix(&[byte]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, byte: u8) -> Result<(), HeaderError> {
        if self.takes(byte) { Ok(()) } else { Err(HeaderError::strange()) }
    }

    /// The bytes that fulfil a condition.
    fn run(&mut self, is_part: impl Fn(u8) -> bool) -> &'t [u8] {
        let end = self.0.iter().position(|byte| !is_part(*byte)).unwrap_or(self.0.len());
        let (run, rest) = self.0.split_at(end);
        self.0 = rest;
        run
    }

    /// A text in quotes, without escapes.
    fn quoted(&mut self) -> Result<&'t [u8], HeaderError> {
        let quote = [b'\'', b'"'].into_iter().find(|quote| self.takes(*quote));
        let quote = quote.ok_or_else(HeaderError::strange)?;
        let inner = self.run(|byte| byte != quote && byte != b'\\' && !byte.is_ascii_control());
        match self.0.split_first() {
            Some((end, rest)) if *end == quote => self.0 = rest,
            _ => return Err(HeaderError::strange()),
        }
        Ok(inner)
    }

    fn element(&mut self) -> Result<Element, HeaderError> {
        self.skip_blanks();
        if matches!(self.0, [b'[' | b'(' | b'{', ..]) {
            return Err(HeaderError("its elements are records, not plain numbers".into()));
        }
        let name = std::str::from_utf8(self.quoted()?).ok();
        name.and_then(Element::read).ok_or_else(HeaderError::strange)
    }

    fn truth(&mut self) -> Result<bool, HeaderError> {
        self.skip_blanks();
        match self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(HeaderError::strange()),
        }
    }

    /// The lengths in a tuple such as `(2, 3)` or `(2,)`. Without a comma, brackets are those of an expression.
    fn shape(&mut self) -> Result<Vec<u64>, HeaderError> {
        let mut axes = Vec::new();
        self.expect(b'(')?;
        while !self.takes(b')') {
            self.skip_blanks();
            axes.push(self.axis()?);
            if !self.takes(b',') {
                self.expect(b')')?;
                return if axes.len() > 1 { Ok(axes) } else { Err(HeaderError::strange()) };
            }
        }
        Ok(axes)
    }

    /// The length of an axis, in decimal digits, after which Python 2 writes `L`.
    fn axis(&mut self) -> Result<u64, HeaderError> {
        let digits = self.run(|byte| byte.is_ascii_digit());
        self.0 = self.0.strip_prefix(b"L").unwrap_or(self.0);
        let is_octal = digits.starts_with(b"0") && digits.iter().any(|digit| *digit != b'0');
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.is_empty() && !is_octal);
        let digits = digits.ok_or_else(HeaderError::strange)?;
        digits.parse().map_err(|_| HeaderError("its shape overflows".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(descr: &str, shape: &str) -> String {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
    }

    #[test]
    fn versions_are_those_of_numpy() {
        for major in 0..=255_u8 {
            for minor in 0..=255 {
                let file = [SIGNATURE, &[major, minor, 7, 1, 0, 0]].concat();
                let expected = match (major, minor) {
                    (1, 0) => Some(Prefix { start: 10, length: 263 }),
                    (2 | 3, 0) => Some(Prefix { start: 12, length: 263 }),
                    _ => None,
                };
                assert_eq!(Prefix::read(&file).ok(), expected, "{major}.{minor}");
            }
        }
        let error = Prefix::read(b"\x93NUMPY\x09\x03\x10\0\0\0").unwrap_err();
        assert_eq!(error.to_string(), "it has version 9.3, and NumPy reads 1.0, 2.0 and 3.0");
        for file in [&b"\x93NUMPY"[..], b"\x93NUMPY\x01", b"\x93NUMPY\x01\0\x01", b"\x93NUMPY\x02\0\x01\0\0"]
        {
            assert_eq!(Prefix::read(file).unwrap_err().to_string(), "it ends within its header");
        }
    }

    /// What `numpy.dtype(name).str` is in NumPy 2.4, and what NumPy refuses; in addition, types without a size, which NumPy
    /// does not write, and objects.
    #[test]
    fn types_are_those_of_numpy() {
        let native = if cfg!(target_endian = "big") { '>' } else { '<' };
        let here = |name: &str| name.replacen('=', &native.to_string(), 1);
        for (name, expected) in [
            ("<f4", "<f4"),
            (">f4", ">f4"),
            ("|f4", "=f4"),
            ("=f4", "=f4"),
            ("f4", "=f4"),
            ("<u1", "|u1"),
            (">i1", "|i1"),
            ("|b1", "|b1"),
            ("<f+4", "<f4"),
            ("<u+1", "|u1"),
            ("<f04", "<f4"),
            ("<f 4", "<f4"),
            (">c16", ">c16"),
            ("<M8[ns]", "<M8[ns]"),
            ("<m8[25s]", "<m8[25s]"),
            ("|S5", "|S5"),
            ("<U3", "<U3"),
            ("|V2", "|V2"),
        ] {
            assert_eq!(Element::read(name).map(|one| one.to_string()), Some(here(expected)), "{name}");
        }
        for name in [
            "<<f4", ">=|f4", "", "<", "f", "f3", "<f-4", "<f++4", "i16", "u0", "b2", "c4", "f4[s]", "é4",
            "|O",
        ] {
            assert_eq!(Element::read(name), None, "{name}");
        }
    }

    #[test]
    fn literals() {
        let shape = |shape: &str| Header::read(text("'<f4'", shape).as_bytes()).map(|header| header.shape);
        for (given, expected) in [
            ("()", &[][..]),
            ("(2,)", &[2]),
            ("( 2 ,3,)", &[2, 3]),
            ("(2L, 00)", &[2, 0]),
            ("(\n1,\t2)", &[1, 2]),
        ] {
            assert_eq!(shape(given).as_deref(), Ok(expected), "{given}");
        }
        for given in
            ["(2)", "[2]", "(,)", "(2,,3)", "(-1,)", "(+1,)", "(01,)", "(2.0,)", "2", "(2", "('2',)", "(2 3)"]
        {
            assert_eq!(shape(given), Err(HeaderError::strange()), "{given}");
        }
        // NumPy counts zeros as ones, and bytes.
        for given in ["(9223372036854775808,)", "(0, 4294967296, 2147483648)", "(2305843009213693952,)"] {
            assert_eq!(shape(given).unwrap_err().to_string(), "its shape overflows", "{given}");
        }
        assert_eq!(shape("(2305843009213693951,)"), Ok(vec![2_305_843_009_213_693_951]));
        for descr in ["[('a', '<f4')]", "('<f4', (2,))"] {
            let error = Header::read(text(descr, "()").as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), "its elements are records, not plain numbers");
        }
        let other = "{\"shape\": (1,), 'descr': '|u1', 'descr': \"<f2\", 'fortran_order': True}";
        let header = Header::read(other.as_bytes()).unwrap();
        assert_eq!((header.element.to_string(), header.fortran, header.bytes()), ("<f2".into(), true, 2));
        for text in [
            "",
            "{}",
            "{'descr': '<f4', 'fortran_order': False}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': ()} {",
            "{'descr': '<f\\x34', 'fortran_order': False, 'shape': ()}",
            "{'descr' '<f4', 'fortran_order': False, 'shape': ()}",
            "{, 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        ] {
            assert_eq!(Header::read(text.as_bytes()), Err(HeaderError::strange()), "{text}");
        }
    }
}
