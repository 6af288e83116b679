//! Which commands of a CMake file are executed, and the blocks that they begin and end.
//!
//! CMake's manual, `if`, `return`, `function` and `macro`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::assigned::Kind;

/// A command that may be executed.
pub struct Step {
    pub name: String,
    pub arguments: Vec<String>,
    pub blocks: Blocks,
}

/// What a command does to the blocks around it, before it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    Same,
    Begin(Kind),
    /// Another branch of the same condition.
    Branch,
    End,
}

/// Commands that execute commands whose names are arguments.
const CALLS: [&str; 2] = ["cmake_language", "variable_watch"];
/// Commands that execute other files, which may call every definition.
const OTHER_FILES: [&str; 5] =
    ["add_subdirectory", "cpmaddpackage", "fetchcontent_makeavailable", "include", "subdirs"];

/// True for a command that begins or ends a block.
pub fn is_block(name: &str) -> bool {
    name.strip_prefix("end").is_some_and(|name| begins(name).is_some()) || begins(name).is_some()
}

/// The kind of block that a command begins.
fn begins(name: &str) -> Option<Kind> {
    match name {
        "block" | "if" => Some(Kind::Branch),
        "foreach" | "while" => Some(Kind::Loop),
        "function" | "macro" => Some(Kind::Definition),
        _ => None,
    }
}

/// The commands that may be executed, in their order. Left out are branches of constant conditions (`if(FALSE)`), what
/// follows an unconditional `return()`, and definitions without a call, if the file is a project of one file.
pub fn steps(commands: Vec<(String, Vec<String>)>) -> Vec<Step> {
    let mut state = State::default();
    let mut all: Vec<(Step, Option<Rc<str>>)> = Vec::new();
    for (name, arguments) in commands {
        let before = state.definition();
        if let Some(blocks) = state.follow(&name, &arguments) {
            // The commands that begin and end a definition belong to it.
            let definition = if blocks == Blocks::End { before } else { state.definition() };
            all.push((Step { name, arguments, blocks }, definition));
        }
    }
    let called = called(&all);
    let is_called = |definition: &Option<Rc<str>>| {
        definition.as_ref().zip(called.as_ref()).is_none_or(|(name, all)| all.contains(name))
    };
    all.into_iter().filter(|(_, definition)| is_called(definition)).map(|(step, _)| step).collect()
}

/// The definitions that may be called; `None` if this cannot be decided.
fn called(all: &[(Step, Option<Rc<str>>)]) -> Option<BTreeSet<Rc<str>>> {
    let is_project = all.iter().any(|(step, definition)| definition.is_none() && step.name == "project");
    let is_indirect = |step: &Step| CALLS.contains(&&step.name[..]);
    let is_open = |step: &Step| {
        OTHER_FILES.contains(&&step.name[..])
            || (is_indirect(step) && step.arguments.iter().any(|word| word.contains('$')))
    };
    if !is_project || all.iter().any(|(step, _)| is_open(step)) {
        return None;
    }
    let names: BTreeSet<&Rc<str>> = all.iter().filter_map(|(_, definition)| definition.as_ref()).collect();
    // What each definition calls, and what the file itself does.
    let mut calls: BTreeMap<Option<&Rc<str>>, BTreeSet<&Rc<str>>> = BTreeMap::new();
    for (step, definition) in all {
        let own = calls.entry(definition.as_ref()).or_default();
        own.extend(names.get(&Rc::from(&step.name[..])));
        if is_indirect(step) {
            let words = || step.arguments.iter().map(|word| word.to_ascii_lowercase());
            own.extend(names.iter().filter(|name| words().any(|word| word.contains(name.as_ref() as &str))));
        }
    }
    // A definition whose name a variable completes may be called by any name.
    let mut called: BTreeSet<Rc<str>> =
        names.iter().filter(|name| name.contains('$')).map(|name| Rc::clone(name)).collect();
    let mut open: Vec<Option<&Rc<str>>> = vec![None];
    open.extend(names.iter().filter(|name| name.contains('$')).map(|name| Some(*name)));
    while let Some(caller) = open.pop() {
        for name in calls.get(&caller).into_iter().flatten() {
            if called.insert((*name).clone()) {
                open.push(Some(*name));
            }
        }
    }
    Some(called)
}

