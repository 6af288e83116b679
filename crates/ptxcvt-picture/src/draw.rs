//! A conversion as SVG: self-contained, legible on light and dark ground.

use std::fmt::Write as _;

use ptxcvt::forms::Operand;
use ptxcvt::literal::{self, hex};
use ptxcvt::{Element, Form, OperandCountError, Rounding};

use crate::label::{self, Label};
use crate::picture::{Picture, Stochastic};
use crate::style::{
    CHARACTER, DIM, GROUND, INK, RESULT, RULE, SHADE, SMALL, line, open, rect, rounded, small, text, wrapped,
};

/// The width of a document, which a README has room for, and of a single line of numbers.
const WIDE: f64 = 640.0;
const CLOSE: f64 = 480.0;
/// The room next to the line.
const MARGIN: f64 = 48.0;
/// Room for a source beyond the line.
const BEYOND: f64 = 84.0;
/// The heights of a line of text, of a line of numbers, and of the sum under `.rs`.
const TEXT: f64 = 16.0;
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

/// The roundings that a line of numbers shows.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Roundings {
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
struct Shown {
    /// There is a line of numbers.
    lines: bool,
    roundings: Roundings,
    /// A source is further away than the picture's edge.
    beyond: bool,
    /// A number other than the source is rounded.
    rounded: bool,
}

impl Shown {
    fn add(&mut self, other: Shown) {
        self.lines |= other.lines;
        self.roundings = self.roundings.max(other.roundings);
        self.beyond |= other.beyond;
        self.rounded |= other.rounded;
    }
}

/// Draws the meaning of the marks on a line of numbers, and returns the y coordinate of its last row.
fn legend(out: &mut String, y: f64, shown: Shown) -> f64 {
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
fn circle(out: &mut String, x: f64, y: f64) {
    let _ = write!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"4.5\" style=\"fill:{GROUND};stroke:{RESULT};stroke-width:2\"/>"
    );
}

/// The mark of a source beyond the left or the right edge: its tip is at `x`.
fn arrowhead(out: &mut String, x: f64, y: f64, left: bool) {
    let back = if left { 10 } else { -10 };
    let _ = write!(
        out,
        "<path d=\"M{x:.1} {y} l{back} -5.5 v11 z\" style=\"fill:{GROUND};stroke:{RESULT};stroke-width:2\"/>"
    );
}

