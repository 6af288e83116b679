//! A conversion as SVG: self-contained, legible on light and dark ground.

use std::fmt::Write as _;

use ptxcvt::forms::Operand;
use ptxcvt::literal::{self, hex};
use ptxcvt::{Element, Form, OperandCountError, Rounding};

use crate::label::{self, Label};
use crate::marks::{Roundings, Shown, TEXT, arrow, arrowhead, circle, diamond, legend};
use crate::picture::{Picture, Stochastic};
use crate::style::{
    CHARACTER, DIM, INK, RESULT, RULE, SHADE, SMALL, line, open, rect, rounded, small, text, wrapped,
};

/// The width of a document, which a README has room for, and of a single line of numbers.
const WIDE: f64 = 640.0;
const CLOSE: f64 = 480.0;
/// The room next to the line.
const MARGIN: f64 = 48.0;
/// Room for a source beyond the line.
const BEYOND: f64 = 84.0;
/// The heights of a line of numbers, and of the sum under `.rs`.
const LINE: f64 = 116.0;
/// A second row of labels, for a number that is rounded in place of the source.
const SECOND: f64 = 14.0;
const SUM: f64 = 84.0;

/// The conversion as an SVG document: the opcode and its operands, a line of numbers for each element, the upper
/// element first, and a legend of the marks.
///
/// # Errors
///
/// Fails if `operands` has the wrong number of words.
pub fn svg(form: &Form, operands: &[u64]) -> Result<String, OperandCountError> {
    let explanation = form.explain(operands)?;
    let mut body = String::new();
    let mut y = 24.0;
    for line in wrapped(&format!("{form}"), columns(CHARACTER)) {
        let _ = write!(body, "<g font-weight=\"700\">");
        text(&mut body, (8.0, y), "start", INK, &line);
        body.push_str("</g>");
        y += TEXT;
    }
    let given = form.operands().skip(1).zip(operands).map(|(operand, bits)| given(&operand, *bits));
    let given = given.collect::<Vec<_>>().join("; ");
    let result = format!("d = {}", hex(explanation.result, form.result_width()));
    for line in wrapped(&format!("{given}; {result}"), columns(SMALL)) {
        small(&mut body, (8.0, y), "start", DIM, &line);
        y += TEXT;
    }
    let mut drawn = Shown::default();
    for (lane, element) in explanation.elements().iter().enumerate() {
        let (part, operand) = form.element_names(lane);
        let (result, source) = (element.result_value(), element.source_value());
        y += 14.0;
        for line in wrapped(
            &format!("{part} = {} {result} from {operand} = {source}", element.result_hex()),
            columns(CHARACTER),
        ) {
            text(&mut body, (8.0, y), "start", INK, &line);
            y += TEXT;
        }
        for line in wrapped(&element.steps().join("; "), columns(SMALL)) {
            small(&mut body, (8.0, y), "start", DIM, &line);
            y += TEXT;
        }
        y -= 8.0;
        if let Some((panel, height, shown)) = panel(form, element, WIDE) {
            let _ = write!(body, "<g transform=\"translate(0 {y})\">{panel}</g>");
            y += height;
            drawn.add(shown);
        }
    }
    if drawn.lines {
        y += 18.0;
        y = legend(&mut body, y, drawn);
    }
    Ok(open(WIDE, y + 14.0, &format!("{form}: {given}")) + &body + "</svg>")
}

/// An operand's name, its bits and its numbers, the upper one first.
fn given(operand: &Operand, bits: u64) -> String {
    let (name, code) = (operand.role.name(), hex(bits, operand.width));
    match operand.numbers() {
        Some((format, lanes)) => format!("{name} = {code} {}", literal::numbers(format, lanes, bits)),
        None => format!("{name} = {code}"),
    }
}

/// How many characters of a width a line of text has room for.
fn columns(width: f64) -> usize {
    ((WIDE - 16.0) / width) as usize
}

/// The number line of one element as an SVG document; `None` if source or result is not a finite number.
///
/// ```
/// use ptxcvt::Form;
/// let form: Form = "cvt.rz.tf32.f32".parse()?;
/// let explanation = form.explain(&[0x3fc6_6666])?;
/// assert!(ptxcvt_picture::element_svg(&form, &explanation.elements()[0]).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn element_svg(form: &Form, element: &Element) -> Option<String> {
    let (drawn, height, _) = panel(form, element, CLOSE)?;
    let label = format!("{}: {}", element.source_value(), element.steps().join("; "));
    Some(open(CLOSE, height, &label) + &drawn + "</svg>")
}

