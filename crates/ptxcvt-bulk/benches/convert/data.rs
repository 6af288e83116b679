//! Inputs: mostly numbers in the destination's range; one in sixteen is special.

use ptxcvt::Format;
use ptxcvt::inputs::SplitMix64;

/// Bytes aligned to pages.
pub struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    pub fn new(length: usize) -> Aligned {
        // Touches every page, so that no contender is charged for page faults.
        let mut bytes = vec![1; length + 4096];
        bytes.fill(0x11);
        let start = bytes.as_ptr().align_offset(4096);
        Aligned { bytes, start, length }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

/// Elements of `format` in memory order: sums of random numbers in about ±4, with some NaN, infinities,
/// subnormals, zeros and arbitrary bits.
pub fn mixed(format: Format, elements: usize) -> Aligned {
    let storage = format.storage() as usize;
    let mut data = Aligned::new(elements * storage / 8);
    let mut random = SplitMix64::new(0xda7a);
    // Small formats and integers: every code.
    if storage <= 8 || format.is_integer() {
        for word in data.bytes_mut().chunks_mut(8) {
            let bits = random.next_u64() & if format.bits() == 6 { 0x3f3f_3f3f_3f3f_3f3f } else { u64::MAX };
            word.copy_from_slice(&bits.to_le_bytes()[..word.len()]);
        }
        return data;
    }
    let width = storage / 8;
    for element in data.bytes_mut().chunks_exact_mut(width) {
        let r = random.next_u64();
        let number = (0..4).map(|i| f64::from((r >> (16 * i)) as i16)).sum::<f64>() / 16_384.0;
        let bits = match r % 16 {
            0 => random.next_u64() >> (64 - storage),
            1 if r & 0x70 == 0 => special(format, r >> 8),
            _ => match format {
                Format::F16 => u64::from(half::f16::from_f64(number).to_bits()),
                Format::Bf16 => u64::from(half::bf16::from_f64(number).to_bits()),
                Format::F64 => number.to_bits(),
                _ => u64::from((number as f32).to_bits()),
            },
        };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    data
}

/// NaN, an infinity, a zero or a subnormal.
fn special(format: Format, r: u64) -> u64 {
    let infinity = format.infinity().unwrap_or(0);
    let sign = if r & 1 != 0 { format.sign_bit() } else { 0 };
    let fraction = r >> 8 & (infinity & infinity.wrapping_neg()).wrapping_sub(1);
    match r >> 1 & 3 {
        0 => sign | infinity | fraction | 1,
        1 => sign | infinity,
        2 => sign,
        _ => sign | fraction,
    }
}
