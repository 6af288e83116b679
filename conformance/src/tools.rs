//! Downloads NVIDIA's tools, and finds them once downloaded.
//!
//! They are distributed as Python wheels (zip files). Their licence allows developers to run them but not to redistribute
//! them, so they are kept in a user-chosen directory outside the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A wheel: package, version, and the directory inside it that we use.
struct Wheel {
    package: &'static str,
    version: &'static str,
    root: &'static str,
}

/// The newest release of the toolkit. Its wheels are used together.
const RELEASE: &str = "13.5.37";
const CUDA13: &str = "nvidia/cu13";
const RUNTIME: Wheel = Wheel { package: "nvidia-cuda-runtime", version: RELEASE, root: CUDA13 };
const CRT: Wheel = Wheel { package: "nvidia-cuda-crt", version: RELEASE, root: CUDA13 };
/// A part of the release that has a version of its own.
const CCCL: Wheel = Wheel { package: "nvidia-cuda-cccl", version: "13.3.5.0.6", root: CUDA13 };
const NVDISASM: Wheel = Wheel { package: "nvidia-cuda-nvdisasm", version: RELEASE, root: CUDA13 };
const NVVM: Wheel = Wheel { package: "nvidia-nvvm", version: RELEASE, root: CUDA13 };
/// Newest first: if two assemblers know a target, the newer one counts.
const ASSEMBLERS: [Wheel; 3] = [
    Wheel { package: "nvidia-cuda-nvcc", version: RELEASE, root: CUDA13 },
    Wheel { package: "nvidia-cuda-nvcc", version: "13.1.115", root: CUDA13 },
    Wheel { package: "nvidia-cuda-nvcc-cu12", version: "12.9.86", root: "nvidia/cuda_nvcc" },
];

/// The version of the newest assembler.
pub const NEWEST: &str = RELEASE;

/// The architectures of the tables of costs, and those for which the header is compiled.
pub const TARGETS: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100a", "sm_120a"];

impl Wheel {
    /// Each wheel has its own directory, because two versions of one package contain the same paths.
    fn directory(&self, dir: &Path) -> PathBuf {
        dir.join(format!("{}__{}", self.package, self.version))
    }

    fn path(&self, dir: &Path, inside: &str) -> Result<PathBuf> {
        let path = self.directory(dir).join(self.root).join(inside);
        ensure!(path.exists(), "{} is missing: run `fetch` first", path.display());
        Ok(path)
    }

    fn fetch(&self, dir: &Path) -> Result<()> {
        let home = self.directory(dir);
        if home.join(self.root).exists() {
            return Ok(());
        }
        let requirement = format!("{}=={}", self.package, self.version);
        download(&requirement, &home, |_| None::<()>).map(drop)
    }
}

/// Downloads and unpacks missing wheels.
pub fn fetch(dir: &Path) -> Result<()> {
    let others = [&RUNTIME, &CRT, &CCCL, &NVDISASM, &NVVM];
    ASSEMBLERS.iter().chain(others).try_for_each(|wheel| wheel.fetch(dir))?;
    // The compiler finds its parts by their paths relative to its own.
    let toolkit = dir.join(TOOLKIT);
    fs::create_dir_all(&toolkit)?;
    for wheel in [&ASSEMBLERS[0]].into_iter().chain(others) {
        let parts = wheel.directory(dir).join(wheel.root).join(".");
        succeed(Command::new("cp").args(["-r", "-l", "-f"]).arg(parts).arg(&toolkit))?;
    }
    Ok(())
}

/// The folder with the newest compiler and all that it needs.
const TOOLKIT: &str = "toolkit";

/// The home of the newest compiler.
pub fn toolkit(dir: &Path) -> Result<PathBuf> {
    let home = dir.join(TOOLKIT);
    ensure!(home.exists(), "{} is missing: run `fetch` first", home.display());
    Ok(home)
}

/// Every assembler: its version and its path, newest first.
pub fn assemblers(dir: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    ASSEMBLERS.iter().map(|wheel| Ok((wheel.version, wheel.path(dir, "bin/ptxas")?))).collect()
}

/// The disassembler.
pub fn nvdisasm(dir: &Path) -> Result<PathBuf> {
    NVDISASM.path(dir, "bin/nvdisasm")
}

