//! Finds the form between two formats, for callers that know formats but not opcodes.
//!
//! PTX ISA section 9.7.9.21.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

use super::form::Form;
use super::modifier::{Modifier, Modifiers};
use super::opcode::Opcode;
use crate::error::Code;
use crate::formats::Format;
use crate::round::Rounding;
use crate::targets::{IsaVersion, Target};

/// A search for a form by its formats: [`Form::between`] begins it, [`form`](Self::form) ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    source: Format,
    destination: Format,
    rounding: Option<Rounding>,
    modifiers: Modifiers,
    saturate: bool,
    scaled: bool,
    lanes: Option<u32>,
    place: Option<(Target, IsaVersion)>,
}

impl Form {
    /// Starts a search for a `cvt` from one format to another. By default it finds the form with the fewest
    /// elements and modifiers, which rounds to nearest if it rounds.
    ///
    /// # Example
    ///
    /// ```
    /// use ptxcvt::{Form, Format, Rounding};
    /// let form = Form::between(Format::F32, Format::E4m3).form()?;
    /// assert_eq!(form.to_string(), "cvt.rn.satfinite.e4m3x2.f32");
    /// let form = Form::between(Format::F32, Format::E2m1).rounding(Rounding::Rs).relu().form()?;
    /// assert_eq!(form.to_string(), "cvt.rs.relu.satfinite.e2m1x4.f32");
    /// # Ok::<(), ptxcvt::forms::BetweenError>(())
    /// ```
    ///
    /// # Example: an error says what is legal
    ///
    /// ```
    /// use ptxcvt::{Form, Format};
    /// let error = Form::between(Format::F64, Format::E4m3).form().unwrap_err();
    /// assert_eq!(error.to_string(), "there is no conversion from f64 to e4m3; sources of e4m3: f16 bf16 f32");
    /// let error = Form::between(Format::F32, Format::U4).form().unwrap_err();
    /// assert_eq!(error.to_string(), "there is no `cvt` from f32 to u4; only `cvt.pack` converts to u4, from s32");
    /// let error = Form::between(Format::F32, Format::Ue8m0).form().unwrap_err();
    /// assert_eq!(error.to_string(), "from f32 to ue8m0, a rounding must be chosen: .rz .rp");
    /// ```
    pub const fn between(source: Format, destination: Format) -> Between {
        Between {
            source,
            destination,
            rounding: None,
            modifiers: Modifiers::NONE,
            saturate: false,
            scaled: false,
            lanes: None,
            place: None,
        }
    }
}

impl Between {
    /// Requires this rounding modifier.
    #[must_use]
    pub const fn rounding(self, rounding: Rounding) -> Self {
        Between { rounding: Some(rounding), ..self }
    }

    /// Requires this modifier.
    #[must_use]
    pub const fn with(self, modifier: Modifier) -> Self {
        Between { modifiers: self.modifiers.with(modifier), ..self }
    }

    /// Requires `.satfinite`, or `.sat` if the formats have only that.
    #[must_use]
    pub const fn saturate(self) -> Self {
        Between { saturate: true, ..self }
    }

    /// Requires `.relu`.
    #[must_use]
    pub const fn relu(self) -> Self {
        self.with(Modifier::Relu)
    }

    /// Requires a scale, of the kind that the formats have.
    #[must_use]
    pub const fn scaled(self) -> Self {
        Between { scaled: true, ..self }
    }

    /// Requires an instruction with this many elements: 1, 2 or 4.
    #[must_use]
    pub const fn lanes(self, lanes: u32) -> Self {
        Between { lanes: Some(lanes), ..self }
    }

    /// Requires a form that is legal on this target at this ISA version.
    #[must_use]
    pub const fn on(self, target: Target, isa: IsaVersion) -> Self {
        Between { place: Some((target, isa)), ..self }
    }

    /// Finds the form.
    ///
    /// # Errors
    ///
    /// Fails if no form has all of these choices. Also fails if the formats have no rounding to nearest and
    /// none is chosen. The message lists the legal choices.
    pub fn form(&self) -> Result<Form, BetweenError> {
        let fitting = || self.pair().filter(|form| self.unfit(form).is_none());
        // To nearest, unless the caller chose otherwise or the form does not round.
        let rank = |form: &Form| match form.rounding() {
            rounding if self.rounding.is_some() && rounding == self.rounding => Some(0),
            None => Some(0),
            Some(Rounding::Rn | Rounding::Rni) => Some(1),
            Some(_) => None,
        };
        let extra = |form: &Form| form.modifiers().len() + u32::from(form.has(Modifier::Sat));
        let best = fitting().filter_map(|form| Some(((rank(&form)?, form.lanes(), extra(&form)), form)));
        if let Some((_, form)) = best.min_by_key(|(key, _)| *key) {
            return Ok(form);
        }
        let what = if self.pair().next().is_none() {
            What::Pair { advice: self.two_steps() }
        } else if fitting().next().is_some() {
            What::RoundingNeeded
        } else {
            // Reports the first choice that no form satisfies, or else all of them together.
            [What::Rounding, What::Modifier, What::Lanes, What::Place]
                .into_iter()
                .find(|what| self.pair().all(|form| self.misses(&form, *what)))
                .unwrap_or(What::Together)
        };
        Err(BetweenError { wanted: *self, what })
    }

