//! Vector files: results with their provenance, as text. docs/vectors.md describes the format.

use std::fmt::{self, Write};

use ptxcvt::forms::Refusal;
use ptxcvt::literal::Reader;
use ptxcvt::{Form, inputs};
use sha2::{Digest as _, Sha256};

use crate::cases::Set;
use crate::deviations::values;

/// The first line of every file.
pub const FIRST_LINE: &str = "# ptxcvt-vectors: 1";
/// The longest range that a digest may cover.
const LONGEST: u64 = 1 << 32;

/// A vector file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name, for messages.
    pub name: String,
    /// The header: keys and values, in order.
    pub header: Vec<(String, String)>,
    /// The lines with results.
    pub entries: Vec<Entry>,
}

/// A line with a result.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number, from 1.
    pub line: usize,
    /// The form that was run.
    pub form: Form,
    /// The result.
    pub outcome: Outcome,
}

/// The result of a form, or the digest of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// One result.
    Result {
        /// The operands in PTX order.
        operands: Vec<u64>,
        /// The destination's bits.
        result: u64,
    },
    /// The digest of many results.
    Digest {
        /// The operands.
        set: Set,
        /// SHA-256 of the results.
        digest: Digest,
    },
}

/// The digest of a stream of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Rows whose source is NaN are excluded, because the manual leaves their results open.
    pub numbers_only: bool,
    /// SHA-256 in lowercase hexadecimal.
    pub sha256: String,
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.numbers_only { "sha256-numbers" } else { "sha256" };
        write!(f, "{kind}:{}", self.sha256)
    }
}

/// Computes a [`Digest`] of results, each little-endian with as many bytes as the destination.
#[derive(Clone, Debug)]
pub struct Digester {
    form: Form,
    numbers_only: bool,
    hash: Sha256,
}

impl Digester {
    /// A hasher for a form's results, by the rule of [`Digest::numbers_only`].
    pub fn new(form: Form) -> Digester {
        Digester { form, numbers_only: values::open_payload(&form), hash: Sha256::new() }
    }

    /// A hasher like that of a digest in a file.
    pub fn like(form: Form, digest: &Digest) -> Digester {
        Digester { form, numbers_only: digest.numbers_only, hash: Sha256::new() }
    }

    /// Adds the next result.
    pub fn push(&mut self, operands: &[u64], result: u64) {
        if self.numbers_only && self.is_nan(operands) {
            return;
        }
        let bytes = self.form.result_width() as usize / 8;
        self.hash.update(&result.to_le_bytes()[..bytes]);
    }

    fn is_nan(&self, operands: &[u64]) -> bool {
        let format = self.form.source().format();
        operands.first().is_some_and(|bits| format.decode(*bits).is_nan())
    }

    /// The digest.
    pub fn finish(self) -> Digest {
        Digest { numbers_only: self.numbers_only, sha256: format!("{:x}", self.hash.finalize()) }
    }
}

/// A line of a vector file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Malformed {
    /// The file.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.name, self.line, self.message)
    }
}

impl std::error::Error for Malformed {}

impl File {
    /// Reads a file's text.
    ///
    /// # Errors
    ///
    /// Fails at the first line that does not follow the format.
    pub fn parse(name: &str, text: &str) -> Result<File, Malformed> {
        let mut file = File { name: name.to_owned(), header: Vec::new(), entries: Vec::new() };
        let fail = |line, message| Malformed { name: name.to_owned(), line, message };
        if text.lines().next() != Some(FIRST_LINE) {
            return Err(fail(1, format!("no vector file: the first line must be `{FIRST_LINE}`")));
        }
        for (line, content) in (1..).zip(text.lines()) {
            if let Some(comment) = content.strip_prefix('#') {
                if let Some((key, value)) = comment.trim().split_once(": ").filter(|(k, _)| is_key(k)) {
                    file.header.push((key.to_owned(), value.trim().to_owned()));
                }
            } else if !content.is_empty() {
                let (form, outcome) = entry(content).map_err(|message| fail(line, message))?;
                file.entries.push(Entry { line, form, outcome });
            }
        }
        Ok(file)
    }

    /// The value of a header key.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.header.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }
}

