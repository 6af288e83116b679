//! How far it is proven that a sequence of `ptxcvt lower` returns what its form does.

use std::fmt;

use ptxcvt::Form;

/// A line of the record of proofs, `conformance/records/proofs.tsv`: fields separated by tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// The form, as its opcode.
    pub form: &'t str,
    /// The sequence's name.
    pub sequence: &'t str,
    /// The inputs for which the sequence holds, in words.
    pub contract: &'t str,
    /// What the trial says, such as `equal`.
    pub verdict: &'t str,
    /// How many inputs were tried.
    pub inputs: u64,
    /// The digest of the sequence's results.
    pub results: &'t str,
    /// The digest of the sequence's text.
    pub text: &'t str,
}

/// A line that is not a row of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError(String);

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RowError {}

impl<'t> Row<'t> {
    /// The rows of a record. Lines that begin with `#` state its origin.
    ///
    /// # Errors
    ///
    /// Each line that is not a row is an error, which quotes it.
    pub fn all(record: &'t str) -> impl Iterator<Item = Result<Self, RowError>> {
        record.lines().filter(|line| !line.starts_with('#')).map(Self::read)
    }

    fn read(line: &'t str) -> Result<Self, RowError> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [form, sequence, contract, verdict, inputs, results, text] = fields[..] else {
            return Err(RowError(format!("`{line}` has {} fields, a proof has 7", fields.len())));
        };
        let inputs = inputs
            .parse()
            .map_err(|_| RowError(format!("`{line}`: `{inputs}` is not a number of inputs")))?;
        Ok(Self { form, sequence, contract, verdict, inputs, results, text })
    }

    /// True if every input of the contract was tried, and none differs.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        is_complete(self.verdict)
    }
}

/// True if this verdict says that every input of the contract was tried, and none differs.
#[must_use]
pub fn is_complete(verdict: &str) -> bool {
    verdict.starts_with("equal")
}

/// How far a sequence is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Every input was tried, and none differs.
    pub proven: bool,
    /// How far it is proven, in words.
    pub text: String,
}

impl Proof {
    /// The proof of the sequence of this name for a form, which must return the form's bits for every input. `record` is
    /// the text of `conformance/records/proofs.tsv`.
    ///
    /// # Panics
    ///
    /// Panics if a line of the record is malformed: it is part of the program.
    #[must_use]
    pub fn of(form: &Form, sequence: &str, record: &str) -> Proof {
        let form = form.to_string();
        let found = Row::all(record)
            .map(|row| row.unwrap_or_else(|why| panic!("the record of proofs: {why}")))
            .find(|row| row.form == form && row.sequence == sequence && row.contract == "every input");
        let Some(row) = found else {
            let text = "compared with the reference on every input of sources up to 16 bits, and on edges and random \
                        operands of wider ones; nothing more is proven";
            return Proof { proven: false, text: text.to_owned() };
        };
        if row.is_complete() {
            let inputs = ptxcvt::counted(row.inputs, "input");
            return Proof { proven: true, text: format!("{}, {inputs}", row.verdict) };
        }
        // Random bits and wide sources have too many inputs to try all of them.
        Proof { proven: false, text: format!("{}, {} of them", row.verdict, row.inputs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_every_input_is_a_proof() {
        let record = "cvt.rn.bf16.f32\tinteger\tevery input\tequal\t4294967296\ta\tb\n\
                      cvt.rn.bf16.f32\tother\tnumbers\tequal\t1\ta\tb\n\
                      cvt.rn.f16.f32\tinteger\tevery input\tno difference in random inputs\t64\ta\tb\n";
        let proof = |form: &str, name| Proof::of(&form.parse().unwrap(), name, record);
        let proven = proof("cvt.rn.bf16.f32", "integer");
        assert_eq!(proven, Proof { proven: true, text: "equal, 4294967296 inputs".into() });
        assert!(!proof("cvt.rn.bf16.f32", "other").proven);
        let random = proof("cvt.rn.f16.f32", "integer");
        assert_eq!(
            random,
            Proof { proven: false, text: "no difference in random inputs, 64 of them".into() }
        );
    }

    #[test]
    fn a_malformed_line_is_an_error() {
        let good = "# origin\ncvt.rn.bf16.f32\tinteger\tevery input\tequal\t65536\ta\tb\n";
        assert_eq!(Row::all(good).map(|row| row.unwrap().inputs).collect::<Vec<_>>(), [65536]);
        for bad in [good.replace("\ta\tb", "\ta"), good.replace("65536", "many"), format!("{good}\n\n")] {
            assert!(Row::all(&bad).any(|row| row.is_err()), "{bad:?}");
        }
    }
}
