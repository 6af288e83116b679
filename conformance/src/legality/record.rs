//! The legality record: spellings grouped by where they are legal.
//!
//! A thousand forms fall into a few classes, so the record is small and its changes are easy to read.
//!
//! ```text
//! target  sm_90  7.8                    first ISA version, by the newest assembler that knows it
//! class   A  sm_80=7.0 sm_86=7.1 …      first ISA version on each target
//! form    A  cvt.rn.bf16.f32
//! differs 12.9.86  sm_80  cvt.ftz.f32.bf16  7.1    an older assembler says otherwise
//! crash   13.5.37  sm_107a  cvt.rm.pzo.f16.f32     passes the checks, then the assembler fails
//! ```

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use crate::record;

/// The first ISA version of each spelling, on one target.
pub type Verdicts = BTreeMap<String, String>;

/// Spellings that are legal in the same places.
#[derive(Debug)]
pub struct Class {
    /// The first ISA version on each target.
    pub since: BTreeMap<String, String>,
    /// The spellings.
    pub opcodes: Vec<String>,
}

/// The whole record.
#[derive(Debug, Default)]
pub struct Record {
    /// The record's file name.
    name: &'static str,
    /// The first ISA version of each target.
    pub targets: BTreeMap<String, String>,
    /// The classes.
    pub classes: Vec<Class>,
    /// Disagreements of an older assembler with the newest one: assembler, target, opcode, version.
    pub differs: Vec<[String; 4]>,
    /// Spellings that pass the front end but do not compile: assembler, target, opcode.
    pub crashes: Vec<[String; 3]>,
    /// Number of spellings tried. Not read back.
    tried: usize,
    /// The assemblers that were run. Not read back.
    assemblers: Vec<String>,
    /// During the sweep: the first version of each spelling on each target.
    since: BTreeMap<String, BTreeMap<String, String>>,
}

impl Record {
    /// An empty record for a run of these assemblers over this many spellings.
    pub fn new(name: &'static str, assemblers: Vec<String>, tried: usize) -> Self {
        Record { name, assemblers, tried, ..Record::default() }
    }

    /// Adds an assembler's verdicts for a target. Newer assemblers are added first and take precedence.
    pub fn add(&mut self, assembler: &str, target: &str, versions: &[String], verdicts: Verdicts) {
        let (Some(first), Some(last)) = (versions.first(), versions.last()) else { return };
        if !self.targets.contains_key(target) {
            self.targets.insert(target.to_owned(), first.clone());
            for (opcode, isa) in verdicts {
                self.since.entry(opcode).or_default().insert(target.to_owned(), isa);
            }
            return;
        }
        for (opcode, since) in &self.since {
            // An older assembler cannot know versions after its last one.
            let newer = since.get(target).filter(|isa| number(isa) <= number(last));
            let older = verdicts.get(opcode);
            if newer != older {
                let version = older.map_or("never", |isa| isa);
                self.differs.push([assembler, target, opcode, version].map(str::to_owned));
            }
        }
    }

    /// Adds a form that passes the front end but does not compile.
    pub fn crash(&mut self, assembler: &str, target: &str, opcode: &str) {
        self.crashes.push([assembler, target, opcode].map(str::to_owned));
    }

    /// Takes over what another record says of these spellings.
    pub fn keep(&mut self, other: &Record, of: impl Fn(&str) -> bool) {
        for class in &other.classes {
            for opcode in class.opcodes.iter().filter(|opcode| of(opcode)) {
                self.since.insert(opcode.clone(), class.since.clone());
            }
        }
        self.differs.extend(other.differs.iter().filter(|[_, _, opcode, _]| of(opcode)).cloned());
        self.crashes.extend(other.crashes.iter().filter(|[_, _, opcode]| of(opcode)).cloned());
    }

    /// The collected verdicts, grouped as if the record had been written and read.
    pub fn grouped(&self) -> Result<Self> {
        Ok(Record { name: self.name, ..Self::parse(&self.lines().join("\n"))? })
    }

    /// Groups the collected verdicts.
    fn lines(&self) -> Vec<String> {
        let mut classes: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
        for (opcode, since) in &self.since {
            let mut gates: Vec<_> = since.iter().collect();
            gates.sort_by_key(|(target, _)| order(target));
            let key = gates.iter().map(|(target, isa)| format!("{target}={isa}")).collect();
            classes.entry(key).or_default().push(opcode);
        }
        let mut targets: Vec<_> = self.targets.iter().collect();
        targets.sort_by_key(|(target, _)| order(target));
        let mut lines: Vec<String> = targets.iter().map(|(t, isa)| format!("target\t{t}\t{isa}")).collect();
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(key, opcodes)| (std::cmp::Reverse(key.len()), opcodes[0]));
        for (letter, (key, opcodes)) in ('A'..).zip(&classes) {
            lines.push(format!("class\t{letter}\t{}", key.join(" ")));
            lines.extend(opcodes.iter().map(|opcode| format!("form\t{letter}\t{opcode}")));
        }
        lines.extend(self.differs.iter().map(|fields| format!("differs\t{}", fields.join("\t"))));
        let crashes: BTreeSet<_> = self.crashes.iter().collect();
        lines.extend(crashes.iter().map(|fields| format!("crash\t{}", fields.join("\t"))));
        lines
    }

    /// Groups the collected verdicts and writes the record.
    pub fn write(&self) -> Result<()> {
        let provenance = [
            "What ptxas accepts: the first ISA version of every spelling on every target.",
            &format!("ptxas {}: the newest that lists a target is believed.", self.assemblers.join(", ")),
            &format!("{} spellings, every `.version` from 2.3.", self.tried),
            &format!("Made by `ptxcvt-conformance {}`.", self.name.trim_end_matches(".tsv")),
        ];
        record::write(self.name, &provenance.map(str::to_owned), self.lines())
    }

    /// Reads a record by name.
    pub fn read(name: &'static str) -> Result<Self> {
        Ok(Record { name, ..Self::parse(&record::read(name)?)? })
    }

    fn parse(text: &str) -> Result<Self> {
        let mut parsed = Record::default();
        for fields in record::rows(text) {
            match fields[..] {
                ["target", target, isa] => drop(parsed.targets.insert(target.to_owned(), isa.to_owned())),
                ["class", _, gates] => {
                    let pairs = gates.split(' ').map(|gate| gate.split_once('='));
                    let since = pairs
                        .map(|pair| pair.map(|(t, isa)| (t.to_owned(), isa.to_owned())))
                        .collect::<Option<_>>();
                    let since = since.with_context(|| format!("no gates: {gates}"))?;
                    parsed.classes.push(Class { since, opcodes: Vec::new() });
                }
                ["form", _, opcode] => {
                    let class = parsed.classes.last_mut().context("a form before its class")?;
                    class.opcodes.push(opcode.to_owned());
                }
                ["crash", a, t, o] => parsed.crashes.push([a, t, o].map(str::to_owned)),
                ["differs", a, t, o, v] => parsed.differs.push([a, t, o, v].map(str::to_owned)),
                _ => bail!("unknown line: {fields:?}"),
            }
        }
        Ok(parsed)
    }
}

/// A version such as `8.10` as an ordered number.
fn number(isa: &str) -> Option<(u32, u32)> {
    let (major, minor) = isa.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Targets by number, then by letter.
fn order(target: &str) -> (u32, String) {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().expect("a target has a number"), target.to_owned())
}
