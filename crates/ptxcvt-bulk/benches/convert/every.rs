//! Every form: the table of kernels, and the time for a few elements.

use super::copy::copy;
use super::data::{self, Aligned};
use super::measure::measure;
use ptxcvt::forms::Role;
use ptxcvt::{Form, Format, Opcode};
use ptxcvt_bulk::{Column, ColumnMut, Plan, Stores, Tier};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// A form and its input: elements in memory order, for `cvt.pack` the columns of its operands.
struct Case {
    form: Form,
    /// The number of instructions of `cvt.pack`, otherwise of elements.
    elements: usize,
    sources: Vec<Aligned>,
    /// The scales of all instructions.
    scales: Aligned,
}

impl Case {
    fn new(form: Form, elements: usize) -> Case {
        let (columns, format) = match form.opcode() {
            Opcode::CvtPack => (form.source_count(), Format::S32),
            _ => (1, form.source().format()),
        };
        let sources = (0..columns).map(|_| data::mixed(format, elements)).collect();
        // Scales near 1, so that results are numbers.
        let mut scales = Aligned::new(elements);
        scales.bytes_mut().iter_mut().enumerate().for_each(|(i, byte)| *byte = 120 + (i % 16) as u8);
        Case { form, elements, sources, scales }
    }

    /// The half bytes that an element, or an instruction of `cvt.pack`, reads and writes.
    fn widths(&self) -> (usize, usize) {
        match self.form.opcode() {
            Opcode::CvtPack => (16, 8),
            _ => {
                let half_bytes = |format: Format| format.storage() as usize / 4;
                (half_bytes(self.form.source().format()), half_bytes(self.form.destination().format()))
            }
        }
    }

    fn result(&self) -> Aligned {
        Aligned::new(self.elements * self.widths().1 / 2)
    }

    fn convert(&self, plan: &Plan, target: &mut [u8]) {
        let result = ColumnMut::Bytes(target);
        let done = if self.form.opcode() == Opcode::CvtPack {
            let mut columns = [Column::Value(0); 3];
            for (column, source) in columns.iter_mut().zip(&self.sources) {
                *column = Column::Bytes(source.bytes());
            }
            plan.run(&columns[..self.sources.len()], result)
        } else {
            let instructions = self.elements / plan.elements_per_instruction();
            let extra = self.form.extra().map(|operand| match operand.role {
                Role::RandomBits => Column::Random { seed: 1, first: 0 },
                _ => Column::Bytes(&self.scales.bytes()[..instructions * operand.width as usize / 8]),
            });
            plan.run_packed(Column::Bytes(self.sources[0].bytes()), extra, result)
        };
        done.expect("lengths fit");
    }
}

/// Forms with the same kernels: their number, and the slowest of them compared with a copy of its bytes.
struct Way {
    forms: usize,
    slowest: Form,
    nanoseconds: f64,
    ratios: [f64; 2],
}

