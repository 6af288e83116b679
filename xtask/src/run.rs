//! Runs other programs, with errors that name them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command. Returns an error if it cannot be started or fails.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{}: {error}", name(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", name(command))) }
}

/// Returns the standard output of a command.
pub fn output(command: &mut Command) -> Result<String, String> {
    output_and_messages(command).map(|(output, _)| output)
}

/// Returns the standard output and the standard error of a command.
pub fn output_and_messages(command: &mut Command) -> Result<(String, String), String> {
    let output = command.output().map_err(|error| format!("{}: {error}", name(command)))?;
    let [text, messages] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if !output.status.success() {
        return Err(format!("{}: {}: {}", name(command), output.status, messages.trim()));
    }
    Ok((text, messages))
}

/// True if the program is on the path.
pub fn is_installed(program: &str) -> bool {
    path_of(program).is_some()
}

/// The file of a program on the path.
pub fn path_of(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Builds the command in the dev profile and returns its path. It is built as the tests of the workspace build it: another
/// choice of packages means other features of the libraries and compiles all of them again.
pub fn built_command(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    let one_test = ["test", "--quiet", "--no-run", "--workspace", "--test", "cli"];
    succeed(cargo.current_dir(root).args(one_test))?;
    Ok(target(root).join("debug/ptxcvt"))
}

/// Builds every library of the workspace in the dev profile, as its tests build them, and returns their folder.
pub fn built_libraries(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    // A test among the choices turns on the features that only tests need.
    succeed(cargo.current_dir(root).args(["build", "--quiet", "--workspace", "--lib", "--test", "host"]))?;
    Ok(target(root).join("debug"))
}

/// The folder of what cargo builds.
pub fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
