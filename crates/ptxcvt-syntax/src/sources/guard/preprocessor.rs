//! Conditionals and macros of a file, followed line by line.
//!
//! ISO C, section 6.10 (preprocessing directives).

use std::collections::HashMap;
use std::rc::Rc;

use super::configurations::Set;
use super::expression::{Names, closing, evaluate, spelled};
use super::predefined::{feature, predefined};
use super::reach::Reach;
use super::subset::Subset;
use super::token::{Token, tokens};
use super::value::{Unknowns, Value};

/// A condition is expanded into no more variants than this, nor in more steps.
const MAX_VARIANTS: usize = 64;
const MAX_STEPS: usize = 512;

/// The conditionals that are open at a place of a file, and its macros. A clone shares the macros until one of both
/// changes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preprocessor {
    open: Vec<Open>,
    macros: Rc<HashMap<String, Vec<(Reach, Meaning)>>>,
    flags: Rc<Flags>,
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
    /// The file does not change it: predefined, or a flag.
    Before,
    Undefined,
    Object(Vec<Token>),
    Function(Vec<String>, Vec<Token>),
}

/// Names and texts whose values are unknown.
#[derive(Clone, Debug, Default)]
struct Flags(HashMap<String, u32>);

impl Flags {
    fn defined(&mut self, name: &str) -> Reach {
        match predefined(name) {
            Some((defined, _)) => defined,
            None => self.when(name, Subset::defined()),
        }
    }
}

impl Names for Flags {
    fn value(&mut self, name: &str) -> Value {
        predefined(name).map_or_else(|| Value::unknown(name.to_owned()), |(_, value)| value)
    }

    fn call(&mut self, name: &str, arguments: &[Token]) -> Value {
        let known = match arguments {
            [Token::Name(argument) | Token::Final(argument)] if name == "__CUDA_ARCH_HAS_FEATURE__" => {
                feature(argument)
            }
            _ => None,
        };
        // A macro of another file, or of the compiler.
        let text = || spelled(arguments).map(|arguments| format!("{name}({arguments})"));
        known.map_or_else(|| Value::unknown(text().unwrap_or_else(|| self.fresh())), Value::truth)
    }
}

impl Unknowns for Flags {
    fn when(&mut self, unknown: &str, values: Subset) -> Reach {
        let next = self.0.len() as u32;
        Reach::flag(*self.0.entry(unknown.to_owned()).or_insert(next), values)
    }

    fn fresh(&mut self) -> String {
        let next = self.0.len() as u32;
        let text = format!("#{next}");
        self.0.insert(text.clone(), next);
        text
    }
}

impl Preprocessor {
    /// For a file whose directives, lines joined and without their `#`, are these.
    pub fn new(directives: &[String]) -> Self {
        Preprocessor { include_guard: include_guard(directives), ..Self::default() }
    }

    /// The configurations in which a file with these directives is refused by an `#error`, whatever the flags are.
    pub fn refused(directives: &[String]) -> Set {
        let is_error = |line: &str| split(line).0 == "error";
        if !directives.iter().any(|line| is_error(line)) {
            return Set::none();
        }
        let mut file = Preprocessor::new(directives);
        let refused = directives.iter().fold(Reach::none(), |all, line| {
            file.directive(line);
            if is_error(line) { all.or(&file.here()) } else { all }
        });
        refused.leaves().iter().fold(Set::all(), |all, set| all.and(set))
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
        let macros = Rc::make_mut(&mut self.macros);
        let known = macros.entry(name.to_owned()).or_insert_with(|| vec![(Reach::all(), Meaning::Before)]);
        known.iter_mut().for_each(|(reach, _)| *reach = reach.and(&elsewhere));
        known.push((here, meaning));
        known.retain(|(reach, _)| !reach.is_none());
    }

    /// The configurations in which a name is defined.
    fn defined(&mut self, name: &str) -> Reach {
        let flags = Rc::make_mut(&mut self.flags);
        let Some(known) = self.macros.get(name) else { return flags.defined(name) };
        known.iter().fold(Reach::none(), |all, (reach, meaning)| match meaning {
            Meaning::Undefined => all,
            Meaning::Before => all.or(&reach.and(&flags.defined(name))),
            Meaning::Object(_) | Meaning::Function(..) => all.or(reach),
        })
    }

    /// The configurations in which a condition is true.
    fn truth(&mut self, text: &str) -> Reach {
        let Some(variants) = self.expand(tokens(text)) else { return Reach::unknown() };
        let mut all = Reach::none();
        for (reach, tokens) in variants {
            let flags = Rc::make_mut(&mut self.flags);
            let truth = match evaluate(&tokens, flags) {
                Some(value) => value.is_true(flags),
                None => Reach::unknown(),
            };
            all = all.or(&reach.and(&truth));
        }
        all
    }

    /// The condition with macros replaced, for each part of the configurations in which they have equal definitions. `None` if there
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
                    tokens[at] = Token::Other("defined".to_owned());
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
                // Without arguments it is a name that is no macro.
                tokens[at] = Token::Number(0);
                return;
            };
            let variadic = parameters.last().is_some_and(|last| last == "...");
            let named = parameters.len() - usize::from(variadic);
            let (arguments, rest) = arguments(&tokens[at + 2..end], named);
            let body = fixed(body, name).into_iter().flat_map(|token| {
                let Token::Name(name) = &token else { return vec![token] };
                match (parameters.iter().position(|parameter| parameter == name), name.as_str()) {
                    // Too few arguments are an error of the compiler.
                    (Some(n), _) => arguments.get(n).map_or_else(Vec::new, |argument| argument.to_vec()),
                    (None, "__VA_ARGS__") if variadic => rest.to_vec(),
                    (None, "__VA_OPT__") => vec![Token::Other(name.clone())],
                    _ => vec![token],
                }
            });
            let body: Vec<Token> = body.collect();
            tokens.splice(at..=end, body);
        }
    }
}

/// The first arguments of a call, as many as are named, and the tokens of the others.
fn arguments(tokens: &[Token], named: usize) -> (Vec<&[Token]>, &[Token]) {
    let (mut found, mut rest, mut at) = (Vec::new(), tokens, 0);
    while found.len() < named && !rest.is_empty() {
        match rest.get(at) {
            Some(Token::Operator("(")) => at = closing(rest, at).map_or(rest.len(), |end| end + 1),
            Some(Token::Operator(",")) => {
                found.push(&rest[..at]);
                (rest, at) = (&rest[at + 1..], 0);
            }
            Some(_) => at += 1,
            None => {
                found.push(rest);
                (rest, at) = (&[], 0);
            }
        }
    }
    (found, rest)
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
