//! A worked example of a form: operands with a tie and a number beyond the range, where the form has such inputs.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Account, Form, Format, Rounding, Value};

use crate::html::{Html, all, block, drawn, section, tag};

/// The example, computed and drawn.
pub fn section_of(form: &Form) -> Html {
    let words = operands(form);
    let explanation = form.explain(&words).expect("a word for each source operand");
    let written: Vec<String> = form
        .operands()
        .skip(1)
        .zip(&words)
        .map(|(operand, word)| ptxcvt::literal::hex(*word, operand.width))
        .collect();
    let command = format!("$ ptxcvt eval {form} {}\n", written.join(" "));
    let account = Account::new(form, &explanation).to_string();
    section(
        "Example",
        all([
            block(format_args!("{command}{}", account.trim_end())),
            tag("figure", drawn(ptxcvt_picture::svg(form, &words).expect("a word for each source operand"))),
        ]),
    )
}

/// A word for each source operand, in PTX order.
fn operands(form: &Form) -> Vec<u64> {
    let source = form.source().format();
    let mut elements = chosen(form.destination().format(), source).into_iter().cycle();
    let word = |operand: Operand| match (operand.role, operand.ty) {
        (Role::RandomBits, _) => 0x5555_5555,
        // The scale 2 of ue8m0, for each element.
        (Role::ScaleFactor, _) => (0..operand.width / 8).fold(0, |word, _| word << 8 | 0x80),
        (_, Some(ty)) => (0..ty.lanes()).fold(0, |word: u64, _| {
            // In two steps, because a storage of 64 bits is as wide as the word.
            let upper = word << (ty.format().storage() - 1) << 1;
            upper | elements.next().expect("a cycle does not end")
        }),
        (Role::Rest, None) => 0,
        (role, None) => unreachable!("{} has a type", role.name()),
    };
    form.operands().skip(1).map(word).collect()
}

/// Codes of the source: a tie between two numbers of the destination, the largest number, and -1, or what is nearest to it.
fn chosen(destination: Format, source: Format) -> Vec<u64> {
    let one = destination.encode(Value::from(1.5), Rounding::Rn);
    let tie = destination.next_up(one).map(|above| {
        let [below, above] = [one, above].map(|code| destination.decode(code).to_f64());
        f64::midpoint(below, above)
    });
    let nearest = |value: f64| source.encode(Value::from(value), Rounding::Rn);
    let mut codes: Vec<u64> = tie.into_iter().map(nearest).collect();
    codes.push(source.max_finite());
    codes.push(nearest(-1.0));
    codes
}
