//! Targets: the names that `.target` accepts, and in which ISA versions.
//!
//! PTX ISA section 11.1.2 `.target`.

use core::fmt;

use super::version::IsaVersion;
use crate::error::Code;
use crate::quoted::Quoted;

/// The letter after an architecture's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Suffix {
    /// No letter: code runs on this architecture and later ones.
    Plain,
    /// `a`: code for exactly this architecture, with all its features.
    Architecture,
    /// `f`: code for this architecture's family.
    Family,
}

/// A `.target` architecture such as `sm_90` or `sm_100a`.
///
/// ```
/// use ptxcvt::Target;
/// let target: Target = "sm_100a".parse()?;
/// assert_eq!(target.introduced().to_string(), "8.6");
/// assert!("sm_91".parse::<Target>().is_err());
/// # Ok::<(), ptxcvt::targets::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    sm: u16,
    suffix: Suffix,
}

/// A target's row: its first ISA version and, if it was renamed, the first version without it and its new number.
struct Known {
    target: Target,
    since: IsaVersion,
    until: Option<(IsaVersion, u16)>,
    announced: bool,
}

const fn known(sm: u16, suffix: Suffix, since: (u8, u8)) -> Known {
    let since = IsaVersion::new(since.0, since.1);
    Known { target: Target { sm, suffix }, since, until: None, announced: false }
}

/// A target that the manual names but no assembler builds for yet. Use `known` once one does.
#[allow(dead_code)] // there may be none
const fn announced(sm: u16, suffix: Suffix, since: (u8, u8)) -> Known {
    Known { announced: true, ..known(sm, suffix, since) }
}

/// sm_101 was renamed sm_110 at ISA 9.0 and is rejected from there on.
const fn renamed(sm: u16, suffix: Suffix, since: (u8, u8)) -> Known {
    Known { until: Some((IsaVersion::new(9, 0), 110)), ..known(sm, suffix, since) }
}

#[rustfmt::skip]
const TARGETS: &[Known] = {
    use Suffix::{Architecture as A, Family as F, Plain as P};
    &[
        known(50, P, (4, 0)), known(52, P, (4, 1)), known(53, P, (4, 2)),
        known(60, P, (5, 0)), known(61, P, (5, 0)), known(62, P, (5, 0)),
        known(70, P, (5, 1)), known(72, P, (6, 1)), known(75, P, (6, 3)),
        known(80, P, (7, 0)), known(86, P, (7, 1)), known(87, P, (7, 4)),
        known(88, P, (9, 0)), known(89, P, (7, 8)),
        known(90, P, (7, 8)), known(90, A, (8, 0)),
        known(100, P, (8, 6)), known(100, A, (8, 6)), known(100, F, (8, 8)),
        renamed(101, P, (8, 6)), renamed(101, A, (8, 6)), renamed(101, F, (8, 8)),
        known(103, P, (8, 8)), known(103, A, (8, 8)), known(103, F, (8, 8)),
        known(107, P, (9, 4)), known(107, A, (9, 4)), known(107, F, (9, 4)),
        known(110, P, (9, 0)), known(110, A, (9, 0)), known(110, F, (9, 0)),
        known(120, P, (8, 7)), known(120, A, (8, 7)), known(120, F, (8, 8)),
        known(121, P, (8, 8)), known(121, A, (8, 8)), known(121, F, (8, 8)),
    ]
};

/// Checks that rows are in order, by number, then plain, `a`, `f`, and that the versions that they name exist.
// Rust 1.85 does not count the use in a constant.
#[allow(dead_code)]
const fn check(rows: &[Known]) {
    let (mut at, mut before) = (0, 0);
    while at < rows.len() {
        let Known { target, since, until, .. } = rows[at];
        let number = (target.sm as u32) << 2 | target.suffix as u32;
        assert!(number > before, "targets are in order, each once");
        assert!(since.exists(), "the version that brought a target exists");
        if let Some((until, sm)) = until {
            assert!(
                until.exists() && Target::has_number(sm),
                "a renamed target has its new name in a version"
            );
        }
        before = number;
        at += 1;
    }
}
const _: () = {
    check(TARGETS);
    check(LEGACY);
};

