//! The conversion for which test vectors are written, in the notation of `ptxcvt vectors` and Python's `vectors`.

use std::fmt;

use ptxcvt::forms::{Refusal, is_path};
use ptxcvt::{Conversion, Form, Overflow, Rounding, UnknownName};

use super::list::conversion;
use crate::judge::{Judge, Unjudged};

/// The options of a conversion between two formats; `None` means the default. An opcode has its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// The rounding, to nearest by default.
    pub rounding: Option<Rounding>,
    /// The result for numbers beyond the range; by default the largest number.
    pub overflow: Option<Overflow>,
    /// NaN results get the sign of their source.
    pub signed_nan: bool,
}

/// What is converted.
#[derive(Clone, Copy, Debug)]
pub enum Request {
    /// Numbers.
    Elements(Conversion),
    /// The registers of a form that takes an operand in addition to its elements.
    Registers(Form),
}

/// Why a request could not be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// The text is neither two formats nor a legal opcode.
    Form(Refusal),
    /// The formats or the options are wrong.
    Options(Unjudged),
    /// A form has its own for this field of [`Choices`].
    Own(&'static str, Form),
}

impl RequestError {
    /// The message, with the name of an option as its caller writes it.
    pub fn message(&self, option: impl Fn(&str) -> String) -> String {
        match self {
            RequestError::Form(refusal) => refusal.to_string(),
            RequestError::Options(unjudged) => unjudged.to_string(),
            RequestError::Own(field, form) => {
                format!("{} is for two formats, such as 'f32->e4m3'; `{form}` has its own", option(field))
            }
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(str::to_owned))
    }
}

impl std::error::Error for RequestError {}

impl From<Unjudged> for RequestError {
    fn from(unjudged: Unjudged) -> Self {
        RequestError::Options(unjudged)
    }
}

impl Request {
    /// Reads an opcode, or two formats such as `f32->e4m3`, which are converted as chosen.
    ///
    /// # Errors
    ///
    /// Fails if the text is neither, if something is chosen for an opcode, and if the destination lacks the special
    /// value that the overflow needs.
    pub fn read(text: &str, choices: &Choices) -> Result<Request, RequestError> {
        let Choices { rounding, overflow, signed_nan } = *choices;
        if is_path(text) {
            let (source, destination) = Judge::parse(text)?.formats();
            let (rounding, overflow) =
                (rounding.unwrap_or(Rounding::Rn), overflow.unwrap_or(Overflow::Saturate));
            return Ok(Request::Elements(conversion(source, destination, rounding, overflow)?));
        }
        let form: Form = text.parse().map_err(RequestError::Form)?;
        let given =
            [("rounding", rounding.is_some()), ("overflow", overflow.is_some()), ("signed_nan", signed_nan)];
        if let Some((field, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(RequestError::Own(field, form));
        }
        Ok(match form.extra() {
            Some(_) => Request::Registers(form),
            None => Request::Elements(form.conversion()),
        })
    }
}

impl Choices {
    /// Finds a rounding of conversions between two formats by its name.
    ///
    /// # Errors
    ///
    /// Fails for other names, and for stochastic and integer roundings.
    pub fn read_rounding(name: &str) -> Result<Rounding, UnknownName> {
        let accepted = |rounding: &Rounding| !rounding.is_integer() && *rounding != Rounding::Rs;
        let known =
            Rounding::ALL.iter().filter(|rounding| accepted(rounding)).map(|rounding| rounding.name());
        ptxcvt::names::read("rounding", name, |name| Rounding::from_name(name).filter(accepted), known)
    }

    /// Finds a treatment of overflow by its name.
    ///
    /// # Errors
    ///
    /// Fails if the name is not `saturate`, `ieee` or `nan`.
    pub fn read_overflow(name: &str) -> Result<Overflow, UnknownName> {
        let all =
            [("saturate", Overflow::Saturate), ("ieee", Overflow::Ieee), ("nan", Overflow::InfinityOrNan)];
        let find = |name: &str| all.iter().find(|(own, _)| *own == name).map(|(_, overflow)| *overflow);
        ptxcvt::names::read("overflow", name, find, all.iter().map(|(own, _)| *own))
    }
}
