//! The dotted parts of an opcode, and which one a misspelt word was meant to be.

use super::modifier::Modifier;
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
    /// Nothing that `cvt` knows.
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

    /// PTX's name, without the dot.
    pub fn name(&self) -> &'static str {
        match self {
            Part::Rounding(r) => r.name(),
            Part::Modifier(m) => m.name(),
            Part::Type(t) => t.name(),
            Part::Rest => "b32",
            Part::Unknown => "",
        }
    }

    /// Every name that can be a part.
    fn all() -> impl Iterator<Item = Part> {
        let roundings = Rounding::ALL.iter().copied().map(Part::Rounding);
        let modifiers = Modifier::ALL.iter().copied().map(Part::Modifier);
        roundings.chain(modifiers).chain(Type::ALL.iter().copied().map(Part::Type)).chain([Part::Rest])
    }

    /// The known part whose name is most like `name`, if one is near enough to be meant: an element format
    /// means its packed type, a slip of the pen its neighbour.
    pub(super) fn meant_by(name: &str) -> Option<Part> {
        Self::guess(name).map(|(part, _)| part)
    }

    /// The same where nothing else can be meant: another language's name, or a slip with one nearest neighbour. (An
    /// element format may mean its packed type, or a single value that has no instruction.)
    #[cfg(feature = "alloc")]
    pub(super) fn surely_meant_by(name: &str) -> Option<Part> {
        Self::guess(name).filter(|(_, sure)| *sure).map(|(part, _)| part)
    }

    fn guess(name: &str) -> Option<(Part, bool)> {
        // What other languages call them.
        let other = match name {
            "i8" => Some(Type::S8),
            "i16" => Some(Type::S16),
            "i32" | "int" => Some(Type::S32),
            "i64" => Some(Type::S64),
            "fp16" | "half" => Some(Type::F16),
            "bfloat16" => Some(Type::BF16),
            "fp32" | "float" => Some(Type::F32),
            "fp64" | "double" => Some(Type::F64),
            _ => None,
        };
        if let Some(ty) = other {
            return Some((Part::Type(ty), true));
        }
        let packed = Type::ALL.iter().copied().find(|t| t.lanes() == 2 && t.format().name() == name);
        if let Some(ty) = packed {
            return Some((Part::Type(ty), false));
        }
        let limit = name.len().div_ceil(3);
        let mut best: Option<(usize, Part, bool)> = None;
        for part in Part::all() {
            let distance = edit_distance(part.name(), name);
            if distance > limit || distance >= name.len() {
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

    /// Two parts that cannot both be written. (ptxas takes `.sat`, `.satfinite` and `.relu` twice.)
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

/// How many insertions, deletions, and replacements of a character turn one name into the other; counted
/// no further than names go.
fn edit_distance(known: &str, written: &str) -> usize {
    const LONGEST: usize = 24;
    if written.len() > LONGEST {
        return usize::MAX;
    }
    // One row of the classic table at a time: row[j] is the distance to the first j bytes of `written`.
    let mut row: [usize; LONGEST + 1] = core::array::from_fn(|j| j);
    for (i, a) in known.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in written.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[written.len()]
}
