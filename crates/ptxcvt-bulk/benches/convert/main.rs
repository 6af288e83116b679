//! Speed of the bulk engine compared with a copy of the same bytes and with the crate `half`, in one process.
//!
//! `cargo bench -p ptxcvt-bulk --bench convert -- [--quick] [--markdown] [--tier NAME] [--threads N] [--elements N]
//! [FILTER…]`, or `cargo xtask bench`. `--table` measures every form and prints the table of kernels; `--few` measures a
//! run of 16 elements of each. Times are the least of many repetitions. All contenders take turns, so that a
//! busy machine disturbs them alike. Ratios are the time of the copy divided by the time of the conversion;
//! 1.00 is memory speed.

#![allow(unsafe_code)]

mod copy;
mod data;
mod every;
mod measure;
mod peers;

use measure::{Contender, measure};
use ptxcvt::{Form, Format};
use ptxcvt_bulk::{Column, ColumnMut, Plan, Stores, Tier};
use std::hint::black_box;

/// The conversions of the table; every kernel family has one.
const CASES: &[&str] = &[
    "cvt.rn.f16.f32",
    "cvt.rz.f16.f32",
    "cvt.rp.f16.f32",
    "cvt.rn.bf16.f32",
    "cvt.rz.bf16.f32",
    "cvt.rp.bf16.f32",
    "cvt.rna.tf32.f32",
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rz.satfinite.e4m3x2.f32",
    "cvt.rs.satfinite.e4m3x4.f32",
    "cvt.rs.satfinite.e4m3x4.f32 rbits",
    "cvt.rn.satfinite.relu.pzo.e4m3x2.f32",
    "cvt.rn.satfinite.e5m2x2.f32",
    "cvt.rz.satfinite.e5m2x2.f32",
    "cvt.rs.satfinite.e5m2x4.f32",
    "cvt.rn.satfinite.e2m3x2.f32",
    "cvt.rz.satfinite.e2m3x2.f32",
    "cvt.rs.satfinite.e2m3x4.f32",
    "cvt.rn.satfinite.e3m2x2.f32",
    "cvt.rz.satfinite.e3m2x2.f32",
    "cvt.rs.satfinite.e3m2x4.f32",
    "cvt.rn.satfinite.e2m1x2.f32",
    "cvt.rz.satfinite.e2m1x2.f32",
    "cvt.rs.satfinite.e2m1x4.f32",
    "cvt.rz.ue8m0x2.f32",
    "cvt.rp.ue8m0x2.f32",
    "cvt.rni.s8.f32",
    "cvt.rzi.s8.f32",
    "cvt.rmi.s8.f32",
    "cvt.rn.satfinite.s2f6x2.f32",
    "cvt.f32.f16",
    "cvt.f32.bf16",
    "cvt.rn.f32.s8",
    "cvt.rn.f16x2.e4m3x2",
    "cvt.rn.f16x2.e5m2x2",
    "cvt.rn.f16x2.e2m3x2",
    "cvt.rn.f16x2.e2m1x2",
    "cvt.rn.bf16x2.ue8m0x2",
    "cvt.rn.bf16x2.e4m3x2",
    "cvt.rn.satfinite.e4m3x2.f16x2",
    "cvt.rn.satfinite.e5m2x2.f16x2",
    "cvt.rn.satfinite.e2m3x2.f16x2",
    "cvt.rn.satfinite.e3m2x2.f16x2",
    "cvt.rn.satfinite.e2m1x2.f16x2",
    "cvt.rn.satfinite.relu.e4m3x2.f16x2",
    "cvt.rn.satfinite.e4m3x2.bf16x2",
    "cvt.rn.satfinite.e5m2x2.bf16x2",
    "cvt.rn.satfinite.e2m3x2.bf16x2",
    "cvt.rn.satfinite.e3m2x2.bf16x2",
    "cvt.rn.satfinite.e2m1x2.bf16x2",
    "cvt.rn.satfinite.relu.e4m3x2.bf16x2",
    "cvt.rn.f32.f64",
    "cvt.f64.f32",
    "cvt.rzi.s32.f32",
    "cvt.rn.f32.s32",
    "cvt.sat.s8.s32",
];

/// The work of one thread on its part.
type Part<'a> = &'a (dyn Fn(&[u8], &mut [u8]) + Sync);

/// The options of the command line.
struct Options {
    quick: bool,
    markdown: bool,
    table: bool,
    few: bool,
    tiers: Vec<Tier>,
    threads: Vec<usize>,
    elements: Option<usize>,
    filters: Vec<String>,
}

