//! The targets that a build file names, read by the language of the file.

mod cmake;
mod comments;
mod context;
mod shell;
mod strings;
#[cfg(test)]
mod tests;
pub mod text;
mod tokens;
mod vocabulary;

use std::path::Path;

use ptxcvt::Target;

use self::text::Text;

/// Reads a build file of this name.
pub fn read(name: &Path, text: &str) -> Text {
    let file = name.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let ends = |endings: &[&str]| endings.iter().any(|end| file.ends_with(end));
    let mut found = Text::default();
    let without = || comments::without(name, text).join("\n");
    match () {
        () if ends(&[".txt", ".cmake"]) => cmake::read(&without(), &mut found),
        // A `#` in a string of several lines begins no comment.
        () if ends(&[".py", ".toml", ".build", ".cfg"]) => strings::read(text, true, &mut found),
        () if ends(&[".json", ".lua"]) => strings::read(&without(), false, &mut found),
        () => shell::read(&without(), ends(&["makefile", ".mk"]), &mut found),
    }
    // Those that have a name without being in the table are older than its first one.
    let is_known = |target: &Target| Target::all().any(|known| known == *target);
    let (known, old): (Vec<_>, Vec<_>) = std::mem::take(&mut found.targets).into_iter().partition(is_known);
    found.targets = known;
    found.unknown.extend(old.iter().map(Target::to_string));
    found
}
