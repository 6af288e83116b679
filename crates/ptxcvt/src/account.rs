//! An evaluation in words, as `ptxcvt eval` and Python print it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::exact::Value;
use crate::explain::{Element, Explanation, Tie};
use crate::formats::Format;
use crate::forms::{Form, Opcode, Role};
use crate::literal::hex;
use crate::outcome::Outcome;

/// A conversion, its result, and what happened to each element.
///
/// ```
/// use ptxcvt::{Account, Form};
/// let form: Form = "cvt.rn.satfinite.e2m1x2.f32".parse()?;
/// let explanation = form.explain(&[0x3fc0_0000, 0x4479_c000])?;
/// assert_eq!(
///     Account::new(&form, &explanation).to_string(),
///     "cvt.rn.satfinite.e2m1x2.f32
/// d = 0x37 (55)
///   upper = 0x3 1.5  from a = 0x3fc00000 1.5
///           exact
///   lower = 0x7 6  from b = 0x4479c000 999
///           saturated to 6"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    form: &'a Form,
    explanation: &'a Explanation,
}

/// The kind of a piece of an account, for printing in colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emphasis {
    /// The bits of the result.
    Result,
    /// Details next to a result.
    Aside,
}

impl<'a> Account<'a> {
    /// The account of an explanation that `form` returned.
    pub const fn new(form: &'a Form, explanation: &'a Explanation) -> Self {
        Account { form, explanation }
    }

    /// Writes everything except the first line (the form), without a final newline. `emphasise` may add marks
    /// around a piece.
    ///
    /// # Errors
    ///
    /// Fails if writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write, emphasise: &dyn Fn(Emphasis, &str) -> String) -> fmt::Result {
        let (form, result) = (self.form, self.explanation.result);
        let bits = emphasise(Emphasis::Result, &hex(result, form.result_width()));
        write!(out, "d = {bits} {}", emphasise(Emphasis::Aside, &format!("({result})")))?;
        for (lane, element) in self.explanation.elements().iter().enumerate() {
            let (part, operand) = form.element_names(lane);
            let source = hex(element.source, element.source_format.storage());
            let from = format!("from {operand} = {source} {}", element.source_value());
            let from = emphasise(Emphasis::Aside, &from);
            write!(out, "\n  {part:<5} = {} {}  {from}", element.result_hex(), element.result_value())?;
            for line in element.steps() {
                write!(out, "\n          {line}")?;
            }
        }
        if let Some((part, operand)) = form.filling() {
            let above = hex(result >> (2 * form.destination().width()), form.filled_bits());
            write!(out, "\n  {part} = {above}  {}", emphasise(Emphasis::Aside, &format!("from {operand}")))?;
        }
        Ok(())
    }
}

impl fmt::Display for Account<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.form)?;
        self.write(f, &|_, text| text.to_string())
    }
}

impl Form {
    /// The names for element `lane` of an explanation: the part of `d`, and the operand with its source.
    ///
    /// # Panics
    ///
    /// Panics if there is no such element.
    pub fn element_names(&self, lane: usize) -> (&'static str, &'static str) {
        let names: &[_] = match (self.lanes(), self.opcode()) {
            (1, _) => &[("d", "a")],
            (2, Opcode::Cvt) if self.source().lanes() == 2 => &[("upper", "a.hi"), ("lower", "a.lo")],
            // `c` is above both.
            (2, Opcode::CvtPack) if self.filled_bits() > 0 => &[("d[1]", "a"), ("d[0]", "b")],
            (2, _) => &[("upper", "a"), ("lower", "b")],
            _ => &[("d[3]", "a"), ("d[2]", "b"), ("d[1]", "e"), ("d[0]", "f")],
        };
        names[lane]
    }

    /// The names for the part of `d` that `c` of `cvt.pack` fills: the part, and the bits of `c`. `None` for other
    /// forms.
    ///
    /// ```
    /// let form: ptxcvt::Form = "cvt.pack.sat.u8.s32.b32".parse()?;
    /// assert_eq!(form.filling(), Some(("upper 16 bits".to_owned(), "the lower 16 bits of c".to_owned())));
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn filling(&self) -> Option<(String, String)> {
        let bits = self.filled_bits();
        (bits > 0).then(|| (format!("upper {bits} bits"), format!("the lower {bits} bits of c")))
    }

    /// The width of the bits that `c` fills, or 0 for a form without `c`.
    fn filled_bits(&self) -> u32 {
        match self.operands().any(|operand| operand.role == Role::Rest) {
            true => self.result_width() - 2 * self.destination().width(),
            false => 0,
        }
    }
}

impl Element {
    /// The result's bits, as wide as its storage: `0x3c`.
    pub fn result_hex(&self) -> String {
        hex(self.result, self.result_format.storage())
    }

    /// The steps of the element's conversion, one sentence each.
    pub fn steps(&self) -> Vec<String> {
        self.happenings().into_iter().map(|happening| happening.sentence).collect()
    }