/// The line of numbers of an element with its height, and which roundings it shows.
fn panel(form: &Form, element: &Element, width: f64) -> Option<(String, f64, Shown)> {
    let picture = Picture::new(element)?;
    let mut out = String::new();
    let shown = number_line(&mut out, form, element, &picture, width);
    let height = LINE + if shown.rounded { SECOND } else { 0.0 };
    let Some(stochastic) = picture.stochastic else { return Some((out, height, shown)) };
    sum(&mut out, height, &stochastic);
    Some((out, height + SUM, shown))
}

/// The x coordinate of a place of the picture; it may be beyond its edges. At the end beyond which a source is, there
/// is room for it.
fn scale(picture: &Picture, width: f64) -> impl Fn(f64) -> f64 + use<> {
    let places = [picture.place, picture.rounded_place];
    let room = |at: bool| if at { BEYOND } else { 0.0 };
    let left = MARGIN + room(places.iter().any(|place| *place < 0.0));
    let right = width - MARGIN - room(places.iter().any(|place| *place > 1.0));
    move |place: f64| left + place * (right - left)
}

/// The y coordinate of the line of numbers.
const AXIS: f64 = 70.0;
/// How far the line of numbers goes beyond [`MARGIN`] at both ends.
const END: f64 = 30.0;

fn number_line(out: &mut String, form: &Form, element: &Element, picture: &Picture, width: f64) -> Shown {
    let edges = [MARGIN - END, width - MARGIN + END];
    let unbounded = scale(picture, width);
    let x = |place: f64| unbounded(place).clamp(edges[0], edges[1]);
    let result = picture.ticks.iter().find(|tick| tick.result);
    // Where the rounded number is also the result, its mark would cover that.
    let is_changed =
        picture.rounded != picture.source && result.is_none_or(|tick| tick.value != picture.rounded);
    let axis = AXIS + if is_changed { SECOND } else { 0.0 };
    if let Some([from, to]) = picture.subnormal.map(|range| range.map(x)) {
        rect(out, (from, axis - 24.0), (to - from, 48.0), SHADE);
        // An arrow from beyond an edge passes over the half that is next to it.
        let (at, anchor) = if picture.place < 0.0 { (to - 4.0, "end") } else { (from + 4.0, "start") };
        small(out, (at, axis - 14.0), anchor, DIM, "subnormal");
    }
    if let Some([from, to]) = picture.beyond.map(|range| range.map(x)) {
        rect(out, (from, axis - 24.0), (to - from, 48.0), SHADE);
        let (at, anchor) = if to >= edges[1] { (to, "end") } else { (from, "start") };
        small(out, (at, axis + 38.0), anchor, DIM, "out of range");
    }
    line(out, (edges[0], axis), (edges[1], axis), RULE, 1.0);
    let labels = label::of(picture, element);
    let mut taken = Vec::new();
    for (tick, name) in picture.ticks.iter().zip(&labels.ticks) {
        let at = x(tick.place);
        let (colour, thickness) = if tick.result { (RESULT, 3.0) } else { (INK, 1.0) };
        line(out, (at, axis - 8.0), (at, axis + 8.0), colour, thickness);
        taken.push(name.draw(out, (at, axis + 24.0), colour, width));
        let code = Label::code(hex(tick.code, element.result_format.storage()));
        code.draw(out, (at, axis + 38.0), DIM, width);
    }
    if let Some(midpoint) = picture.midpoint {
        let style = format!("stroke:{DIM};stroke-dasharray:2 3");
        let at = x(midpoint);
        let (top, bottom) = (axis - 12.0, axis + 12.0);
        let _ = write!(
            out,
            "<line x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\" style=\"{style}\"/>"
        );
        let tie = Label::small("tie".to_owned());
        let [from, to] = tie.extent(at, width);
        if taken.iter().all(|[left, right]| to < *left || from > *right) {
            tie.draw(out, (at, axis + 24.0), DIM, width);
        }
    }
    let roundings = modes(out, form.rounding(), picture, axis, &x);
    let from = x(picture.place);
    let is_beyond = (unbounded(picture.place) - from).abs() > 0.05;
    let rounded = x(picture.rounded_place);
    if is_changed {
        arrow(out, axis, from, rounded, true);
    }
    if let Some(to) = result.map(|tick| x(tick.place)) {
        arrow(out, axis, if is_changed { rounded } else { from }, to, false);
    }
    if is_changed {
        diamond(out, rounded, axis);
        labels.rounded.draw(out, (rounded, 28.0), INK, width);
        line(out, (rounded, 33.0), (rounded, axis - 6.0), RULE, 1.0);
    }
    if is_beyond {
        let left = from < width / 2.0;
        arrowhead(out, from, axis, left);
        labels.source.beyond(left).draw(out, (from, 14.0), INK, width);
    } else {
        circle(out, from, axis);
        labels.source.draw(out, (from, 14.0), INK, width);
        line(out, (from, 19.0), (from, axis - 6.0), RULE, 1.0);
    }
    Shown { lines: true, roundings, beyond: is_beyond, rounded: is_changed }
}

