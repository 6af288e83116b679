//! Pairs the inputs and outputs of two blocks, and decides when two results are equal.

use std::fmt;

use ptxcvt::{counted, mask};

use super::domain::Domain;
use super::extend;
use super::options::Options;
use crate::block::{Block, Port};
use crate::meaning::Meaning;

/// Why two blocks cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch(String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

/// An input or output of both blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The narrower of the two widths. The higher bits of the wider register are zero: signed numbers are extended before
    /// ([`super::extend`]).
    pub width: u32,
    /// The meaning of the bits, if one of the blocks defines it.
    pub meaning: Option<Meaning>,
    /// True for an input with one unknown value, which is used to ask whether a proof would be possible for any value
    /// of it.
    pub fixed: bool,
}

/// Two blocks, and the widths and meanings that their operands share.
pub(super) struct Question<'q> {
    pub blocks: [&'q Block; 2],
    pub inputs: Vec<Pair>,
    pub outputs: Vec<Pair>,
    pub up_to_nan: bool,
    pub domain: Domain,
}

impl<'q> Question<'q> {
    pub fn new(a: &'q Block, b: &'q Block, options: &Options) -> Result<Self, Mismatch> {
        let pairs = |what: &str, left: &[Port], right: &[Port]| {
            if left.len() != right.len() {
                return Err(Mismatch(format!(
                    "the first has {}, the second {}",
                    counted(left.len(), what),
                    right.len()
                )));
            }
            let each = left.iter().zip(right).enumerate();
            each.map(|(at, (x, y))| {
                let (wide_a, wide_b) = (a.width(*x), b.width(*y));
                if !extend::is_allowed([a, b], [wide_a, wide_b], what == "output") {
                    return Err(Mismatch(format!(
                        "{what} {at}: {wide_a} bits in the first, {wide_b} in the second"
                    )));
                }
                // Floats of different widths are different numbers, not bits with zeros above them.
                let floats = [x, y].map(|port| port.meaning.filter(|m| m.is_float()));
                if let ([Some(f), Some(g)], true) = (floats, wide_a != wide_b) {
                    return Err(Mismatch(format!("{what} {at}: {f} in the first, {g} in the second")));
                }
                let width = wide_a.min(wide_b);
                Ok(Pair { width, meaning: common_meaning([x.meaning, y.meaning], width), fixed: false })
            })
            .collect::<Result<Vec<Pair>, Mismatch>>()
        };
        let inputs = pairs("input", a.inputs(), b.inputs())?;
        let outputs = pairs("output", a.outputs(), b.outputs())?;
        let is_restricted = |pair: &Pair| pair.meaning.is_some_and(|m| Domain::restricts(m.format));
        if options.domain != Domain::All && !inputs.iter().any(is_restricted) {
            return Err(Mismatch(format!(
                "the domain `{}` needs an input with a format with exponents, such as f16 or ue8m0: declare one",
                options.domain
            )));
        }
        if options.up_to_nan && !outputs.iter().any(|p| p.meaning.is_some()) {
            return Err(Mismatch("up to NaN needs an output with a number format: declare one".into()));
        }
        Ok(Question { blocks: [a, b], inputs, outputs, up_to_nan: options.up_to_nan, domain: options.domain })
    }

    /// The number of bits of all inputs together.
    pub fn input_bits(&self) -> u32 {
        self.inputs.iter().filter(|p| !p.fixed).map(|p| p.width).sum()
    }

    /// True if two results of output `at` are equal in the bits that the mask `of` selects.
    pub fn agree(&self, at: usize, a: u64, b: u64, of: u64) -> bool {
        (a ^ b) & of == 0 || (self.up_to_nan && self.agree_up_to_nan(at, a, b, of))
    }

    /// Whether an element is NaN depends on all of its bits, so only whole elements are equal up to NaN.
    fn agree_up_to_nan(&self, at: usize, a: u64, b: u64, of: u64) -> bool {
        let Pair { width, meaning: Some(meaning), .. } = self.outputs[at] else { return false };
        // The bits above the narrower register must be zero in both.
        let above = !mask(width) & of;
        let whole = mask(meaning.format.storage());
        let elements = meaning.elements(a).zip(meaning.elements(b)).zip(meaning.elements(of));
        (a ^ b) & above == 0
            && elements.into_iter().all(|((a, b), of)| {
                (a ^ b) & of == 0 || (of == whole && meaning.is_nan(a) && meaning.is_nan(b))
            })
    }
}

/// Chooses the format in which values of this width are compared: the first format that is not an integer, because
/// integer types are often used only to move bits.
pub fn common_meaning(known: [Option<Meaning>; 2], width: u32) -> Option<Meaning> {
    let known = known.into_iter().flatten().filter(|meaning| meaning.width() == width);
    known.clone().find(|meaning| !meaning.format.is_integer()).or(known.clone().next())
}
