//! A folder in which a test runs `ptxcvt`, and arrays for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder for one test, in which `ptxcvt` runs.
pub struct Bench(TempDir);

impl Bench {
    pub fn new() -> Self {
        Bench(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).output().unwrap()
    }

    pub fn succeeds(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a run that must fail with status 2 without changing files.
    pub fn fails(&self, arguments: &str) -> String {
        let before = files(self.0.path());
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(files(self.0.path()) == before, "{arguments}: no file may change");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

pub fn write_npy(path: &Path, dtype: &str, shape: &[u64], bytes: &[u8]) {
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

pub fn floats(count: usize, seed: u64) -> Vec<f32> {
    let mut random = ptxcvt::inputs::SplitMix64::new(seed);
    (0..count).map(|_| (random.next_u64() as i32 as f32) / 3e8).collect()
}

pub fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}
