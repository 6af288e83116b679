//! Philox4x32-10, the counter-based generator of cuRAND, Triton and JAX (Salmon, Moraes, Dror, Shaw: "Parallel
//! random numbers: as easy as 1, 2, 3", 2011).

use ptxcvt::inputs::SplitMix64;

/// The multipliers of words 0 and 2 of a block in each round.
pub(crate) const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// The increments of the halves of the key after each round.
pub(crate) const KEY_STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Four random words: block `counter` of the stream of `key`.
///
/// Word `i` of a stream is `philox4x32(seed, i / 4)[i % 4]`, and instruction `i` of a run uses it as `rbits`
/// ([`Column::Random`](super::Column::Random)). The low 64 bits of Philox's counter are `i / 4`, the high
/// ones 0, and the key is the seed. It equals the `i`-th result of `curand()` after `curand_init(seed, 0, 0,
/// &state)` with a `curandStatePhilox4_32_10_t`.
///
/// ```
/// use ptxcvt_bulk::philox4x32;
/// assert_eq!(philox4x32(0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
/// ```
#[inline(always)]
pub const fn philox4x32(key: u64, counter: u64) -> [u32; 4] {
    let mut c = [counter as u32, (counter >> 32) as u32, 0, 0];
    let mut k = [key as u32, (key >> 32) as u32];
    let mut round = 0;
    while round < 10 {
        let p0 = c[0] as u64 * MULTIPLIERS[0] as u64;
        let p1 = c[2] as u64 * MULTIPLIERS[1] as u64;
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(KEY_STEPS[0]), k[1].wrapping_add(KEY_STEPS[1])];
        round += 1;
    }
    c
}

/// The `rbits` that [`Column::Random`](super::Column::Random) gives to instruction `index`: word `index` of the stream
/// of `seed`.
///
/// ```
/// use ptxcvt_bulk::{philox4x32, rbits};
/// assert_eq!(rbits(7, 6), philox4x32(7, 1)[2]);
/// ```
#[inline(always)]
pub const fn rbits(seed: u64, index: u64) -> u32 {
    philox4x32(seed, index / WORDS)[(index % WORDS) as usize]
}

/// The seed of one array among several, by its name, and of one conversion in a chain, by its number. Each
/// has its own random bits, independent of the other arrays. The first conversion of an array without a name
/// uses `seed` itself.
///
/// ```
/// use ptxcvt_bulk::seed_of;
/// assert_eq!(seed_of(7, "", 0), 7);
/// assert_ne!(seed_of(7, "weight", 0), seed_of(7, "bias", 0));
/// ```
pub fn seed_of(seed: u64, name: &str, stage: usize) -> u64 {
    let mixed = |seed: u64, n: u64| SplitMix64::new(seed ^ n).next_u64();
    let seed = name.bytes().fold(seed, |seed, byte| mixed(seed, byte.into()));
    if stage == 0 { seed } else { mixed(seed, stage as u64) }
}

/// Words and bytes of a block.
pub(crate) const WORDS: u64 = 4;
pub(crate) const BYTES: usize = 16;

/// The input of a stage that makes blocks: the key, and the counter of the first block.
pub(crate) fn start(key: u64, counter: u64) -> [u8; 16] {
    (u128::from(key) | u128::from(counter) << 64).to_le_bytes()
}

/// The key and the counter that [`start`] wrote.
#[inline(always)]
pub(crate) fn started(source: &[u8]) -> (u64, u64) {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(source);
    let both = u128::from_le_bytes(bytes);
    (both as u64, (both >> 64) as u64)
}
