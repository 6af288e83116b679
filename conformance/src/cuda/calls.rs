//! A kernel for each function of the header, made of the functions' declarations.

use std::fmt::Write as _;

/// How a parameter is passed.
enum Pass {
    Value,
    Reference,
    Array { length: usize, is_source: bool },
}

/// A parameter: its type, and how it is passed.
struct Parameter {
    ty: String,
    pass: Pass,
}

impl Parameter {
    fn read(text: &str) -> Option<Parameter> {
        let text = text.trim();
        if let Some((ty, rest)) = text.split_once(" (&") {
            let length = rest.split_once('[')?.1.trim_end_matches(']').parse().ok()?;
            let is_source = ty.starts_with("const ");
            let ty = ty.trim_start_matches("const ").to_owned();
            return Some(Parameter { ty, pass: Pass::Array { length, is_source } });
        }
        let (ty, _) = text.rsplit_once(' ')?;
        Some(match ty.strip_suffix('&') {
            Some(ty) => Parameter { ty: ty.to_owned(), pass: Pass::Reference },
            None => Parameter { ty: ty.to_owned(), pass: Pass::Value },
        })
    }

    /// The parameter of the kernel, what comes before the call, the argument, and what comes after.
    fn passed(&self, n: usize) -> [String; 4] {
        let ty = &self.ty;
        match self.pass {
            Pass::Value => [format!("const {ty}* s{n}"), String::new(), format!("*s{n}"), String::new()],
            Pass::Reference => {
                [format!("{ty}* s{n}"), format!("{ty} a{n}; "), format!("a{n}"), format!(" *s{n} = a{n};")]
            }
            Pass::Array { length, is_source: true } => {
                let all: Vec<String> = (0..length).map(|k| format!("s{n}[{k}]")).collect();
                let local = format!("const {ty} a{n}[{length}] = {{{}}}; ", all.join(", "));
                [format!("const {ty}* s{n}"), local, format!("a{n}"), String::new()]
            }
            Pass::Array { length, is_source: false } => {
                let copies: String = (0..length).map(|k| format!(" s{n}[{k}] = a{n}[{k}];")).collect();
                [format!("{ty}* s{n}"), format!("{ty} a{n}[{length}]; "), format!("a{n}"), copies]
            }
        }
    }
}

/// A kernel for each function in memory order that the header declares, named `m0_`, `m1_` and so on.
pub(super) fn kernels(header: &str) -> (usize, String) {
    let declarations = header.lines().filter_map(|line| line.strip_prefix("PTXCVT_FUNCTION "));
    let functions = declarations.filter(|line| line.contains(" to_") || line.contains(" from_"));
    let (mut count, mut text) = (0, String::new());
    for declaration in functions {
        let Some((head, rest)) = declaration.split_once('(') else { continue };
        let (Some((result, name)), Some(end)) = (head.rsplit_once(' '), end_of(rest)) else { continue };
        let parameters: Option<Vec<Parameter>> = rest[..end].split(',').map(Parameter::read).collect();
        let Some(parameters) = parameters else { continue };
        let passed: Vec<[String; 4]> = parameters.iter().enumerate().map(|(n, p)| p.passed(n)).collect();
        let all = |at: usize| passed.iter().map(|parts| parts[at].as_str()).collect::<Vec<_>>();
        let (target, store) = match result {
            "void" => (String::new(), ""),
            _ => (format!("{result}* d, "), "*d = "),
        };
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void m{count}_({target}{}) {{ {}{store}ptxcvt::{name}({});{} }}",
            all(0).join(", "),
            all(1).concat(),
            all(2).join(", "),
            all(3).concat()
        );
        count += 1;
    }
    (count, text)
}

/// The parenthesis that ends the parameters.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth < 0).then_some(at)
    })
}
