//! Conditionals and macros of a file, followed line by line.
//!
//! ISO C, section 6.10 (preprocessing directives).

use std::collections::{BTreeSet, HashMap};

use super::expression::{Names, closing, evaluate, spelled};
use super::predefined::{feature, predefined};
use super::reach::Reach;
use super::token::{Token, tokens};
use super::value::Value;

/// A flag takes no more values than this: undefined, 0, 1, and numbers around those it is compared with.
const MAX_VALUES: usize = 24;

/// A condition is expanded into no more variants than this, nor in more steps.
const MAX_VARIANTS: usize = 64;
const MAX_STEPS: usize = 512;

/// The conditionals that are open at a place of a file, and its macros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preprocessor {
    open: Vec<Open>,
    macros: HashMap<String, Vec<(Reach, Meaning)>>,
    flags: Flags,
    /// The name of the macro that keeps the file from being included twice.
    include_guard: Option<String>,
}

#[derive(Clone, Debug)]
struct Open {
    /// The configurations that compile the branch.
    now: Reach,
    /// The configurations that compile none of the branches so far.
    left: Reach,
}

/// The definition of a macro in some of the configurations.
#[derive(Clone, Debug)]
enum Meaning {
    /// As before the file: predefined, or a flag.
    Before,
    Undefined,
    Object(Vec<Token>),
    Function(Vec<String>, Vec<Token>),
}

/// Names whose values are unknown.
#[derive(Clone, Debug, Default)]
struct Flags {
    numbers: HashMap<String, u32>,
    /// The numbers that a flag is compared with.
    compared: HashMap<String, BTreeSet<i64>>,
}

impl Flags {
    /// A flag's number and values; `None` is "not defined".
    fn values(&mut self, name: &str) -> (u32, Vec<Option<i64>>) {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(name.to_owned()).or_insert(next);
        let compared = self.compared.get(name).into_iter().flatten();
        let around = compared.flat_map(|n| [n.saturating_sub(1), *n, n.saturating_add(1)]);
        let all: BTreeSet<i64> = [0, 1].into_iter().chain(around).collect();
        (number, std::iter::once(None).chain(all.into_iter().map(Some)).take(MAX_VALUES).collect())
    }

    fn when(&mut self, name: &str, holds: impl Fn(Option<i64>) -> bool) -> Reach {
        let (number, values) = self.values(name);
        let mask = values.iter().enumerate().fold(0, |mask, (n, value)| mask | u32::from(holds(*value)) << n);
        Reach::flag(number, values.len(), mask)
    }

    fn defined(&mut self, name: &str) -> Reach {
        match predefined(name) {
            Some((defined, _)) => defined,
            None => self.when(name, |value| value.is_some()),
        }
    }

    /// Something that is true or false, and that nothing else is known about.
    fn unknown(&mut self, text: &str) -> Reach {
        self.when(&format!("({text})"), |value| value.is_some_and(|value| value != 0))
    }
}

impl Names for Flags {
    fn value(&mut self, name: &str) -> Value {
        if let Some((_, value)) = predefined(name) {
            return value;
        }
        let (_, values) = self.values(name);
        let distinct: BTreeSet<i64> = values.iter().map(|value| value.unwrap_or(0)).collect();
        Value::of(distinct.into_iter().map(|n| (n, self.when(name, |value| value.unwrap_or(0) == n))))
    }

    fn call(&mut self, name: &str, arguments: &[Token], call: &str) -> Value {
        let known = match arguments {
            [Token::Name(argument) | Token::Final(argument)] if name == "__CUDA_ARCH_HAS_FEATURE__" => {
                feature(argument)
            }
            _ => None,
        };
        Value::truth(known.unwrap_or_else(|| self.unknown(call)))
    }
}

