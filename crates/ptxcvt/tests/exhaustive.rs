//! All 2^32 f32 inputs through every form that takes f32 elements, on every tier of this machine.
//!
//! `cargo xtask exhaustive [--reference] [--form PART]… [--resume]` runs this. `exhaustive.tsv` holds, for each form, the
//! SHA-256 of the reference's results in order, little-endian. Without `--reference` the fastest tier's results are
//! digested and compared with it, and the other tiers' with these, byte by byte: seconds a form, for each change of a
//! kernel. With it the reference runs, instruction by instruction, and every tier is compared with it: minutes a form,
//! hours for all.
//!
//! What lies beside the elements: `rbits` are word i of the Philox stream of seed 1 for instruction i, and byte j of
//! the scales is the top byte of j · 0x9e3779b9.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use ptxcvt::bulk::{Column, ColumnMut, Plan, Tier, rbits};
use ptxcvt::forms::Role;
use ptxcvt::{Form, Opcode, Type};
use sha2::{Digest, Sha256};

/// Inputs in a block, of which each thread converts one at a time; and all of them.
const BLOCK: usize = 1 << 20;
const INPUTS: u64 = 1 << 32;

/// What the command line asks for.
struct Options {
    reference: bool,
    resume: bool,
    threads: usize,
    parts: Vec<String>,
}

fn main() {
    let options = options();
    let recorded = Record::read("exhaustive.tsv");
    let forms: Vec<Form> = forms(&options.parts).collect();
    let mut failures = 0;
    for (i, form) in forms.iter().enumerate() {
        let known = recorded.digests.get(&form.to_string());
        if options.reference && options.resume && known.is_some() {
            continue;
        }
        if !options.reference && known.is_none() {
            continue;
        }
        let start = Instant::now();
        let outcome = match known {
            Some(known) if !options.reference => by_digest(form, options.threads, known),
            _ => by_reference(form, options.threads),
        };
        let seconds = start.elapsed().as_secs_f64();
        let place = format!("{} of {}, {seconds:.1} s", i + 1, forms.len());
        match (outcome, known) {
            (Err(difference), _) => {
                failures += 1;
                println!("{form}: {difference} ({place})");
            }
            (Ok(digest), Some(known)) if digest != *known => {
                failures += 1;
                println!("{form}: {digest} instead of {known} ({place})");
            }
            (Ok(digest), known) => {
                println!("{form}: equal ({place})");
                if options.reference && known.is_none() {
                    Record::read("exhaustive.tsv").with(form, digest).write();
                }
            }
        }
    }
    let unknown = forms.iter().filter(|form| !recorded.digests.contains_key(&form.to_string())).count();
    if unknown != 0 && !options.reference {
        println!("{unknown} forms without a digest were left out; --reference makes them");
    }
    assert!(failures == 0, "{failures} forms differ");
}

fn options() -> Options {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut options = Options { reference: false, resume: false, threads, parts: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--reference" => options.reference = true,
            "--resume" => options.resume = true,
            "--threads" => {
                options.threads = arguments.next().and_then(|n| n.parse().ok()).expect("a number of threads");
            }
            "--form" => options.parts.extend(arguments.next()),
            other => panic!("{other}: unknown; there are --reference, --resume, --threads N and --form PART"),
        }
    }
    options
}

/// The forms whose elements are f32 and whose opcode contains one of the parts, or is it.
fn forms(parts: &[String]) -> impl Iterator<Item = Form> {
    Form::all().filter(move |form| {
        let opcode = form.to_string();
        form.opcode() == Opcode::Cvt
            && form.source() == Type::F32
            && (parts.is_empty() || parts.iter().any(|part| opcode.contains(part.as_str())))
    })
}

/// Some inputs in a row, with what lies beside them.
struct Inputs {
    first: u64,
    elements: Vec<u32>,
    scales: Vec<u8>,
}

impl Inputs {
    fn new(form: &Form, first: u64) -> Inputs {
        let elements = (0..BLOCK as u64).map(|i| (first + i) as u32).collect();
        let operand = form.extra().filter(|operand| operand.role == Role::ScaleFactor);
        let bytes = operand.map_or(0, |operand| operand.width as usize / 8 * BLOCK / form.lanes() as usize);
        let start =
            first / u64::from(form.lanes()) * operand.map_or(0, |operand| u64::from(operand.width) / 8);
        let scales = (0..bytes as u64).map(|j| scale(start + j)).collect();
        Inputs { first, elements, scales }
    }

    /// What the bulk engine makes of them.
    fn converted(&self, form: &Form, plan: &Plan, out: &mut [u8]) {
        let first = self.first / u64::from(form.lanes());
        let extra = form.extra().map(|operand| match operand.role {
            Role::RandomBits => Column::Random { seed: 1, first },
            _ => Column::Bytes(&self.scales),
        });
        plan.run_packed(Column::U32(&self.elements), extra, ColumnMut::Bytes(out)).expect("lengths that fit");
    }

