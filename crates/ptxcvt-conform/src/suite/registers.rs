//! The vectors of a form that takes an operand in addition to its elements: `rbits`, a scale-factor, or `c` of `cvt.pack`.
//!
//! A row has the registers of an instruction. Their elements are the inputs of a [`Suite`](super::Suite), so that each
//! of them is in each place of a register.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::inputs::{MAX_OPERANDS, SplitMix64};
use ptxcvt::{Form, Rounding, mask};

use super::list::inputs;
use super::table::{Column, Table};

/// Up to this many rows, every input is combined with every kind of additional operand.
const MOST_ROWS: usize = 1 << 17;
/// How many of the additional operands are random, in addition to the chosen ones.
const RANDOM: usize = 4;

/// The vectors of an instruction: its source registers and the register of the result.
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_conform::suite::{Layout, registers};
/// let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse()?;
/// let table = registers(&form, 100, 1);
/// let names: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
/// assert_eq!(names, ["a", "b", "e", "f", "rbits", "d"]);
/// assert!(table.rows().all(|row| form.eval(&row[..5]).unwrap() == row[5]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn registers(form: &Form, random: usize, seed: u64) -> Table {
    let elements = inputs(form.source().format(), form.destination().format(), random, seed);
    let mut generator = SplitMix64::new(seed);
    let sources: Vec<Operand> = form.operands().skip(1).collect();
    let destination = form.operands().next().expect("every form has a destination");
    let lanes = form.source().lanes() as usize;
    let storage = form.source().format().storage();
    // The elements of a row are far from each other in the list.
    let places = form.data_operands().len() * lanes;
    let element =
        |row: usize, place: usize| elements[(row + place * elements.len() / places) % elements.len()];
    let chosen = chosen(form);
    let kinds = chosen.len() + RANDOM;
    let repeats = (MOST_ROWS / elements.len()).clamp(1, kinds);
    let mut codes = Vec::new();
    for row in 0..repeats * elements.len() {
        let kind = (row % elements.len() + row / elements.len()) % kinds;
        let mut operands = [0; MAX_OPERANDS];
        let mut place = 0;
        for (register, operand) in operands.iter_mut().zip(&sources) {
            *register = match operand.role {
                Role::RandomBits | Role::ScaleFactor | Role::Rest => {
                    let bits = chosen.get(kind).copied().unwrap_or_else(|| generator.next_u64());
                    bits & mask(operand.width)
                }
                // A register of 64 bits has one element.
                _ => (0..lanes).fold(0, |bits, _| {
                    place += 1;
                    bits << (storage % 64) | element(row, place - 1)
                }),
            };
        }
        let operands = &operands[..sources.len()];
        codes.extend(operands);
        codes.push(form.eval(operands).expect("the operands are those of the form"));
    }
    let columns = sources.iter().chain([&destination]);
    Table {
        title: form.to_string(),
        name: form.identifier(),
        head: vec![("opcode", form.to_string())],
        columns: columns
            .map(|operand| Column { name: operand.role.identifier(), bits: operand.width })
            .collect(),
        codes,
    }
}

/// Additional operands on which results depend.
fn chosen(form: &Form) -> Vec<u64> {
    match form.extra().map(|operand| operand.role) {
        // Each half of a field, at which ties begin to carry, and one less.
        Some(Role::RandomBits) => {
            halves(form).into_iter().flat_map(|half| [half, !half]).chain([0, u64::MAX]).collect()
        }
        // 1 for both elements; the largest power and NaN; the least power.
        Some(Role::ScaleFactor) => vec![0x7f7f, 0xfeff, 0xfffe, 0],
        _ => vec![0, u64::MAX],
    }
}

/// The random bits that alone carry a tie: the highest of each element's field.
fn halves(form: &Form) -> Vec<u64> {
    let (source, destination) = (form.source().format(), form.destination().format());
    let step = destination.epsilon().expect("random bits round to a float");
    let tie = source.encode(1.0 + destination.decode(step).to_f64() / 2.0, Rounding::Rz);
    let result = |random: u64| {
        let mut operands = vec![tie; form.data_operands().len()];
        operands.push(random);
        form.eval(&operands).expect("one register for each element, and random bits")
    };
    let none = result(0);
    (0..32).map(|bit| 1 << bit).filter(|bit| result(*bit) != none).collect()
}
