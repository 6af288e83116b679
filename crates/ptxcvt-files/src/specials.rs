//! NaN and infinities among the elements of all arrays that a run reads or makes.

use ptxcvt::counted;
use ptxcvt_bulk::NonFinite;

/// The NaN and infinities in the inputs and in the outputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Specials {
    input: Total,
    /// NaN and infinities in outputs whose input is finite.
    output: Total,
    /// NaN and infinities in the numbers of quantised tensors.
    result: Total,
    /// Finite tensors whose global scale has been decided by the NaN or infinities of others.
    #[serde(default)]
    spoilt: Spoilt,
}

/// Tensors that share a global scale with others that have NaN or infinities.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
struct Spoilt {
    tensors: u64,
    /// The name of the first such tensor, and the name of the tensor with NaN or infinities.
    first: Option<(String, String)>,
}

/// The NaN and infinities of several arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
struct Total {
    /// How many are NaN, and how many are infinite.
    nan: u64,
    infinite: u64,
    /// How many arrays have one.
    arrays: u64,
    /// True if arrays of several files have one.
    #[serde(default)]
    several: bool,
    /// The first of them, if any.
    first: Option<First>,
}

/// Where the first is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
struct First {
    file: String,
    /// Empty for an array without a name.
    tensor: String,
    element: u64,
}

impl Specials {
    /// Adds the counts of one array of the input.
    pub fn add(&mut self, file: &str, tensor: &str, found: NonFinite) {
        self.input.merge(Total::of(file, tensor, found));
    }

    /// Adds the counts of one array of the output, whose input is finite.
    pub fn add_made(&mut self, file: &str, tensor: &str, found: NonFinite) {
        self.output.merge(Total::of(file, tensor, found));
    }

    /// Adds a finite tensor that shares its global scale with `other`, which has NaN or infinities.
    pub(crate) fn add_spoilt(&mut self, tensor: &str, other: &str) {
        let first = Some((tensor.to_owned(), other.to_owned()));
        self.spoilt.merge(Spoilt { tensors: 1, first });
    }

    /// Adds the counts of one tensor that was dequantised.
    pub(crate) fn add_result(&mut self, file: &str, tensor: &str, found: NonFinite) {
        self.result.merge(Total::of(file, tensor, found));
    }

    /// Adds the counts of another file.
    pub(crate) fn merge(&mut self, other: Specials) {
        self.input.merge(other.input);
        self.output.merge(other.output);
        self.result.merge(other.result);
        self.spoilt.merge(other.spoilt);
    }

    /// True if no NaN or infinity has been counted.
    pub fn is_empty(&self) -> bool {
        *self == Specials::default()
    }

    /// A sentence about the inputs, about the outputs and about shared scales, each only if they have some:
    /// `x.safetensors: 3 NaN and 1 infinity in the input; the first is element 17 of tensor w1`.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let sentences = [
            self.input.sentence("in the input"),
            self.output.sentence("in the output, from finite numbers"),
            self.result.sentence("in the output"),
            self.spoilt.sentence(),
        ];
        sentences.into_iter().flatten()
    }
}

impl Spoilt {
    fn merge(&mut self, other: Spoilt) {
        self.tensors += other.tensors;
        self.first = self.first.take().or(other.first);
    }

    fn sentence(&self) -> Option<String> {
        let (tensor, other) = self.first.as_ref()?;
        let others = match self.tensors - 1 {
            0 => String::new(),
            n => format!(" ({} more)", counted(n, "such tensor")),
        };
        Some(format!(
            "`{tensor}` shares its global scale with `{other}`, whose NaN or infinities make it useless{others}"
        ))
    }
}

impl Total {
    fn of(file: &str, tensor: &str, found: NonFinite) -> Total {
        let first = |element| First { file: file.to_owned(), tensor: tensor.to_owned(), element };
        let first = found.first().map(first);
        let (arrays, several) = (first.is_some().into(), false);
        Total { nan: found.nan, infinite: found.infinite, arrays, several, first }
    }

    fn merge(&mut self, other: Total) {
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.arrays += other.arrays;
        let file = |total: &Total| total.first.as_ref().map(|first| first.file.clone());
        self.several |= other.several
            || (file(self).is_some() && file(&other).is_some_and(|other| file(self) != Some(other)));
        self.first = self.first.take().or(other.first);
    }

    fn sentence(&self, where_: &str) -> Option<String> {
        let First { file, tensor, element } = self.first.as_ref()?;
        let place = match (tensor.as_str(), self.arrays) {
            ("", _) => String::new(),
            (tensor, 1) => format!(" of tensor `{tensor}`"),
            (tensor, arrays) => format!(" of tensor `{tensor}` ({} have some)", counted(arrays, "tensor")),
        };
        let total = NonFinite { nan: self.nan, infinite: self.infinite, ..NonFinite::default() };
        let (others, of) = match self.several {
            true => (" and other files", format!(" of {file}")),
            false => ("", String::new()),
        };
        Some(format!("{file}{others}: {total} {where_}; the first is element {element}{place}{of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence_for_inputs_and_one_for_outputs() {
        let found =
            |nan, infinite, first| NonFinite { nan, infinite, first_nan: Some(first), first_infinite: None };
        let mut all = Specials::default();
        let text = |all: &Specials| all.sentences().collect::<Vec<_>>().join("\n");
        all.add("x", "a", NonFinite::default());
        assert_eq!((text(&all).as_str(), all.is_empty()), ("", true));
        all.add("x", "b", found(1, 0, 7));
        assert_eq!(text(&all), "x: 1 NaN in the input; the first is element 7 of tensor `b`");
        all.add("x", "c", found(1, 1, 3));
        let message = "x: 2 NaN and 1 infinity in the input; the first is element 7 of tensor `b` (2 tensors have some)";
        assert_eq!(text(&all), message);
        let mut two = Specials::default();
        two.add("x", "", NonFinite::default());
        two.add("y", "", found(1, 0, 7));
        assert_eq!(text(&two), "y: 1 NaN in the input; the first is element 7");
        two.add("z", "", found(1, 0, 2));
        assert_eq!(text(&two), "y and other files: 2 NaN in the input; the first is element 7 of y");
        all.add_made("x", "", found(4, 0, 0));
        let made = "x: 4 NaN in the output, from finite numbers; the first is element 0";
        assert_eq!(text(&all), format!("{message}\n{made}"));
    }
}
