//! Arrays in files: what `ptxcvt convert` reads, how it runs, what it writes.
//!
//! Data flows one way: a `source` is opened, and its container (`npy`, `safetensors`, `raw`) says which arrays it
//! holds; `task` decides what each becomes, by what it `held`s; the `engine` takes it in pieces through the `stage`s of
//! a chain; the `sink` writes the pieces to a temporary file that takes the target's place when it is whole.

pub mod array;
pub mod engine;
pub mod extra;
pub mod feed;
#[cfg(test)]
mod fuzz;
pub mod held;
mod interrupt;
mod leftover;
pub mod npy;
pub mod open;
pub mod order;
pub mod phases;
pub mod raw;
pub mod safetensors;
pub mod sink;
pub mod source;
pub mod stage;
pub mod stats;
pub mod task;

pub use sink::Sink;