/// Lowercase letters and hyphens.
fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// `opcode TAB operands TAB result`.
fn entry(content: &str) -> Result<(Form, Outcome), String> {
    let columns: Vec<&str> = content.split('\t').collect();
    let [opcode, operands, result] = columns[..] else {
        let given = columns.len();
        return Err(format!(
            "{}: expected opcode, operands and result with tabs between them",
            ptxcvt::counted(given, "column")
        ));
    };
    let form: Form = opcode.parse().map_err(|refusal: Refusal| refusal.to_string())?;
    match result.split_once(':') {
        Some((kind @ ("sha256" | "sha256-numbers"), digits)) => {
            if digits.len() != 64 || !digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                return Err("a SHA-256 digest has 64 lowercase hexadecimal digits".to_owned());
            }
            let digest = Digest { numbers_only: kind != "sha256", sha256: digits.to_owned() };
            Ok((form, Outcome::Digest { set: set(&form, operands)?, digest }))
        }
        Some((kind, _)) => Err(format!("`{kind}` is not a kind of digest; sha256 and sha256-numbers are")),
        None => {
            let operands = operands_of(&form, operands)?;
            let result = hex(result, form.result_width()).map_err(|e| format!("result: {e}"))?;
            Ok((form, Outcome::Result { operands, result }))
        }
    }
}

/// One hexadecimal number per source operand, each within its width.
fn operands_of(form: &Form, text: &str) -> Result<Vec<u64>, String> {
    let given: Vec<&str> = text.split(' ').collect();
    if given.len() != form.source_count() {
        return Err(format!(
            "{form} takes {}, {} given",
            ptxcvt::counted(form.source_count(), "operand"),
            given.len()
        ));
    }
    let one = |(text, operand): (&str, ptxcvt::forms::Operand)| {
        hex(text, operand.width).map_err(|e| format!("operand {}: {e}", operand.role.name()))
    };
    given.into_iter().zip(form.operands().skip(1)).map(one).collect()
}

/// A number of at most `width` bits.
fn hex(text: &str, width: u32) -> Result<u64, String> {
    // A file has hexadecimal digits alone.
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("`{text}` is not a hexadecimal number of up to 64 bits"));
    }
    match Reader::bits(width).read(&format!("0x{text}")) {
        Ok(read) => Ok(read.bits),
        Err(_) => Err(format!("{text} does not fit in {width} bits")),
    }
}

/// The operands of a digest: `lattice+RANDOM@SEED`, or numbers, with one range `first..last` among them.
fn set(form: &Form, text: &str) -> Result<Set, String> {
    if let Some(rest) = text.strip_prefix("lattice+") {
        let numbers = rest.split_once('@').and_then(|(n, s)| Some((n.parse().ok()?, s.parse().ok()?)));
        let (random, seed) = numbers.ok_or("a lattice is written lattice+RANDOM@SEED, both decimal")?;
        return if random as u64 <= LONGEST { Ok(Set::Lattice { random, seed }) } else { Err(too_long()) };
    }
    let mut range = None;
    let mut firsts = Vec::new();
    for (at, part) in text.split(' ').enumerate() {
        match part.split_once("..") {
            Some((first, last)) if range.is_none() => {
                firsts.push(first);
                range = Some((at, last));
            }
            Some(_) => return Err("only one operand of a digest may be a range".to_owned()),
            None => firsts.push(part),
        }
    }
    let (at, last) = range.ok_or("one operand of a digest must be a range first..last")?;
    let firsts = operands_of(form, &firsts.join(" "))?;
    let width = form.operands().nth(at + 1).expect("operands_of checked their number").width;
    let (first, last) = (firsts[at], hex(last, width)?);
    if last < first {
        return Err(format!("the range {first:x}..{last:x} runs backwards"));
    }
    if last - first >= LONGEST {
        return Err(too_long());
    }
    let mut operands = [0; inputs::MAX_OPERANDS];
    operands[..firsts.len()].copy_from_slice(&firsts);
    Ok(Set::Range { operands, at, first, last })
}

fn too_long() -> String {
    "a digest covers at most 2^32 results".to_owned()
}

/// A file's text, line by line.
#[derive(Clone, Debug)]
pub struct Writer(String);

impl Writer {
    /// Starts a file with this header.
    pub fn new(header: &[(&str, &str)]) -> Writer {
        let mut text = format!("{FIRST_LINE}\n");
        for (key, value) in header {
            let value = value.replace(['\n', '\r'], " ");
            let _ = writeln!(text, "# {key}: {value}");
        }
        Writer(text)
    }

    /// A comment.
    pub fn comment(&mut self, text: &str) {
        let _ = writeln!(self.0, "# {text}");
    }

    /// One result.
    pub fn result(&mut self, form: &Form, operands: &[u64], result: u64) {
        let operands: Vec<String> = operands.iter().map(|o| format!("{o:x}")).collect();
        let _ = writeln!(self.0, "{form}\t{}\t{result:x}", operands.join(" "));
    }

