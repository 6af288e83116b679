//! ptxcvt for web pages: functions that take text and return JSON.
//!
//! A thin layer: the libraries decide what an answer contains, and the page (`web/`) decides how it looks. The functions can
//! also be called and tested on the machine that builds the page.

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

/// Returns targets, versions, formats, recipes and the pages of the error codes, for the menus.
#[wasm_bindgen]
pub fn tables() -> String {
    json(&tables::Tables::new())
}

/// Returns every form with the first version of each target that accepts it.
#[wasm_bindgen]
pub fn legality() -> String {
    json(&tables::Legality::new())
}

/// Returns the possible continuations of an opcode on a target at a version, either of which may be empty.
#[wasm_bindgen]
pub fn complete(opcode: &str, target: &str, isa: &str) -> String {
    json(&ptxcvt_syntax::complete(opcode, operand::machine(target, isa)))
}

/// Judges and evaluates a conversion. `operands` has one operand per line; missing ones are replaced by examples.
#[wasm_bindgen]
pub fn convert(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    let operands: Vec<&str> = if operands.is_empty() { Vec::new() } else { operands.split('\n').collect() };
    json(&convert::answer(opcode, &operands, operand::machine(target, isa)))
}

/// The result of a conversion as `ptxcvt eval -` prints it: hexadecimal digits, or `error`.
#[wasm_bindgen]
pub fn eval_line(line: &str) -> String {
    convert::line(line)
}

/// Returns the conversion as PTX, C++, Rust and Python.
#[wasm_bindgen]
pub fn copy(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    json(&copy::snippets(opcode, operands, operand::machine(target, isa)))
}

/// Describes a format: its facts, the codes of a narrow one, and the spacing of its numbers.
#[wasm_bindgen]
pub fn format(name: &str) -> String {
    json(&format::Answer::read(name))
}

/// Draws the distance between neighbouring numbers of some formats, which are named with blanks between them, as SVG.
#[wasm_bindgen]
pub fn spacing(names: &str) -> String {
    let format = |name| ptxcvt::Format::from_name(name).expect("the page passes names of formats");
    let formats: Vec<_> = names.split_whitespace().map(format).collect();
    ptxcvt_picture::spacing_svg(&formats)
}

/// Returns the findings in a module or, with `snippet`, in a piece of inline assembly.
#[wasm_bindgen]
pub fn check(text: &str, target: &str, isa: &str, snippet: bool) -> String {
    json(&check::answer(text, operand::machine(target, isa), snippet))
}

/// Runs a straight-line block over operands, one per line, and reports what each instruction wrote.
#[wasm_bindgen]
pub fn run(text: &str, operands: &str) -> String {
    json(&run::answer(text, operands))
}

/// Quantises numbers with a recipe, and shows element `at` and its block step by step.
#[wasm_bindgen]
pub fn quantize(recipe: &str, numbers: &str, at: usize) -> String {
    json(&blocks::answer(recipe, numbers, at))
}

/// Serializes an answer.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are maps with text keys")
}
