//! Placeholders: the parts of inline assembly that the compiler replaces by operands.
//!
//! GCC's and NVCC's `%0` and `%[name]`, LLVM's `$0` and `${0:r}`, the `{$r0}` of MLIR's `nvvm.inline_ptx`.

use super::number::end_while;
use crate::identifier::is_ptx;

/// The operand that replaces a placeholder.
///
/// ```
/// use ptxcvt_syntax::parse::Placeholder;
/// assert_eq!(Placeholder::from_text("%2"), Some(Placeholder::Number(2)));
/// assert_eq!(Placeholder::from_text("${2:r}"), Some(Placeholder::Number(2)));
/// assert_eq!(Placeholder::from_text("%[out]"), Some(Placeholder::Name("out")));
/// assert_eq!(Placeholder::from_text("{$r0}"), Some(Placeholder::Read(0)));
/// assert_eq!(Placeholder::from_text("%r2"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placeholder<'s> {
    /// `%0`, `$0`, `${0:r}`: the operand of that number, outputs first.
    Number(u32),
    /// `%[name]`: the operand of that name.
    Name(&'s str),
    /// `{$r0}`: the operand of that number among the read-only operands.
    Read(u32),
    /// `{$w0}`: the operand of that number among the write-only operands.
    Written(u32),
    /// `{$rw0}`: the operand with this number among the operands that are both read and written.
    ReadWritten(u32),
}

impl<'s> Placeholder<'s> {
    /// Reads a placeholder; `None` for any other text.
    pub fn from_text(text: &'s str) -> Option<Self> {
        if let Some(name) = text.strip_prefix("%[").and_then(|rest| rest.strip_suffix(']')) {
            return Some(Placeholder::Name(name));
        }
        if let Some(inner) = text.strip_prefix("{$").and_then(|rest| rest.strip_suffix('}')) {
            let digits = inner.trim_start_matches(|c: char| c.is_ascii_lowercase());
            let number = digits.parse().ok()?;
            return match &inner[..inner.len() - digits.len()] {
                "r" => Some(Placeholder::Read(number)),
                "w" => Some(Placeholder::Written(number)),
                "rw" => Some(Placeholder::ReadWritten(number)),
                _ => None,
            };
        }
        let digits = match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => inner.split(':').next().unwrap_or(inner),
            None => text.strip_prefix(['%', '$'])?,
        };
        digits.parse().ok().map(Placeholder::Number)
    }
}

/// The end of the placeholder that begins at `start`.
pub(super) fn placeholder(text: &[u8], start: usize) -> Option<usize> {
    let at = |index: usize| text.get(index).copied().unwrap_or(0);
    let word = |from: usize| end_while(text, from, is_ptx);
    match (at(start), at(start + 1)) {
        (b'%' | b'$', b'0'..=b'9') => {
            let digits = end_while(text, start + 1, |b| b.is_ascii_digit());
            (!is_ptx(at(digits))).then_some(digits)
        }
        (b'$', b'{') => {
            let end = end_while(text, start + 2, |b| is_ptx(b) || b == b':');
            (end > start + 2 && at(start + 2) != b':' && at(end) == b'}').then_some(end + 1)
        }
        (b'%', b'[') => {
            let end = word(start + 2);
            (end > start + 2 && at(end) == b']').then_some(end + 1)
        }
        (b'{', b'$') => {
            let letters = end_while(text, start + 2, |b| b.is_ascii_lowercase());
            let end = end_while(text, letters, |b| b.is_ascii_digit());
            let known = matches!(&text[start + 2..letters], b"r" | b"w" | b"rw");
            (known && end > letters && at(end) == b'}').then_some(end + 1)
        }
        _ => None,
    }
}

/// The end of a name in inline assembly that begins at or before `from`. The name may contain `%=` and `${:uid}`,
/// which the compiler replaces by a unique number.
pub(super) fn name_end(text: &[u8], mut from: usize) -> usize {
    loop {
        let end = end_while(text, from, is_ptx);
        let rest = &text[end.min(text.len())..];
        from = if rest.starts_with(b"%=") {
            end + 2
        } else if rest.starts_with(b"{:uid}") && end > 0 && text[end - 1] == b'$' {
            end + 6
        } else {
            return end;
        };
    }
}
