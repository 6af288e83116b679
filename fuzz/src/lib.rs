//! Fuzz targets: functions that take any bytes and panic if a promise is broken.
//!
//! `cargo test` runs each target on its seeds, on the inputs of `fuzz/corpus`, and on a fixed number of mutated inputs.
//! `cargo xtask fuzz TARGET` runs it with coverage feedback, by libFuzzer.

pub mod array;
pub mod audit;
pub mod block;
pub mod checkpoint;
pub mod literal;
pub mod module;
pub mod mutate;
pub mod protocol;
pub mod recipe;
pub mod source;
pub mod vectors;

/// A function of bytes, and valid inputs to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line, and the name of the target's folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Panics if a promise is broken.
    pub run: fn(&[u8]),
    /// Valid inputs.
    pub seeds: &'static [&'static str],
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "array", run: array::run, seeds: array::SEEDS },
    Target { name: "audit", run: audit::run, seeds: audit::SEEDS },
    Target { name: "block", run: block::run, seeds: block::SEEDS },
    Target { name: "checkpoint", run: checkpoint::run, seeds: checkpoint::SEEDS },
    Target { name: "literal", run: literal::run, seeds: literal::SEEDS },
    Target { name: "module", run: module::run, seeds: module::SEEDS },
    Target { name: "protocol", run: protocol::run, seeds: protocol::SEEDS },
    Target { name: "recipe", run: recipe::run, seeds: recipe::SEEDS },
    Target { name: "source", run: source::run, seeds: source::SEEDS },
    Target { name: "vectors", run: vectors::run, seeds: vectors::SEEDS },
];
