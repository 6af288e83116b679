//! Results that may differ from the reference's, each with the reason.

use ptxcvt::{Form, Format, Modifier, Modifiers, Outcome, Rounding};
use serde::Serialize;

use super::account::Account;

/// A documented difference of a GPU, which is not an error and is counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Both results are NaN, and the manual leaves the payload open.
    NanPayload,
    /// `cvt.{rm,rp}.ftz.f16.f32` was seen not to flush subnormal sources on older GPUs.
    NotFlushed,
    /// `cvt.*.ftz.pzo.bf16.f32` left −0: the machine instruction that ptxas 13.5 chooses has no `.PZO`.
    NegativeZero,
}

impl Deviation {
    /// All of them.
    pub const ALL: [Deviation; 3] = [Deviation::NanPayload, Deviation::NotFlushed, Deviation::NegativeZero];

    /// Its row of the page.
    pub const fn account(self) -> Account {
        match self {
            Deviation::NanPayload => Account {
                who: "GPUs",
                forms: "f64 to f32, f16, bf16; f16 and bf16 to f64; bf16 to f32 without `.ftz`",
                what: "another NaN, where the manual leaves its payload open",
                ours: "kept and quieted",
            },
            Deviation::NotFlushed => Account {
                who: "older GPUs",
                forms: "`cvt.{rm,rp}.ftz{.sat}.f16.f32`",
                what: "a subnormal source was not flushed",
                ours: "flushed, as the text says",
            },
            Deviation::NegativeZero => Account {
                who: "code of ptxas 13.5",
                forms: "`cvt.{rn,rz,rm,rp}.ftz.pzo.bf16.f32`",
                what: "a negative zero kept its sign",
                ours: "+0, as written",
            },
        }
    }

    /// In a sentence.
    pub const fn describe(self) -> &'static str {
        self.account().what
    }

    /// The deviation that explains why `result` is not the reference's, if one does.
    pub fn of(form: &Form, operands: &[u64], result: u64) -> Option<Deviation> {
        let explanation = form.explain(operands).expect("as many operands as the form has");
        if form.destination().lanes() != 1 {
            return None;
        }
        let element = explanation.elements()[0];
        let is_nan = |bits| element.result_format.decode(bits).is_nan();
        if open_payload(form) && matches!(element.outcome, Outcome::Nan(_)) && is_nan(result) {
            return Some(Deviation::NanPayload);
        }
        let as_without = |modifier| without(form, modifier, operands) == Some(result);
        let directed = matches!(form.rounding(), Some(Rounding::Rm | Rounding::Rp));
        if directed && element.result_format == Format::F16 && element.flushed {
            return as_without(Modifier::Ftz).then_some(Deviation::NotFlushed);
        }
        if form.has(Modifier::Ftz) && element.pzo {
            return as_without(Modifier::Pzo).then_some(Deviation::NegativeZero);
        }
        None
    }
}

/// The result of the form without a modifier, or `None` if there is no such form.
fn without(form: &Form, modifier: Modifier, operands: &[u64]) -> Option<u64> {
    let kept: Modifiers = form.modifiers().iter().filter(|m| *m != modifier).collect();
    let plain = Form::new(form.opcode(), form.rounding(), kept, form.destination(), form.source())?;
    Some(plain.eval(operands).expect("a modifier changes no operands"))
}

/// True where the manual leaves the payload of a NaN result open: conversions between f64 and the 16-bit
/// formats, f64 to f32, and bf16 to f32 without `.ftz`.
pub fn open_payload(form: &Form) -> bool {
    match (form.source().format(), form.destination().format()) {
        (Format::F64, Format::F32 | Format::F16 | Format::Bf16) => true,
        (Format::F16 | Format::Bf16, Format::F64) => true,
        (Format::Bf16, Format::F32) => !form.has(Modifier::Ftz),
        _ => false,
    }
}

/// A difference between a constant that ptxas folds and the GPU's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// The canonical NaN instead of sign and payload as on hardware, or the reverse.
    NanPayload,
    /// Folding ignores `.pzo`, which the machine instruction applies.
    PzoForgotten,
}

impl Folded {
    /// Both.
    pub const ALL: [Folded; 2] = [Folded::NanPayload, Folded::PzoForgotten];

    /// Its row of the page.
    pub const fn account(self) -> Account {
        let who = "constants that ptxas folds";
        match self {
            Folded::NanPayload => Account {
                who,
                forms: "between f64 and f16, bf16; bf16 to f32; `cvt.ftz.f32.f32`",
                what: "the canonical NaN (`cvt.ftz.f32.f32`: the operand's), unlike the machine instruction",
                ours: "as the machine instruction",
            },
            Folded::PzoForgotten => Account {
                who,
                forms: "forms with `.pzo`",
                what: "−0 stays −0, as without `.pzo`",
                ours: "+0, as written",
            },
        }
    }

