//! `ptxcvt eval -`: one line in, one line out, in order, never stopping at a bad line.
//!
//! The loop does not allocate for a line with a known opcode, and writes its results before it waits for input.

mod line;
mod opcodes;

use std::io::{self, Read, Write};
use std::process::ExitCode;

use ptxcvt::Code;
use ptxcvt::forms::Operand;
use ptxcvt::literal::Parsed;
use ptxcvt_files::standard;
use ptxcvt_report::reading;
use serde::Serialize;

use self::opcodes::Opcodes;
use crate::failure::{FINDINGS, Failure};
use crate::input_line::{LONGEST, too_long, without_comment};
use crate::operand::Unreadable;
use crate::output::{self, bare_hex, clip};

/// How lines are read and written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Accept bits that are wider than the type.
    pub wide: bool,
    /// Every line of output is a JSON object.
    pub json: bool,
}

/// Longer opcodes are refused without parsing.
const LONGEST_OPCODE: usize = 1000;

/// Reads standard input to its end.
pub fn run(options: Options) -> Result<ExitCode, Failure> {
    let mut batch = Batch::new(options);
    batch.pump(&mut standard::input()?.lock(), &mut output::raw_stdout())?;
    Ok(if batch.failed { FINDINGS } else { ExitCode::SUCCESS })
}

struct Batch {
    options: Options,
    opcodes: Opcodes,
    failed: bool,
}

impl Batch {
    fn new(options: Options) -> Self {
        Batch { options, opcodes: Opcodes::new(options.wide), failed: false }
    }

    /// Answers every line, and writes the answers before it waits for more input.
    fn pump(&mut self, input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
        let mut buffer = vec![0; LONGEST + 1];
        let (mut filled, mut skipping) = (0, false);
        let mut out = Vec::with_capacity(1 << 17);
        loop {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
            let read = match input.read(&mut buffer[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            filled += read;
            let mut start = 0;
            while let Some(length) = memchr::memchr(b'\n', &buffer[start..filled]) {
                if !std::mem::take(&mut skipping) {
                    self.answer(&buffer[start..start + length], &mut out);
                }
                start += length + 1;
            }
            if read == 0 {
                if start < filled && !skipping {
                    self.answer(&buffer[start..filled], &mut out);
                }
                output.write_all(&out)?;
                return output.flush();
            }
            buffer.copy_within(start..filled, 0);
            filled -= start;
            if filled == buffer.len() {
                if !skipping {
                    // The opcode may be right, but no operands are that long.
                    let (code, message) = (Code::OperandSyntax, too_long());
                    self.write(Err(Unreadable { code, message }), &mut out);
                }
                (filled, skipping) = (0, true);
            }
        }
    }

    /// Appends the answer to a line.
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let Some((opcode, operands)) = line::first_word(without_comment(line)) else {
            // A comment has an empty answer, so that line n of the output belongs to line n of the input.
            out.extend_from_slice(if self.options.json { b"null\n" } else { b"\n" });
            return;
        };
        if opcode.len() > LONGEST_OPCODE {
            let shown = clip(&String::from_utf8_lossy(&opcode[..LONGEST_OPCODE]));
            let message = format!("`{shown}`: no opcode has {} bytes", opcode.len());
            return self.write(Err(Unreadable { code: Code::NotConversion, message }), out);
        }
        let json = self.options.json;
        let mut notes = Vec::new();
        let mut remark = |operand: &Operand, word: &str, parsed: &Parsed| {
            // Text has no place for remarks.
            if let Some(note) = json.then(|| reading::operand_note(operand, word, parsed)).flatten() {
                notes.push(format!("{} = `{}` {note}", operand.role.name(), clip(word)));
            }
        };
        let result = match self.opcodes.look_up(opcode) {
            Ok(known) => {
                let result = line::evaluate(known, operands, &mut remark);
                result.map(|bits| Evaluated { opcode, bits, width: known.form.result_width(), notes })
            }
            Err(bad) => Err(bad.clone()),
        };
        self.write(result, out);
    }

    /// Appends a line of output: the result or the problem.
    fn write(&mut self, result: Result<Evaluated<'_>, Unreadable>, out: &mut Vec<u8>) {
        self.failed |= result.is_err();
        let unfailing = "writing to a vector does not fail";
        match (self.options.json, result) {
            (false, Ok(Evaluated { bits, width, .. })) => {
                out.extend_from_slice(bare_hex(bits, width, &mut [0; 16]).as_bytes());
            }
            (false, Err(bad)) => {
                write!(out, "error[{}]: {}", bad.code, bad.message).expect(unfailing);
            }
            (true, Ok(Evaluated { opcode, bits, width, notes })) => {
                let opcode = &String::from_utf8_lossy(opcode);
                let mut digits = [0; 16];
                let result = bare_hex(bits, width, &mut digits);
                let answer = Answer::Result { opcode, result, width, decimal: bits, notes };
                serde_json::to_writer(&mut *out, &answer).expect(unfailing);
            }
            (true, Err(bad)) => {
                let error = JsonError { code: bad.code.as_str(), message: &bad.message };
                serde_json::to_writer(&mut *out, &Answer::Error { error }).expect(unfailing);
            }
        }
        out.push(b'\n');
    }
}

/// The result of a line.
struct Evaluated<'l> {
    opcode: &'l [u8],
    bits: u64,
    width: u32,
    /// Remarks about operands, for JSON.
    notes: Vec<String>,
}

