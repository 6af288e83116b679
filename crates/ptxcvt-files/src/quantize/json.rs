//! A JSON object whose entries keep their text: what is not changed is written as it was read.
//!
//! Python's `json` writes `NaN`, `Infinity` and `-Infinity`, too, which JSON lacks. They are read and kept.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// Python's constants.
const CONSTANTS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
/// Prefix of the strings that replace `NaN` and `Infinity` in memory.
const MARK: &str = r#""\u0000"#;

/// A JSON object.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// In the order of the text.
    entries: Vec<(String, Box<RawValue>)>,
    /// Strings with the mark stand for constants.
    marked: bool,
}

impl Object {
    /// Reads an object. Of two entries with the same name the last one counts, as in other readers.
    pub fn read(text: &str) -> serde_json::Result<Object> {
        // A text with the mark keeps it; constants in such a text are an error.
        let marked = !text.contains(MARK);
        let entries = match marked {
            true => serde_json::from_str::<Entries>(&mark(text))?,
            false => serde_json::from_str::<Entries>(text)?,
        };
        Ok(Object { entries: entries.0, marked })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of an entry. Integers beyond 64 bits are rounded here, and constants are strings.
    ///
    /// # Errors
    ///
    /// Fails if the value is JSON that a `Value` does not hold: deeply nested, or with half of a surrogate pair.
    pub fn get(&self, name: &str) -> serde_json::Result<Option<Value>> {
        let found = self.entries.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| serde_json::from_str(text.get())).transpose()
    }

    /// The entries that are objects themselves, with their names.
    ///
    /// # Errors
    ///
    /// Fails if the name of an entry in one of them has half of a surrogate pair.
    pub fn parts(&self) -> serde_json::Result<Vec<(&str, Object)>> {
        let objects = self.entries.iter().filter(|(_, text)| text.get().starts_with('{'));
        objects
            .map(|(name, text)| {
                let entries = serde_json::from_str::<Entries>(text.get())?.0;
                Ok((name.as_str(), Object { entries, marked: self.marked }))
            })
            .collect()
    }

    /// Whether an entry of this name is an object.
    pub fn has_part(&self, name: &str) -> bool {
        self.entries.iter().any(|(key, text)| key == name && text.get().starts_with('{'))
    }

    /// Replaces an entry in its place, or adds it at the end.
    pub fn set(&mut self, name: &str, to: &Value) {
        let text = serde_json::to_string_pretty(to).expect("a value is JSON").replace('\n', "\n  ");
        let text = RawValue::from_string(text).expect("a value is JSON");
        match self.entries.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = text,
            None => self.entries.push((name.to_owned(), text)),
        }
    }

    /// Removes the entries of this name from the object and from its [`parts`](Self::parts).
    ///
    /// # Errors
    ///
    /// Fails like [`parts`](Self::parts).
    pub fn remove(&mut self, name: &str) -> serde_json::Result<()> {
        self.entries.retain(|(key, _)| key != name);
        for (_, text) in self.entries.iter_mut().filter(|(_, text)| text.get().starts_with('{')) {
            let entries = serde_json::from_str::<Entries>(text.get())?.0;
            if entries.iter().any(|(key, _)| key == name) {
                let others = entries.into_iter().filter(|(key, _)| key != name).collect();
                // The constants keep their marks until the whole object is written.
                let part = Object { entries: others, marked: false }.to_string();
                *text = RawValue::from_string(part.trim_end().replace('\n', "\n  "))?;
            }
        }
        Ok(())
    }
}

/// The text of a file.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, text)) in self.entries.iter().enumerate() {
            let text = match self.marked {
                true => CONSTANTS.iter().fold(text.get().to_owned(), |text, constant| {
                    text.replace(&format!("{MARK}{constant}\""), constant)
                }),
                false => text.get().to_owned(),
            };
            let before = if at == 0 { "{\n" } else { ",\n" };
            write!(f, "{before}  {}: {text}", Value::from(name.as_str()))?;
        }
        f.write_str(if self.entries.is_empty() { "{}\n" } else { "\n}\n" })
    }
}

