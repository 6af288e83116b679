//! Operations on bits and bytes that every crate uses.

/// A mask of the `n` lowest bits; `n` is at most 64.
#[inline]
pub const fn mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The two's complement number in the low `width` bits of `code`.
#[inline]
pub const fn sign_extend(code: u64, width: u32) -> i64 {
    ((code << (64 - width)) as i64) >> (64 - width)
}

/// The number whose bytes these are, the lowest first: an element of an array as the bits of a register.
///
/// ```
/// assert_eq!(ptxcvt::little_endian(&[0x34, 0x12]), 0x1234);
/// ```
///
/// # Panics
///
/// Panics if there are more than eight bytes.
#[inline]
pub const fn little_endian(bytes: &[u8]) -> u64 {
    assert!(bytes.len() <= 8, "a register has at most eight bytes");
    let (mut number, mut at) = (0, bytes.len());
    while at > 0 {
        at -= 1;
        number = number << 8 | bytes[at] as u64;
    }
    number
}
