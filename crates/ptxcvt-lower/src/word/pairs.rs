//! Words composed of conversions of pairs: the sources are split into pairs, each pair is converted alone, and the
//! results are joined.
//!
//! PTX ISA sections 5.4 (scopes), 9.7.9.2 `mov` (vectors) and 9.7.9.7 `prmt`.

use ptxcvt::Form;

use super::shape::Shape;
use crate::lowering::Lowering;
use crate::render::with_names;
use crate::sequence::Kind;
use crate::unmoved::{Place, Unmoved};

/// The lines of a block that applies the lowering to every pair.
pub(super) fn lines(shape: Shape, pair: &Lowering) -> Vec<String> {
    let form = shape.form();
    let [from, to] = [form.source(), form.destination()].map(|ty| ty.format().storage());
    // In registers of 8 bits the instruction takes and leaves FP4 codes without any move.
    let instruction = pair.kind() == Kind::Instruction;
    let (body, place) = match pair.unmoved() {
        _ if instruction => (instruction_text(form), None),
        Some(Unmoved { text, place, register }) => {
            (format!("{text}\n  mov.b32 %0, {register};\n}}"), Some(*place))
        }
        None => (pair.body().to_owned(), None),
    };
    let name = |n: usize| format!("word_{n}");
    let names = |range: std::ops::Range<usize>| range.map(name).collect::<Vec<_>>().join(", ");
    let first_source = shape.destinations();
    let mut lines = Vec::new();
    if from <= 8 || to <= 8 {
        let width = match place {
            None if instruction => 2 * from.min(to),
            None => 16,
            Some(_) => 32,
        };
        lines.push(format!(".reg .b{width} {};", names(0..shape.pairs())));
    }
    // The sources of each pair, by name.
    let each = 32 / (2 * from.min(16)) as usize;
    if from == 4 && !instruction {
        lines.push(".reg .b32 word_s;".into());
        for pair in 0..shape.pairs() {
            let source = format!("%{}", first_source + pair / each);
            match pair % each {
                0 => lines.push(format!("cvt.u16.u32 {}, {source};", name(pair))),
                at => {
                    lines.push(format!("shr.u32 word_s, {source}, {};", 8 * at));
                    lines.push(format!("cvt.u16.u32 {}, word_s;", name(pair)));
                }
            }
        }
    } else if from <= 8 {
        for register in 0..shape.sources() {
            let parts = names(register * each..(register + 1) * each);
            lines.push(format!("mov.b32 {{{parts}}}, %{};", first_source + register));
        }
    }
    for pair in 0..shape.pairs() {
        let mut operands = vec![if to <= 8 { name(pair) } else { format!("%{pair}") }];
        match from {
            32 => operands.extend([2 * pair + 1, 2 * pair].map(|n| format!("%{}", first_source + n))),
            16 => operands.push(format!("%{}", first_source + pair)),
            _ => operands.push(name(pair)),
        }
        lines.extend(with_names(&body, &operands).lines().map(str::to_owned));
    }
    if to <= 8 {
        for destination in 0..shape.destinations() {
            let count = shape.pairs() / shape.destinations();
            let parts: Vec<String> = (0..count).map(|n| name(destination * count + n)).collect();
            lines.extend(packed(&parts, place, instruction, destination));
        }
    }
    lines
}

/// The instruction, whose FP4 operands are in registers of 8 bits.
fn instruction_text(form: Form) -> String {
    let operands: Vec<String> = (0..form.operands().count()).map(|n| format!("%{n}")).collect();
    format!("{form} {};", operands.join(", "))
}

/// The lines that put the pairs of one destination together.
fn packed(parts: &[String], place: Option<Place>, instruction: bool, destination: usize) -> Vec<String> {
    // Bytes of FP4 codes are joined two by two, from the place of each.
    let joined = |[a, b, c, d]: [&String; 4], selector: &str| {
        vec![
            format!("prmt.b32 {a}, {a}, {b}, {selector};"),
            format!("prmt.b32 {c}, {c}, {d}, {selector};"),
            format!("prmt.b32 %{destination}, {a}, {c}, 0x5410;"),
        ]
    };
    match (parts, place) {
        ([a, b], Some(Place::Halves)) => vec![format!("prmt.b32 %{destination}, {a}, {b}, 0x7531;")],
        ([a, b, c, d], Some(Place::Top)) => joined([a, b, c, d], "0x0073"),
        ([a, b, c, d], Some(Place::Bottom)) => joined([a, b, c, d], "0x0040"),
        ([a, b, c, d], None) if !instruction => vec![
            "{".into(),
            "  .reg .b32 word_l, word_h;".into(),
            format!("  mov.b32 word_l, {{{a}, {b}}};"),
            format!("  mov.b32 word_h, {{{c}, {d}}};"),
            format!("  prmt.b32 %{destination}, word_l, word_h, 0x6420;"),
            "}".into(),
        ],
        (parts, _) => vec![format!("mov.b32 %{destination}, {{{}}};", parts.join(", "))],
    }
}
