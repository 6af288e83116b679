//! The modifiers that are neither types nor roundings, and sets of them.
//!
//! PTX ISA section 9.7.9.21, "Integer Notes" and "Floating Point Notes".

use core::fmt;

/// A modifier of `cvt` or `cvt.pack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Modifier {
    /// `.ftz`: f32 subnormals become zero and keep the sign.
    Ftz,
    /// `.sat`: to the integer's range, or to \[0, 1\] for floats.
    Sat,
    /// `.satfinite`: numbers beyond the largest finite number become that number.
    Satfinite,
    /// `.relu`: negative results become +0.
    Relu,
    /// `.pzo`: a negative zero result becomes +0 (ISA 9.4).
    Pzo,
    /// `.scaled::n1::ue8m0`: one scale for all elements (ISA 9.4).
    ScaledN1,
    /// `.scaled::n2::ue8m0`: a separate scale for each of two elements.
    ScaledN2,
}

impl Modifier {
    /// Every modifier.
    pub const ALL: &'static [Modifier] = {
        use Modifier::*;
        &[Ftz, Sat, Satfinite, Relu, Pzo, ScaledN1, ScaledN2]
    };

    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Modifier::Ftz => "ftz",
            Modifier::Sat => "sat",
            Modifier::Satfinite => "satfinite",
            Modifier::Relu => "relu",
            Modifier::Pzo => "pzo",
            Modifier::ScaledN1 => "scaled::n1::ue8m0",
            Modifier::ScaledN2 => "scaled::n2::ue8m0",
        }
    }

    /// The modifier of that name (without the dot).
    pub fn from_name(name: &str) -> Option<Modifier> {
        Self::ALL.iter().copied().find(|m| m.name() == name)
    }

    /// True for the two that add a `scale-factor` operand; an opcode has at most one of them.
    pub const fn is_scale(self) -> bool {
        matches!(self, Modifier::ScaledN1 | Modifier::ScaledN2)
    }
}

#[cfg(feature = "alloc")]
crate::names::from_str!(Modifier, "modifier");

/// A set of modifiers is kept in a byte.
const _: () = assert!(Modifier::ALL.len() <= u8::BITS as usize, "the set has a bit for every modifier");

/// A set of [`Modifier`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Modifiers(u8);

impl Modifiers {
    /// No modifier.
    pub const NONE: Modifiers = Modifiers(0);

    /// True if `modifier` is in the set.
    #[inline]
    pub const fn has(self, modifier: Modifier) -> bool {
        self.0 & (1 << modifier as u8) != 0
    }

    /// The set with `modifier` added.
    #[must_use]
    pub const fn with(self, modifier: Modifier) -> Self {
        Self(self.0 | 1 << modifier as u8)
    }

    /// The members, in the order of [`Modifier::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Modifier> + Clone {
        Modifier::ALL.iter().copied().filter(move |&m| self.has(m))
    }

    /// The number of members.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True for the empty set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The modifiers that are in exactly one of the two sets.
    pub(super) const fn symmetric_difference(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl FromIterator<Modifier> for Modifiers {
    fn from_iter<I: IntoIterator<Item = Modifier>>(modifiers: I) -> Self {
        modifiers.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Debug for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
