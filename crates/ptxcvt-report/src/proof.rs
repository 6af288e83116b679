//! How far it is proven that a sequence of `ptxcvt lower` returns what its form does.

use ptxcvt::Form;

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
    /// the text of `conformance/records/proofs.tsv`: form, sequence, contract, verdict, inputs, digests.
    pub fn of(form: &Form, sequence: &str, record: &str) -> Proof {
        let form = form.to_string();
        let recorded =
            record.lines().map(|line| line.split('\t').collect::<Vec<_>>()).find_map(|row| match row[..] {
                [of, name, "every input", verdict, inputs, ..] if of == form && name == sequence => {
                    Some((verdict, inputs))
                }
                _ => None,
            });
        let Some((verdict, inputs)) = recorded else {
            let text = "compared with the reference on every input of sources up to 16 bits, and on edges and random \
                        operands of wider ones; nothing more is proven";
            return Proof { proven: false, text: text.to_owned() };
        };
        let inputs: u64 = inputs.parse().expect("the record counts the inputs");
        if verdict.starts_with("equal") {
            return Proof { proven: true, text: format!("{verdict}, {}", ptxcvt::counted(inputs, "input")) };
        }
        // Random bits and wide sources have too many inputs to try all of them.
        Proof { proven: false, text: format!("{verdict}, {inputs} of them") }
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
}
