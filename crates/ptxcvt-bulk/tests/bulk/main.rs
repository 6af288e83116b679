//! Compares the bulk engine with the reference: every form on every tier of this machine, on the lattices of
//! `inputs` and random inputs.

mod interface;
mod memory;
mod neighbours;
mod operands;

use ptxcvt::forms::Role;
use ptxcvt::inputs;
use ptxcvt::{Form, Modifier, Opcode};
use ptxcvt_bulk::{Column, ColumnMut, Plan, Tier};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of random inputs for each form besides its lattice; about ten million for all forms.
const RANDOM: usize = 8_000;

/// The columns of a form as little-endian bytes, and the reference's results.
struct Case {
    form: Form,
    columns: Vec<Vec<u8>>,
    expected: Vec<u8>,
}

impl Case {
    fn new(form: Form, rows: impl Iterator<Item = [u64; inputs::MAX_OPERANDS]>) -> Case {
        let widths: Vec<usize> = form.operands().skip(1).map(|o| o.width as usize / 8).collect();
        let mut case = Case { form, columns: vec![Vec::new(); widths.len()], expected: Vec::new() };
        let width = form.result_width() as usize / 8;
        for row in rows {
            let operands = &row[..widths.len()];
            for ((column, value), width) in case.columns.iter_mut().zip(operands).zip(&widths) {
                column.extend_from_slice(&value.to_le_bytes()[..*width]);
            }
            let bits = form.eval(operands).expect("the right number of operands");
            case.expected.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
        case
    }

    /// The elements in memory order: the last data operand is the lowest.
    fn packed(&self) -> Option<Vec<u8>> {
        if self.form.opcode() == Opcode::CvtPack {
            return None;
        }
        let data = self.form.operands().skip(1).filter(|o| !is_extra(o.role)).count();
        if data == 1 {
            return Some(self.columns[0].clone());
        }
        let width = self.form.source().width() as usize / 8;
        let columns: Vec<_> = self.columns[..data].iter().rev().map(|c| c.chunks_exact(width)).collect();
        let mut out = Vec::with_capacity(data * self.columns[0].len());
        for i in 0..self.columns[0].len() / width {
            columns.iter().for_each(|c| out.extend_from_slice(c.clone().nth(i).expect("same lengths")));
        }
        Some(out)
    }

    /// The column of `rbits` or scales.
    fn extra(&self) -> Option<&[u8]> {
        self.form.operands().skip(1).position(|o| is_extra(o.role)).map(|at| &self.columns[at][..])
    }

    /// The first instruction whose result differs, in words.
    fn difference(&self, tier: Tier, how: &str, result: &[u8]) -> Option<String> {
        let width = self.form.result_width() as usize / 8;
        let (expected, given) = (self.expected.chunks(width), result.chunks(width));
        let at = expected.zip(given).position(|(a, b)| a != b)?;
        let value = |bytes: &[u8], at: usize, width: usize| {
            bytes[at * width..][..width].iter().rev().map(|b| format!("{b:02x}")).collect::<String>()
        };
        let n = self.expected.len() / width;
        let operands: Vec<String> = self.columns.iter().map(|c| value(c, at, c.len() / n)).collect();
        let (expected, given) = (value(&self.expected, at, width), value(result, at, width));
        Some(format!("{} on {tier}, {how}: {operands:?} gives {given}, reference {expected}", self.form))
    }

    /// Runs on one tier, as columns and as packed elements.
    fn check(&self, tier: Tier) -> Option<String> {
        let plan = Plan::with_tier(self.form, tier).expect("an available tier");
        let columns: Vec<Column> = self.columns.iter().map(|c| Column::Bytes(c)).collect();
        let mut result = vec![0xa5; self.expected.len()];
        plan.run(&columns, ColumnMut::Bytes(&mut result)).expect("columns of one length");
        if let Some(text) = self.difference(tier, "columns", &result) {
            return Some(text);
        }
        let packed = self.packed()?;
        result.fill(0xa5);
        let extra = self.extra().map(Column::Bytes);
        plan.run_packed(Column::Bytes(&packed), extra, ColumnMut::Bytes(&mut result)).expect("packed");
        self.difference(tier, "packed", &result)
    }
}

fn is_extra(role: Role) -> bool {
    matches!(role, Role::RandomBits | Role::ScaleFactor)
}

/// Runs `work` on every item, on all cores, and fails with all messages that it returns.
fn on_all_cores<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = ptxcvt_parallel::thread_count(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(text) = work(item) {
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_form_on_every_tier() {
    let forms: Vec<Form> = Form::all().collect();
    on_all_cores(&forms, |form| {
        let case = Case::new(*form, inputs::operands(form, RANDOM, 0x5eed));
        Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| case.check(tier))
    });
}

/// Forms that PTX does not have. The engine evaluates them as the reference does, so no row that the table gets is computed
/// by kernels that do not fit it.
#[test]
fn made_up_forms_on_every_tier() {
    let whole_bytes = |form: &Form| form.operands().all(|operand| operand.width % 8 == 0);
    let forms: Vec<Form> = Form::made_up().filter(whole_bytes).step_by(97).collect();
    on_all_cores(&forms, |form| {
        // An odd step, because the operands repeat with a power of two.
        let step = (inputs::operands(form, 0, 1).count() / 300) | 1;
        let case = Case::new(*form, inputs::operands(form, 100 * step, 0x5eed).step_by(step));
        let found = Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| case.check(tier))?;
        Some(format!("{found} with {:?}", form.modifiers()))
    });
}

/// Every 16-bit element, as the lower and as the upper one of a pair, with scales at the ends of the range
/// and in between. A scale changes which numbers a kernel treats as subnormal or too large.
#[test]
fn every_word_with_a_scale() {
    let forms: Vec<Form> = Form::all()
        .filter(|form| form.source().format().bits() == 16)
        .filter(|form| form.extra().is_some_and(|extra| extra.role == Role::ScaleFactor))
        .collect();
    let tiers: Vec<Tier> = Tier::available().filter(|t| *t != Tier::Reference).collect();
    on_all_cores(&forms, |form| {
        let scales = (0..=8).chain((9..250).step_by(17)).chain(250..=255);
        scales.into_iter().find_map(|scale: u64| {
            let rows = (0..=u16::MAX).map(|word| {
                let pair = u64::from(word) | u64::from(word.rotate_left(7) ^ 0x8000) << 16;
                // The upper half is only for n2.
                let scales = if form.has(Modifier::ScaledN1) { scale } else { scale | (scale ^ 1) << 8 };
                [pair, scales, 0, 0, 0]
            });
            let case = Case::new(*form, rows);
            tiers.iter().find_map(|tier| case.check(*tier))
        })
    });
}

/// Long arrays of ordinary numbers with few others. Kernels take another path where one is subnormal, too large or NaN, and
/// some keep to it for a while.
#[test]
fn rare_numbers_among_ordinary_ones() {
    let forms: Vec<Form> = Form::all().filter(|form| form.source_count() == 1).collect();
    on_all_cores(&forms, |form| {
        let format = form.source().format();
        let (ordinary, rare): (Vec<_>, Vec<_>) = inputs::operands(form, 500, 0x5eed)
            .partition(|row| (0.5..256.0).contains(&format.decode(row[0]).to_f64().abs()));
        let mut rare = rare.into_iter().step_by(7);
        // A gap of more elements than any kernel looks at together.
        let rows = ordinary.iter().cycle().take(12_000).enumerate();
        let rows = rows.map(|(i, row)| if i % 5_003 == 77 { rare.next().unwrap_or(*row) } else { *row });
        let case = Case::new(*form, rows);
        Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| case.check(tier))
    });
}
