//! The arguments of a call of inline assembly: a string for the assembly, and one for the constraints or lists of
//! types.
//!
//! The Python Language Reference, "Calls".

use std::collections::BTreeMap;

use super::super::assembly::{Assembly, Kind};
use super::super::constraint::Operands;
use super::super::cpp;
use super::super::guard::Guards;
use super::super::text::{HOLE, Joined};
use super::super::typed;
use super::attributes::Attribute;
use super::evaluate::{self, Evaluator};
use super::expression::Expression;
use super::literals::Tokens;
use super::names::Names;
use super::place::Here;
use super::world::World;
use crate::check::Words;
use crate::source::Span;

/// Parts of the names of functions that accept inline assembly.
pub(crate) const KNOWN: [&str; 3] = ["inline_asm", "inline_ptx", "InlineAsm"];

/// Arguments of the CuTe DSL's `inline_ptx` that have types, and their groups.
const GROUPS: [(&str, &str); 3] =
    [("write_only_types", "w"), ("read_write_args", "rw"), ("read_only_args", "r")];

/// True for a name of a function that accepts inline assembly.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|part| name.contains(part))
}

/// A call of a function that accepts inline assembly.
pub(super) struct Call<'s> {
    positional: Vec<Expression<'s>>,
    named: Vec<(&'s str, Expression<'s>)>,
    here: Here,
    span: Span,
    /// True if none of its strings is counted separately.
    silent: bool,
    /// True if some arguments are unpacked from a list or dictionary.
    starred: bool,
}

impl<'s> Call<'s> {
    /// Reads the arguments of a call whose name begins at `start`, from its `(` on.
    pub fn read(tokens: &mut Tokens<'s>, here: Here, start: usize) -> Self {
        let open = tokens.scanner.at;
        let (positional, named) = tokens.arguments();
        let text = &tokens.scanner.text[open..tokens.scanner.at];
        let defined = tokens.scanner.text[..start].trim_end().ends_with("def");
        let star = |(at, _): (usize, &str)| {
            text[..at].trim_end().ends_with(['(', ',']) && !text[at..].starts_with("**{")
        };
        Call {
            positional,
            named,
            here,
            span: Span::new(start as u32, tokens.scanner.at as u32),
            silent: tokens.strings.range(start..tokens.scanner.at).next().is_none(),
            starred: !defined && text.match_indices('*').any(star),
        }
    }

    /// The place of the call in the program.
    pub fn here(&self) -> &Here {
        &self.here
    }

    /// The call in the text.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The assemblies for all combinations of the arguments' possible strings.
    pub fn assemblies(
        &self,
        text: &str,
        names: &Names<'s>,
        strings: &BTreeMap<usize, Joined>,
    ) -> Vec<Assembly> {
        let Call { positional, named, here, span, silent, starred } = self;
        let by_name =
            |wanted: &[&str]| named.iter().find(|(name, _)| wanted.contains(name)).map(|(_, value)| value);
        let mut plain = positional.iter().filter(|value| may_be_text(value, names, here, 0));
        let assembly = by_name(&["asm", "asm_str", "asm_string", "ptx", "ptx_code"]).or_else(|| plain.next());
        let constraints = by_name(&["constraints", "constraint"]).or_else(|| plain.next());
        let Some(assembly) = assembly else {
            // The assembly may be a conversion, unless a string of the call is counted separately.
            let typed = named.iter().any(|(name, _)| GROUPS.iter().any(|(group, _)| group == name));
            let passed = *silent && (constraints.is_some() || *starred || typed);
            return passed.then(|| unknown(*span)).into_iter().collect();
        };
        let mut found: Vec<Assembly> = Vec::new();
        let mut others = false;
        let all = World::each(names, here, |world| {
            let mut evaluator = Evaluator { text, names, world, depth: 0 };
            let value = evaluator.value(assembly, here);
            let list = constraints.map(|constraints| evaluator.value(constraints, here));
            if evaluator.world.has_ended(names) {
                return;
            }
            if value.kind != evaluate::Kind::Text || is_constraints(&value.joined) {
                others = true;
                return;
            }
            let kind = if evaluator.world.is_doubtful() { Kind::Doubtful } else { Kind::Inline };
            let mut joined = value.joined;
            let mut operands = Operands::default();
            match list {
                Some(list) if list.kind == evaluate::Kind::Text && !list.joined.text.contains(HOLE) => {
                    operands.push_text(&list.joined, &mut joined);
                }
                _ => operands.unknown = !groups(text, named, &mut joined, &mut operands),
            }
            let assembly = Assembly::new(joined, operands, Guards::none(), *span, true).llvm().of_kind(kind);
            found.push(assembly);
        });
        let mentions = found.iter().any(|assembly| assembly.joined.mentions().next().is_some());
        if !mentions && names.has_string(assembly, here, strings) {
            // The conversion is in that string, which is counted separately.
            return Vec::new();
        }
        // Other combinations may have an unknown assembly.
        if (others || !all) && (*silent || !found.is_empty()) {
            found.push(unknown(*span));
        }
        found
    }
}

