//! Conditions on a subtarget, as C++ writes them: `Subtarget->getPTXVersion() >= 81`, and the bodies of functions.

use ptxcvt_syntax::cpp::LEVELS;

use super::tokens::Token;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Number(i64),
    /// A name, after its object or class: `Subtarget->x`, `NVPTX::x`.
    Name(Option<String>, String),
    /// A call, after its object or class: `Subtarget->f(…)`.
    Call(Option<String>, String, Vec<Condition>),
    /// `{a, b}`
    List(Vec<Condition>),
    Not(Box<Condition>),
    Binary(&'static str, Box<Condition>, Box<Condition>),
    Choose(Box<Condition>, Box<Condition>, Box<Condition>),
}

/// A statement of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Return(Condition),
    If(Condition, Vec<Step>),
}

/// Nested expressions; deeper ones are not read.
const DEEPEST: u32 = 60;

/// Reads tokens. `None`: they are not a condition.
pub struct Reader<'t> {
    tokens: &'t [Token],
    depth: u32,
}

impl<'t> Reader<'t> {
    pub fn new(tokens: &'t [Token]) -> Self {
        Reader { tokens, depth: 0 }
    }

    /// A whole condition.
    pub fn all(mut self) -> Option<Condition> {
        let condition = self.condition()?;
        self.tokens.is_empty().then_some(condition)
    }

    /// The body of a function after its `{`.
    pub fn body(mut self) -> Option<Vec<Step>> {
        self.steps()
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token::Sign(next)) if *next == sign);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token::Name(next)) if next == word);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    /// Statements up to `}`.
    fn steps(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while !self.accept("}") {
            steps.push(self.step()?);
        }
        Some(steps)
    }

    fn step(&mut self) -> Option<Step> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let step = if self.accept_word("return") {
            let value = self.condition()?;
            self.accept(";").then_some(Step::Return(value))
        } else if self.accept_word("if") && self.accept("(") {
            let condition = self.condition()?;
            if !self.accept(")") {
                return None;
            }
            let then = if self.accept("{") { self.steps()? } else { vec![self.step()?] };
            Some(Step::If(condition, then))
        } else {
            None
        };
        self.depth -= 1;
        step
    }

    fn condition(&mut self) -> Option<Condition> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let mut value = self.level(0)?;
        if self.accept("?") {
            let then = self.condition()?;
            if !self.accept(":") {
                return None;
            }
            value = Condition::Choose(Box::new(value), Box::new(then), Box::new(self.condition()?));
        }
        self.depth -= 1;
        Some(value)
    }

    fn level(&mut self, level: usize) -> Option<Condition> {
        let Some(operators) = LEVELS.get(level) else { return self.single() };
        let mut value = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|sign| self.accept(sign)) {
            value = Condition::Binary(operator, Box::new(value), Box::new(self.level(level + 1)?));
        }
        Some(value)
    }

    fn single(&mut self) -> Option<Condition> {
        if self.accept("!") {
            if self.depth == DEEPEST {
                return None;
            }
            self.depth += 1;
            let value = self.single()?;
            self.depth -= 1;
            return Some(Condition::Not(Box::new(value)));
        }
        if self.accept("(") {
            let value = self.condition()?;
            return self.accept(")").then_some(value);
        }
        if self.accept("{") {
            return self.list("}").map(Condition::List);
        }
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        match first {
            Token::Number(number) => Some(Condition::Number(*number)),
            Token::Name(name) => self.named(name.clone()),
            _ => None,
        }
    }

    /// A name, `A::name`, `f(…)` or `object->f(…)`.
    fn named(&mut self, mut name: String) -> Option<Condition> {
        let mut object = None;
        while self.accept("::") || self.accept("->") || self.accept(".") {
            let Some((Token::Name(next), rest)) = self.tokens.split_first() else { return None };
            self.tokens = rest;
            // The object of `a.b.c` is `a.b`, which is not known.
            let before = std::mem::replace(&mut name, next.clone());
            object = Some(object.map_or(before.clone(), |outer: String| format!("{outer}.{before}")));
        }
        Some(match name.as_str() {
            _ if self.accept("(") => Condition::Call(object, name, self.list(")")?),
            "true" if object.is_none() => Condition::Number(1),
            "false" if object.is_none() => Condition::Number(0),
            _ => Condition::Name(object, name),
        })
    }

    fn list(&mut self, end: &str) -> Option<Vec<Condition>> {
        let mut values = Vec::new();
        while !self.accept(end) {
            values.push(self.condition()?);
            if !self.accept(",") && !matches!(self.tokens.first(), Some(Token::Sign(next)) if *next == end) {
                return None;
            }
        }
        Some(values)
    }
}
