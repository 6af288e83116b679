//! A search for shorter sequences near a known one. `records/search.tsv` lists the sequences that were
//! varied, how many neighbours were tried, and how many are equal.
//!
//! In a neighbour of a block, one instruction is replaced by a move of one of its sources, which costs nothing. At most one
//! constant is also replaced by a constant near it, which differs in one bit, in the same bit of both halves, or by a small
//! number. A neighbour that returns the form's bits on a sample is given to `prove`.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use anyhow::{Result, anyhow};
use ptxcvt::{Form, inputs};
use ptxcvt_exec::prove::{Options, prove};
use ptxcvt_exec::{Block, Operand, read};
use ptxcvt_lower::Lowering;

use crate::proofs;
use crate::record::{self, Digest};

/// The record.
pub const RECORD: &str = "search.tsv";

/// Inputs on which a neighbour is tried first. Most fail at the first of them.
const SAMPLE: usize = 2_000;
/// The largest number that is added to a constant or taken from it.
const STEP: u32 = 16;

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The form.
    pub form: String,
    /// The sequence that was varied.
    pub name: String,
    /// The neighbours.
    pub tried: usize,
    /// Neighbours that agree with the form on the sample.
    pub likely: usize,
    /// Neighbours that `prove` shows to return the form's bits for every input.
    pub proven: usize,
    /// The digest of the sequence's text.
    pub text: Digest,
}

