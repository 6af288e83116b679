//! The lines of a text that is being edited, and positions as the protocol counts them.
//!
//! LSP 3.17, "Position" and "Text Documents": lines end with `\n`, `\r\n` or `\r`, and characters are counted in units of
//! UTF-16 unless both sides agree on UTF-8.

use std::ops::Range;

use lsp_types::Position;

/// The unit in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    Utf8,
    #[default]
    Utf16,
}

/// The byte at which each line begins.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

/// The starts of the lines that begin after `from` and up to `to`.
fn starts(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> + '_ {
    let bytes = text.as_bytes();
    let ends =
        move |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    (from..to).filter(move |at| ends(*at)).map(|at| at as u32 + 1)
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Self {
        Lines { starts: std::iter::once(0).chain(starts(text, 0, text.len())).collect() }
    }

    /// Updates the lines after an edit that replaced `range` of the old text by `length` bytes of `text`.
    pub fn edit(&mut self, text: &str, range: &Range<usize>, length: usize) {
        // The edit can create or split a `\r\n` at both of its ends.
        let from = range.start.saturating_sub(1);
        let first = self.starts.partition_point(|start| (*start as usize) <= from);
        let last = self.starts.partition_point(|start| (*start as usize) <= range.end + 1);
        let end = (range.start + length + 1).min(text.len());
        let new: Vec<u32> = starts(text, from, end).collect();
        let shift = |start: u32| (start as usize + length - (range.end - range.start)) as u32;
        for start in &mut self.starts[last..] {
            *start = shift(*start);
        }
        self.starts.splice(first..last, new);
    }

    /// A line's text without its end.
    fn line<'t>(&self, text: &'t str, line: usize) -> Option<(usize, &'t str)> {
        let start = *self.starts.get(line)? as usize;
        let end = self.starts.get(line + 1).map_or(text.len(), |next| *next as usize);
        let whole = text.get(start..end)?;
        let bare = whole.strip_suffix('\n').unwrap_or(whole);
        Some((start, bare.strip_suffix('\r').unwrap_or(bare)))
    }

    /// The byte at a position. A position beyond the last line is clamped to the end of the text, a column beyond the
    /// end of a line to the end of the line, and a column within a character to the beginning of the character.
    pub fn byte(&self, text: &str, position: Position, units: Units) -> usize {
        let Some((start, line)) = self.line(text, position.line as usize) else { return text.len() };
        let wanted = position.character as usize;
        let mut column = 0;
        for (at, character) in line.char_indices() {
            column += match units {
                Units::Utf8 => character.len_utf8(),
                Units::Utf16 => character.len_utf16(),
            };
            if column > wanted {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The position of a byte.
    pub fn position(&self, text: &str, byte: usize, units: Units) -> Position {
        let byte = byte.min(text.len());
        let line = self.starts.partition_point(|start| (*start as usize) <= byte) - 1;
        let before = text.get(self.starts[line] as usize..byte).expect("a place is between two characters");
        let column = match units {
            Units::Utf8 => before.len(),
            Units::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        Position::new(line as u32, column as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns() {
        let text = "a\r\nπ𝄞x\rlast";
        let lines = Lines::new(text);
        let byte = |line, column, units| lines.byte(text, Position::new(line, column), units);
        assert_eq!(byte(1, 3, Units::Utf16), 9);
        assert_eq!(byte(1, 2, Units::Utf16), 5, "within a character");
        assert_eq!(byte(1, 6, Units::Utf8), 9);
        assert_eq!(byte(1, 1, Units::Utf8), 3);
        assert_eq!(byte(0, 9, Units::Utf16), 1, "the end of the line");
        assert_eq!((byte(2, u32::MAX, Units::Utf16), byte(2, 4, Units::Utf8)), (text.len(), text.len()));
        assert_eq!(
            (byte(3, 0, Units::Utf16), byte(u32::MAX, u32::MAX, Units::Utf16)),
            (text.len(), text.len())
        );
        assert_eq!(lines.position(text, 9, Units::Utf16), Position::new(1, 3));
        assert_eq!(lines.position(text, 13, Units::Utf8), Position::new(2, 2));
    }

    #[test]
    fn edits() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut text = String::from("one\ntwo\r\nthree\rfour");
        let mut lines = Lines::new(&text);
        for _ in 0..2_000 {
            let from = random(text.len() + 1);
            let to = (from + random(4)).min(text.len());
            let new = ["", "\r", "\n", "x", "\r\n", "a\nb\r"][random(6)];
            text.replace_range(from..to, new);
            lines.edit(&text, &(from..to), new.len());
            assert_eq!(lines.starts, Lines::new(&text).starts, "{text:?} after {from}..{to} became {new:?}");
        }
    }
}
