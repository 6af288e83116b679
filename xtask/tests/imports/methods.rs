//! Calls of methods whose `impl` is in another file than the call.
//!
//! A file that calls a method needs the file with the method's body, though no `use` names it. The text tells the type
//! of a receiver in these cases: `self`, a parameter of a function, fields of both, and a path such as `Type::new`.
//! Methods of traits do not count, because their callers need the trait alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::graph::item;
use crate::modules::{Modules, Source, is_for_tests, is_separator, is_sign, word};

/// A type of the crate: the file that defines it, and its name.
type Type = (PathBuf, String);

/// The types of the crate.
#[derive(Default)]
struct Types {
    /// The files that implement each method.
    methods: BTreeMap<(Type, String), BTreeSet<PathBuf>>,
    fields: BTreeMap<(Type, String), Type>,
}

/// The place of a piece of code.
#[derive(Clone)]
struct Scope {
    module: Vec<String>,
    file: PathBuf,
    /// The type of `Self`.
    this: Option<Type>,
    /// The types of `self` and of parameters.
    variables: BTreeMap<String, Type>,
}

/// Pairs of files: the first calls a method that the second implements, such as `Plan::stages`.
pub type Calls = BTreeMap<(PathBuf, PathBuf), String>;

/// What to do with the code.
enum Step<'t> {
    /// Find methods and fields.
    Define(&'t mut Types),
    /// Find calls.
    Call(&'t Types, &'t mut Calls),
}

/// The calls of methods between the files of a crate.
pub fn calls(sources: &[Source], modules: &Modules) -> Calls {
    let mut types = Types::default();
    let mut found = Calls::new();
    read_all(sources, modules, &mut Step::Define(&mut types));
    read_all(sources, modules, &mut Step::Call(&types, &mut found));
    // `Type::new`, `path::Type::new`
    for (module, content) in modules {
        for name in content.names.iter().filter(|name| name.alias.is_none()) {
            let (last, path) = name.path.split_last().expect("a path");
            if let Some(this) = named(modules, module, path) {
                add(&types, &this, last, &content.file, &mut found);
            }
        }
    }
    found
}

fn read_all(sources: &[Source], modules: &Modules, step: &mut Step<'_>) {
    for Source { module, file, tokens } in sources {
        let (module, file) = (module.clone(), file.clone());
        let scope = Scope { module, file, this: None, variables: BTreeMap::new() };
        read(tokens.clone(), &scope, modules, step);
    }
}

/// Adds a call of `method` in `file`.
fn add(types: &Types, this: &Type, method: &str, file: &Path, found: &mut Calls) {
    let Some(homes) = types.methods.get(&(this.clone(), method.to_owned())) else { return };
    if !homes.contains(file) {
        let name = format!("{}::{method}", this.1);
        found.extend(homes.iter().map(|home| ((file.to_owned(), home.clone()), name.clone())));
    }
}

/// The type of this crate that `path` means in `module`.
fn named(modules: &Modules, module: &[String], path: &[String]) -> Option<Type> {
    let last = path.last()?;
    let this = modules.get(module)?;
    if path.len() == 1 && this.items.contains(last) {
        return Some((this.file.clone(), last.clone()));
    }
    let globs = this.names.iter().filter(|name| name.alias.as_deref() == Some("*"));
    let globbed = |glob: &[String]| item(modules, module, &[glob, path].concat(), 0);
    let file = item(modules, module, path, 0).or_else(|| {
        if path.len() > 1 {
            return None;
        }
        globs.filter_map(|glob| globbed(&glob.path)).next()
    })?;
    Some((file.clone(), last.clone()))
}

/// The path at the start of these tokens, without `&`, `mut` and lifetimes.
fn path(tokens: &[TokenTree]) -> Vec<String> {
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '&' => at += 1,
            // A lifetime is two tokens.
            Some(TokenTree::Punct(punct)) if punct.as_char() == '\'' => at += 2,
            Some(TokenTree::Ident(ident)) if ident == "mut" => at += 1,
            _ => break,
        }
    }
    let mut path = Vec::new();
    while let Some(segment) = word(tokens.get(at)) {
        path.push(segment);
        if !is_separator(tokens, at + 1) {
            break;
        }
        at += 3;
    }
    path
}

/// The tokens after `<…>` at the start.
fn after_generics(tokens: &[TokenTree]) -> &[TokenTree] {
    if !is_sign(tokens.first(), '<') {
        return tokens;
    }
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_arrow = at > 0 && is_sign(tokens.get(at - 1), '-');
        depth += i32::from(is_sign(Some(token), '<')) - i32::from(is_sign(Some(token), '>') && !is_arrow);
        if depth == 0 {
            return &tokens[at + 1..];
        }
    }
    &[]
}

/// `name: Type` in the parameters of a function or the fields of a type.
fn declared(tokens: TokenStream, scope: &Scope, modules: &Modules) -> Vec<(String, Type)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let colons = (1..tokens.len()).filter(|at| {
        is_sign(tokens.get(*at), ':') && !is_separator(&tokens, *at) && !is_separator(&tokens, *at - 1)
    });
    let pairs = colons.filter_map(|at| {
        let this = named(modules, &scope.module, &path(&tokens[at + 1..]))?;
        Some((word(tokens.get(at - 1))?, this))
    });
    pairs.collect()
}

