//! The policy or reference that a codec is compared with.

use ptxcvt::forms::path;
use ptxcvt::{Conversion, Form, Format};

use super::inputs::MOST_RANDOM;
use super::unjudged::Unjudged;

/// What a codec is compared with, and on how many random inputs.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(super) source: Format,
    pub(super) destination: Format,
    /// The only correct conversion and its name. `None`: every policy is tried.
    pub(super) right: Option<(Conversion, String)>,
    /// Sources of up to this many bits are tried on every input.
    pub(super) widest: u32,
    pub(super) random: usize,
    pub(super) seed: u64,
}

impl Judge {
    /// Compares with one conversion.
    pub fn new(conversion: Conversion) -> Judge {
        let name = conversion.to_string();
        let right = Some((conversion, name));
        Judge { right, ..Judge::between(conversion.source(), conversion.destination()) }
    }

    /// Compares with the conversion of a form's elements.
    ///
    /// # Errors
    ///
    /// Fails if the form takes a scale, random bits or another operand in addition to its elements.
    pub fn form(form: &Form) -> Result<Judge, Unjudged> {
        if let Some(extra) = form.extra() {
            let why = format!("`{form}` also takes {}; choose a form without it", extra.role.name());
            return Err(Unjudged::new(why));
        }
        Ok(Judge { right: Some((form.conversion(), form.to_string())), ..Judge::new(form.conversion()) })
    }

    /// Compares with every policy between two formats and reports the equal or the nearest one.
    pub fn between(source: Format, destination: Format) -> Judge {
        Judge { source, destination, right: None, widest: 32, random: 1 << 20, seed: 1 }
    }

    /// Compares with every policy of a conversion that is written `f32->e4m3`.
    ///
    /// # Errors
    ///
    /// Fails if the text is not two names of formats with `->` between them.
    pub fn parse(conversion: &str) -> Result<Judge, Unjudged> {
        match path(conversion).map_err(|refusal| Unjudged::new(refusal.to_string()))?[..] {
            [source, destination] => Ok(Judge::between(source, destination)),
            _ => Err(Unjudged::new(format!(
                "`{conversion}` is more than one conversion; give two formats, as in `f32->e4m3`"
            ))),
        }
    }

    /// The judge for a conversion, for a form, or for a form between the formats of a conversion; `None` without
    /// either.
    ///
    /// # Errors
    ///
    /// Fails as [`parse`](Judge::parse) and [`form`](Judge::form) do, and if the form converts other formats.
    pub fn named(conversion: Option<&str>, form: Option<&Form>) -> Result<Option<Judge>, Unjudged> {
        let wanted = conversion.map(Judge::parse).transpose()?;
        let Some(form) = form else { return Ok(wanted) };
        let judge = Judge::form(form)?;
        match wanted {
            Some(wanted) if wanted.formats() != judge.formats() => {
                let ((from, to), (source, destination)) = (wanted.formats(), judge.formats());
                let why = format!("`{form}` converts {source} to {destination}, not {from} to {to}");
                Err(Unjudged::new(why))
            }
            _ => Ok(Some(judge)),
        }
    }

    /// Tries about a million inputs of sources of 32 bits instead of all 2^32: edges, every tie with its neighbours,
    /// and random numbers. For codecs that are too slow for more.
    #[must_use]
    pub fn quick(self) -> Judge {
        Judge { widest: 16, ..self }
    }

    /// Sets how many random inputs are tried where not every input is, and their seed; 2^20 and 1 otherwise.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MOST_RANDOM`].
    #[must_use]
    pub fn random(self, count: usize, seed: u64) -> Judge {
        assert!(count <= MOST_RANDOM, "{count} random inputs, but at most {MOST_RANDOM} are kept in memory");
        Judge { random: count, seed, ..self }
    }

    /// The source and the destination.
    pub fn formats(&self) -> (Format, Format) {
        (self.source, self.destination)
    }
}
