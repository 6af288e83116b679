//! Unpacks Debian packages below `target/`: an old compiler, and standard libraries for other architectures.
//!
//! Nothing is installed, and root is not required: `apt-get` uses a private package state and `dpkg-deb` unpacks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{output, succeed};

/// The Debian release that contains Rust 1.85.
const RELEASE: &str = "trixie";

/// A folder of unpacked packages.
pub struct Debian {
    dir: PathBuf,
}

impl Debian {
    /// A folder for packages, initially empty.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// The root of the packages unpacked for `architecture` (Debian's name, such as `amd64`).
    pub fn root(&self, architecture: &str) -> PathBuf {
        self.dir.join(architecture)
    }

    /// Unpacks `packages` for `architecture` with their dependencies, unless `marker`, a path below the root, exists.
    pub fn provide(&self, architecture: &str, packages: &[&str], marker: &str) -> Result<PathBuf, String> {
        let root = self.root(architecture);
        if root.join(marker).exists() {
            return Ok(root);
        }
        let state = self.dir.join(format!("{architecture}.state"));
        for folder in ["etc", "lists/partial", "archives/partial"] {
            fs::create_dir_all(state.join(folder)).map_err(|e| format!("{}: {e}", state.display()))?;
        }
        let state = fs::canonicalize(&state).map_err(|e| e.to_string())?;
        let source = format!("deb {} {RELEASE} main\n", mirror()?);
        fs::write(state.join("etc/sources.list"), source).map_err(|e| e.to_string())?;
        fs::write(state.join("status"), "").map_err(|e| e.to_string())?;
        eprintln!("downloading {} for {architecture}", packages.join(", "));
        succeed(apt(&state, architecture).arg("update"))?;
        let download = ["install", "--download-only", "--yes", "--no-install-recommends"];
        succeed(apt(&state, architecture).args(download).args(packages))?;
        for archive in fs::read_dir(state.join("archives")).map_err(|e| e.to_string())? {
            let archive = archive.map_err(|e| e.to_string())?.path();
            if archive.extension().is_some_and(|e| e == "deb") {
                succeed(Command::new("dpkg-deb").arg("-x").arg(archive).arg(&root))?;
            }
        }
        fs::remove_dir_all(&state).map_err(|e| e.to_string())?;
        if root.join(marker).exists() {
            Ok(root)
        } else {
            Err(format!("{marker} is missing from the packages"))
        }
    }
}

impl Debian {
    /// A root folder with the C library of `architecture`, where programs find its loader.
    pub fn c_library(&self, architecture: &str) -> Result<PathBuf, String> {
        let root = self.provide(architecture, &["libc6", "libgcc-s1"], "usr/share/doc/libc6")?;
        for folder in ["lib", "lib64"] {
            let (link, to) = (root.join(folder), PathBuf::from("usr").join(folder));
            if root.join(&to).exists() && !link.exists() {
                std::os::unix::fs::symlink(&to, &link).map_err(|e| format!("{}: {e}", link.display()))?;
            }
        }
        fs::canonicalize(&root).map_err(|e| format!("{}: {e}", root.display()))
    }
}

/// The package mirror that this machine is configured for.
fn mirror() -> Result<String, String> {
    let sites = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(SITE)",
        "Created-By: Packages",
    ]))?;
    sites
        .lines()
        .find(|site| site.ends_with("/debian"))
        .map(str::to_owned)
        .ok_or_else(|| "apt-get knows no mirror of Debian".to_owned())
}

/// `apt-get` with a private package state below `state`.
fn apt(state: &Path, architecture: &str) -> Command {
    let mut command = Command::new("apt-get");
    let path = |below: &str| state.join(below).display().to_string();
    let settings = [
        ("APT::Architecture", architecture.to_owned()),
        ("APT::Architectures", architecture.to_owned()),
        ("APT::Sandbox::User", "root".to_owned()),
        ("Dir::Etc::SourceList", path("etc/sources.list")),
        ("Dir::Etc::SourceParts", "/dev/null".to_owned()),
        ("Dir::Etc::PreferencesParts", "/dev/null".to_owned()),
        ("Dir::State::Lists", path("lists")),
        ("Dir::State::status", path("status")),
        ("Dir::Cache", path("")),
        ("Debug::NoLocking", "true".to_owned()),
        ("Acquire::Languages", "none".to_owned()),
    ];
    command.arg("-qq");
    for (name, value) in settings {
        command.arg("-o").arg(format!("{name}={value}"));
    }
    command
}
