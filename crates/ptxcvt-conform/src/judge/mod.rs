//! A judge for codecs: which conversion a function or a program computes, and on which inputs it deviates.
//!
//! A codec is compared on every input of sources of up to 32 bits, all 2^32 of f32, and on edges, ties and random
//! numbers of wider ones. [`Judge::check`] takes a function, [`program`] a program, and [`Comparison`] results in parts.
//!
//! # Example: a function that should round as `cvt.rn.satfinite.e4m3x2.f16x2` does
//!
//! ```
//! use ptxcvt::{Conversion, Form, Format};
//! use ptxcvt_conform::judge::{Class, Judge};
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f16x2".parse()?;
//! let right = form.conversion();
//! // Ties go to the even code; this codec sends them away from zero.
//! let away = right.rounding(ptxcvt::Rounding::Rna);
//! let verdict = Judge::form(&form)?.check(|x: u16| away.eval(x.into()) as u8)?;
//! assert_eq!(verdict.inputs, 65_536);
//! assert_eq!(verdict.difference(Class::Ties).unwrap().mistake, "ties round away from zero");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Example: which policy is it?
//!
//! ```
//! use ptxcvt::Format;
//! use ptxcvt_conform::judge::Judge;
//! // e5m2 has the exponent of f16: does cutting the lower byte off round?
//! let verdict = Judge::between(Format::F16, Format::E5m2).check(|x: u16| (x >> 8) as u8)?;
//! let nearest = "f16->e5m2, towards zero, overflow to infinity, NaN to NaN with the source's sign and payload";
//! assert_eq!(verdict.nearest, nearest);
//! # Ok::<(), ptxcvt_conform::judge::Unjudged>(())
//! ```

mod cause;
mod choice;
mod codec;
mod comparison;
pub(crate) mod inputs;
mod mistakes;
pub(crate) mod place;
mod policy;
pub mod program;
mod question;
pub(crate) mod rounding;
pub(crate) mod tally;
mod unjudged;
mod verdict;

use std::ops::{ControlFlow, Range};

pub use codec::Number;
pub use comparison::{BLOCK, Comparison};
pub use inputs::{Inputs, MOST_RANDOM};
pub use question::Judge;
pub use tally::Tally;
pub use unjudged::Unjudged;
pub use verdict::{Class, Difference, Example, Verdict};

use inputs::bytes;

impl Judge {
    /// Judges a function on all cores. A source or result of fewer than 8 bits is a byte; f16, bf16 and integers are
    /// their bits.
    ///
    /// # Errors
    ///
    /// Fails if the function's types do not have the widths of the two formats.
    pub fn check<S: Number, D: Number>(&self, codec: impl Fn(S) -> D + Sync) -> Result<Verdict, Unjudged> {
        self.check_with(codec, &|_, _| {})
    }

    /// Like [`check`](Judge::check), and calls `progress` with the inputs done and all inputs now and then.
    ///
    /// # Errors
    ///
    /// Fails as [`check`](Judge::check) does.
    pub fn check_with<S: Number, D: Number>(
        &self,
        codec: impl Fn(S) -> D + Sync,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Verdict, Unjudged> {
        for (what, width, format) in
            [("argument", S::BYTES, self.source), ("result", D::BYTES, self.destination)]
        {
            if width != bytes(format) {
                let needed = ptxcvt::counted(bytes(format) as u64, "byte");
                let has = ptxcvt::counted(width as u64, "byte");
                return Err(Unjudged::new(format!("the {what} has {has}, but {format} takes {needed}")));
            }
        }
        let comparison = Comparison::new(self);
        let count = comparison.inputs().count();
        let init = || (comparison.tally(), Vec::new());
        let work = |(tally, results): &mut (Tally, Vec<u8>), chunk: Range<u64>| {
            let first = chunk.start;
            results.clear();
            for index in chunk {
                let code = codec(S::from_code(comparison.inputs().at(index))).into_code();
                results.extend_from_slice(&code.to_le_bytes()[..D::BYTES]);
            }
            comparison.take(tally, first, results);
            progress(first, count);
            ControlFlow::Continue(())
        };
        let mut total = comparison.tally();
        for (tally, _) in ptxcvt_parallel::fold(count, BLOCK as u64, 0, init, work) {
            comparison.add(&mut total, tally);
        }
        Ok(comparison.verdict(total))
    }
}