/// A line of `--json`. `result` has no prefix, unlike that of one conversion; the other fields are equal.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Result { opcode: &'a str, result: &'a str, width: u32, decimal: u64, notes: Vec<String> },
    Error { error: JsonError<'a> },
}

#[derive(Serialize)]
struct JsonError<'a> {
    code: &'static str,
    message: &'a str,
}

#[cfg(test)]
mod tests {
    use ptxcvt::Form;
    use ptxcvt::inputs::SplitMix64;

    use super::*;

    fn answers(input: &[u8], options: Options) -> (String, bool) {
        let mut batch = Batch::new(options);
        let mut out = Vec::new();
        batch.pump(&mut { input }, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), batch.failed)
    }

    fn answer(line: &str) -> String {
        answers(line.as_bytes(), Options::default()).0.trim_end().to_owned()
    }

    #[test]
    fn operands_in_every_notation() {
        for (line, result) in [
            ("cvt.rn.f16.f32 3f800000", "3c00"),
            ("cvt.rn.f16.f32 0x3f800000", "3c00"),
            ("cvt.rn.f16.f32 1.5", "3e00"),
            ("cvt.rn.f16.f32 -1.5 // a comment", "be00"),
            ("cvt.rn.f16.f32 -inf # another", "fc00"),
            ("cvt.rn.f16.f32 nan", "7fff"),
            ("cvt.rn.f16.f32 0f3F800000;", "3c00"),
            ("cvt.rn.f32.f64 0d3FF0000000000000", "3f800000"),
            ("cvt.rn.f16x2.f32 1.5,-2", "3e00c000"),
            ("cvt.rn.f16x2.e4m3x2 1.5,-448", "3e00df00"),
            ("cvt.rn.f16x2.e4m3x2 3cfe", "3e00df00"),
            ("cvt.s32.s8 -1", "ffffffff"),
            ("cvt.s16.s32 -010", "fff8"),
            ("cvt.rs.satfinite.e4m3x4.f32 {1.0, 0, 0, 0}, 0", "38000000"),
            ("", ""),
            ("  // nothing", ""),
        ] {
            assert_eq!(answer(line), result, "{line}");
        }
        for line in ["cvt.rn.f16.f32 {1.0", "cvt.rn.f16x2.f32 1.0, 2.0}", "cvt.rn.f16x2.f32 {{1.0, 2.0}}"] {
            assert!(answer(line).starts_with("error[CVT021]: the braces of"), "{}", answer(line));
        }
    }

    #[test]
    fn bits_beyond_the_type_are_an_error_unless_wide() {
        let line = "cvt.rn.f16.f32 0x3ff0000000000000";
        assert_eq!(
            answer(line),
            "error[CVT022]: operand a = `0x3ff0000000000000` of `cvt.rn.f16.f32`: has 62 bits, `.f32` has 32; \
             --wide reads the low ones, as PTX reads a wider register"
        );
        assert_eq!(answers(line.as_bytes(), Options { wide: true, json: false }).0, "0000\n");
    }

    #[test]
    fn lines_of_json() {
        let json = |line: &str| answers(line.as_bytes(), Options { json: true, wide: false }).0;
        assert_eq!(
            json("cvt.rn.f16.f32 1.0\n\n"),
            "{\"opcode\":\"cvt.rn.f16.f32\",\"result\":\"3c00\",\"width\":16,\"decimal\":15360,\"notes\":[]}\nnull\n"
        );
        assert!(json("cvt.rn.f16.f32 1.0e39").contains("\"notes\":[\"a = `1.0e39` is out of range"));
        assert!(
            json("cvt.rn.f16.f32 -0x3c").contains("is an integer because of its sign; 0x3c alone is bits")
        );
        assert!(json("cvt.s16.s32 -010").contains("`-010` is octal because of its leading zero"));
        assert!(json("cvt.rn.f16.f32").starts_with("{\"error\":{\"code\":\"CVT020\",\"message\":\""));
    }

    #[test]
    fn nothing_is_echoed_whole() {
        // 1,000 opcodes of 900 bytes, and some that are far too long.
        let mut input = String::new();
        for n in 0..1000 {
            input.push_str(&format!("cvt.{n}{} 1\n", "x".repeat(900)));
        }
        input.push_str(&format!("cvt.{} 1\n", "y".repeat(2000)));
        input.push_str(&format!("{}\ncvt.rn.f16.f32 0\n", "z".repeat(700_000)));
        let (out, failed) = answers(input.as_bytes(), Options::default());
        assert!(failed && out.lines().count() == 1003);
        assert!(out.lines().all(|line| line.len() < 1000), "no opcode is echoed whole");
        assert!(out.ends_with("the line is longer than 65536 bytes\n0000\n"), "{}", &out[out.len() - 200..]);
    }

    /// A word as long as a literal of PTX, with a character of several bytes in front.
    #[test]
    fn operands_beyond_ascii() {
        for word in ["é1234567", "\u{fffd}nite.e4m3x4.f32", "é234567890123456", "0é345678"] {
            let line = format!("cvt.rn.f16.f32 {word}");
            assert!(answer(&line).starts_with("error[CVT021]"), "{}", answer(&line));
        }
        let (out, _) = answers(b"cvt.rn.f16.f32 \xffnite.e4m3x4.f32\n", Options::default());
        assert!(out.starts_with("error[CVT021]"), "{out}");
    }

    /// Reads a random part of the requested bytes.
    struct Pieces<'a>(&'a [u8], SplitMix64);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = 1 + self.1.below(buffer.len().min(3000));
            self.0.read(&mut buffer[..length])
        }
    }

    /// Good lines, bad ones and comments over several buffers, in pieces of any length: line n answers line n.
    #[test]
    fn answers_keep_their_places() {
        let mut random = SplitMix64::new(4);
        let (mut input, mut expected) = (String::new(), String::new());
        for n in 0..30_000 {
            let bits = random.next_u64() as u32;
            let (line, answer) = match random.below(8) {
                0 => (format!("cvt.u.u32 {n}"), None),
                1 => (format!("cvt.u32.s32 {n}x"), None),
                2 => (format!("# {n}"), Some(String::new())),
                3 => (format!("cvt.u16.u32 {bits:08x} // {n}"), Some(format!("{:04x}", bits & 0xffff))),
                _ => (format!("cvt.u32.s32 {bits:x}"), Some(format!("{bits:08x}"))),
            };
            expected += &answer.unwrap_or_else(|| self::answer(&line));
            expected.push('\n');
            input += &line;
            input.push('\n');
        }
        assert!(input.len() > 5 * LONGEST);
        let mut batch = Batch::new(Options::default());
        let mut out = Vec::new();
        batch.pump(&mut Pieces(input.as_bytes(), random), &mut out).unwrap();
        assert!(batch.failed && out == expected.as_bytes());
    }

    /// Lines that a seeded generator makes from good ones have one answer each, and none panics.
    #[test]
    fn mutated_lines_have_an_answer_each() {
        let forms: Vec<Form> = Form::all().collect();
        let mut random = SplitMix64::new(9);
        let mut pick = |n: usize| random.next_u64() as usize % n;
        let mut input = Vec::new();
        const LINES: usize = 4_000;
        for _ in 0..LINES {
            let form = forms[pick(forms.len())];
            let mut line = form.to_string().into_bytes();
            for _ in 0..pick(7) {
                let words =
                    ["0", "ffffffff", "1.5", "-2", "nan", "{1,", "2}", "0f3F800000", "1e999", "0x", ",", "é"];
                line.push(b' ');
                line.extend(words[pick(words.len())].bytes());
            }
            for _ in 0..pick(4) {
                let at = pick(line.len());
                line[at] = b" .,{}x0f#/\xff\0-e"[pick(14)];
            }
            line.retain(|byte| *byte != b'\n');
            input.extend(line);
            input.push(b'\n');
        }
        let (out, _) = answers(&input, Options::default());
        assert_eq!(out.lines().count(), LINES);
        assert!(out.lines().any(|line| !line.is_empty() && !line.starts_with("error")));
    }
}