impl Preprocessor {
    /// For a file whose directives, lines joined and without their `#`, are these.
    pub fn new(directives: &[String]) -> Self {
        let mut flags = Flags::default();
        for line in directives {
            let (mut names, mut numbers) = (Vec::new(), Vec::new());
            for token in tokens(line) {
                match token {
                    Token::Name(name) => names.push(name),
                    Token::Number(number) => numbers.push(number),
                    _ => {}
                }
            }
            for name in names.into_iter().filter(|_| !numbers.is_empty()) {
                flags.compared.entry(name).or_default().extend(&numbers);
            }
        }
        Preprocessor { flags, include_guard: include_guard(directives), ..Self::default() }
    }

    /// The configurations that compile the current line.
    pub fn here(&self) -> Reach {
        self.open.last().map_or_else(Reach::all, |open| open.now.clone())
    }

    /// Reads a directive, without its `#` and with its lines joined.
    pub fn directive(&mut self, text: &str) {
        let (name, rest) = split(text);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let outer = self.here();
                let condition = self.condition(name, rest);
                let (now, left) = (outer.and(&condition), outer.and(&condition.not()));
                self.open.push(Open { now, left });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let condition = match name {
                    "else" => Reach::all(),
                    _ => self.condition(&name[2..], rest),
                };
                if let Some(open) = self.open.last_mut() {
                    open.now = open.left.and(&condition);
                    open.left = open.left.and(&condition.not());
                }
            }
            "endif" => drop(self.open.pop()),
            "define" => self.define(rest),
            "undef" => self.change(first_word(rest), Meaning::Undefined),
            _ => {}
        }
    }

    fn condition(&mut self, directive: &str, text: &str) -> Reach {
        match directive {
            "ifdef" => self.defined(first_word(text)),
            "ifndef" if self.include_guard.as_deref() == Some(first_word(text)) => Reach::all(),
            "ifndef" => self.defined(first_word(text)).not(),
            _ => self.truth(text),
        }
    }

    fn define(&mut self, text: &str) {
        let name = first_word(text);
        let rest = &text.trim_start()[name.len()..];
        let meaning = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((parameters, body)) => {
                let parameters = parameters.split(',').map(|name| name.trim().to_owned());
                Meaning::Function(parameters.filter(|name| !name.is_empty()).collect(), tokens(body))
            }
            None => Meaning::Object(tokens(rest)),
        };
        self.change(name, meaning);
    }

    fn change(&mut self, name: &str, meaning: Meaning) {
        if name.is_empty() {
            return;
        }
        let here = self.here();
        let elsewhere = here.not();
        let known =
            self.macros.entry(name.to_owned()).or_insert_with(|| vec![(Reach::all(), Meaning::Before)]);
        known.iter_mut().for_each(|(reach, _)| *reach = reach.and(&elsewhere));
        known.push((here, meaning));
        known.retain(|(reach, _)| !reach.is_none());
    }

    /// The configurations in which a name is defined.
    fn defined(&mut self, name: &str) -> Reach {
        let Some(known) = self.macros.get(name) else { return self.flags.defined(name) };
        known.iter().fold(Reach::none(), |all, (reach, meaning)| match meaning {
            Meaning::Undefined => all,
            Meaning::Before => all.or(&reach.and(&self.flags.defined(name))),
            Meaning::Object(_) | Meaning::Function(..) => all.or(reach),
        })
    }

    /// The configurations in which a condition is true.
    fn truth(&mut self, text: &str) -> Reach {
        let Some(variants) = self.expand(tokens(text)) else { return self.flags.unknown(text.trim()) };
        let mut all = Reach::none();
        for (reach, tokens) in variants {
            let truth = match evaluate(&tokens, &mut self.flags) {
                Some(value) => value.is_true(),
                None => self.flags.unknown(&spelled(&tokens)),
            };
            all = all.or(&reach.and(&truth));
        }
        all
    }

    /// The condition with macros replaced, in each part of the configurations where they are alike. `None` if there
    /// are too many parts.
    fn expand(&mut self, tokens: Vec<Token>) -> Option<Vec<(Reach, Vec<Token>)>> {
        let (mut done, mut work, mut steps) = (Vec::new(), vec![(Reach::all(), tokens)], 0);
        while let Some((reach, mut tokens)) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS || done.len() > MAX_VARIANTS || tokens.len() > 10_000 {
                return None;
            }
            self.resolve_defined(&mut tokens);
            let Some(at) = tokens.iter().position(|token| matches!(token, Token::Name(_))) else {
                done.push((reach, tokens));
                continue;
            };
            let Token::Name(name) = tokens[at].clone() else { unreachable!("a name was found there") };
            let Some(known) = self.macros.get(&name) else {
                tokens[at] = Token::Final(name);
                work.push((reach, tokens));
                continue;
            };
            for (part, meaning) in known {
                let reach = reach.and(part);
                if !reach.is_none() {
                    let mut tokens = tokens.clone();
                    replace(&mut tokens, at, &name, meaning);
                    work.push((reach, tokens));
                }
            }
        }
        Some(done)
    }

    /// Replaces `defined X` and `defined(X)`.
    fn resolve_defined(&mut self, tokens: &mut Vec<Token>) {
        while let Some(at) = tokens.iter().position(|token| matches!(token, Token::Name(n) if n == "defined"))
        {
            let (name, length) = match &tokens[at + 1..] {
                [Token::Name(name) | Token::Final(name), ..] => (name.clone(), 2),
                [Token::Operator("("), Token::Name(name) | Token::Final(name), Token::Operator(")"), ..] => {
                    (name.clone(), 4)
                }
                _ => {
                    tokens[at] = Token::Operator(",");
                    continue;
                }
            };
            let defined = self.defined(&name);
            tokens.splice(at..at + length, [Token::Truth(defined)]);
        }
    }
}

