//! The page docs/generated/state.md: the oracles that confirmed each form, and the number of inputs.
//!
//! It is generated from the records under `conformance/`.

mod difference;
mod error;
mod page;

use std::collections::BTreeMap;
use std::path::Path;

use ptxcvt::Form;

use crate::cases::Cases;
use crate::deviations::Account;
use crate::deviations::values::{Deviation, Folded};
use crate::vectors::{File, Outcome};

pub use difference::Difference;
pub use error::RecordError;

/// The oracles whose results are compared one by one.
const HARDWARE: &str = "hardware";
const FOLDING: &str = "folding";

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
    /// Results that are not ours. They are not counted as confirmed.
    pub differences: Vec<Difference>,
}

impl Evidence {
    /// Reads the records of a repository.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line, and if a record cannot be read.
    pub fn read(root: &Path) -> Result<Evidence, RecordError> {
        let mut evidence = Evidence::default();
        let read = |folder: &str, name: &str| {
            let path = root.join("conformance").join(folder).join(name);
            ptxcvt_files::whole::list_file(&path)
                .map_err(|error| RecordError(format!("{}: {error}", path.display())))
        };
        for name in ["b200-cvt.tsv", "b200-rs.tsv"] {
            let file =
                File::parse(name, &read("vectors", name)?).map_err(|error| RecordError(error.to_string()))?;
            evidence.add_vectors(&file)?;
        }
        evidence.add_headers(&read("records", "headers.tsv")?)?;
        evidence.add_folding(&read("records", "folding.tsv")?)?;
        evidence.add_apfloat(&read("records", "apfloat.tsv")?)?;
        Ok(evidence)
    }

    /// Adds a vector file. What a digest covers is confirmed: `cargo test` computes it again.
    ///
    /// # Errors
    ///
    /// Fails at a result that is not ours and that no deviation explains.
    pub fn add_vectors(&mut self, file: &File) -> Result<(), RecordError> {
        for entry in &file.entries {
            let form = entry.form;
            let inputs = match &entry.outcome {
                Outcome::Result { operands, result } => {
                    let deviation = || Deviation::of(&form, operands, *result).map(Deviation::account);
                    self.compare(HARDWARE, form, operands, *result, deviation)?
                }
                Outcome::Digest { set, .. } => Cases::of_set(form, *set).count(),
            };
            count(&mut self.hardware, form, inputs);
        }
        Ok(())
    }

    /// How many inputs a result confirms, 1 or 0. A result that is not ours joins the differences.
    fn compare(
        &mut self,
        oracle: &'static str,
        form: Form,
        operands: &[u64],
        theirs: u64,
        reason: impl FnOnce() -> Option<Account>,
    ) -> Result<u64, RecordError> {
        let ours = form.eval(operands).map_err(|error| RecordError(format!("{form}: {error}")))?;
        if ours == theirs {
            return Ok(1);
        }
        let account = reason().ok_or_else(|| {
            RecordError(format!(
                "{form} {operands:x?}: {oracle} has {theirs:x}, not {ours:x}; no deviation explains it"
            ))
        })?;
        self.differences.push(Difference {
            oracle,
            form,
            operands: operands.to_vec(),
            theirs,
            ours,
            account,
        });
        Ok(0)
    }

    /// Adds `headers.tsv`: group, opcode, tuples, excluded, differences.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line, and at a difference.
    pub fn add_headers(&mut self, text: &str) -> Result<(), RecordError> {
        rows(text, |columns| {
            let [group, opcode, tuples, left_out, "0", ..] = columns else { return Ok(None) };
            let number = |text: &str| text.parse::<u64>().ok();
            let place = match *group {
                "headers" => &mut self.headers,
                "machine" => &mut self.machine,
                _ => return Ok(None),
            };
            Ok(number(tuples).zip(number(left_out)).and_then(|(tuples, left_out)| {
                count(place, opcode.parse().ok()?, tuples.checked_sub(left_out)?);
                Some(())
            }))
        })
    }

