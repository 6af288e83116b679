//! The functions of the header in memory order: element 0 first, as arrays and vectors hold it.
//!
//! Each form for pairs of a small format has such functions for 1, 2, 4 and 8 elements. A function whose elements fill
//! a register is one whole word ([`crate::word`]); the others are made of pairs or of words.

mod functions;
mod overloads;
mod shape;

use std::fmt::Write as _;

use ptxcvt::Format;

pub(super) use shape::{Memory, branches};

use crate::word::WordError;
use shape::SIZES;

impl Memory {
    /// All functions, each group with its guard.
    pub fn definitions(self) -> Result<String, WordError> {
        let mut text = String::new();
        for elements in SIZES {
            text += &if self.narrows { self.narrow(elements)? } else { self.widen(elements)? };
        }
        if self.narrows && self.wide == Format::F32 {
            let _ = writeln!(
                text,
                "PTXCVT_FUNCTION unsigned char {}(float x) {{ return static_cast<unsigned char>({}(0.0f, x)); }}",
                self.name(1),
                self.form.identifier()
            );
        }
        if let Some(widening) = self.widening() {
            text += &self.floats(widening);
        }
        let guard = format!("PTXCVT_{}_MEMORY", self.form.identifier().to_uppercase());
        let text =
            format!("#ifndef {guard}\n#define {guard}\n// {} in memory order.\n{text}#endif\n", self.form);
        Ok(text + &self.overloads())
    }
}
