//! ptxcvt for web pages: functions that take text and return JSON.
//!
//! A thin layer: what an answer holds is decided by the libraries, how it looks by the page (`web/`). On the machine
//! that builds it, the functions can be called and tested like any others.

mod blocks;
mod check;
mod convert;
mod copy;
mod format;
mod operand;
mod run;
mod tables;

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Targets, versions, formats, recipes, and the pages of the codes: what menus are made of.
#[wasm_bindgen]
pub fn tables() -> String {
    json(&tables::Tables::new())
}

/// Every form, and for each target the index of the first version that takes it, or -1.
#[wasm_bindgen]
pub fn legality() -> String {
    json(&tables::Legality::new())
}

/// What can stand next in an opcode, on a target at a version (empty: any).
#[wasm_bindgen]
pub fn complete(opcode: &str, target: &str, isa: &str) -> String {
    json(&ptxcvt_syntax::complete(opcode, operand::machine(target, isa)))
}

/// A conversion: what is wrong with it, or its operands, result, elements and their pictures. `operands` are lines, one
/// an operand; where there are too few of them, examples stand in.
#[wasm_bindgen]
pub fn convert(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    let operands: Vec<&str> = if operands.is_empty() { Vec::new() } else { operands.split('\n').collect() };
    json(&convert::answer(opcode, &operands, operand::machine(target, isa)))
}

/// The result of a conversion as `ptxcvt eval -` prints it: hexadecimal digits, or `error: …`.
#[wasm_bindgen]
pub fn eval_line(line: &str) -> String {
    convert::line(line)
}

/// The conversion as PTX, C++, Rust and Python.
#[wasm_bindgen]
pub fn copy(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    json(&copy::snippets(opcode, operands, operand::machine(target, isa)))
}

/// A format: its facts, its codes where it is narrow, its spacing where it is wide.
#[wasm_bindgen]
pub fn format(name: &str) -> String {
    json(&format::Description::read(name))
}

/// How far apart the numbers of some formats (names with blanks between) are, as SVG.
#[wasm_bindgen]
pub fn spacing(names: &str) -> String {
    let formats: Vec<_> = names.split_whitespace().filter_map(ptxcvt::Format::from_name).collect();
    ptxcvt_picture::spacing_svg(&formats)
}

/// One number of a format: `1.5` or `0x3c`, with its neighbours.
#[wasm_bindgen]
pub fn number(format: &str, text: &str) -> String {
    json(&format::Number::read(format, text))
}

/// Findings in a module or, as told or seen, in a piece of inline assembly.
#[wasm_bindgen]
pub fn check(text: &str, target: &str, isa: &str, snippet: bool) -> String {
    json(&check::answer(text, operand::machine(target, isa), snippet))
}

/// A straight-line block over operands, one a line, with what each instruction wrote.
#[wasm_bindgen]
pub fn run(text: &str, operands: &str) -> String {
    json(&run::answer(text, operands))
}

/// Numbers through a recipe, element `at` and its block step by step.
#[wasm_bindgen]
pub fn quantize(recipe: &str, numbers: &str, at: usize) -> String {
    json(&blocks::answer(recipe, numbers, at))
}

/// JSON, of what cannot fail to be it.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}
