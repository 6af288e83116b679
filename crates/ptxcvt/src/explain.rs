//! What happened to each element of a conversion: the evaluator's own account of its result.

use crate::exact::Value;
use crate::format::Format;
use crate::round::Random;

/// What became of an element's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The result equals the source (after flushing, scaling and clamping at zero, where those applied).
    Exact,
    /// Rounded to the neighbour above.
    RoundedUp,
    /// Rounded to the neighbour below.
    RoundedDown,
    /// Beyond the destination's range, and clamped to its end.
    Saturated,
    /// Beyond the destination's range: infinity, or NaN where there is no infinity.
    Overflowed,
    /// High bits of an integer were cut off.
    Wrapped,
    /// The source is NaN, or a scale is.
    Nan(NanRule),
}

impl Outcome {
    /// A short name, as data: `exact`, `rounded-up`, `saturated`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Exact => "exact",
            Outcome::RoundedUp => "rounded-up",
            Outcome::RoundedDown => "rounded-down",
            Outcome::Saturated => "saturated",
            Outcome::Overflowed => "overflowed",
            Outcome::Wrapped => "wrapped",
            Outcome::Nan(_) => "nan",
        }
    }
}

/// What a NaN becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NanRule {
    /// The destination's canonical NaN: every magnitude bit set.
    Canonical,
    /// The destination has no NaN: its largest positive number.
    MaxNorm,
    /// Sign and payload kept, the quiet bit set.
    Quieted,
    /// The bits pass as they are.
    Moved,
    /// `.sat` makes it +0.
    SaturatedToZero,
    /// To an integer: 0.
    IntegerZero,
    /// To an integer from f64, or to a 64-bit one: the top bit alone.
    IntegerTopBit,
    /// `.rna.tf32` works on the bits and does not know NaN.
    RoundedAsBits,
}

impl NanRule {
    /// The rule in a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            NanRule::Canonical => "NaN becomes the canonical NaN, every bit but the sign set",
            NanRule::MaxNorm => "NaN becomes the largest positive number: the format has no NaN",
            NanRule::Quieted => "NaN keeps sign and payload and is quieted",
            NanRule::Moved => "NaN passes as it is",
            NanRule::SaturatedToZero => "NaN becomes +0 under .sat",
            NanRule::IntegerZero => "NaN becomes 0",
            NanRule::IntegerTopBit => {
                "NaN becomes 1 << (width - 1): the source is f64 or the integer has 64 bits"
            }
            NanRule::RoundedAsBits => ".rna.tf32 rounds the bits, NaN or not",
        }
    }
}

/// One element's way through a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// The source as a value.
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
        let storage = element.result_format.storage();
        self.result = if storage < 64 { self.result << storage } else { 0 } | element.result;
        self.elements[self.count] = element;
        self.count += 1;
    }

    /// The elements, the upper one first.
    pub fn elements(&self) -> &[Element] {
        &self.elements[..self.count]
    }
}
