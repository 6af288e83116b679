//! What the view of PTX calls, which is the page's second file: whole texts, in PTX or in other languages.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::{check, json, operand, reply};

/// Opens a text in the editor and returns its findings. An empty language is guessed.
#[wasm_bindgen]
pub fn open(text: String, language: &str, target: &str, isa: &str) -> String {
    reply(check::open(text, language, target, isa))
}

/// Replaces the bytes from `start` to `end` of the open text, and returns its findings.
#[wasm_bindgen]
pub fn edit(start: usize, end: usize, text: &str) -> String {
    reply(check::edit(start..end, text))
}

/// Checks a whole text and returns its conversions and the lowest target that accepts them.
#[wasm_bindgen]
pub fn statistics(text: &str, language: &str, target: &str, isa: &str) -> String {
    reply(check::statistics(text, language, target, isa))
}

/// Runs a straight-line block over operands, a JSON array of texts, and reports what each instruction wrote.
#[wasm_bindgen]
pub fn run(text: &str, operands: &str) -> String {
    json(&crate::run::answer(text, &operand::texts(operands)))
}
