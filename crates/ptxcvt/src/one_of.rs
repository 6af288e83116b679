//! Alternatives as words: "f32, bf16 or f16".

use core::fmt;

/// A list of items, one of which can be chosen.
///
/// Messages use it to list the accepted items, from the same list that the code reads.
///
/// ```
/// use ptxcvt::{Format, one_of};
/// assert_eq!(one_of(&[Format::F32, Format::Bf16, Format::F16]).to_string(), "f32, bf16 or f16");
/// assert_eq!(one_of(&["yes", "no"]).to_string(), "yes or no");
/// assert_eq!(one_of(&[1]).to_string(), "1");
/// ```
pub const fn one_of<T: fmt::Display>(items: &[T]) -> OneOf<'_, T> {
    OneOf { items }
}

/// Alternatives as words, made by [`one_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneOf<'i, T> {
    items: &'i [T],
}

impl<T: fmt::Display> fmt::Display for OneOf<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.items.iter().enumerate() {
            match at {
                0 => {}
                _ if at + 1 == self.items.len() => f.write_str(" or ")?,
                _ => f.write_str(", ")?,
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}
