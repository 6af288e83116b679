//! Reads an opcode, and explains why an opcode is not in the table.

use std::fmt;
use std::str::FromStr;

use ptxcvt::Spelling;
use ptxcvt::targets::Machine;

use super::op::{Op, Opcode};
use super::row::Row;
use super::rows::ROWS;
use crate::modifier::{Modifier, Modifiers};
use crate::semantics::MAX_TYPES;
use crate::ty::Ty;

/// Why a text is not an instruction that can run here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpError {
    /// The problem.
    pub message: String,
    pub(crate) help: Option<String>,
}

impl OpError {
    fn new(message: impl Into<String>) -> Self {
        OpError { message: message.into(), help: None }
    }

    fn with_help(self, help: impl Into<String>) -> Self {
        OpError { help: Some(help.into()), ..self }
    }

    /// How to correct it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpError {}

/// Instructions that cannot run here, with the reason.
const OUTSIDE: &[(&[&str], &str)] = &[
    (
        &[
            "ld",
            "st",
            "ldu",
            "prefetch",
            "prefetchu",
            "cvta",
            "isspacep",
            "createpolicy",
            "ldmatrix",
            "stmatrix",
            "atom",
            "red",
            "tex",
            "tld4",
            "suld",
            "sust",
            "cp",
            "multimem",
            "mapa",
            "getctarank",
            "applypriority",
            "discard",
            "alloca",
            "stacksave",
            "stackrestore",
            "sured",
            "txq",
            "suq",
            "istypep",
        ],
        "it works on memory",
    ),
    (&["bra", "brx", "call", "exit", "trap", "brkpt"], "it is control flow; a block is a straight line"),
    (
        &[
            "bar",
            "barrier",
            "shfl",
            "vote",
            "match",
            "redux",
            "activemask",
            "elect",
            "membar",
            "fence",
            "mbarrier",
            "griddepcontrol",
            "nanosleep",
            "pmevent",
            "setmaxnreg",
            "clusterlaunchcontrol",
        ],
        "it concerns other threads",
    ),
    (&["mma", "wmma", "wgmma", "tcgen05"], "it works on the matrices of a whole warp"),
];

impl FromStr for Opcode {
    type Err = OpError;

    /// Parses an opcode. Modifiers may have any order, as ptxas allows.
    fn from_str(text: &str) -> Result<Self, OpError> {
        read(text).map_err(|error| {
            let right = text.to_ascii_lowercase().replace(".nan", ".NaN");
            match right != text && read(&right).is_ok() {
                true => OpError::new("capital and small letters differ in PTX")
                    .with_help(format!("write `{right}`")),
                false => error,
            }
        })
    }
}

fn read(text: &str) -> Result<Opcode, OpError> {
    let name = text.split_once('.').map_or(text, |(name, _)| name);
    if name == "cvt" {
        let spelling = Spelling::new(text);
        return spelling.form().map(Opcode::Convert).ok_or_else(|| {
            let mut problems: Vec<String> =
                spelling.problems(Machine::ANY).iter().map(|problem| problem.message().to_owned()).collect();
            // Report each problem of `.b32.b32.b32` once.
            problems.dedup();
            let error = OpError::new(problems.join("; "));
            match spelling.help(Machine::ANY) {
                Some(help) => error.with_help(help.text()),
                None => error,
            }
        });
    }
    if let Some((_, why)) = OUTSIDE.iter().find(|(names, _)| names.contains(&name)) {
        return Err(OpError::new(format!("`{name}` cannot run here: {why}")));
    }
    if !ROWS.iter().any(|r| r.name == name) {
        let message = format!("`{name}` is not among the instructions that run here");
        return Err(OpError::new(message).with_help("`docs/run.md` lists them"));
    }
    parse(name, text).map(Opcode::Op)
}

/// Parses the modifiers and types after a name of the table.
fn parse(name: &str, text: &str) -> Result<Op, OpError> {
    let (mut modifiers, mut types, mut count) = (Modifiers::default(), [None; MAX_TYPES], 0);
    for part in text.split('.').skip(1) {
        if let Some(ty) = Ty::from_name(part) {
            *types.get_mut(count).ok_or_else(|| OpError::new(format!("`.{part}` is one type too many")))? =
                Some(ty);
            count += 1;
        } else if let Some(modifier) = Modifier::from_name(part) {
            if modifiers.has(modifier) {
                return Err(OpError::new(format!("`.{part}` is written twice")));
            }
            modifiers = modifiers.with(modifier);
        } else {
            return Err(OpError::new(format!("`.{part}` is not a modifier or type of `{name}`")));
        }
    }
    if let Some(op) = Op::new(name, modifiers, types) {
        return Ok(op);
    }
    let named = || ROWS.iter().filter(|r| r.name == name);
    let typed: Vec<&Row> = named().filter(|r| r.has_types(types)).collect();
    if typed.is_empty() {
        let mut known: Vec<String> = named().flat_map(Row::type_names).collect();
        let mut seen = std::collections::HashSet::new();
        known.retain(|types| seen.insert(types.clone()));
        let given: String = types.iter().flatten().map(ToString::to_string).collect();
        let message = match given.as_str() {
            "" => format!("`{name}` needs a type"),
            _ => format!("`{name}` does not take `{given}`"),
        };
        return Err(OpError::new(message).with_help(format!("it takes {}", known.join(" "))));
    }
    let given: String = types.iter().flatten().map(ToString::to_string).collect();
    // The legal spelling with the most words in common.
    let points = typed.iter().flat_map(|r| r.points()).filter(|(_, t)| *t == types);
    let common = |m: Modifiers| modifiers.iter().filter(|x| m.has(*x)).count() as i32 * 2 - m.len() as i32;
    let nearest = points.max_by_key(|(m, _)| common(*m)).and_then(|(m, t)| Op::new(name, m, t));
    let foreign: Vec<String> = modifiers
        .iter()
        .filter(|m| !typed.iter().any(|r| r.modifiers.iter().any(|slot| slot.choices.contains(m))))
        .map(|m| format!("`{m}`"))
        .collect();
    let message = if foreign.is_empty() {
        format!("`{name}{given}` has an invalid combination of modifiers")
    } else {
        format!("`{name}{given}` does not take {}", foreign.join(" "))
    };
    let error = OpError::new(message);
    Err(match nearest {
        Some(op) => error.with_help(format!("write `{op}`")),
        None => error,
    })
}

impl Row {
    /// The types of the instruction in written form: `.f32.bf16`.
    fn type_names(&self) -> Vec<String> {
        let lists = self.type_lists().into_iter();
        lists.map(|types| types.iter().flatten().map(ToString::to_string).collect()).collect()
    }
}