/// Prints the table of kernels for each tier. Every form is measured; forms with the same kernels share a
/// line.
pub fn table(tiers: &[Tier], filters: &[String]) {
    const ELEMENTS: usize = 1 << 15;
    for &tier in tiers {
        let mut ways: BTreeMap<(String, (usize, usize)), Way> = BTreeMap::new();
        for form in selected(filters) {
            let case = Case::new(form, ELEMENTS);
            let plan = Plan::with_tier(form, tier).expect("an available tier").with_stores(Stores::Cached);
            let (widths, mut target) = (case.widths(), case.result());
            // The copy for `cvt.pack` reads the first column with twice the width.
            let wide = Aligned::new(ELEMENTS * widths.0 / 2);
            let times = measure(
                &mut [
                    Box::new(|source, target| copy(widths.0, widths.1, false, source, target)),
                    Box::new(|_, target| case.convert(&plan, target)),
                ],
                wide.bytes(),
                target.bytes_mut(),
                ELEMENTS,
                (24, 2),
            );
            let (nanoseconds, ratio) = (times[1] / ELEMENTS as f64 * 1e9, times[0] / times[1]);
            let names: Vec<&str> = plan.kernels().collect();
            let name = if names.is_empty() { "copy".to_owned() } else { names.join(", ") };
            let new = Way { forms: 0, slowest: form, nanoseconds, ratios: [ratio; 2] };
            let way = ways.entry((name, widths)).or_insert(new);
            way.forms += 1;
            if ratio < way.ratios[0] {
                (way.slowest, way.nanoseconds) = (form, nanoseconds);
            }
            way.ratios = [way.ratios[0].min(ratio), way.ratios[1].max(ratio)];
        }
        println!("\n## {tier}\n");
        println!("| kernels | bytes | forms | ns | ratio | the slowest of them |");
        println!("|---|---|---:|---:|---:|---|");
        for ((name, (from, to)), way) in &ways {
            let bytes = |half: usize| if half == 1 { "½".to_owned() } else { (half / 2).to_string() };
            let [low, high] = way.ratios;
            let ratio =
                if high - low < 0.05 { format!("{low:.2}") } else { format!("{low:.2} to {high:.2}") };
            println!(
                "| {name} | {} to {} | {} | {:.3} | {ratio} | `{}` |",
                bytes(*from),
                bytes(*to),
                way.forms,
                way.nanoseconds,
                way.slowest
            );
        }
        let (forms, least) = ways
            .values()
            .fold((0, f64::INFINITY), |(n, least), way| (n + way.forms, least.min(way.ratios[0])));
        println!("\n{forms} forms, {} ways; none below {least:.2} of its copy.", ways.len());
    }
}

/// Measures runs of a few elements, and the choice of kernels, and prints the slow kernels of each tier.
pub fn few(tiers: &[Tier], elements: usize, filters: &[String]) {
    // The limit for a run of 16 elements.
    const LONG: f64 = 40.0;
    for &tier in tiers {
        let least = |work: &mut dyn FnMut()| {
            let mut best = f64::INFINITY;
            for _ in 0..40 {
                let start = Instant::now();
                (0..64).for_each(|_| work());
                best = best.min(start.elapsed().as_secs_f64() / 64.0 * 1e9);
            }
            best
        };
        let mut times: Vec<(f64, f64, Form)> = selected(filters)
            .map(|form| {
                let case = Case::new(form, elements);
                let plan = Plan::with_tier(form, tier).expect("an available tier");
                let mut target = case.result();
                let run = least(&mut || case.convert(black_box(&plan), black_box(target.bytes_mut())));
                let choose = least(&mut || {
                    black_box(Plan::with_tier(black_box(form), tier).is_ok());
                });
                (run, choose, form)
            })
            .collect();
        println!("\n{tier}: {elements} elements, ns a run; ns to choose the kernels\n");
        let middle = |times: &[(f64, f64, Form)]| times[times.len() / 2];
        times.sort_by(|a, b| b.1.total_cmp(&a.1));
        println!(
            "choosing: {:.0} at most ({}), {:.0} in the middle",
            times[0].1,
            times[0].2,
            middle(&times).1
        );
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        let long = times.iter().filter(|(run, ..)| *run > LONG).count();
        println!(
            "running: {:.0} in the middle, {long} of {} more than {LONG}; by kernels, the slowest first:",
            middle(&times).0,
            times.len()
        );
        let mut ways: BTreeMap<String, (usize, f64, Form)> = BTreeMap::new();
        for (run, _, form) in times.iter().filter(|(run, ..)| *run > LONG) {
            let plan = Plan::with_tier(*form, tier).expect("an available tier");
            let names: Vec<&str> = plan.kernels().collect();
            ways.entry(names.join(", ")).or_insert((0, *run, *form)).0 += 1;
        }
        let mut ways: Vec<_> = ways.into_iter().collect();
        ways.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
        for (names, (forms, run, slowest)) in ways {
            println!("{run:6.0} {slowest}: {names} ({forms} forms)");
        }
    }
}

fn selected(filters: &[String]) -> impl Iterator<Item = Form> {
    Form::all().filter(move |form| {
        let opcode = form.to_string();
        filters.is_empty() || filters.iter().any(|part| opcode.contains(part.as_str()))
    })
}
