//! The comparison of LLVM's selections with the table.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use ptxcvt::{Form, Spelling};

use crate::conversions::{Conversions, Place, Selection};
use crate::places::{describe, in_words};
use crate::report::{Finding, Kind};
use crate::subtarget::{Functions, Machine};
use crate::tablegen::Unread;

/// The comparison.
#[derive(Debug)]
pub struct Gates<'m> {
    machines: &'m [Machine],
    functions: &'m Functions,
    /// For each condition: the machines where it can hold, or the reason why they are not known.
    conditions: HashMap<Rc<str>, Result<Vec<bool>, String>>,
    pub findings: Vec<Finding>,
    pub unread: Vec<Unread>,
    /// The forms that LLVM selects.
    pub forms: BTreeMap<String, Selected>,
    /// The forms for which the table names an intrinsic of LLVM, by its name with `_`.
    intrinsics: HashMap<String, Form>,
}

/// A form that LLVM selects.
#[derive(Clone, Debug)]
pub struct Selected {
    form: Form,
    /// Where the first selection is.
    place: Place,
    /// The machines that all selections admit together; `None` if a condition of one is not known.
    machines: Option<Vec<bool>>,
    /// An instruction is there for this form, so LLVM means to offer it.
    meant: bool,
}

impl<'m> Gates<'m> {
    pub fn new(machines: &'m [Machine], functions: &'m Functions) -> Self {
        let named = |form: Form| {
            let name = ptxcvt_report::generator::intrinsic(&form)?;
            Some((name.trim_start_matches("llvm.").replace('.', "_"), form))
        };
        Gates {
            intrinsics: Form::all().filter_map(named).collect(),
            machines,
            functions,
            conditions: HashMap::new(),
            findings: Vec::new(),
            unread: Vec::new(),
            forms: BTreeMap::new(),
        }
    }

    /// The number of different conditions.
    pub fn conditions(&self) -> usize {
        self.conditions.len()
    }

    /// Compares what LLVM selects.
    pub fn compare(&mut self, conversions: &Conversions) {
        for selection in &conversions.selections {
            self.selection(selection);
        }
        self.refused();
    }

    /// Adds a finding, or its opcode to one with the same words at the same line.
    pub fn find(&mut self, finding: Finding) {
        let key =
            |finding: &Finding| (finding.kind, finding.file.clone(), finding.line, finding.message.clone());
        let wanted = key(&finding);
        let same = |other: &&mut Finding| key(other) == wanted;
        match self.findings.iter_mut().rev().find(same) {
            Some(known) => {
                let new = finding.opcodes.into_iter().filter(|opcode| !known.opcodes.contains(opcode));
                let new: Vec<String> = new.collect();
                known.opcodes.extend(new);
                known.certain |= finding.certain;
            }
            None => self.findings.push(finding),
        }
    }

    fn selection(&mut self, selection: &Selection) {
        let Place { file, line } = selection.place.clone();
        let spelling = Spelling::new(&selection.opcode);
        let finding = |kind, opcode: String, message: String| Finding {
            kind,
            file: file.to_string(),
            line,
            opcodes: vec![opcode],
            machines: Vec::new(),
            certain: selection.intrinsic.is_some(),
            message,
        };
        let Some(form) = spelling.form() else {
            if selection.doubted {
                return;
            }
            self.find(finding(Kind::NoForm, selection.opcode.clone(), no_form(&spelling)));
            return;
        };
        let named = selection
            .intrinsic
            .as_ref()
            .filter(|_| selection.meant && !selection.doubted)
            .and_then(|name| self.intrinsics.get(name));
        if let Some(other) = named.filter(|other| **other != form) {
            let message = format!("the name of the intrinsic says {other}");
            self.find(finding(Kind::Intrinsic, form.to_string(), message));
        }
        let admitted = self.admitted(selection);
        let known = self.forms.entry(form.to_string()).or_insert_with(|| Selected {
            form,
            place: selection.place.clone(),
            machines: Some(vec![false; self.machines.len()]),
            meant: false,
        });
        known.meant |= selection.meant;
        let Some(admitted) = admitted else {
            known.machines = None;
            return;
        };
        if let Some(machines) = &mut known.machines {
            machines.iter_mut().zip(&admitted).for_each(|(all, one)| *all |= one);
        }
        let wrong: Vec<bool> = self
            .machines
            .iter()
            .zip(&admitted)
            .map(|(machine, admitted)| *admitted && !form.is_legal(machine.target, machine.isa))
            .collect();
        if wrong.contains(&true) {
            let machines = describe(self.machines, &wrong);
            let message = match selection.conditions.as_deref() {
                Some([]) => "it is selected without a condition, but not legal on",
                _ => "it is selected where it is not legal:",
            };
            let message = format!("{message} {}", in_words(&machines));
            self.find(Finding { machines, ..finding(Kind::Admits, form.to_string(), message) });
        }
    }

    /// The machines where every condition of a selection can hold.
    fn admitted(&mut self, selection: &Selection) -> Option<Vec<bool>> {
        let conditions = selection.conditions.as_ref().filter(|_| !selection.doubted)?;
        let mut admitted = vec![true; self.machines.len()];
        for condition in conditions {
            let (functions, machines) = (self.functions, self.machines);
            let holds = self.conditions.entry(condition.clone()).or_insert_with(|| {
                machines.iter().map(|machine| functions.holds(condition, &machine.facts)).collect()
            });
            match holds {
                Ok(holds) => admitted.iter_mut().zip(holds).for_each(|(all, one)| *all &= *one),
                Err(reason) => {
                    let Place { file, line } = selection.place.clone();
                    self.unread.push(Unread { file, line, reason: reason.clone() });
                    return None;
                }
            }
        }
        Some(admitted)
    }

    /// Forms that LLVM selects on some machines, but not on all that have them.
    fn refused(&mut self) {
        for Selected { form, place, machines, meant } in self.forms.clone().into_values() {
            let Some(admitted) = machines.filter(|_| meant) else { continue };
            let wrong: Vec<bool> = self
                .machines
                .iter()
                .zip(&admitted)
                .map(|(machine, admitted)| !admitted && form.is_legal(machine.target, machine.isa))
                .collect();
            if wrong.contains(&true) {
                let machines = describe(self.machines, &wrong);
                self.find(Finding {
                    kind: Kind::Refuses,
                    file: place.file.to_string(),
                    line: place.line,
                    opcodes: vec![form.to_string()],
                    message: format!("it is legal, but not selected: {}", in_words(&machines)),
                    machines,
                    certain: true,
                });
            }
        }
    }

    /// The forms that are legal on a machine of LLVM.
    pub fn of_table(&self) -> impl Iterator<Item = Form> {
        let on_machines = |form: &Form| self.machines.iter().any(|m| form.is_legal(m.target, m.isa));
        Form::all().filter(on_machines)
    }
}

/// The message for an opcode that is not a form.
pub fn no_form(spelling: &Spelling<'_>) -> String {
    let near = spelling.nearest(|_| true).map_or(String::new(), |near| format!("; the nearest is {near}"));
    format!("this form does not exist{near}")
}