    /// The steps in a few words, for a line: `rounded up`, `clamped to +0 by .relu`.
    ///
    /// It is `exact` if and only if the result is the same number as the source, apart from NaN. A zero that lost its sign
    /// is said to have lost it, although both zeros are the same number. A scale other than 1 is said first, and `exact`
    /// after it means that the result is the scaled number. Each part between commas is in [`steps`](Element::steps).
    ///
    /// ```
    /// let form: ptxcvt::Form = "cvt.rn.satfinite.relu.e4m3x2.f32".parse()?;
    /// let explanation = form.explain(&[(-1.5_f32).to_bits().into(), 1.5_f32.to_bits().into()])?;
    /// let summaries: Vec<_> = explanation.elements().iter().map(|element| element.summary()).collect();
    /// assert_eq!(summaries, ["clamped to +0 by .relu", "exact"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn summary(&self) -> String {
        let words: Vec<String> =
            self.happenings().into_iter().filter_map(|happening| happening.words).collect();
        words.join(", ")
    }

    /// What happened to the number, in order.
    fn happenings(&self) -> Vec<Happening> {
        let mut list = Vec::new();
        if let Some(scale) = self.scale {
            let value = Format::Ue8m0.decode(scale.into());
            let sentence = format!("scale {} = {value}", hex(scale.into(), 8));
            // A scale of 1 changes nothing, and no scale changes zero or infinity. NaN has a sentence of its own.
            let is_changed = matches!((self.source_value(), value), (Value::Finite(x), Value::Finite(factor))
                if !x.is_zero() && factor.to_f64() != 1.0);
            list.push(Happening { words: is_changed.then(|| sentence.clone()), sentence });
        }
        if self.flushed {
            let zero = if self.loses_sign() { "+0" } else { "zero" };
            list.push(Happening::new("subnormal, ", &format!("flushed to {zero}"), ""));
        }
        if self.sign_dropped {
            list.push(Happening::new("", "sign dropped", &format!(": {} is unsigned", self.result_format)));
        }
        if self.relu {
            list.push(Happening::new("negative, ", "clamped to +0 by .relu", ""));
        }
        if let Some(random) = self.random {
            let field = hex(random.value.into(), random.bits);
            let sentence = format!("random field {field} of {} bits", random.bits);
            list.push(Happening { words: None, sentence });
        }
        // The lines above already explain the change.
        let is_changed = self.flushed || self.sign_dropped || self.relu;
        let is_minus_zero = is_zero(self.source_value()) && self.loses_sign();
        if self.outcome != Outcome::Exact || !(is_changed || is_minus_zero) {
            list.push(self.of_outcome());
        }
        if self.pzo {
            list.push(Happening::new("", "-0 became +0 by .pzo", ""));
        } else if !is_changed && !self.result_format.is_float() && is_minus_zero {
            let why = format!(": {} has no negative zero", self.result_format);
            list.push(Happening::new("", "-0 became 0", &why));
        } else if !is_changed && self.result_format.is_float() && self.loses_sign() {
            list.push(Happening::new("", "-0 became +0 by .sat", ""));
        }
        list
    }

    /// True if a negative number became +0, though it was not out of range.
    fn loses_sign(&self) -> bool {
        let in_range = matches!(self.outcome, Outcome::Exact | Outcome::RoundedUp);
        in_range
            && is_zero(self.result_value())
            && self.source_value().is_negative()
            && !self.result_value().is_negative()
    }

    fn of_outcome(&self) -> Happening {
        let format = self.result_format;
        let ends = self.neighbours.map(|codes| {
            let [low, high] = codes.map(|c| format!("{} {}", hex(c, format.storage()), format.decode(c)));
            format!("between {low} and {high}")
        });
        let up = if self.outcome == Outcome::RoundedUp { "up" } else { "down" };
        if let (Some(tie), Some(ends)) = (self.tie, &ends) {
            let (why, detail) = match tie {
                Tie::Even => ("to the even one", ", whose last bit is 0"),
                Tie::Away => ("away from zero", ""),
            };
            return Happening {
                words: Some(format!("halfway, rounded {up}, {why}")),
                sentence: format!("halfway {ends}: rounded {up}, {why}{detail}"),
            };
        }
        let between = ends.map_or(String::new(), |ends| format!(", {ends}"));
        match self.outcome {
            Outcome::RoundedUp | Outcome::RoundedDown => {
                Happening::new("", &format!("rounded {up}"), &between)
            }
            Outcome::Saturated => Happening::new("", "saturated", &format!(" to {}", self.result_value())),
            Outcome::Overflowed => Happening::new("", "overflowed", &format!(" to {}", self.result_value())),
            Outcome::Wrapped => {
                Happening::new("", "wrapped", &format!(": only the low {} bits fit", format.bits()))
            }
            Outcome::Nan(rule) => Happening { words: Some("NaN".into()), sentence: rule.describe().into() },
            Outcome::Exact => Happening::new("", "exact", ""),
        }
    }
}

/// One thing that happened to a number.
struct Happening {
    /// The words for a line, which are in the sentence; `None` if they would not say how the result differs.
    words: Option<String>,
    sentence: String,
}

impl Happening {
    /// A sentence of the words for a line and what is before and after them.
    fn new(before: &str, words: &str, after: &str) -> Self {
        Happening { words: Some(words.into()), sentence: format!("{before}{words}{after}") }
    }
}

fn is_zero(value: Value) -> bool {
    matches!(value, Value::Finite(x) if x.is_zero())
}
