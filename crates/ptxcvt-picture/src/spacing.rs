//! The distance between neighbouring numbers relative to their magnitude, as a curve; both axes are logarithmic.

use std::fmt::Write as _;

use ptxcvt::Format;
use ptxcvt::formats::Kind;

use crate::style::{DIM, EXPONENT, FRACTION, INK, RESULT, RULE, SIGN, line, open, small, text};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 930.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 286.0;

/// For each power of two that is a number of the format, the distance to the next number; both as exponents.
///
/// ```
/// use ptxcvt::Format;
/// let curve = ptxcvt_picture::spacing(Format::E2m1);
/// assert_eq!(curve, [(-1, -1), (0, -1), (1, 0), (2, 1)]); // 0.5 and 1 are 0.5 from the next, 4 is 2
/// assert_eq!(ptxcvt_picture::spacing(Format::S4), [(0, 0), (1, 0), (2, 0)]);
/// ```
pub fn spacing(format: Format) -> Vec<(i32, i32)> {
    let (least, top, fraction) = match format.parameters().kind {
        Kind::Float { fraction, .. } => {
            (format.min_exponent() - fraction as i32, format.max_exponent(), fraction)
        }
        // The largest number has no next one.
        Kind::PowerOfTwo { bias } => (-bias, format.max_exponent() - 1, 0),
        Kind::Fixed { fraction } => (-(fraction as i32), format.max_exponent(), format.bits()),
        Kind::Integer { .. } => (0, format.max_exponent(), format.bits()),
        kind => unreachable!("{kind:?} has no curve of spacing yet"),
    };
    (least..top).map(|e| (e, least.max(e - fraction as i32))).collect()
}

/// The curves of some formats as an SVG document: the distance to the next number relative to the number, over the
/// magnitude. A curve is level while the format has its full precision, and rises towards the smallest subnormal. Those of
/// integers and fixed-point numbers have no level part.
///
/// ```
/// use ptxcvt::Format;
/// assert!(ptxcvt_picture::spacing_svg(&[Format::F16, Format::Bf16]).contains("bf16"));
/// ```
pub fn spacing_svg(formats: &[Format]) -> String {
    let curves: Vec<(Format, Vec<(i32, i32)>)> = formats.iter().map(|f| (*f, spacing(*f))).collect();
    let all = || curves.iter().flat_map(|(_, curve)| curve.iter().copied());
    let range = |part: fn((i32, i32)) -> i32| {
        (all().map(part).min().unwrap_or(0), all().map(part).max().unwrap_or(1).max(1))
    };
    let (across, up) = (range(|(e, _)| e), range(|(e, s)| s - e));
    let x =
        |e: i32| LEFT + f64::from(e - across.0) / f64::from((across.1 - across.0).max(1)) * (RIGHT - LEFT);
    let y = |s: i32| BOTTOM - f64::from(s - up.0) / f64::from((up.1 - up.0).max(1)) * (BOTTOM - TOP);
    let mut out = String::new();
    let marks = |(from, to): (i32, i32)| {
        let step = ((to - from) / 8).max(1);
        let step = [1, 2, 4, 8, 16, 32, 64, 128, 256].into_iter().find(|s| *s >= step).unwrap_or(512);
        (from..=to).filter(move |e| e % step == 0)
    };
    for e in marks(across) {
        line(&mut out, (x(e), TOP), (x(e), BOTTOM), RULE, 0.5);
        small(&mut out, (x(e), BOTTOM + 16.0), "middle", DIM, &format!("2^{e}"));
    }
    for s in marks(up) {
        line(&mut out, (LEFT, y(s)), (RIGHT, y(s)), RULE, 0.5);
        small(&mut out, (LEFT - 8.0, y(s) + 4.0), "end", DIM, &format!("2^{s}"));
    }
    small(&mut out, (LEFT, TOP - 12.0), "start", DIM, "distance to the next number, as a part of the number");
    small(&mut out, (RIGHT, BOTTOM + 34.0), "end", DIM, "magnitude");
    let colours = [EXPONENT, FRACTION, SIGN, RESULT, INK];
    let dashes = ["none", "6 3", "2 3", "8 3 2 3", "1 2"];
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (at, (format, curve)) in curves.iter().enumerate() {
        let (colour, dash) = (colours[at % colours.len()], dashes[at % dashes.len()]);
        let points: Vec<String> =
            curve.iter().map(|(e, s)| format!("{:.1},{:.1}", x(*e), y(s - e))).collect();
        let _ = write!(
            out,
            "<polyline points=\"{}\" style=\"fill:none;stroke:{colour};stroke-width:2;stroke-dasharray:{dash}\"/>",
            points.join(" ")
        );
        // The name is above the right end of the level part; it moves to the left if it would cover another name.
        let Some((e, s)) = curve.last() else { continue };
        let wide = 8.0 * (format.name().len() + 1) as f64;
        let (mut at, height) = (x(*e) - 4.0, y(s - e) - 6.0);
        while taken.iter().any(|(x, y)| (y - height).abs() < 12.0 && (x - at).abs() < wide) {
            at -= wide;
        }
        taken.push((at, height));
        text(&mut out, (at, height), "end", colour, format.name());
    }
    open(WIDTH, HEIGHT, "distance to the next number over magnitude") + &out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve agrees with the codes.
    #[test]
    fn curves_are_those_of_the_codes() {
        for format in Format::ALL.iter().copied().filter(|f| f.bits() <= 16) {
            assert!(!spacing(format).is_empty(), "{format}");
            for (e, s) in spacing(format) {
                let value = f64::from(e).exp2();
                let code = format.encode(value, ptxcvt::Rounding::Rz);
                assert_eq!(format.decode(code).to_f64(), value, "{format} 2^{e}");
                let Some(next) = format.next_up(code) else { continue };
                let next = format.decode(next).to_f64();
                if next.is_finite() {
                    assert_eq!(next - value, f64::from(s).exp2(), "{format} 2^{e}");
                }
            }
        }
    }
}
