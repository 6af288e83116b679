//! The texts that a program replaces in others, such as `TYPE` in `.replace("TYPE", …)`.

use ptxcvt::floor_char_boundary;

use super::mention::mentions;
use crate::identifier::last_name;

/// Limit on the length of a replacing call in bytes.
const LONGEST: usize = 500;

/// The texts that the program replaces in others. In a call of `.replace("TYPE", …)`, `regex_replace(s,
/// std::regex("TYPE"), …)`, `re.sub("TYPE", …)` or similar, this is the first string that is followed by a comma and is
/// not PTX.
pub(super) fn replaced(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (open, _) in text.match_indices('(') {
        let before = text[..open].trim_end_matches(['!', ' ']);
        let name = last_name(before);
        let replaces = name.contains("eplace") || matches!(name, "sub" | "subn" | "gsub");
        let key = replaces.then(|| key(&text[open + 1..])).flatten();
        found.extend(key.filter(|key| !found.contains(key)));
    }
    found
}

/// The first string in a list of arguments that is neither the last argument nor statements of PTX.
fn key(arguments: &str) -> Option<String> {
    let (mut rest, mut open) = (&arguments[..floor_char_boundary(arguments, LONGEST)], 0_u32);
    loop {
        let at = rest.find(['"', '\'', '(', ')', ';'])?;
        let quote = rest[at..].chars().next()?;
        rest = &rest[at + 1..];
        match quote {
            '(' => open += 1,
            ')' => open = open.checked_sub(1)?,
            ';' => return None,
            _ => {
                let (key, after) = rest.split_once(quote)?;
                rest = after;
                let more = rest.trim_start_matches([')', ' ', '\n', '\r', '\t']).starts_with(',');
                let named = key.contains(|c: char| c.is_ascii_alphabetic());
                // The text in which something is replaced may be the first argument.
                let whole = key.contains(';') && mentions(key).next().is_some();
                if more && named && !whole && !key.contains('\\') {
                    return Some(key.to_owned());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_replaced() {
        for (text, expected) in [
            ("s.replace(\"TYPE\", t)", Some("TYPE")),
            ("re.sub('TYPE', t, s)", Some("TYPE")),
            (
                "std::regex_replace(std::string(\"cvt.rn.T.f32 d, a;\"), std::regex(\"T\"), \"f16\")",
                Some("T"),
            ),
            ("s.replace(s.find(\"$T\"), 2, \"f16\")", Some("$T")),
            ("absl::StrReplaceAll({{\"TYPE\", t}})", Some("TYPE")),
            ("s.replace(at, 4, \"f16\")", None),
            ("s.replace(key, \"f16\")", None),
            ("s.replace(\";\", \"\\n\")", None),
            ("print(\"TYPE\", t)", None),
            ("s.replace(a); print(\"TYPE\", t)", None),
        ] {
            assert_eq!(replaced(text).first().map(String::as_str), expected, "{text}");
        }
    }
}