/// The open blocks.
#[derive(Default)]
struct State {
    blocks: Vec<Open>,
    /// The names of the definitions among them.
    definitions: Vec<Rc<str>>,
    /// How many of them are uncertain.
    uncertain: usize,
    /// An unconditional `return()` was executed.
    has_returned: bool,
}

/// An open block.
struct Open {
    kind: Kind,
    /// It is never executed, or its current branch is not.
    is_dead: bool,
    /// All of it is in a block that is not executed.
    is_within_dead: bool,
    /// A condition with a branch that is always executed if it is reached. Later branches are not.
    is_decided: bool,
    /// The commands that may be executed are not always executed.
    is_uncertain: bool,
}

impl State {
    /// Follows a command; `None` if it is not executed.
    fn follow(&mut self, name: &str, arguments: &[String]) -> Option<Blocks> {
        let is_dead = self.has_returned || self.blocks.last().is_some_and(|block| block.is_dead);
        if let Some(kind) = begins(name) {
            let value = if matches!(name, "if" | "while") { constant(arguments) } else { None };
            let is_true = name == "if" && value == Some(true);
            let block = Open {
                kind,
                is_dead: is_dead || value == Some(false),
                is_within_dead: is_dead,
                is_decided: is_true,
                is_uncertain: !is_dead && value != Some(false) && !is_true,
            };
            let begins = block.is_uncertain;
            self.uncertain += usize::from(begins);
            if kind == Kind::Definition {
                let name = arguments.first().map(|name| name.to_ascii_lowercase());
                self.definitions.push(name.unwrap_or_default().into());
            }
            let executed = !block.is_dead;
            self.blocks.push(block);
            return executed.then_some(if begins { Blocks::Begin(kind) } else { Blocks::Same });
        }
        if name.strip_prefix("end").is_some_and(|name| begins(name).is_some()) {
            let block = self.blocks.pop()?;
            self.uncertain -= usize::from(block.is_uncertain);
            if block.kind == Kind::Definition {
                self.definitions.pop();
            }
            return match block.is_uncertain {
                true => Some(Blocks::End),
                false => (!block.is_within_dead).then_some(Blocks::Same),
            };
        }
        let is_certain = self.uncertain == 0;
        match (name, self.blocks.last_mut()) {
            ("else" | "elseif", Some(block)) if block.kind == Kind::Branch => {
                let value = if name == "else" { Some(true) } else { constant(arguments) };
                if block.is_within_dead {
                    return None;
                }
                block.is_dead = block.is_decided || value == Some(false);
                if block.is_dead {
                    return None;
                }
                block.is_decided = value == Some(true);
                if block.is_uncertain {
                    return Some(Blocks::Branch);
                }
                block.is_uncertain = !block.is_decided;
                self.uncertain += usize::from(block.is_uncertain);
                Some(if block.is_uncertain { Blocks::Begin(Kind::Branch) } else { Blocks::Same })
            }
            _ if is_dead => None,
            ("return", _) if is_certain => {
                self.has_returned = true;
                Some(Blocks::Same)
            }
            _ => Some(Blocks::Same),
        }
    }

    /// The name of the innermost definition around the current place.
    fn definition(&self) -> Option<Rc<str>> {
        self.definitions.last().cloned()
    }
}

/// The value of a condition that is a constant: `TRUE`, `NOT 0`.
fn constant(arguments: &[String]) -> Option<bool> {
    match arguments {
        [not, value @ ..] if not == "NOT" => constant(value).map(|value| !value),
        [value] => {
            let value = value.to_ascii_uppercase();
            match &value[..] {
                "1" | "ON" | "YES" | "TRUE" | "Y" => Some(true),
                "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND" => Some(false),
                _ if value.ends_with("-NOTFOUND") && !value.contains('$') => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}
