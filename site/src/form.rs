//! The page of a form: what it does, its operands, where it is legal, an example, what has confirmed it, and what computes
//! it elsewhere. PTX ISA section 9.7.9.21 `cvt`.

use ptxcvt::forms::Part;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling, Target};
use ptxcvt_conform::state::{Difference, Evidence, grouped};
use ptxcvt_lower::Kind;
use ptxcvt_report::generator::GeneratorReport;
use ptxcvt_report::names::names_of;
use ptxcvt_report::place::Where;
use ptxcvt_report::proof::Proof;

use crate::example;
use crate::html::{Html, all, block, code, joined, link, list, section, table, tag, text};
use crate::page::{EXPLORER, Page};
use crate::path::{form_link, form_path, format_path, guide_path, pair_path, target_path, version_path};

/// The page of a form, of a site that has the explorer or not.
pub fn page(form: &Form, evidence: &Evidence, has_explorer: bool) -> Page {
    let explorer = format!("{EXPLORER}#convert?op={form}");
    let explorer = has_explorer.then(|| tag("p", link(explorer, "Convert your own numbers in the explorer")));
    let report = GeneratorReport::new(form);
    let (lowered, sequence) = lowered(form);
    let names_elsewhere = [report.cuda, report.llvm.as_deref(), report.mlir];
    let mut words: Vec<&str> = names_elsewhere.into_iter().flatten().chain(sequence.as_deref()).collect();
    let functions = names_of(form);
    words.extend(functions.iter().map(String::as_str));
    let body = all([
        section("What it does", parts(form)),
        section("Operands", operands(form, &report)),
        section("Where it is legal", places(form)),
        example::section_of(form),
        explorer.unwrap_or_default(),
        section("What has confirmed it", confirmed(form, evidence)),
        section("On targets without it", lowered),
        section("Names elsewhere", names(&report)),
        section("Related forms", related(form)),
    ]);
    Page {
        path: form_path(form),
        title: form.to_string(),
        kind: "form",
        words: words.join(" "),
        about: ptxcvt_syntax::sentence(form),
        body,
    }
}

fn parts(form: &Form) -> Html {
    let rows = ptxcvt_syntax::meanings(form).into_iter().map(|(part, meaning)| {
        let name = code(format_args!(".{}", part.name().expect("a form has no unknown part")));
        let name = match part {
            Part::Type(ty) => link(format_path(ty.format()), name),
            _ => name,
        };
        vec![name, text(meaning)]
    });
    table("The parts of the opcode", &["part", "meaning"], rows)
}

fn operands(form: &Form, report: &GeneratorReport) -> Html {
    let syntax = block(format_args!("{form} {};", form.syntax()));
    let rows = form.operands().zip(&report.registers).map(|(operand, registers)| {
        let holds = match operand.ty {
            Some(ty) => ty.to_string(),
            None => ptxcvt::counted(operand.width, "bit").to_string(),
        };
        vec![
            code(operand.role.name()),
            text(holds),
            code(&registers.register),
            text(registers.accepts.join(" ")),
        ]
    });
    let head = ["operand", "holds", "register", "accepted registers"];
    let lanes = (0..form.lanes() as usize).map(|lane| form.element_names(lane));
    let lanes = lanes.map(|(part, operand)| vec![code(part), code(operand)]);
    let filling = form.filling().map(|(part, operand)| vec![text(part), text(operand)]);
    let lanes = filling.into_iter().chain(lanes);
    let order = match form.lanes() {
        1 => Html::default(),
        _ => table(
            "Which operand each part of the result comes from, the upper one first",
            &["part", "from"],
            lanes,
        ),
    };
    all([syntax, table("The operands in PTX order", &head, rows), order])
}

fn places(form: &Form) -> Html {
    let opcode = form.to_string();
    let place = Where::new(&Spelling::new(&opcode), Ok(Machine::ANY));
    let rows = place.since.iter().map(|since| {
        let targets = since.targets.iter().map(|target| link(target_path(*target), code(target)));
        vec![link(version_path(since.isa), text(format_args!("ISA {}", since.isa))), joined(" ", targets)]
    });
    let announced =
        place.announced.then(|| tag("p", "The manual describes the form; no assembler accepts it yet."));
    all([
        table("The first ISA version of each target", &["from", "targets"], rows),
        announced.unwrap_or_default(),
    ])
}

