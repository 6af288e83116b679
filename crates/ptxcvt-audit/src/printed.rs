//! Compares the text that LLVM's instructions print with the table.

use std::collections::{BTreeSet, HashMap};

use ptxcvt::{Form, Spelling, Type};

use crate::conversions::{Conversions, Instruction, Place};
use crate::gates::{Gates, no_form};
use crate::report::{Finding, Kind};

impl Gates<'_> {
    /// Instructions that print no form in any mode. The ones that patterns select were compared before.
    pub fn printed(&mut self, conversions: &Conversions) {
        let selected: BTreeSet<&str> =
            conversions.selections.iter().map(|selection| &*selection.opcode).collect();
        for Instruction { place, opcodes, .. } in conversions.instructions.iter().filter(|one| !one.doubted) {
            for (opcode, _) in opcodes {
                let printed: Vec<String> = Instruction::printed(opcode, &conversions.modes).collect();
                let known =
                    |opcode: &String| selected.contains(&**opcode) || Spelling::new(opcode).form().is_some();
                let Some(first) = printed.first().filter(|_| !printed.iter().any(known)) else { continue };
                self.find(Finding {
                    kind: Kind::NoForm,
                    file: place.file.to_string(),
                    line: place.line,
                    opcodes: vec![first.clone()],
                    machines: Vec::new(),
                    certain: true,
                    message: no_form(&Spelling::new(first)),
                });
            }
        }
    }

    /// Forms of the table that LLVM never selects, at the instruction of the same types.
    pub fn missing(&mut self, conversions: &Conversions) {
        let mut by_types: HashMap<(Type, Type), Place> = HashMap::new();
        let mut printable: BTreeSet<String> = BTreeSet::new();
        for instruction in &conversions.instructions {
            for (opcode, _) in &instruction.opcodes {
                for opcode in Instruction::printed(opcode, &conversions.modes) {
                    if let Some(form) = Spelling::new(&opcode).form() {
                        let types = (form.destination(), form.source());
                        by_types.entry(types).or_insert_with(|| instruction.place.clone());
                        printable.insert(form.to_string());
                    }
                }
            }
        }
        let Some(first) = conversions.instructions.first().map(|instruction| instruction.place.clone())
        else {
            return;
        };
        let missing: Vec<Form> =
            self.of_table().filter(|form| !self.forms.contains_key(&form.to_string())).collect();
        for form in missing {
            let place = by_types.get(&(form.destination(), form.source()));
            let message = match place {
                _ if printable.contains(&form.to_string()) => {
                    "an instruction can print it, but nothing selects it"
                }
                Some(_) => "no instruction prints it in a mode that has a name",
                None => "no instruction converts between these types",
            };
            let Place { file, line } = place.unwrap_or(&first).clone();
            self.find(Finding {
                kind: Kind::Missing,
                file: file.to_string(),
                line,
                opcodes: vec![form.to_string()],
                machines: Vec::new(),
                certain: true,
                message: message.to_owned(),
            });
        }
    }
}
