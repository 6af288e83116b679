//! Calls with assembly and other strings, which are evaluated once every assignment of the file is known.

use std::collections::BTreeMap;

use super::super::assembly::{Assembly, Kind};
use super::super::constraint::Operands;
use super::super::cpp;
use super::super::guard::Guards;
use super::super::language::Language;
use super::super::reading::{Embedded, Reading};
use super::super::text::{HOLE, Joined};
use super::super::written::has_statements;
use super::call::{Call, unknown};
use super::evaluate::{Evaluator, Kind as ValueKind};
use super::expression::Expression;
use super::names::Names;
use super::place::Here;
use super::world::World;
use crate::source::Span;

/// A call or string to evaluate.
pub(super) enum Pending<'s> {
    Call(Call<'s>),
    Written(Written<'s>),
}

/// A string outside calls of inline assembly.
pub(super) struct Written<'s> {
    pub expression: Expression<'s>,
    pub here: Here,
    pub span: Span,
    /// The constraints that follow it.
    pub list: Option<Joined>,
    /// True if no operator joins the string to an expression before it.
    pub whole: bool,
}

impl<'s> Pending<'s> {
    /// Adds the assemblies and texts of every combination. If the program never reaches them, adds only their strings,
    /// as dead code.
    pub fn read(
        &self,
        text: &str,
        names: &Names<'s>,
        strings: &BTreeMap<usize, Joined>,
        reading: &mut Reading,
    ) {
        let (here, span) = match self {
            Pending::Call(call) => (call.here(), call.span()),
            Pending::Written(written) => (&written.here, written.span),
        };
        if names.is_reached(here) {
            return self.evaluate(text, names, strings, reading);
        }
        let dead =
            |joined: &Joined| Assembly::new(joined.clone(), Operands::default(), Guards::dead(), span, true);
        reading.assemblies.extend(strings.range(span.range()).map(|(_, joined)| dead(joined)));
    }

    fn evaluate(
        &self,
        text: &str,
        names: &Names<'s>,
        strings: &BTreeMap<usize, Joined>,
        reading: &mut Reading,
    ) {
        match self {
            Pending::Call(call) => reading.assemblies.extend(call.assemblies(text, names, strings)),
            Pending::Written(written) => written.evaluate(text, names, reading),
        }
    }
}

impl<'s> Written<'s> {
    fn evaluate(&self, text: &str, names: &Names<'s>, reading: &mut Reading) {
        let before = reading.assemblies.len();
        let mut others = false;
        let all = World::each(names, &self.here, |world| {
            let mut evaluator = Evaluator { text, names, world, depth: 0 };
            let value = evaluator.value(&self.expression, &self.here);
            if evaluator.world.has_ended(names) {
                return;
            }
            if value.kind != ValueKind::Text || !value.joined.text.contains("cvt") {
                others |= value.joined.text.contains(HOLE);
                return;
            }
            let doubtful = evaluator.world.is_doubtful();
            let mut joined = value.joined;
            if cpp::is_kernel(&joined.text) {
                let embedded =
                    Embedded { joined, language: Language::Cpp, template: true, cells: Vec::new() };
                reading.embedded.push(embedded);
            } else if let Some(list) =
                self.list.as_ref().filter(|_| self.whole && has_statements(&joined.text))
            {
                let mut operands = Operands::default();
                operands.push_text(list, &mut joined);
                let kind = if doubtful { Kind::Doubtful } else { Kind::Inline };
                let mut assembly = Assembly::new(joined, operands, Guards::none(), self.span, true);
                assembly.template = true;
                reading.assemblies.push(assembly.llvm().of_kind(kind));
            } else if self.whole && !doubtful {
                let operands = Operands { unknown: true, ..Operands::default() };
                let assembly = Assembly::new(joined, operands, Guards::none(), self.span, true);
                reading.assemblies.push(assembly.of_kind(Kind::Written));
            } else {
                others = true;
            }
        });
        // Some combinations are known; the others count as an unknown assembly.
        if (others || !all) && reading.assemblies.len() > before {
            reading.assemblies.push(unknown(self.span));
        }
    }
}
