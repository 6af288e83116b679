//! The dotted parts of an opcode, and corrections of misspelt ones.

use super::modifier::Modifier;
use crate::formats::Format;
use crate::round::Rounding;
use crate::types::Type;

/// One dotted part of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A rounding modifier.
    Rounding(Rounding),
    /// Another modifier.
    Modifier(Modifier),
    /// A type.
    Type(Type),
    /// `.b32`, the third type of `cvt.pack`.
    Rest,
    /// A word that `cvt` does not know.
    Unknown,
}

impl Part {
    pub(super) fn read(name: &str) -> Part {
        if name == "b32" {
            return Part::Rest;
        }
        Rounding::from_name(name)
            .map(Part::Rounding)
            .or_else(|| Modifier::from_name(name).map(Part::Modifier))
            .or_else(|| Type::from_name(name).map(Part::Type))
            .unwrap_or(Part::Unknown)
    }

    /// PTX's name without the dot, or `None` for an unknown word.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Part::Rounding(r) => Some(r.name()),
            Part::Modifier(m) => Some(m.name()),
            Part::Type(t) => Some(t.name()),
            Part::Rest => Some("b32"),
            Part::Unknown => None,
        }
    }

    /// The name of a part that a message is about.
    pub(super) fn known_name(&self) -> &'static str {
        self.name().expect("messages name only known parts")
    }

    /// Every name that can be a part.
    fn all() -> impl Iterator<Item = Part> {
        let roundings = Rounding::ALL.iter().copied().map(Part::Rounding);
        let modifiers = Modifier::ALL.iter().copied().map(Part::Modifier);
        roundings.chain(modifiers).chain(Type::ALL.iter().copied().map(Part::Type)).chain([Part::Rest])
    }

    /// The known part most similar to `name`, if it is similar enough. An element format means its packed
    /// type.
    pub(super) fn meant_by(name: &str) -> Option<Part> {
        Self::guess(name).map(|(part, _)| part)
    }

    /// Like [`meant_by`](Self::meant_by), but only if the meaning is certain: a name from another language,
    /// or a misspelling with one nearest name. An element format is not certain: it could mean its packed
    /// type, or a single value, for which there is no instruction.
    pub(super) fn surely_meant_by(name: &str) -> Option<Part> {
        Self::guess(name).filter(|(_, sure)| *sure).map(|(part, _)| part)
    }

    /// True for a word that resembles no part: it has capitals or `_`, which no part has, and is neither the name of a
    /// format nor a misspelling of one nearest name.
    pub(super) fn is_foreign(name: &str) -> bool {
        let is_own = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !name.bytes().all(is_own)
            && Format::from_name(name).is_none()
            && Self::surely_meant_by(name).is_none()
    }

    fn guess(name: &str) -> Option<(Part, bool)> {
        // A format's name, perhaps that of another language: `half`, `e4m3`.
        if let Some(format) = Format::from_name(name) {
            let of = |lanes| Type::ALL.iter().copied().find(|t| t.lanes() == lanes && t.format() == format);
            let ty = of(1).map(|ty| (ty, true)).or_else(|| Some((of(2)?, false)));
            if let Some((ty, sure)) = ty {
                return Some((Part::Type(ty), sure));
            }
        }
        let limit = EDIT * name.len().div_ceil(3);
        let mut best: Option<(usize, Part, bool)> = None;
        // A name of another length takes at least as many edits as its length differs by.
        let near = |known: &str| EDIT * known.len().abs_diff(name.len()) <= limit;
        let known = Part::all().filter_map(|part| Some((part, part.name()?)));
        for (part, known) in known.filter(|(_, known)| near(known)) {
            let distance = edit_distance(known, name);
            if distance > limit || distance >= EDIT * name.len() {
                continue;
            }
            best = match best {
                Some((least, ..)) if least < distance => best,
                Some((least, first, _)) if least == distance => Some((least, first, false)),
                _ => Some((distance, part, true)),
            };
        }
        best.map(|(_, part, sure)| (part, sure))
    }

    /// True for two parts that exclude each other. (ptxas accepts `.sat`, `.satfinite` and `.relu` twice.)
    pub(super) fn repeats(self, other: Part) -> bool {
        match (self, other) {
            (Part::Rounding(_), Part::Rounding(_)) => true,
            (Part::Modifier(a), Part::Modifier(b)) => {
                let once = !matches!(a, Modifier::Sat | Modifier::Satfinite | Modifier::Relu);
                (a == b && once) || (a.is_scale() && b.is_scale())
            }
            _ => false,
        }
    }
}

/// What an inserted, deleted or replaced character adds to the distance of two names.
const EDIT: usize = 2;
/// What two adjacent characters in the wrong order add: less, so that `f61` is `f16` rather than `f64`.
const SWAP: usize = 1;

/// The edit distance of two names. It is the largest number if `written` is longer than any name.
fn edit_distance(known: &str, written: &str) -> usize {
    const LONGEST: usize = 24;
    if written.len() > LONGEST {
        return usize::MAX;
    }
    let (known, written) = (known.as_bytes(), written.as_bytes());
    // Three rows of the usual table: row[j] is the distance to the first j bytes of `written`.
    let mut row: [usize; LONGEST + 1] = core::array::from_fn(|j| EDIT * j);
    let mut above = row;
    for (i, a) in known.iter().enumerate() {
        let two_above = above;
        above = row;
        row[0] = EDIT * (i + 1);
        for (j, b) in written.iter().enumerate() {
            let replaced = above[j] + if a == b { 0 } else { EDIT };
            row[j + 1] = replaced.min(row[j] + EDIT).min(above[j + 1] + EDIT);
            if i > 0 && j > 0 && *a == written[j - 1] && *b == known[i - 1] {
                row[j + 1] = row[j + 1].min(two_above[j - 1] + SWAP);
            }
        }
    }
    row[written.len()]
}
