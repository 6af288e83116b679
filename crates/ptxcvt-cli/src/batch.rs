//! `ptxcvt eval -`: one line in, one line out, in order, never stopping at a bad line.
//!
//! The loop is lean: no allocation for a line of a known opcode, results written when the input waits.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use ptxcvt::forms::Operand;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Code, Form, OperandCountError};
use serde::Serialize;

use crate::failure::{self, FINDINGS, Failure};
use crate::operand::{self, Unreadable};
use crate::output::{bare_hex, clip};

/// How lines are read and written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Bits may be wider than the type.
    pub wide: bool,
    /// Every line of output is a JSON object.
    pub json: bool,
}

/// A form and its source operands, looked up once an opcode.
#[derive(Clone)]
struct Known {
    form: Form,
    operands: Vec<Operand>,
}

/// Bytes of opcodes and of what is wrong with them that are remembered: many times all legal ones, and little beside
/// a stream of rubbish.
const REMEMBERED: usize = 4 << 20;
/// A longer opcode is not looked at.
const LONGEST_OPCODE: usize = 1000;
/// Nor a longer line.
const LONGEST_LINE: usize = 1 << 16;

/// Reads standard input to its end.
pub fn run(options: Options) -> Result<ExitCode, Failure> {
    let mut batch = Batch { options, opcodes: HashMap::new(), remembered: 0, failed: false };
    let outcome = batch.pump(&mut io::stdin().lock(), &mut io::stdout().lock());
    let status = if batch.failed { FINDINGS } else { ExitCode::SUCCESS };
    match outcome {
        // A reader that has seen enough changes nothing of what was found.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(status),
    }
}

struct Batch {
    options: Options,
    /// Opcodes that were seen, legal or not.
    opcodes: HashMap<Box<[u8]>, Result<Known, Unreadable>>,
    remembered: usize,
    failed: bool,
}

impl Batch {
    /// Answers every line; what is ready is written before anything more is waited for.
    fn pump(&mut self, input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
        let mut buffer = vec![0; LONGEST_LINE + 1];
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
            while let Some(length) = buffer[start..filled].iter().position(|byte| *byte == b'\n') {
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
                    let message = format!("the line is longer than {LONGEST_LINE} bytes");
                    self.write(Err(&Unreadable { code: Code::NotConversion, message }), &mut out);
                }
                (filled, skipping) = (0, true);
            }
        }
    }

    /// Appends the answer to a line.
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let line = match line.windows(2).position(|pair| pair == b"//") {
            Some(at) => &line[..at],
            None => line,
        };
        let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let Some(opcode) = words.next() else {
            // A comment has an answer, too, so that line n of the output belongs to line n of the input.
            out.extend_from_slice(if self.options.json { b"null\n" } else { b"\n" });
            return;
        };
        if opcode.len() > LONGEST_OPCODE {
            let shown = clip(&String::from_utf8_lossy(&opcode[..LONGEST_OPCODE]));
            let message = format!("`{shown}`: no opcode has {} bytes", opcode.len());
            return self.write(Err(&Unreadable { code: Code::NotConversion, message }), out);
        }
        if !self.opcodes.contains_key(opcode) {
            self.remember(opcode);
        }
        let result = match &self.opcodes[opcode] {
            Ok(known) => {
                evaluate(known, words, self.options.wide).map(|bits| (known.form.result_width(), bits))
            }
            Err(bad) => Err(bad.clone()),
        };
        match result {
            Ok((width, bits)) => self.write(Ok((opcode, bits, width)), out),
            Err(bad) => self.write(Err(&bad), out),
        }
    }

    fn remember(&mut self, opcode: &[u8]) {
        let found = look_up(&String::from_utf8_lossy(opcode));
        let message = found.as_ref().err().map_or(0, |bad| bad.message.len());
        // The key, the value, and what the map needs beside.
        self.remembered += opcode.len() + message + 200;
        if self.remembered > REMEMBERED {
            self.opcodes.clear();
            self.remembered = 0;
        }
        self.opcodes.insert(opcode.into(), found);
    }

    /// Appends a line of output.
    fn write(&mut self, result: Result<(&[u8], u64, u32), &Unreadable>, out: &mut Vec<u8>) {
        self.failed |= result.is_err();
        match result {
            Ok((_, bits, width)) if !self.options.json => {
                for digit in (0..width.div_ceil(4)).rev() {
                    out.push(b"0123456789abcdef"[(bits >> (4 * digit) & 0xf) as usize]);
                }
                out.push(b'\n');
            }
            Err(bad) if !self.options.json => {
                // Writing to a vector cannot fail.
                let _ = writeln!(out, "error[{}]: {}", bad.code, bad.message);
            }
            result => {
                let answer = match result {
                    Ok((opcode, bits, width)) => Answer::Result {
                        opcode: &String::from_utf8_lossy(opcode),
                        result: &bare_hex(bits, width),
                        width,
                    },
                    Err(bad) => {
                        Answer::Error { error: JsonError { code: bad.code.as_str(), message: &bad.message } }
                    }
                };
                let _ = serde_json::to_writer(&mut *out, &answer);
                out.push(b'\n');
            }
        }
    }
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Result { opcode: &'a str, result: &'a str, width: u32 },
    Error { error: JsonError<'a> },
}

