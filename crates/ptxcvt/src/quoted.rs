//! A text that an error quotes, stored in the error itself, so that errors need no allocation.

use core::fmt;

/// How many bytes of a text are kept.
const LONGEST: usize = 60;

/// The beginning of a text: at most [`LONGEST`] bytes of its first line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quoted {
    bytes: [u8; LONGEST],
    length: u8,
    is_cut: bool,
}

impl Quoted {
    pub(crate) fn new(text: &str) -> Quoted {
        let line = text.lines().next().unwrap_or_default();
        let end = (0..=line.len().min(LONGEST)).rev().find(|at| line.is_char_boundary(*at));
        let end = end.expect("a text begins at a boundary");
        let mut bytes = [0; LONGEST];
        bytes[..end].copy_from_slice(&line.as_bytes()[..end]);
        Quoted { bytes, length: end as u8, is_cut: end < text.len() }
    }
}

impl fmt::Display for Quoted {
    /// The text, with an ellipsis if anything was removed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = core::str::from_utf8(&self.bytes[..self.length.into()]);
        f.write_str(text.expect("a text is cut between characters"))?;
        f.write_str(if self.is_cut { "…" } else { "" })
    }
}

impl fmt::Debug for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let quoted = |text: &str| Quoted::new(text).to_string();
        assert_eq!([quoted(""), quoted("sm_9"), quoted("a\nb")], ["", "sm_9", "a…"]);
        for width in 1..=4 {
            let one = ["a", "é", "€", "𝄞"][width - 1];
            for count in 0..80 {
                let text = one.repeat(count);
                let kept = count.min(LONGEST / width);
                let ellipsis = if kept < count { "…" } else { "" };
                assert_eq!(quoted(&text), one.repeat(kept) + ellipsis);
            }
        }
    }
}
