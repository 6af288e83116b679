//! Numbers through a recipe of block quantisation, step by step.

use ptxcvt::literal::hex;
use ptxcvt::{Format, Value};
use ptxcvt_blocks::{
    Matrix, Options, Ragged, Recipe, Step, dequantize_reference, quantize_reference, work_block,
};
use serde::Serialize;

/// Numbers and their blocks, one of them worked through.
#[derive(Default, Serialize)]
pub struct Answer {
    error: Option<String>,
    recipe: String,
    about: String,
    quantize: Vec<String>,
    dequantize: Vec<String>,
    element: &'static str,
    scale_format: &'static str,
    block: [usize; 2],
    /// How many zeros fill the last block up.
    padded: usize,
    /// How many of the numbers are shown: at most [`MOST`].
    given: usize,
    global: Option<StepReport>,
    tensor: Vec<StepReport>,
    /// The scale of each block, and the block that was asked for.
    scales: Vec<StepReport>,
    at: usize,
    amax: Option<StepReport>,
    steps: Vec<StepReport>,
    /// The lines of the element that was asked for.
    element_steps: Vec<StepReport>,
    elements: Vec<ElementReport>,
}

#[derive(Serialize)]
struct StepReport {
    text: String,
    bits: String,
    value: String,
}

#[derive(Serialize)]
struct ElementReport {
    /// Its block's place among the scales.
    block: usize,
    x: String,
    x_value: f64,
    code: String,
    back: String,
    back_value: Option<f64>,
}

/// More numbers than this are nothing to look at.
const MOST: usize = 1024;

impl StepReport {
    fn new(step: &Step) -> StepReport {
        let width = step.format.map_or(32, |format| format.storage());
        StepReport {
            text: step.text.clone(),
            bits: hex(step.bits.into(), width),
            value: step.value().to_string(),
        }
    }

    fn number(text: &str, bits: u32, format: Format) -> StepReport {
        let value = format.decode(bits.into()).to_string();
        StepReport { text: text.to_owned(), bits: hex(bits.into(), format.storage()), value }
    }
}

/// Puts `numbers` through a recipe and works element `at` through with its block.
pub fn answer(recipe: &str, numbers: &str, at: usize) -> Answer {
    work(recipe, numbers, at).unwrap_or_else(|error| Answer { error: Some(error), ..Answer::default() })
}

fn work(name: &str, numbers: &str, at: usize) -> Result<Answer, String> {
    let recipe = Recipe::named(name).map_err(|e| e.to_string())?;
    let mut numbers = read(numbers)?;
    let given = numbers.len();
    numbers.truncate(MOST);
    let shown = numbers.len();
    // Blocks in a row lie in one row; square ones side by side would tear the numbers apart, so they stand one below
    // another, each filled row by row.
    let block = recipe.block();
    let columns = match recipe.ragged() {
        Ragged::Partial if block.rows == 1 => shown,
        _ if block.rows == 1 => shown.next_multiple_of(block.columns),
        _ => block.columns,
    };
    numbers.resize(shown.next_multiple_of(columns * block.rows), 0.0);
    let rows = numbers.len() / columns;
    let matrix = Matrix::f32(&numbers, rows, columns).map_err(|e| e.to_string())?;
    let options = Options { seed: recipe.is_random().then_some(0), threads: 1, ..Options::default() };
    let quantized = quantize_reference(&recipe, &matrix, &options).map_err(|e| e.to_string())?;
    let back = dequantize_reference(&recipe, &quantized).map_err(|e| e.to_string())?;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let worked = (0..scale_rows * scale_columns)
        .map(|n| work_block(&recipe, &matrix, (n / scale_columns, n % scale_columns), &options))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| e.to_string())?;
    // The block of an element, and its place there.
    let place = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        let width = block.columns.min(columns - column / block.columns * block.columns);
        let within = row % block.rows * width + column % block.columns;
        (row / block.rows * scale_columns + column / block.columns, within)
    };
    let element = |at: usize| {
        let (x, (block, within)) = (numbers[at], place(at));
        ElementReport {
            block,
            x: x.to_string(),
            x_value: f64::from(x),
            code: hex(worked[block].codes[within].into(), recipe.element().storage()),
            back: show(back[at]),
            back_value: Some(f64::from(back[at])).filter(|v| v.is_finite()),
        }
    };
    let at = at.min(shown - 1);
    let (chosen, within) = place(at);
    let reports = |steps: &[Step]| steps.iter().map(StepReport::new).collect::<Vec<_>>();
    Ok(Answer {
        error: None,
        recipe: recipe.name().to_owned(),
        about: recipe.about().to_owned(),
        quantize: recipe.quantize_lines().map(str::to_owned).collect(),
        dequantize: recipe.dequantize_lines().map(str::to_owned).collect(),
        element: recipe.element().name(),
        scale_format: recipe.scale().name(),
        block: [block.rows, block.columns],
        padded: numbers.len() - shown,
        given,
        global: worked[chosen].global.map(|bits| StepReport::number("G", bits, Format::F32)),
        tensor: reports(&worked[chosen].tensor),
        scales: worked.iter().map(|b| StepReport::number("s", b.scale, recipe.scale())).collect(),
        at: chosen,
        amax: Some(StepReport::number("amax", worked[chosen].amax, Format::F32)),
        steps: reports(&worked[chosen].block),
        element_steps: reports(&worked[chosen].elements[within]),
        elements: (0..shown).map(element).collect(),
    })
}

/// Numbers as people paste them: between spaces, commas or brackets, with C's suffix or without.
fn read(numbers: &str) -> Result<Vec<f32>, String> {
    let words = numbers.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']' | '{' | '}'));
    let numbers: Vec<f32> = words
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.trim_end_matches(['f', 'F']);
            number.parse().or_else(|_| word.parse()).map_err(|_| format!("`{word}` is not a number"))
        })
        .collect::<Result<_, _>>()?;
    if numbers.is_empty() { Err("give a few numbers".to_owned()) } else { Ok(numbers) }
}

/// An f32 in the fewest digits.
fn show(x: f32) -> String {
    match Format::F32.decode(x.to_bits().into()) {
        Value::Finite(_) => x.to_string(),
        other => other.to_string(),
    }
}