    /// Adds the form, or one for each rounding if that must be chosen.
    #[cfg(feature = "alloc")]
    fn add(&self, found: &mut Vec<Form>) {
        match self.form() {
            Ok(form) => found.push(form),
            Err(error) if error.what == What::RoundingNeeded => found.append(&mut error.choices()),
            Err(_) => {}
        }
    }

    /// Advice to convert in two steps, the first of which is exact.
    fn two_steps(&self) -> Option<&'static str> {
        let converts = |source, destination| Form::between(source, destination).pair().next().is_some();
        let fits = |(between, _): &&(Format, &str)| {
            between.holds(self.source)
                && converts(self.source, *between)
                && converts(*between, self.destination)
        };
        TWO_STEPS.iter().find(fits).map(|(_, advice)| *advice)
    }

    /// Every form between the two formats.
    fn pair(&self) -> impl Iterator<Item = Form> + use<> {
        let (source, destination) = (self.source, self.destination);
        Form::all().filter(move |form| {
            form.opcode() == Opcode::Cvt
                && (form.source().format(), form.destination().format()) == (source, destination)
        })
    }

    /// The first choice that the form does not satisfy.
    fn unfit(&self, form: &Form) -> Option<What> {
        [What::Rounding, What::Modifier, What::Lanes, What::Place]
            .into_iter()
            .find(|what| self.misses(form, *what))
    }

    fn misses(&self, form: &Form, what: What) -> bool {
        match what {
            What::Rounding => self.rounding.is_some_and(|rounding| form.rounding() != Some(rounding)),
            What::Modifier => {
                let saturates = form.has(Modifier::Sat) || form.has(Modifier::Satfinite);
                !self.modifiers.iter().all(|modifier| form.has(modifier))
                    || (self.saturate && !saturates)
                    || (self.scaled && !form.modifiers().iter().any(Modifier::is_scale))
            }
            What::Lanes => self.lanes.is_some_and(|lanes| form.lanes() != lanes),
            What::Place => self.place.is_some_and(|(target, isa)| !form.is_legal(target, isa)),
            What::Pair { .. } | What::RoundingNeeded | What::Together => false,
        }
    }
}

/// The reason why [`Between::form`] finds no form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Pair { advice: Option<&'static str> },
    RoundingNeeded,
    Rounding,
    Modifier,
    Lanes,
    Place,
    Together,
}

/// Formats between two conversions, and the advice to use them.
const TWO_STEPS: [(Format, &str); 3] = [
    (Format::F32, "convert in two steps, through f32"),
    (Format::F16, "convert in two steps, through f16"),
    (Format::Bf16, "convert in two steps, through bf16"),
];

/// The error if no form converts between two formats with the given choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BetweenError {
    wanted: Between,
    what: What,
}

impl BetweenError {
    /// The code of the error.
    pub const fn code(&self) -> Code {
        match self.what {
            What::Pair { .. } | What::Lanes => Code::TypePair,
            What::RoundingNeeded => Code::MissingRounding,
            What::Rounding => Code::IllegalRounding,
            What::Modifier => Code::IllegalModifier,
            What::Place => Code::Target,
            What::Together => Code::Conflict,
        }
    }

    /// How to correct it, if there is advice.
    ///
    /// ```
    /// use ptxcvt::{Form, Format};
    /// let error = |source, destination| Form::between(source, destination).form().unwrap_err();
    /// assert_eq!(error(Format::S8, Format::E4m3).help(), Some("convert in two steps, through f32"));
    /// assert_eq!(error(Format::E4m3, Format::F32).help(), Some("convert in two steps, through f16"));
    /// // No `cvt` converts to u4, and f64 would be rounded twice.
    /// assert_eq!(error(Format::F32, Format::U4).help(), None);
    /// assert_eq!(error(Format::F64, Format::E4m3).help(), None);
    /// ```
    pub const fn help(&self) -> Option<&str> {
        Some(match self.what {
            What::Pair { advice } => return advice,
            What::RoundingNeeded | What::Rounding => "choose one of the listed roundings",
            What::Modifier => "remove the modifier, or choose a listed one",
            What::Lanes => "leave the number of elements out",
            What::Place => {
                "choose another target or version: `Form::since` returns the first version of a target"
            }
            What::Together => "remove one of the choices",
        })
    }

