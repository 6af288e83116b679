//! The arguments of an instruction's semantics: one element of each operand, with the instruction's modifiers
//! and types.
//!
//! PTX ISA chapter 9.7.

use crate::modifier::{Modifier, Modifiers};
use crate::ty::Ty;

/// The largest number of source operands of an instruction other than `cvt`.
pub(crate) const MAX_SOURCES: usize = 5;

/// The largest number of types of an instruction.
pub(crate) const MAX_TYPES: usize = 3;

/// The arguments of a semantics function for one element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub modifiers: Modifiers,
    /// The element types of the instruction's types. Missing types are filled with the first one.
    pub types: [Ty; MAX_TYPES],
    /// The sources in PTX order, each no wider than its type.
    pub sources: [u64; MAX_SOURCES],
    /// The number of sources.
    pub count: usize,
}

impl Call {
    /// The first type.
    pub fn ty(&self) -> Ty {
        self.types[0]
    }

    /// The width of the first type.
    pub fn width(&self) -> u32 {
        self.types[0].width()
    }

    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.has(modifier)
    }

    pub fn a(&self) -> u64 {
        self.sources[0]
    }

    pub fn b(&self) -> u64 {
        self.sources[1]
    }

    pub fn c(&self) -> u64 {
        self.sources[2]
    }

    /// The last source.
    pub fn last(&self) -> u64 {
        self.sources[self.count - 1]
    }
}
