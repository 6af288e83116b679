//! The marks on a line of numbers, and the legend that explains them.

use std::fmt::Write as _;

use crate::style::{DIM, GROUND, INK, RESULT, line, small};

/// The height of a line of text.
pub const TEXT: f64 = 16.0;

/// The roundings that a line of numbers shows.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Roundings {
    /// No rounding: the conversion is exact.
    #[default]
    Nothing,
    /// Roundings of other instructions only.
    Others,
    /// Also the rounding of this instruction.
    Own,
}

/// What is drawn, and so explained by the legend.
#[derive(Clone, Copy, Default)]
pub struct Shown {
    /// There is a line of numbers.
    pub lines: bool,
    pub roundings: Roundings,
    /// A source is further away than the picture's edge.
    pub beyond: bool,
    /// A number other than the source is rounded.
    pub rounded: bool,
}

impl Shown {
    pub fn add(&mut self, other: Shown) {
        self.lines |= other.lines;
        self.roundings = self.roundings.max(other.roundings);
        self.beyond |= other.beyond;
        self.rounded |= other.rounded;
    }
}

/// Draws the meaning of the marks on a line of numbers, and returns the y coordinate of its last row.
pub fn legend(out: &mut String, y: f64, shown: Shown) -> f64 {
    circle(out, 13.0, y - 4.0);
    small(out, (24.0, y), "start", DIM, "source");
    line(out, (84.0, y - 11.0), (84.0, y + 2.0), RESULT, 3.0);
    small(out, (92.0, y), "start", DIM, "result");
    line(out, (150.0, y - 11.0), (150.0, y + 2.0), INK, 1.0);
    small(out, (158.0, y), "start", DIM, "neighbour");
    let roundings = "rn rna rz rm rp: where each rounding ends";
    match shown.roundings {
        Roundings::Nothing => {}
        Roundings::Others => small(out, (238.0, y), "start", DIM, roundings),
        Roundings::Own => small(out, (238.0, y), "start", DIM, &format!("{roundings}, this one in green")),
    }
    let second = y + TEXT;
    let mut at = 13.0;
    if shown.beyond {
        arrowhead(out, at + 5.0, second - 4.0, false);
        let words = "source, beyond the edge of the picture";
        small(out, (at + 11.0, second), "start", DIM, words);
        at += 270.0;
    }
    if shown.rounded {
        diamond(out, at, second - 4.0);
        small(out, (at + 11.0, second), "start", DIM, "the number that is rounded");
    }
    if shown.beyond || shown.rounded { second } else { y }
}

/// The mark of the source.
pub fn circle(out: &mut String, x: f64, y: f64) {
    let _ = write!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"4.5\" style=\"fill:{GROUND};stroke:{RESULT};stroke-width:2\"/>"
    );
}

/// The mark of a source beyond the left or the right edge: its tip is at `x`.
pub fn arrowhead(out: &mut String, x: f64, y: f64, left: bool) {
    let back = if left { 10 } else { -10 };
    let _ = write!(
        out,
        "<path d=\"M{x:.1} {y} l{back} -5.5 v11 z\" style=\"fill:{GROUND};stroke:{RESULT};stroke-width:2\"/>"
    );
}

/// The mark of a number that is rounded in place of the source.
pub fn diamond(out: &mut String, x: f64, y: f64) {
    let _ = write!(out, "<path d=\"M{x:.1} {} l5 5 l-5 5 l-5 -5 z\" style=\"fill:{RESULT}\"/>", y - 5.0);
}

/// An arrow over the line from one number to another; dotted before rounding.
pub fn arrow(out: &mut String, axis: f64, from: f64, to: f64, dotted: bool) {
    if (to - from).abs() <= 1.0 {
        return;
    }
    let middle = f64::midpoint(from, to);
    let (start, top, end) = (axis - 6.0, axis - 34.0, axis - 11.0);
    let (colour, dashes) = if dotted { (DIM, ";stroke-dasharray:2 3") } else { (RESULT, "") };
    let _ = write!(
        out,
        "<path d=\"M{from:.1} {start} Q{middle:.1} {top} {to:.1} {end}\" \
         style=\"fill:none;stroke:{colour};stroke-width:1.5{dashes}\"/>\
         <path d=\"M{to:.1} {} l-4 -7 h8 z\" style=\"fill:{colour}\"/>",
        axis - 9.0
    );
}
