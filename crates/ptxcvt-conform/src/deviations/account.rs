//! The description of a deviation.

/// A deviation in words, for the page.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// The source: a GPU, versions of ptxas, the headers.
    pub who: &'static str,
    /// The forms, as they are written.
    pub forms: &'static str,
    /// The behaviour, as a sentence about the source that begins with "it", or about the result.
    pub what: &'static str,
    /// Our result.
    pub ours: &'static str,
}