/// Targets that no current assembler builds for, but whose modules it still reads.
#[rustfmt::skip]
const LEGACY: &[Known] = {
    use Suffix::Plain as P;
    &[
        known(10, P, (1, 0)), known(11, P, (1, 0)), known(12, P, (1, 2)), known(13, P, (1, 2)),
        known(20, P, (2, 0)), known(21, P, (2, 0)), known(30, P, (3, 0)), known(32, P, (4, 0)),
        known(35, P, (3, 1)), known(37, P, (4, 1)),
    ]
};

impl Target {
    /// Every target that the table covers, by number, then plain, `a`, `f`: those that assemblers of CUDA
    /// 12.9 and later build for, and those that [are announced](Self::is_announced).
    pub fn all() -> impl ExactSizeIterator<Item = Target> {
        TARGETS.iter().map(|k| k.target)
    }

    /// Older targets, which a module may still name. They have the forms that every target has; `.ftz` needs
    /// ISA 1.4 or 1.5.
    pub fn legacy() -> impl ExactSizeIterator<Item = Target> {
        LEGACY.iter().map(|k| k.target)
    }

    /// Every target that a module may name.
    pub(crate) fn every() -> impl Iterator<Item = Target> {
        Self::all().chain(Self::legacy())
    }

    /// True if a target has this number, with any letter or none.
    pub(super) const fn has_number(sm: u16) -> bool {
        let mut at = 0;
        while at < TARGETS.len() + LEGACY.len() {
            let row = if at < TARGETS.len() { &TARGETS[at] } else { &LEGACY[at - TARGETS.len()] };
            if row.target.sm == sm {
                return true;
            }
            at += 1;
        }
        false
    }

    /// The architecture's number: 90 of `sm_90a`.
    pub const fn sm(self) -> u16 {
        self.sm
    }

    /// The letter after the number.
    pub const fn suffix(self) -> Suffix {
        self.suffix
    }