/// The position of the next `{ … }` from `at` on, if no `;` comes first.
fn body(tokens: &[TokenTree], at: usize) -> Option<(usize, TokenStream)> {
    for (position, token) in tokens.iter().enumerate().skip(at) {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return Some((position, group.stream()));
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
    None
}

/// True if an item may begin after this token, so that `impl` there is a block.
fn begins_item(before: Option<&TokenTree>) -> bool {
    match before {
        None | Some(TokenTree::Group(_)) => true,
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        Some(TokenTree::Ident(ident)) => ident == "unsafe",
        Some(TokenTree::Literal(_)) => false,
    }
}

fn read(stream: TokenStream, scope: &Scope, modules: &Modules, step: &mut Step<'_>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut scope = scope.clone();
    let (mut at, mut skips_next) = (0, false);
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => skips_next |= is_for_tests(next),
            TokenTree::Punct(punct) if punct.as_char() == ';' => skips_next = false,
            TokenTree::Group(group) => {
                let is_body = group.delimiter() == Delimiter::Brace;
                if !(is_body && std::mem::take(&mut skips_next)) {
                    read(group.stream(), &scope, modules, step);
                }
            }
            TokenTree::Ident(ident) if !skips_next => {
                let ident = ident.to_string();
                let found = match ident.as_str() {
                    "mod" => body(&tokens, at).filter(|(end, _)| *end == at + 2).map(|(end, inner)| {
                        let mut below = Scope { this: None, variables: BTreeMap::new(), ..scope.clone() };
                        below.module.extend(word(next));
                        (end, inner, below)
                    }),
                    "impl" if begins_item(at.checked_sub(1).map(|before| &tokens[before])) => {
                        implementation(&tokens, at, &scope, modules, step)
                    }
                    "fn" => function(&tokens, at, &scope, modules),
                    _ => None,
                };
                if let Some((end, inner, below)) = found {
                    read(inner, &below, modules, step);
                    at = end;
                } else if ident == "struct" {
                    let this = word(next).and_then(|name| named(modules, &scope.module, &[name]));
                    // No module has the name of a type in a function.
                    if let (Step::Define(types), Some(this), Some((_, inner))) =
                        (&mut *step, this, body(&tokens, at))
                    {
                        let fields = declared(inner, &scope, modules);
                        types
                            .fields
                            .extend(fields.into_iter().map(|(field, ty)| ((this.clone(), field), ty)));
                    }
                } else if ident == "let" {
                    let is_mut = word(next).is_some_and(|word| word == "mut");
                    if let Some(name) = word(tokens.get(at + 1 + usize::from(is_mut))) {
                        // Another variable of this name.
                        scope.variables.remove(&name);
                    }
                } else if let Step::Call(types, found) = step {
                    call(&tokens, at, &ident, &scope, types, found);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Reads the header of an `impl`: where its body ends, the body, and its scope.
fn implementation(
    tokens: &[TokenTree],
    at: usize,
    scope: &Scope,
    modules: &Modules,
    step: &mut Step<'_>,
) -> Option<(usize, TokenStream, Scope)> {
    let (end, inner) = body(tokens, at)?;
    let header = after_generics(&tokens[at + 1..end]);
    let of_trait = header.iter().enumerate().position(|(at, token)| {
        matches!(token, TokenTree::Ident(ident) if ident == "for") && !is_sign(header.get(at + 1), '<')
    });
    let this = named(modules, &scope.module, &path(&header[of_trait.map_or(0, |at| at + 1)..]));
    if let (Step::Define(types), Some(this), None) = (step, &this, of_trait) {
        let tokens: Vec<TokenTree> = inner.clone().into_iter().collect();
        for pair in tokens.windows(2).filter(|pair| word(pair.first()).is_some_and(|word| word == "fn")) {
            // The type `fn(u64)` has no name.
            let Some(method) = word(pair.last()) else { continue };
            types.methods.entry((this.clone(), method)).or_default().insert(scope.file.clone());
        }
    }
    let variables = this.iter().map(|this| ("self".to_owned(), this.clone())).collect();
    Some((end, inner, Scope { this, variables, ..scope.clone() }))
}

/// Reads the parameters of a function: where its body ends, the body, and its scope.
fn function(
    tokens: &[TokenTree],
    at: usize,
    scope: &Scope,
    modules: &Modules,
) -> Option<(usize, TokenStream, Scope)> {
    word(tokens.get(at + 1))?;
    let rest = after_generics(tokens.get(at + 2..)?);
    let Some(TokenTree::Group(parameters)) = rest.first() else { return None };
    let (end, inner) = body(tokens, at)?;
    let mut scope = scope.clone();
    scope.variables.retain(|name, _| name == "self");
    let declared = declared(parameters.stream(), &scope, modules);
    scope.variables.extend(declared);
    Some((end, inner, scope))
}

/// Adds the call at `at`, if it is one: `self.field.method(…)` or `Self::method`.
fn call(tokens: &[TokenTree], at: usize, ident: &str, scope: &Scope, types: &Types, found: &mut Calls) {
    if ident == "Self" && is_separator(tokens, at + 1) {
        if let (Some(this), Some(method)) = (&scope.this, word(tokens.get(at + 3))) {
            add(types, this, &method, &scope.file, found);
        }
        return;
    }
    if at > 0 && is_sign(tokens.get(at - 1), '.') {
        return;
    }
    let Some(mut this) = scope.variables.get(ident) else { return };
    let mut at = at + 1;
    while is_sign(tokens.get(at), '.') {
        let Some(name) = word(tokens.get(at + 1)) else { return };
        let is_called = matches!(tokens.get(at + 2), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        if is_called || is_separator(tokens, at + 2) {
            return add(types, this, &name, &scope.file, found);
        }
        let Some(field) = types.fields.get(&(this.clone(), name)) else { return };
        (this, at) = (field, at + 2);
    }
}
