//! Two blocks side by side: which input goes with which, and when two results count as equal.

use std::fmt;

use super::Options;
use super::domain::Domain;
use crate::block::Block;
use crate::meaning::Meaning;
use crate::semantics::mask;

/// Why two blocks cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The narrower width; the wider register is zero above it.
    pub width: u32,
    /// What either block says that the bits are.
    pub meaning: Option<Meaning>,
}

/// The two blocks and what their operands have in common.
pub(super) struct Question<'q> {
    pub blocks: [&'q Block; 2],
    pub inputs: Vec<Pair>,
    pub outputs: Vec<Pair>,
    pub up_to_nan: bool,
    pub domain: Domain,
}

impl<'q> Question<'q> {
    pub fn new(a: &'q Block, b: &'q Block, options: &Options) -> Result<Self, Mismatch> {
        let pairs = |what: &str, left: &[crate::Port], right: &[crate::Port]| {
            if left.len() != right.len() {
                return Err(Mismatch(format!(
                    "the first has {} {what}{}, the second {}",
                    left.len(),
                    if left.len() == 1 { "" } else { "s" },
                    right.len()
                )));
            }
            let each = left.iter().zip(right).enumerate();
            each.map(|(at, (x, y))| {
                let (wide_a, wide_b) = (a.width(*x), b.width(*y));
                // 8 bits have no constraint letter, so that blocks carry them in wider registers.
                if wide_a != wide_b && wide_a.min(wide_b) > 8 {
                    return Err(Mismatch(format!(
                        "{what} {at}: {wide_a} bits in the first, {wide_b} in the second"
                    )));
                }
                let width = wide_a.min(wide_b);
                let told = x.meaning.into_iter().chain(y.meaning).filter(|m| m.width() == width);
                // Floats first: an integer type may only say how the bits are shuffled.
                let told: Vec<Meaning> = told.collect();
                let meaning = told.iter().find(|m| !m.format.is_integer()).or(told.first()).copied();
                Ok(Pair { width, meaning })
            })
            .collect::<Result<Vec<Pair>, Mismatch>>()
        };
        let inputs = pairs("input", a.inputs(), b.inputs())?;
        let outputs = pairs("output", a.outputs(), b.outputs())?;
        if options.domain != Domain::All && !inputs.iter().any(|p| p.meaning.is_some_and(Meaning::is_float)) {
            return Err(Mismatch(format!(
                "the domain `{}` needs an input whose number format is told",
                options.domain
            )));
        }
        if options.up_to_nan && !outputs.iter().any(|p| p.meaning.is_some()) {
            return Err(Mismatch("up to NaN needs an output whose number format is told".into()));
        }
        Ok(Question { blocks: [a, b], inputs, outputs, up_to_nan: options.up_to_nan, domain: options.domain })
    }

    /// The bits of all inputs together.
    pub fn input_bits(&self) -> u32 {
        self.inputs.iter().map(|p| p.width).sum()
    }

    /// True where two results of output `at` count as equal in the bits of `of`.
    pub fn agree(&self, at: usize, a: u64, b: u64, of: u64) -> bool {
        (a ^ b) & of == 0 || (self.up_to_nan && self.agree_up_to_nan(at, a, b, of))
    }

    fn agree_up_to_nan(&self, at: usize, a: u64, b: u64, of: u64) -> bool {
        let Pair { width, meaning: Some(meaning) } = self.outputs[at] else { return false };
        // What lies above the narrower register must be zero in both.
        let above = !mask(width) & of;
        let elements = meaning.elements(a).zip(meaning.elements(b)).zip(meaning.elements(of));
        (a ^ b) & above == 0
            && elements
                .into_iter()
                .all(|((a, b), of)| (a ^ b) & of == 0 || (meaning.is_nan(a) && meaning.is_nan(b)))
    }
}
