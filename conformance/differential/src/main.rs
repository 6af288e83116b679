//! Sends random spellings, modifier orders, operand kinds and immediates to `ptxas` and to `ptxcvt_syntax::check`,
//! and compares the two verdicts line by line.
//!
//! ```text
//! ptxcvt-differential PTXAS TARGETS COUNT [SEED]
//! ptxcvt-differential PTXAS modules COUNT [SEED]
//! ptxcvt-differential PTXAS mutations COUNT [SEED]
//!     PTXAS    the assembler
//!     TARGETS  sm_100a@9.5,sm_80@7.0,…   (`sm_50@8.8/sm_75` assembles for another architecture than the module's)
//!     COUNT    lines for each target; modules, for sm_90 at ISA 8.8; or mutated lines for each target that the
//!              assembler supports
//! ```
//!
//! For modules, only the syntax is compared: the checker does not judge undefined names or mismatched declarations
//! outside conversions. A crash of the assembler is counted separately, as neither acceptance nor refusal. Prints every
//! line or module with different verdicts, then a row for `records/`. `ptxcvt-conformance fetch` downloads the
//! assembler.

mod generate;
mod modules;
mod mutations;
mod verdicts;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use ptxcvt::{IsaVersion, Target};
use ptxcvt_conform::assembler::{Ptxas, Unusable};
use ptxcvt_syntax::{CheckOptions, Severity, Source, check};

use generate::Generator;
use modules::Modules;
use mutations::Mutations;
use verdicts::{Answers, MODULE, module, rejected};

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

const USAGE: &str = "usage: ptxcvt-differential PTXAS TARGETS|modules|mutations COUNT [SEED]";

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (ptxas, targets, count, seed) = match &arguments[..] {
        [ptxas, targets, count] => (ptxas, &**targets, count, 1),
        [ptxas, targets, count, seed] => (ptxas, &**targets, count, number("SEED", seed)?),
        _ => return Err(USAGE.into()),
    };
    let (ptxas, count) = (Ptxas::new(Path::new(ptxas)), number("COUNT", count)?);
    Ok(match targets {
        "modules" => compare_modules(&ptxas, count, seed)?,
        "mutations" => compare_mutations(&ptxas, count, seed)?,
        _ => {
            let places = targets.split(',').map(|text| {
                place(text)
                    .ok_or_else(|| format!("invalid TARGETS `{text}`: expected, for example, `sm_100a@9.5`"))
            });
            compare_lines(&ptxas, targets, &places.collect::<Result<Vec<_>, _>>()?, count, seed)?
        }
    })
}

fn number<T: FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("invalid {name} `{text}`: expected a number"))
}