/// The mark of a number that is rounded in place of the source.
fn diamond(out: &mut String, x: f64, y: f64) {
    let _ = write!(out, "<path d=\"M{x:.1} {} l5 5 l-5 5 l-5 -5 z\" style=\"fill:{RESULT}\"/>", y - 5.0);
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

/// An arrow over the line from one number to another; dotted before rounding.
fn arrow(out: &mut String, axis: f64, from: f64, to: f64, dotted: bool) {
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
mod tests {
    use std::collections::BTreeSet;

    use ptxcvt::Form;

    use super::{CHARACTER, CLOSE, END, MARGIN, SMALL, WIDE, panel, scale};
    use crate::picture::Picture;

    /// The texts of a drawing, each with its row, its left and its right end.
    fn texts(drawn: &str) -> Vec<(String, [f64; 2], String)> {
        let value = |tag: &str, name: &str| {
            let (_, rest) = tag.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let mut is_small = false;
        let mut found = Vec::new();
        for tag in drawn.split('<').skip(1) {
            if tag.starts_with("g ") {
                is_small = tag.contains("10.5");
            } else if tag.starts_with("/g>") {
                is_small = false;
            } else if let Some((attributes, text)) =
                tag.strip_prefix("text ").and_then(|tag| tag.split_once('>'))
            {
                let x: f64 = value(attributes, "x").parse().unwrap();
                let size = text.chars().count() as f64 * if is_small { SMALL } else { CHARACTER };
                let from = x - match &*value(attributes, "text-anchor") {
                    "start" => 0.0,
                    "middle" => size / 2.0,
                    _ => size,
                };
                found.push((value(attributes, "y"), [from, from + size], text.to_owned()));
            }
        }
        found
    }

    /// A label is never another number than the one at its place.
    #[test]
    fn large_integers_keep_their_digits() {
        for (opcode, bits, there, not) in [
            ("cvt.u64.u64", u64::MAX, "≈1.8447e19", "2^64"),
            ("cvt.rn.f32.u64", u64::MAX, "18446744073709551615", "≈2^64"),
            ("cvt.s64.s64", 1 << 63, "≈-9.2234e18", "2^63"),
            ("cvt.u64.u64", 10_u64.pow(12), "1e12", "≈1e12"),
        ] {
            let form: Form = opcode.parse().unwrap();
            let element = form.explain(&[bits]).unwrap().elements()[0];
            let (drawn, ..) = panel(&form, &element, WIDE).unwrap();
            assert!(!texts(&drawn).iter().any(|(.., text)| text == not), "{opcode} {drawn}");
            assert!(
                texts(&drawn).iter().any(|(.., text)| text == there),
                "{opcode} {there} {:?}",
                texts(&drawn)
            );
        }
    }

    /// For every form and many numbers, in both widths: labels of different numbers differ, all are inside, and none
    /// touches another of its row.
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
                for element in form.explain(&vec![bits; form.source_count()]).unwrap().elements() {
                    let Some(picture) = Picture::new(element) else { continue };
                    for width in [CLOSE, WIDE] {
                        let (drawn, _, shown) = panel(&form, element, width).unwrap();
                        let row = if shown.rounded { "108.0" } else { "94.0" };
                        let all = texts(&drawn);
                        let values: BTreeSet<u64> =
                            picture.ticks.iter().map(|tick| (tick.distance + 0.0).to_bits()).collect();
                        let labels: BTreeSet<&str> = all
                            .iter()
                            .filter(|(y, ..)| y == row)
                            .map(|(.., text)| &**text)
                            .filter(|text| *text != "tie")
                            .collect();
                        assert_eq!(labels.len(), values.len(), "{form} {bits:#x} {labels:?}");
                        for (at, (y, [from, to], text)) in all.iter().enumerate() {
                            assert!(*from >= 0.0 && *to <= width, "{form} {bits:#x} {text}");
                            let touches = |(other, ends, _): &&(String, [f64; 2], String)| {
                                other == y && ends[0] < *to && *from < ends[1]
                            };
                            let touched = all[at + 1..].iter().find(touches);
                            assert!(touched.is_none(), "{form} {bits:#x} {width}: {text} {touched:?}");
                            seen += 1;
                        }
                    }
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }

    /// The mark of a source is at the place of the operand's number, or an arrow points beyond the edge and its label has
    /// the number. Relative to the values of the destination, that place is computed again here.
    #[test]
    fn sources_are_where_they_are_marked() {
        let (mut inside, mut outside, mut changed) = (0, 0, 0);
        for form in Form::all() {
            for bits in
                [0xbfc0_0000, 0xc396_0000, 0x4479_c000, 0x8000_0001, 0x3fc6_6666, 0xc2c2, 0x43e1_0000, 1]
            {
                let mut operands = vec![bits; form.source_count()];
                if form.modifiers().iter().any(ptxcvt::Modifier::is_scale) {
                    operands[form.source_count() - 1] = 0x8282; // 8
                }
                for element in form.explain(&operands).unwrap().elements() {
                    let Some(picture) = Picture::new(element) else { continue };
                    let source = element.source_value().to_f64();
                    assert_eq!(picture.source, source, "{form} {bits:#x}");
                    let (first, last) = (picture.ticks[0], picture.ticks[picture.ticks.len() - 1]);
                    // Integers beyond 2^53 have a test of their own.
                    if source.abs() > 9e15 || last.value.abs() > 9e15 || first.value == last.value {
                        continue;
                    }
                    let place = (source - first.value) / (last.value - first.value);
                    let at = scale(&picture, WIDE)(place);
                    let (drawn, ..) = panel(&form, element, WIDE).unwrap();
                    let above = texts(&drawn).into_iter().find(|(y, ..)| y == "14.0").unwrap().2;
                    let label = above.trim_matches(['←', '→', ' ', '≈']);
                    // Labels of five digits, or powers of two.
                    let number: f64 = match label.split_once("2^") {
                        Some((sign, power)) => {
                            power.parse::<f64>().unwrap().exp2() * if sign == "-" { -1.0 } else { 1.0 }
                        }
                        None => label.parse().unwrap(),
                    };
                    assert!(
                        (number - source).abs() <= 1e-4 * source.abs(),
                        "{form} {bits:#x} {above} {source}"
                    );
                    let drawn_at: Option<f64> = drawn
                        .split_once("<circle cx=\"")
                        .map(|(_, rest)| rest.split('"').next().unwrap().parse().unwrap());
                    if (MARGIN - END..=WIDE - MARGIN + END).contains(&at) {
                        assert!((drawn_at.unwrap() - at).abs() < 0.1, "{form} {bits:#x} {at} {drawn}");
                        inside += 1;
                    } else {
                        let arrow = if at < 0.0 { above.starts_with('←') } else { above.ends_with('→') };
                        assert!(drawn_at.is_none() && arrow, "{form} {bits:#x} {at} {above} {drawn}");
                        outside += 1;
                        changed +=
                            usize::from(element.relu || element.sign_dropped || element.scale.is_some());
                    }
                }
            }
        }
        assert!(inside > 1000 && outside > 500 && changed > 50, "{inside} {outside} {changed}");
    }

    /// Every form draws every kind of value, each tag is closed, and nothing is placed outside.
    #[test]
    fn every_form_has_a_picture() {
        for form in Form::all() {
            let count = form.source_count();
            for bits in [0, 1, 0x3fc6_6666, 0x8000_0000, 0x7fc0_0000, 0x7f80_0000, 0x3c3c, u64::MAX] {
                let svg = super::svg(&form, &vec![bits; count]).unwrap();
                for tag in ["g", "text", "svg", "title", "tspan"] {
                    let open =
                        svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
                    assert_eq!(open, svg.matches(&format!("</{tag}>")).count(), "{form} {bits:#x}");
                }
                assert!(!svg.contains("\"NaN") && !svg.contains("\"inf"), "{form} {bits:#x}: {svg}");
                assert!(svg.matches("<circle").count() <= form.lanes() as usize + 1, "{form}");
            }
        }
    }

    /// The legend explains what is drawn, and nothing else.
    #[test]
    fn the_legend_is_that_of_the_picture() {
        let second = |opcode: &str, operands: &[u64]| {
            let svg = super::svg(&opcode.parse().unwrap(), operands).unwrap();
            (svg.contains("beyond the edge"), svg.contains("the number that is rounded"))
        };
        assert_eq!(second("cvt.rn.f16.f32", &[0x3f80_0001]), (false, false));
        assert_eq!(second("cvt.rn.satfinite.e4m3x2.f32", &[0x4479_c000, 0]), (true, false));
        assert_eq!(second("cvt.rp.satfinite.ue8m0x2.f32", &[0xc040_0000, 0]), (true, true));
        let legend = |opcode: &str, operands: &[u64]| {
            let svg = super::svg(&opcode.parse().unwrap(), operands).unwrap();
            (svg.contains("where each rounding ends"), svg.contains("this one in green"))
        };
        assert_eq!(legend("cvt.rn.f16.f32", &[0x3f80_0001]), (true, true));
        assert_eq!(legend("cvt.f32.f16", &[0x3c00]), (false, false), "exact");
        assert!(
            !legend("cvt.rs.satfinite.e4m3x4.f32", &[0x3f80_0001, 0, 0, 0, 5]).1,
            "no rounding of the others is its own"
        );
    }
}
