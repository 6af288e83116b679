//! Columns of a register: one value for each lane, little-endian.

use crate::lanes::LANES;

/// Fills a column with `bytes` bytes a lane.
pub(super) fn write(column: &mut [u8], bytes: u32, bits: impl Fn(u64) -> u64) {
    let lanes = 0..;
    match bytes {
        1 => column.iter_mut().zip(lanes).for_each(|(byte, lane)| *byte = bits(lane) as u8),
        2 => column.chunks_exact_mut(2).zip(lanes).for_each(|(word, lane)| {
            word.copy_from_slice(&(bits(lane) as u16).to_le_bytes());
        }),
        4 => column.chunks_exact_mut(4).zip(lanes).for_each(|(word, lane)| {
            word.copy_from_slice(&(bits(lane) as u32).to_le_bytes());
        }),
        _ => column.chunks_exact_mut(8).zip(lanes).for_each(|(word, lane)| {
            word.copy_from_slice(&bits(lane).to_le_bytes());
        }),
    }
}

/// Reads a lane of a column with `bytes` bytes a lane.
pub(super) fn read(column: &[u8], bytes: u32, lane: usize) -> u64 {
    let bytes = bytes as usize;
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(&column[lane * bytes..(lane + 1) * bytes]);
    u64::from_le_bytes(word)
}

/// True if all lanes agree in these bits.
pub(super) fn is_uniform(column: &[u8], bytes: u32, mask: u64) -> bool {
    let first = read(column, bytes, 0);
    match bytes {
        4 => {
            let differs =
                |part: &[u8]| u32::from_le_bytes([part[0], part[1], part[2], part[3]]) ^ first as u32;
            column.chunks_exact(4).fold(0, |all, part| all | differs(part)) & mask as u32 == 0
        }
        _ => (1..LANES).all(|lane| (read(column, bytes, lane) ^ first) & mask == 0),
    }
}
