//! The meaning of each bit of an operand.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Form, Format, Random};
use ptxcvt_picture::fields;
use serde::Serialize;

/// Neighbouring bits with one meaning, from the top down.
#[derive(Serialize)]
pub struct Cells {
    pub kind: &'static str,
    pub width: u32,
    /// The element that they belong to.
    lane: Option<usize>,
    /// For random bits: the elements that use them, and in which order.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Cells {
    pub fn new(kind: &'static str, width: u32, lane: Option<usize>) -> Cells {
        Cells { kind, width, lane, note: None }
    }
}

/// The fields of one number.
pub fn of_format(format: Format, lane: Option<usize>) -> impl Iterator<Item = Cells> {
    fields(format).into_iter().map(move |(kind, width)| Cells::new(kind.name(), width, lane))
}

/// The meaning of each bit of an operand.
pub fn of_operand(form: &Form, operand: &Operand, at: usize) -> Vec<Cells> {
    match (operand.role, operand.numbers()) {
        (role, Some((format, lanes))) => {
            // One scale applies to all elements.
            let only = (role != Role::ScaleFactor).then_some(at);
            let lane = |n: u32| if lanes > 1 { Some(n as usize) } else { only };
            (0..lanes).flat_map(|n| of_format(format, lane(n))).collect()
        }
        (Role::RandomBits, None) => random(form, operand.width),
        (_, None) => vec![Cells::new("integer", operand.width, None)],
    }
}

/// The elements that use each of the random bits, found by setting one bit at a time.
fn random(form: &Form, width: u32) -> Vec<Cells> {
    let mut all: Vec<Cells> = Vec::new();
    for bit in (0..width).rev() {
        let mut operands = vec![0; form.source_count()];
        *operands.last_mut().expect("the random bits are the last operand") = 1 << bit;
        let explained = form.explain(&operands).expect("one for each operand");
        let elements = explained.elements().iter().enumerate();
        let taken: Vec<(usize, Random)> = elements
            .filter_map(|(lane, e)| Some((lane, e.random?)))
            .filter(|(_, random)| random.value != 0)
            .collect();
        let lane = taken.first().map(|(lane, _)| *lane);
        let kind = if lane.is_some() { "random" } else { "padding" };
        match all.last_mut() {
            Some(last) if last.kind == kind && last.lane == lane => last.width += 1,
            _ => {
                // The highest bit of a field is first. An element that uses the field reversed has it as its lowest.
                let note = taken.iter().map(|(lane, random)| {
                    let reversed = if random.value == 1 << (random.bits - 1) { "" } else { " reversed" };
                    format!("{}{reversed}", form.element_names(*lane).0)
                });
                let note = note.collect::<Vec<_>>().join(", ");
                all.push(Cells { note: Some(note).filter(|n| !n.is_empty()), ..Cells::new(kind, 1, lane) });
            }
        }
    }
    all
}