/// An assembly whose text is unknown.
pub(super) fn unknown(span: Span) -> Assembly {
    let mut joined = Joined::default();
    joined.push_as(HOLE, span);
    Assembly::new(joined, Operands::default(), Guards::none(), span, true)
}

/// True for a list of constraints, which is the first string of a call whose assembly is unknown.
fn is_constraints(joined: &Joined) -> bool {
    cpp::is_list(&joined.text)
}

/// Reads the operands of the CuTe DSL's `inline_ptx`, whose types may be written in the call. Returns false if a type
/// is unknown, or if there are no operands.
fn groups(
    text: &str,
    named: &[(&str, Expression<'_>)],
    joined: &mut Joined,
    operands: &mut Operands,
) -> bool {
    let (mut any, mut is_known) = (false, true);
    for (argument, group) in GROUPS {
        let Some((_, Expression::List(items))) = named.iter().find(|(name, _)| *name == argument) else {
            // The value is not a list.
            is_known &= !named.iter().any(|(name, _)| *name == argument);
            continue;
        };
        any = true;
        let types: Vec<(&str, Span)> = items
            .iter()
            .map(|item| match item {
                Expression::Unknown(span) => {
                    // `Float32(x)`, `cutlass.Float32`
                    let written = &text[span.range()];
                    let name = written.split_once('(').map_or(written, |(name, _)| name);
                    (name.rsplit_once('.').map_or(name, |(_, last)| last), *span)
                }
                Expression::Attribute(_, name, span) => (*name, *span),
                Expression::Name(name) if group == "w" => (*name, Span::default()),
                _ => ("", Span::default()),
            })
            .collect();
        typed::push(Words::Cute, group, &types, joined, operands);
    }
    any && is_known
}

/// True if an expression may be a string.
fn may_be_text<'s>(expression: &Expression<'s>, names: &Names<'s>, here: &Here, depth: u32) -> bool {
    match expression {
        _ if depth > 8 => false,
        Expression::Name(name) => names.bound(name, here).is_some_and(|(all, ..)| {
            all.iter().any(|assignment| {
                let value = assignment.value.as_ref();
                value.is_some_and(|value| may_be_text(value, names, &assignment.here, depth + 1))
            })
        }),
        Expression::Item(container, ..) => may_be_text(container, names, here, depth + 1),
        Expression::List(items) => {
            depth > 0 && items.iter().any(|item| may_be_text(item, names, here, depth + 1))
        }
        Expression::Dictionary(items) => {
            depth > 0 && items.iter().any(|(.., item)| may_be_text(item, names, here, depth + 1))
        }
        Expression::Percent(template, _) | Expression::Substitute(template, ..) => {
            may_be_text(template, names, here, depth + 1)
        }
        Expression::Replace(parts) => may_be_text(&parts[0], names, here, depth + 1),
        Expression::Trimmed(_, parts) => may_be_text(&parts[0], names, here, depth + 1),
        Expression::Any(rows, column) => may_be_text(&rows.columns[*column].1, names, here, depth + 1),
        Expression::Attribute(object, name, _) => names.attribute(object, name, here).is_some_and(|all| {
            let last = |class: &Attribute<'s>| {
                may_be_text(&Expression::Name(class.name), names, &class.end, depth + 1)
            };
            all.iter().any(last)
        }),
        Expression::Either { then, other, .. } => {
            may_be_text(then, names, here, depth + 1) || may_be_text(other, names, here, depth + 1)
        }
        other => other.is_text(),
    }
}
