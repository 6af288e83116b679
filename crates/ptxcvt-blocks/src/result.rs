//! NaN and infinities among the numbers that a quantised matrix represents.

use ptxcvt::{Format, Value};
use ptxcvt_bulk::NonFinite;

use crate::error::BlockError;
use crate::input::Input;
use crate::options::{Options, Parts};
use crate::recipe::{Level, Op, Program, Recipe, Two};
use crate::reference::value;
use crate::run::dequantize_into;

/// Counts the numbers that [`dequantize`](crate::dequantize) would return as NaN or infinity. The index of the first
/// counts row by row.
///
/// Some recipes turn finite numbers into NaN or infinity: a recipe that divides by the largest magnitude of the matrix
/// returns NaN for a matrix of zeros, and a scale that is rounded up can be too large for f32. If scales and codes show
/// that all results are finite, nothing is dequantised.
///
/// ```
/// use ptxcvt_blocks::{Matrix, Options, Recipe, non_finite_result, quantize};
/// let recipe = Recipe::named("nvfp4-modelopt")?;
/// let zeros = quantize(&recipe, &Matrix::f32(&[0.0; 16], 1, 16)?, &Options::default())?;
/// assert_eq!(non_finite_result(&recipe, &zeros)?.to_string(), "16 NaN");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails like [`dequantize`](crate::dequantize).
pub fn non_finite_result<'q>(
    recipe: &Recipe,
    quantized: impl Into<Parts<'q>>,
) -> Result<NonFinite, BlockError> {
    let parts @ Parts { shape: (rows, columns), .. } = quantized.into();
    parts.check(recipe, 1)?;
    let largest = recipe.element().max_finite() as u8;
    let globals = extreme_words(parts.global.iter().map(|global| global.to_bits()));
    // A recipe without a global scale does not read it.
    let globals = [globals[0].or(Some(0)), globals[1]];
    let is_finite = |scale: u32| {
        let value = |global| f32::from_bits(value(recipe, largest, scale, global));
        globals.into_iter().flatten().all(|global| value(global).is_finite())
    };
    let finite_codes = || NonFinite::count(recipe.element(), parts.data, 0).is_empty();
    if only_scales(&recipe.dequantize)
        && finite_codes()
        && extreme_scales(recipe, &parts).into_iter().flatten().all(is_finite)
    {
        return Ok(NonFinite::default());
    }
    let mut numbers = vec![0; rows * columns * Input::F32.bytes()];
    dequantize_into(recipe, parts, Input::F32, &Options::default(), &mut numbers)?;
    Ok(NonFinite::count(Format::F32, &numbers, 0))
}

/// True if the lines only multiply elements and divide them by numbers of their block. The largest element with the
/// scale of least or of largest magnitude is then as large as any number. A recipe of one's own may have other lines.
fn only_scales(lines: &Program) -> bool {
    lines.instructions.iter().all(|line| match line.op {
        Op::Move | Op::Two(Two::Mul, _) => true,
        Op::Two(Two::Div, by) => lines.level(by) != Level::Element,
        _ => false,
    })
}

/// The least and the largest magnitude among the bits of f32 numbers; NaN has the largest.
fn extreme_words(words: impl Iterator<Item = u32> + Clone) -> [Option<u32>; 2] {
    let words = words.map(|word| word & !(1 << 31));
    [words.clone().min(), words.max()]
}

/// The codes of the scales of least and of largest magnitude, and one that is NaN.
fn extreme_scales(recipe: &Recipe, parts: &Parts<'_>) -> [Option<u32>; 3] {
    if recipe.scale() == Format::F32 {
        let words = parts.scales.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let [least, largest] = extreme_words(words);
        return [least, largest, None];
    }
    let mut seen = [false; 256];
    match recipe.layout().group() {
        Some(group) => {
            let heads = parts.data.chunks_exact(group.bytes).flat_map(|bytes| &bytes[..group.blocks]);
            heads.for_each(|code| seen[usize::from(*code)] = true);
        }
        None => parts.scales.iter().for_each(|code| seen[usize::from(*code)] = true),
    }
    let (mut least, mut largest, mut nan) = (None, None, None);
    for code in (0..256).filter(|code| seen[*code as usize]) {
        match recipe.scale().decode(code.into()) {
            Value::Nan { .. } => nan = Some(code),
            number => {
                let magnitude = number.to_f64().abs();
                if least.is_none_or(|(m, _)| magnitude < m) {
                    least = Some((magnitude, code));
                }
                if largest.is_none_or(|(m, _)| magnitude > m) {
                    largest = Some((magnitude, code));
                }
            }
        }
    }
    [least.map(|(_, code)| code), largest.map(|(_, code)| code), nan]
}