fn main() {
    let mut options = Options {
        quick: false,
        markdown: false,
        table: false,
        few: false,
        tiers: Vec::new(),
        threads: Vec::new(),
        elements: None,
        filters: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--markdown" => options.markdown = true,
            "--table" => options.table = true,
            "--few" => options.few = true,
            "--tier" => options.tiers.push(value().parse().unwrap_or_else(|error| panic!("{error}"))),
            "--threads" => options.threads.extend(value().parse::<usize>()),
            "--elements" => options.elements = value().parse().ok(),
            "--bench" => {}
            filter => options.filters.push(filter.to_owned()),
        }
    }
    if options.tiers.is_empty() {
        // If the machine has VBMI, AVX-512 without it is measured only with `--tier avx512`.
        let hidden = |tier: &Tier| *tier == Tier::Avx512 && Tier::Avx512Vbmi.is_available();
        options.tiers = Tier::available().filter(|t| *t > Tier::Baseline && !hidden(t)).collect();
    }
    if options.threads.is_empty() {
        options.threads = if options.quick { vec![1] } else { vec![1, 2] };
    }
    println!("cpu: {}", cpu());
    if options.table {
        return every::table(&options.tiers, &options.filters);
    }
    if options.few {
        return every::few(&options.tiers, options.elements.unwrap_or(16), &options.filters);
    }
    let sizes = [("in cache", 64 << 10), ("out of cache", 64 << 20)];
    for (name, elements) in options.elements.map_or(sizes.to_vec(), |n| vec![("chosen size", n)]) {
        // Starting threads takes longer than converting data that fits into a cache.
        let small = elements < 1 << 20;
        for &threads in options.threads.iter().filter(|&&threads| threads == 1 || !small) {
            println!("\n{name}: {elements} elements, {threads} thread(s)\n");
            header(&options);
            for opcode in CASES {
                if options.filters.is_empty() || options.filters.iter().any(|f| opcode.contains(f.as_str())) {
                    row(opcode, elements, threads, &options);
                }
            }
        }
    }
}

/// The processor's name.
fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = |key: &str| {
        let found = text.lines().find(|l| l.starts_with(key)).and_then(|l| l.split(": ").nth(1));
        found.unwrap_or("?").to_owned()
    };
    format!("{} (family {}, model {})", line("model name"), line("cpu family"), line("model\t"))
}

fn header(options: &Options) {
    let tiers: String =
        options.tiers.iter().map(|t| format!(" {:>10} {:>6} {:>6} |", t.name(), "GB/s", "ratio")).collect();
    println!("| {:38} | {:>7} | {:>7} |{tiers} {:>15} |", "ns an element", "copy", "reading", "half");
    if options.markdown {
        let tiers = "---:|".repeat(options.tiers.len());
        println!("|---|---:|---:|{tiers}---:|");
    }
}

/// One line of the table. Random bits are generated from a seed, or read from memory if the case says
/// `rbits`.
fn row(case: &str, elements: usize, threads: usize, options: &Options) {
    let opcode = case.split(' ').next().unwrap_or_default();
    let form: Form = opcode.parse().unwrap_or_else(|error| panic!("{opcode}: {error}"));
    let (from, to) =
        (form.source().format().storage() as usize / 4, form.destination().format().storage() as usize / 4);
    let source = data::mixed(form.source().format(), elements);
    let mut target = data::Aligned::new(elements * to / 2);
    let streamed = target.bytes().len() >= 32 << 20;
    let stores = if streamed { Stores::Streamed } else { Stores::Cached };
    let rbits = data::mixed(Format::U32, if case.ends_with("rbits") { elements / 4 } else { 0 });
    let extra = form.rounding().filter(|r| r.name() == "rs").map(|_| match rbits.bytes() {
        [] => Column::Random { seed: 1, first: 0 },
        bits => Column::Bytes(&bits[..elements / threads]),
    });

    let mut contenders: Vec<Contender<'_>> = Vec::new();
    contenders.push(Box::new(|source, target| {
        split(source, target, threads, &|source, target| copy::copy(from, to, streamed, source, target));
    }));
    contenders.push(Box::new(|source, target| {
        split(source, target, threads, &|source, _| {
            black_box(copy::read(source));
        });
    }));
    for tier in &options.tiers {
        let plan = Plan::with_tier(form, *tier).expect("an available tier").with_stores(stores);
        contenders.push(Box::new(move |source, target| {
            split(source, target, threads, &|source, target| {
                plan.run_packed(Column::Bytes(source), extra, ColumnMut::Bytes(target)).expect("lengths fit");
            });
        }));
    }
    if let Some(peer) = peers::half(opcode).filter(|_| threads == 1) {
        contenders.push(Box::new(peer));
    }
    let effort = match (elements > 1 << 20, options.quick) {
        (true, true) => (4, 1),
        (true, false) => (9, 1),
        (false, true) => (60, 8),
        (false, false) => (300, 8),
    };
    let times = measure(&mut contenders, source.bytes(), target.bytes_mut(), elements, effort);
    let moved = (source.bytes().len() + target.bytes().len()) as f64;
    let nanoseconds = |time: f64| time / elements as f64 * 1e9;
    print!("| {case:38} | {:7.4} | {:7.4} |", nanoseconds(times[0]), nanoseconds(times[1]));
    for time in &times[2..2 + options.tiers.len()] {
        print!(" {:10.4} {:6.1} {:6.2} |", nanoseconds(*time), moved / time / 1e9, times[0] / time);
    }
    match times.get(2 + options.tiers.len()) {
        Some(time) => println!(" {:8.4} {:6.2} |", nanoseconds(*time), times[0] / time),
        None => println!(" {:>15} |", "-"),
    }
}

/// Runs `work` on equal parts of both slices, one for each thread.
fn split(source: &[u8], target: &mut [u8], threads: usize, work: Part<'_>) {
    if threads == 1 {
        return work(source, target);
    }
    let (from, to) = (source.len() / threads, target.len() / threads);
    std::thread::scope(|scope| {
        for (source, target) in source.chunks(from).zip(target.chunks_mut(to)) {
            scope.spawn(move || work(source, target));
        }
    });
}
