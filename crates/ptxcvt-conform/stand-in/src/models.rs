//! The GPUs that the stand-in pretends to have.

use ptxcvt::{Form, Format, Modifier, Outcome, Rounding};

/// The CUDA version that it reports: 13.5, which knows every form.
pub const CUDA_VERSION: i32 = 13050;

/// A GPU.
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Its compute capability.
    pub capability: (i32, i32),
    /// What it does differently from the reference.
    pub habit: Habit,
}

/// What a GPU does differently from the reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// Nothing.
    Honest,
    /// One bit of one result is wrong: `cvt.f32.f16` of 0x3c01, bit 13.
    OneBit,
    /// What the documentation says hardware may do: other NaN payloads, subnormals that are not flushed.
    Deviating,
    /// Its compiler refuses `cvt.rna.tf32.f32`.
    Refusing,
}

/// The GPUs, by ordinal.
pub const MODELS: &[Model] = &[
    Model { name: "Stand-in A", capability: (10, 0), habit: Habit::Honest },
    Model { name: "Stand-in B", capability: (10, 0), habit: Habit::OneBit },
    Model { name: "Stand-in C", capability: (9, 0), habit: Habit::Deviating },
    Model { name: "Stand-in D", capability: (8, 6), habit: Habit::Refusing },
    Model { name: "Stand-in E", capability: (10, 7), habit: Habit::Honest },
    Model { name: "Stand-in F", capability: (5, 0), habit: Habit::Honest },
];

impl Model {
    /// What the GPU returns; `None` where the operand count is wrong.
    pub fn convert(&self, form: &Form, operands: &[u64]) -> Option<u64> {
        let explanation = form.explain(operands).ok()?;
        let honest = explanation.result;
        let element = explanation.elements()[0];
        Some(match self.habit {
            Habit::OneBit if form.to_string() == "cvt.f32.f16" && operands[0] == 0x3c01 => honest ^ 1 << 13,
            Habit::Deviating if form.destination().lanes() > 1 => honest,
            Habit::Deviating if matches!(element.outcome, Outcome::Nan(_)) => {
                match (form.source().format(), form.destination().format()) {
                    (Format::F64, Format::F32) => 0x7fff_ffff,
                    (Format::F64, Format::F16 | Format::Bf16) => 0x7fff,
                    (Format::F16 | Format::Bf16, Format::F64) => 0x7fff_ffff_ffff_ffff,
                    (Format::Bf16, Format::F32) => 0x7fff_ffff,
                    _ => honest,
                }
            }
            Habit::Deviating
                if form.destination().format() == Format::F16
                    && matches!(form.rounding(), Some(Rounding::Rm | Rounding::Rp))
                    && element.flushed =>
            {
                let kept = form.modifiers().iter().filter(|m| *m != Modifier::Ftz).collect();
                Form::new(form.opcode(), form.rounding(), kept, form.destination(), form.source())?
                    .eval(operands)
                    .ok()?
            }
            _ => honest,
        })
    }

    /// Why the GPU's compiler refuses a form, if it does.
    pub fn refuses(&self, form: &Form) -> Option<String> {
        let refused = self.habit == Habit::Refusing && form.to_string() == "cvt.rna.tf32.f32";
        refused.then(|| "ptxas application ptx input, line 7; error   : a stand-in's whim".to_owned())
    }
}
