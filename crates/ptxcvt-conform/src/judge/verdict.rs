//! The result of a comparison: the policy of a codec, or the nearest policy and the differences by class.

use std::fmt;

use ptxcvt::formats::Kind;
use ptxcvt::literal::hex;
use ptxcvt::{Format, Value, mask};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use super::place::{Position, Region, Situation};
use super::tally::Seen;
use crate::state::grouped;

/// Declares [`Class`]. The order is that in which an input is assigned to the first class that fits.
macro_rules! classes {
    ($($(#[doc = $doc:literal])* $name:ident $text:literal,)*) => {
        /// The kind of input that a difference concerns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Class { $($(#[doc = $doc])* $name),* }

        impl Class {
            /// Every class, in the order in which the first that fits an input counts.
            pub const ALL: &'static [Class] = &[$(Class::$name),*];

            /// The name, as in JSON: `zero_sign`.
            pub const fn name(self) -> &'static str {
                match self { $(Class::$name => $text),* }
            }
        }
    };
}

classes! {
    /// The input is NaN.
    Nan "nan",
    /// The input is infinite.
    Infinity "infinity",
    /// The input is greater in magnitude than the largest number of the destination.
    Overflow "overflow",
    /// The right result is a zero, and the codec returned the zero of the other sign.
    ZeroSign "zero_sign",
    /// The right result is subnormal or zero.
    Subnormal "subnormal",
    /// The input is a number of the destination.
    Exact "exact",
    /// The input is half-way between two numbers of the destination.
    Ties "ties",
    /// Any other input.
    Rounding "rounding",
}

impl Class {
    /// The class of a difference.
    pub(super) fn of(situation: Situation, destination: Format, expected: u64, got: u64) -> Class {
        let float = destination.is_float();
        let magnitude = |code: u64| code & !destination.sign_bit();
        let zero = |code: u64| float && magnitude(code) == 0 && code <= destination.sign_bit();
        match situation.region {
            Region::Nan => Class::Nan,
            Region::Infinity => Class::Infinity,
            Region::Overflow => Class::Overflow,
            _ if destination.is_signed() && zero(expected) && zero(got) => Class::ZeroSign,
            Region::Least => Class::Subnormal,
            // A format without zero has its least number in its place.
            Region::Zero if matches!(destination.parameters().kind, Kind::PowerOfTwo { .. }) => {
                Class::Subnormal
            }
            _ if float && magnitude(expected) < destination.min_normal() => Class::Subnormal,
            _ => match situation.position {
                Position::Exact => Class::Exact,
                Position::Tie => Class::Ties,
                _ => Class::Rounding,
            },
        }
    }
}

/// An input on which the codec differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    source: Format,
    destination: Format,
    /// The code of the input.
    pub input: u64,
    /// The code that the codec returned.
    pub got: u64,
    /// The right code.
    pub expected: u64,
}

impl Example {
    pub(super) fn new(formats: (Format, Format), seen: Seen, expected: u64) -> Example {
        Example { source: formats.0, destination: formats.1, input: seen.input, got: seen.got, expected }
    }
}

/// The differences of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The class.
    pub class: Class,
    /// How many inputs differ.
    pub count: u64,
    /// The input that is the simplest number.
    pub example: Example,
    /// The input of least magnitude.
    pub smallest: Example,
    /// A description of the codec's mistake.
    pub mistake: String,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub(super) formats: (Format, Format),
    /// How many inputs were compared.
    pub inputs: u64,
    /// Every input of the source format was compared.
    pub exhaustive: bool,
    /// The opcodes, or otherwise the policy, that the codec equals on all inputs. If the caller gave a reference, only
    /// that one.
    pub equal: Vec<String>,
    /// The opcode or policy with the fewest differences, from which `differences` are counted.
    pub nearest: String,
    /// If the caller gave a reference: other opcodes or the policy that the codec equals, although it differs from the
    /// reference.
    pub otherwise: Vec<String>,
    /// The differences from `nearest`, in the order of the classes.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// True if the codec equals the reference, or any policy if there is no reference.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// The differences of a class, if there are any.
    pub fn difference(&self, class: Class) -> Option<&Difference> {
        self.differences.iter().find(|difference| difference.class == class)
    }

    /// How many inputs differ.
    pub fn count(&self) -> u64 {
        self.differences.iter().map(|difference| difference.count).sum()
    }

    /// The conversion as text: `f32->e4m3`.
    pub fn conversion(&self) -> String {
        format!("{}->{}", self.formats.0, self.formats.1)
    }
}