/// The text with strings instead of constants.
fn mark(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let (mut quoted, mut escaped) = (false, false);
    while let Some(next) = rest.chars().next() {
        let constant = CONSTANTS.iter().find(|constant| !quoted && rest.starts_with(**constant));
        let length = match constant {
            Some(constant) => {
                out.push_str(&format!("{MARK}{constant}\""));
                constant.len()
            }
            None => {
                out.push(next);
                next.len_utf8()
            }
        };
        quoted ^= next == '"' && !escaped;
        escaped = quoted && next == '\\' && !escaped;
        rest = &rest[length..];
    }
    out
}

/// The entries of an object with their text.
struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entries, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((name, text)) = map.next_entry::<String, Box<RawValue>>()? {
                    entries.retain(|(key, _)| *key != name);
                    entries.push((name, text));
                }
                Ok(Entries(entries))
            }
        }
        from.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is not changed keeps its order, its numbers and its constants.
    #[test]
    fn entries_keep_their_text() {
        let text = r#"{"z": 123456789012345678901234567890, "limit": [0.0, Infinity, -Infinity, NaN],
            "said": "Infinity \" NaN", "b": 1e-05, "a": {"é": 1.10}}"#;
        let mut object = Object::read(text).unwrap();
        assert_eq!(object.get("b").unwrap(), Some(json!(1e-5)));
        object.set("q", &json!({"bits": 4}));
        let written = object.to_string();
        for part in [
            "123456789012345678901234567890",
            "[0.0, Infinity, -Infinity, NaN]",
            r#""Infinity \" NaN""#,
            "1e-05",
            "1.10",
        ] {
            assert!(written.contains(part), "{part}: {written}");
        }
        assert!(
            written.find("\"z\"") < written.find("\"limit\"") && written.ends_with("\"bits\": 4\n  }\n}\n")
        );
        object.set("part", &json!({"q": 1}));
        object.remove("q").unwrap();
        assert!(object.to_string().contains("\"part\": {}"));
        object.remove("part").unwrap();
        let again = Object::read(&object.to_string()).unwrap();
        assert_eq!(again.to_string(), object.to_string());
        object.set("limit", &json!(null));
        assert!(object.to_string().contains("\"limit\": null,\n  \"said\""), "in its place");
    }

    /// An entry that `Value` cannot hold is kept as text.
    #[test]
    fn entries_that_no_value_holds() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let text =
            format!(r#"{{"a": "\ud800", "deep": {deep}, "part": {{"b": "\udfff", "c": {deep}, "d": 1}}}}"#);
        let object = Object::read(&text).unwrap();
        assert!(object.get("a").is_err() && object.get("deep").is_err());
        let parts = object.parts().unwrap();
        let (name, part) = &parts[0];
        assert!(*name == "part" && part.get("b").is_err() && part.get("c").is_err());
        assert_eq!(part.get("d").unwrap(), Some(json!(1)));
        assert!(object.to_string().contains(r#""a": "\ud800""#) && object.to_string().contains(&deep));
    }

    #[test]
    fn other_texts_are_errors() {
        for text in [
            "",
            "[]",
            "1",
            "{\"a\": Infinit}",
            "{\"a\": +Infinity}",
            "{\"a\": 1} x",
            "{\"a\": NaNa}",
            "{NaN: 1",
        ] {
            assert!(Object::read(text).is_err(), "{text}");
        }
        let marked = r#"{"a": "\u0000NaN"}"#;
        assert!(Object::read(marked).unwrap().to_string().contains(r#""\u0000NaN""#));
        assert_eq!(Object::read(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap().get("a").unwrap(), Some(json!(3)));
        assert_eq!(Object::read("{}").unwrap().to_string(), "{}\n");
    }
}
