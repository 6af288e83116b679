//! A number with its noun, in the singular or the plural: "1 target", "2 targets".

use core::fmt;

/// A number and the noun that it counts.
///
/// Every message that counts something is written with it, so that no message says "1 targets".
///
/// ```
/// use ptxcvt::counted;
/// assert_eq!(counted(1_u64, "target").to_string(), "1 target");
/// assert_eq!(counted(2_usize, "target").to_string(), "2 targets");
/// assert_eq!(counted(0_u32, "entry").to_string(), "0 entries");
/// assert_eq!(counted(3_u8, "byte array").to_string(), "3 byte arrays");
/// ```
pub const fn counted<N: fmt::Display + PartialEq + From<u8>>(count: N, noun: &str) -> Counted<'_, N> {
    Counted { count, noun }
}

/// A number and the noun that it counts, made by [`counted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<'n, N> {
    count: N,
    noun: &'n str,
}

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted { count, noun } = self;
        if *count == N::from(1) {
            return write!(f, "1 {noun}");
        }
        let consonant = |b: u8| !b"aeiou".contains(&b.to_ascii_lowercase());
        match *noun.as_bytes() {
            [.., before, b'y'] if consonant(before) => write!(f, "{count} {}ies", &noun[..noun.len() - 1]),
            [.., b's' | b'x' | b'z'] | [.., b'c' | b's', b'h'] => write!(f, "{count} {noun}es"),
            _ => write!(f, "{count} {noun}s"),
        }
    }
}
