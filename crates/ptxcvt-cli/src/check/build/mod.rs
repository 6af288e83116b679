//! The targets that a build file names, read by the language of the file.

mod cmake;
mod comments;
mod shell;
mod strings;
#[cfg(test)]
mod tests;
pub mod text;

use std::path::Path;

use ptxcvt::Target;

use self::text::Text;

/// Reads a build file of this name.
pub fn read(name: &Path, text: &str) -> Text {
    let text = comments::without(name, text).join("\n");
    let file = name.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let ends = |endings: &[&str]| endings.iter().any(|end| file.ends_with(end));
    let mut found = Text::default();
    match () {
        () if ends(&[".txt", ".cmake"]) => cmake::read(&text, &mut found),
        () if ends(&[".py", ".toml", ".json", ".lua", ".build", ".cfg"]) => strings::read(&text, &mut found),
        () => shell::read(&text, ends(&["makefile", ".mk"]), &mut found),
    }
    // Unknown targets are older than the first one in the table.
    found.targets.retain(|target| Target::all().any(|known| known == *target));
    found
}
