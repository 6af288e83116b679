//! Worked examples of a form: one with operands that are rounded, and what becomes of special inputs: a tie, numbers beyond
//! the range, subnormal and negative ones, infinity and NaN, where the form has such inputs.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Account, Element, Form, Format, Outcome, Rounding, Value, literal};

use crate::html::{Html, all, block, code, drawn, figure, section, table, text};

/// The example, computed and drawn.
pub fn section_of(form: &Form) -> Html {
    let words = operands(form, &chosen(form.destination().format(), form.source().format()));
    let explanation = form.explain(&words).expect("a word for each source operand");
    let written: Vec<String> = form
        .operands()
        .skip(1)
        .zip(&words)
        .map(|(operand, word)| literal::hex(*word, operand.width))
        .collect();
    let command = format!("$ ptxcvt eval {form} {}\n", written.join(" "));
    let account = Account::new(form, &explanation).to_string();
    section(
        "Example",
        all([
            block(format_args!("{command}{}", account.trim_end())),
            figure(drawn(ptxcvt_picture::svg(form, &words).expect("a word for each source operand"))),
            specials(form),
        ]),
    )
}

/// A kind of input, and how an element of it is recognised.
type Kind = (&'static str, fn(&Element) -> bool);

/// The kinds that the table of special inputs shows.
const KINDS: [Kind; 10] = [
    ("halfway between two numbers", |element| element.tie.is_some()),
    ("beyond the range", |element| is_beyond(element) && !element.source_value().is_negative()),
    ("below the range", |element| is_beyond(element) && element.source_value().is_negative()),
    ("subnormal", |element| element.flushed),
    ("negative, with .relu", |element| element.relu),
    ("negative, without a sign", |element| element.sign_dropped),
    ("negative zero, with .pzo", |element| element.pzo),
    ("negative zero", |element| is_negative_zero(element.source_value())),
    ("infinity", |element| Some(element.source) == element.source_format.infinity()),
    ("NaN", |element| matches!(element.outcome, Outcome::Nan(_))),
];

fn is_beyond(element: &Element) -> bool {
    matches!(element.outcome, Outcome::Saturated | Outcome::Overflowed | Outcome::Wrapped)
        && element.source_value().finite().is_some()
}

fn is_negative_zero(value: Value) -> bool {
    value.is_negative() && value.finite().is_some_and(|number| number.is_zero())
}

/// The result for the first input of each kind.
fn specials(form: &Form) -> Html {
    let evaluated: Vec<Element> = candidates(form.destination().format(), form.source().format())
        .into_iter()
        .map(|element| {
            let words = operands(form, &[element]);
            form.explain(&words).expect("a word for each source operand").elements()[0]
        })
        .collect();
    let rows = KINDS.iter().filter_map(|(name, is_of)| {
        let element = evaluated.iter().find(|element| is_of(element))?;
        let source = literal::hex(element.source, element.source_format.storage());
        let cell = |bits: String, value: Value| all([code(bits), text(format_args!(" {value}"))]);
        Some(vec![
            text(name),
            cell(source, element.source_value()),
            cell(element.result_hex(), element.result_value()),
            text(element.steps().join("; ")),
        ])
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Html::default();
    }
    table("Special inputs", &["input", "source", "result", "why"], rows)
}

/// Codes of the source among which the special inputs are found.
fn candidates(destination: Format, source: Format) -> Vec<u64> {
    let nearest = |value: f64| source.encode(Value::from(value), Rounding::Rn);
    // Between these numbers and the next ones of the destination is a number of the source.
    let ties = [1.0, 1.5, 256.0, 2048.0, 16_777_216.0].map(|near| halfway(destination, near));
    // A scale of 2 divides the first, and multiplies the second.
    let ties = ties.into_iter().flatten().flat_map(|tie| [tie, 2.0 * tie, tie / 2.0]);
    let mut codes: Vec<u64> = ties.map(nearest).collect();
    // As f64 has no number between 2^53 and the next one.
    codes.extend((source.is_integer() && source.bits() == 64).then_some((1 << 53) + 1));
    codes.extend([nearest(2.0), nearest(-1.0), source.max_finite(), source.min_finite()]);
    codes.extend([nearest(1e-40), source.min_positive()]);
    codes.extend((source.is_float() && source.is_signed()).then(|| nearest(-0.0)));
    codes.extend(source.infinity());
    codes.extend(source.nan());
    codes
}

/// The number halfway between the number of a format at or near `near` and the next one.
fn halfway(format: Format, near: f64) -> Option<f64> {
    let below = format.encode(Value::from(near), Rounding::Rn);
    let ends = [below, format.next_up(below)?].map(|code| format.decode(code).to_f64());
    Some(f64::midpoint(ends[0], ends[1]))
}

/// A word for each source operand, in PTX order, made of these elements again and again.
fn operands(form: &Form, elements: &[u64]) -> Vec<u64> {
    let mut elements = elements.iter().copied().cycle();
    let word = |operand: Operand| match (operand.role, operand.ty) {
        (Role::RandomBits, _) => 0x5555_5555,
        // The scale 2 of ue8m0, for each element.
        (Role::ScaleFactor, _) => (0..operand.width / 8).fold(0, |word, _| word << 8 | 0x80),
        (_, Some(ty)) => (0..ty.lanes()).fold(0, |word: u64, _| {
            // In two steps, because a storage of 64 bits is as wide as the word.
            let upper = word << (ty.format().storage() - 1) << 1;
            upper | elements.next().expect("a cycle does not end")
        }),
        (Role::Rest, None) => 0x1122_3344,
        (role, None) => unreachable!("{} has a type", role.name()),
    };
    form.operands().skip(1).map(word).collect()
}

/// Codes of the source: a tie between two numbers of the destination, the largest number, and -1, or what is nearest to it.
fn chosen(destination: Format, source: Format) -> Vec<u64> {
    let tie = halfway(destination, 1.5);
    let nearest = |value: f64| source.encode(Value::from(value), Rounding::Rn);
    let mut codes: Vec<u64> = tie.into_iter().map(nearest).collect();
    codes.push(source.max_finite());
    codes.push(nearest(-1.0));
    codes
}
