//! Runs a program with another root folder, into which the libraries it needs are copied.

use std::path::Path;
use std::process::Command;

use super::folder::{copy, create};
use crate::run::output;

/// The ways to do so, best first: as root; in a user namespace, which some systems refuse, such as Ubuntu 24.04; and with
/// `sudo` if it asks for no password.
const WAYS: &[&[&str]] =
    &[&["chroot"], &["unshare", "--user", "--map-root-user", "--root"], &["sudo", "-n", "chroot"]];

/// The only variable that the program sees, by which the ways are found.
const PATH: (&str, &str) = ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");

/// The libraries that a program needs, each as a line of `ldd`: a name, a path, or both. A static program has none, which
/// `ldd` reports as an error or in place of the list.
pub fn libraries(program: &Path) -> Vec<String> {
    let list = output(Command::new("ldd").arg(program)).unwrap_or_default();
    let lines = list.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| line != "statically linked").collect()
}

/// Copies a library, as [`libraries`] names it, into a root folder. The kernel's library has no file.
pub fn add_library(library: &str, root: &Path) -> Result<(), String> {
    let Some(path) = library.split_whitespace().find(|part| part.starts_with('/')) else { return Ok(()) };
    let to = root.join(path.trim_start_matches('/'));
    create(to.parent().ok_or("a library without a folder")?)?;
    copy(Path::new(path), &to)
}

/// The output of a program in `root`, with no variable but `PATH`. `program` is a path below `root`.
pub fn ask(root: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut refusals = Vec::new();
    for way in WAYS {
        let command = |arguments: &[&str]| {
            let mut command = Command::new(way[0]);
            command.args(&way[1..]).arg(root).arg(program).args(arguments).env_clear().env(PATH.0, PATH.1);
            command
        };
        match output(&mut command(&["--version"])) {
            Ok(_) => return output(&mut command(arguments)),
            Err(why) => refusals.push(format!("  {}: {why}", way.join(" "))),
        }
    }
    Err(format!(
        "{program} was not started with the root folder {}; run this as root, or allow user namespaces:\n{}",
        root.display(),
        refusals.join("\n")
    ))
}

#[test]
fn a_program_that_cannot_be_started_names_every_way() {
    let error = ask(Path::new("/nonexistent"), "/bin/true", &[]).unwrap_err();
    for way in WAYS {
        assert!(error.contains(&format!("\n  {}: ", way.join(" "))), "{error}");
    }
}
