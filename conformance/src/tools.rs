//! NVIDIA's tools: how to get them, and where they lie once fetched.
//!
//! They come as Python wheels, which are plain zip files. Their licence lets a developer run them and
//! forbids passing them on, so they live in a directory of the user's choice, outside the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A wheel: package, version, and the directory inside that holds what we use.
struct Wheel {
    package: &'static str,
    version: &'static str,
    root: &'static str,
}

const CUDA13: &str = "nvidia/cu13";
const RUNTIME: Wheel = Wheel { package: "nvidia-cuda-runtime", version: "13.5.37", root: CUDA13 };
const CRT: Wheel = Wheel { package: "nvidia-cuda-crt", version: "13.5.37", root: CUDA13 };
const CCCL: Wheel = Wheel { package: "nvidia-cuda-cccl", version: "13.3.5.0.6", root: CUDA13 };
const NVDISASM: Wheel = Wheel { package: "nvidia-cuda-nvdisasm", version: "13.5.37", root: CUDA13 };
/// Newest first: where two know a target, the newer one is believed.
const ASSEMBLERS: [Wheel; 3] = [
    Wheel { package: "nvidia-cuda-nvcc", version: "13.5.37", root: CUDA13 },
    Wheel { package: "nvidia-cuda-nvcc", version: "13.1.115", root: CUDA13 },
    Wheel { package: "nvidia-cuda-nvcc-cu12", version: "12.9.86", root: "nvidia/cuda_nvcc" },
];

impl Wheel {
    /// Each wheel has a directory of its own, for two versions of one package hold the same paths.
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
        fs::create_dir_all(&home)?;
        let requirement = format!("{}=={}", self.package, self.version);
        eprintln!("{requirement}");
        let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", "."];
        succeed(Command::new("python3").args(pip).arg(requirement).current_dir(&home))?;
        for entry in fs::read_dir(&home)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "whl") {
                succeed(Command::new("unzip").args(["-q", "-o"]).arg(&path).current_dir(&home))?;
                fs::remove_file(path)?;
            }
        }
        // Zip files made by Python's tools carry no execute permission.
        let bin = home.join(self.root).join("bin");
        if bin.exists() {
            succeed(Command::new("chmod").args(["-R", "+x"]).arg(bin))?;
        }
        Ok(())
    }
}

/// Downloads and unpacks every wheel that is not there yet.
pub fn fetch(dir: &Path) -> Result<()> {
    let others = [&RUNTIME, &CRT, &CCCL, &NVDISASM];
    ASSEMBLERS.iter().chain(others).try_for_each(|wheel| wheel.fetch(dir))
}

/// Every assembler: its version and its path, newest first.
pub fn assemblers(dir: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    ASSEMBLERS.iter().map(|wheel| Ok((wheel.version, wheel.path(dir, "bin/ptxas")?))).collect()
}

/// The disassembler.
pub fn nvdisasm(dir: &Path) -> Result<PathBuf> {
    NVDISASM.path(dir, "bin/nvdisasm")
}

/// The headers' version and the directories to search for them.
pub fn headers(dir: &Path) -> Result<(&'static str, Vec<PathBuf>)> {
    let wheels = [RUNTIME, CRT, CCCL];
    let paths = wheels.iter().map(|wheel| wheel.path(dir, "include")).collect::<Result<_>>()?;
    Ok((RUNTIME.version, paths))
}

/// Runs a command to its end and fails where it fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// A file in the system's directory for such things, of this process alone; it goes with the value.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// The path for that name; nothing is there yet.
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
        // Perhaps nobody created it.
        let _ = fs::remove_file(&self.0);
    }
}
