//! Files of vectors and arrays, blocks, and lines for `eval -`: good ones, mutated, for the library and the command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_conform::vectors::File;

use crate::blocks;
use crate::mutate::mutate;

/// What is fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Vector files, read by the library.
    Vectors,
    /// Lines of `ptxcvt eval -`.
    Batch,
    /// Blocks of PTX, read, printed, read again and run by the library.
    Blocks,
    /// `.npy` and `.safetensors` files of `ptxcvt convert`.
    Arrays,
}

impl Input {
    /// By its name on the command line.
    pub fn from_name(name: &str) -> Option<Input> {
        match name {
            "vectors" => Some(Input::Vectors),
            "batch" => Some(Input::Batch),
            "blocks" => Some(Input::Blocks),
            "arrays" => Some(Input::Arrays),
            _ => None,
        }
    }

    /// Good inputs.
    fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            Input::Vectors => {
                let digest = "0123456789abcdef".repeat(4);
                let text = format!(
                    "# ptxcvt-vectors: 1\n# gpu: x\n\ncvt.rn.f16.f32\t3f800000\t3c00\n\
                     cvt.f32.f16\t0..ff\tsha256:{digest}\ncvt.rs.f16x2.f32\tlattice+4@1\tsha256-numbers:{digest}\n"
                );
                vec![text.into_bytes()]
            }
            Input::Batch => vec![
                b"cvt.rn.satfinite.e4m3x2.f32 3fc00000 c3e00000\ncvt.rn.f16x2.e4m3x2 1.5,-448 # comment\n\n\
                  cvt.rs.satfinite.e4m3x4.f32 {1, 2, 3, 4}, ffffffff\ncvt.rn.f32.f64 0d3FF0000000000000\n"
                    .to_vec(),
            ],
            Input::Blocks => blocks::SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect(),
            Input::Arrays => {
                let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
                let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
                npy.extend(format!("{header:<117}\n").bytes());
                npy.extend([0; 24]);
                let json = br#"{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
                let mut safetensors = (json.len() as u64).to_le_bytes().to_vec();
                safetensors.extend(json);
                safetensors.extend([0; 24]);
                vec![npy, safetensors]
            }
        }
    }

    /// A mutated input.
    pub fn next(self, random: &mut SplitMix64) -> Vec<u8> {
        let seeds = self.seeds();
        let mut bytes = seeds[random.next_u64() as usize % seeds.len()].clone();
        let other = seeds[random.next_u64() as usize % seeds.len()].clone();
        mutate(random, &mut bytes, &other);
        bytes
    }

    /// Gives an input to the library or to the command.
    ///
    /// # Panics
    /// Where the command panics, is killed, or ends with a status that it does not have.
    pub fn exercise(self, bytes: &[u8], command: &Path, folder: &Path) {
        match self {
            Input::Vectors => drop(File::parse("fuzz.tsv", &String::from_utf8_lossy(bytes))),
            Input::Blocks => blocks::exercise(bytes),
            Input::Batch => {
                let output = finish(Command::new(command).args(["eval", "-"]), bytes);
                assert!(
                    matches!(output.status.code(), Some(0 | 1)),
                    "{:?}: {}",
                    output.status,
                    String::from_utf8_lossy(&output.stderr)
                );
                let ends_open = !bytes.is_empty() && bytes.last() != Some(&b'\n');
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + usize::from(ends_open);
                assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), lines);
            }
            Input::Arrays => {
                // Whatever the name says: a mutated file may begin as either.
                for name in ["fuzz.npy", "fuzz.safetensors", "fuzz.any"] {
                    std::fs::write(folder.join(name), bytes).expect("the folder takes files");
                    let output = finish(
                        Command::new(command).current_dir(folder).args([
                            "convert",
                            "cvt.rn.bf16x2.f32",
                            name,
                            "-o",
                            "out.safetensors",
                        ]),
                        &[],
                    );
                    assert!(matches!(output.status.code(), Some(0 | 2)), "{name}: {:?}", output.status);
                    assert!(output.stderr.len() < 2_000, "{name}: no parser's dump");
                }
            }
        }
    }
}

/// Runs a command with that input; one that takes longer than a minute is killed, which is a finding.
fn finish(command: &mut Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the command runs");
    let (ended, end) = mpsc::channel::<()>();
    let id = child.id().to_string();
    let watch = std::thread::spawn(move || {
        if end.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
    });
    let (mut stdin, input) = (child.stdin.take().expect("it was asked for"), input.to_vec());
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    drop(ended);
    let _ = (writer.join(), watch.join());
    output
}
