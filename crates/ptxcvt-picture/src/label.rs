//! The labels of a line of numbers: they distinguish its numbers, and fit into its width.

use ptxcvt::Element;

use crate::picture::Picture;
use crate::style::{CHARACTER, SMALL, number, short, small, text};

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
}

/// The labels of a picture. Where rounded numbers look alike, the neighbours are named by their distance from the result.
pub fn of(picture: &Picture, element: &Element) -> Labels {
    let texts: Vec<String> = picture.ticks.iter().map(|tick| number(tick.value)).collect();
    let alike = texts.windows(2).any(|pair| pair[0] == pair[1]);
    let result = picture.ticks.iter().find(|tick| tick.result).map(|tick| tick.value);
    let ticks = picture.ticks.iter().zip(texts).map(|(tick, text)| match result {
        Some(result) if alike && tick.value != result => {
            let sign = if tick.value > result { '+' } else { '−' };
            Label::small(format!("result {sign} {}", short((tick.value - result).abs())))
        }
        _ => Label::plain(text),
    });
    // The source's own digits, unless the form changed it before it was rounded.
    let same = element.source_value().to_f64() == picture.source;
    let source = if alike && same { element.source_value().to_string() } else { number(picture.source) };
    Labels { ticks: ticks.collect(), source: Label::plain(source) }
}

impl Label {
    fn plain(text: String) -> Label {
        Label { text, is_small: false }
    }

    pub fn small(text: String) -> Label {
        Label { text, is_small: true }
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

#[cfg(test)]
mod tests {
    use super::*;
    use ptxcvt::Form;

    /// For every form and many numbers, both as wide as a document and as an element's own picture: labels of different
    /// numbers differ, and all are within the width without touching each other.
    #[test]
    fn labels_differ_and_fit() {
        let mut seen = 0;
        for form in Form::all() {
            for bits in [
                0,
                1,
                0x3fc6_6666,
                0x8000_0001,
                u64::MAX,
                0xc340_0000_0000_0001,
                0x43ef_ffff_ffff_ffff,
                0x7f7f,
            ] {
                let words = vec![bits; form.source_count()];
                for element in form.explain(&words).unwrap().elements() {
                    let Some(picture) = Picture::new(element) else { continue };
                    let labels = of(&picture, element);
                    for (pair, ticks) in labels.ticks.windows(2).zip(picture.ticks.windows(2)) {
                        assert!(
                            ticks[0].value == ticks[1].value || pair[0].text != pair[1].text,
                            "{form} {bits:#x}: {}",
                            pair[0].text
                        );
                    }
                    for width in [480.0, 640.0] {
                        let spacing = (width - 96.0) / (picture.ticks.len().max(2) - 1) as f64;
                        let ends: Vec<_> = (0..)
                            .zip(&labels.ticks)
                            .map(|(at, label)| label.extent(48.0 + spacing * f64::from(at), width))
                            .collect();
                        assert!(
                            ends.iter().all(|[from, to]| *from >= 0.0 && *to <= width),
                            "{form} {bits:#x} {ends:?}"
                        );
                        if picture.ticks.windows(2).all(|pair| {
                            ((pair[1].place - pair[0].place) * (width - 96.0) - spacing).abs() < 1.0
                        }) {
                            assert!(
                                ends.windows(2).all(|pair| pair[0][1] <= pair[1][0]),
                                "{form} {bits:#x} {width} {:?}",
                                labels.ticks.iter().map(|l| &l.text).collect::<Vec<_>>()
                            );
                            seen += 1;
                        }
                    }
                }
            }
        }
        assert!(seen > 1000, "{seen}");
    }
}
