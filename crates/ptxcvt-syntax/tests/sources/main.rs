//! Reading of sources: branches of the preprocessor, strings of each language, and the conversions that are only counted.

mod alternatives;
mod asserted;
mod attributes;
mod bindings;
mod branched;
mod branches;
mod built;
mod carried;
mod certainty;
mod cfg;
mod choices;
mod counted;
mod declarations;
mod elsewhere;
mod ends;
mod every;
mod executed;
mod exits;
mod expanded;
mod flow;
mod foreign;
mod gotos;
mod homonyms;
mod jumps;
mod lambdas;
mod languages;
mod line_ends;
mod loops;
mod made;
mod module_asm;
mod named;
mod names;
mod notebooks;
mod parts;
mod passed;
mod shadowed;
mod spaced;
mod steps;
mod strings;
mod templates;
mod threads;
mod unknown;
mod uses;
mod values;
mod words;

use ptxcvt::Target;
use ptxcvt::targets::Machine;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Findings, Severity, Source};

/// An assembly for sm_89 and higher.
const ASM: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));"#;
/// The findings about it on older targets.
const ERROR: &str = "error CVT011";
const NOTE: &str = "note CVT011";

fn check(text: &str, language: Language, options: &CheckOptions) -> Findings {
    check_source(&Source::new("source", text.as_bytes()), language, options)
}

/// The findings, as `line severity code`.
fn found(text: &str, language: Language, options: &CheckOptions) -> Vec<String> {
    let source = Source::new("source", text.as_bytes());
    let all = check_source(&source, language, options).diagnostics;
    let line = |at: u32| source.position(at).line;
    all.iter().map(|d| format!("{} {} {}", line(d.span().start), d.severity().name(), d.code())).collect()
}

/// Findings without their lines.
fn kinds(found: &[String]) -> String {
    let kinds = found.iter().map(|finding| finding.split_once(' ').expect("a line and a finding").1);
    kinds.collect::<Vec<_>>().join(", ")
}

fn machine(target: &str) -> Machine {
    target.parse::<Target>().expect("a target").into()
}

fn cpp(text: &str) -> Vec<String> {
    found(text, Language::Cpp, &CheckOptions::default())
}

/// The severity of the worst finding in a function of Python with this body, which assigns `ty`. `WRONG` and `RIGHT` in
/// it are strings.
fn worst_in_function(body: &str, [wrong, right]: [&str; 2]) -> Option<Severity> {
    let body = body.replace("WRONG", &format!("'{wrong}'")).replace("RIGHT", &format!("'{right}'"));
    let text = format!("def k(x, q):\n    {body}\n    y = inline_asm(ty + ';', '=h,f', [x])\n");
    let found = check(&text, Language::Python, &CheckOptions::default());
    found.diagnostics.iter().map(|d| d.severity()).min()
}

fn python(text: &str) -> Vec<String> {
    found(text, Language::Python, &CheckOptions::default())
}

/// The findings and the counted conversions of C++.
fn found_and_counted(text: &str) -> (Vec<String>, usize) {
    (cpp(text), check(text, Language::Cpp, &CheckOptions::default()).stats.skipped.values().sum())
}