    /// The forms that one other choice leads to, the most similar one first: with each legal rounding, another number of
    /// elements, or no modifier.
    ///
    /// ```
    /// use ptxcvt::{Form, Format, Rounding};
    /// let choices = |wanted: ptxcvt::forms::Between| -> Vec<String> {
    ///     wanted.form().unwrap_err().choices().iter().map(Form::to_string).collect()
    /// };
    /// let narrow = Form::between(Format::F32, Format::Ue8m0);
    /// assert_eq!(choices(narrow), ["cvt.rz.ue8m0x2.f32", "cvt.rp.ue8m0x2.f32"]);
    /// let integer = Form::between(Format::F32, Format::S32).rounding(Rounding::Rz);
    /// assert_eq!(choices(integer)[0], "cvt.rzi.s32.f32");
    /// ```
    #[cfg(feature = "alloc")]
    pub fn choices(&self) -> Vec<Form> {
        let mut found = Vec::new();
        let wanted = self.wanted;
        match self.what {
            What::RoundingNeeded | What::Rounding => {
                let direction = wanted.rounding.map(Rounding::direction);
                for is_similar in [true, false] {
                    for rounding in Rounding::ALL {
                        if (direction == Some(rounding.direction())) == is_similar {
                            found.extend(wanted.rounding(*rounding).form());
                        }
                    }
                }
                // No rounding may be legal.
                if found.is_empty() && wanted.rounding.is_some() {
                    Between { rounding: None, ..wanted }.add(&mut found);
                }
            }
            What::Lanes => [1, 2, 4].into_iter().for_each(|lanes| wanted.lanes(lanes).add(&mut found)),
            What::Modifier => {
                Between { modifiers: Modifiers::NONE, saturate: false, scaled: false, ..wanted }
                    .add(&mut found);
            }
            What::Pair { .. } | What::Place | What::Together => {}
        }
        found
    }

    fn roundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // If a rounding is all that is missing, those that the other choices leave.
        let legal = |rounding| match self.what {
            What::RoundingNeeded => self.wanted.rounding(rounding).form().is_ok(),
            _ => self.wanted.pair().any(|form| form.rounding() == Some(rounding)),
        };
        let mut roundings = Rounding::ALL.iter().filter(|rounding| legal(**rounding));
        roundings.try_for_each(|rounding| write!(f, " .{}", rounding.name()))
    }
}

impl fmt::Display for BetweenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Between { source, destination, .. } = self.wanted;
        let forms = || self.wanted.pair();
        if let What::Pair { .. } = self.what {
            let sources = |opcode| {
                let converts = move |source: &Format| {
                    let ends = |form: &Form| (form.source().format(), form.destination().format());
                    Form::all().any(|form| form.opcode() == opcode && ends(&form) == (*source, destination))
                };
                Format::ALL.iter().copied().filter(converts)
            };
            for (opcode, what) in
                [(Opcode::Cvt, "there is no conversion"), (Opcode::CvtPack, "there is no `cvt`")]
            {
                if sources(opcode).next().is_none() {
                    continue;
                }
                write!(f, "{what} from {source} to {destination}; ")?;
                match opcode {
                    Opcode::Cvt => write!(f, "sources of {destination}:")?,
                    Opcode::CvtPack => write!(f, "only `cvt.pack` converts to {destination}, from")?,
                }
                return sources(opcode).try_for_each(|source| write!(f, " {source}"));
            }
            return write!(
                f,
                "there is no conversion from {source} to {destination}; no format converts to {destination}"
            );
        }
        write!(f, "from {source} to {destination}, ")?;
        match self.what {
            What::RoundingNeeded => {
                f.write_str("a rounding must be chosen:")?;
                self.roundings(f)
            }
            What::Rounding if forms().all(|form| form.rounding().is_none()) => {
                f.write_str("no rounding is legal")
            }
            What::Rounding => {
                f.write_str("this rounding is not legal; legal:")?;
                self.roundings(f)
            }
            What::Modifier => {
                f.write_str("not every modifier chosen is legal; legal:")?;
                let mut legal = Modifier::ALL.iter().filter(|m| forms().any(|form| form.has(**m)));
                legal.try_for_each(|modifier| write!(f, " .{}", modifier.name()))
            }
            What::Lanes => {
                f.write_str("one instruction converts another number of elements:")?;
                let mut legal = [1, 2, 4].into_iter().filter(|n| forms().any(|form| form.lanes() == *n));
                legal.try_for_each(|lanes| write!(f, " {lanes}"))
            }
            What::Place => match self.wanted.place {
                Some((target, isa)) => write!(f, "{target} has no form at ISA {isa}"),
                None => Ok(()),
            },
            What::Pair { .. } | What::Together => f.write_str("no form has all of these choices together"),
        }
    }
}

