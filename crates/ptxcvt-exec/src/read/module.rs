//! The functions of a module, and the choice of one.
//!
//! PTX ISA sections 7.1 (functions) and 11.2 (entry points); the Itanium C++ ABI for mangled names.

use std::collections::HashMap;
use std::ops::Range;

use ptxcvt_syntax::parse::{Entity, Node, OperandKind, Tree};
use ptxcvt_syntax::{Span, Word};

use super::error::Error;

/// A function with a body.
#[derive(Clone, Debug)]
pub(super) struct Function<'s> {
    pub name: Word<'s>,
    /// A kernel, which threads can leave by `exit`.
    pub entry: bool,
    /// Its nodes in the module's tree, with the name and the closing brace.
    pub nodes: Range<usize>,
    /// The closing brace.
    pub end: Span,
}

/// The functions of a module that have bodies.
fn functions<'s>(tree: &Tree<'s>, text: &str) -> Vec<Function<'s>> {
    let mut found = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let Node::Declaration(declaration) = node else { continue };
        if declaration.entity != Entity::Function {
            continue;
        }
        let mut depth = 0;
        for (end, node) in tree.nodes.iter().enumerate().skip(at) {
            match node {
                Node::Open(_) => depth += 1,
                Node::Close(_) if depth > 1 => depth -= 1,
                Node::Close(span) => {
                    let before = &text[..declaration.name.span.start as usize];
                    let entry = before.rfind(".entry") > before.rfind(".func");
                    // A prototype ends with a semicolon, or before the next item.
                    if text[span.range()].starts_with('}') {
                        found.push(Function {
                            name: declaration.name,
                            entry,
                            nodes: at..end + 1,
                            end: *span,
                        });
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    found
}

/// The variables of a module outside of functions, with their state spaces.
pub(super) fn variables<'s>(tree: &Tree<'s>) -> HashMap<&'s str, &'s str> {
    let mut depth = 0;
    let mut found = HashMap::new();
    for node in &tree.nodes {
        match node {
            Node::Open(_) => depth += 1,
            Node::Close(_) => depth -= 1,
            Node::Declaration(declaration) if depth == 0 => {
                if let Entity::Variable(space) = declaration.entity {
                    found.insert(declaration.name.text, space);
                }
            }
            _ => {}
        }
    }
    found
}

/// The function to read: the one of that name, or the only one. `None` if the text is not a module.
pub(super) fn select<'s>(
    tree: &Tree<'s>,
    text: &str,
    name: Option<&str>,
) -> Result<Option<Function<'s>>, Error> {
    let mut all = functions(tree, text);
    let declared = tree.declarations().find(|d| d.entity == Entity::Function).map(|d| d.name);
    let listed = |all: &[Function<'_>]| {
        let names: Vec<String> = all.iter().map(|function| shown(function.name.text)).collect();
        format!("the functions are {}", names.join(", "))
    };
    let Some(name) = name else {
        return match (all.len(), declared) {
            (0, Some(declared)) => Err(Error::new(declared.span, format!("`{}` has no body", declared.text))),
            (0 | 1, _) => Ok(all.pop()),
            (count, _) => {
                let message = format!("the module has {}", ptxcvt::counted(count, "function"));
                let error = Error::new(all[1].name.span, message);
                Err(error.with_help(format!("choose one function; {}", listed(&all))))
            }
        };
    };
    if all.is_empty() {
        let error = Error::new(Span::default(), format!("no function `{name}`: the text has no functions"));
        return Err(error.with_help("leave the name out"));
    }
    let exact = |function: &&Function<'_>| function.name.text == name;
    let source = |function: &&Function<'_>| {
        path(function.name.text).is_some_and(|path| path.last() == Some(&name) || path.join("::") == name)
    };
    let mut found: Vec<&Function<'s>> = all.iter().filter(exact).collect();
    if found.is_empty() {
        found = all.iter().filter(source).collect();
    }
    match found[..] {
        [one] => Ok(Some(one.clone())),
        [] => Err(Error::new(all[0].name.span, format!("no function `{name}`")).with_help(listed(&all))),
        [_, second, ..] => {
            let names: Vec<&str> = found.iter().map(|function| function.name.text).collect();
            let message = format!("`{name}` names {}", ptxcvt::counted(found.len(), "function"));
            let error = Error::new(second.name.span, message);
            Err(error.with_help(format!("choose one of {}", names.join(", "))))
        }
    }
}

/// A function's name in C++ and in PTX: `f (_Z1ff)`.
fn shown(name: &str) -> String {
    match path(name) {
        Some(path) => format!("{} ({name})", path.join("::")),
        None => name.to_owned(),
    }
}

/// The parts of the name that a mangled name begins with: `ns`, `f` for `_ZN2ns1fEf`. `None` if the name is not mangled.
fn path(mangled: &str) -> Option<Vec<&str>> {
    let rest = mangled.strip_prefix("_Z")?;
    let (nested, mut rest) = match rest.strip_prefix('N') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let mut path = Vec::new();
    // `L` is internal linkage.
    rest = rest.strip_prefix('L').unwrap_or(rest);
    while rest.starts_with(|c: char| c.is_ascii_digit()) && (nested || path.is_empty()) {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (length, name) = rest.split_at(digits);
        let (name, after) = name.split_at_checked(length.parse().ok()?)?;
        path.push(name);
        rest = after;
    }
    (!path.is_empty()).then_some(path)
}

/// Refuses a function that calls another one.
pub(super) fn refuse_calls(nodes: &[Node<'_>]) -> Result<(), Error> {
    let mut instructions = nodes.iter().filter_map(|node| match node {
        Node::Instruction(instruction) => Some(instruction),
        _ => None,
    });
    let Some(call) = instructions.find(|i| i.opcode.name() == "call") else { return Ok(()) };
    let callee = call.operands.iter().find_map(|operand| match operand.kind {
        OperandKind::Name(reference) => Some(reference.name.text),
        _ => None,
    });
    let message = match callee {
        Some(callee) => format!("a call of `{callee}`: a function that calls another one does not run here"),
        None => "a call: a function that calls another one does not run here".into(),
    };
    Err(Error::new(call.span, message).with_help("have the compiler inline it: `__forceinline__`"))
}

/// The error for a variable, which is memory with contents of its own.
pub(super) fn variable(name: &str, space: &str, span: Span) -> Error {
    let why = match space {
        "local" => "an array, or a variable whose address is taken",
        "shared" => "memory that other threads write",
        "param" => "an argument of a call",
        "const" | "global" => "memory with contents that the operands do not give",
        _ => "not a number",
    };
    Error::new(span, format!("`{name}` is a variable in `.{space}`, {why}: it does not run here"))
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn names_of_source() {
        assert_eq!(path("_Z1ff").unwrap(), ["f"]);
        assert_eq!(path("_ZL12from_float32f").unwrap(), ["from_float32"]);
        assert_eq!(path("_ZN3c106detail4castEf").unwrap(), ["c10", "detail", "cast"]);
        assert_eq!(path("_Z4castILi4EEvPKf").unwrap(), ["cast"]);
        assert_eq!(path("kernel"), None);
        assert_eq!(path("_Z99x"), None);
    }
}