impl Line {
    /// The lines of the record.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn parse(text: &str) -> Result<Vec<Line>> {
        let line = |fields: Vec<&str>| match fields[..] {
            [form, name, tried, likely, proven, text] => Ok(Line {
                form: form.into(),
                name: name.into(),
                tried: tried.parse()?,
                likely: likely.parse()?,
                proven: proven.parse()?,
                text: text.parse()?,
            }),
            _ => Err(anyhow!("a line of the record has six fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }

    fn print(&self) -> String {
        let Line { form, name, tried, likely, proven, text } = self;
        format!("{form}\t{name}\t{tried}\t{likely}\t{proven}\t{text}")
    }
}

/// The text with one instruction replaced by a move, for every instruction and each of its sources that fits.
pub fn without_one(text: &str, block: &Block) -> Vec<String> {
    let mut found = Vec::new();
    for instruction in block.code() {
        let [Operand::Register(to), sources @ ..] = &instruction.operands[..] else { continue };
        let [from, end] = [instruction.span.start, instruction.span.end].map(|at| at as usize);
        if instruction.guard.is_some() || instruction.opcode.to_string().starts_with("mov.") {
            continue;
        }
        let width = block.declaration(*to).ty.width;
        for source in sources {
            let Operand::Register(source) = source else { continue };
            if block.declaration(*source).ty.width != width {
                continue;
            }
            let [to, source] = [*to, *source].map(|register| block.declaration(register).name.clone());
            let semicolon = if text[from..end].ends_with(';') { ";" } else { "" };
            let moved = format!("mov.b{width} {to}, {source}{semicolon}");
            found.push(format!("{}{moved}{}", &text[..from], &text[end..]));
        }
    }
    found
}

/// The texts in which one constant is replaced by a constant near it.
pub fn with_constants(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '%' | '_' | '$');
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let word = &rest[..length];
        let (prefix, number) = match word.split_at_checked(2) {
            Some((prefix @ ("0x" | "0f"), digits)) => (prefix, u32::from_str_radix(digits, 16).ok()),
            _ => ("", word.parse().ok()),
        };
        for other in number.into_iter().flat_map(|number| near(number, !prefix.is_empty())) {
            let other = match prefix {
                "" => other.to_string(),
                prefix => format!("{prefix}{other:08X}"),
            };
            found.push(format!("{}{other}{}", &text[..at], &text[at + length..]));
        }
        at += length;
    }
    found
}

/// The constants near a constant. Small decimal numbers are shift amounts and bit positions.
fn near(number: u32, is_wide: bool) -> Vec<u32> {
    let steps = (1..=STEP).flat_map(|n| [number.wrapping_add(n), number.wrapping_sub(n)]);
    let mut all: Vec<u32> = match is_wide {
        true => steps.chain((0..32).map(|bit| number ^ 1 << bit)).collect(),
        false => steps.filter(|n| *n < 32).collect(),
    };
    if is_wide && number >> 16 == number & 0xffff {
        all.extend((0..16).map(|bit| number ^ 0x1_0001 << bit));
    }
    all
}

/// A neighbour's block; `None` if the text cannot be read, or if it disagrees with the form on the sample.
fn likely(text: &str, sample: &[(Vec<u64>, u64)]) -> Option<Block> {
    let block = read::block(text, &read::Interface::default()).ok()?;
    let agrees =
        |(given, wanted): &(Vec<u64>, u64)| block.eval(given).is_ok_and(|results| results == [*wanted]);
    sample.iter().all(agrees).then_some(block)
}

/// Searches near one sequence. Prints what it finds.
fn near_to(lowering: &Lowering, threads: usize) -> Result<Line> {
    let form = lowering.form();
    let text = lowering.to_string();
    let reference = Block::of_form(form);
    let sample = sample(form);
    let skeletons = without_one(&text, lowering.block());
    let vary = |(tried, found): &mut (usize, Vec<(u64, String, Block)>), chunk: Range<u64>| {
        for n in chunk {
            let skeleton = &skeletons[n as usize];
            for text in std::iter::once(skeleton.clone()).chain(with_constants(skeleton)) {
                *tried += 1;
                if let Some(block) = likely(&text, &sample) {
                    found.push((n, text, block));
                }
            }
        }
        ControlFlow::Continue(())
    };
    let states = ptxcvt_parallel::fold(skeletons.len() as u64, 1, threads.max(1), Default::default, vary);
    let tried = states.iter().map(|(tried, _)| tried).sum();
    let mut found: Vec<(u64, String, Block)> = states.into_iter().flat_map(|(_, found)| found).collect();
    // The sort is stable, so neighbours with the same skeleton keep their order.
    found.sort_by_key(|(skeleton, ..)| *skeleton);
    let likely = found.len();
    let mut proven = 0;
    for (_, text, block) in found {
        let options = Options { threads, first: true, ..Options::default() };
        let answer = prove(&reference, &block, &options, &|_| {}).map_err(|e| anyhow!("{e}"))?;
        if answer.is_proof() {
            proven += 1;
            println!("{form} by {} can be shorter:\n{text}", lowering.name());
        }
    }
    let (form, name) = (form.to_string(), lowering.name().to_owned());
    Ok(Line { form, name, tried, likely, proven, text: proofs::digest(lowering) })
}

/// Inputs with the form's results, edge cases first.
fn sample(form: Form) -> Vec<(Vec<u64>, u64)> {
    let count = form.source_count();
    let all: Vec<[u64; 5]> = inputs::operands(&form, SAMPLE, 3).collect();
    let step = (all.len() / SAMPLE).max(1);
    let of = |operands: &[u64; 5]| {
        let given = operands[..count].to_vec();
        let wanted = form.eval(&given).ok()?;
        Some((given, wanted))
    };
    all.iter().step_by(step).filter_map(of).collect()
}

/// Searches near every short sequence for every input whose opcode contains `only`, and writes the record.
///
/// # Errors
///
/// Fails if a sequence or the record cannot be read, or the record cannot be written.
pub fn run(only: Option<&str>, threads: usize) -> Result<bool> {
    let known = record::earlier(RECORD)?;
    let mut lines: BTreeMap<(String, String), Line> =
        Line::parse(&known)?.into_iter().map(|line| ((line.form.clone(), line.name.clone()), line)).collect();
    for lowering in proofs::all()?.iter().filter(|lowering| lowering.contract().is_every()) {
        let form = lowering.form().to_string();
        if only.is_some_and(|only| !form.contains(only)) {
            continue;
        }
        let line = near_to(lowering, threads)?;
        eprintln!("{}", line.print());
        lines.insert((form, lowering.name().to_owned()), line);
        let provenance = [
            "A search near short sequences: an instruction less, and at most one other constant.".to_owned(),
            "Made by `ptxcvt-conformance search`.".to_owned(),
            "form, sequence, neighbours tried, equal on a sample, proven equal, digest of the sequence's text".to_owned(),
        ];
        record::write(RECORD, &provenance, lines.values().map(Line::print))?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence with a superfluous instruction and a wrong constant is corrected.
    #[test]
    fn a_planted_detour_is_found() {
        let form: Form = "cvt.f32.bf16".parse().unwrap();
        let text = "// =f,h\n{ .reg .b32 w; cvt.u32.u16 w, %1; xor.b32 w, w, 8; shl.b32 %0, w, 15; }\n";
        let block = read::block(text, &read::Interface::default()).unwrap();
        let sample = sample(form);
        let skeletons = without_one(text, &block);
        let all = skeletons.iter().flat_map(|s| with_constants(s));
        let found: Vec<Block> = all.filter_map(|text| likely(&text, &sample)).collect();
        assert_eq!(found.len(), 1, "{skeletons:#?}");
        let answer = prove(&Block::of_form(form), &found[0], &Options::default(), &|_| {}).unwrap();
        assert!(answer.is_proof());
    }

    #[test]
    fn constants_are_varied_in_their_spelling() {
        let all = with_constants("and.b32 a, %1, 0x00ff00ff;");
        assert!(all.contains(&"and.b32 a, %1, 0x00FE00FE;".to_owned()));
        assert!(all.contains(&"and.b32 a, %1, 0x00FF0100;".to_owned()));
        assert!(with_constants("shr.u32 a, %1, 3;").contains(&"shr.u32 a, %1, 4;".to_owned()));
    }
}
