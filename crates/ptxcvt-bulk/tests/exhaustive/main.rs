//! Tests all 2^32 f32 inputs with every form that has f32 elements, at every operand, on every tier of this
//! machine.
//!
//! `cargo xtask exhaustive` runs this; docs/exhaustive.md says what it proves. Without `--reference`, the
//! tiers are compared with each other, and the fastest one's results with their digest in `record.tsv`. This
//! takes seconds per form; run it after each change of a kernel. With `--reference`, the reference is also
//! evaluated at the ends of the runs of equal results. With `--every-input` it is evaluated at every input,
//! which takes minutes per form and a day for all. Each thread judges a form, and the record is written after
//! each, so that an interrupted run loses only the forms in progress.

mod judge;
mod order;
mod passes;
mod record;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ptxcvt::Form;

use self::judge::{Questions, Verdict, judge, tiers};
use self::passes::{BLOCK, INPUTS};
use self::record::{Evaluated, Line, Record, forms};

/// The options of the command line.
struct Options {
    questions: Questions,
    resume: bool,
    threads: usize,
    parts: Vec<String>,
    record: PathBuf,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let threads = ptxcvt_parallel::thread_count(0);
    let mut options = Options {
        questions: Questions::None,
        resume: false,
        threads,
        parts: Vec::new(),
        record: Record::path(),
    };
    let (mut reference, mut most, mut all) = (false, BLOCK / 16, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        let number = |text: String| {
            let number = text.parse().ok().filter(|n| *n != 0);
            number.ok_or(format!("`{text}` is not a number above 0"))
        };
        match argument.as_str() {
            "--reference" => reference = true,
            "--every-input" => all = true,
            "--resume" => options.resume = true,
            "--most" => most = number(value()?)?,
            "--threads" => options.threads = number(value()?)?,
            "--record" => options.record = value()?.into(),
            "--form" => options.parts.push(value()?),
            other => {
                return Err(format!(
                    "{other}: no option of this test; `cargo xtask exhaustive --help` lists them"
                ));
            }
        }
    }
    if reference {
        options.questions = if all { Questions::All } else { Questions::Ends(most) };
    }
    Ok(options)
}

/// Judges the selected forms.
fn run(options: &Options) -> Result<(), String> {
    let record = Record::read(options.record.clone())?;
    let wanted = |form: &Form| {
        let opcode = form.to_string();
        options.parts.is_empty() || options.parts.iter().any(|part| opcode.contains(part.as_str()))
    };
    let wanted: Vec<Form> = forms().into_iter().filter(wanted).collect();
    if wanted.is_empty() {
        return Err(format!("no opcode of a form from f32 contains {}", options.parts.join(" or ")));
    }
    let comparing = matches!(options.questions, Questions::None);
    let left: Vec<Form> = wanted
        .iter()
        .copied()
        .filter(|form| {
            if comparing {
                record.get(*form).is_some()
            } else {
                !options.resume || record.get(*form).is_none()
            }
        })
        .collect();
    let (next, failures, record) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(record));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while let Some(form) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let outcome = one(*form, options.questions, &record);
                    failures.fetch_add(usize::from(outcome.is_err()), Ordering::Relaxed);
                    let (outcome, seconds) =
                        (outcome.unwrap_or_else(|error| error), start.elapsed().as_secs_f64());
                    println!("{form}: {outcome} ({seconds:.1} s)");
                }
            });
        }
    });
    match (wanted.len() - left.len(), comparing) {
        (0, _) => {}
        (n, true) => println!("{n} forms without a digest were left out; --reference makes them"),
        (n, false) => println!("{n} forms with a digest were left out"),
    }
    match failures.into_inner() {
        0 => Ok(()),
        n => Err(format!("{n} of {} forms differ", left.len())),
    }
}

/// Judges one form, records the verdict and returns it in words.
fn one(form: Form, questions: Questions, record: &Mutex<Record>) -> Result<String, String> {
    let (plans, blocks) = (tiers(form), 0..INPUTS / BLOCK as u64);
    let verdict = judge(form, &plans, questions, blocks.clone())?;
    let mut record = record.lock().expect("no thread panicked");
    if let Some(known) = record.get(form).filter(|known| known.digest != verdict.digest) {
        let digests = format!("the digest is {} instead of {}", verdict.digest, known.digest);
        drop(record);
        // The reference decides which tier is right.
        return Err(match (questions, judge(form, &plans, Questions::Ends(BLOCK), blocks)) {
            (Questions::None, Err(difference)) => difference,
            _ => format!("{digests}, and the reference agrees with the former"),
        });
    }
    let evaluated = match questions {
        Questions::None => return Ok("equal".to_owned()),
        Questions::All => Evaluated::Everywhere,
        Questions::Ends(_) if verdict.thinned => Evaluated::SomeEnds,
        Questions::Ends(_) => Evaluated::Ends,
    };
    let Verdict { digest, evaluated: results, .. } = verdict;
    record.keep(form, Line { digest, evaluated, results })?;
    Ok(format!("equal, {evaluated}, {results} results of the reference"))
}
