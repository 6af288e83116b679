//! Sends random spellings, modifier orders, operand kinds and immediates to `ptxas` and to `ptxcvt_syntax::check`,
//! and compares the two verdicts line by line.
//!
//! ```text
//! ptxcvt-differential PTXAS TARGETS LINES [SEED]
//! ptxcvt-differential PTXAS modules MODULES [SEED]
//! ptxcvt-differential PTXAS mutations LINES [SEED]
//!     PTXAS    the assembler
//!     TARGETS  sm_100a@9.5,sm_80@7.0,…   (`sm_50@8.8/sm_75` assembles for another architecture than the module's)
//!     LINES    how many lines for each target
//!     MODULES  how many modules, for sm_90 at ISA 8.8
//!              with `mutations`, LINES is the number for each target that the assembler supports
//! ```
//!
//! For modules, only the syntax is compared: the checker does not judge undefined names or mismatched declarations outside
//! conversions. Prints every line or module with different verdicts, then a row for `records/`. `ptxcvt-conformance fetch`
//! downloads the assembler.

mod generate;
mod modules;
mod mutations;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_conform::assembler::{Ptxas, Surroundings, Unusable, Verdict};
use ptxcvt_syntax::{CheckOptions, Severity, Source, check};

use generate::Generator;
use modules::Modules;
use mutations::Mutations;

/// Lines per module.
const MODULE: usize = 2_500;

struct Place {
    target: Target,
    isa: IsaVersion,
    /// The `-arch` of the assembler.
    arch: String,
}

fn place(text: &str) -> Option<Place> {
    let (text, arch) = match text.split_once('/') {
        Some((text, arch)) => (text, Some(arch)),
        None => (text, None),
    };
    let (target, isa) = text.split_once('@')?;
    let arch = arch.unwrap_or(target).to_owned();
    Some(Place { target: target.parse().ok()?, isa: isa.parse().ok()?, arch })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ptxas, targets, lines, seed @ ..] = &arguments[..] else {
        eprintln!("usage: ptxcvt-differential PTXAS TARGETS LINES [SEED]");
        return ExitCode::from(2);
    };
    if targets == "modules" {
        let (Ok(count), seed) = (lines.parse(), seed.first().and_then(|s| s.parse().ok())) else {
            eprintln!("MODULES is a number");
            return ExitCode::from(2);
        };
        return compare_modules(&Ptxas::new(Path::new(ptxas)), count, seed.unwrap_or(1)).unwrap_or_else(
            |e| {
                eprintln!("{e}");
                ExitCode::from(2)
            },
        );
    }
    if targets == "mutations" {
        let (Ok(count), seed) = (lines.parse(), seed.first().and_then(|s| s.parse().ok())) else {
            eprintln!("LINES is a number");
            return ExitCode::from(2);
        };
        let ptxas = Ptxas::new(Path::new(ptxas));
        return compare_mutations(&ptxas, count, seed.unwrap_or(1)).unwrap_or_else(|e| {
            eprintln!("{e}");
            ExitCode::from(2)
        });
    }
    let (Ok(lines), Some(places)) =
        (lines.parse::<usize>(), targets.split(',').map(place).collect::<Option<Vec<_>>>())
    else {
        eprintln!("LINES is a number, TARGETS is written sm_100a@9.5,sm_80@7.0");
        return ExitCode::from(2);
    };
    let seed = seed.first().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut generator = Generator::new(seed);
    let (mut total, mut accepted, mut differences) = (0, 0, 0);
    let assembler = Ptxas::new(Path::new(ptxas));
    for place in &places {
        for _ in 0..lines.div_ceil(MODULE) {
            let head = generate::head(place.target, place.isa);
            let body: Vec<String> = (0..MODULE).map(|_| generator.line(place.target, place.isa)).collect();
            let theirs = match refused(&assembler, &place.arch, &head, &body) {
                Ok(rejected) => rejected,
                Err(error) => {
                    eprintln!("{error}");
                    return ExitCode::from(2);
                }
            };
            let ours = rejected(&head, &body);
            for &line in theirs.keys().collect::<BTreeSet<_>>().symmetric_difference(&ours.keys().collect()) {
                // ptxas keeps state between lines ("Constant overflow" for a valid literal), so try the line alone.
                let alone = [body[*line].clone()];
                let ours_rejects = !rejected(&head, &alone).is_empty();
                match refused(&assembler, &place.arch, &head, &alone) {
                    Ok(theirs) if theirs.is_empty() != ours_rejects => continue,
                    _ => differences += 1,
                }
                let says = theirs.get(line).map_or("accepted", String::as_str);
                let said = ours.get(line).map_or("accepted", String::as_str);
                println!(
                    "{}@{}: {}\n    ptxas: {says}\n    check: {said}",
                    place.target, place.isa, body[*line]
                );
            }
            total += body.len();
            accepted += body.len() - theirs.len();
        }
    }
    let version = format!("ptxas {}", assembler.version().unwrap_or_else(|_| "?".into()));
    println!(
        "{version}\t{targets}\tseed {seed}\t{total} lines\t{accepted} accepted\t{differences} differences"
    );
    if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares verdicts on the syntax of random modules.
