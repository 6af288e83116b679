//! The targets and PTX versions of LLVM, from the records of `NVPTX.td`.

use std::collections::BTreeSet;

use ptxcvt::{IsaVersion, Target};

use crate::tablegen::{Evaluator, Unread, Value};

use super::functions::Facts;

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

/// Every machine that both LLVM and the table know. Without records of targets, those of the table count.
pub fn machines(evaluator: &mut Evaluator, unread: &mut Vec<Unread>) -> Vec<Machine> {
    let records = 0..evaluator.records().len();
    let of = |evaluator: &Evaluator, class: &str| -> Vec<usize> {
        records
            .clone()
            .filter(|at| evaluator.records()[*at].defined && evaluator.records()[*at].is(class))
            .collect()
    };
    let processors = of(evaluator, "Processor");
    let mut targets = Vec::new();
    for at in &processors {
        let name = text(evaluator, *at, "Name");
        match name.as_deref().map(str::parse::<Target>) {
            Some(Ok(target)) => targets.push((target, closure(evaluator, *at, "Features"))),
            _ => unread
                .push(evaluator.at(*at, format!("the target `{}` is not known", name.unwrap_or_default()))),
        }
    }
    for at in of(evaluator, "ProcessorAlias") {
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
    if targets.is_empty() {
        return without_records();
    }
    let versions: Vec<usize> = of(evaluator, "SubtargetFeature")
        .into_iter()
        .filter(|at| text(evaluator, *at, "FieldName").as_deref() == Some("PTXVersion"))
        .collect();
    let mut machines = Vec::new();
    for (target, features) in &targets {
        let named =
            features.iter().filter(|feature| feature.field == "PTXVersion").filter_map(|f| f.value).max();
        let full =
            features.iter().filter(|feature| feature.field == "FullSmVersion").filter_map(|f| f.value).max();
        for at in &versions {
            let features_of_version = closure_of(evaluator, vec![*at]);
            let version = features_of_version.iter().filter_map(|feature| feature.value).max();
            let Some((ptx, isa)) = version.and_then(|ptx| Some((ptx, isa(ptx)?))) else {
                continue;
            };
            if target.exists_in(isa) {
                let all = features.iter().chain(&features_of_version).map(|feature| feature.name.clone());
                let facts = Facts { ptx, full, features: all.collect() };
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

fn isa(ptx: i64) -> Option<IsaVersion> {
    let (major, minor) = (u8::try_from(ptx / 10).ok()?, u8::try_from(ptx % 10).ok()?);
    Some(IsaVersion::new(major, minor)).filter(|isa| isa.exists())
}

/// The machines of the table, with LLVM's numbers.
fn without_records() -> Vec<Machine> {
    let pairs = Target::all().flat_map(|target| {
        IsaVersion::all().filter(move |isa| target.exists_in(*isa)).map(move |isa| (target, isa))
    });
    let machine = |(target, isa): (Target, IsaVersion)| {
        let suffix = match target.to_string().chars().last() {
            Some('f') => 2,
            Some('a') => 3,
            _ => 0,
        };
        let ptx = isa.to_string().replace('.', "").parse().expect("a version is two numbers");
        let facts =
            Facts { ptx, full: Some(i64::from(target.sm()) * 10 + suffix), features: BTreeSet::new() };
        Machine { target, isa, facts, default: isa == target.introduced() }
    };
    pairs.map(machine).collect()
}

fn text(evaluator: &mut Evaluator, record: usize, field: &str) -> Option<String> {
    evaluator.field(record, field).as_text().ok().map(|text| text.to_string())
}

/// The features that a field lists, and those that they imply.
fn closure(evaluator: &mut Evaluator, record: usize, field: &str) -> std::rc::Rc<Vec<Feature>> {
    let first = listed(&evaluator.field(record, field));
    std::rc::Rc::new(closure_of(evaluator, first))
}

fn closure_of(evaluator: &mut Evaluator, mut open: Vec<usize>) -> Vec<Feature> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            let feature = feature(evaluator, at);
            open.extend(&feature.implied);
            found.push(feature);
        }
    }
    found
}

fn feature(evaluator: &mut Evaluator, at: usize) -> Feature {
    Feature {
        name: evaluator.records()[at].name.to_string(),
        field: text(evaluator, at, "FieldName").unwrap_or_default(),
        value: text(evaluator, at, "Value").and_then(|value| value.parse().ok()),
        implied: listed(&evaluator.field(at, "Implies")),
    }
}

fn listed(value: &Value) -> Vec<usize> {
    let Value::List(list) = value else { return Vec::new() };
    let record = |value: &Value| match value {
        Value::Record(at) => Some(*at),
        _ => None,
    };
    list.iter().filter_map(record).collect()
}
