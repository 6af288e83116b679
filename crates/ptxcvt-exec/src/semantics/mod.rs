//! Rail 1: what each instruction computes, one readable function a kind, from bits to bits.
//!
//! PTX ISA chapter 9.7. A function sees one element of each operand; packed instructions call it for each.

pub(crate) mod approximate;
pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod exact;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod permute;

use crate::table::{Modifier, Modifiers, Op, Semantics};
use crate::ty::Ty;

/// The most source operands of an instruction outside `cvt`.
pub(crate) const MAX_SOURCES: usize = 5;

/// One element's worth of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub modifiers: Modifiers,
    /// The element types of the instruction's types; the first again where there is no second.
    pub types: [Ty; 2],
    /// The sources in PTX order, each no wider than its type.
    pub sources: [u64; MAX_SOURCES],
    /// How many sources there are.
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
}

/// `n` low ones; `n` up to 64.
pub(crate) const fn mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The two's complement number in the low `width` bits of `bits`.
pub(crate) const fn sign_extend(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

impl Op {
    /// Evaluates the instruction: source bits in, the bits of each element's result out, the lowest element
    /// first. Sources are in PTX order and no wider than their types.
    pub(crate) fn elements(&self, sources: &[u64]) -> [u64; 2] {
        match self.row().semantics {
            Semantics::Exact(compute) | Semantics::Approximate(compute) => self.elements_by(sources, compute),
            Semantics::Move => [sources.first().copied().unwrap_or(0), 0],
        }
    }

    /// The same by a given function.
    pub(crate) fn elements_by(&self, sources: &[u64], compute: fn(&Call) -> u64) -> [u64; 2] {
        let row = self.row();
        let lanes = self.lanes();
        let mut call = Call {
            modifiers: self.modifiers(),
            types: [self.ty(0).split(lanes), self.ty(1).split(lanes)],
            sources: [0; MAX_SOURCES],
            count: sources.len().min(MAX_SOURCES),
        };
        let mut results = [0; 2];
        let operands = row.operands.iter().skip(1);
        for (lane, result) in results.iter_mut().enumerate().take(lanes as usize) {
            for ((slot, bits), operand) in call.sources.iter_mut().zip(sources).zip(operands.clone()) {
                let width = self.operand_type(operand).width();
                // A predicate serves every element.
                let part = if width == 1 { width } else { width / lanes };
                let shift = if width == 1 { 0 } else { part * lane as u32 };
                *slot = bits >> shift & mask(part);
            }
            *result = compute(&call);
        }
        results
    }

    /// Evaluates the instruction and joins the elements of its result.
    pub(crate) fn eval(&self, sources: &[u64]) -> u64 {
        let width = self.operand_type(&self.row().operands[0]).width();
        let [low, high] = self.elements(sources);
        match self.lanes() {
            1 => low & mask(width),
            _ => low & mask(width / 2) | (high & mask(width / 2)) << (width / 2),
        }
    }
}
