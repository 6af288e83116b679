//! The labels of a line of numbers: they distinguish its numbers, and fit into its width.

use ptxcvt::{Element, Format};

use crate::picture::{Picture, Tick};
use crate::style::{CHARACTER, SMALL, marked, number, or_power, scientific, short, small, text};

/// A text at a place of a line.
pub struct Label {
    text: String,
    is_small: bool,
}

/// The labels of a line.
pub struct Labels {
    /// One for each tick.
    pub ticks: Vec<Label>,
    pub source: Label,
    /// The number that is rounded, if that is not the source.
    pub rounded: Label,
}

/// The labels of a picture. Where rounded numbers look alike, the neighbours are named by their distance from the result, d.
pub fn of(picture: &Picture, element: &Element) -> Labels {
    let texts: Vec<String> = picture.ticks.iter().map(|tick| value(element.result_format, tick)).collect();
    let alike = texts.iter().enumerate().any(|(at, text)| texts[..at].contains(text));
    let ticks = picture.ticks.iter().zip(texts).map(|(tick, text)| match alike && tick.distance != 0.0 {
        true => {
            let sign = if tick.distance > 0.0 { '+' } else { '−' };
            Label::small(format!("d {sign} {}", short(tick.distance.abs())))
        }
        false => Label::plain(text),
    });
    let own = alike || element.source_format.is_integer();
    let source = if own { element.source_value().to_string() } else { powers(picture.source) };
    let rounded = powers(picture.rounded);
    Labels { ticks: ticks.collect(), source: Label::plain(source), rounded: Label::plain(rounded) }
}

/// A number of a format. An f64 does not distinguish integers beyond 2^53, so the digits of integers are their own.
fn value(format: Format, tick: &Tick) -> String {
    if !format.is_integer() {
        return powers(tick.value);
    }
    let own = format.decode(tick.code).to_string();
    if own.len() <= 10 {
        return own;
    }
    let few = scientific(tick.value, 4);
    let is_exact = own.trim_start_matches('-').trim_end_matches('0').len() <= 5;
    marked(few, is_exact)
}

/// A number in a few digits, or as a power of two if those would round it.
fn powers(value: f64) -> String {
    or_power(number(value), value)
}

impl Label {
    fn plain(text: String) -> Label {
        Label { text, is_small: false }
    }

    pub fn small(text: String) -> Label {
        Label { text, is_small: true }
    }

    /// A code; of a long one the first and last digits, because neighbours may be close.
    pub fn code(text: String) -> Label {
        Label::small(match text.len() {
            0..=10 => text,
            length => format!("{}…{}", &text[..6], &text[length - 4..]),
        })
    }

    /// The text with an arrow towards a place beyond the left or the right end.
    pub fn beyond(&self, left: bool) -> Label {
        let text = if left { format!("← {}", self.text) } else { format!("{} →", self.text) };
        Label { text, ..*self }
    }

    /// The left and right end of the text around `at`, moved into the width.
    pub fn extent(&self, at: f64, width: f64) -> [f64; 2] {
        let size = self.text.chars().count() as f64 * if self.is_small { SMALL } else { CHARACTER };
        let from = (at - size / 2.0).min(width - 2.0 - size).max(2.0);
        [from, from + size]
    }

    /// Draws the text around a place, and returns its ends.
    pub fn draw(&self, out: &mut String, (at, y): (f64, f64), colour: &str, width: f64) -> [f64; 2] {
        let extent = self.extent(at, width);
        let middle = f64::midpoint(extent[0], extent[1]);
        let draw = if self.is_small { small } else { text };
        draw(out, (middle, y), "middle", colour, &self.text);
        extent
    }
}
