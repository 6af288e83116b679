//! `Serialize` and `Deserialize` with PTX's spellings: a form as its opcode, a version as `9.1`.

use core::fmt;
use core::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{Form, Format, IsaVersion, Target, Type};

/// Reads a string and passes it to `parse`.
struct Text<T>(&'static str, fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Text<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// `as_text!(Form, "an opcode", parse)` implements both traits with `Display` and `parse`.
macro_rules! as_text {
    ($type:ty, $what:literal, $parse:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text($what, $parse))
            }
        }
    };
}

as_text!(Form, "the opcode of a legal conversion", |t| Form::from_str(t).ok());
as_text!(Target, "a target such as sm_90", |t| Target::from_str(t).ok());
as_text!(IsaVersion, "a PTX ISA version such as 9.1", |t| IsaVersion::from_str(t).ok());
as_text!(Type, "a PTX type", Type::from_name);
as_text!(Format, "a number format", Format::from_name);
