//! The targets for which a project is built, as its build files name them.
//!
//! [`read`] reads a file by the language of its name: the commands of CMake (`cmake`); lines of shells, Dockerfiles,
//! makefiles (`shell`) and `yaml`; the strings of Python, TOML, JSON, Lua and Meson (`strings`), which count or not by
//! what the program does with them (`context`). `targets` knows the options and variables that name targets.
//!
//! ```
//! use std::path::Path;
//! let found = ptxcvt_syntax::build::read(Path::new("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 90a)");
//! assert_eq!(found.targets[0].to_string(), "sm_90a");
//! ```

mod assigned;
mod cmake;
mod comments;
mod context;
mod documents;
mod executed;
mod flow;
mod generator;
mod loops;
mod references;
mod replaced;
mod shell;
mod strings;
mod targets;
#[cfg(test)]
mod tests;
mod tokens;
mod vocabulary;
mod yaml;

use std::path::Path;

use ptxcvt::Target;

use self::strings::Language;
pub use self::targets::Targets;

/// The names of files that name the targets of a project; `docs/sources.md` lists them.
pub const FILES: [&str; 11] = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "Dockerfile",
    "GNUmakefile",
    "Makefile",
    "build.sh",
    "makefile",
    "meson.build",
    "pyproject.toml",
    "setup.py",
    "xmake.lua",
];

/// Reads a build file of this name. One of an unknown name is read like a script of a shell.
pub fn read(name: &Path, text: &str) -> Targets {
    let file = name.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let ends = |endings: &[&str]| endings.iter().any(|end| file.ends_with(end));
    let mut found = Targets::default();
    let without = || comments::without(name, text).join("\n");
    match () {
        () if file == "cmakecache.txt" => cmake::read_cache(&without(), &mut found),
        // A text without commands is a file of options, for nvcc's `--options-file`.
        () if ends(&[".cmake"]) || (ends(&[".txt"]) && text.contains('(')) => {
            cmake::read(&without(), &mut found)
        }
        () if ends(&[".yaml", ".yml"]) => yaml::read(&without(), &mut found),
        // A `#` in a string of several lines begins no comment.
        () if ends(&[".py", ".toml", ".build", ".cfg"]) => strings::read(text, Language::Hash, &mut found),
        () if ends(&[".json"]) => strings::read(text, Language::Json, &mut found),
        () if ends(&[".lua"]) => strings::read(&without(), Language::Lua, &mut found),
        () => shell::read(&without(), ends(&["makefile", ".mk"]), &mut found),
    }
    // Those that have a name without being in the table are older than its first one.
    let is_known = |target: &Target| Target::all().any(|known| known == *target);
    let (known, old): (Vec<_>, Vec<_>) = std::mem::take(&mut found.targets).into_iter().partition(is_known);
    found.targets = known;
    found.unknown.extend(old.iter().map(Target::to_string));
    found
}
