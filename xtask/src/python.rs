//! Tests the Python package in a virtual environment below `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::at;
use crate::run::{built_libraries, output, succeed};

/// Packages that the tests need, in addition to the package's own dependencies.
const NEEDED: &[&str] = &[
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

/// Creates the virtual environment of the tests. The error is one line.
pub fn prepare(root: &Path) -> Result<(), String> {
    fresh(&venv(root)).map_err(|why| why.lines().last().unwrap_or_default().to_owned())
}

fn venv(root: &Path) -> PathBuf {
    root.join("target/python/venv")
}

/// Puts the package into the environment, and runs its tests.
pub fn test(root: &Path) -> Result<(), String> {
    let venv = venv(root);
    let python = program(&venv);
    let folder = output(
        Command::new(&python).args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'), end='')"]),
    )?;
    lay_out(root, &Path::new(&folder).join("ptxcvt"))?;
    crate::data::run(root)?;
    let mut pytest = Command::new(&python);
    pytest.current_dir(root.join("bindings/python"));
    pytest.args(["-m", "pytest", "tests", "--pyargs", "ptxcvt", "--durations=5"]);
    succeed(pytest.env("PTXCVT_ROOT", root))
}

/// Copies the package with the library that the workspace's tests have built: `pip install` would compile all libraries
/// again, with other features. `cargo xtask dist --check` tests wheels.
fn lay_out(root: &Path, package: &Path) -> Result<(), String> {
    let sources = root.join("bindings/python/python/ptxcvt");
    let built = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = built_libraries(root)?.join(built);
    if package.exists() {
        fs::remove_dir_all(package).map_err(|error| at(package, &error))?;
    }
    fs::create_dir_all(package).map_err(|error| at(package, &error))?;
    for entry in fs::read_dir(&sources).map_err(|error| at(&sources, &error))? {
        let file = entry.map_err(|error| at(&sources, &error))?.path();
        if file.is_file() {
            let name = file.file_name().expect("a folder's entry has a name");
            fs::copy(&file, package.join(name)).map_err(|error| at(&file, &error))?;
        }
    }
    let module = package.join(if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" });
    fs::copy(&library, module).map(drop).map_err(|error| at(&library, &error))
}

/// The environment's interpreter.
fn program(venv: &Path) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" })
}

/// Creates the virtual environment.
fn fresh(venv: &Path) -> Result<(), String> {
    let version = "import sys, venv; sys.exit(0 if sys.version_info >= (3, 10) else 'Python 3.10 is needed')";
    let python = ["python3", "python"].into_iter().find(|name| crate::run::is_installed(name));
    let python = python.ok_or("there is no Python")?;
    output(Command::new(python).args(["-c", version]))?;
    output(Command::new(python).args(["-m", "venv", "--clear"]).arg(venv))?;
    let mut pip = Command::new(program(venv));
    output(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(NEEDED))
        .map(drop)
}
