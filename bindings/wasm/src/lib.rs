//! ptxcvt for web pages: functions that take text and return JSON.
//!
//! A thin layer: the libraries decide what an answer contains, and the page (`web/`) decides how it looks. The functions can
//! also be called and tested on the machine that builds the page.

// A build with one of the features leaves functions for the other uncalled, which the linker drops.
#![cfg_attr(not(all(feature = "page", feature = "sources")), allow(dead_code))]

mod blocks;
mod cells;
mod check;
mod convert;
mod copy;
mod format;
mod lowering;
mod operand;
#[cfg(feature = "page")]
mod page;
mod run;
#[cfg(feature = "sources")]
mod sources;
mod tables;
mod tensors;
mod tokens;
mod understand;

#[cfg(feature = "page")]
pub use page::*;
#[cfg(feature = "sources")]
pub use sources::*;

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the opcode and the operands in a text that a person typed.
#[wasm_bindgen]
pub fn understand(text: &str) -> String {
    json(&understand::answer(text))
}

/// Serializes an answer.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are maps with text keys")
}

/// Serializes an answer, or the reason why there is none as `{"error": …}`.
fn reply<T: Serialize>(answer: Result<T, String>) -> String {
    match answer {
        Ok(answer) => json(&answer),
        Err(error) => json(&serde_json::json!({ "error": error })),
    }
}