/// Machine code as text, by this disassembler.
pub fn disassemble(nvdisasm: &Path, cubin: &Path) -> Result<String> {
    let output = Command::new(nvdisasm).arg("-c").arg(cubin).output();
    let output = output.with_context(|| format!("cannot run {}", nvdisasm.display()))?;
    ensure!(output.status.success(), "nvdisasm: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The headers' version and include directories.
pub fn headers(dir: &Path) -> Result<(&'static str, Vec<PathBuf>)> {
    let wheels = [RUNTIME, CRT, CCCL];
    let paths = wheels.iter().map(|wheel| wheel.path(dir, "include")).collect::<Result<_>>()?;
    Ok((RUNTIME.version, paths))
}

/// The newest assembler and headers that the package index has.
#[derive(Debug)]
pub struct Newest {
    /// The assembler's version and path.
    pub ptxas: (&'static str, PathBuf),
    /// The headers' version and include directories.
    pub headers: (String, Vec<PathBuf>),
}

impl Newest {
    /// Downloads the newest wheels into `dir`, in place of those of an earlier run.
    pub fn fetch(dir: &Path) -> Result<Newest> {
        let (version, nvcc) = newest_wheel(dir, ASSEMBLERS[0].package)?;
        // The version names an assembler for the rest of the process.
        let ptxas = (&*version.leak(), inside(&nvcc, "bin/ptxas")?);
        let mut include = Vec::new();
        let mut version = None;
        for wheel in [&RUNTIME, &CRT, &CCCL] {
            let (own, home) = newest_wheel(dir, wheel.package)?;
            include.push(inside(&home, "include")?);
            version.get_or_insert(own);
        }
        let version = version.context("no headers")?;
        Ok(Newest { ptxas, headers: (version, include) })
    }
}

/// Downloads and unpacks the newest wheel of a package; returns its version and folder.
fn newest_wheel(dir: &Path, package: &str) -> Result<(String, PathBuf)> {
    let home = dir.join(format!("{package}__newest"));
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    download(package, &home, |name| {
        // NAME-VERSION-…: a name has no hyphen here.
        name.split('-').nth(1).map(str::to_owned)
    })
    .and_then(|version| Ok((version.with_context(|| format!("{package}: no wheel"))?, home)))
}

/// The path of a part of a wheel. Its root has the major version of CUDA in its name, which may change.
fn inside(home: &Path, part: &str) -> Result<PathBuf> {
    for root in fs::read_dir(home.join("nvidia"))? {
        let path = root?.path().join(part);
        if path.exists() {
            return Ok(path);
        }
    }
    anyhow::bail!("{} has no {part}", home.display())
}

/// Downloads and unpacks the wheel of a requirement into the folder `home`; returns what `read` reads in the wheel's name.
fn download<T>(requirement: &str, home: &Path, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
    fs::create_dir_all(home)?;
    eprintln!("{requirement}");
    let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", "."];
    succeed(Command::new("python3").args(pip).arg(requirement).current_dir(home))?;
    let mut found = None;
    for entry in fs::read_dir(home)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "whl") {
            found = path.file_name().and_then(|name| read(&name.to_string_lossy())).or(found);
            succeed(Command::new("unzip").args(["-q", "-o"]).arg(&path).current_dir(home))?;
            fs::remove_file(path)?;
        }
    }
    // Wheels do not record execute permission.
    let roots = fs::read_dir(home.join("nvidia"))?.collect::<std::io::Result<Vec<_>>>()?;
    for bin in roots.iter().flat_map(|root| ["bin", "nvvm/bin"].map(|bin| root.path().join(bin))) {
        if bin.exists() {
            succeed(Command::new("chmod").args(["-R", "+x"]).arg(bin))?;
        }
    }
    Ok(found)
}

/// Runs a command and returns an error if it fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// A private file in the system's temporary directory, removed on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// The path for this name. The file is not created.
    pub fn new(name: &str) -> Self {
        Scratch(std::env::temp_dir().join(format!("ptxcvt-conformance-{}-{name}", std::process::id())))
    }
}

impl std::ops::Deref for Scratch {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The file may never have been created.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assemblers_are_listed_from_the_newest_release_on() {
        let numbers = |version: &str| -> Vec<u32> {
            version.split('.').map(|n| n.parse().expect("a number")).collect()
        };
        let versions: Vec<_> = ASSEMBLERS.iter().map(|wheel| numbers(wheel.version)).collect();
        assert_eq!(versions[0], numbers(RELEASE));
        assert!(versions.windows(2).all(|pair| pair[0] > pair[1]), "{versions:?}");
    }
}
