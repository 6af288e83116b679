//! Rail 1: what each instruction computes, one readable function for each kind, from bits to bits.
//!
//! PTX ISA chapter 9.7. A function receives one element of each operand; packed instructions call it once per element.

pub(crate) mod approximate;
pub(crate) mod bits;
pub(crate) mod call;
pub(crate) mod compare;
pub(crate) mod exact;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod permute;

pub(crate) use call::{Call, MAX_SOURCES, mask, sign_extend};

use crate::table::{Op, Semantics};

impl Op {
    /// Evaluates the instruction. Takes the sources in PTX order, no wider than their types, and returns the bits of each
    /// element's result, the lowest element first.
    pub(crate) fn elements(&self, sources: &[u64]) -> [u64; 2] {
        match self.row().semantics {
            Semantics::Exact(compute) | Semantics::Approximate(compute) => self.elements_by(sources, compute),
            Semantics::Move => [sources[0], 0],
        }
    }

    /// Like [`elements`](Self::elements), but by the function `compute`.
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
                // A predicate applies to every element.
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
