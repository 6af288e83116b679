//! The search of a list of forms: words that opcodes contain or lack, and the forms nearest to a text.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling};

use crate::place::Where;

/// The words of a search, such as `satfinite e2m1x2 -relu`. The default admits every form.
///
/// ```
/// use ptxcvt_report::search::Words;
/// let words = Words::new("Satfinite, e2m1x2 -relu");
/// assert!(words.admits(&"cvt.rn.satfinite.e2m1x2.f32".parse()?));
/// assert!(!words.admits(&"cvt.rn.satfinite.relu.e2m1x2.f32".parse()?));
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Texts that the opcode contains.
    with: Vec<String>,
    /// Parts that the opcode lacks, without their dots.
    without: Vec<String>,
}

impl Words {
    /// Reads words separated by blanks or commas. A word that begins with `-` excludes a part of opcodes.
    pub fn new(text: &str) -> Words {
        let mut words = Words::default();
        for word in separated(text) {
            match word.strip_prefix('-') {
                Some(part) => words.without.push(part.trim_start_matches('.').to_owned()),
                None => words.with.push(word),
            }
        }
        words
    }

    /// True if the opcode contains each word and has none of the excluded parts.
    pub fn admits(&self, form: &Form) -> bool {
        if *self == Words::default() {
            return true;
        }
        // With a dot before each part.
        let opcode = format!(".{form}");
        let has = |part: &String| opcode.split('.').any(|one| one == part);
        self.with.iter().all(|word| opcode.contains(word.as_str())) && !self.without.iter().any(has)
    }
}

/// The indices of the forms nearest to a text: those nearest to the opcode with which it begins, otherwise up to three that
/// have the most of its words.
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_report::search::nearest;
/// let forms: Vec<Form> = Form::all().collect();
/// let found = nearest("cvt.rn.satfinit.e4m3x2.f32", &forms);
/// assert!(found.iter().any(|at| forms[*at].to_string() == "cvt.rn.satfinite.e4m3x2.f32"));
/// ```
pub fn nearest(text: &str, forms: &[Form]) -> Vec<usize> {
    let opcode = text.split_whitespace().next().filter(|word| word.starts_with("cvt"));
    if let Some(opcode) = opcode {
        let near = Where::new(&Spelling::new(opcode), Ok(Machine::ANY)).nearest;
        if !near.is_empty() {
            return (0..forms.len()).filter(|at| near.contains(&forms[*at])).collect();
        }
    }
    let words: Vec<String> = separated(text).filter(|word| !word.starts_with('-')).collect();
    let words = words.join(".");
    let common = |form: &Form| {
        let opcode = form.to_string();
        words.split('.').filter(|word| opcode.split('.').any(|part| part == *word)).count()
    };
    let scores: Vec<usize> = forms.iter().map(common).collect();
    let best = scores.iter().copied().max().filter(|best| *best > 0);
    (0..forms.len()).filter(|at| Some(scores[*at]) == best).take(3).collect()
}

/// The words in small letters.
fn separated(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let words = Words::new(text);
        Form::all().filter(|form| words.admits(form)).count()
    }

    #[test]
    fn words_narrow_the_list() {
        let all = Form::all().count();
        assert_eq!([count(""), count(" , ")], [all; 2]);
        assert_eq!(count("relu") + count("-relu"), all);
        assert_eq!(count("-.relu"), count("-relu"));
        assert_eq!(count(".relu"), count("RELU"));
        // A word may be a part of a part; `-f16` excludes `.f16` and not `.bf16`.
        assert!(count("f16") > count(".f16."));
        assert!(count("bf16 -f16") > 0);
        assert_eq!(count("satf"), count("satfinite"));
        assert_eq!(count("nothing"), 0);
    }

    #[test]
    fn the_nearest_have_the_most_words() {
        let forms: Vec<Form> = Form::all().collect();
        let found = nearest("e2m1x2 bogus relu", &forms);
        assert_eq!(found.len(), 3);
        for at in found {
            let opcode = forms[at].to_string();
            assert!(opcode.contains("e2m1x2") && opcode.contains("relu"), "{opcode}");
        }
        assert_eq!(nearest("bogus -relu", &forms), [0; 0]);
    }
}