/// A code and its value: `0x3f880000 (1.0625)`.
fn shown(format: Format, code: u64) -> String {
    let wide = code > mask(format.storage());
    let bits = if wide { format!("{code:#x}") } else { hex(code, format.storage()) };
    if wide {
        return format!("{bits} (more than {} bits)", format.storage());
    }
    format!("{bits} ({})", value(format, code))
}

/// The value of a code; in sentences NaN has capitals.
pub(super) fn value(format: Format, code: u64) -> String {
    match format.decode(code) {
        Value::Nan { .. } => "NaN".to_owned(),
        number => number.to_string(),
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (input, got) = (shown(self.source, self.input), shown(self.destination, self.got));
        write!(f, "{input} gives {got}, expected {}", shown(self.destination, self.expected))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = if self.exhaustive {
            format!("all {} inputs", grouped(self.inputs))
        } else {
            format!("{} edges, ties and random inputs", grouped(self.inputs))
        };
        if self.is_equal() {
            let names = self.equal.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return write!(f, "{}: equal to {names} on {all}", self.conversion());
        }
        let (count, differ) = (self.count(), if self.count() == 1 { "differs" } else { "differ" });
        writeln!(
            f,
            "{}: nearest to `{}`, but {} of {all} {differ}",
            self.conversion(),
            self.nearest,
            grouped(count)
        )?;
        for difference in &self.differences {
            let inputs = if difference.count == 1 { "input" } else { "inputs" };
            writeln!(f)?;
            writeln!(
                f,
                "{}: {} {inputs}: {}",
                difference.class.name(),
                grouped(difference.count),
                difference.mistake
            )?;
            write!(f, "    {}", difference.example)?;
            if difference.smallest != difference.example {
                write!(f, "\n    {}", difference.smallest)?;
            }
        }
        if !self.otherwise.is_empty() {
            let names = self.otherwise.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            write!(f, "\n\nIt equals {names} instead.")?;
        }
        Ok(())
    }
}

impl Serialize for Example {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Example", 6)?;
        map.serialize_field("input", &hex(self.input, self.source.storage()))?;
        map.serialize_field(
            "got",
            &format!("{:#0digits$x}", self.got, digits = 2 + self.destination.storage().div_ceil(4) as usize),
        )?;
        map.serialize_field("expected", &hex(self.expected, self.destination.storage()))?;
        map.serialize_field("input_value", &value(self.source, self.input))?;
        map.serialize_field("got_value", &value(self.destination, self.got))?;
        map.serialize_field("expected_value", &value(self.destination, self.expected))?;
        map.end()
    }
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Difference", 4)?;
        map.serialize_field("count", &self.count)?;
        map.serialize_field("mistake", &self.mistake)?;
        map.serialize_field("example", &self.example)?;
        map.serialize_field("smallest", &self.smallest)?;
        map.end()
    }
}

struct ByClass<'v>(&'v [Difference]);

impl Serialize for ByClass<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for difference in self.0 {
            map.serialize_entry(difference.class.name(), difference)?;
        }
        map.end()
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Verdict", 7)?;
        map.serialize_field("conversion", &self.conversion())?;
        map.serialize_field("inputs", &self.inputs)?;
        map.serialize_field("exhaustive", &self.exhaustive)?;
        map.serialize_field("equal", &self.equal)?;
        map.serialize_field("nearest", &self.nearest)?;
        map.serialize_field("otherwise", &self.otherwise)?;
        map.serialize_field("differences", &ByClass(&self.differences))?;
        map.end()
    }
}
