//! What the tests of `ptxcvt convert` share: a folder, the command run in it, and files of numbers.
// Each test file uses some of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxcvt::inputs::SplitMix64;
use tempfile::TempDir;

/// A folder for one test, and `ptxcvt` run in it.
pub struct Bench(pub TempDir);

impl Bench {
    pub fn new() -> Self {
        Bench(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(self.0.path()).arg("convert").args(arguments.split_whitespace());
        command
    }

    pub fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn succeeds(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a run that must fail with status 2 and leave nothing behind.
    pub fn fails(&self, arguments: &str) -> String {
        let before = files(self.0.path());
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert_eq!(files(self.0.path()), before, "{arguments}: no file may come or go");
        String::from_utf8(output.stderr).unwrap()
    }
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Floats of every size, with NaN, infinities and subnormals among them.
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

pub fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub fn write_npy(path: &Path, data: &[f32], shape: &[u64]) {
    use npyz::WriterBuilder;
    let file = fs::File::create(path).unwrap();
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(file).begin_nd().unwrap();
    writer.extend(data.iter().copied()).unwrap();
    writer.finish().unwrap();
}