impl core::error::Error for BetweenError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `cvt` is found from its own parts.
    #[test]
    fn every_form_is_between() {
        for form in Form::all().filter(|form| form.opcode() == Opcode::Cvt) {
            let mut wanted = Form::between(form.source().format(), form.destination().format());
            wanted = wanted.lanes(form.lanes());
            if let Some(rounding) = form.rounding() {
                wanted = wanted.rounding(rounding);
            }
            wanted = form.modifiers().iter().fold(wanted, Between::with);
            let found = wanted.form().unwrap_or_else(|error| panic!("{form}: {error}"));
            assert_eq!(found.lanes(), form.lanes(), "{form}");
            assert_eq!(found.rounding(), form.rounding(), "{form}: {found}");
            assert!(form.modifiers().iter().all(|m| found.has(m)), "{form}: {found}");
            assert!(found.modifiers().len() <= form.modifiers().len(), "{form}: {found}");
        }
    }

    /// Advice names two conversions that exist.
    #[test]
    fn advised_steps_exist() {
        let mut seen = 0;
        for (source, destination) in
            Format::ALL.iter().flat_map(|source| Format::ALL.iter().map(move |d| (*source, *d)))
        {
            let Err(error) = Form::between(source, destination).form() else { continue };
            let What::Pair { advice: Some(advice) } = error.what else { continue };
            seen += 1;
            let (between, _) = TWO_STEPS.iter().find(|(_, text)| *text == advice).expect("listed");
            assert!(*between != source && *between != destination, "{source} to {destination}: {advice}");
            for (a, b) in [(source, *between), (*between, destination)] {
                let exists = Form::between(a, b).pair().next().is_some();
                assert!(exists, "{source} to {destination}: {advice}");
            }
        }
        assert!(seen > 30, "{seen}");
    }

    /// Every choice is a form between the formats, and different from the others.
    #[test]
    fn choices_are_forms_between_the_formats() {
        let mut seen = 0;
        for (source, destination) in
            Format::ALL.iter().flat_map(|source| Format::ALL.iter().map(move |d| (*source, *d)))
        {
            let plain = Form::between(source, destination);
            let roundings = Rounding::ALL.iter().map(|rounding| plain.rounding(*rounding));
            let lanes = [1, 2, 4].map(|lanes| plain.lanes(lanes));
            for wanted in [plain, plain.relu(), plain.scaled()].into_iter().chain(roundings).chain(lanes) {
                let Err(error) = wanted.form() else { continue };
                let choices = error.choices();
                for (at, form) in choices.iter().enumerate() {
                    seen += 1;
                    assert_eq!(
                        (form.source().format(), form.destination().format()),
                        (source, destination),
                        "{error}"
                    );
                    assert!(!choices[..at].contains(form), "{error}: {form} twice");
                }
                let has_pair = plain.pair().next().is_some();
                assert_eq!(choices.is_empty(), !has_pair, "{error}");
            }
        }
        assert!(seen > 500, "{seen}");
    }

    #[test]
    fn refusals() {
        let error = |wanted: Between| {
            let error = wanted.form().unwrap_err();
            (error.code(), alloc::string::ToString::to_string(&error))
        };
        let narrow = Form::between(Format::F32, Format::E4m3);
        assert_eq!(
            error(narrow.rounding(Rounding::Rna)),
            (
                Code::IllegalRounding,
                "from f32 to e4m3, this rounding is not legal; legal: .rn .rz .rs".into()
            )
        );
        assert_eq!(error(narrow.lanes(1)).0, Code::TypePair);
        assert_eq!(error(narrow.with(Modifier::Ftz)).0, Code::IllegalModifier);
        assert_eq!(error(narrow.rounding(Rounding::Rs).scaled()).0, Code::Conflict);
        let old = "sm_80".parse().unwrap();
        assert_eq!(
            error(narrow.on(old, IsaVersion::new(9, 1))),
            (Code::Target, "from f32 to e4m3, sm_80 has no form at ISA 9.1".into())
        );
    }
}