/// Over each number the roundings that would end there; the instruction's own is emphasised.
fn modes(
    out: &mut String,
    own: Option<Rounding>,
    picture: &Picture,
    axis: f64,
    x: &impl Fn(f64) -> f64,
) -> Roundings {
    let mut shown = Roundings::Nothing;
    let same = |mode: Rounding| {
        own == Some(mode)
            || matches!(
                (own, mode),
                (Some(Rounding::Rni), Rounding::Rn)
                    | (Some(Rounding::Rzi), Rounding::Rz)
                    | (Some(Rounding::Rmi), Rounding::Rm)
                    | (Some(Rounding::Rpi), Rounding::Rp)
            )
    };
    for tick in &picture.ticks {
        let here: Vec<Rounding> =
            picture.modes.iter().filter(|(_, c)| *c == tick.code).map(|(m, _)| *m).collect();
        if here.is_empty() {
            continue;
        }
        shown =
            shown.max(if here.iter().any(|mode| same(*mode)) { Roundings::Own } else { Roundings::Others });
        let spans: Vec<String> = here
            .iter()
            .map(|mode| {
                let style = if same(*mode) {
                    format!("fill:{RESULT};font-weight:700")
                } else {
                    format!("fill:{DIM}")
                };
                format!("<tspan style=\"{style}\">{}</tspan>", mode.name())
            })
            .collect();
        let (at, y) = (x(tick.place), axis - 38.0);
        let _ = write!(
            out,
            "<text x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"10.5\">{}</text>",
            spans.join(" ")
        );
    }
    shown
}

/// The sum that decides under `.rs`, bit by bit.
fn sum(out: &mut String, top: f64, stochastic: &Stochastic) {
    let Stochastic { bits, discarded, random, carry, .. } = *stochastic;
    let cell = 20.0;
    let left = 120.0;
    let total = discarded + random;
    let rows = [("discarded", discarded), ("+ random", random), ("= sum", total)];
    for (row, (name, value)) in rows.iter().enumerate() {
        let y = top + 14.0 + 20.0 * row as f64;
        small(out, (left - cell - 10.0, y), "end", DIM, name);
        for bit in 0..bits {
            let set = value >> (bits - 1 - bit) & 1;
            let colour = if set == 1 { INK } else { DIM };
            text(out, (left + cell * (f64::from(bit) + 0.5), y), "middle", colour, &set.to_string());
        }
    }
    let y = top + 54.0;
    line(out, (left - cell, y - 14.0), (left + cell * f64::from(bits), y - 14.0), RULE, 1.0);
    let (digit, colour) = if carry { ("1", RESULT) } else { ("0", DIM) };
    text(out, (left - cell * 0.5, y), "middle", colour, digit);
    let what = if carry { "carry: away from zero" } else { "no carry: towards zero" };
    let caption = format!(
        "{what}; {} of {} random fields carry, {} %",
        stochastic.carrying,
        1_u64 << bits,
        rounded(100.0 * stochastic.chance(), 4)
    );
    let colour = if carry { RESULT } else { DIM };
    for (row, part) in wrapped(&caption, 70).iter().enumerate() {
        small(out, (8.0, y + 20.0 + 14.0 * row as f64), "start", colour, part);
    }
}

#[cfg(test)]
mod tests;
