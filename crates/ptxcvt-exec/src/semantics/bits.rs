//! Logic, shifts and bit fields.
//!
//! PTX ISA sections 9.7.8 (logic and shift) and the bit-field instructions of 9.7.1.

use ptxcvt::{mask, sign_extend};

use super::call::Call;
use crate::modifier::Modifier;

/// d = a & b
pub(crate) fn and(c: &Call) -> u64 {
    c.a() & c.b()
}

/// d = a | b
pub(crate) fn or(c: &Call) -> u64 {
    c.a() | c.b()
}

/// d = a ^ b
pub(crate) fn xor(c: &Call) -> u64 {
    c.a() ^ c.b()
}

/// d = ~a
pub(crate) fn not(c: &Call) -> u64 {
    !c.a() & mask(c.width())
}

/// d = (a == 0) ? 1 : 0
pub(crate) fn cnot(c: &Call) -> u64 {
    u64::from(c.a() == 0)
}

/// Bit i of `immLut` is the result for bits a, b, c that are the bits of i, with a as the highest.
pub(crate) fn lop3(c: &Call) -> u64 {
    let [a, b, other, table, _] = c.sources;
    let term = |i: u32| {
        let side = |bits: u64, n: u32| if i >> n & 1 != 0 { bits } else { !bits };
        if table >> i & 1 != 0 { side(a, 2) & side(b, 1) & side(other, 0) } else { 0 }
    };
    (0..8).map(term).fold(0, |d, t| d | t) & mask(32)
}

/// A shift amount, at most the width.
fn amount(c: &Call) -> u32 {
    c.b().min(c.width().into()) as u32
}

/// d = a << b, zeros from the right.
pub(crate) fn shl(c: &Call) -> u64 {
    c.a().checked_shl(amount(c)).unwrap_or(0)
}

/// d = a >> b, the sign from the left for signed types, else zeros.
pub(crate) fn shr(c: &Call) -> u64 {
    if c.ty().is_signed() {
        (sign_extend(c.a(), c.width()) >> amount(c).min(63)) as u64
    } else {
        c.a().checked_shr(amount(c)).unwrap_or(0)
    }
}

/// The pair b:a shifted left (the upper word of the result) or right (the lower).
pub(crate) fn shf(c: &Call) -> u64 {
    let n = if c.has(Modifier::Clamp) { c.c().min(32) } else { c.c() & 31 };
    let pair = c.b() << 32 | c.a();
    if c.has(Modifier::L) { ((pair as u128) << n >> 32) as u64 } else { pair >> n }
}

/// The position or length of a bit field. The manual requires 0 to 255. For larger values, 32-bit
/// instructions use the low eight bits; 64-bit ones, which consist of shifts, use all bits (as ptxas folds
/// them).
pub(crate) fn in_field(width: u32, n: u64) -> u32 {
    if width == 64 { n.min(0xff) as u32 } else { n as u32 & 0xff }
}

/// The field of c bits from bit b on, sign-extended in signed types. Bits above the top are copies of the sign, too.
pub(crate) fn bfe(c: &Call) -> u64 {
    let top = c.width() - 1;
    let (position, length) = (in_field(c.width(), c.b()), in_field(c.width(), c.c()));
    let sign =
        if c.ty().is_signed() && length > 0 { c.a() >> (position + length - 1).min(top) & 1 } else { 0 };
    let bit = |i: u32| if i < length && position + i <= top { c.a() >> (position + i) & 1 } else { sign };
    (0..=top).map(|i| bit(i) << i).sum()
}

/// b with the low d bits of a inserted at bit c; bits above the top are lost.
pub(crate) fn bfi(c: &Call) -> u64 {
    let [a, b, position, length, _] = c.sources;
    let (position, length) = (in_field(c.width(), position), in_field(c.width(), length));
    if position >= c.width() {
        return b;
    }
    let field = mask(length) << position & mask(c.width());
    b & !field | a << position & field
}

/// The position of the highest bit that differs from the sign, or all ones if no bit differs. With `.shiftamt`, the
/// shift that moves this bit to the top.
pub(crate) fn bfind(c: &Call) -> u64 {
    let width = c.width();
    let value = if c.ty().is_signed() && c.a() >> (width - 1) != 0 { !c.a() & mask(width) } else { c.a() };
    match value.checked_ilog2() {
        None => mask(32),
        Some(place) if c.has(Modifier::Shiftamt) => (width - 1 - place).into(),
        Some(place) => place.into(),
    }
}

/// The bits in reverse order.
pub(crate) fn brev(c: &Call) -> u64 {
    c.a().reverse_bits() >> (64 - c.width())
}

/// The number of leading zeros.
pub(crate) fn clz(c: &Call) -> u64 {
    u64::from(c.a().leading_zeros()) - u64::from(64 - c.width())
}

/// The number of ones.
pub(crate) fn popc(c: &Call) -> u64 {
    c.a().count_ones().into()
}

/// The low b bits of a, extended with their sign or with zeros. `.wrap` takes b modulo 32; with `.clamp`, 32 and more
/// means all of a.
pub(crate) fn szext(c: &Call) -> u64 {
    let n = c.b() as u32;
    match n & 31 {
        _ if n >= 32 && c.has(Modifier::Clamp) => c.a(),
        0 => 0,
        n if c.ty().is_signed() => sign_extend(c.a() & mask(n), n) as u64,
        n => c.a() & mask(n),
    }
}

/// b ones from bit a on. `.wrap` takes both modulo 32; with `.clamp`, 32 and more means the end of the word.
pub(crate) fn bmsk(c: &Call) -> u64 {
    let (start, length) = (c.a(), c.b());
    if c.has(Modifier::Clamp) {
        if start >= 32 { 0 } else { mask(length.min(32) as u32) << start }
    } else {
        mask(length as u32 & 31) << (start & 31)
    }
}
