//! The number after or before another in an operand, as arrow keys and page keys choose it.

use ptxcvt::{Form, Format, Rounding, Value, mask, sign_extend};

/// A step from one number to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next representable number above or below.
    Next,
    /// To twice or half the magnitude.
    Exponent,
}

/// The bits of source operand `at` after a step up or down of number `lane`, which counts from the upper end. The bits
/// stay as they are at the end of the range and for NaN.
///
/// ```
/// use ptxcvt_report::step::{Step, operand};
/// let form = "cvt.rn.f16.f32".parse()?;
/// let next = operand(&form, 0, 1.5_f32.to_bits().into(), 0, Step::Exponent, true);
/// assert_eq!(next, u64::from(3.0_f32.to_bits()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn operand(form: &Form, at: usize, bits: u64, lane: u32, step: Step, up: bool) -> u64 {
    let Some(wanted) = form.operands().skip(1).nth(at) else { return bits };
    let Some((format, lanes)) = wanted.numbers() else {
        let last = mask(wanted.width);
        return match (step, up) {
            (Step::Next, true) => bits.saturating_add(1).min(last),
            (Step::Next, false) => bits.saturating_sub(1),
            (Step::Exponent, true) => bits.saturating_mul(2).max(1).min(last),
            (Step::Exponent, false) => bits / 2,
        };
    };
    let shift = (lanes - 1 - lane.min(lanes - 1)) * format.storage();
    let all = mask(format.storage());
    let code = bits >> shift & all;
    let next = match step {
        Step::Next if up => format.next_up(code),
        Step::Next => format.next_down(code),
        Step::Exponent => exponent(format, code, up),
    };
    next.map_or(bits, |next| bits & !(all << shift) | (next & all) << shift)
}

/// Twice or half a number, whichever is in the given direction; from zero the smallest number.
fn exponent(format: Format, code: u64, up: bool) -> Option<u64> {
    let value = match format.decode(code) {
        Value::Finite(x) if x.is_zero() => {
            return if up { format.next_up(code) } else { format.next_down(code) };
        }
        Value::Finite(x) => x,
        Value::Infinity { negative } => {
            let ends = [format.max_finite(), format.min_finite()];
            return (negative == up).then_some(ends[usize::from(negative)]);
        }
        Value::Nan { .. } => return None,
    };
    if format.is_integer() {
        return integer(format, code, up);
    }
    let grows = value.negative != up;
    let scaled = value.to_f64() * if grows { 2.0 } else { 0.5 };
    let ends = [format.decode(format.min_finite()).to_f64(), format.decode(format.max_finite()).to_f64()];
    // An f64 has no larger exponent.
    if scaled.is_infinite() {
        return Some(if up { format.max_finite() } else { format.min_finite() });
    }
    let scaled = scaled.clamp(ends[0], ends[1]);
    let next = format.encode(scaled, Rounding::Rz);
    // A format without zero ends at its smallest number.
    (next != code).then_some(next)
}

fn integer(format: Format, code: u64, up: bool) -> Option<u64> {
    let all = mask(format.bits());
    let sign = format.is_signed();
    let value = match sign {
        true => i128::from(sign_extend(code, format.bits())),
        false => i128::from(code & all),
    };
    let (least, most) = match sign {
        true => (-(1_i128 << (format.bits() - 1)), (1_i128 << (format.bits() - 1)) - 1),
        false => (0, i128::from(all)),
    };
    let scaled = if (value > 0) == up { value * 2 } else { value / 2 };
    Some(scaled.clamp(least, most) as u64 & all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps up reach every number of a small format in order, from the least to the largest, across zero; steps down
    /// return.
    #[test]
    fn steps_pass_every_number() {
        let form: Form = "cvt.rn.f16x2.e4m3x2".parse().unwrap();
        for lane in [0, 1] {
            let at = |code: u64| if lane == 0 { code << 8 | 0x55 } else { 0x5500 | code };
            let value = |bits: u64| {
                let code = if lane == 0 { bits >> 8 } else { bits & 0xff };
                Format::E4m3.decode(code).to_f64()
            };
            let mut seen = vec![at(0xfe)];
            while seen.len() < 300 {
                let next = operand(&form, 0, *seen.last().unwrap(), lane, Step::Next, true);
                if next == *seen.last().unwrap() {
                    break;
                }
                seen.push(next);
            }
            assert_eq!(seen.len(), 253);
            assert!(seen.windows(2).all(|pair| value(pair[0]) < value(pair[1])));
            for pair in seen.windows(2) {
                let back = operand(&form, 0, pair[1], lane, Step::Next, false);
                assert_eq!(value(back), value(pair[0]));
            }
        }
    }

    #[test]
    fn ends_and_zero() {
        let form: Form = "cvt.rn.f16.f32".parse().unwrap();
        let next =
            |x: f32, step, up| f32::from_bits(operand(&form, 0, x.to_bits().into(), 0, step, up) as u32);
        assert_eq!(next(0.0, Step::Next, false), -f32::from_bits(1));
        assert!(next(-1.0, Step::Next, true) > -1.0);
        assert_eq!(next(1.5, Step::Exponent, true), 3.0);
        assert_eq!(next(-1.5, Step::Exponent, true), -0.75);
        assert_eq!(next(f32::MAX, Step::Exponent, true), f32::MAX);
        assert_eq!(next(f32::INFINITY, Step::Exponent, false), f32::MAX);
        assert_eq!(next(f32::from_bits(3), Step::Exponent, false), f32::from_bits(1));
        assert!(next(f32::NAN, Step::Next, true).is_nan());
    }

    #[test]
    fn integers_and_bits() {
        let form: Form = "cvt.sat.u8.s32".parse().unwrap();
        let next = |x: i32, step, up| operand(&form, 0, u64::from(x as u32), 0, step, up) as u32 as i32;
        assert_eq!(next(-1, Step::Next, true), 0);
        assert_eq!(next(i32::MAX, Step::Next, true), i32::MAX);
        assert_eq!(next(6, Step::Exponent, true), 12);
        assert_eq!(next(-6, Step::Exponent, true), -3);
        assert_eq!(next(i32::MIN, Step::Exponent, false), i32::MIN);
        let random: Form = "cvt.rs.satfinite.e4m3x4.f32".parse().unwrap();
        assert_eq!(operand(&random, 4, 0xffff_ffff, 0, Step::Next, true), 0xffff_ffff);
        assert_eq!(operand(&random, 4, 0, 0, Step::Next, false), 0);
    }
}
