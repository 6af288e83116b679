//! Running other programs, with errors that name them.

use std::process::Command;

/// Runs a command to its end; an error where it cannot be run or fails.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{}: {error}", name(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", name(command))) }
}

/// What a command prints.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", name(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}: {}", name(command), output.status, said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True where a program of that name is on the path.
pub fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