fn compare_modules(ptxas: &Ptxas, count: usize, seed: u64) -> Result<ExitCode, Unusable> {
    let mut generator = Modules::new(seed);
    let (mut accepted, mut beyond, mut differences) = (0, 0, 0);
    for _ in 0..count {
        let module = generator.module();
        let answer = ptxas.run(&module, &["-c", "-O0", "-arch", "sm_90"])?;
        let source = Source::new("random.ptx", module.as_bytes());
        let found = check(&source, &CheckOptions::default());
        let error = found.diagnostics.iter().find(|d| d.severity() == Severity::Error);
        let syntax = answer.messages.contains("Parsing error")
            || answer.messages.contains("Illegal placement of kernel");
        let agree = match (answer.accepted, error) {
            (true, None) | (false, Some(_)) => true,
            // Ignore errors other than syntax errors: undefined names, mismatched types.
            (false, None) if !syntax => {
                beyond += 1;
                true
            }
            _ => false,
        };
        accepted += usize::from(answer.accepted);
        if !agree {
            differences += 1;
            let said = error.map_or("accepted".into(), |d| {
                format!("{} {} in line {}", d.code(), d.message(), source.position(d.span().start).line)
            });
            let says = answer.messages.lines().next().unwrap_or("accepted");
            println!("{module}    ptxas: {says}\n    check: {said}\n");
        }
    }
    let version = ptxas.version()?;
    println!(
        "ptxas {version}\tmodules for sm_90@8.8\tseed {seed}\t{count} modules\t{accepted} accepted\t\
         {beyond} not judged\t{differences} differences"
    );
    // If the assembler is too old for the version and rejects everything, nothing was compared.
    let sound = differences == 0 && accepted > 0;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The modules of mutated lines. Each assembler supports some of the targets.
const MUTATED: &[&str] = &[
    "sm_52@8.0",
    "sm_60@8.2",
    "sm_70@8.3",
    "sm_80@7.7",
    "sm_89@8.2",
    "sm_90@8.0",
    "sm_90@8.8",
    "sm_100a@9.1",
    "sm_107a@9.5",
];

/// Compares verdicts on lines with one mutation.
fn compare_mutations(ptxas: &Ptxas, count: usize, seed: u64) -> Result<ExitCode, Unusable> {
    let mut generator = Mutations::new(seed);
    let (mut total, mut accepted, mut known, mut differences) = (0, 0, 0, 0);
    let mut targets = Vec::new();
    for place in MUTATED.iter().filter_map(|text| place(text)) {
        let head = mutations::head(place.target, place.isa);
        if !refused(ptxas, &place.arch, &head, &["{ }".to_owned()]).is_ok_and(|refused| refused.is_empty()) {
            continue;
        }
        targets.push(format!("{}@{}", place.target, place.isa));
        // A syntax error can affect the lines after it, so these lines are tried alone.
        let lines: Vec<String> = (0..count).map(|_| generator.line(place.target, place.isa)).collect();
        let syntax = |line: &String| {
            rejected(&head, std::slice::from_ref(line)).values().any(|message| message.starts_with("CVT2"))
        };
        let (alone, together): (Vec<String>, Vec<String>) = lines.into_iter().partition(syntax);
        let theirs = refused(ptxas, &place.arch, &head, &together)?;
        total += count;
        accepted += together.len() - theirs.len();
        let differs = |(at, line): (usize, &String)| {
            (theirs.contains_key(&at) == rejected(&head, std::slice::from_ref(line)).is_empty())
                .then(|| line.clone())
        };
        let suspects: Vec<String> = together.iter().enumerate().filter_map(differs).collect();
        for line in alone.into_iter().chain(suspects) {
            let line = [line];
            let (theirs, ours) = (refused(ptxas, &place.arch, &head, &line)?, rejected(&head, &line));
            if theirs.is_empty() == ours.is_empty() {
                continue;
            }
            if documented(&head, &line[0], ours.is_empty()) {
                known += 1;
                continue;
            }
            differences += 1;
            let says = theirs.values().next().map_or("accepted", String::as_str);
            let said = ours.values().next().map_or("accepted", String::as_str);
            println!("{}@{}: {}\n    ptxas: {says}\n    check: {said}", place.target, place.isa, line[0]);
        }
    }
    println!(
        "ptxas {}\t{}\tseed {seed}\t{total} lines\t{accepted} accepted\t{known} as documented\t{differences} differences",
        ptxas.version()?,
        targets.join(",")
    );
    let sound = differences == 0 && accepted > 0;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// True for the differences that docs/check.md documents: ptxas ignores `.pred` in the opcode of a conversion, and we do
/// not check instructions other than conversions, such as `cvta.f32.f64` or `r.eg.pred p`.
fn documented(head: &str, line: &str, accepted: bool) -> bool {
    let conversion = line.split(';').find(|statement| statement.contains("cvt"));
    let ignored = conversion.is_some_and(|statement| statement.contains(".pred"));
    let others = |line: &str| {
        let text = module(head, &[line.to_owned()]);
        let stats = check(&Source::new("random.ptx", text.as_bytes()), &CheckOptions::default()).stats;
        stats.instructions - stats.conversions
    };
    ignored || (accepted && others(line) > others("{ }"))
}

/// The lines of `body` that the assembler rejects, each with its first message.
fn refused(
    ptxas: &Ptxas,
    arch: &str,
    head: &str,
    body: &[String],
) -> Result<BTreeMap<usize, String>, Unusable> {
    let lines: Vec<&str> = body.iter().map(String::as_str).collect();
    let verdicts = ptxas.sift(Surroundings { head, arch }, &lines, MODULE)?;
    let rejected = verdicts.into_iter().enumerate().filter_map(|(at, verdict)| match verdict {
        Verdict::Accepted => None,
        Verdict::Rejected(message) => Some((at, message)),
        Verdict::Crashed(message) => Some((at, format!("it fails: {message}"))),
    });
    Ok(rejected.collect())
}

/// The lines of `body` in which the checker finds an error, each with its last message. An error in the head, such as a
/// brace that a line leaves open, counts as one in the first line.
fn rejected(head: &str, body: &[String]) -> BTreeMap<usize, String> {
    let text = module(head, body);
    let source = Source::new("random.ptx", text.as_bytes());
    let before = head.lines().count();
    let report = check(&source, &CheckOptions::default());
    let errors = report.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
    errors
        .map(|d| {
            (
                (source.position(d.span().start).line - 1).saturating_sub(before),
                format!("{} {}", d.code(), d.message()),
            )
        })
        .collect()
}

/// A module with this head and these lines.
fn module(head: &str, body: &[String]) -> String {
    Surroundings { head, arch: "" }.module(body.iter().map(String::as_str))
}
