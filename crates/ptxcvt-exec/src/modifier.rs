//! The words between an instruction's name and its types.
//!
//! PTX ISA chapter 9: rounding (9.7.3), comparison operators (9.3), and the modifiers of single instructions.

use std::cmp::Ordering;
use std::fmt;

use ptxcvt::Rounding;

/// The orders of a and b, as in the rows of comparisons.
const LESS: Option<Ordering> = Some(Ordering::Less);
const EQUAL: Option<Ordering> = Some(Ordering::Equal);
const GREATER: Option<Ordering> = Some(Ordering::Greater);
/// One of them is NaN.
const UNORDERED: Option<Ordering> = None;

/// Declares [`Modifier`]. `modifiers! { Ftz "ftz" Le "le" [LESS EQUAL] }` expands to the variants `Ftz` and `Le` with
/// these names. A comparison has a list of the orders for which it holds.
macro_rules! modifiers {
    ($($variant:ident $name:literal $([$($order:ident)+])?)*) => {
        /// A modifier of an instruction. `.lo` and `.hi` name halves of a product and, in comparisons, unsigned order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // PTX's own words
        pub enum Modifier { $($variant),* }

        impl Modifier {
            /// Every modifier.
            pub const ALL: &'static [Modifier] = &[$(Modifier::$variant),*];
        }

        const NAMES: &[&str] = &[$($name),*];
        const COMPARISONS: &[Option<&[Option<Ordering>]>] = &[$(comparison!($($($order)+)?)),*];
    };
}

/// The orders of a row, or `None` if the row has none.
macro_rules! comparison {
    () => { None };
    ($($order:ident)+) => { Some(&[$($order),+]) };
}

modifiers! {
    Rn "rn" Rz "rz" Rm "rm" Rp "rp" Approx "approx" Full "full"
    Ftz "ftz" Sat "sat" Relu "relu" NaN "NaN" Xorsign "xorsign" Abs "abs"
    Lo "lo" [LESS] Hi "hi" [GREATER] Wide "wide"
    Eq "eq" [EQUAL] Ne "ne" [LESS GREATER]
    Lt "lt" [LESS] Le "le" [LESS EQUAL] Gt "gt" [GREATER] Ge "ge" [EQUAL GREATER]
    Ls "ls" [LESS EQUAL] Hs "hs" [EQUAL GREATER]
    Equ "equ" [EQUAL UNORDERED] Neu "neu" [LESS GREATER UNORDERED]
    Ltu "ltu" [LESS UNORDERED] Leu "leu" [LESS EQUAL UNORDERED]
    Gtu "gtu" [GREATER UNORDERED] Geu "geu" [EQUAL GREATER UNORDERED]
    Num "num" [LESS EQUAL GREATER] Nan "nan" [UNORDERED]
    And "and" Or "or" Xor "xor"
    L "l" R "r" Clamp "clamp" Wrap "wrap" Shiftamt "shiftamt"
    Cc "cc" Add "add"
    Finite "finite" Infinite "infinite" Number "number" Notanumber "notanumber" Normal "normal" Subnormal "subnormal"
    F4e "f4e" B4e "b4e" Rc8 "rc8" Ecl "ecl" Ecr "ecr" Rc16 "rc16"
}

impl Modifier {
    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The orders of a and b for which the comparison holds; `None` is the order of NaN. The function returns `None` for a
    /// modifier that compares nothing.
    pub(crate) const fn comparison(self) -> Option<&'static [Option<Ordering>]> {
        COMPARISONS[self as usize]
    }

    /// The modifier of that name, without the dot.
    pub fn from_name(name: &str) -> Option<Modifier> {
        Self::ALL.iter().copied().find(|m| m.name() == name)
    }
}

/// A set of modifiers is kept in 64 bits.
const _: () = assert!(Modifier::ALL.len() <= u64::BITS as usize, "the set has a bit for every modifier");

/// A set of modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Modifiers(u64);

impl Modifiers {
    /// Adds `modifier` to the set.
    #[must_use]
    pub const fn with(self, modifier: Modifier) -> Self {
        Modifiers(self.0 | 1 << modifier as u64)
    }

    /// True if `modifier` is in the set.
    pub const fn has(self, modifier: Modifier) -> bool {
        self.0 >> (modifier as u64) & 1 != 0
    }

    /// The number of modifiers in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The modifiers of the set.
    pub fn iter(self) -> impl Iterator<Item = Modifier> {
        Modifier::ALL.iter().copied().filter(move |m| self.has(*m))
    }

    /// The rounding modifier, `.rn` by default.
    pub fn rounding(self) -> Rounding {
        let rounding =
            [(Modifier::Rz, Rounding::Rz), (Modifier::Rm, Rounding::Rm), (Modifier::Rp, Rounding::Rp)];
        rounding.into_iter().find(|(m, _)| self.has(*m)).map_or(Rounding::Rn, |(_, r)| r)
    }
}

impl FromIterator<Modifier> for Modifiers {
    fn from_iter<I: IntoIterator<Item = Modifier>>(modifiers: I) -> Self {
        modifiers.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}
