//! Shared by the tests of commands that read and write files: a folder, the command run in it, and inputs.
// Each test file uses a part of it.
#![allow(dead_code)]

#[cfg(unix)]
pub mod kill;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxcvt::inputs::SplitMix64;
use tempfile::TempDir;

/// A module that is legal from sm_89 on.
pub const MODULE: &str = "\
.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b16 %h;
    .reg .f32 %a, %b;
    cvt.rn.satfinite.e4m3x2.f32 %h, %a, %b;
    ret;
}
";

/// A folder for one test, in which `ptxcvt` runs.
pub struct Bench {
    pub folder: TempDir,
    /// The arguments before those of [`run`](Self::run) and [`succeeds`](Self::succeeds).
    subcommand: &'static str,
}

impl Bench {
    /// For tests of `ptxcvt convert`.
    pub fn new() -> Self {
        Bench { folder: tempfile::tempdir().unwrap(), subcommand: "convert" }
    }

    /// For tests that name the subcommand.
    pub fn of_any_command() -> Self {
        Bench { subcommand: "", ..Bench::new() }
    }

    /// A folder with inputs for every command: `count` finite numbers (`x.raw`, `x.npy`, quantised in `q.safetensors`),
    /// a block (`block.ptx`), and modules (`module.ptx`; `fixable.ptx` has a finding with a fix).
    pub fn with_inputs(count: usize) -> Self {
        let bench = Bench::new();
        let data = finite(count, 1);
        fs::write(bench.path("x.raw"), bytes(&data)).unwrap();
        write_npy(&bench.path("x.npy"), &data, &[count as u64 / 128, 128]);
        fs::write(bench.path("block.ptx"), "cvt.rn.f16.f32 %0, %1;").unwrap();
        fs::write(bench.path("module.ptx"), MODULE).unwrap();
        fs::write(bench.path("fixable.ptx"), MODULE.replace("rn.satfinite", "rn")).unwrap();
        let output = bench.ptxcvt("quantize mx-rceil/e4m3 x.npy -o q.safetensors").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `ptxcvt` with these arguments.
    pub fn ptxcvt(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command
    }

    /// The subcommand with these arguments.
    pub fn command(&self, arguments: &str) -> Command {
        self.ptxcvt(&format!("{} {arguments}", self.subcommand))
    }

    pub fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn succeeds(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a run that must fail with status 2 without changing files.
    pub fn fails(&self, arguments: &str) -> String {
        let contents = || -> Vec<_> {
            let all = files(self.folder.path()).into_iter();
            // Not what links lead to: some devices have no end, and pipes wait.
            let regular = |path: &Path| fs::symlink_metadata(path).unwrap().is_file();
            all.map(|path| (regular(&path).then(|| fs::read(&path).unwrap()), path)).collect()
        };
        let before = contents();
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(contents() == before, "{arguments}: no file may change");
        String::from_utf8(output.stderr).unwrap()
    }
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Floats of every magnitude, including NaN, infinities and subnormals.
pub fn floats(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count)
        .map(|i| match i % 13 {
            0 => f32::NAN,
            1 => f32::NEG_INFINITY,
            2 => f32::from_bits(random.next_u64() as u32),
            _ => (random.next_u64() as i32 as f32) / 1e7,
        })
        .collect()
}

/// Numbers of every magnitude up to 7.2.
pub fn finite(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| (random.next_u64() as i32 as f32) / 3e8).collect()
}

pub fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Writes a little-endian array of f32.
pub fn write_npy(path: &Path, data: &[f32], shape: &[u64]) {
    write_array(path, "<f4", shape, &bytes(data));
}

/// Writes an array of any type, given as in a file.
pub fn write_array(path: &Path, dtype: &str, shape: &[u64], bytes: &[u8]) {
    use npyz::WriterBuilder;
    let mut file = Vec::new();
    let dtype = npyz::DType::Plain(dtype.parse().unwrap());
    npyz::WriteOptions::new_header_only()
        .dtype(dtype)
        .shape(shape)
        .writer(&mut file)
        .write_header_only()
        .unwrap();
    file.extend_from_slice(bytes);
    fs::write(path, file).unwrap();
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a script in which `$ptxcvt` is the command and `"$@"` its arguments.
pub fn shell(bench: &Bench, script: &str, arguments: &str) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).args(arguments.split_whitespace());
    command.current_dir(bench.folder.path()).env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt"));
    command.output().unwrap()
}
