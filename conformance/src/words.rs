//! Words of `ptxcvt lower --elements`: how many machine instructions ptxas makes of each, and whether `prove` shows
//! that a sequence of its own returns the form's bits. `records/words.tsv` has the results, docs/generated/words.md a
//! table of them. A text that the record has as proven is not proven again.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_conform::assembler::Assembler;
use ptxcvt_exec::prove::{Options, prove};
use ptxcvt_lower::Kind;
use ptxcvt_lower::word::{Order, Shape, Variant, Word, WordError, reference, word};

use crate::cost::ISA;
use crate::cost::machine::{self, Counted};
use crate::page;
use crate::proofs;
use crate::record::{self, Digest};
use crate::tools::{self, TARGETS};

/// The record.
pub const RECORD: &str = "words.tsv";

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The form for pairs.
    pub form: String,
    /// The number of elements.
    pub elements: u32,
    /// `every` or the options.
    pub variant: String,
    /// The target.
    pub target: String,
    /// Machine instructions beyond loads and stores.
    pub count: String,
    /// How the word is known to be right: `proven`, `sampled`, `different`, `instruction`, `pairs` or `contract`.
    pub verdict: String,
    /// The digest of the text.
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
            [form, elements, variant, target, count, verdict, text] => Ok(Line {
                form: form.into(),
                elements: elements.parse()?,
                variant: variant.into(),
                target: target.into(),
                count: count.into(),
                verdict: verdict.into(),
                text: text.parse()?,
            }),
            _ => Err(anyhow!("a line of the record has seven fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }

    fn print(&self) -> String {
        let Line { form, elements, variant, target, count, verdict, text } = self;
        format!("{form}\t{elements}\t{variant}\t{target}\t{count}\t{verdict}\t{text}")
    }
}

/// The variants and their names.
pub fn variants() -> [(&'static str, Variant); 5] {
    let plain = Variant::default();
    [
        ("every", plain),
        ("--domain numbers", Variant { numbers: true, ..plain }),
        ("--skip-factor", Variant { skip_factor: true, ..plain }),
        ("--order interleaved", Variant { order: Order::Interleaved, ..plain }),
        ("--scale ue8m0", Variant { scale: Some(ptxcvt::Format::Ue8m0), ..plain }),
    ]
}

/// The words of the record: codes to f16 and bf16, and f32 and pairs of 16-bit floats to codes.
///
/// # Errors
///
/// Fails if an opcode of the list is not a form, or has no word.
pub fn shapes() -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for format in ["e2m1", "e4m3", "e5m2", "e2m3", "e3m2"] {
        let widening = ["f16", "bf16"].map(|to| format!("cvt.rn.{to}x2.{format}x2"));
        let narrowing = ["f32", "f16x2", "bf16x2"].map(|from| format!("cvt.rn.satfinite.{format}x2.{from}"));
        for opcode in widening.into_iter().chain(narrowing) {
            let form: Form = opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?;
            shapes.push(Shape::new(form, if format == "e2m1" { 8 } else { 4 })?);
        }
    }
    Ok(shapes)
}

/// The digest of a word's text.
pub fn digest(word: &Word) -> Digest {
    Digest::of_text(&word.to_string())
}

/// Every word of the record for a target and version, with the name of its variant.
///
/// # Errors
///
/// Fails if a word cannot be made for another reason than that the variant is not for its form or target.
pub fn all(target: Target, isa: IsaVersion) -> Result<Vec<(&'static str, Word)>> {
    let mut found = Vec::new();
    for shape in shapes()? {
        for (name, variant) in variants() {
            match word(shape, variant, target, isa) {
                Ok(word) => found.push((name, word)),
                Err(WordError::Variant(_) | WordError::Target(..)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(found)
}

fn counted(words: &[(&str, Word)]) -> Vec<Counted> {
    words.iter().map(|(_, word)| Counted::new(&word.to_string(), word.block(), [])).collect()
}

/// Assembles the words of every target from sm_75 on with each assembler that knows the target, at the first version from
/// 7.0 on and at the newest one. Returns what was accepted, in words, and whether that is everything.
fn assembled(dir: &Path) -> Result<(String, bool)> {
    let (mut accepted, mut agrees) = (Vec::new(), true);
    for (_, path) in tools::assemblers(dir)? {
        let assembler = Assembler::open(&path)?;
        let (mut kernels, mut targets) = (0, 0);
        for target in assembler.targets.iter().copied().filter(|target| target.sm() >= 75) {
            targets += 1;
            let first = target.introduced().max(IsaVersion::new(7, 0));
            for isa in [first, target.newest().min(assembler.newest)] {
                let words = counted(&all(target, isa)?);
                let module = machine::module(&target.to_string(), &isa.to_string(), &words);
                kernels += words.len();
                if let Err(message) = assembler.module(&module, target)? {
                    println!("{target} at {isa} with {}: {message}", assembler.version);
                    agrees = false;
                }
            }
        }
        accepted.push(format!("ptxas {} accepts {kernels} kernels for {targets} targets", assembler.version));
    }
    Ok((accepted.join("; "), agrees))
}

/// Counts and proves everything, and writes the record and the table.
///
/// # Errors
///
/// Fails if a tool is missing or rejects its input.
pub fn run(dir: &Path) -> Result<bool> {
    let known = Line::parse(&record::read(RECORD)?)?;
    let (mut lines, mut agrees): (Vec<Line>, _) = (Vec::new(), true);
    for name in TARGETS {
        let target: Target = name.parse()?;
        let words = all(target, ISA)?;
        let counted = counted(&words);
        let counts = machine::count(dir, name, &ISA.to_string(), &counted)?;
        eprintln!("{name}: {} words", words.len());
        for ((variant, word), count) in words.iter().zip(counts) {
            let is_proven = |line: &&Line| line.text == digest(word) && line.verdict == "proven";
            let verdict = match known.iter().chain(&lines).find(is_proven) {
                Some(_) if *variant == "every" => "proven",
                _ => verdict(variant, word)?,
            };
            agrees &= verdict != "different";
            lines.push(Line {
                form: word.shape().form().to_string(),
                elements: word.shape().elements(),
                variant: (*variant).into(),
                target: name.into(),
                count: count.to_string(),
                verdict: verdict.into(),
                text: digest(word),
            });
        }
    }
    let (accepted, all_accepted) = assembled(dir)?;
    eprintln!("{accepted}");
    let (version, _) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let provenance = [
        format!(
            "ptxas {version}; PTX ISA {ISA}; kernels with a block of `ptxcvt lower --elements`, less kernels without it"
        ),
        accepted,
        "form, elements, options, target, machine instructions, proof, digest of the text".to_owned(),
    ];
    record::write(RECORD, &provenance, lines.iter().map(Line::print))?;
    page::WORDS.write("words", "words", &table(&lines))?;
    Ok(agrees && all_accepted)
}

/// How the word is known to be right:
///
/// | verdict | |
/// |---|---|
/// | `proven` | every input of each independent part returns the form's bits |
/// | `sampled` | no difference was found, but nothing is proven |
/// | `different` | an input returns other bits |
/// | `instruction` | the word is the instruction itself |
/// | `pairs` | it is made of the text of lowerings of pairs, which have a record of their own |
/// | `contract` | it returns the form's bits for a part of the inputs only |
fn verdict(variant: &str, word: &Word) -> Result<&'static str> {
    if variant != "every" {
        return Ok("contract");
    }
    let widens = word.shape().form().source().format().bits() <= 8;
    match word.kind() {
        Kind::Instruction => Ok("instruction"),
        _ if word.name() == "word" && !widens => {
            let equal = proofs::by_elements(reference(word.shape())?.block(), word.block(), 1)?;
            Ok(equal.map_or("sampled", |equal| if equal { "proven" } else { "different" }))
        }
        _ if word.name() == "word" => {
            let reference = reference(word.shape())?;
            let options = Options { threads: 1, samples: 1 << 20, ..Options::default() };
            let answer =
                prove(reference.block(), word.block(), &options, &|_| {}).map_err(|e| anyhow!("{e}"))?;
            Ok(match (answer.is_proof(), answer.difference.is_some()) {
                (_, true) => "different",
                (true, _) => "proven",
                (false, _) => "sampled",
            })
        }
        _ => Ok("pairs"),
    }
}

/// The counts as a table of Markdown.
pub fn table(lines: &[Line]) -> String {
    let mut text = format!("| form | elements | options | {} |\n|---|--:|---|", TARGETS.join(" | "));
    text += &"--:|".repeat(TARGETS.len());
    text += "\n";
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for line in lines {
        let key = (line.form.as_str(), line.variant.as_str());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let count = |target: &str, variant: &str| {
            let is_it = |l: &&Line| l.target == target && l.form == line.form && l.variant == variant;
            lines.iter().find(is_it).map_or("", |line| line.count.as_str())
        };
        // Excluding NaN saves no instruction of a format without NaN.
        if line.variant == "--domain numbers"
            && TARGETS.iter().all(|t| count(t, "every") == count(t, &line.variant))
        {
            continue;
        }
        let options = if line.variant == "every" { String::new() } else { format!("`{}`", line.variant) };
        let _ = write!(text, "| `{}` | {} | {options} |", line.form, line.elements);
        for target in TARGETS {
            let _ = write!(text, " {} |", count(target, &line.variant));
        }
        text += "\n";
    }
    text
}