fn confirmed(form: &Form, evidence: &Evidence) -> Html {
    let differences: Vec<&Difference> =
        evidence.differences.iter().filter(|difference| difference.form == *form).collect();
    let rows = evidence.oracles().into_iter().filter_map(|(name, about, seen)| {
        let equal = seen.get(form).copied().unwrap_or_default();
        let different = differences.iter().filter(|difference| difference.oracle == name).count();
        let cells = [text(name), text(plain(about)), text(grouped(equal)), text(different)];
        (equal > 0 || different > 0).then(|| cells.to_vec())
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return tag(
            "p",
            "Only the text of the manual; no other implementation of this form has been compared.",
        );
    }
    let head = ["oracle", "what it is", "equal inputs", "different"];
    let compared = table("Results of others compared with ours", &head, rows);
    if differences.is_empty() {
        return compared;
    }
    let rows = differences.iter().map(|difference| {
        let [theirs, ours] =
            [difference.theirs, difference.ours].map(|result| code(difference.written(result)));
        let operands = code(difference.written_operands());
        vec![text(difference.oracle), operands, theirs, ours, text(plain(difference.account.what))]
    });
    let head = ["oracle", "operands", "its result", "ours", "reason"];
    let why = link(guide_path("docs/conform.md"), "Known deviations");
    let why = tag("p", all([why, text(" lists what is known to differ, and what decides a result.")]));
    all([compared, table("Results that are not ours", &head, rows), why])
}

/// A line of Markdown without its backquotes.
fn plain(markdown: &str) -> String {
    markdown.replace('`', "")
}

/// Targets for which lowerings are shown: of each generation that is still in wide use, the first.
const SHOWN: [&str; 3] = ["sm_75", "sm_80", "sm_90"];

/// The verdicts of `ptxcvt-conformance prove-lowering` on short sequences.
const PROOFS: &str = include_str!("../../conformance/records/proofs.tsv");

/// What computes the form on older targets, and the names of these sequences.
fn lowered(form: &Form) -> (Html, Option<String>) {
    let targets = SHOWN.map(|name| name.parse::<Target>().expect("a target of the table"));
    let lacking: Vec<Target> = targets.into_iter().filter(|target| form.since(*target).is_none()).collect();
    let among = SHOWN.join(", ");
    if lacking.is_empty() {
        return (tag("p", format!("No sequence is needed: {among} have the instruction.")), None);
    }
    let found: Vec<_> = lacking
        .into_iter()
        .filter_map(|target| {
            let lowering = ptxcvt_lower::lower(*form, target, target.newest()).ok()?;
            (lowering.kind() != Kind::Instruction).then_some((target, lowering))
        })
        .collect();
    let Some((target, best)) = found.last() else {
        let none = format!("No sequence is known for those of {among} that lack the instruction.");
        return (tag("p", none), None);
    };
    let rows = found.iter().map(|(target, lowering)| {
        let count = ptxcvt::counted(lowering.block().code().len(), "instruction");
        let proof = Proof::of(form, lowering.name(), PROOFS);
        let verdict = if proof.proven { "proven" } else { "tested" };
        let proof = text(format_args!("{verdict}: {}", proof.text));
        vec![code(target), text(count), text(lowering.name()), proof]
    });
    let mut names: Vec<&str> = found.iter().map(|(_, lowering)| lowering.name()).collect();
    names.dedup();
    let body = all([
        table(
            "What computes it, bit for bit",
            &["target", "PTX instructions", "sequence", "how far it is proven"],
            rows,
        ),
        tag("p", all([text("On "), code(target), text(":")])),
        block(best.body().trim_end()),
        block(format_args!(
            "ptxcvt lower {form} --target {target} -o sequence.ptx\nptxcvt prove {form} sequence.ptx"
        )),
    ]);
    (body, Some(names.join(" ")))
}

fn names(report: &GeneratorReport) -> Html {
    let rows = [("CUDA C++", report.cuda), ("LLVM", report.llvm.as_deref()), ("MLIR", report.mlir)];
    let rows = rows.map(|(who, name)| vec![text(who), name.map_or(text("no name of its own"), code)]);
    table("What others call it", &["in", "name"], rows)
}

fn related(form: &Form) -> Html {
    let (destination, source) = (form.destination(), form.source());
    let same = Form::all().filter(|other| other != form);
    let same = same.filter(|other| other.destination() == destination && other.source() == source);
    let all_of =
        link(pair_path(destination, source), text(format_args!("all from {source} to {destination}")));
    let is_back = |other: &Form| (other.destination(), other.source()) == (source, destination);
    let back = Form::all().any(|other| is_back(&other)).then(|| {
        link(pair_path(source, destination), text(format_args!("back: from {destination} to {source}")))
    });
    list(same.take(12).map(|other| form_link(&other)).chain([all_of]).chain(back))
}
