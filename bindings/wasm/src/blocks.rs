//! Numbers through a recipe of block quantisation, step by step.

use ptxcvt::literal::hex;
use ptxcvt::{Format, Value};
use ptxcvt_blocks::{
    Matrix, Options, Ragged, Recipe, Step, dequantize_reference, quantize_reference, work_block,
};
use serde::Serialize;

/// A block worked through.
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
    /// How many zeros fill the block up.
    padded: usize,
    global: Option<StepReport>,
    tensor: Vec<StepReport>,
    amax: Option<StepReport>,
    steps: Vec<StepReport>,
    scale: Option<StepReport>,
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
    x: String,
    x_value: f64,
    steps: Vec<StepReport>,
    code: String,
    value: String,
    back: String,
    back_value: Option<f64>,
}

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

/// Works the first block of `numbers` through.
pub fn answer(recipe: &str, numbers: &str) -> Answer {
    work(recipe, numbers).unwrap_or_else(|error| Answer { error: Some(error), ..Answer::default() })
}

fn work(name: &str, numbers: &str) -> Result<Answer, String> {
    let recipe = Recipe::named(name).map_err(|e| e.to_string())?;
    let words = numbers.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']'));
    let given: Vec<f32> = words
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.trim_end_matches(['f', 'F']);
            number.parse().or_else(|_| word.parse()).map_err(|_| format!("`{word}` is not a number"))
        })
        .collect::<Result<_, _>>()?;
    if given.is_empty() {
        return Err("give a few numbers".to_owned());
    }
    let block = recipe.block();
    // A block in a row is as long as the numbers; a square one has them in its first row.
    let columns = match recipe.ragged() {
        Ragged::Partial if block.rows == 1 => given.len().min(block.columns),
        _ => block.columns,
    };
    let mut padded = given.clone();
    padded.resize(columns * block.rows, 0.0);
    let shown = given.len().min(padded.len());
    let matrix = Matrix::f32(&padded, block.rows, columns).map_err(|e| e.to_string())?;
    let options = Options { seed: recipe.is_random().then_some(0), threads: 1, ..Options::default() };
    let worked = work_block(&recipe, &matrix, (0, 0), &options).map_err(|e| e.to_string())?;
    let quantized = quantize_reference(&recipe, &matrix, &options).map_err(|e| e.to_string())?;
    let back = dequantize_reference(&recipe, &quantized).map_err(|e| e.to_string())?;
    let element = |at: usize| {
        let (x, code, back) = (padded[at], u64::from(worked.codes[at]), back[at]);
        ElementReport {
            x: x.to_string(),
            x_value: f64::from(x),
            steps: worked.elements[at].iter().map(StepReport::new).collect(),
            code: hex(code, recipe.element().storage()),
            value: recipe.element().decode(code).to_string(),
            back: show(back),
            back_value: Some(f64::from(back)).filter(|v| v.is_finite()),
        }
    };
    Ok(Answer {
        error: None,
        recipe: recipe.name().to_owned(),
        about: recipe.about().to_owned(),
        quantize: recipe.quantize_lines().map(str::to_owned).collect(),
        dequantize: recipe.dequantize_lines().map(str::to_owned).collect(),
        element: recipe.element().name(),
        scale_format: recipe.scale().name(),
        block: [block.rows, block.columns],
        padded: padded.len() - shown,
        global: worked.global.map(|bits| StepReport::number("G", bits, Format::F32)),
        tensor: worked.tensor.iter().map(StepReport::new).collect(),
        amax: Some(StepReport::number("amax", worked.amax, Format::F32)),
        steps: worked.block.iter().map(StepReport::new).collect(),
        scale: Some(StepReport::number("s", worked.scale, recipe.scale())),
        elements: (0..shown).map(element).collect(),
    })
}

/// An f32 in the fewest digits.
fn show(x: f32) -> String {
    match Format::F32.decode(x.to_bits().into()) {
        Value::Finite(_) => x.to_string(),
        other => other.to_string(),
    }
}
