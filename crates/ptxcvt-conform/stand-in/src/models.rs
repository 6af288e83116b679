//! The GPUs of the stand-in.

use std::sync::LazyLock;

use ptxcvt::{Form, Format, IsaVersion, Modifier, Outcome, Rounding, Target};

/// The CUDA version that it reports: the newest, which has every form that is not only announced.
pub fn cuda_version() -> i32 {
    let (major, minor) = IsaVersion::NEWEST_RELEASED.cuda_release().expect("a CUDA release brought it");
    (1000 * major + 10 * minor) as i32
}

/// A GPU.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Its architecture: 90 for sm_90. `None` is the one with the most forms.
    pub sm: Option<u16>,
    /// Its differences from the reference.
    pub habit: Habit,
}

/// The differences of a GPU from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// No difference.
    Honest,
    /// One bit of one result is wrong: `cvt.f32.f16` of 0x3c01, bit 13.
    OneBit,
    /// Differences that the documentation allows: other NaN payloads, subnormals that are not flushed.
    Deviating,
    /// Its compiler rejects `cvt.rna.tf32.f32`.
    Refusing,
}

/// The GPUs, by ordinal.
pub const MODELS: &[Model] = &[
    Model { name: "Stand-in A", sm: Some(100), habit: Habit::Honest },
    Model { name: "Stand-in B", sm: Some(100), habit: Habit::OneBit },
    Model { name: "Stand-in C", sm: Some(90), habit: Habit::Deviating },
    Model { name: "Stand-in D", sm: Some(86), habit: Habit::Refusing },
    Model { name: "Stand-in E", sm: None, habit: Habit::Honest },
    Model { name: "Stand-in F", sm: Some(50), habit: Habit::Honest },
];

/// The architecture with the most forms.
static RICHEST: LazyLock<u16> = LazyLock::new(|| {
    let isa = IsaVersion::NEWEST_RELEASED;
    let count = |target: &Target| {
        Form::all().filter(|form| form.is_legal(*target, isa) && !form.is_announced()).count()
    };
    Target::all().max_by_key(count).expect("there are targets").sm()
});

impl Model {
    /// The architecture's number: 90 for sm_90.
    pub fn sm(&self) -> u16 {
        self.sm.unwrap_or(*RICHEST)
    }

    /// The GPU's result; `None` if the operand count is wrong.
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

    /// Why the GPU's compiler rejects a form, if it does.
    pub fn refuses(&self, form: &Form) -> Option<String> {
        let refused = self.habit == Habit::Refusing && form.to_string() == "cvt.rna.tf32.f32";
        refused.then(|| "ptxas application ptx input, line 7; error   : a stand-in's whim".to_owned())
    }
}