/// Puts what a macro means in place of its name.
fn replace(tokens: &mut Vec<Token>, at: usize, name: &str, meaning: &Meaning) {
    match meaning {
        Meaning::Before => tokens[at] = Token::Final(name.to_owned()),
        Meaning::Undefined => tokens[at] = Token::Number(0),
        // `#define FLAG` is meant to be tested with `defined`; elsewhere it counts as 1.
        Meaning::Object(body) if body.is_empty() => tokens[at] = Token::Number(1),
        Meaning::Object(body) => drop(tokens.splice(at..=at, fixed(body, name)).collect::<Vec<_>>()),
        Meaning::Function(parameters, body) => {
            let Some(end) = closing(tokens, at + 1) else {
                tokens[at] = Token::Final(name.to_owned());
                return;
            };
            let arguments: Vec<&[Token]> =
                tokens[at + 2..end].split(|t| *t == Token::Operator(",")).collect();
            let body = fixed(body, name).into_iter().flat_map(|token| {
                let parameter = match &token {
                    Token::Name(name) => parameters.iter().position(|parameter| parameter == name),
                    _ => None,
                };
                match parameter.and_then(|n| arguments.get(n)) {
                    Some(argument) => argument.to_vec(),
                    None => vec![token],
                }
            });
            let body: Vec<Token> = body.collect();
            tokens.splice(at..=end, body);
        }
    }
}

/// A macro's body; in it, the macro's own name is not replaced again.
fn fixed(body: &[Token], name: &str) -> Vec<Token> {
    let own = |token: &Token| matches!(token, Token::Name(other) if other == name);
    body.iter().map(|token| if own(token) { Token::Final(name.to_owned()) } else { token.clone() }).collect()
}

/// A directive's name and the rest of its line.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// The macro of an include guard: `#ifndef X`, `#define X` as the first directives, and its `#endif` as the last one.
fn include_guard(directives: &[String]) -> Option<String> {
    let lines = directives.iter().map(|line| split(line)).filter(|(name, _)| *name != "pragma");
    let lines: Vec<_> = lines.collect();
    let [("ifndef", guard), ("define", defined), .., ("endif", _)] = &lines[..] else { return None };
    let mut depth = 0_i32;
    let closes_at_the_end = lines.iter().enumerate().all(|(n, (name, _))| {
        depth += i32::from(name.starts_with("if")) - i32::from(*name == "endif");
        (depth > 0 || n + 1 == lines.len()) && !(depth == 1 && name.starts_with("el"))
    });
    (closes_at_the_end && first_word(guard) == first_word(defined)).then(|| first_word(guard).to_owned())
}
