//! The targets and PTX versions of LLVM, from the records of `NVPTX.td`.

use std::collections::BTreeSet;
use std::rc::Rc;

use ptxcvt::targets::Suffix;
use ptxcvt::{IsaVersion, Target};

use crate::tablegen::{Evaluator, Unread, Value};

use super::evaluation::Facts;

/// A target in a PTX version that has it.
#[derive(Clone, Debug)]
pub struct Machine {
    pub target: Target,
    pub isa: IsaVersion,
    pub facts: Facts,
    /// The version that LLVM uses for the target if none is named.
    pub default: bool,
}

/// A feature of the subtarget.
struct Feature {
    name: String,
    field: String,
    value: Option<i64>,
    implied: Vec<usize>,
}

/// Every machine that both LLVM and the table know. Without records of targets, the targets of the table are used.
pub fn machines(evaluator: &mut Evaluator, unread: &mut Vec<Unread>) -> Vec<Machine> {
    let Some(targets) = targets(evaluator, unread) else { return without_records() };
    let known = defined(evaluator, "SubtargetFeature");
    let known = known.iter().map(|at| evaluator.records()[*at].name.to_string()).collect();
    let known: Rc<BTreeSet<String>> = Rc::new(known);
    let versions = versions(evaluator, unread);
    let mut machines = Vec::new();
    for (target, features) in &targets {
        let named =
            features.iter().filter(|feature| feature.field == "PTXVersion").filter_map(|f| f.value).max();
        let full =
            features.iter().filter(|feature| feature.field == "FullSmVersion").filter_map(|f| f.value).max();
        for features_of_version in &versions {
            let version = features_of_version.iter().filter_map(|feature| feature.value).max();
            let Some((ptx, isa)) = version.and_then(|ptx| Some((ptx, isa(ptx)?))) else {
                continue;
            };
            if target.exists_in(isa) {
                let all = features.iter().chain(features_of_version).map(|feature| feature.name.clone());
                let facts = Facts { ptx, full, features: all.collect(), known: known.clone() };
                machines.push(Machine { target: *target, isa, facts, default: named == Some(ptx) });
            }
        }
        // Newer versions of LLVM use the first version that has the target.
        if named.is_none() {
            let first = machines
                .iter_mut()
                .filter(|machine| machine.target == *target)
                .min_by_key(|machine| machine.isa);
            first.into_iter().for_each(|machine| machine.default = true);
        }
    }
    machines.sort_by_key(|machine| (machine.target.sm(), machine.target.to_string(), machine.isa));
    machines
}

/// The indices of the defined records of a class.
fn defined(evaluator: &Evaluator, class: &str) -> Vec<usize> {
    let records = evaluator.records();
    (0..records.len()).filter(|at| records[*at].defined && records[*at].is(class)).collect()
}

/// The targets that LLVM names, also by other names, with their features; `None` if no record names a target.
fn targets(evaluator: &mut Evaluator, unread: &mut Vec<Unread>) -> Option<Vec<(Target, Rc<Vec<Feature>>)>> {
    let (processors, aliases) = (defined(evaluator, "Processor"), defined(evaluator, "ProcessorAlias"));
    if processors.is_empty() && aliases.is_empty() {
        return None;
    }
    let mut targets = Vec::new();
    for at in processors {
        let name = text(evaluator, at, "Name");
        match name.as_deref().map(str::parse::<Target>) {
            Some(Ok(target)) => match closure(evaluator, at, "Features") {
                Ok(features) => targets.push((target, features)),
                Err(reason) => unread.push(evaluator.at(at, reason)),
            },
            _ => {
                let reason = format!("the target `{}` is not known", name.unwrap_or_default());
                unread.push(evaluator.at(at, reason));
            }
        }
    }
    for at in aliases {
        let (name, of) = (text(evaluator, at, "Name"), text(evaluator, at, "Alias"));
        let parsed = name.as_deref().and_then(|name| name.parse::<Target>().ok());
        let meant = of.as_deref().and_then(|of| of.parse::<Target>().ok());
        let features =
            targets.iter().find(|(target, _)| Some(*target) == meant).map(|(_, features)| features.clone());
        match (parsed, features) {
            (Some(target), Some(features)) => targets.push((target, features)),
            _ => unread.push(evaluator.at(at, "the other name of a target is not known")),
        }
    }
    Some(targets)
}

