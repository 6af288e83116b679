//! Formats in TOML, by their names.

/// Formats by their names.
pub(super) mod formats {
    use ptxcvt::Format;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(formats: &[Format], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(formats.iter().map(|format| format.name()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names.iter().map(|name| name.parse().map_err(D::Error::custom)).collect()
    }
}

/// A format by its name.
pub(super) mod format {
    use ptxcvt::Format;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(format.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}
