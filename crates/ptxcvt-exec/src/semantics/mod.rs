//! The reference: what each instruction computes, one readable function for each kind, from bits to bits.
//!
//! PTX ISA chapter 9.7. A function receives one element of each operand; packed instructions call it once per element.

pub(crate) mod approximate;
pub(crate) mod bits;
pub(crate) mod call;
pub(crate) mod compare;
pub(crate) mod exact;
pub(crate) mod extended;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod permute;
pub(crate) mod video;

pub(crate) use call::{Call, MAX_SOURCES, MAX_TYPES};

use ptxcvt::mask;

use crate::modifier::Modifier;
use crate::table::{Dependence, Op, Semantics};

impl Op {
    /// The number of independent parts of the operands.
    pub(crate) fn parts(&self) -> u32 {
        match self.row().semantics {
            Semantics::Simd(parts, _) if !self.modifiers().has(Modifier::Add) => parts,
            _ => self.lanes(),
        }
    }

    /// Evaluates the instruction. Takes the sources in PTX order, no wider than their types, and returns the bits of
    /// each element's result, the lowest element first.
    pub(crate) fn elements(&self, sources: &[u64]) -> [u64; 2] {
        match self.row().semantics {
            Semantics::Exact(compute)
            | Semantics::Approximate(compute)
            | Semantics::Carrying(compute, _)
            | Semantics::Simd(_, compute) => self.elements_by(sources, compute),
            Semantics::Move => [sources[0], 0],
        }
    }

    /// The second result of an instruction that has two: the carry, or the other predicate of `p|q`.
    pub(crate) fn second(&self, sources: &[u64]) -> u64 {
        match self.row().semantics {
            Semantics::Carrying(_, carry) => self.elements_by(sources, carry)[0],
            // A packed comparison has one result for each half; others return the comparison and its opposite.
            _ if self.lanes() == 2 => self.elements(sources)[1],
            _ => self.elements_by(sources, compare::setp_complement)[0],
        }
    }

    /// Like [`elements`](Self::elements), but by the function `compute`.
    pub(crate) fn elements_by(&self, sources: &[u64], compute: fn(&Call) -> u64) -> [u64; 2] {
        let row = self.row();
        let lanes = self.lanes();
        assert!(
            sources.len() <= MAX_SOURCES && lanes <= 2,
            "{self} has few sources, and one or two elements"
        );
        let mut call = Call {
            modifiers: self.modifiers(),
            types: std::array::from_fn(|n| self.ty(n).split(lanes)),
            sources: [0; MAX_SOURCES],
            count: sources.len(),
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

    /// True if each bit of the result is the complement of the same bit of the only source, as for `not`.
    pub(crate) fn is_complement(&self) -> bool {
        let row = self.row();
        let ones = mask(self.ty(0).width());
        let unary = row.operands.len() == 2 && row.dependence == Dependence::Bitwise;
        unary && self.eval(&[0]) == ones && self.eval(&[ones]) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_are_found_by_what_they_compute() {
        let names: Vec<String> = Op::all().filter(Op::is_complement).map(|op| op.to_string()).collect();
        assert_eq!(names, ["not.b16", "not.b32", "not.b64", "not.pred"]);
    }
}
