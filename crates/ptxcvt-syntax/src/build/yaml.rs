//! Targets in YAML: the keys that have the names of lists, and the commands of a pipeline.

use super::context::says;
use super::shell;
use super::targets::{Targets, lists};
use crate::identifier::is_plain_char;

/// Reads a file without comments. Its values are commands of a shell, except for those that people read.
pub fn read(text: &str, found: &mut Targets) {
    let mut commands = String::new();
    for line in text.lines() {
        match pair(line) {
            // A list or a text in the next lines is not read.
            Some((name, "" | "|" | "|-" | ">" | ">-")) if lists(name) => found.open = true,
            Some((name, value)) if lists(name) => found.values(&[value]),
            Some((name, _)) if name == "name" || says(name) => {}
            // A blank before it, because the end of one command is not the end of the file.
            Some((_, value)) => commands.extend([" ", value]),
            None => commands.push_str(line),
        }
        commands.push('\n');
    }
    shell::read(&commands, false, found);
}

/// The key and the value of a line: `- NAME: value`, `"NAME": value`.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches([' ', '-']).split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let is_key = !name.is_empty() && name.chars().all(|c| is_plain_char(c) || "-.".contains(c));
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (name, value.trim()))
}
