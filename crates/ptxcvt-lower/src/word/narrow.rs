//! Words of f32 to FP4 codes: each code and its sign go to the top of a register, and funnel shifts chain them.
//!
//! `short/words.rs` says how a number is rounded.

use ptxcvt::{Format, Modifier};

use super::shape::Shape;
use crate::short::words::fill;

/// One element; `%source` is its source.
const ELEMENT: &str = "\
abs.f32 word_a, %source;
min.NaN.f32 word_a, word_a, $MAX;
and.b32 word_p, word_a, 0x7f800000;
max.s32 word_p, word_p, $FLOOR;
fma.$RND.f32 word_a, word_p, $ADD_TOP, word_a;
mul.lo.u32 word_a, word_a, $CODE_TOP;
lop3.b32 word_a, word_a, %source, 0x80000000, 0x58;";

/// One element with `.relu`: NaN becomes the largest number, a negative number becomes 0.
const ELEMENT_RELU: &str = "\
min.f32 word_a, %source, $MAX;
max.f32 word_a, word_a, 0f00000000;
and.b32 word_p, word_a, 0x7f800000;
max.s32 word_p, word_p, $FLOOR;
fma.$RND.f32 word_a, word_p, $ADD_TOP_PLAIN, word_a;
mul.lo.u32 word_a, word_a, $CODE_TOP_PLAIN;";

/// The lines of the block, or `None` if the form is of another kind.
pub(super) fn lines(shape: Shape) -> Option<Vec<String>> {
    let form = shape.form();
    if form.source().format() != Format::F32 || form.destination().format() != Format::E2m1 {
        return None;
    }
    let allowed = [Modifier::Satfinite, Modifier::Relu];
    if form.modifiers().iter().any(|modifier| !allowed.contains(&modifier)) {
        return None;
    }
    let element = if form.has(Modifier::Relu) { ELEMENT_RELU } else { ELEMENT };
    let mut lines = vec![".reg .b32 word_a, word_p, word_d;".to_owned()];
    for destination in 0..shape.destinations() {
        // The last element first: the shifts for the others move it up.
        for at in (0..8).rev() {
            let source = format!("%{}", shape.destinations() + 8 * destination + at);
            lines.extend(fill(form, element).lines().map(|line| line.replace("%source", &source)));
            lines.push(match at {
                7 => "shr.u32 word_d, word_a, 28;".to_owned(),
                0 => format!("shf.l.wrap.b32 %{destination}, word_a, word_d, 4;"),
                _ => "shf.l.wrap.b32 word_d, word_a, word_d, 4;".to_owned(),
            });
        }
    }
    Some(lines)
}
