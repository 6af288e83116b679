//! Exact intermediate results wider than an [`Exact`], and their conversion back. Bits below the upper 64 are folded
//! into the lowest bit, which changes no rounding to 53 bits or fewer. So the library rounds every result once.

use ptxcvt::Exact;

/// (−1)^s · m · 2^e.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
}

impl From<Exact> for Wide {
    fn from(x: Exact) -> Self {
        Wide { negative: x.negative, significand: x.significand.into(), exponent: x.exponent }
    }
}

/// `value >> shift`, with the lowest bit set if a one was lost.
fn shift_right(value: u128, shift: u32) -> u128 {
    if shift == 0 {
        return value;
    }
    if shift >= 128 {
        return u128::from(value != 0);
    }
    value >> shift | u128::from(value & ((1 << shift) - 1) != 0)
}

impl Wide {
    /// The number in 64 bits.
    pub fn narrow(self) -> Exact {
        let extra = 64_u32.saturating_sub(self.significand.leading_zeros());
        Exact {
            negative: self.negative,
            significand: shift_right(self.significand, extra) as u64,
            exponent: self.exponent + extra as i32,
        }
    }

    /// The product of two numbers of at most 64 bits, exactly.
    pub fn product(a: Exact, b: Exact) -> Wide {
        Wide {
            negative: a.negative != b.negative,
            significand: u128::from(a.significand) * u128::from(b.significand),
            exponent: a.exponent + b.exponent,
        }
    }

    /// The sum of two numbers of at most 107 bits. An exact zero has the sign of the first; the caller corrects it.
    pub fn sum(self, other: Wide) -> Wide {
        let (mut high, mut low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if low.significand == 0 {
            return high;
        }
        if high.significand == 0 {
            return low;
        }
        // Shifts up as far as possible with two bits to spare, and folds the rest of `low` into its last bit. There is
        // a rest only if `low` is much smaller, so no cancellation occurs.
        let room = high.significand.leading_zeros() - 2;
        let shift = room.min((high.exponent - low.exponent) as u32);
        high.significand <<= shift;
        high.exponent -= shift as i32;
        low.significand = shift_right(low.significand, (high.exponent - low.exponent) as u32);
        let (significand, negative) = if high.negative == low.negative {
            (high.significand + low.significand, high.negative)
        } else if high.significand >= low.significand {
            (high.significand - low.significand, high.negative)
        } else {
            (low.significand - high.significand, low.negative)
        };
        Wide { negative, significand, exponent: high.exponent }
    }
}

/// a / b for b ≠ 0, with at least 63 bits.
pub(super) fn quotient(a: Exact, b: Exact) -> Exact {
    let negative = a.negative != b.negative;
    if a.significand == 0 {
        return Exact { negative, significand: 0, exponent: 0 };
    }
    let (up_a, up_b) = (a.significand.leading_zeros(), b.significand.leading_zeros());
    let dividend = u128::from(a.significand << up_a) << 63;
    let divisor = u128::from(b.significand << up_b);
    let significand = (dividend / divisor) | u128::from(dividend % divisor != 0);
    let exponent = (a.exponent - up_a as i32) - (b.exponent - up_b as i32) - 63;
    Wide { negative, significand, exponent }.narrow()
}

/// √a for a ≥ 0, with at least 62 bits.
pub(super) fn square_root(a: Exact) -> Exact {
    if a.significand == 0 {
        return a;
    }
    // An even exponent and a significand of 125 or 126 bits.
    let up = u128::from(a.significand).leading_zeros() - 2;
    let up = up + ((a.exponent - up as i32) & 1) as u32;
    let (radicand, exponent) = (u128::from(a.significand) << up, a.exponent - up as i32);
    let root = radicand.isqrt();
    let significand = root | u128::from(root * root != radicand);
    Wide { negative: false, significand, exponent: exponent / 2 }.narrow()
}