    /// Adds `folding.tsv`: opcode, then operands=result, separated by spaces.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line, and at a result that is not ours and that no deviation explains.
    pub fn add_folding(&mut self, text: &str) -> Result<(), RecordError> {
        let bits = |text: &str| u64::from_str_radix(text, 16).ok();
        rows(text, |columns| {
            let [opcode, pairs] = columns else { return Ok(None) };
            let Ok(form) = opcode.parse::<Form>() else { return Ok(None) };
            for pair in pairs.split(' ') {
                let pair = pair.split_once('=');
                let Some((operands, result)) = pair.and_then(|(operands, result)| {
                    Some((operands.split(',').map(bits).collect::<Option<Vec<u64>>>()?, bits(result)?))
                }) else {
                    return Ok(None);
                };
                let deviation = || Folded::of(&form, &operands, result).map(Folded::account);
                let inputs = self.compare(FOLDING, form, &operands, result, deviation)?;
                count(&mut self.folding, form, inputs);
            }
            Ok(Some(()))
        })
    }

    /// Adds `apfloat.tsv`: opcode, elements.
    ///
    /// # Errors
    ///
    /// Fails at a malformed line.
    pub fn add_apfloat(&mut self, text: &str) -> Result<(), RecordError> {
        rows(text, |columns| {
            let [opcode, elements] = columns else { return Ok(None) };
            let row = opcode.parse().ok().zip(elements.parse().ok());
            Ok(row.map(|(form, elements)| count(&mut self.apfloat, form, elements)))
        })
    }

    /// Each oracle: its name, what it is, and what it confirmed.
    pub fn oracles(&self) -> [(&'static str, &'static str, &Confirmed); 5] {
        [
            (HARDWARE, "results of GPUs, `conformance/vectors/`", &self.hardware),
            ("headers", "NVIDIA's host emulation in the CUDA headers, `headers.tsv`", &self.headers),
            ("machine", "a processor's own conversions in each rounding mode, `headers.tsv`", &self.machine),
            ("apfloat", "LLVM's arbitrary-precision floats (elements), `apfloat.tsv`", &self.apfloat),
            (FOLDING, "constants that ptxas computed, `folding.tsv`", &self.folding),
        ]
    }
}

/// Adds confirmed inputs. A form without any gets no entry.
fn count(confirmed: &mut Confirmed, form: Form, inputs: u64) {
    if inputs > 0 {
        *confirmed.entry(form).or_default() += inputs;
    }
}

/// Reads the rows of a record, without its comments.
fn rows(
    text: &str,
    mut take: impl FnMut(&[&str]) -> Result<Option<()>, RecordError>,
) -> Result<(), RecordError> {
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let row = take(&columns).map_err(|why| RecordError(format!("line {number}: {why}")))?;
        row.ok_or_else(|| RecordError(format!("line {number} is not a row of the record: {line}")))?;
    }
    Ok(())
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
        assert!(evidence.add_apfloat("cvt.f32.f16\n").unwrap_err().to_string().starts_with("line 1 "));
        assert!(
            evidence.add_folding("# x\ncvt.f33.f16\t0=0\n").unwrap_err().to_string().starts_with("line 2 ")
        );
        assert!(evidence.add_headers("other\tcvt.f32.f16\t7\t0\t0\n").is_err());
        assert_eq!(evidence.add_headers("headers\tcvt.f32.f16\t7\t2\t0\tx\n"), Ok(()));
        assert!(evidence.add_headers("headers\tcvt.f32.f16\t7\t0\t1\n").is_err());
        assert_eq!(evidence.add_folding("cvt.f32.f16\t0=0 8000=80000000\n"), Ok(()));
        let row = "| `cvt.f32.f16` |  | 5 |  | 7 | 2 |";
        assert!(evidence.page().lines().any(|line| line == row));
    }

    #[test]
    fn a_result_that_is_not_ours_confirms_nothing() {
        let mut evidence = Evidence::default();
        let form = "cvt.rn.ftz.pzo.bf16.f32".parse().unwrap();
        assert_eq!(evidence.add_folding("cvt.rn.ftz.pzo.bf16.f32\t80000000=8000\n"), Ok(()));
        assert!(!evidence.folding.contains_key(&form));
        let row = "| `cvt.rn.ftz.pzo.bf16.f32` | folding | 0x80000000 | 0x8000 | 0x0000 | −0 stays −0, as without `.pzo` |";
        assert!(evidence.page().lines().any(|line| line == row));
        let error = evidence.add_folding("cvt.f32.f16\t0=1\n").unwrap_err().to_string();
        assert!(error.contains("no deviation explains it"), "{error}");
    }
}
