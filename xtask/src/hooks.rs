//! Tests the pre-commit hooks and the GitHub Action in a temporary repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{built_command, is_installed, output, succeed};

/// Creates the virtual environment. An error says in one line why it cannot be had.
pub fn prepare(root: &Path) -> Result<(), String> {
    environment(&venv(root)).map_err(|why| why.lines().last().unwrap_or_default().to_owned())
}

fn venv(root: &Path) -> PathBuf {
    root.join("target/hooks/venv")
}

/// Runs `.ci/hooks.py` in the environment.
pub fn test(root: &Path) -> Result<(), String> {
    let mut script = Command::new(venv(root).join("bin/python"));
    succeed(script.current_dir(root).args([".ci/hooks.py", "."]).arg(built_command(root)?))
}

/// A Python interpreter with pre-commit.
fn environment(venv: &Path) -> Result<(), String> {
    for program in ["python3", "git", "bash"] {
        if !is_installed(program) {
            return Err(format!("{program} not found"));
        }
    }
    output(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pre-commit"]);
    output(&mut pip).map(drop)
}
