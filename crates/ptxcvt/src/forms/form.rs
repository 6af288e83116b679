//! A form: a legal opcode, and the table's facts about it.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22.

#[cfg(feature = "alloc")]
use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt;

use super::gates::{self, Gate};
use super::modifier::{Modifier, Modifiers};
use super::opcode::Opcode;
use super::row::{Row, Shape};
use super::table::{FIRST_ANNOUNCED, TABLE};
use crate::round::Rounding;
use crate::targets::IsaVersion;
use crate::targets::Target;
use crate::types::Type;

/// A legal form of `cvt` or `cvt.pack`: instruction, rounding, modifiers and types.
///
/// Every `Form` is in the table, so it can be printed, looked up for a target, and evaluated.
///
/// # Example: text to form and back
///
/// ```
/// use ptxcvt::Form;
/// // Modifiers may come in any order, even after the types; printing is canonical.
/// let form: Form = "cvt.satfinite.e4m3x2.f32.rn".parse()?;
/// assert_eq!(form.to_string(), "cvt.rn.satfinite.e4m3x2.f32");
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Example: where it is legal
///
/// ```
/// use ptxcvt::{Form, IsaVersion, Target};
/// let form: Form = "cvt.rs.satfinite.e2m1x4.f32".parse()?;
/// let sm_100a: Target = "sm_100a".parse()?;
/// let sm_120a: Target = "sm_120a".parse()?;
/// assert_eq!(form.since(sm_100a), Some(IsaVersion::new(8, 7)));
/// assert_eq!(form.since(sm_120a), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Example: every form
///
/// ```
/// use ptxcvt::{Form, Opcode};
/// let mut packs = Form::all().filter(|form| form.opcode() == Opcode::CvtPack);
/// assert_eq!(packs.next().unwrap().to_string(), "cvt.pack.sat.u16.s32");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form {
    row: u8,
    rounding: Option<Rounding>,
    modifiers: Modifiers,
    destination: Type,
    source: Type,
}

impl Form {
    /// A form with the operands of a row. Forms made up for tests have parts that the row does not have.
    pub(super) const fn in_row(
        row: usize,
        rounding: Option<Rounding>,
        modifiers: Modifiers,
        destination: Type,
        source: Type,
    ) -> Form {
        Form { row: row as u8, rounding, modifiers, destination, source }
    }

    #[inline]
    pub(super) const fn row(&self) -> &'static Row {
        &TABLE[self.row as usize]
    }

    /// True if the form is a `cvt.pack` whose third type is `.b32`.
    pub(super) fn takes_rest(&self) -> bool {
        self.row().shape == Shape::TwoAndRest
    }

    /// True if the form is known from the manual only: no assembler accepts it yet.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.f16.f32".parse()?;
    /// assert!(!form.is_announced());
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn is_announced(&self) -> bool {
        usize::from(self.row) >= FIRST_ANNOUNCED
    }

    /// `cvt` or `cvt.pack`.
    #[inline]
    pub const fn opcode(&self) -> Opcode {
        self.row().opcode
    }

    /// The rounding modifier, if the form has one.
    #[inline]
    pub const fn rounding(&self) -> Option<Rounding> {
        self.rounding
    }

    /// The modifiers other than rounding.
    #[inline]
    pub const fn modifiers(&self) -> Modifiers {
        self.modifiers
    }

    /// True if the form has `modifier`.
    #[inline]
    pub const fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.has(modifier)
    }

    /// True if infinity becomes a finite number: with `.sat` and `.satfinite`, and from floating point to integers.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form = |opcode: &str| opcode.parse::<Form>();
    /// assert!(form("cvt.rn.satfinite.e4m3x2.f32")?.limits_infinity());
    /// assert!(form("cvt.rzi.s32.f32")?.limits_infinity());
    /// assert!(!form("cvt.rn.f16.f32")?.limits_infinity());
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn limits_infinity(&self) -> bool {
        self.has(Modifier::Sat)
            || self.has(Modifier::Satfinite)
            || self.destination().format().is_integer() && !self.source().format().is_integer()
    }

    /// The destination type; for `cvt.pack`, the type to which each of two sources is converted.
    #[inline]
    pub const fn destination(&self) -> Type {
        self.destination
    }

    /// The source type.
    #[inline]
    pub const fn source(&self) -> Type {
        self.source
    }

    /// The number of elements that one instruction converts.
    #[inline]
    pub fn lanes(&self) -> u32 {
        match self.opcode() {
            Opcode::Cvt => self.destination.lanes(),
            Opcode::CvtPack => 2,
        }
    }

    /// The width of the result in bits, without the extension into a wider register.
    #[inline]
    pub fn result_width(&self) -> u32 {
        match self.opcode() {
            Opcode::Cvt => self.destination.width(),
            Opcode::CvtPack => 32,
        }
    }

    /// The first ISA version at which `target` accepts the form; `None` if it never does.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        self.gates().try_fold(target.introduced(), |first, gate| {
            gates::first_version(gate, target).map(|version| first.max(version))
        })
    }

    /// The targets that accept the form, by the first ISA version at which they do.
    ///
    /// ```
    /// use ptxcvt::{Form, IsaVersion};
    /// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// let (version, targets) = form.by_version().into_iter().next().unwrap();
    /// assert_eq!((version, targets[0].to_string()), (IsaVersion::new(7, 8), "sm_90".to_owned()));
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn by_version(&self) -> BTreeMap<IsaVersion, Vec<Target>> {
        let mut groups: BTreeMap<IsaVersion, Vec<Target>> = BTreeMap::new();
        for target in Target::all() {
            if let Some(version) = self.since(target) {
                groups.entry(version).or_default().push(target);
            }
        }
        groups
    }

    /// True if a module of that target and version may use the form.
    pub fn is_legal(&self, target: Target, isa: IsaVersion) -> bool {
        target.exists_in(isa) && self.since(target).is_some_and(|since| since <= isa)
    }

    /// All gates that a target must pass: the row's, its rounding's, its modifiers'.
    fn gates(&self) -> impl Iterator<Item = Gate> {
        let row = self.row();
        let rounding = row.rounding.iter().filter(|(r, _)| *r == self.rounding).map(|(_, gate)| *gate);
        let modifiers = row.modifiers.iter().filter(|(m, ..)| self.has(*m)).map(|(_, _, gate)| *gate);
        core::iter::once(row.gate).chain(rounding).chain(modifiers)
    }
}

impl fmt::Display for Form {
    /// The canonical spelling: rounding, modifiers in the order of the manual's syntax line, types.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.row();
        f.write_str(row.opcode.name())?;
        if let Some(rounding) = self.rounding {
            write!(f, ".{}", rounding.name())?;
        }
        let of_row = |modifier| row.modifiers.iter().any(|(m, ..)| *m == modifier);
        // Only made-up forms have modifiers that their row lacks.
        let others = self.modifiers.iter().filter(|m| !of_row(*m));
        for modifier in row.modifiers.iter().map(|(m, ..)| *m).filter(|m| self.has(*m)).chain(others) {
            write!(f, ".{}", modifier.name())?;
        }
        write!(f, ".{}.{}", self.destination, self.source)?;
        if self.takes_rest() { f.write_str(".b32") } else { Ok(()) }
    }
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Form({self})")
    }
}
