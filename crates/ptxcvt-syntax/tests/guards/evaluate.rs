//! Evaluates a nest for one configuration.

use std::collections::HashMap;

use ptxcvt::Target;
use ptxcvt::targets::Suffix;

use super::macros::MACROS;
use super::nest::{Item, Variable};
use super::tree::Tree;

/// One configuration: a target (`None` is a future one), a toolkit, and the values of flags.
pub struct Configuration<'c> {
    pub target: Option<Target>,
    pub toolkit: (u32, u32),
    pub flags: &'c HashMap<&'static str, Option<i64>>,
}

/// The definitions so far.
#[derive(Clone, Default)]
pub struct Own {
    names: HashMap<&'static str, i64>,
    /// The numbers of the definitions of macros with parameters; the others have their first one.
    macros: HashMap<usize, usize>,
}

pub const FUTURE: (u32, u32) = (99, 0);

impl Tree {
    fn eval(&self, at: &Configuration<'_>, own: &Own) -> i64 {
        match self {
            Tree::Number(number) => *number,
            Tree::Name(name) => value(name, at, own).unwrap_or(0),
            Tree::Defined(name) => value(name, at, own).is_some().into(),
            Tree::HasFeature(number) => {
                at.target.is_some_and(|t| t.sm() == *number && t.suffix() == Suffix::Architecture).into()
            }
            Tree::Not(inner) => (inner.eval(at, own) == 0).into(),
            Tree::Choose(condition, yes, no) => {
                if condition.eval(at, own) != 0 {
                    yes.eval(at, own)
                } else {
                    no.eval(at, own)
                }
            }
            Tree::Call(which, arguments) => {
                let (_, meaning) = MACROS[*which].definitions[own.macros.get(which).copied().unwrap_or(0)];
                let arch = value("__CUDA_ARCH__", at, own).unwrap_or(0);
                meaning.value(arguments, arch, |tree| tree.eval(at, own))
            }
            Tree::Binary(operator, left, right) => {
                let (a, b) = (left.eval(at, own), right.eval(at, own));
                match *operator {
                    "&&" => (a != 0 && b != 0).into(),
                    "||" => (a != 0 || b != 0).into(),
                    ">=" => (a >= b).into(),
                    "<=" => (a <= b).into(),
                    ">" => (a > b).into(),
                    "<" => (a < b).into(),
                    "==" => (a == b).into(),
                    "!=" => (a != b).into(),
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "&" => a & b,
                    "|" => a | b,
                    "^" => a ^ b,
                    "/" => a / b,
                    "%" => a % b,
                    ">>" => a >> b,
                    "<<" => a << b,
                    other => unreachable!("{other}"),
                }
            }
        }
    }
}

/// The value of a name; `None` if it is not defined.
pub fn value(name: &str, at: &Configuration<'_>, own: &Own) -> Option<i64> {
    let arch = at.target.map_or(9_990, |target| i64::from(target.sm()) * 10);
    let suffix = at.target.map_or(Suffix::Plain, Target::suffix);
    let (major, minor) = (i64::from(at.toolkit.0), i64::from(at.toolkit.1));
    match name {
        "__CUDA_ARCH__" => Some(arch),
        "__CUDA_ARCH_SPECIFIC__" => (suffix == Suffix::Architecture).then_some(arch),
        "__CUDA_ARCH_FAMILY_SPECIFIC__" => (suffix != Suffix::Plain).then_some(arch),
        "__CUDA_ARCH_FEAT_SM90_ALL" => (suffix == Suffix::Architecture && arch == 900).then_some(1),
        "__CUDA_ARCH_FEAT_SM100_ALL" => (suffix == Suffix::Architecture && arch == 1000).then_some(1),
        "CUDA_VERSION" => Some(major * 1000 + minor * 10),
        "__CUDACC_VER_MAJOR__" => Some(major),
        "__CUDACC_VER_MINOR__" => Some(minor),
        _ => own.names.get(name).copied().or_else(|| at.flags.get(name).copied().flatten()),
    }
}

/// The assemblies that a configuration compiles; true if it refuses the file.
pub fn reached(items: &[Item], at: &Configuration<'_>, own: &mut Own, found: &mut Vec<usize>) -> bool {
    block(items, at, own, &mut true, found)
}

/// Like [`reached`], for a part of a block. `live` becomes false where the configuration leaves the block.
fn block(
    items: &[Item],
    at: &Configuration<'_>,
    own: &mut Own,
    live: &mut bool,
    found: &mut Vec<usize>,
) -> bool {
    let mut refused = false;
    for item in items {
        match item {
            Item::Refuse => refused = true,
            Item::Assembly(number, _) => found.extend(live.then_some(*number)),
            Item::Exit(tree, _) => *live &= tree.eval(at, own) == 0,
            Item::Leave(_) => *live = false,
            Item::Define(name, number) => drop(own.names.insert(name, *number)),
            Item::Undefine(name) => drop(own.names.remove(name)),
            Item::Redefine(which, how) => drop(own.macros.insert(*which, *how)),
            Item::Conditional(branches) => {
                let taken =
                    branches.iter().find(|(c, _)| c.as_ref().is_none_or(|tree| tree.eval(at, own) != 0));
                if let Some((_, items)) = taken {
                    refused |= block(items, at, own, live, found);
                }
            }
            Item::Switch(selector, parts) => {
                let value = selector.eval(at, own);
                let has = |label: &Option<i64>| *label == Some(value);
                let is_known = parts.iter().any(|(labels, ..)| labels.iter().any(has));
                // A statement that leaves the block of the `switch` leaves no other block.
                let (mut inside, mut reaches) = (Vec::new(), false);
                for (labels, breaks, items) in parts {
                    reaches |= labels.iter().any(|label| has(label) || (label.is_none() && !is_known));
                    refused |= block(items, at, own, &mut reaches, &mut inside);
                    reaches &= !breaks;
                }
                found.extend(inside.into_iter().filter(|_| *live));
            }
            Item::Statement(branches) => {
                let mut is_reached = true;
                for (condition, variable, _, items) in branches {
                    let holds = condition.as_ref().is_none_or(|tree| tree.eval(at, own) != 0);
                    // A variable may have any value in a thread, but the code after the last `else` has no condition.
                    let takes = is_reached && (holds || *variable == Variable::Or);
                    is_reached &= !holds || (*variable == Variable::And && condition.is_some());
                    // The preprocessor reads each statement. A statement that leaves its block leaves nothing else.
                    let mut inside = Vec::new();
                    refused |= block(items, at, own, &mut true, &mut inside);
                    found.extend(inside.into_iter().filter(|_| takes && *live));
                }
            }
        }
    }
    refused
}
