//! What happened to each element of a conversion: the evaluator's own account of its result.

use crate::exact::Value;
use crate::formats::{Encoded, Format};
use crate::outcome::Outcome;
use crate::round::Random;

/// One element's way through a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// The source format.
    pub source_format: Format,
    /// The source bits, as wide as the format's storage.
    pub source: u64,
    /// The destination format.
    pub result_format: Format,
    /// The result bits, as wide as the format's storage.
    pub result: u64,
    /// What became of the value.
    pub outcome: Outcome,
    /// Where something was rounded: the codes just below and just above the value.
    pub neighbours: Option<[u64; 2]>,
    /// A subnormal became zero: by `.ftz`, or before a division by an n1 scale.
    pub flushed: bool,
    /// `.relu` turned a negative value (or −0) into +0.
    pub relu: bool,
    /// `.pzo` turned −0 into +0.
    pub pzo: bool,
    /// The sign was dropped: the destination is unsigned.
    pub sign_dropped: bool,
    /// The random field that `.rs` added.
    pub random: Option<Random>,
    /// The ue8m0 scale that applied.
    pub scale: Option<u8>,
}

impl Element {
    #[inline]
    pub(crate) fn new(source_format: Format, source: u64, result_format: Format) -> Self {
        Element {
            source_format,
            source,
            result_format,
            result: 0,
            outcome: Outcome::Exact,
            neighbours: None,
            flushed: false,
            relu: false,
            pzo: false,
            sign_dropped: false,
            random: None,
            scale: None,
        }
    }

    /// Takes over what the encoder says.
    #[inline(always)]
    pub(crate) fn take(&mut self, encoded: Encoded) {
        self.result = encoded.code;
        self.outcome = encoded.outcome;
        self.neighbours = encoded.inexact.then_some([encoded.below, encoded.above]);
    }

    /// The bits of a destination whose elements above this one are `result`.
    #[inline]
    pub(crate) fn below(&self, result: u64) -> u64 {
        let storage = self.result_format.storage();
        if storage < 64 { result << storage | self.result } else { self.result }
    }

    /// The source as a value.
    #[inline]
    pub fn source_value(&self) -> Value {
        self.source_format.decode(self.source)
    }

    /// The result as a value.
    pub fn result_value(&self) -> Value {
        self.result_format.decode(self.result)
    }
}

/// A conversion's result and the account of each element, the upper one first.
///
/// ```
/// use ptxcvt::{Form, Outcome};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let e = form.explain(&[0x3fc0_0000, 0x4479_c000])?; // 1.5 and 999
/// assert_eq!(e.result, 0x3c7e);
/// assert_eq!(e.elements()[0].outcome, Outcome::Exact);
/// assert_eq!(e.elements()[1].outcome, Outcome::Saturated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The destination's bits.
    pub result: u64,
    elements: [Element; 4],
    count: usize,
}

impl Explanation {
    pub(crate) fn new() -> Self {
        let unused = Element::new(Format::U8, 0, Format::U8);
        Explanation { result: 0, elements: [unused; 4], count: 0 }
    }

    /// Puts `element` below those that are there: the first one ends up uppermost.
    #[inline]
    pub(crate) fn push(&mut self, element: Element) {
        self.result = element.below(self.result);
        self.elements[self.count] = element;
        self.count += 1;
    }

    /// The elements, the upper one first.
    pub fn elements(&self) -> &[Element] {
        &self.elements[..self.count]
    }
}