/// Compares verdicts on random lines for these places, which the command line names `targets`.
fn compare_lines(
    ptxas: &Ptxas,
    targets: &str,
    places: &[Place],
    lines: usize,
    seed: u64,
) -> Result<ExitCode, Unusable> {
    let mut generator = Generator::new(seed);
    let (mut total, mut accepted, mut crashed, mut differences) = (0, 0, 0, 0);
    for place in places {
        for _ in 0..lines.div_ceil(MODULE) {
            let head = generate::head(place.target, place.isa);
            let body: Vec<String> = (0..MODULE).map(|_| generator.line(place.target, place.isa)).collect();
            let answers = Answers::ask(ptxas, &place.arch, &head, &body)?;
            let ours = rejected(&head, &body);
            let [refused, rejected] =
                [&answers.refused, &ours].map(|lines| lines.keys().collect::<BTreeSet<_>>());
            let suspects = refused.symmetric_difference(&rejected).map(|line| **line);
            for line in suspects.filter(|line| !answers.crashed.contains_key(line)) {
                // ptxas keeps state between lines ("Constant overflow" for a valid literal), so try the line alone.
                let alone = [body[line].clone()];
                let ours_rejects = !verdicts::rejected(&head, &alone).is_empty();
                match Answers::ask(ptxas, &place.arch, &head, &alone) {
                    Ok(answers)
                        if !answers.crashed.is_empty() || answers.refused.is_empty() != ours_rejects =>
                    {
                        continue;
                    }
                    _ => differences += 1,
                }
                let says = answers.refused.get(&line).map_or("accepted", String::as_str);
                let own = ours.get(&line).map_or("accepted", String::as_str);
                println!(
                    "{}@{}: {}\n    ptxas: {says}\n    check: {own}",
                    place.target, place.isa, body[line]
                );
            }
            total += body.len();
            accepted += answers.accepted(body.len());
            crashed += answers.crashed.len();
        }
    }
    let version = ptxas.version()?;
    println!(
        "ptxas {version}\t{targets}\tseed {seed}\t{total} lines\t{accepted} accepted\t{crashed} crashes\t\
         {differences} differences"
    );
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compares verdicts on the syntax of random modules.
fn compare_modules(ptxas: &Ptxas, count: usize, seed: u64) -> Result<ExitCode, Unusable> {
    let mut generator = Modules::new(seed);
    let (mut accepted, mut crashed, mut beyond, mut differences) = (0, 0, 0, 0);
    for _ in 0..count {
        let module = generator.module();
        let answer = ptxas.run(&module, &["-c", "-O0", "-arch", "sm_90"])?;
        if answer.is_crash() {
            crashed += 1;
            continue;
        }
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
            let own = error.map_or("accepted".into(), |d| {
                format!("{} {} in line {}", d.code(), d.message(), source.position(d.span().start).line)
            });
            let says = answer.messages.lines().next().unwrap_or("accepted");
            println!("{module}    ptxas: {says}\n    check: {own}\n");
        }
    }
    let version = ptxas.version()?;
    println!(
        "ptxas {version}\tmodules for sm_90@8.8\tseed {seed}\t{count} modules\t{accepted} accepted\t\
         {crashed} crashes\t{beyond} not judged\t{differences} differences"
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
    let (mut total, mut accepted, mut crashed, mut known, mut differences) = (0, 0, 0, 0, 0);
    let mut targets = Vec::new();
    for place in MUTATED.iter().map(|text| place(text).expect("a target and a version")) {
        let head = mutations::head(place.target, place.isa);
        let empty = Answers::ask(ptxas, &place.arch, &head, &["{ }".to_owned()]);
        if !empty.is_ok_and(|answers| answers.accepted(1) == 1) {
            continue;
        }
        targets.push(format!("{}@{}", place.target, place.isa));
        // A syntax error can affect the lines after it, so these lines are tried alone.
        let lines: Vec<String> = (0..count).map(|_| generator.line(place.target, place.isa)).collect();
        let syntax = |line: &String| {
            rejected(&head, std::slice::from_ref(line)).values().any(|message| message.starts_with("CVT2"))
        };
        let (alone, together): (Vec<String>, Vec<String>) = lines.into_iter().partition(syntax);
        let answers = Answers::ask(ptxas, &place.arch, &head, &together)?;
        total += count;
        accepted += answers.accepted(together.len());
        let differs = |(at, line): (usize, &String)| {
            let refused = answers.refused.contains_key(&at);
            let differs = refused == rejected(&head, std::slice::from_ref(line)).is_empty();
            (differs || answers.crashed.contains_key(&at)).then(|| line.clone())
        };
        let suspects: Vec<String> = together.iter().enumerate().filter_map(differs).collect();
        for line in alone.into_iter().chain(suspects) {
            let line = [line];
            let (answers, ours) = (Answers::ask(ptxas, &place.arch, &head, &line)?, rejected(&head, &line));
            crashed += answers.crashed.len();
            if !answers.crashed.is_empty() || answers.refused.is_empty() == ours.is_empty() {
                continue;
            }
            if documented(&head, &line[0], ours.is_empty()) {
                known += 1;
                continue;
            }
            differences += 1;
            let says = answers.refused.values().next().map_or("accepted", String::as_str);
            let own = ours.values().next().map_or("accepted", String::as_str);
            println!("{}@{}: {}\n    ptxas: {says}\n    check: {own}", place.target, place.isa, line[0]);
        }
    }
    println!(
        "ptxas {}\t{}\tseed {seed}\t{total} lines\t{accepted} accepted\t{crashed} crashes\t{known} as documented\t{differences} differences",
        ptxas.version()?,
        targets.join(",")
    );
    let sound = differences == 0 && accepted > 0;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// True for the differences that docs/check.md documents: ptxas ignores `.pred` in the opcode of a conversion, and we
/// do not check instructions other than conversions, such as `cvta.f32.f64` or `r.eg.pred p`.
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
