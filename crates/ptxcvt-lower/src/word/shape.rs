//! The operands of a word conversion, in memory order.

use std::fmt;

use ptxcvt::{Form, Format, Opcode, counted};

/// The largest number of elements; inline assembly does not take many more operands.
const MOST: u32 = 64;

/// A form of `cvt` for pairs, applied to a number of elements in memory order: element 0 is in the lowest bits.
///
/// Packed codes are in 32-bit registers, f16 and bf16 two in each, f32 one in each. Destinations are numbered before
/// sources, as in inline assembly.
///
/// ```
/// use ptxcvt_lower::word::Shape;
/// let shape = Shape::new("cvt.rn.f16x2.e2m1x2".parse()?, 8)?;
/// assert_eq!(shape.to_string(), "=r,=r,=r,=r,r");
/// assert_eq!(shape.eval(&[0x7654_3210])?[0], 0x3800_0000); // 0.5 above 0
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    form: Form,
    elements: u32,
}

/// Why a form cannot be applied to a number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeError {
    /// The form does not convert pairs without further operands.
    Form(Form),
    /// The elements do not fill registers of 32 bits.
    Elements(Form, u32),
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Form(form) => {
                write!(f, "`{form}` has no words: they are made of forms for pairs without further operands")
            }
            ShapeError::Elements(form, elements) => {
                let step = step(*form);
                write!(
                    f,
                    "{} cannot fill registers of `{form}`: give a multiple of {step} up to {}",
                    counted(*elements, "element"),
                    MOST / step * step
                )
            }
        }
    }
}

impl std::error::Error for ShapeError {}

/// The smallest number of elements that fill registers.
fn step(form: Form) -> u32 {
    let least = form.source().format().storage().min(form.destination().format().storage());
    32 / least.min(16)
}

impl Shape {
    /// The form for this number of elements.
    ///
    /// # Errors
    ///
    /// Fails if the form does not convert pairs, needs further operands, or if the elements do not fill registers.
    pub fn new(form: Form, elements: u32) -> Result<Self, ShapeError> {
        let pairs = form.opcode() == Opcode::Cvt && form.lanes() == 2 && form.extra().is_none();
        if !pairs {
            return Err(ShapeError::Form(form));
        }
        if elements == 0 || elements > MOST || elements % step(form) != 0 {
            return Err(ShapeError::Elements(form, elements));
        }
        Ok(Shape { form, elements })
    }

    /// The form for the smallest number of elements, which fill a register.
    ///
    /// # Errors
    ///
    /// Fails if the form does not convert pairs, or needs further operands.
    pub fn register(form: Form) -> Result<Self, ShapeError> {
        Shape::new(form, step(form))
    }

    /// The form for pairs.
    pub fn form(self) -> Form {
        self.form
    }

    /// The number of elements.
    pub fn elements(self) -> u32 {
        self.elements
    }

    /// The number of destination registers.
    pub fn destinations(self) -> usize {
        (self.elements * self.form.destination().format().storage() / 32) as usize
    }

    /// The number of source registers.
    pub fn sources(self) -> usize {
        (self.elements * self.form.source().format().storage() / 32) as usize
    }

    /// The constraint letter of a source.
    fn source_letter(self) -> char {
        if self.form.source().format() == Format::F32 { 'f' } else { 'r' }
    }

    /// The pairs of elements: pair n holds elements 2n and 2n + 1.
    pub(super) fn pairs(self) -> usize {
        self.elements as usize / 2
    }

    /// The results for sources given as bits, pair by pair as the form computes them.
    ///
    /// # Errors
    ///
    /// Fails if the number of sources is wrong.
    pub fn eval(self, sources: &[u64]) -> Result<Vec<u64>, ptxcvt_exec::InputCountError> {
        if sources.len() != self.sources() {
            // The block of the form reports the numbers.
            return ptxcvt_exec::Block::of_form(self.form).eval(sources);
        }
        let (from, to) = (self.form.source().format().storage(), self.form.destination().format().storage());
        let mut results = vec![0; self.destinations()];
        for pair in 0..self.pairs() {
            let operands = match from {
                32 => vec![sources[2 * pair + 1], sources[2 * pair]],
                _ => vec![field(sources, pair as u32 * 2 * from, 2 * from)],
            };
            let result = self.form.eval(&operands).expect("a pair has the form's operands");
            let at = pair as u32 * 2 * to;
            results[at as usize / 32] |= result << (at % 32);
        }
        Ok(results)
    }
}

/// The `width` bits from bit `at` on, which are within one word of 32 bits.
fn field(words: &[u64], at: u32, width: u32) -> u64 {
    words[at as usize / 32] >> (at % 32) & ptxcvt::mask(width)
}

impl fmt::Display for Shape {
    /// The constraint string: `=r,=r,r`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let destinations = (0..self.destinations()).map(|_| "=r".to_owned());
        let sources = (0..self.sources()).map(|_| self.source_letter().to_string());
        f.write_str(&destinations.chain(sources).collect::<Vec<_>>().join(","))
    }
}
