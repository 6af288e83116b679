//! The conversions of the backend: the instructions that print one, and the patterns that select these.

use std::rc::Rc;

use crate::modes::{Modes, opcodes};
use crate::tablegen::{Dag, Evaluator, Unread, Value};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: Rc<str>,
    pub line: u32,
}

/// An instruction that prints conversions.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub record: usize,
    pub place: Place,
    /// The opcodes, with `${mode:…}` for modifiers. The flag is true if the instruction exists for this conversion, and
    /// false if the conversion only widens or narrows a register on the way.
    pub opcodes: Vec<(String, bool)>,
    /// It is not known whether the instruction exists.
    pub doubted: bool,
}

/// A conversion that LLVM selects.
#[derive(Clone, Debug)]
pub struct Selection {
    pub place: Place,
    pub opcode: String,
    /// The conditions; each must hold. `None` if they were not read.
    pub conditions: Option<Vec<Rc<str>>>,
    /// It may be selected, but that is not certain.
    pub doubted: bool,
    /// The intrinsic that selects it, without `int_`; `None` for a node, which lowering in C++ may keep from a target.
    pub intrinsic: Option<String>,
    /// The instruction exists for this conversion.
    pub meant: bool,
}

/// The conversions of the backend.
#[derive(Debug, Default)]
pub struct Conversions {
    pub instructions: Vec<Instruction>,
    pub selections: Vec<Selection>,
    /// Instructions of every kind, and patterns.
    pub instruction_count: usize,
    pub pattern_count: usize,
    pub modes: Modes,
}

impl Instruction {
    /// The spellings with which an opcode is printed, one for each named mode.
    pub fn printed<'a>(opcode: &'a str, modes: &'a Modes) -> impl Iterator<Item = String> + 'a {
        let with_modes = modes.all.keys().filter_map(move |mode| modes.print(opcode, Some(*mode)));
        let plain = (!opcode.contains("${")).then(|| opcode.to_owned());
        with_modes.filter(move |_| opcode.contains("${")).chain(plain)
    }
}

impl Conversions {
    /// Reads the records.
    pub fn read(evaluator: &mut Evaluator, unread: &mut Vec<Unread>) -> Self {
        let mut found = Conversions { modes: Modes::read(evaluator), ..Conversions::default() };
        let defined = |evaluator: &Evaluator, class: &str| -> Vec<usize> {
            let records = evaluator.records().iter().enumerate();
            records.filter(|(_, record)| record.defined && record.is(class)).map(|(at, _)| at).collect()
        };
        for (at, record) in evaluator.records().iter().enumerate().filter(|(_, record)| record.defined) {
            if let Some(reason) = &record.doubt {
                unread.push(evaluator.at(at, &**reason));
            }
        }
        for record in defined(evaluator, "Instruction") {
            found.instruction(evaluator, record, unread);
        }
        for record in defined(evaluator, "Pattern") {
            found.pattern(evaluator, record, unread);
        }
        found
    }

    fn instruction(&mut self, evaluator: &mut Evaluator, record: usize, unread: &mut Vec<Unread>) {
        self.instruction_count += 1;
        let doubted = evaluator.records()[record].doubt.is_some();
        let assembly = evaluator.field_as_read(record, "AsmString");
        let opcodes: Vec<(String, bool)> = match assembly.as_text() {
            Ok(text) => {
                let first = text.trim_start().starts_with("cvt");
                opcodes(text)
                    .into_iter()
                    .map(|opcode| (opcode.to_owned(), first || opcode.contains("${")))
                    .collect()
            }
            Err(_) if doubted || assembly == Value::Unset => return,
            Err(unknown) => {
                unread.push(evaluator.at(record, format!("its assembly is not known: {}", reason(&unknown))));
                return;
            }
        };
        if opcodes.is_empty() {
            return;
        }
        let place = place(evaluator, record);
        let pattern = evaluator.field_as_read(record, "Pattern");
        self.instructions.push(Instruction {
            record,
            place: place.clone(),
            opcodes: opcodes.clone(),
            doubted,
        });
        match &pattern {
            Value::List(patterns) if patterns.is_empty() => {}
            Value::List(_) if opcodes.iter().any(|(opcode, _)| opcode.contains("${")) => {
                unread.push(evaluator.at(record, "the mode of its own pattern is not known"));
            }
            Value::List(patterns) => {
                let intrinsic = patterns.iter().find_map(|pattern| intrinsic(evaluator, pattern));
                self.select(evaluator, record, &place, (&opcodes, None), intrinsic, unread);
            }
            Value::Unset => {}
            other => {
                unread.push(evaluator.at(record, format!("its pattern is not known: {}", reason(other))))
            }
        }
    }

