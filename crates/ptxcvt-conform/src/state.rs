//! The page docs/generated/state.md: the oracles that confirmed each form, and the number of inputs.
//!
//! It is generated from the records under `conformance/`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use ptxcvt::Form;

use crate::cases::Cases;
use crate::vectors::{File, Outcome};

/// Confirmed inputs by form, for one oracle.
pub type Confirmed = BTreeMap<Form, u64>;

/// The contents of the records.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Results of GPUs: vector files.
    pub hardware: Confirmed,
    /// NVIDIA's host emulation in the CUDA headers.
    pub headers: Confirmed,
    /// A processor's own conversions in each rounding mode.
    pub machine: Confirmed,
    /// LLVM's arbitrary-precision floats; elements.
    pub apfloat: Confirmed,
    /// Constants that ptxas folded.
    pub folding: Confirmed,
}

impl Evidence {
    /// Reads the records of a repository.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line, and if a record cannot be read.
    pub fn read(root: &Path) -> Result<Evidence, String> {
        let mut evidence = Evidence::default();
        let read = |folder: &str, name: &str| {
            let path = root.join("conformance").join(folder).join(name);
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        for name in ["b200-cvt.tsv", "b200-rs.tsv"] {
            let file = File::parse(name, &read("vectors", name)?).map_err(|error| error.to_string())?;
            evidence.add_vectors(&file);
        }
        evidence.add_headers(&read("records", "headers.tsv")?)?;
        evidence.add_folding(&read("records", "folding.tsv")?)?;
        evidence.add_apfloat(&read("records", "apfloat.tsv")?)?;
        Ok(evidence)
    }

    /// Adds a vector file.
    pub fn add_vectors(&mut self, file: &File) {
        for entry in &file.entries {
            let inputs = match entry.outcome {
                Outcome::Result { .. } => 1,
                Outcome::Digest { set, .. } => Cases::of_set(entry.form, set).count(),
            };
            *self.hardware.entry(entry.form).or_default() += inputs;
        }
    }

    /// Adds `headers.tsv`: group, opcode, tuples, excluded, differences.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn add_headers(&mut self, text: &str) -> Result<(), String> {
        rows(text, |columns| {
            let [group, opcode, tuples, left_out, differences, ..] = columns else { return None };
            let number = |text: &str| text.parse::<u64>().ok();
            let inputs = number(tuples)?.checked_sub(number(left_out)?)?.checked_sub(number(differences)?)?;
            let place = match *group {
                "headers" => &mut self.headers,
                "machine" => &mut self.machine,
                _ => return None,
            };
            *place.entry(opcode.parse().ok()?).or_default() += inputs;
            Some(())
        })
    }

