//! Loops that convert between numbers and codes, and between codes and their layout.

use ptxcvt_bulk::tiered;

use crate::layout;
use crate::magnitude::NAN;
use crate::recipe::{Layout, ZeroSign};

tiered! {
    /// Converts codes to the integers with the same value.
    pub(in crate::fast) fn numbers_of_codes(codes: &[u8], to: &mut [f32]) {
        let codes = &codes[..to.len()];
        for (code, to) in codes.iter().zip(to) {
            *to = f32::from(*code);
        }
    }

    /// Converts integers to codes with the same value: saturated to 64 bits, then truncated to 8.
    pub(in crate::fast) fn codes_of_numbers(from: &[f32], codes: &mut [u8]) {
        let from = &from[..codes.len()];
        for (x, code) in from.iter().zip(codes) {
            // From 2^31 on the low byte is 0; from 2^63 on it is that of the largest 64-bit integer.
            let large = if *x >= 9.223_372e18 { 0xff } else { 0 };
            let small = x.abs() < 2_147_483_648.0;
            let within = if small { *x } else { 0.0 };
            // SAFETY: the number is within the range of the type.
            let whole = unsafe { within.to_int_unchecked::<i32>() };
            *code = if small { whole as u8 } else { large };
        }
    }

    /// The powers of two that codes of ue8m0 encode.
    pub(in crate::fast) fn powers(codes: &[u8], to: &mut [f32]) {
        let codes = &codes[..to.len()];
        for (code, to) in codes.iter().zip(to) {
            let bits = if *code == 0 { 1 << 22 } else { u32::from(*code) << 23 };
            *to = f32::from_bits(if *code == 0xff { NAN } else { bits });
        }
    }

    /// The codes of the nearest values, ties toward zero: the number of midpoints below the magnitude. `zero`
    /// determines the sign of zero. Infinity gives 0 if zero never has a sign.
    pub(in crate::fast) fn nearest(midpoints: &[f32; 7], zero: ZeroSign, numbers: &[f32], codes: &mut [u8]) {
        let numbers = &numbers[..codes.len()];
        let unless_positive = zero == ZeroSign::UnlessPositive;
        for (y, code) in numbers.iter().zip(codes) {
            let magnitude = y.abs();
            let mut steps = 0_u32;
            for midpoint in midpoints {
                steps += u32::from(magnitude > *midpoint);
            }
            let steps = if magnitude.is_infinite() & !unless_positive { 0 } else { steps };
            let positive = *y > 0.0;
            let negative = if unless_positive { !positive } else { (*y < 0.0) & (steps != 0) };
            *code = (steps | u32::from(negative) << 3) as u8;
        }
    }

    /// Packs the codes of a row in the layout.
    pub(in crate::fast) fn store_row(layout: Layout, storage: u32, codes: &[u8], scales: &[u8], out: &mut [u8]) {
        layout::store_row(layout, storage, codes, scales, out);
    }

    /// Unpacks the codes of a row.
    pub(in crate::fast) fn load_row(layout: Layout, storage: u32, bytes: &[u8], codes: &mut [u8], scales: &mut [u8]) {
        layout::load_row(layout, storage, bytes, codes, scales);
    }
}