    fn pattern(&mut self, evaluator: &mut Evaluator, record: usize, unread: &mut Vec<Unread>) {
        self.pattern_count += 1;
        let doubted = evaluator.records()[record].doubt.is_some();
        let results = evaluator.field_as_read(record, "ResultInstrs");
        let Value::List(results) = &results else {
            if doubted {
                return;
            }
            unread.push(evaluator.at(record, format!("its result is not known: {}", reason(&results))));
            return;
        };
        let mut nodes = Vec::new();
        for result in results.iter() {
            if let Value::Unknown(reason) = result {
                unread.push(evaluator.at(record, format!("its result is not known: {reason}")));
            }
            dags(result, &mut nodes);
        }
        let place = place(evaluator, record);
        for node in nodes {
            if let Value::External(name) | Value::Unknown(name) = &node.operator {
                if name.starts_with("CVT") || matches!(node.operator, Value::Unknown(_)) {
                    unread.push(evaluator.at(record, format!("an instruction is not known: {name}")));
                }
                continue;
            }
            let Value::Record(instruction) = node.operator else { continue };
            let found = self.instructions.iter().find(|known| known.record == instruction);
            let Some(opcodes) = found.map(|known| known.opcodes.clone()) else { continue };
            let operands: Vec<Value> = node.operands.iter().map(|(value, _)| value.clone()).collect();
            let mode = self.modes.among(evaluator, &operands);
            if mode.is_none() && opcodes.iter().any(|(opcode, _)| opcode.contains("${")) {
                unread.push(evaluator.at(record, "the mode of a conversion is not known"));
                continue;
            }
            let from = evaluator.field_as_read(record, "PatternToMatch");
            let intrinsic = intrinsic(evaluator, &from);
            let first = self.selections.len();
            self.select(evaluator, record, &place, (&opcodes, mode), intrinsic, unread);
            if evaluator.records()[instruction].doubt.is_some() {
                self.selections[first..].iter_mut().for_each(|selection| selection.doubted = true);
            }
        }
    }

    /// Adds the conversions of an instruction, under the conditions of a record.
    fn select(
        &mut self,
        evaluator: &mut Evaluator,
        record: usize,
        place: &Place,
        (opcodes, mode): (&[(String, bool)], Option<i64>),
        intrinsic: Option<String>,
        unread: &mut Vec<Unread>,
    ) {
        let doubted = evaluator.records()[record].doubt.is_some();
        let conditions = match conditions(evaluator, record) {
            Ok(conditions) => Some(conditions),
            Err(reason) => {
                if !doubted {
                    unread.push(evaluator.at(record, reason));
                }
                None
            }
        };
        for (opcode, meant) in opcodes {
            match self.modes.print(opcode, mode) {
                Some(opcode) => self.selections.push(Selection {
                    place: place.clone(),
                    opcode,
                    conditions: conditions.clone(),
                    doubted,
                    intrinsic: intrinsic.clone(),
                    meant: *meant,
                }),
                None => unread.push(evaluator.at(record, format!("`{opcode}` cannot be printed"))),
            }
        }
    }
}

/// The conditions of a record, or why they are not known.
fn conditions(evaluator: &mut Evaluator, record: usize) -> Result<Vec<Rc<str>>, String> {
    let predicates = evaluator.field(record, "Predicates");
    let Value::List(predicates) = &predicates else {
        return Err(format!("its predicates are not known: {}", reason(&predicates)));
    };
    let condition = |predicate: &Value| {
        let condition = match predicate {
            Value::Record(at) => evaluator.field(*at, "CondString"),
            other => other.clone(),
        };
        let text = condition.as_text().cloned();
        text.map_err(|unknown| format!("a predicate is not known: {}", reason(&unknown)))
    };
    predicates.iter().map(condition).collect()
}

fn reason(value: &Value) -> String {
    match value {
        Value::Unknown(reason) => reason.to_string(),
        Value::External(name) => format!("`{name}` is defined in no file that was read"),
        _ => "it has another kind".to_owned(),
    }
}

fn place(evaluator: &Evaluator, record: usize) -> Place {
    let record = &evaluator.records()[record];
    Place { file: record.file.clone(), line: record.line }
}

/// A dag and the dags in its operands.
fn dags(value: &Value, found: &mut Vec<Rc<Dag>>) {
    if let Value::Dag(dag) = value {
        found.push(dag.clone());
        dag.operands.iter().for_each(|(operand, _)| dags(operand, found));
    }
}

/// The intrinsic that a pattern matches, without `int_`. `None` if the pattern has several, so that no single call
/// selects it.
fn intrinsic(evaluator: &Evaluator, pattern: &Value) -> Option<String> {
    let mut nodes = Vec::new();
    dags(pattern, &mut nodes);
    let name = |dag: &Rc<Dag>| {
        let name = match &dag.operator {
            Value::External(name) => name.clone(),
            Value::Record(at) => evaluator.records()[*at].name.clone(),
            _ => return None,
        };
        name.strip_prefix("int_").map(str::to_owned)
    };
    let mut names = nodes.iter().filter_map(name);
    names.next().filter(|_| names.next().is_none())
}
