//! The one reader of names that people write: of formats, types, roundings, modifiers and instructions.

use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::error::Code;
use crate::text::clip;

/// No format, type, rounding, modifier or instruction has this name. The message lists all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    kind: &'static str,
    /// The owner of the known names, if they are not all names of the kind.
    of: Option<&'static str>,
    name: String,
    known: Vec<&'static str>,
}

impl UnknownName {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        Code::UnknownName
    }

    /// How to correct it. The message lists the names.
    pub const fn help(&self) -> Option<&str> {
        None
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { kind, of, name, known } = self;
        write!(f, "no {kind} `{name}`; {kind}s ")?;
        if let Some(of) = of {
            write!(f, "of {of} ")?;
        }
        write!(f, "are {}", known.join(" "))
    }
}

impl core::error::Error for UnknownName {}

/// Finds what a text names, regardless of blanks around it, a dot before it, and the case of its letters.
///
/// ```
/// use ptxcvt::names::read;
/// let find = |name: &str| (name == "rows").then_some(0);
/// assert_eq!(read("layout", " .Rows", find, ["rows"].into_iter()), Ok(0));
/// let unknown = read("layout", "columns", find, ["rows"].into_iter()).unwrap_err();
/// assert_eq!(unknown.to_string(), "no layout `columns`; layouts are rows");
/// ```
///
/// # Errors
///
/// Fails if `find` finds nothing for the name in lower case; the error lists the `known` names.
pub fn read<T>(
    kind: &'static str,
    text: &str,
    find: impl Fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str>,
) -> Result<T, UnknownName> {
    read_of(kind, None, text, find, known)
}

/// Like [`read`], but the `known` names are only those that belong to `of`.
pub(crate) fn read_of<T>(
    kind: &'static str,
    of: Option<&'static str>,
    text: &str,
    find: impl Fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str>,
) -> Result<T, UnknownName> {
    let name = text.trim().trim_start_matches('.').to_ascii_lowercase();
    find(&name).ok_or_else(|| UnknownName { kind, of, name: clip(text), known: known.collect() })
}

/// Implements [`FromStr`](core::str::FromStr) for a type with `from_name`, `ALL` and `name`.
macro_rules! from_str {
    ($type:ident, $kind:literal) => {
        impl core::str::FromStr for $type {
            type Err = $crate::names::UnknownName;

            /// Reads a name that a person wrote: a dot before it, blanks around it and the case of its letters do not
            /// matter.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::names::read($kind, text, Self::from_name, Self::ALL.iter().map(|known| known.name()))
            }
        }
    };
}
pub(crate) use from_str;

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use crate::forms::{Modifier, Opcode};
    use crate::{Format, Rounding, Type};

    #[test]
    fn blanks_dots_and_case_do_not_matter() {
        for around in ["e4m3", ".e4m3", " .E4M3 ", "FLOAT8_E4M3FN"] {
            assert_eq!(around.parse::<Format>(), Ok(Format::E4m3), "{around}");
        }
        assert_eq!(".E4m3x2 ".parse::<Type>(), Ok(Type::E4M3X2));
        assert_eq!("Half".parse::<Type>(), Ok(Type::F16));
        assert_eq!(".RN".parse::<Rounding>(), Ok(Rounding::Rn));
        assert_eq!("Satfinite".parse::<Modifier>(), Ok(Modifier::Satfinite));
        assert_eq!("CVT.pack".parse::<Opcode>(), Ok(Opcode::CvtPack));
        for (format, text) in [(Format::E4m3, ".E4M3X2"), (Format::Bf16, "bf16x2"), (Format::F16, "half")] {
            assert_eq!(Type::read_format(text), Ok(format), "{text}");
        }
    }

    #[test]
    fn errors_list_the_names() {
        let errors = [
            "e4m3x2".parse::<Format>().unwrap_err(),
            "e4m3".parse::<Type>().unwrap_err(),
            "up".parse::<Rounding>().unwrap_err(),
            "rn".parse::<Modifier>().unwrap_err(),
            "mov".parse::<Opcode>().unwrap_err(),
        ];
        let begins = [
            "no format `e4m3x2`; formats are u2 ",
            "no type `e4m3`; types of e4m3 are e4m3x2 e4m3x4",
            "no rounding `up`; roundings are rn rna ",
            "no modifier `rn`; modifiers are ftz ",
            "no instruction `mov`; instructions are cvt cvt.pack",
        ];
        for (error, begin) in errors.iter().zip(begins) {
            assert!(error.to_string().starts_with(begin), "{error}");
        }
    }
}
