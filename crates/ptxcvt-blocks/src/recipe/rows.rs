//! The table of recipes: one row for each, as plain const data.
//!
//! The lines `quantize` of a row compute up to three values:
//!
//! - the scale `s` from `amax`, the largest magnitude of the block;
//! - the code `q` from the element `x`;
//! - in some recipes, the global scale `G` from `tensor_amax`, or from `row_amax` if each row has one.
//!
//! The lines `dequantize` compute the value `v` from these. Each line is one operation on f32 and rounds once
//! (`lines.rs` lists all operations). `max`, `emax` and `half` are the element format's largest number, its
//! exponent, and half the last place of a number near 1. `.satfinite` limits elements to ±max; libraries that
//! limit them before the conversion get the same result.

use ptxcvt::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, F32, Ue5m3, Ue8m0};

use super::AmaxNan::{Ignored, Propagates};
use super::Layout::{Gguf, GgufNvfp4, Packed, Rows};
use super::Ragged::{Partial, Refused};
use super::sequences::{
    CT_FP8, DEEPSEEK, DEEPSEEK_BYTES, DEEPSEEK_UE8M0, FOUR_OVER_SIX_BACK, FP8_MODELOPT, MAE, MSE, TE_BLOCK,
    TE_MXFP8, TE_NVFP4_BACK, TE_NVFP4_LINES, TE_NVFP4_ROW_LINES, TE_NVFP4_RS_LINES, ct_mx, row_scaled,
    torchao_divides,
};
use super::{BlockShape, Row};

const fn block(rows: usize, columns: usize) -> BlockShape {
    BlockShape { rows, columns }
}

/// Every type of numbers.
const ANY: &[Format] = &[];
/// In JAX, scales and quotients of f16 underflow; what a CPU makes of that has not been reproduced.
const NOT_F16: &[Format] = &[F32, Format::Bf16];

/// The element formats of OCP MX.
const MX: &[Format] = &[E4m3, E5m2, E2m3, E3m2, E2m1];
const FP8: &[Format] = &[E4m3, E5m2];

/// `v = q * s`. It is exact for scales that are powers of two.
const TIMES_SCALE: &[&str] = &["v = q * s"];

const TORCHAO: &str = "torchao 0.18.0 prototype/mx_formats/mx_tensor.py to_mx";
const TE_NVFP4: &str = "TransformerEngine common/cast/nvfp4/core_nvfp4.cuh, quantize_transpose_nvfp4.cuh; \
    transcribed in torchao test/prototype/moe_training/nvfp4_training/nvfp4_reference.py";
const DEEPGEMM: &str = "DeepGEMM deep_gemm/utils/math.py";
const TE_BLOCKWISE: &str = "TransformerEngine common/recipe/recipe_common.cuh";

const VECTORS_TORCHAO: &str = "torchao 0.18.0 on a CPU: a million blocks, and vectors (16 blocks each)";
const FORMULA: &str = "the formula only; the library needs a GPU";
const TE_REFERENCE: &str =
    "reference_nvfp4.py of TransformerEngine on a CPU: a million blocks, all equal except for the sign of 0";
const FOUR_OVER_SIX: &str = "TransformerEngine common/cast/nvfp4/quantize_4over6_nvfp4.cuh";
const MODELOPT_TOYS: &str =
    "nvidia-modelopt 0.47.0 on a CPU: models with random bf16 weights (conformance/blocks/exports.py)";
const CT: &str = "compressed-tensors 0.20.0 with llm-compressor 0.14.0, eager mode";
const CT_SCHEMES: &str = "compressed-tensors 0.20.1 and llm-compressor 0.14.0 on a CPU: 250,000 blocks of each type \
    without NaN and infinities (conformance/blocks/schemes.py), and models with random weights";
