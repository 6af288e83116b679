//! The algorithms on lanes of f32 and f64, written once for both; the [module above](super) explains them.

/// The row of float format `F`, field by field: compilers optimise loops better with separate constants than
/// with a struct.
macro_rules! row_of {
    ($f:ident) => {
        FloatRow {
            bits: const { FloatRow::of::<$f>().bits },
            fraction: const { FloatRow::of::<$f>().fraction },
            bias: const { FloatRow::of::<$f>().bias },
            signed: const { FloatRow::of::<$f>().signed },
            specials: const { FloatRow::of::<$f>().specials },
            random_bits: const { FloatRow::of::<$f>().random_bits },
            magnitude: const { FloatRow::of::<$f>().magnitude },
            exponent: const { FloatRow::of::<$f>().exponent },
        }
    };
}

/// The algorithms on lanes of one float type. `lanes! { lanes32: f32, u32, i32, 23 }` expands to a module
/// with `narrow` and the other functions in terms of `type F = f32; type U = u32; const FRACTION: u32 = 23`.
macro_rules! lanes {
    ($name:ident: $float:ty, $bits:ty, $signed:ty, $fraction:literal, $bias:literal) => {
        pub(crate) mod $name {
            use crate::constants::Constants;
            use crate::lanes::{FloatRow, match_mode, mode};
            use ptxcvt::formats::Specials;

            pub type F = $float;
            pub type U = $bits;
            const WIDTH: u32 = U::BITS;
            const FRACTION: u32 = $fraction;
            const SIGN: U = 1 << (WIDTH - 1);
            const MAGNITUDE: U = !SIGN;
            pub const INFINITY: U = MAGNITUDE >> FRACTION << FRACTION;
            const ONE: U = $bias << FRACTION;

            /// All ones if the condition holds.
            #[inline(always)]
            fn all_if(condition: bool) -> U {
                if condition { U::MAX } else { 0 }
            }

            /// `yes` if the condition holds, otherwise 0.
            #[inline(always)]
            fn select(condition: bool, yes: U, no: U) -> U {
                if condition { yes } else { no }
            }

            /// Minus one step if the addition went above `value` and the mode rounds `down`, plus one if it
            /// went below and the mode rounds `up`. Both are all ones or 0.
            #[inline(always)]
            fn correction<const R: u8>(back: F, value: F, down: U, up: U) -> U {
                if R == mode::RN {
                    return 0;
                }
                (all_if(back > value) & down).wrapping_sub(all_if(back < value) & up)
            }

            /// The corrections that a magnitude with that sign needs: downwards, upwards.
            #[inline(always)]
            fn directions<const R: u8>(negative: U) -> (U, U) {
                match_mode!(R {
                    RM => (!negative, negative),
                    RP => (negative, !negative),
                    RN | RZ => (U::MAX, 0),
                    RS | NONE => unreachable!("handled before"),
                })
            }

            /// Rounds to the codes of float format `D`, which has fewer exponent bits. `FINITE`: infinity
            /// needs no rule of its own, because it exceeds the limit. `PAYLOAD`: NaN keeps sign, quiet bit
            /// and as much of its payload as fits, like NaN of f64.
            #[inline(always)]
            pub fn narrow<const D: usize, const R: u8, const FINITE: bool, const PAYLOAD: bool>(
                x: U,
                random: U,
                k: &Constants,
            ) -> U {
                narrow_to::<R, FINITE, PAYLOAD>(row_of!(D), x, random, k)
            }

            /// [`narrow`] to the float format of this row.
            #[inline(always)]
            pub fn narrow_to<const R: u8, const FINITE: bool, const PAYLOAD: bool>(
                row: FloatRow,
                x: U,
                random: U,
                k: &Constants,
            ) -> U {
                let FloatRow { bits, fraction, bias, signed, .. } = row;
                let drop = FRACTION - fraction;
                let least = (($bias + 1 - bias) as U) << FRACTION;

                let magnitude = x & MAGNITUDE;
                let negative = if signed { ((x as $signed) >> (WIDTH - 1)) as U } else { 0 };
                let limit = match_mode!(R {
                    RM | RP => select(negative != 0, k.limit[1] as U, k.limit[0] as U),
                    RN | RZ | RS => k.limit[0] as U,
                });
                let m = magnitude.min(limit);
                let code = if R == mode::RS {
                    let n = row.random_bits;
                    let base = ((least >> FRACTION) - 1) << fraction;
                    let normal = ((m + (random << (drop - n))) >> drop).wrapping_sub(base);
                    // The power of two whose last place is 2^-n of the subnormals' quantum.
                    let one = least + ((drop - n) as U).wrapping_shl(FRACTION);
                    let t = F::from_bits(m) + F::from_bits(one);
                    let back = t - F::from_bits(one);
                    let cut = (t.to_bits() - one).wrapping_add(all_if(back > F::from_bits(m)));
                    select(m < least, cut.wrapping_add(random) >> n, normal)
                } else {
                    let c = (m & INFINITY).max(least);
                    let one = c + ((drop as U) << FRACTION);
                    let t = F::from_bits(m) + F::from_bits(one);
                    let back = t - F::from_bits(one);
                    let (down, up) = directions::<R>(negative);
                    let steps = t.to_bits().wrapping_sub(one);
                    let steps = steps.wrapping_add(correction::<R>(back, F::from_bits(m), down, up));
                    steps.wrapping_add((c - least) >> drop)
                };
                let sign = if signed { x >> (WIDTH - bits) & 1 << (bits - 1) } else { 0 };
                let code = if FINITE { code } else { select(magnitude == INFINITY, k.infinity as U, code) };
                let nan = if PAYLOAD {
                    sign | k.nan as U | (magnitude & ((1 << FRACTION) - 1)) >> drop
                } else {
                    k.nan as U
                };
                select(magnitude > INFINITY, nan, code | sign)
            }

            /// Rounds to integers or fixed point, in the low bits of the result. Adding 1.5 · 2^F quanta
            /// leaves the count of quanta, in two's complement, in the low bits of the sum.
            #[inline(always)]
            pub fn fixed<const R: u8>(x: U, k: &Constants) -> U {
                let value = F::from_bits(x);
                let value = if value > k.low as F { value } else { k.low as F };
                let value = if value < k.high as F { value } else { k.high as F };
                let t = value + k.magic as F;
                let back = t - k.magic as F;
                let (down, up) = match_mode!(R {
                    RZ => (all_if(value > 0.0), all_if(value < 0.0)),
                    RM => (U::MAX, 0),
                    RN => (0, 0),
                    RP => (0, U::MAX),
                });
                let steps = t.to_bits().wrapping_add(correction::<R>(back, value, down, up));
                select(x & MAGNITUDE > INFINITY, k.nan as U, steps)
            }

            /// Rounds to an integral value of the same format, keeping the sign.
            #[inline(always)]
            pub fn integral<const R: u8>(x: U) -> U {
                if R == mode::NONE {
                    return x;
                }
                const WHOLE: U = ONE + ((FRACTION as U) << FRACTION);
                let (magnitude, sign) = (x & MAGNITUDE, x & SIGN);
                let m = magnitude.min(WHOLE);
                let t = F::from_bits(m) + F::from_bits(WHOLE);
                let back = t - F::from_bits(WHOLE);
                let (down, up) = directions::<R>(((x as $signed) >> (WIDTH - 1)) as U);
                let (lower, raise) = match_mode!(R {
                    RN => (0, 0),
                    NONE => unreachable!("returned before"),
                    RZ | RM | RP => (all_if(back > F::from_bits(m)) & down, all_if(back < F::from_bits(m)) & up),
                });
                let rounded = back - F::from_bits(lower & ONE) + F::from_bits(raise & ONE);
                select(magnitude < WHOLE, rounded.to_bits() & MAGNITUDE, magnitude) | sign
            }

            /// Applies modifiers to a number that stays in its format: flushing, rounding to an integral
            /// value, `.sat`, and the rule for NaN.
            #[inline(always)]
            pub fn adjust<const R: u8>(x: U, k: &Constants) -> U {
                let magnitude = x & MAGNITUDE;
                let below = select(x & SIGN != 0, k.flush_below[1] as U, k.flush_below[0] as U);
                let x = select(magnitude != 0 && magnitude < below, x & k.flush_keep as U, x);
                let x = integral::<R>(x);
                let nan = x & MAGNITUDE > INFINITY;
                let unit = select(nan, 0, ((x as $signed).max(0) as U).min(ONE));
                let x = select(nan, x & k.nan_keep as U | k.nan_set as U, x);
                select(k.sat != 0, unit, x)
            }

            /// Converts to a 64-bit integer, signed or not. NaN gives only the top bit.
            #[inline(always)]
            pub fn integer64<const R: u8, const SIGNED: bool>(x: U) -> u64 {
                let value = F::from_bits(integral::<R>(x));
                let number = if SIGNED { value as i64 as u64 } else { value as u64 };
                if x & MAGNITUDE > INFINITY { 1 << 63 } else { number }
            }

            /// Converts any float format `S` with at most as many exponent bits, exactly. NaN payloads are
            /// kept.
            #[inline(always)]
            pub fn widen<const S: usize>(code: U) -> U {
                widen_from(row_of!(S), code)
            }

            /// [`widen`] from the float format of this row.
            #[inline(always)]
            pub fn widen_from(row: FloatRow, code: U) -> U {
                let FloatRow { bits, fraction, bias, signed, specials, .. } = row;
                let up = FRACTION - fraction;
                let (magnitude, sign) = if signed {
                    (code & ((1 << (bits - 1)) - 1), code >> (bits - 1) << (WIDTH - 1))
                } else {
                    (code, 0)
                };
                if bias == $bias && bits + up == WIDTH {
                    // The fields are equal except for additional bits at the end of the fraction.
                    return code << up;
                }
                let rebias = (($bias - bias) as U) << FRACTION;
                let normal = (magnitude << up) + rebias;
                // Below the least normal number: counts quanta as the last places of a larger power of two.
                let one = (($bias + 1 - bias) as U + up as U) << FRACTION;
                let small = F::from_bits(one + magnitude) - F::from_bits(one);
                let finite = select(magnitude < 1 << fraction, small.to_bits(), normal);
                let wide = match specials {
                    Specials::None => finite,
                    Specials::NanOnly => {
                        let all = row.magnitude as U;
                        select(magnitude == all, MAGNITUDE, finite)
                    }
                    Specials::Ieee => {
                        let all = row.exponent as U;
                        select(magnitude >= all, finite + rebias, finite)
                    }
                    _ => unreachable!("no lanes for these special values"),
                };
                wide | sign
            }
        }
    };
}

lanes! { lanes32: f32, u32, i32, 23, 127 }
lanes! { lanes64: f64, u64, i64, 52, 1023 }
