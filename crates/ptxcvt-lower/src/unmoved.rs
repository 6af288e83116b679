//! Short sequences without the moves at their end, from which words of several pairs are composed.

/// Where the codes of a pair are in a register of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In bytes 1 and 3.
    Halves,
    /// Two FP4 codes in the highest byte.
    Top,
    /// Two FP4 codes in the lowest byte; the others are 0.
    Bottom,
}

impl Place {
    /// The place of this name in the mark of a template.
    pub fn from_name(name: &str) -> Option<Place> {
        match name {
            "halves" => Some(Place::Halves),
            "top" => Some(Place::Top),
            "bottom" => Some(Place::Bottom),
            _ => None,
        }
    }
}

/// The beginning of a sequence: the codes are made, but not yet moved to the destination.
#[derive(Clone, Debug)]
pub(crate) struct Unmoved {
    /// The block's text without the closing brace.
    pub text: String,
    /// Where the codes are.
    pub place: Place,
    /// The register that has them.
    pub register: String,
}