    /// The deviation that explains why ptxas folded to `folded`, if one does.
    pub fn of(form: &Form, operands: &[u64], folded: u64) -> Option<Folded> {
        let payload = match (form.source().format(), form.destination().format()) {
            // To f32, folding equals the machine instruction.
            (Format::F64, Format::F32) => false,
            (Format::F32 | Format::Bf16, Format::F32) => true,
            _ => open_payload(form),
        };
        let scalar = form.source().lanes() == 1 && form.destination().lanes() == 1;
        if scalar && payload && operands.iter().any(|bits| form.source().format().decode(*bits).is_nan()) {
            return Some(Folded::NanPayload);
        }
        let forgotten = form.has(Modifier::Pzo) && without(form, Modifier::Pzo, operands) == Some(folded);
        forgotten.then_some(Folded::PzoForgotten)
    }
}

/// The oracles whose results are computed without a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// The host emulation in the CUDA headers.
    Headers,
    /// The rounding modes of the machine that runs the comparison.
    Machine,
}

impl Oracle {
    /// Both.
    pub const ALL: [Oracle; 2] = [Oracle::Headers, Oracle::Machine];

    /// The text in records.
    pub const fn name(self) -> &'static str {
        match self {
            Oracle::Headers => "headers",
            Oracle::Machine => "machine",
        }
    }

    /// The oracle of that name.
    pub fn from_name(name: &str) -> Option<Oracle> {
        Oracle::ALL.into_iter().find(|oracle| oracle.name() == name)
    }

    /// Its row of the page.
    pub const fn account(self) -> Account {
        match self {
            Oracle::Headers => Account {
                who: "CUDA headers",
                forms: "from f64",
                what: "the canonical NaN of a NaN; left out of the comparison",
                ours: "sign and payload kept",
            },
            Oracle::Machine => Account {
                who: "x86-64",
                forms: "all that it converts",
                what: "a NaN in its own way; left out of the comparison",
                ours: "as a GPU",
            },
        }
    }

    /// True if the oracle does not decide the result.
    pub fn leaves_out(self, form: &Form, operands: &[u64]) -> bool {
        let source = form.source().format();
        let undecided = self == Oracle::Machine || source == Format::F64;
        let wide = matches!(source, Format::F32 | Format::F64);
        undecided && wide && operands.iter().any(|bits| source.decode(*bits).is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(opcode: &str, operands: &[u64], result: u64) -> Option<Deviation> {
        let form: Form = opcode.parse().unwrap();
        assert_ne!(form.eval(operands).unwrap(), result, "{opcode} deviates");
        Deviation::of(&form, operands, result)
    }

    #[test]
    fn nan_payloads_that_the_manual_leaves_open() {
        let nan = 0xfff1_2345_6789_abcd;
        assert_eq!(deviation("cvt.rn.f32.f64", &[nan], 0x7fff_ffff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.rz.f16.f64", &[nan], 0x7fff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.f64.bf16", &[0x7f81], 0x7fff_ffff_ffff_ffff), Some(Deviation::NanPayload));
        assert_eq!(deviation("cvt.f32.bf16", &[0x7f81], 0x7fff_ffff), Some(Deviation::NanPayload));
        // Numbers are not NaN, and a canonical NaN is not open.
        assert_eq!(deviation("cvt.rn.f32.f64", &[nan], 0x7f80_0000), None);
        assert_eq!(deviation("cvt.rn.f32.f64", &[0x3ff0_0000_0000_0000], 0x7fff_ffff), None);
        assert_eq!(deviation("cvt.rn.f16.f32", &[0x7fc0_0000], 0x7e00), None);
        assert_eq!(deviation("cvt.ftz.f32.bf16", &[0x7f81], 0x7fc1_0000), None);
    }

    #[test]
    fn flushing_that_older_gpus_leave_out() {
        assert_eq!(deviation("cvt.rp.ftz.f16.f32", &[1], 1), Some(Deviation::NotFlushed));
        assert_eq!(deviation("cvt.rm.ftz.sat.f16.f32", &[1], 2), None);
        assert_eq!(deviation("cvt.rn.ftz.f16.f32", &[1], 1), None);
        assert_eq!(deviation("cvt.rp.ftz.f16.f32", &[0x3f80_0000], 0x3c01), None);
    }

    #[test]
    fn negative_zero_that_pzo_should_have_taken() {
        assert_eq!(
            deviation("cvt.rn.ftz.pzo.bf16.f32", &[0x8000_0000], 0x8000),
            Some(Deviation::NegativeZero)
        );
        assert_eq!(deviation("cvt.rn.pzo.bf16.f32", &[0x8000_0000], 0x8000), None);
    }

    #[test]
    fn what_folding_makes_of_nan_and_of_pzo() {
        let folded =
            |opcode: &str, operands: &[u64], result| Folded::of(&opcode.parse().unwrap(), operands, result);
        assert_eq!(folded("cvt.rn.f16.f64", &[0x7ff8_0000_0000_0001], 0x7fff), Some(Folded::NanPayload));
        assert_eq!(folded("cvt.rn.f32.f64", &[0x7ff8_0000_0000_0001], 0x7fff_ffff), None);
        assert_eq!(folded("cvt.rn.pzo.f16.f32", &[0x8000_0000], 0x8000), Some(Folded::PzoForgotten));
        assert_eq!(folded("cvt.rn.pzo.f16.f32", &[0x8000_0000], 0x8001), None);
    }
}
