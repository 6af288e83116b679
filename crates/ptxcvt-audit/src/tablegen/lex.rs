//! The tokens of TableGen, each with its line.

use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or a keyword, also one that begins with a digit.
    Name(Rc<str>),
    /// `$name` in a dag.
    Variable(Rc<str>),
    /// `!name`.
    Operator(Rc<str>),
    /// A number.
    Number(i64),
    /// A string without its quotation marks, or code without its brackets.
    Text(Rc<str>),
    /// A character, or `...` as one.
    Sign(&'static str),
}

const SIGNS: [&str; 18] =
    ["...", "{", "}", "[", "]", "(", ")", "<", ">", ":", ";", ",", "=", "?", "#", ".", "-", "+"];

/// Where a token is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub line: u32,
    /// The token begins its line.
    pub at_margin: bool,
    /// The token is in `#ifdef` or `#else`. `#ifndef` holds for a macro that no file defines.
    pub conditional: bool,
}

/// Reads a file. Invalid input becomes an error token, which no statement accepts.
pub fn tokens(text: &str) -> Vec<(Token, Place)> {
    let mut reader = Reader { rest: text, line: 1, conditions: Vec::new(), defined: Vec::new() };
    let mut found = Vec::new();
    loop {
        reader.skip();
        let start = text.len() - reader.rest.len();
        let at_margin = start == 0 || text.as_bytes()[start - 1] == b'\n';
        let conditional = reader.conditions.contains(&true);
        let place = Place { line: reader.line, at_margin, conditional };
        match reader.token() {
            Some(token) => found.push((token, place)),
            None => return found,
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    line: u32,
    /// For each enclosing `#ifdef` or `#ifndef`: whether the text here may be skipped.
    conditions: Vec<bool>,
    /// The macros that the file defines.
    defined: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    /// Takes the next bytes and counts their lines.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count() as u32;
        taken
    }

    /// Takes text up to an end, and the end; all of the rest if there is none.
    fn until(&mut self, end: &str) -> &'t str {
        let at = self.rest.find(end);
        let inside = self.take(at.unwrap_or(self.rest.len()));
        self.take(end.len().min(self.rest.len()));
        inside
    }

    fn skip(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            let directive = ["#ifdef", "#ifndef", "#else", "#endif", "#define"];
            if self.rest.starts_with("//") {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if let Some(word) = directive.iter().find(|word| self.rest.starts_with(**word)) {
                let line = self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
                self.directive(word, line[word.len()..].split_whitespace().next().unwrap_or(""));
            } else if self.rest.starts_with("/*") {
                self.comment();
            } else if blank == 0 {
                return;
            }
        }
    }

    fn directive(&mut self, word: &str, macro_name: &'t str) {
        match word {
            "#ifdef" => self.conditions.push(true),
            "#ifndef" => self.conditions.push(self.defined.contains(&macro_name)),
            "#else" => self.conditions.last_mut().into_iter().for_each(|here| *here = true),
            "#endif" => drop(self.conditions.pop()),
            _ => self.defined.push(macro_name),
        }
    }

    /// Comments are nested.
    fn comment(&mut self) {
        let mut depth = 0;
        loop {
            let next = [self.rest.find("/*"), self.rest.find("*/")].into_iter().flatten().min();
            let Some(at) = next else {
                self.take(self.rest.len());
                return;
            };
            self.take(at);
            depth += if self.rest.starts_with("/*") { 1 } else { -1 };
            self.take(2);
            if depth <= 0 {
                return;
            }
        }
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.take(end.unwrap_or(self.rest.len()))
    }

    fn token(&mut self) -> Option<Token> {
        let first = self.rest.chars().next()?;
        Some(if self.rest.starts_with("[{") {
            self.take(2);
            Token::Text(self.until("}]").into())
        } else if first == '"' {
            self.take(1);
            Token::Text(self.string())
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let word = self.word();
            number(word).map_or_else(|| Token::Name(word.into()), Token::Number)
        } else if first == '$' || first == '!' {
            self.take(1);
            let word: Rc<str> = self.word().into();
            if first == '$' { Token::Variable(word) } else { Token::Operator(word) }
        } else if let Some(sign) = SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) {
            self.take(sign.len());
            Token::Sign(sign)
        } else {
            self.take(first.len_utf8());
            Token::Sign("an unknown character")
        })
    }

    /// The rest of a string, with its escapes resolved.
    fn string(&mut self) -> Rc<str> {
        let mut text = String::new();
        while let Some(c) = self.rest.chars().next() {
            self.take(c.len_utf8());
            match c {
                '"' => break,
                '\\' => {
                    let Some(escaped) = self.rest.chars().next() else { break };
                    self.take(escaped.len_utf8());
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
                other => text.push(other),
            }
        }
        text.into()
    }
}

/// A word that is a number: decimal, `0x…` or `0b…`.
fn number(word: &str) -> Option<i64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|bits| bits as i64);
    }
    if let Some(digits) = word.strip_prefix("0b") {
        return u64::from_str_radix(digits, 2).ok().map(|bits| bits as i64);
    }
    word.parse().ok()
}