/// For each PTX version that LLVM and the table know: its feature and the features that it implies.
fn versions(evaluator: &mut Evaluator, unread: &mut Vec<Unread>) -> Vec<Vec<Feature>> {
    let mut versions = Vec::new();
    for at in defined(evaluator, "SubtargetFeature") {
        match feature(evaluator, at) {
            Ok(feature) if feature.field == "PTXVersion" => match closure_of(evaluator, vec![at]) {
                Ok(_) if feature.value.and_then(isa).is_none() => {
                    unread.push(evaluator.at(at, "the table has no such PTX version"));
                }
                Ok(features) => versions.push(features),
                Err(reason) => unread.push(evaluator.at(at, reason)),
            },
            Ok(_) => {}
            Err(reason) => unread.push(evaluator.at(at, reason)),
        }
    }
    versions
}

/// The version of LLVM's number: 81 is 8.1.
pub fn isa(ptx: i64) -> Option<IsaVersion> {
    let (major, minor) = (u8::try_from(ptx / 10).ok()?, u8::try_from(ptx % 10).ok()?);
    Some(IsaVersion::new(major, minor)).filter(|isa| isa.exists())
}

/// The machines of the table, with LLVM's numbers.
fn without_records() -> Vec<Machine> {
    let pairs = Target::all().flat_map(|target| {
        IsaVersion::all().filter(move |isa| target.exists_in(*isa)).map(move |isa| (target, isa))
    });
    let machine = |(target, isa): (Target, IsaVersion)| {
        let suffix = match target.suffix() {
            Suffix::Family => 2,
            Suffix::Architecture => 3,
            Suffix::Plain => 0,
            other => unreachable!(
                "LLVM has a number for each of the letters that the table knows, not for {other:?}"
            ),
        };
        let ptx = isa.to_string().replace('.', "").parse().expect("a version is two numbers");
        let facts = Facts { ptx, full: Some(i64::from(target.sm()) * 10 + suffix), ..Facts::default() };
        Machine { target, isa, facts, default: isa == target.introduced() }
    };
    pairs.map(machine).collect()
}

fn text(evaluator: &mut Evaluator, record: usize, field: &str) -> Option<String> {
    evaluator.field(record, field).as_text().ok().map(|text| text.to_string())
}

/// The features that a field lists, and the features that they imply, or the reason why they are not known.
fn closure(evaluator: &mut Evaluator, record: usize, field: &str) -> Result<Rc<Vec<Feature>>, String> {
    let first = listed(evaluator, record, field)?;
    closure_of(evaluator, first).map(Rc::new)
}

fn closure_of(evaluator: &mut Evaluator, mut open: Vec<usize>) -> Result<Vec<Feature>, String> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            let feature = feature(evaluator, at)?;
            open.extend(&feature.implied);
            found.push(feature);
        }
    }
    Ok(found)
}

fn feature(evaluator: &mut Evaluator, at: usize) -> Result<Feature, String> {
    let name = evaluator.records()[at].name.to_string();
    let field =
        text(evaluator, at, "FieldName").ok_or_else(|| format!("the field of `{name}` is not known"))?;
    let value = text(evaluator, at, "Value").and_then(|value| value.parse().ok());
    // The values of other fields decide nothing here.
    if value.is_none() && matches!(&*field, "PTXVersion" | "FullSmVersion") {
        return Err(format!("the {field} of `{name}` is not a known number"));
    }
    Ok(Feature { implied: listed(evaluator, at, "Implies")?, name, field, value })
}

fn listed(evaluator: &mut Evaluator, record: usize, field: &str) -> Result<Vec<usize>, String> {
    let value = evaluator.field(record, field);
    let unknown = || format!("the features in `{field}` are not known");
    let records = value.as_list().map_err(|_| unknown())?.iter().map(|value| match value {
        Value::Record(at) => Ok(*at),
        _ => Err(unknown()),
    });
    records.collect()
}
