//! NaN and infinities among the elements of all arrays that a run converts or quantises.

use std::fmt;

use ptxcvt::counted;
use ptxcvt_bulk::NonFinite;

/// The NaN and infinities of all arrays of a run.
///
/// Its text is one sentence, empty if there are none:
/// `x.safetensors: 3 NaN and 1 infinity in the input; the first is element 17 of tensor w1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Specials {
    /// How many are NaN, and how many are infinite.
    nan: u64,
    infinite: u64,
    /// How many arrays have one.
    arrays: u64,
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
    /// Adds the counts of one array.
    pub fn add(&mut self, file: &str, tensor: &str, found: NonFinite) {
        let Some(element) = found.first() else { return };
        self.merge(Specials {
            nan: found.nan,
            infinite: found.infinite,
            arrays: 1,
            first: Some(First { file: file.to_owned(), tensor: tensor.to_owned(), element }),
        });
    }

    /// Adds the counts of another file.
    pub(crate) fn merge(&mut self, other: Specials) {
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.arrays += other.arrays;
        self.first = self.first.take().or(other.first);
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl fmt::Display for Specials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(First { file, tensor, element }) = &self.first else { return Ok(()) };
        let place = match (tensor.as_str(), self.arrays) {
            ("", _) => String::new(),
            (tensor, 1) => format!(" of tensor `{tensor}`"),
            (tensor, arrays) => format!(" of tensor `{tensor}` ({} have some)", counted(arrays, "tensor")),
        };
        let total = NonFinite { nan: self.nan, infinite: self.infinite, ..NonFinite::default() };
        write!(f, "{file}: {total} in the input; the first is element {element}{place}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence() {
        let found =
            |nan, infinite, first| NonFinite { nan, infinite, first_nan: Some(first), first_infinite: None };
        let mut all = Specials::default();
        assert_eq!(all.to_string(), "");
        all.add("x", "a", NonFinite::default());
        all.add("x", "b", found(1, 0, 7));
        assert_eq!(all.to_string(), "x: 1 NaN in the input; the first is element 7 of tensor `b`");
        all.add("x", "c", found(1, 1, 3));
        let message = "x: 2 NaN and 1 infinity in the input; the first is element 7 of tensor `b` (2 tensors have some)";
        assert_eq!(all.to_string(), message);
    }
}
