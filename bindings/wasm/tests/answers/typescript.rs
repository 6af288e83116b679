//! Reads the part of TypeScript in which the page declares the library's answers: interfaces whose fields
//! are names, literals, objects, tuples, lists, `Record<string, T>` and unions of these.

use std::collections::BTreeMap;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `string`, `number`, `boolean`, `null`, or the name of an interface.
    Name(String),
    /// `"safe"`
    Literal(String),
    Object(Vec<Field>),
    Tuple(Vec<Type>),
    List(Box<Type>),
    /// `Record<string, T>`
    Record(Box<Type>),
    Union(Vec<Type>),
}

/// A field of an object: `note?: string`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The interface that declares it; empty in an object without a name.
    pub interface: String,
    pub name: String,
    pub optional: bool,
    pub ty: Type,
}

/// The declarations of a file.
pub struct File {
    /// The fields of each interface, with those of the interface that it extends.
    pub interfaces: BTreeMap<String, Vec<Field>>,
    /// The types that answers are converted to, by function: of `JSON.parse(glue.f(…)) as T`, the `T`.
    pub answers: BTreeMap<String, Type>,
}

/// Splits a text into words, quoted strings and single characters; comments are left out.
fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = |of: Option<usize>| of.expect("the end of a comment or string");
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (length, counts) = match first {
            '/' if rest.starts_with("//") => (end(rest.find('\n')), false),
            '/' if rest.starts_with("/*") => (end(rest.find("*/")) + 2, false),
            '"' => (end(rest[1..].find('"')) + 2, true),
            c if is_word(c) => (rest.find(|c| !is_word(c)).unwrap_or(rest.len()), true),
            c => (c.len_utf8(), !c.is_whitespace()),
        };
        if counts {
            found.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

struct Parser<'t> {
    tokens: &'t [&'t str],
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.first().copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'t str {
        let (first, rest) = self.tokens.split_first().expect("a declaration has an end");
        self.tokens = rest;
        first
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, token: &str) {
        assert_eq!(self.next(), token, "before {:?}", &self.tokens[..self.tokens.len().min(8)]);
    }

    /// Fields up to the closing brace.
    fn fields(&mut self, interface: &str) -> Vec<Field> {
        let mut fields = Vec::new();
        self.expect("{");
        while !self.take("}") {
            let name = self.next().to_owned();
            let optional = self.take("?");
            self.expect(":");
            fields.push(Field { interface: interface.to_owned(), name, optional, ty: self.ty() });
            if !self.take(";") {
                assert_eq!(self.peek(), "}");
            }
        }
        fields
    }

    fn ty(&mut self) -> Type {
        let mut choices = vec![self.postfix()];
        while self.take("|") {
            choices.push(self.postfix());
        }
        if choices.len() == 1 { choices.remove(0) } else { Type::Union(choices) }
    }

    fn postfix(&mut self) -> Type {
        let mut ty = self.primary();
        while self.take("[") {
            self.expect("]");
            ty = Type::List(Box::new(ty));
        }
        ty
    }

    fn primary(&mut self) -> Type {
        match self.peek() {
            "{" => Type::Object(self.fields("")),
            "(" => {
                self.next();
                let ty = self.ty();
                self.expect(")");
                ty
            }
            "[" => {
                self.next();
                let mut items = vec![self.ty()];
                while self.take(",") {
                    items.push(self.ty());
                }
                self.expect("]");
                Type::Tuple(items)
            }
            "Record" => {
                ["Record", "<", "string", ","].iter().for_each(|token| self.expect(token));
                let values = Box::new(self.ty());
                self.expect(">");
                Type::Record(values)
            }
            literal if literal.starts_with('"') => Type::Literal(self.next().trim_matches('"').to_owned()),
            _ => Type::Name(self.next().to_owned()),
        }
    }
}

impl File {
    /// Reads a file.
    pub fn parse(text: &str) -> File {
        let tokens = tokens(text);
        let mut file = File { interfaces: BTreeMap::new(), answers: BTreeMap::new() };
        for at in 0..tokens.len() {
            let mut parser = Parser { tokens: &tokens[at..] };
            if parser.take("interface") {
                let name = parser.next().to_owned();
                let mut fields = match parser.take("extends") {
                    true => file.interfaces[parser.next()].clone(),
                    false => Vec::new(),
                };
                fields.extend(parser.fields(&name));
                file.interfaces.insert(name, fields);
            } else if tokens[at..].starts_with(&["parse", "(", "glue", "."]) {
                let function = tokens[at + 4].to_owned();
                let until =
                    tokens[at..].iter().position(|token| *token == "as").expect("the answer has a type");
                parser.tokens = &tokens[at + until + 1..];
                file.answers.insert(function, parser.ty());
            }
        }
        file
    }
}

#[test]
fn declarations_are_read() {
    let file = File::parse(
        r#"
        // What `a` is.
        interface A { x: string | null; y?: [number, B][] }
        export interface B extends A { z: Record<string, boolean>; w: { v: "safe" | "unsafe" }; u: (A | null)[] }
        const f = (a: string) => JSON.parse(glue.f(a)) as B[];"#,
    );
    let name = |name: &str| Type::Name(name.to_owned());
    let field = |name: &str, optional, ty| Field { interface: "A".into(), name: name.into(), optional, ty };
    let x = field("x", false, Type::Union(vec![name("string"), name("null")]));
    let y = field("y", true, Type::List(Box::new(Type::Tuple(vec![name("number"), name("B")]))));
    assert_eq!(file.interfaces["A"], [x, y]);
    let fields: Vec<&str> = file.interfaces["B"].iter().map(|field| &*field.name).collect();
    assert_eq!(fields, ["x", "y", "z", "w", "u"]);
    assert_eq!(file.interfaces["B"][2].ty, Type::Record(Box::new(name("boolean"))));
    let either = Type::Union(vec![name("A"), name("null")]);
    assert_eq!(file.interfaces["B"][4].ty, Type::List(Box::new(either)));
    assert_eq!(file.answers["f"], Type::List(Box::new(name("B"))));
}
