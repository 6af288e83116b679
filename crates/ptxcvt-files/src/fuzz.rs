//! Fuzz tests: mutated headers make no reader panic.

use ptxcvt::inputs::SplitMix64;

use crate::array::{Output, Stored};
use crate::source::Source;
use crate::{npy, safetensors};

const ROUNDS: usize = 60_000;

/// Changes, inserts, removes or repeats a few bytes, mostly in the header at the beginning.
fn mutated(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    const SPICE: &[u8] = b"(){}[]',:<>|fiuV0123456789-\"\\\x00\xff\x93e. ";
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.next_u64() % 6 {
        let at = random.next_u64() as usize % bytes.len().max(1);
        let byte = SPICE[random.next_u64() as usize % SPICE.len()];
        match random.next_u64() % 5 {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => {
                let piece = bytes[at..(at + 9).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn output(name: &str) -> Output {
    let stored = Stored::Elements { format: ptxcvt::Format::F32, spread: false };
    Output { name: Some(name.into()), stored, shape: vec![2, 3], fortran: false, bytes: Some(24) }
}

#[test]
fn npy_headers() {
    let mut file = npy::header(&output("")).unwrap();
    file.extend([0; 24]);
    assert!(npy::read(&Source::memory("x", file.clone())).is_ok());
    let mut random = SplitMix64::new(6);
    for _ in 0..ROUNDS {
        let bytes = mutated(&file, &mut random);
        let len = bytes.len() as u64;
        if let Ok(array) = npy::read(&Source::memory("x", bytes)) {
            assert_eq!(array.start + array.len.unwrap(), len);
        }
    }
}

#[test]
fn safetensors_headers() {
    let mut file = safetensors::header(&[output("a"), output("b")], None).unwrap();
    file.extend([0; 48]);
    assert_eq!(safetensors::read(&Source::memory("x", file.clone())).unwrap().0.len(), 2);
    let mut random = SplitMix64::new(7);
    for _ in 0..ROUNDS {
        let bytes = mutated(&file, &mut random);
        let len = bytes.len() as u64;
        if let Ok((arrays, _)) = safetensors::read(&Source::memory("x", bytes)) {
            assert!(arrays.into_iter().all(|array| array.start + array.len.unwrap() <= len));
        }
    }
}