    fn known(self) -> &'static Known {
        let known = TARGETS.iter().chain(LEGACY).find(|k| k.target == self);
        known.expect("every `Target` is from the tables")
    }

    /// The first ISA version whose `.target` accepts this name.
    pub fn introduced(self) -> IsaVersion {
        self.known().since
    }

    /// The first later ISA version whose `.target` rejects this name: 9.0 for sm_101, which was renamed sm_110.
    pub fn withdrawn(self) -> Option<IsaVersion> {
        Some(self.known().until?.0)
    }

    /// The new name of a renamed target, valid from the version that withdrew this name.
    ///
    /// ```
    /// use ptxcvt::Target;
    /// let renamed = |name: &str| name.parse::<Target>().unwrap().renamed().map(|target| target.to_string());
    /// assert_eq!(renamed("sm_101a"), Some("sm_110a".to_string()));
    /// assert_eq!(renamed("sm_90a"), None);
    /// ```
    pub fn renamed(self) -> Option<Target> {
        let (_, sm) = self.known().until?;
        Some(Target { sm, ..self })
    }

    /// The newest ISA version whose `.target` accepts this name.
    ///
    /// ```
    /// use ptxcvt::{IsaVersion, Target};
    /// let newest = |name: &str| name.parse::<Target>().unwrap().newest();
    /// assert_eq!(newest("sm_90a"), IsaVersion::NEWEST);
    /// assert_eq!(newest("sm_101a"), IsaVersion::new(8, 8)); // renamed sm_110a at 9.0
    /// ```
    pub fn newest(self) -> IsaVersion {
        IsaVersion::all()
            .filter(|isa| self.exists_in(*isa))
            .last()
            .expect("every target exists in some version")
    }

    /// The newest ISA version that an assembler with the target reads. CUDA 13.0 removed the targets below sm_75, so
    /// ISA 8.8 of CUDA 12.9 is theirs. `None` if no assembler from CUDA 12.9 on has the target: not yet, or no longer.
    ///
    /// ```
    /// use ptxcvt::{IsaVersion, Target};
    /// let assembled = |name: &str| name.parse::<Target>().unwrap().assembled();
    /// assert_eq!(assembled("sm_70"), Some(IsaVersion::new(8, 8)));
    /// assert_eq!(assembled("sm_90a"), Some(IsaVersion::NEWEST_RELEASED));
    /// ```
    pub fn assembled(self) -> Option<IsaVersion> {
        let last = match self.sm < 75 {
            true => IsaVersion::of_cuda_toolkit((12, 9)).expect("a toolkit of the table"),
            false => IsaVersion::NEWEST_RELEASED,
        };
        let is_built = TARGETS.iter().any(|known| known.target == self && !known.announced);
        IsaVersion::all().filter(|isa| is_built && *isa <= last && self.exists_in(*isa)).last()
    }

    /// True if the target is known from the manual only: no assembler builds for it yet.
    ///
    /// ```
    /// use ptxcvt::Target;
    /// let sm_107a: Target = "sm_107a".parse()?;
    /// assert!(!sm_107a.is_announced());
    /// # Ok::<(), ptxcvt::targets::TargetError>(())
    /// ```
    pub fn is_announced(self) -> bool {
        self.known().announced
    }

    /// True if a module of that version may name this target.
    pub fn exists_in(self, isa: IsaVersion) -> bool {
        let known = self.known();
        isa.exists() && known.since <= isa && known.until.is_none_or(|(until, _)| isa < until)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.suffix {
            Suffix::Plain => "",
            Suffix::Architecture => "a",
            Suffix::Family => "f",
        };
        write!(f, "sm_{}{letter}", self.sm)
    }
}

/// No target has this name. The message lists all of them.
///
/// ```
/// use ptxcvt::Target;
/// let error = "sm_91".parse::<Target>().unwrap_err();
/// assert!(error.to_string().starts_with("no target `sm_91`; targets are sm_50 sm_52 "));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetError {
    name: Quoted,
}

impl TargetError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::UnknownTarget
    }

    /// How to correct it.
    pub const fn help(&self) -> Option<&str> {
        Some("write a target such as sm_90, sm_100a or sm_120f")
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no target `{}`; targets are", self.name)?;
        // Each number once, with the letters that may follow it: `sm_100[a|f]`.
        for plain in Target::all().filter(|target| target.suffix == Suffix::Plain) {
            let has = |suffix| Target::all().any(|other| other.sm == plain.sm && other.suffix == suffix);
            let letters = match (has(Suffix::Architecture), has(Suffix::Family)) {
                (true, true) => "[a|f]",
                (true, false) => "[a]",
                (false, true) => "[f]",
                (false, false) => "",
            };
            write!(f, " {plain}{letters}")?;
        }
        f.write_str("; older ones are")?;
        Target::legacy().try_for_each(|old| write!(f, " {old}"))
    }
}

impl core::error::Error for TargetError {}

impl core::str::FromStr for Target {
    type Err = TargetError;

    /// Reads a name as [`Display`](fmt::Display) writes it.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        named(text).ok_or_else(|| TargetError { name: Quoted::new(text) })
    }
}

/// The target of this name.
fn named(text: &str) -> Option<Target> {
    let digits = text.strip_prefix("sm_")?;
    let (digits, suffix) = match digits.strip_suffix(['a', 'f']) {
        Some(rest) if digits.ends_with('a') => (rest, Suffix::Architecture),
        Some(rest) => (rest, Suffix::Family),
        None => (digits, Suffix::Plain),
    };
    // `parse` alone would accept "+90" and "090".
    if digits.starts_with(['0', '+']) {
        return None;
    }
    let target = Target { sm: digits.parse().ok()?, suffix };
    Target::every().find(|known| *known == target)
}