    /// What the reference makes of them.
    fn evaluated(&self, form: &Form, plan: &Plan, out: &mut [u8]) {
        let (lanes, width) = (form.lanes() as usize, form.result_width() as usize / 8);
        let first = self.first / lanes as u64;
        let mut operands = [0; 5];
        for (i, result) in out.chunks_exact_mut(width).enumerate() {
            for k in 0..lanes {
                operands[plan.place(k).operand] = self.elements[lanes * i + k].into();
            }
            match form.extra() {
                Some(operand) if operand.role == Role::RandomBits => {
                    operands[lanes] = rbits(1, first + i as u64).into();
                }
                Some(operand) => {
                    let width = operand.width as usize / 8;
                    let bytes = &self.scales[width * i..width * (i + 1)];
                    operands[lanes] = bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
                }
                None => {}
            }
            let bits = form.eval(&operands[..form.source_count()]).expect("as many operands as the form has");
            result.copy_from_slice(&bits.to_le_bytes()[..width]);
        }
    }
}

fn scale(j: u64) -> u8 {
    ((j as u32).wrapping_mul(0x9e37_79b9) >> 24) as u8
}

/// The digest of all results; `make` fills a block's, or says what is wrong with them.
fn digest(
    form: &Form,
    threads: usize,
    make: impl Fn(&Inputs, &mut [u8]) -> Result<(), String> + Sync,
) -> Result<String, String> {
    let bytes = BLOCK / form.lanes() as usize * form.result_width() as usize / 8;
    let (mut blocks, mut digest) = (vec![vec![0; bytes]; threads], Sha256::new());
    for start in (0..INPUTS).step_by(threads * BLOCK) {
        let firsts = (start..INPUTS).step_by(BLOCK);
        let made: Vec<Result<(), String>> = std::thread::scope(|scope| {
            let run = |(first, block): (u64, &mut Vec<u8>)| make(&Inputs::new(form, first), block);
            let work = firsts.clone().zip(&mut blocks).map(|job| scope.spawn(move || run(job)));
            let running: Vec<_> = work.collect();
            running.into_iter().map(|thread| thread.join().expect("a thread that does not panic")).collect()
        });
        for (outcome, block) in made.into_iter().zip(&blocks) {
            outcome?;
            digest.update(block);
        }
    }
    Ok(hexadecimal(&digest.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tiers of this machine, the fastest first.
fn plans(form: &Form) -> Vec<Plan> {
    let tiers = Tier::available().filter(|tier| *tier != Tier::Reference);
    let mut plans: Vec<Plan> =
        tiers.map(|tier| Plan::with_tier(*form, tier).expect("an available tier")).collect();
    plans.reverse();
    plans
}

/// The reference's digest, with which every tier agrees.
fn by_reference(form: &Form, threads: usize) -> Result<String, String> {
    let plans = plans(form);
    digest(form, threads, |inputs, out| {
        inputs.evaluated(form, &plans[0], out);
        let mut converted = vec![0; out.len()];
        plans.iter().try_for_each(|plan| {
            inputs.converted(form, plan, &mut converted);
            difference(form, plan, inputs, out, &converted)
        })
    })
}

/// The fastest tier's digest, with which every other agrees; where it is not the known one, the first difference.
fn by_digest(form: &Form, threads: usize, known: &str) -> Result<String, String> {
    let plans = plans(form);
    let found = digest(form, threads, |inputs, out| {
        inputs.converted(form, &plans[0], out);
        let mut converted = vec![0; out.len()];
        plans[1..].iter().try_for_each(|plan| {
            inputs.converted(form, plan, &mut converted);
            match *out == *converted {
                true => Ok(()),
                false => {
                    let fastest = out.to_vec();
                    inputs.evaluated(form, plan, out);
                    difference(form, &plans[0], inputs, out, &fastest)?;
                    difference(form, plan, inputs, out, &converted)
                }
            }
        })
    })?;
    if found == known { Ok(found) } else { by_reference(form, threads) }
}

/// Says where two results differ.
fn difference(
    form: &Form,
    plan: &Plan,
    inputs: &Inputs,
    expected: &[u8],
    given: &[u8],
) -> Result<(), String> {
    let Some(at) = expected.iter().zip(given).position(|(a, b)| a != b) else { return Ok(()) };
    let (lanes, width) = (u64::from(form.lanes()), form.result_width() as usize / 8);
    let instruction = at / width;
    let result = |bytes: &[u8]| hexadecimal(&bytes[instruction * width..(instruction + 1) * width]);
    Err(format!(
        "{} gives the bytes {} for the inputs from {:#010x} on, the reference {}",
        plan.tier(),
        result(given),
        inputs.first + instruction as u64 * lanes,
        result(expected)
    ))
}

/// The committed digests.
struct Record {
    path: PathBuf,
    digests: BTreeMap<String, String>,
}

impl Record {
    fn read(name: &str) -> Record {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        Record { path, digests: lines.map(|(form, digest)| (form.to_owned(), digest.to_owned())).collect() }
    }

    fn with(mut self, form: &Form, digest: String) -> Record {
        self.digests.insert(form.to_string(), digest);
        self
    }

    fn write(&self) {
        let mut file = fs::File::create(&self.path).expect("the file of digests can be written");
        for (form, digest) in &self.digests {
            writeln!(file, "{form}\t{digest}").expect("the file of digests can be written");
        }
    }
}