    /// Adds `folding.tsv`: opcode, then operands=result, separated by spaces.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn add_folding(&mut self, text: &str) -> Result<(), String> {
        rows(text, |columns| {
            let [opcode, pairs] = columns else { return None };
            *self.folding.entry(opcode.parse().ok()?).or_default() += pairs.matches('=').count() as u64;
            Some(())
        })
    }

    /// Adds `apfloat.tsv`: opcode, elements.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn add_apfloat(&mut self, text: &str) -> Result<(), String> {
        rows(text, |columns| {
            let [opcode, elements] = columns else { return None };
            *self.apfloat.entry(opcode.parse().ok()?).or_default() += elements.parse::<u64>().ok()?;
            Some(())
        })
    }

    /// Each oracle: its name, what it is, and what it confirmed.
    pub fn oracles(&self) -> [(&'static str, &'static str, &Confirmed); 5] {
        [
            ("hardware", "results of GPUs, `conformance/vectors/`", &self.hardware),
            ("headers", "NVIDIA's host emulation in the CUDA headers, `headers.tsv`", &self.headers),
            ("machine", "a processor's own conversions in each rounding mode, `headers.tsv`", &self.machine),
            ("apfloat", "LLVM's arbitrary-precision floats (elements), `apfloat.tsv`", &self.apfloat),
            ("folding", "constants that ptxas computed, `folding.tsv`", &self.folding),
        ]
    }

    /// The page.
    pub fn page(&self) -> String {
        let forms: Vec<Form> = Form::all().collect();
        let oracles = self.oracles();
        let silent: Vec<&Form> =
            forms.iter().filter(|form| oracles.iter().all(|(.., seen)| !seen.contains_key(form))).collect();
        let mut page = String::from(
            "# What has confirmed each form\n\n\
             Written by `BLESS=1 cargo test -p ptxcvt-conform --test state` from the records under \
             `conformance/`; a test\nfails where it is out of date. Inputs are whole operand tuples, all of \
             them compared bit for bit, with no\ndifference but those that DESIGN.md explains.\n\n\
             | oracle | what it is | forms | inputs |\n|---|---|--:|--:|\n",
        );
        // Writing to a `String` cannot fail.
        let mut line = |text: std::fmt::Arguments| _ = writeln!(page, "{text}");
        for (name, about, seen) in &oracles {
            let inputs = grouped(seen.values().sum());
            line(format_args!("| {name} | {about} | {} | {inputs} |", seen.len()));
        }
        let confirmed = forms.len() - silent.len();
        line(format_args!(
            "\n**{confirmed} of {} forms** are confirmed by at least one of them; for the other {} only the text \
             of the manual speaks.\nNo GPU has run `ptxcvt conform --device` for this page yet: the hardware \
             column is what others have published.\n",
            forms.len(),
            silent.len()
        ));
        line(format_args!(
            "## Only the text\n\n| destination | source | forms | such as | first target |\n|---|---|--:|---|---|"
        ));
        let mut groups: Vec<(&Form, String, usize)> = Vec::new();
        for form in silent {
            let target = first_target(form);
            let types = |f: &Form| (f.opcode(), f.destination(), f.source());
            match groups.iter_mut().find(|(f, t, _)| types(f) == types(form) && *t == target) {
                Some((.., count)) => *count += 1,
                None => groups.push((form, target, 1)),
            }
        }
        for (form, target, count) in groups {
            let (destination, source) = (form.destination(), form.source());
            line(format_args!("| {destination} | {source} | {count} | `{form}` | {target} |"));
        }
        line(format_args!("\n## Every form\n\n| form | hardware | headers | machine | apfloat | folding |"));
        line(format_args!("|---|--:|--:|--:|--:|--:|"));
        for form in &forms {
            let cell = |seen: &Confirmed| seen.get(form).map_or(String::new(), |n| grouped(*n));
            let cells: Vec<String> = oracles.iter().map(|(.., seen)| cell(seen)).collect();
            line(format_args!("| `{form}` | {} |", cells.join(" | ")));
        }
        page
    }
}

/// Reads the rows of a record, without its comments.
fn rows(text: &str, mut take: impl FnMut(&[&str]) -> Option<()>) -> Result<(), String> {
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        take(&columns).ok_or_else(|| format!("line {number} is not a row of the record: {line}"))?;
    }
    Ok(())
}

/// The target and version that had the form first.
fn first_target(form: &Form) -> String {
    form.first().map_or(String::new(), |(isa, target)| format!("{target}, ISA {isa}"))
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn malformed_records_are_named() {
        let mut evidence = Evidence::default();
        assert_eq!(evidence.add_apfloat("# ok\ncvt.f32.f16\t7\n"), Ok(()));
        assert!(evidence.add_apfloat("cvt.f32.f16\n").unwrap_err().starts_with("line 1 "));
        assert!(evidence.add_folding("# x\ncvt.f33.f16\t0=0\n").unwrap_err().starts_with("line 2 "));
        assert!(evidence.add_headers("other\tcvt.f32.f16\t7\t0\t0\n").is_err());
        assert_eq!(evidence.add_headers("headers\tcvt.f32.f16\t7\t2\t0\tx\n"), Ok(()));
        assert_eq!(evidence.add_folding("cvt.f32.f16\t0=0 1=1\n"), Ok(()));
        let row = "| `cvt.f32.f16` |  | 5 |  | 7 | 2 |";
        assert!(evidence.page().lines().any(|line| line == row));
    }
}