    /// A digest.
    pub fn digest(&mut self, form: &Form, set: &Set, digest: &Digest) {
        let _ = writeln!(self.0, "{form}\t{}\t{digest}", set.text(form.source_count()));
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        let text = format!("{FIRST_LINE}\n# source: a test\n{line}\n");
        let error = File::parse("x.tsv", &text).expect_err(line);
        assert_eq!((error.name.as_str(), error.line), ("x.tsv", 3), "{error}");
        error.message
    }

    #[test]
    fn malformed_lines_are_named() {
        assert!(File::parse("x.tsv", "cvt.rn.f16.f32\t0\t0\n").unwrap_err().message.contains("first line"));
        assert!(File::parse("x.tsv", "").unwrap_err().to_string().starts_with("x.tsv:1: "));
        assert!(error("cvt.rn.f16.f32 0 0").contains("1 column:"));
        assert!(error("cvt.f16.f32\t0\t0").contains("rounding modifier is required"));
        assert!(error("cvt.rn.f16.f32\t0 0\t0").contains("takes 1 operand, 2 given"));
        assert!(error("cvt.rn.f16.f32\t\t0").contains("not a hexadecimal"));
        assert!(error("cvt.rn.f16.f32\t+1\t0").contains("not a hexadecimal"));
        assert!(error("cvt.rn.f16.f32\t100000000\t0").contains("operand a: 100000000 does not fit"));
        assert!(error("cvt.rn.f16.f32\t0\t10000").contains("result: 10000 does not fit in 16 bits"));
        assert!(error("cvt.rn.f16.f32\t0\tmd5:0").contains("not a kind of digest"));
        assert!(error("cvt.rn.f16.f32\t0..1\tsha256:00").contains("64 lowercase"));
        let digest = "0".repeat(64);
        assert!(error(&format!("cvt.rn.f16.f32\t5..1\tsha256:{digest}")).contains("backwards"));
        assert!(error(&format!("cvt.rn.f16.f32\t5\tsha256:{digest}")).contains("must be a range"));
        assert!(error(&format!("cvt.rn.f16x2.f32\t0..1 0..1\tsha256:{digest}")).contains("only one"));
        assert!(error(&format!("cvt.rn.f16.f64\t0..ffffffffffffffff\tsha256:{digest}")).contains("2^32"));
        assert!(error(&format!("cvt.rn.f16.f32\tlattice+x@1\tsha256:{digest}")).contains("decimal"));
    }

    #[test]
    fn what_is_written_is_read() {
        let form: Form = "cvt.rs.satfinite.f16x2.f32".parse().unwrap();
        let range = Set::Range { operands: [0, 7, 0x1fff, 0, 0], at: 0, first: 0, last: 0xff };
        let sets = [range, Set::Lattice { random: 5, seed: 9 }];
        let mut writer = Writer::new(&[("gpu", "some\nGPU"), ("license", "CC0-1.0")]);
        writer.comment("for people: not a key");
        writer.result(&form, &[1, 2, 3], 0xdead_beef);
        let mut digester = Digester::new(form);
        digester.push(&[0, 0, 0], 0x0102_0304);
        let digest = digester.finish();
        sets.iter().for_each(|set| writer.digest(&form, set, &digest));
        let file = File::parse("w", &writer.finish()).unwrap();
        assert_eq!((file.header("gpu"), file.header("license")), (Some("some GPU"), Some("CC0-1.0")));
        let result = Outcome::Result { operands: vec![1, 2, 3], result: 0xdead_beef };
        assert_eq!(file.entries[0].outcome, result);
        // SHA-256 of the bytes 04 03 02 01.
        assert_eq!(digest.sha256, "ee10da4aefe61a37df1dee937ca3221afa3b2351f9ea34edbbb769573c6785f7");
        for (entry, set) in file.entries[1..].iter().zip(sets) {
            assert_eq!(entry.outcome, Outcome::Digest { set, digest: digest.clone() });
        }
    }

    #[test]
    fn digests_leave_out_nan_only_where_the_manual_is_silent() {
        let digest = |opcode: &str, rows: &[(u64, u64)]| {
            let mut digester = Digester::new(opcode.parse().unwrap());
            rows.iter().for_each(|(operand, result)| digester.push(&[*operand], *result));
            digester.finish().to_string()
        };
        let open = "cvt.rn.f16.f64";
        let nan = 0x7ff8_0000_0000_0000;
        assert_eq!(digest(open, &[(0, 0), (nan, 0x7fff)]), digest(open, &[(0, 0), (nan, 0x7e00)]));
        assert!(digest(open, &[]).starts_with("sha256-numbers:e3b0c442"));
        let fixed = "cvt.rn.f16.f32";
        assert_ne!(digest(fixed, &[(0x7fc0_0000, 0x7fff)]), digest(fixed, &[(0x7fc0_0000, 0x7e00)]));
    }
}
