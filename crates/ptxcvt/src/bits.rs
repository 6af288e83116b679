//! Two operations on bits that every module uses.

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
