//! The lines of recipes that several rows of the table share, or that have a name. `rows.rs` describes the lines.

/// The end of torchao's floor, ceil and even modes. The divisor is at least 2^-126, and infinite if the scale
/// is NaN. Multiplying by the reciprocal of a power of two is the same as dividing by it.
macro_rules! torchao_divides {
    ($($line:literal)*) => {
        &[
            $($line,)*
            "e = e - emax", "e = max(e, 0)", "e = 255 where amax is nan", "s = ue8m0(e)",
            "d = max(s, 2^-126)", "d = inf where s is nan", "r = 1 / d",
            "y = x * r", "q = cvt.rn.satfinite.elementx2.f32(y)",
        ]
    };
}
pub(super) use torchao_divides;

/// TransformerEngine's MXFP8: a product with the reciprocal of the largest number.
pub(super) const TE_MXFP8: &[&str] = &[
    "k = 1 / max",
    "t = amax * k",
    "s = cvt.rp.satfinite.ue8m0x2.f32(t)",
    "r = 1 / s",
    "y = x * r",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
];

/// TransformerEngine's NVFP4: S scales the tensor to 2688 = 6 · 448, and the scale of a block is rounded once
/// more.
const TE_NVFP4_SCALES: [&str; 15] = [
    "G = tensor_amax",
    "S = 2688 / G",
    "S = min(S, 0x7f7fffff)",
    "S = 1 where S is zero",
    "S = 1 where G is zero",
    "k = 1 / 6",
    "c = S * k",
    "t = amax * c",
    "t = min(t, 0x7f7fffff)",
    "s = cvt.rn.satfinite.e4m3x2.f32(t)",
    "i = 1 / S",
    "d = s * i",
    "r = 1 / d",
    "r = min(r, 0x7f7fffff)",
    "y = x * r",
];
pub(super) const TE_NVFP4_BACK: &[&str] = &["k = 1 / 2688", "d = s * G", "d = d * k", "v = q * d"];

