//! The pages of targets and of ISA versions.

use ptxcvt::{Form, IsaVersion, Target, counted};

use crate::gpu;
use crate::html::{all, code, joined, link, list, section, table, tag, text};
use crate::page::Page;
use crate::pair::{Pairs, first, lowest};
use crate::path::{form_link, pair_path, target_path, version_path};

/// All pages of this file.
pub fn pages(pairs: &Pairs) -> Vec<Page> {
    let targets = Target::all().map(|target| target_page(target, pairs));
    targets.chain(IsaVersion::all().map(version)).collect()
}

fn target_page(target: Target, pairs: &Pairs) -> Page {
    let newest = target.newest();
    let introduced = target.introduced();
    let mut facts = vec![tag(
        "p",
        all([
            text("Since "),
            link(version_path(introduced), text(format_args!("ISA {introduced}"))),
            text("."),
        ]),
    )];
    if let Some(renamed) = target.renamed() {
        facts.push(tag("p", all([text("Renamed "), link(target_path(renamed), code(renamed)), text(".")])));
    }
    if target.is_announced() {
        facts.push(tag("p", "No assembler builds for it yet."));
    }
    let name = gpu::of(target);
    if let Some((generation, gpus)) = name {
        let gpus = if gpus.is_empty() { String::new() } else { format!(", such as {gpus}") };
        facts.push(tag("p", format!("GPUs of the generation {generation}{gpus}.")));
    }
    let mut lacking = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let rows = pairs.iter().filter_map(|((destination, source), forms)| {
        let legal = forms.iter().filter(|form| form.is_legal(target, newest)).count();
        let types = text(format_args!("{source} to {destination}"));
        let name = link(pair_path(*destination, *source), types);
        words.extend([source, destination].map(|ty| ty.name().to_owned()));
        if legal == 0 {
            let released = forms.iter().filter_map(|form| Some((lowest(form)?, form)));
            let easiest = released.min_by_key(|(lowest, _)| *lowest).map_or(&forms[0], |(_, form)| form);
            lacking.push(vec![name, first(easiest)]);
            return None;
        }
        Some(vec![name, text(format_args!("{legal} of {}", forms.len()))])
    });
    let caption = format!("Forms that it accepts at ISA {newest}, by types");
    facts.push(table(&caption, &["types", "forms"], rows));
    if !lacking.is_empty() {
        let caption = "Types of which it has no form, and the lowest target that has one";
        facts.push(section("What it lacks", table(caption, &["types", "from"], lacking)));
    }
    let other = target.to_string().replace('_', "");
    let capability = format!("{}.{}", target.sm() / 10, target.sm() % 10);
    words.extend([other, capability, "cvt compute capability".to_owned()]);
    words.extend(name.map(|(generation, gpus)| format!("{generation} {gpus}")));
    words.sort();
    words.dedup();
    let legal = Form::all().filter(|form| form.is_legal(target, newest)).count();
    Page {
        path: target_path(target),
        title: target.to_string(),
        kind: "target",
        words: words.join(" "),
        about: format!("{target} accepts {} of cvt and cvt.pack at ISA {newest}.", counted(legal, "form")),
        body: all(facts),
    }
}

fn version(isa: IsaVersion) -> Page {
    let targets: Vec<_> = Target::all().filter(|target| target.introduced() == isa).collect();
    let new: Vec<_> =
        Form::all().filter(|form| form.first().is_some_and(|(first, _)| first == isa)).collect();
    let before = IsaVersion::all().filter(|other| *other < isa).last();
    let ended = Target::all()
        .filter(|target| before.is_some_and(|before| target.exists_in(before)) && !target.exists_in(isa));
    let ended: Vec<_> = ended.collect();
    // Forms that older targets had already, on a target that is not new itself.
    let extended: Vec<_> = Form::all()
        .filter(|form| !new.contains(form))
        .filter_map(|form| {
            let old = |target: &Target| target.introduced() < isa && form.since(*target) == Some(isa);
            let on: Vec<Target> = Target::all().filter(old).collect();
            (!on.is_empty()).then_some((form, on))
        })
        .collect();
    let toolkit = match isa.cuda_release() {
        Some((major, minor)) => format!("CUDA {major}.{minor} first had ISA {isa}."),
        None if IsaVersion::all()
            .filter(|later| *later > isa)
            .all(|later| later.cuda_release().is_none()) =>
        {
            format!("No CUDA release has ISA {isa} yet.")
        }
        None => {
            format!("NVIDIA's release history names no CUDA release for ISA {isa}.")
        }
    };
    let nothing = |what: &str| tag("p", format!("No {what}."));
    let body = all([
        section(
            "New targets",
            match targets.is_empty() {
                true => nothing("targets"),
                false => tag(
                    "p",
                    joined(" ", targets.iter().map(|target| link(target_path(*target), code(target)))),
                ),
            },
        ),
        section(
            "Ended targets",
            match ended.is_empty() {
                true => nothing("targets"),
                false => list(ended.iter().map(|target| {
                    let name = link(target_path(*target), code(target));
                    match target.renamed() {
                        Some(renamed) => {
                            all([name, text(", now "), link(target_path(renamed), code(renamed))])
                        }
                        None => name,
                    }
                })),
            },
        ),
        section(
            "New forms",
            match new.is_empty() {
                true => nothing("forms"),
                false => list(new.iter().map(form_link)),
            },
        ),
        section(
            "Forms on more targets",
            match extended.is_empty() {
                true => nothing("forms"),
                false => table(
                    "Forms that existed, and targets that existed",
                    &["form", "now also on"],
                    extended.iter().map(|(form, on)| vec![form_link(form), joined(" ", on.iter().map(code))]),
                ),
            },
        ),
    ]);
    Page {
        path: version_path(isa),
        title: format!("PTX ISA {isa}"),
        kind: "ISA version",
        words: String::new(),
        about: toolkit,
        body,
    }
}