#[derive(Serialize)]
struct JsonError<'a> {
    code: &'static str,
    message: &'a str,
}

/// Evaluates a form over the words of a line.
fn evaluate<'w>(known: &Known, words: impl Iterator<Item = &'w [u8]>, wide: bool) -> Result<u64, Unreadable> {
    let Known { form, operands } = known;
    let mut bits = [0; MAX_OPERANDS];
    let mut given = 0;
    for word in words {
        let word = trimmed(word);
        let packed = operands.get(given).and_then(|o| o.ty).map_or(1, |ty| ty.lanes() as usize);
        let pieces = word.split(|byte| *byte == b',').filter(|piece| !piece.is_empty());
        // `1.5,-2` are the elements of one packed operand, unless each is the bits of an operand.
        let elements = packed > 1 && word.contains(&b',') && pieces.clone().any(|p| hexadecimal(p).is_none());
        let whole = elements.then_some(word);
        let pieces = whole.into_iter().chain(pieces.take_while(|_| !elements));
        for piece in pieces {
            if let (Some(slot), Some(operand)) = (bits.get_mut(given), operands.get(given)) {
                *slot = match hexadecimal(piece) {
                    Some(value) if value <= u64::MAX >> (64 - operand.width) => value,
                    _ => read(form, operand, piece, wide)?,
                };
            }
            given += 1;
        }
    }
    let count = |e: OperandCountError| Unreadable { code: e.code(), message: format!("`{form}`: {e}") };
    let used = bits.get(..given).ok_or(OperandCountError::new(operands.len(), given)).map_err(count)?;
    form.eval(used).map_err(count)
}

/// An operand that is not plainly its bits.
#[cold]
fn read(form: &Form, operand: &Operand, word: &[u8], wide: bool) -> Result<u64, Unreadable> {
    let text = String::from_utf8_lossy(word);
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(&text);
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && !digits.is_empty();
    // PTX's own literals are hexadecimal digits, too, but too many.
    let literal = matches!((word.len(), word), (10, [b'0', b'f' | b'F', ..]) | (18, [b'0', b'd' | b'D', ..]));
    let read = if is_hexadecimal && !literal {
        operand::bits(form, operand, digits, wide)
    } else {
        operand::parse(form, operand, &text, wide).map(|read| read.bits)
    };
    read.map_err(|bad| {
        let role = operand.role.name();
        Unreadable {
            message: format!("operand {role} = `{}` of `{form}`: {}", clip(&text), bad.message),
            ..bad
        }
    })
}

/// Without the punctuation that PTX puts around operands.
fn trimmed(mut word: &[u8]) -> &[u8] {
    while let [b'{' | b',', rest @ ..] = word {
        word = rest;
    }
    while let [rest @ .., b'}' | b',' | b';'] = word {
        word = rest;
    }
    word
}

/// Up to sixteen hexadecimal digits, with or without prefix.
fn hexadecimal(word: &[u8]) -> Option<u64> {
    let digits = match word {
        [b'0', b'x' | b'X', rest @ ..] => rest,
        _ => word,
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => return None,
        };
        Some(value << 4 | u64::from(digit))
    })
}

fn look_up(opcode: &str) -> Result<Known, Unreadable> {
    let form = failure::form(opcode).map_err(|failure| {
        let (code, message) = failure.into_line();
        Unreadable { code: code.unwrap_or(Code::NotConversion), message }
    })?;
    Ok(Known { form, operands: form.operands().skip(1).collect() })
}

#[cfg(test)]
mod tests {
    use ptxcvt::inputs::SplitMix64;

    use super::*;

    fn answers(input: &[u8], options: Options) -> (String, bool) {
        let mut batch = Batch { options, opcodes: HashMap::new(), remembered: 0, failed: false };
        let mut out = Vec::new();
        batch.pump(&mut { input }, &mut out).unwrap();
        assert!(batch.remembered <= REMEMBERED);
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
            ("cvt.rs.satfinite.e4m3x4.f32 {1.0, 0, 0, 0}, 0", "38000000"),
            ("", ""),
            ("  // nothing", ""),
        ] {
            assert_eq!(answer(line), result, "{line}");
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
            "{\"opcode\":\"cvt.rn.f16.f32\",\"result\":\"3c00\",\"width\":16}\nnull\n"
        );
        assert!(json("cvt.rn.f16.f32").starts_with("{\"error\":{\"code\":\"CVT020\",\"message\":\""));
    }

    #[test]
    fn memory_is_bounded_by_bytes() {
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

    /// Lines made of good ones by a seeded generator: one answer each, and nothing panics.
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