/// Appends one line to `lines`.
const fn then<const N: usize, const M: usize>(
    lines: [&'static str; N],
    last: &'static str,
) -> [&'static str; M] {
    assert!(M == N + 1);
    let mut all = [last; M];
    let mut i = 0;
    while i < N {
        all[i] = lines[i];
        i += 1;
    }
    all
}

/// The lines with a global scale for each row instead of the tensor; the first line computes it.
pub(super) const fn row_scaled<const N: usize>(mut lines: [&'static str; N]) -> [&'static str; N] {
    lines[0] = "G = row_amax";
    lines
}

pub(super) const TE_NVFP4_LINES: &[&str] =
    &then::<15, 16>(TE_NVFP4_SCALES, "q = cvt.rn.satfinite.e2m1x2.f32(y)");
pub(super) const TE_NVFP4_ROW_LINES: &[&str] =
    &then::<15, 16>(row_scaled(TE_NVFP4_SCALES), "q = cvt.rn.satfinite.e2m1x2.f32(y)");
pub(super) const TE_NVFP4_RS_LINES: &[&str] =
    &then::<15, 16>(TE_NVFP4_SCALES, "q = cvt.rs.satfinite.e2m1x4.f32(y)");

/// TransformerEngine's choice between two scales: `f` scales amax to 6, `h` to 4. The errors of the decoded
/// values are summed in order, and `h` is used only if its sum is smaller.
macro_rules! four_over_six {
    ($six:literal; $four:literal) => {
        [
            "G = tensor_amax",
            "S = 1536 / G",
            "S = min(S, 0x7f7fffff)",
            "S = 1 where S is zero",
            "S = 1 where G is zero",
            "i = 1 / S",
            "b = amax / 6",
            "b = b * S",
            "f = min(b, 448)",
            "f = cvt.rn.satfinite.e4m3x2.f32(f)",
            "h = b * 1.5",
            "h = min(h, 448)",
            "h = cvt.rn.satfinite.e4m3x2.f32(h)",
            "d = f * i",
            "r = 1 / d",
            "r = min(r, 0x7f7fffff)",
            "m = x * r",
            "m = cvt.rn.satfinite.e2m1x2.f32(m)",
            "m = m * f",
            "m = m * G",
            "m = m / 1536",
            "m = m - x",
            $six,
            "c = sum(m)",
            "d = h * i",
            "u = 1 / d",
            "u = min(u, 0x7f7fffff)",
            "o = x * u",
            "o = cvt.rn.satfinite.e2m1x2.f32(o)",
            "o = o * h",
            "o = o * G",
            "o = o / 1536",
            "o = o - x",
            $four,
            "w = sum(o)",
            "w = w - c",
            "s = f",
            "s = h where w is negative",
            "r = u where w is negative",
            "y = x * r",
            "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ]
    };
}

pub(super) const MAE: [&str; 41] = four_over_six!("m = and.b32(m, 0x7fffffff)"; "o = and.b32(o, 0x7fffffff)");
pub(super) const MSE: [&str; 41] = four_over_six!("m = m * m"; "o = o * o");
pub(super) const FOUR_OVER_SIX_BACK: &[&str] = &["d = s * G", "d = d / 1536", "v = q * d"];

/// DeepSeek's scales: at least 1e-4 / 448.
pub(super) const DEEPSEEK: &[&str] = &[
    "t = max.NaN(amax, 0.0001)",
    "s = t / max",
    "r = 1 / s",
    "y = x * r",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
];

/// DeepSeek's scales rounded up to a power of two, stored as f32.
pub(super) const DEEPSEEK_UE8M0: &[&str] = &[
    "t = max.NaN(amax, 0.0001)",
    "t = t / max",
    "p = cvt.rp.satfinite.ue8m0x2.f32(t)",
    "s = p * 1",
    "r = 1 / s",
    "y = x * r",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
];

/// DeepSeek's scales rounded up to a power of two, stored as a byte.
pub(super) const DEEPSEEK_BYTES: &[&str] = &[
    "t = max.NaN(amax, 0.0001)",
    "t = t / max",
    "s = cvt.rp.satfinite.ue8m0x2.f32(t)",
    "r = 1 / s",
    "y = x * r",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
];

/// FP8 of compressed-tensors: in eager mode, the scale and the quotients are rounded to the type of the weights, and adding
/// the zero point makes -0 positive.
pub(super) const CT_FP8: &[&str] = &[
    "t = amax / max",
    "t = input(t)",
    "t = input_epsilon where t is zero",
    "s = t",
    "y = x / s",
    "y = input(y)",
    "y = y + 0",
    "q = cvt.rn.satfinite.e4m3x2.f32(y)",
];

/// FP8 of ModelOpt.
pub(super) const FP8_MODELOPT: &[&str] =
    &["s = amax / max", "s = 1 where s is zero", "y = x / s", "q = cvt.rn.satfinite.e4m3x2.f32(y)"];

/// The MX formats of compressed-tensors. `$bump` rounds amax to a power of two in the bits of its type, so a subnormal
/// amax becomes the smallest normal number if it is at most `$step`, a part of that number, below it; otherwise 0. The
/// scale and the quotients are rounded to the type of the weights, and a scale that becomes 0 (f16) is 1.
macro_rules! ct_mx {
    ($bump:literal, $step:literal $(, $zero:literal)?) => {
        &[
            $bump,
            "w = amax - input_tiny",
            "u = input_tiny where w is negative",
            $step,
            "w = w + z",
            "u = 0 where w is negative",
            "p = cvt.rz.ue8m0x2.f32(u)",
            "e = code(p)",
            "e = e - emax",
            "e = max(e, 0)",
            "e = 255 where amax is nan",
            "d = ue8m0(e)",
            "d = input(d)",
            "e = 127 where d is zero",
            "s = ue8m0(e)",
            "y = x / s",
            "y = input(y)",
            $($zero,)?
            "q = cvt.rn.satfinite.elementx2.f32(y)",
        ]
    };
}
pub(super) use ct_mx;

/// TransformerEngine's blocks of FP8: the factor is truncated to a power of two, and its inverse is stored.
pub(super) const TE_BLOCK: &[&str] = &[
    "f = max / amax",
    "f = input_max where f is inf",
    "f = and.b32(f, 0xff800000)",
    "f = 1 where amax is zero or inf or nan",
    "s = 1 / f",
    "y = x * f",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
];
