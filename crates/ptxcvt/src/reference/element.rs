//! One element: the evaluation of a [`Conversion`].
//!
//! PTX ISA section 9.7.9.21, "Description".

use super::{float, integer};
use crate::bits::mask;
use crate::conversion::{Conversion, Extra, Scale};
use crate::explain::Element;
use crate::round::{Random, Rounding};

impl Conversion {
    /// Converts one number: source bits in, destination bits out.
    ///
    /// A [`Scale`](crate::Scale) is 1, and stochastic rounding rounds towards zero.
    ///
    /// ```
    /// use ptxcvt::{Conversion, Format};
    /// let conversion = Conversion::new(Format::F16, Format::E2m3);
    /// assert_eq!(conversion.eval(0x3e66), 0xd); // 1.599609375 becomes 1.625
    /// ```
    #[inline]
    pub const fn eval(&self, source: u64) -> u64 {
        self.eval_with(source, Extra::NONE)
    }

    /// Converts one number with a scale or random bits.
    #[inline]
    pub const fn eval_with(&self, source: u64, extra: Extra) -> u64 {
        self.element(source, extra).result
    }

    /// Converts one number and reports what happened to it.
    ///
    /// ```
    /// use ptxcvt::{Conversion, Extra, Format, Outcome};
    /// let conversion = Conversion::new(Format::F16, Format::S8);
    /// let element = conversion.explain(0x5c00, Extra::default()); // 256
    /// assert_eq!((element.result, element.outcome), (0x7f, Outcome::Saturated));
    /// ```
    pub fn explain(&self, source: u64, extra: Extra) -> Element {
        self.element(source, extra).with_neighbours(self)
    }

    #[inline]
    pub(super) const fn element(&self, source: u64, extra: Extra) -> Element {
        let mut element = Element::new(self.source, source & mask(self.source.storage()), self.destination);
        if matches!(self.rounding, Rounding::Rs) {
            element.random = Some(Random { value: extra.random, bits: self.random_bits as u32 });
        }
        if !matches!(self.scale, Scale::None) {
            element.scale = Some(extra.scale);
        }
        convert(self, &mut element);
        element
    }
}

/// Chooses the function for the kinds of the two formats.
#[inline(always)]
const fn convert(conversion: &Conversion, element: &mut Element) {
    match (element.source_format.is_integer(), element.result_format.is_integer()) {
        (true, true) => integer::from_integer(conversion, element),
        (false, true) => integer::from_float(conversion, element),
        (_, false) => float::convert(conversion, element),
    }
}
