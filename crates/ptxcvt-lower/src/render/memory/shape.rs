//! Forms that have functions in memory order: their formats, names and registers; and a word's code for each target.

use std::fmt::Write as _;

use ptxcvt::{Form, Format, Modifier, Rounding};

use crate::render::branches::{Branches, by_target};
use crate::word::{self, Shape, Variant, WordError};

/// The numbers of elements of the functions for arrays and vectors.
pub(super) const SIZES: [u32; 3] = [2, 4, 8];

/// A form between pairs of a small format and pairs of f32, f16 or bf16.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(super) form: Form,
    pub(super) narrows: bool,
    pub(super) small: Format,
    pub(super) wide: Format,
}

impl Memory {
    /// The form's functions in memory order, if it has any.
    pub fn new(form: Form) -> Option<Memory> {
        let [from, to] = [form.source().format(), form.destination().format()];
        let narrows = to.storage() <= 8;
        let (small, wide) = if narrows { (to, from) } else { (from, to) };
        let fits = matches!(wide, Format::F32 | Format::F16 | Format::Bf16) && !small.is_integer();
        let memory = Memory { form, narrows, small, wide };
        (fits && small.storage() <= 8 && Shape::new(form, memory.fill()).is_ok()).then_some(memory)
    }

    /// The number of elements that fill a register.
    pub fn fill(self) -> u32 {
        32 / self.small.storage()
    }

    /// The name for a number of elements: `to_e4m3x4`, `from_e2m1x8_relu`. Rounding to nearest and `.satfinite` of
    /// conversions to the small format are not named.
    pub fn name(self, elements: u32) -> String {
        let to = if self.narrows { "to" } else { "from" };
        let mut name = format!("{to}_{}", self.small.name());
        if elements > 1 {
            let _ = write!(name, "x{elements}");
        }
        if let Some(rounding) = self.form.rounding().filter(|r| *r != Rounding::Rn) {
            let _ = write!(name, "_{}", rounding.name());
        }
        if self.narrows && !self.form.has(Modifier::Satfinite) {
            name += "_nosat";
        }
        for modifier in self.form.modifiers().iter() {
            if modifier != Modifier::Satfinite || !self.narrows {
                let _ = write!(name, "_{}", modifier.name().replace("::", "_"));
            }
        }
        name
    }

    /// True of a conversion to the small format.
    pub fn narrows(self) -> bool {
        self.narrows
    }

    /// The small format and the wide one.
    pub fn formats(self) -> (Format, Format) {
        (self.small, self.wide)
    }

    /// The type of the wide format's registers, and their number.
    pub fn registers(self, elements: u32) -> (&'static str, u32) {
        (self.register(), elements / self.per_register())
    }

    /// The name of the variant that passes f16 and bf16 as raw bits.
    pub fn bits_name(self, elements: u32) -> String {
        match self.wide {
            Format::F32 => self.name(elements),
            wide => format!("{}_{}", self.name(elements), wide.name()),
        }
    }

    /// Elements of the wide format in a register.
    pub(super) fn per_register(self) -> u32 {
        if self.wide == Format::F32 { 1 } else { 2 }
    }

    /// The type of a register of the wide format.
    pub(super) fn register(self) -> &'static str {
        if self.wide == Format::F32 { "float" } else { "unsigned int" }
    }

    /// The type of the codes of `elements` elements.
    pub(super) fn codes(self, elements: u32) -> &'static str {
        match elements * self.small.storage() {
            4 | 8 => "unsigned char",
            16 => "unsigned short",
            32 => "unsigned int",
            64 => "unsigned long long",
            bits => unreachable!("{bits} bits are not one access to memory"),
        }
    }

    /// The form that widens this form's f16 or bf16 results to f32. `None` if this form narrows or has f32 results, or
    /// if its f16 sibling already provides the f32 functions.
    pub fn widening(self) -> Option<Form> {
        let to_f16 = || self.form.to_string().replace(".bf16x2.", ".f16x2.").parse::<Form>();
        let exact = match self.wide {
            _ if self.narrows => return None,
            Format::F16 => "cvt.f32.f16",
            Format::Bf16 if to_f16().is_err() => "cvt.f32.bf16",
            _ => return None,
        };
        Some(exact.parse().expect("a form of the table"))
    }
}

/// Registers in a list: `x[0], x[1]`.
pub(super) fn list(count: u32, element: impl Fn(u32) -> String) -> String {
    (0..count).map(element).collect::<Vec<_>>().join(", ")
}

/// A word's code for all targets, in branches.
pub(crate) fn branches(shape: Shape, variant: Variant) -> Result<Branches, WordError> {
    // Only the default variant can be the instruction itself.
    let has_instruction = variant == Variant { numbers: variant.numbers, ..Variant::default() };
    let instruction = word::reference(shape).map_err(WordError::Lower)?;
    by_target(
        instruction.body(),
        |target| if has_instruction { shape.form().since(target) } else { None },
        |target, isa| match word::word(shape, variant, target, isa) {
            Ok(word) => Ok(Some(word)),
            Err(WordError::Target(..)) => Ok(None),
            Err(error) => Err(error),
        },
    )
}