const CT_TOYS: &str =
    "llm-compressor 0.14.0 on a CPU: models with random bf16 weights (conformance/blocks/exports.py)";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "mx-rceil", elements: MX, block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "t = amax / max", "s = cvt.rp.satfinite.ue8m0x2.f32(t)",
            "r = 1 / s", "r = 1 where s is 0x00",
            "y = x * r", "q = cvt.rn.satfinite.elementx2.f32(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "the least power of two at or above amax / max; elements of a block with scale 2^-127 are not scaled",
        source: TORCHAO, confirmed: VECTORS_TORCHAO,
    },
    Row {
        name: "mx-rceil-te", elements: FP8, block: block(1, 32), scale: Ue8m0,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_MXFP8,
        dequantize: TIMES_SCALE,
        about: "MXFP8 of TransformerEngine: a product with 1 / max, and 2^127 as inverse of the least scale",
        source: "TransformerEngine common/cast/mxfp8/quantize_mxfp8.cuh, common/util/ptx.cuh exp2f_rcp",
        confirmed: FORMULA,
    },
    Row {
        name: "mx-rceil-te-32x32", elements: FP8, block: block(32, 32), scale: Ue8m0,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_MXFP8,
        dequantize: TIMES_SCALE,
        about: "MXFP8 of TransformerEngine in squares (enable_2d_quantization); one byte per square, which the library repeats",
        source: "TransformerEngine common/cast/mxfp8/quantize_mxfp8.cuh", confirmed: FORMULA,
    },
    Row {
        name: "mx-floor", elements: MX, block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: torchao_divides!("p = cvt.rz.ue8m0x2.f32(amax)" "e = code(p)"),
        dequantize: TIMES_SCALE,
        about: "OCP MX: the exponent of amax less that of max; the largest elements may saturate",
        source: "OCP MX 1.0 section 6.3; torchao 0.18.0 to_mx FLOOR", confirmed: VECTORS_TORCHAO,
    },
    Row {
        name: "mx-ceil", elements: MX, block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: torchao_divides!("p = cvt.rp.ue8m0x2.f32(amax)" "e = code(p)"),
        dequantize: TIMES_SCALE,
        about: "like mx-floor, but the exponent of amax is rounded up; wastes up to a bit",
        source: TORCHAO, confirmed: VECTORS_TORCHAO,
    },
    Row {
        name: "mx-even", elements: MX, block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: torchao_divides!("u = add.u32(amax, half)" "p = cvt.rz.ue8m0x2.f32(u)" "e = code(p)"),
        dequantize: TIMES_SCALE,
        about: "like mx-floor, after rounding amax to the element's fraction; equal to Quark's even_round unless amax rounds to 2^128",
        source: TORCHAO, confirmed: VECTORS_TORCHAO,
    },
    Row {
        name: "nvfp4-te-1x16", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_NVFP4_LINES, dequantize: TE_NVFP4_BACK,
        about: "NVFP4 of TransformerEngine; the global scale is the tensor's largest magnitude itself",
        source: TE_NVFP4, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-16x16", elements: &[E2m1], block: block(16, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_NVFP4_LINES, dequantize: TE_NVFP4_BACK,
        about: "NVFP4 of TransformerEngine in squares, for weights; one byte per square, which the library repeats",
        source: TE_NVFP4, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-rs-1x16", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_NVFP4_RS_LINES, dequantize: TE_NVFP4_BACK,
        about: "NVFP4 of TransformerEngine with stochastic rounding; random bits by position from Philox4x32-10, not in the library's order",
        source: TE_NVFP4, confirmed: "scales as nvfp4-te-1x16; elements by hashes published for a B200",
    },
    Row {
        name: "nvfp4-te-4over6-mae", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &MAE,
        dequantize: FOUR_OVER_SIX_BACK,
        about: "NVFP4 of TransformerEngine that takes the better of two scales for each block: amax becomes 6, or 4; by the \
            sum of errors' magnitudes, with scales of at most 256 for 6",
        source: FOUR_OVER_SIX, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-4over6-mse", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &MSE,
        dequantize: FOUR_OVER_SIX_BACK,
        about: "like nvfp4-te-4over6-mae, with the sum of squared errors",
        source: FOUR_OVER_SIX, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-row-scaled-1x16", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: TE_NVFP4_ROW_LINES, dequantize: TE_NVFP4_BACK,
        about: "NVFP4 of TransformerEngine for activations (row_scaled_activation): like nvfp4-te-1x16, but each row has \
            its global scale, the row's largest magnitude",
        source: TE_NVFP4, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-row-scaled-4over6-mae", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &row_scaled(MAE), dequantize: FOUR_OVER_SIX_BACK,
        about: "like nvfp4-te-4over6-mae, with a global scale for each row",
        source: FOUR_OVER_SIX, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-te-row-scaled-4over6-mse", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Ignored, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &row_scaled(MSE), dequantize: FOUR_OVER_SIX_BACK,
        about: "like nvfp4-te-4over6-mse, with a global scale for each row",
        source: FOUR_OVER_SIX, confirmed: TE_REFERENCE,
    },
    Row {
        name: "nvfp4-torchao", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "G = tensor_amax / 2688",
            "t = amax / 6", "t = t / G", "t = max.NaN(t, 2^-6)", "s = cvt.rn.satfinite.e4m3x2.f32(t)",
            "i = 1 / G", "r = i / s", "y = x * r", "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: &["d = s * G", "v = q * d"],
        about: "two-level NVFP4 of torchao: scales are at least 2^-6; the global scale is amax / 2688",
        source: "torchao 0.18.0 prototype/mx_formats/nvfp4_tensor.py nvfp4_quantize",
        confirmed: VECTORS_TORCHAO,
    },
    Row {
        name: "nvfp4-torchao-single", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "t = amax / 6", "t = max.NaN(t, 2^-6)", "s = cvt.rn.satfinite.e4m3x2.f32(t)",
            "r = 1 / s", "y = x * r", "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "NVFP4 of torchao without a global scale",
        source: "torchao 0.18.0 prototype/mx_formats/nvfp4_tensor.py nvfp4_quantize", confirmed: "torchao 0.18.0 on a CPU: two million blocks",
    },
    Row {
        name: "nvfp4-modelopt", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "G = tensor_amax / 2688",
            "k = 6 * G", "t = amax / k", "t = 1 where t is zero", "t = max.NaN(t, 2^-9)",
            "s = cvt.rn.satfinite.e4m3x2.f32(t)",
            "d = s * G", "y = x / d", "y = y + 0", "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: &["d = s * G", "v = q * d"],
        about: "NVFP4 of ModelOpt: a division by the product of scales, 1 for empty blocks, -0 becomes +0",
        source: "nvidia-modelopt 0.47.0 torch/quantization/qtensor/nvfp4_tensor.py",
        confirmed: "nvidia-modelopt 0.47.0 on a CPU: two million blocks, and vectors (128 blocks)",
    },
    Row {
        name: "nvfp4-compressed-tensors", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "G = max.NaN(tensor_amax, 2^-126)", "G = 1 / G", "G = G * 2688", "G = 1 where G is nan or inf",
            "t = amax / 6", "t = G * t", "z = cvt.rn.satfinite.e4m3x2.f32(t)",
            "t = 0.125 where z is zero", "s = cvt.rn.satfinite.e4m3x2.f32(t)",
            "d = s / G", "y = x / d", "y = y + 0", "y = 0 where y is nan",
            "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: &["d = s / G", "v = q * d"],
        about: "NVFP4 of compressed-tensors: the global scale is 2688 / amax (torch divides a number by a tensor as a \
            product with the reciprocal), the inverse of ModelOpt's",
        source: "compressed-tensors 0.20.0 quantization/utils/helpers.py calculate_qparams, generate_gparam",
        confirmed: "compressed-tensors 0.20.0 on a CPU: two million blocks",
    },
    Row {
        name: "nvfp4-llm-compressor", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "G = max.NaN(tensor_amax, input_tiny)", "G = 1 / G", "G = input(G)", "G = G * 2688", "G = input(G)",
            "G = 1 where G is nan or inf",
            "t = amax / 6", "t = input(t)", "t = G * t", "z = cvt.rn.satfinite.e4m3x2.f32(t)",
            "t = 0.125 where z is zero", "s = cvt.rn.satfinite.e4m3x2.f32(t)",
            "d = s / G", "y = x / d", "y = y + 0", "y = 0 where y is nan",
            "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: &["d = s / G", "v = q * d"],
        about: "NVFP4 of compressed-tensors as llm-compressor computes it: like nvfp4-compressed-tensors, but global and \
            block scales are first rounded to the type of the weights",
        source: CT, confirmed: CT_TOYS,
    },
    Row {
        name: "nvfp4-ue5m3-auto-round", elements: &[E2m1], block: block(1, 16), scale: Ue5m3,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "k = 1 / 6", "t = amax * k", "t = min(t, 114688)",
            "c = cvt.rn.satfinite.ue5m3x2.f32(t)", "z = cvt.rz.satfinite.ue5m3x2.f32(t)",
            "n = c * 1", "z = z * 1", "m = and.b32(n, 0x00700000)", "n = z where m is zero",
            "b = max(c, 2^-17)", "b = min(b, 0.00005340576171875)", "w = t - 2^-14", "n = b where w is negative",
            "n = 0 where t is zero", "n = 0 where amax is nan", "s = cvt.rn.satfinite.ue5m3x2.f32(n)",
            "y = x / s", "y = y + 0", "y = 0 where y is nan", "q = cvt.rn.satfinite.e2m1x2.f32(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "NVFP4 of auto-round (NVFP4_E5M3): UE5M3 scales and no global scale; a scale that would round up to a power of \
            two is truncated, and a scale that is not 0 is at least 2^-17",
        source: "auto-round data_type/nvfp.py nvfp4_v2, export/export_to_autoround/qlinear_fp.py",
        confirmed: "auto-round of 2026-08 on a CPU: a million blocks",
    },
    Row {
        name: "mxfp4-compressed-tensors", elements: &[E2m1], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: ct_mx!("u = add.u32(amax, half)", "z = input_tiny * 0.25", "y = y + 0"), dequantize: TIMES_SCALE,
        about: "MXFP4 of compressed-tensors: like mx-even/e2m1, but -0 becomes +0, quotients are rounded to the type of the \
            weights, and blocks of f16 zeros have the scale 1; if a scale is infinite, the library stores 1, the recipe the largest",
        source: CT, confirmed: CT_SCHEMES,
    },
    Row {
        name: "mxfp6-compressed-tensors", elements: &[E2m3], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Packed, inputs: ANY,
        quantize: ct_mx!("u = add.u32(amax, half)", "z = input_tiny * 0.0625"), dequantize: TIMES_SCALE,
        about: "MXFP6 of compressed-tensors: four elements in three bytes, the first in the lowest bits; -0 keeps its \
            sign; if a scale is infinite, the library stores 1, the recipe the largest",
        source: CT, confirmed: CT_SCHEMES,
    },
    Row {
        name: "mxfp8-compressed-tensors", elements: &[E4m3], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: ct_mx!("u = add.u32(amax, 0x00200000)", "z = input_tiny * 0.25", "y = y + 0"),
        dequantize: TIMES_SCALE,
        about: "MXFP8 of compressed-tensors: amax is rounded to one fraction bit, as for MXFP4; the largest elements may \
            saturate; if a scale is infinite, the library stores 1, the recipe the largest",
        source: CT, confirmed: CT_SCHEMES,
    },
    Row {
        name: "fp8-channel", elements: &[E4m3], block: block(1, BlockShape::ALL), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: CT_FP8, dequantize: TIMES_SCALE,
        about: "FP8 of compressed-tensors with a scale for each row (FP8_DYNAMIC); scales are rounded to the type of the weights",
        source: CT, confirmed: CT_TOYS,
    },
    Row {
        name: "fp8-tensor", elements: &[E4m3], block: block(BlockShape::ALL, BlockShape::ALL), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: CT_FP8, dequantize: TIMES_SCALE,
        about: "FP8 of compressed-tensors with a scale for each matrix; it is rounded to the type of the weights",
        source: CT, confirmed: CT_TOYS,
    },
    Row {
        name: "fp8-block", elements: &[E4m3], block: block(128, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: CT_FP8, dequantize: TIMES_SCALE,
        about: "FP8 of compressed-tensors in squares (FP8_BLOCK); scales are rounded to the type of the weights",
        source: CT, confirmed: CT_TOYS,
    },
    Row {
        name: "mxfp8-modelopt", elements: &[E4m3], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "t = amax / max", "l = log2(t)", "l = -127 where t is zero or nan", "l = ceil(l)",
            "l = max(l, -127)", "l = min(l, 127)", "e = l + 127", "s = ue8m0(e)",
            "r = 1 / s", "y = x * r", "q = cvt.rn.satfinite.e4m3x2.f32(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "MXFP8 of ModelOpt: the logarithm is rounded to f32, so the scale is too small just above a power of two",
        source: "nvidia-modelopt 0.47.0 torch/quantization/qtensor/mxfp8_tensor.py",
        confirmed: "nvidia-modelopt 0.47.0 on a CPU: a million blocks, and vectors (64 blocks)",
    },
    Row {
        name: "mxfp4-modelopt", elements: &[E2m1], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: ANY,
        quantize: &[
            "t = amax / 6", "l = log2(t)", "l = max.NaN(l, -127)", "l = ceil(l)",
            "e = l + 127", "e = 0 where l is nan or inf", "s = ue8m0(e)",
            "d = s * 1", "d = l where l is nan or inf", "y = x / d", "q = count.e2m1(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "MXFP4 of ModelOpt: ties toward zero, and the sign is set unless the number is positive: +0 is code 8",
        source: "nvidia-modelopt 0.47.0 torch/quantization/qtensor/mxfp4_tensor.py",
        confirmed: "nvidia-modelopt 0.47.0 on a CPU: a million blocks",
    },
    Row {
        name: "fp8-channel-modelopt", elements: &[E4m3], block: block(1, BlockShape::ALL), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: FP8_MODELOPT, dequantize: TIMES_SCALE,
        about: "FP8 of ModelOpt with an f32 scale for each row (FP8_PER_CHANNEL_PER_TOKEN); it refuses rows of zeros, here \
            their scale is 1",
        source: "nvidia-modelopt 0.47.0 torch/export/quant_utils.py",
        confirmed: MODELOPT_TOYS,
    },
    Row {
        name: "fp8-block-modelopt", elements: &[E4m3], block: block(128, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: FP8_MODELOPT, dequantize: TIMES_SCALE,
        about: "FP8 of ModelOpt with an f32 scale for each square (fp8_pb_wo); it refuses squares of zeros, here their \
            scale is 1",
        source: "nvidia-modelopt 0.47.0 torch/export/quant_utils.py, torch/quantization/qtensor/fp8_tensor.py",
        confirmed: MODELOPT_TOYS,
    },
    Row {
        name: "deepseek-1x128", elements: &[E4m3], block: block(1, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: DEEPSEEK, dequantize: TIMES_SCALE,
        about: "DeepSeek activations: an f32 scale of at least 1e-4 / 448",
        source: DEEPGEMM, confirmed: "vectors of DeepGEMM (32 blocks)",
    },
    Row {
        name: "deepseek-128x128", elements: &[E4m3], block: block(128, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: DEEPSEEK, dequantize: TIMES_SCALE,
        about: "DeepSeek weights: an f32 scale per square (weight_scale_inv)",
        source: DEEPGEMM, confirmed: "the formula only",
    },
    Row {
        name: "deepseek-1x128-ue8m0", elements: &[E4m3], block: block(1, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: DEEPSEEK_UE8M0, dequantize: TIMES_SCALE,
        about: "DeepSeek with scales rounded up to powers of two before they are used, kept as f32",
        source: DEEPGEMM, confirmed: "vectors of DeepGEMM (32 blocks)",
    },
    Row {
        name: "deepseek-128x128-ue8m0", elements: &[E4m3], block: block(128, 128), scale: F32,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: DEEPSEEK_UE8M0, dequantize: TIMES_SCALE,
        about: "DeepSeek in squares with scales rounded up to powers of two, kept as f32",
        source: DEEPGEMM, confirmed: "the formula only",
    },
    Row {
        name: "deepseek-1x128-ue8m0-bytes", elements: &[E4m3], block: block(1, 128), scale: Ue8m0,
        amax: Propagates, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: DEEPSEEK_BYTES, dequantize: TIMES_SCALE,
        about: "DeepSeek with powers of two as scales, one byte each (DeepGEMM packs four into a word)",
        source: DEEPGEMM, confirmed: "as deepseek-1x128-ue8m0",
    },
    Row {
        name: "te-blockwise-1x128", elements: FP8, block: block(1, 128), scale: F32,
        amax: Ignored, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: TE_BLOCK, dequantize: TIMES_SCALE,
        about: "Float8BlockScaling: max / amax truncated to a power of two, whose inverse is stored; 1 for blocks of zeros",
        source: TE_BLOCKWISE, confirmed: FORMULA,
    },
    Row {
        name: "te-blockwise-128x128", elements: FP8, block: block(128, 128), scale: F32,
        amax: Ignored, ragged: Partial, layout: Rows, inputs: ANY,
        quantize: TE_BLOCK, dequantize: TIMES_SCALE,
        about: "Float8BlockScaling in squares, for weights",
        source: TE_BLOCKWISE, confirmed: FORMULA,
    },
    Row {
        name: "gguf-mxfp4", elements: &[E2m1], block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Gguf, inputs: ANY,
        quantize: &[
            "l = log2(amax)", "l = floor(l)", "e = l + 125", "e = 0 where amax is zero or nan or inf", "s = ue8m0(e)",
            "r = 1 / s", "y = x * r", "q = argmin.e2m1(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "MXFP4 of GGUF: the nearest value, ties toward zero, never -0; element j + 16 is in the high nibble above element j",
        source: "gguf 0.19.0 quants.py MXFP4; ggml quantize_row_mxfp4_ref",
        confirmed: "gguf 0.19.0 on a CPU: a million blocks, and vectors (32 blocks)",
    },
    Row {
        name: "gguf-nvfp4", elements: &[E2m1], block: block(1, 16), scale: E4m3,
        amax: Propagates, ragged: Refused, layout: GgufNvfp4, inputs: ANY,
        quantize: &[
            "t = amax / 6", "t = min(t, 448)", "n = add.u32(t, 0x00080000)", "n = and.b32(n, 0xfff00000)",
            "u = t * 512", "u = u + 0.5", "u = floor(u)", "u = min(u, 7)", "u = u * 2^-9",
            "w = t - 2^-6", "n = u where w is negative", "w = 240 - n", "n = 448 where w is negative",
            "n = 0 where amax is nan", "s = cvt.rn.satfinite.e4m3x2.f32(n)",
            "y = x / s", "q = argmin.e2m1(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "NVFP4 of GGUF: the scale's ties are rounded up, and beyond 240 it is 448; no global scale; 64 elements in 36 \
            bytes, element j + 8 above element j",
        source: "gguf 0.19.0 quants.py NVFP4 (scales and dequantising); ggml quantize_row_nvfp4_ref (elements)",
        confirmed: "scales and values of codes by gguf 0.19.0 on a CPU: two million blocks; the choice of codes by the formula only",
    },
    Row {
        name: "jax-mxfp8", elements: FP8, block: block(1, 32), scale: Ue8m0,
        amax: Propagates, ragged: Refused, layout: Rows, inputs: NOT_F16,
        quantize: &[
            "t = amax / max", "t = input(t)", "p = cvt.rp.satfinite.ue8m0x2.f32(t)", "e = code(p)",
            "e = 255 where t is inf", "e = 0 where t is nan", "s = ue8m0(e)",
            "d = s * 1", "d = inf where s is nan",
            "y = x / d", "y = input(y)", "q = cvt.rn.satfinite.elementx2.f32(y)",
        ],
        dequantize: TIMES_SCALE,
        about: "MXFP8 of JAX: both divisions are rounded to the type of the input",
        source: "jax 0.10.2 _src/cudnn/scaled_matmul_stablehlo.py quantize",
        confirmed: "jax 0.10.2 on a CPU: a million blocks, all equal except blocks of zeros, for which it returns NaN",
    },
];
