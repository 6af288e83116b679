//! The vectors of a conversion.

use std::collections::HashSet;

use ptxcvt::formats::Kind;
use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Conversion, Format, Overflow, Rounding, mask};

use super::table::{Column, Table};
use super::write::Layout;
use crate::judge::Unjudged;
use crate::judge::inputs::{boundaries, random_within};
use crate::judge::rounding::between;

/// The conversion of one format to another. Of a float to an integer, `rounding` means the nearest integer in that
/// direction.
///
/// # Errors
///
/// Fails if overflow to infinity or NaN is wanted and the destination has neither.
pub fn conversion(
    source: Format,
    destination: Format,
    rounding: Rounding,
    overflow: Overflow,
) -> Result<Conversion, Unjudged> {
    let special = destination.infinity().or(destination.nan());
    if overflow != Overflow::Saturate && special.is_none() {
        return Err(Unjudged::new(format!(
            "{destination} has neither infinity nor NaN: numbers beyond its range can only saturate"
        )));
    }
    let rounding = between(rounding, source, destination);
    Ok(Conversion::new(source, destination).rounding(rounding).overflow(overflow))
}

/// An input and its result, as codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    /// The code of the source number.
    pub input: u64,
    /// The code of the right result.
    pub result: u64,
}

/// Test vectors of a conversion.
#[derive(Clone, Debug)]
pub struct Suite {
    conversion: Conversion,
    signed_nan: bool,
    vectors: Vec<Vector>,
}

impl Suite {
    /// The vectors of a conversion: chosen inputs in the order of their codes, then at most `random` random inputs
    /// without repetitions. For sources of up to 8 bits, the vectors have every code and no random inputs.
    pub fn new(conversion: Conversion, random: usize, seed: u64) -> Suite {
        let inputs = inputs(conversion.source(), conversion.destination(), random, seed);
        let vectors = inputs.into_iter().map(|input| Vector { input, result: conversion.eval(input) });
        Suite { conversion, signed_nan: false, vectors: vectors.collect() }
    }

    /// Gives each NaN result the sign of its source, as libraries do that convert on a CPU.
    ///
    /// # Errors
    ///
    /// Fails if the destination has no NaN with a sign.
    pub fn signed_nan(mut self) -> Result<Suite, Unjudged> {
        let (source, destination) = (self.conversion.source(), self.conversion.destination());
        if destination.nan().is_none() || !destination.is_signed() {
            return Err(Unjudged::new(format!("{destination} has no NaN with a sign")));
        }
        for vector in &mut self.vectors {
            let negative = vector.input & source.sign_bit() != 0;
            if negative && destination.decode(vector.result).is_nan() {
                vector.result |= destination.sign_bit();
            }
        }
        Ok(Suite { signed_nan: true, ..self })
    }

    /// The conversion.
    pub fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// The vectors.
    pub fn vectors(&self) -> &[Vector] {
        &self.vectors
    }

    /// The bytes of a file.
    ///
    /// ```
    /// use ptxcvt::{Conversion, Format};
    /// use ptxcvt_conform::suite::{Layout, Suite};
    /// let suite = Suite::new(Conversion::new(Format::E2m1, Format::E4m3), 0, 1);
    /// let text = String::from_utf8(suite.write(Layout::Hex)).unwrap();
    /// assert!(text.lines().any(|line| line == "74c")); // 6 is 0x7 in e2m1 and 0x4c in e4m3
    /// ```
    pub fn write(&self, layout: Layout) -> Vec<u8> {
        self.table().write(layout)
    }

    /// The columns `input` and `result`.
    pub fn table(&self) -> Table {
        let (source, destination) = (self.conversion.source(), self.conversion.destination());
        let nan = if self.signed_nan { ", NaN keeps the sign of the source" } else { "" };
        let title = format!("{}{nan}", self.conversion);
        Table {
            name: format!("{source}_to_{destination}"),
            head: vec![
                ("conversion", title.clone()),
                ("source", source.to_string()),
                ("destination", destination.to_string()),
            ],
            title,
            columns: vec![
                Column { name: "input", bits: source.storage() },
                Column { name: "result", bits: destination.storage() },
            ],
            codes: self.vectors.iter().flat_map(|vector| [vector.input, vector.result]).collect(),
        }
    }
}

/// The inputs of vectors between two formats, as [`Suite::new`] describes them.
pub(super) fn inputs(source: Format, destination: Format, random: usize, seed: u64) -> Vec<u64> {
    let mut inputs = specials(source);
    inputs.extend(boundaries(source, destination));
    let every = source.bits() <= 8;
    if every {
        inputs.extend((0..1_u64 << source.bits()).map(|code| code << source.low_padding()));
    }
    inputs.sort_unstable();
    inputs.dedup();
    let mut generator = SplitMix64::new(seed);
    let mut known: HashSet<u64> = inputs.iter().copied().collect();
    let random = (0..if every { 0 } else { random }).map(|n| match n % 2 {
        0 => (generator.next_u64() & mask(source.bits())) << source.low_padding(),
        _ => random_within(source, destination, &mut generator),
    });
    inputs.extend(random.filter(|input| known.insert(*input)));
    inputs
}

/// Zeros, the smallest and largest numbers, 1, infinities and NaNs of a format.
fn specials(format: Format) -> Vec<u64> {
    let mut positive = vec![0, format.min_positive(), format.min_normal(), format.one(), format.max_finite()];
    positive.extend(format.next_down(format.min_normal()));
    if let (Some(infinity), Some(nan)) = (format.infinity(), format.nan()) {
        let quiet = 1 << (format.fraction_bits() - 1);
        // The canonical NaN, a quiet one, and signalling ones with the least and the largest payload.
        let fractions = [quiet, 1, quiet - 1].map(|fraction| infinity | fraction << format.low_padding());
        positive.extend([infinity, nan]);
        positive.extend(fractions);
    } else {
        positive.extend(format.nan());
    }
    let negative: Vec<u64> = match format.parameters().kind {
        Kind::Float { signed: true, .. } => positive.iter().map(|code| code | format.sign_bit()).collect(),
        _ => vec![format.min_finite()],
    };
    positive.extend(negative);
    positive
}
