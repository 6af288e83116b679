//! A picture as SVG: self-contained, legible on light and dark ground.

use std::fmt::Write as _;

use ptxcvt::{Element, Explanation, Form};

use crate::picture::Picture;

const WIDTH: f64 = 640.0;
/// The line lies between these.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 580.0;
/// Of one element.
const HEIGHT: f64 = 112.0;

/// The conversion as an SVG document: a line of numbers for each element, the upper element first.
pub fn svg(form: &Form, explanation: &Explanation) -> String {
    let elements = explanation.elements();
    let height = HEIGHT * elements.len() as f64;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{form}\" font-family=\"ui-monospace, monospace\" \
         font-size=\"12\" fill=\"currentColor\" stroke=\"none\"><title>{form}</title>"
    );
    for (lane, element) in elements.iter().enumerate() {
        let _ = write!(out, "<g transform=\"translate(0 {})\">", HEIGHT * lane as f64);
        let (part, operand) = form.element_names(lane);
        draw(&mut out, element, part, operand);
        out.push_str("</g>");
    }
    out.push_str("</svg>");
    out
}

/// One element: a heading, and the line where there is one.
fn draw(out: &mut String, element: &Element, part: &str, operand: &str) {
    let heading = format!(
        "{part} = {} {} from {operand} = {}",
        element.result_hex(),
        element.result_value(),
        element.source_value()
    );
    text(out, (8.0, 18.0, "start"), &heading);
    let steps = element.steps().join("; ");
    let _ = write!(out, "<g opacity=\"0.7\" font-size=\"11\">");
    text(out, (8.0, 34.0, "start"), &steps);
    out.push_str("</g>");
    let Some(picture) = Picture::new(element) else { return };
    let x = |place: f64| LEFT + place.clamp(-0.08, 1.08) * (RIGHT - LEFT);
    line(out, (LEFT - 24.0, 78.0), (RIGHT + 24.0, 78.0), "stroke=\"currentColor\" opacity=\"0.5\"");
    for tick in &picture.ticks {
        let style =
            if tick.result { "stroke=\"#d6336c\" stroke-width=\"3\"" } else { "stroke=\"currentColor\"" };
        line(out, (x(tick.place), 70.0), (x(tick.place), 86.0), style);
        text(out, (x(tick.place), 102.0, "middle"), &number(tick.value));
    }
    if let Some(midpoint) = picture.midpoint {
        let style = "stroke=\"currentColor\" stroke-dasharray=\"2 3\" opacity=\"0.6\"";
        line(out, (x(midpoint), 66.0), (x(midpoint), 90.0), style);
    }
    let from = x(picture.place);
    let _ = write!(out, "<circle cx=\"{from:.1}\" cy=\"78\" r=\"4\" fill=\"#1c7ed6\"/>");
    let result = picture.ticks.iter().find(|tick| tick.result);
    if let Some(to) = result.map(|tick| x(tick.place)).filter(|to| (to - from).abs() > 1.0) {
        let middle = f64::midpoint(from, to);
        let _ = write!(
            out,
            "<path d=\"M{from:.1} 74 Q{middle:.1} 44 {to:.1} 68\" fill=\"none\" stroke=\"#1c7ed6\" \
             stroke-width=\"1.5\"/><path d=\"M{to:.1} 70 l-4 -7 h8 z\" fill=\"#1c7ed6\"/>"
        );
    }
}

fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
    let _ = write!(out, "<line x1=\"{x1:.1}\" y1=\"{y1}\" x2=\"{x2:.1}\" y2=\"{y2}\" {style}/>");
}

/// Text at a place; everything that is written here is letters, digits and signs, but `<` is made harmless all the same.
fn text(out: &mut String, (x, y, anchor): (f64, f64, &str), what: &str) {
    let what = what.replace('&', "&amp;").replace('<', "&lt;");
    let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{what}</text>");
}

/// A number in as few digits as tell it from its neighbours on the line.
fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e7).contains(&size) {
        let text = format!("{value:.7}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:.4e}")
}

#[cfg(test)]
mod tests {
    use ptxcvt::Form;

    /// Every form draws every kind of value, each tag is closed, and nothing is placed outside.
    #[test]
    fn every_form_has_a_picture() {
        for form in Form::all() {
            let count = form.source_count();
            for bits in [0, 1, 0x3fc6_6666, 0x8000_0000, 0x7fc0_0000, 0x7f80_0000, 0x3c3c, u64::MAX] {
                let svg = super::svg(&form, &form.explain(&vec![bits; count]).unwrap());
                for tag in ["g", "text", "svg"] {
                    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
                    // `<text` and `<title`, `<svg`: none is the beginning of another.
                    assert_eq!(svg.matches(&open).count(), svg.matches(&close).count(), "{form} {bits:#x}");
                }
                assert!(!svg.contains("\"NaN"), "{form} {bits:#x}: {svg}");
                assert!(svg.matches("<circle").count() <= form.lanes() as usize, "{form}");
            }
        }
    }
}
