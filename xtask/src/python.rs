//! Builds and tests the Python package in a virtual environment below `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{output, succeed};

/// Packages that the tests need, in addition to the package's own dependencies.
const NEEDED: &[&str] = &[
    "maturin>=1.8,<2",
    "pytest",
    "hypothesis",
    "numpy",
    "ml_dtypes",
    "dask[array]",
    "distributed",
    "zarr",
    "xarray",
    "mypy",
    "pyright",
    "jsonschema",
];

/// Creates the virtual environment of the tests. An error says in one line why it cannot be had.
pub fn prepare(root: &Path) -> Result<(), String> {
    fresh(&venv(root)).map_err(|why| why.lines().last().unwrap_or_default().to_owned())
}

fn venv(root: &Path) -> PathBuf {
    root.join("target/python/venv")
}

/// Builds the package as `pip install` does, in the environment, and runs its tests.
pub fn test(root: &Path) -> Result<(), String> {
    let venv = venv(root);
    let python = venv.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
    let package = root.join("bindings/python");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]).arg(&package);
    // The dev profile keeps checks enabled. The package's libraries have other features than those of the workspace, so
    // they are compiled again here: those without kernels for arrays are not optimised. maturin is found on the path.
    let plain = ["exec", "lower", "syntax"]
        .map(|name| format!(" --config profile.dev.package.ptxcvt-{name}.opt-level=0"))
        .concat();
    install.env("MATURIN_PEP517_ARGS", format!("--profile dev{plain}")).env("PATH", path_with(&venv)?);
    succeed(&mut install)?;
    crate::data::run(root)?;
    let mut pytest = Command::new(&python);
    pytest.current_dir(&package).args(["-m", "pytest", "tests", "--pyargs", "ptxcvt", "--durations=5"]);
    succeed(pytest.env("PTXCVT_ROOT", root))
}

/// Creates the virtual environment.
fn fresh(venv: &Path) -> Result<(), String> {
    let version = "import sys, venv; sys.exit(0 if sys.version_info >= (3, 10) else 'Python 3.10 is needed')";
    let python = ["python3", "python"].into_iter().find(|name| crate::run::is_installed(name));
    let python = python.ok_or("there is no Python")?;
    output(Command::new(python).args(["-c", version]))?;
    output(Command::new(python).args(["-m", "venv", "--clear"]).arg(venv))?;
    let mut pip = Command::new(venv.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" }));
    output(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(NEEDED))
        .map(drop)
}

/// `PATH` with the environment's programs first.
fn path_with(venv: &Path) -> Result<std::ffi::OsString, String> {
    let own = venv.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others)))
        .map_err(|e| e.to_string())
}
