//! Targets in CMake's commands, which may span several lines.
//!
//! CMake's manual, `cmake-language`, `set`, `list`, `set_property`, `CUDA_ARCHITECTURES` and `FindCUDA`.

use std::collections::BTreeSet;

use super::assigned::Assigned;
use super::documents;
use super::flow::{self, Blocks, Step};
use super::generator;
use super::loops;
use super::targets::{LISTS, Targets, is_prose, lists};
use super::vocabulary::is_other_tool;
use crate::identifier::is_plain_char;

/// Commands that compare, print or describe, and do not set variables.
const ASKS: [&str; 6] = ["cmake_dependent_option", "elseif", "if", "message", "option", "while"];
/// Beginnings of the names of CMake's commands that only try or find something.
const TRIES: [&str; 3] = ["check_", "find_", "try_"];
/// Words before a text that people read.
const BEFORE_TEXTS: [&str; 6] = ["BRIEF_DOCS", "COMMENT", "DESCRIPTION", "DOC", "FULL_DOCS", "HELPSTRING"];
/// Words after the values of `set`.
const AFTER: [&str; 2] = ["CACHE", "PARENT_SCOPE"];

/// Keywords before the list of targets of a project's own function.
const ARCHS: [&str; 3] = ["CUDA_ARCHS", "CUDA_ARCH_LIST", "NVCC_ARCHS"];

/// Commands that do not build anything, so that lists of targets before them have no effect yet.
const NEUTRAL: [&str; 28] = [
    "cmake_minimum_required",
    "cmake_policy",
    "block",
    "else",
    "elseif",
    "enable_language",
    "endblock",
    "endforeach",
    "endfunction",
    "endif",
    "endmacro",
    "endwhile",
    "foreach",
    "function",
    "if",
    "macro",
    "while",
    "find_package",
    "include_guard",
    "list",
    "mark_as_advanced",
    "math",
    "message",
    "option",
    "project",
    "set",
    "string",
    "unset",
];
/// Properties that define macros.
const DEFINITIONS: [&str; 2] = ["COMPILE_DEFINITIONS", "INTERFACE_COMPILE_DEFINITIONS"];
/// Other commands that may name a variable, and give it no value.
const READS: [&str; 3] = ["cmake_print_variables", "else", "mark_as_advanced"];

/// Values that are followed at a time. Where there are more, all of them count.
const MOST_VALUES: usize = 1 << 10;

/// An item of a list, and what it says about targets.
struct Item {
    /// As CMake compares it; `None` where a command makes items in another way than by naming them.
    text: Option<String>,
    targets: Targets,
}

/// The values of variables at a place of a file, if no target has been built with them yet.
struct Variables {
    values: Assigned<Item>,
    /// The names of the functions and macros that the file defines.
    defined: BTreeSet<String>,
}

impl Variables {
    /// Follows a command. One that always gives a variable a new value replaces the old one.
    fn command(&mut self, name: &str, arguments: &[&str], found: &mut Targets) {
        let variable = match (name, arguments) {
            ("set" | "unset", [variable, ..]) => Some(*variable),
            ("list" | "string", [_, variable, ..]) if lists(list_name(variable)) => Some(*variable),
            ("list" | "string", ["APPEND" | "PREPEND" | "CONCAT", variable, ..]) => Some(*variable),
            ("string", [_, _, variable, ..]) if lists(list_name(variable)) => Some(*variable),
            _ => None,
        };
        let key = variable.map(|written| key(written, arguments));
        // What `${ARCHS}` in the new value reads. The caller's variable receives that of the own scope.
        let source = match arguments.contains(&"PARENT_SCOPE") {
            true => variable.map(|written| list_name(written).to_owned()),
            false => key.clone(),
        };
        let has_values = source.as_ref().is_some_and(|source| self.values.values(source).next().is_some());
        if self.values.len() > MOST_VALUES {
            self.read(|_| true, found);
        }
        if !is_neutral(name) || arguments.iter().any(|word| is_nested(word)) {
            self.read(|_| true, found);
        } else if !ASKS.contains(&name) {
            // Another variable receives the value.
            let is_named = |read: &str| arguments.iter().any(|word| word.contains(list_name(read)));
            self.read(|read| Some(read) != key.as_deref() && is_named(read), found);
        }
        // A function of the project may have such a name.
        if TRIES.iter().any(|begin| name.starts_with(begin)) && !self.defined.contains(name) {
            return;
        }
        let Some((key, variable)) = key.zip(variable.map(list_name)) else {
            return command(name, arguments, found);
        };
        // `set(ARCHS "${ARCHS};90")` appends to the known list.
        let is_own = |word: &str| {
            let is_same = list_name(word) == variable && source.as_ref() == Some(&self::key(word, &[]));
            name == "set" && word.starts_with('$') && is_same && has_values
        };
        let is_part =
            |word: &&str| matches!(name, "set" | "string") && word.contains('$') && word.contains(variable);
        let items: Vec<String> = arguments.iter().flat_map(|word| items(word)).collect();
        let adds = items.iter().any(|word| is_own(word)) || arguments.iter().skip(1).any(is_part);
        let others: Vec<&str> = items.iter().map(String::as_str).filter(|word| !is_own(word)).collect();
        let arguments = if items.iter().any(|word| is_own(word)) { &others[..] } else { arguments };
        let gives = matches!((name, arguments), ("set" | "unset", _) | ("string", ["CONCAT" | "JOIN", ..]));
        if gives && !adds && !arguments.iter().any(|word| AFTER.contains(word)) {
            self.values.replace(&key);
        }
        if let ("list", ["REMOVE_ITEM", _, values @ ..]) = (name, arguments) {
            self.remove_items(&key, values, found);
        }
        let mut added = Targets::default();
        command(name, arguments, &mut added);
        for item in split(added, arguments) {
            self.values.add(&key, item);
        }
    }

    /// A command may read variables: their values count, whatever replaces them later.
    fn read(&mut self, is_read: impl Fn(&str) -> bool, found: &mut Targets) {
        self.values.read(is_read).into_iter().for_each(|item| found.add(item.targets));
    }

    /// Follows `list(REMOVE_ITEM …)`, which compares whole items. Items that are removed only conditionally are kept.
    fn remove_items(&mut self, key: &str, values: &[&str], found: &mut Targets) {
        let (unknown, plain): (Vec<&str>, Vec<&str>) = values.iter().partition(|value| value.contains('$'));
        found.open |= !unknown.is_empty();
        let mut named = Targets::default();
        named.values(&plain);
        for item in self.values.values(key).filter(|item| item.text.is_none()) {
            found.open |= item.targets.targets.iter().any(|target| named.targets.contains(target));
        }
        self.values.retain(key, |item| item.text.as_deref().is_none_or(|text| !plain.contains(&text)));
    }
}

/// True for a command that builds nothing.
fn is_neutral(name: &str) -> bool {
    NEUTRAL.contains(&name)
}

/// True for a word with a reference to a variable whose name another variable completes: `${${A}}`.
fn is_nested(word: &str) -> bool {
    word.match_indices("${").any(|(at, _)| {
        let inner = &word[at + 2..];
        inner[..inner.find('}').unwrap_or(inner.len())].contains("${")
    })
}

/// The items of a list, as `cmExpandList` of CMake separates them: at semicolons, except after a backslash.
fn items(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        let last = items.last_mut().expect("it has an item");
        match c {
            '\\' if rest.peek() == Some(&';') => last.extend(rest.next()),
            ';' => items.push(String::new()),
            _ => last.push(c),
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// The list that a command changes: a variable, the one of the caller, the cache's entry and the environment's variable of
/// one name are four.
fn key(written: &str, arguments: &[&str]) -> String {
    let name = list_name(written);
    match () {
        () if written.trim_start_matches('$').starts_with("ENV{") => format!("ENV{{{name}}}"),
        () if arguments.contains(&"CACHE") || written.starts_with("CACHE{") => format!("CACHE{{{name}}}"),
        () if arguments.contains(&"PARENT_SCOPE") => format!("PARENT{{{name}}}"),
        () => name.to_owned(),
    }
}

/// What a command says about targets, by the items that it names; as one item if these say something else.
fn split(all: Targets, arguments: &[&str]) -> Vec<Item> {
    let named: Vec<Item> = arguments
        .iter()
        .flat_map(|word| items(word))
        .map(|text| {
            let mut targets = Targets::default();
            targets.values(&[&text]);
            Item { text: Some(text), targets }
        })
        .filter(|item| !item.targets.is_empty())
        .collect();
    let mut together = Targets::default();
    named.iter().for_each(|item| together.add(item.targets.clone()));
    match together == all {
        true => named,
        false if all.is_empty() => Vec::new(),
        false => vec![Item { text: None, targets: all }],
    }
}

/// Reads the variables of a `CMakeCache.txt`: `CMAKE_CUDA_ARCHITECTURES:STRING=75;80`.
pub fn read_cache(text: &str, found: &mut Targets) {
    text.lines().for_each(|line| found.assignment(line));
}

/// Reads the commands of a file without comments.
pub fn read(text: &str, found: &mut Targets) {
    // For each open `if`, whether it asks if the user has named targets.
    let mut about_lists: Vec<bool> = Vec::new();
    let (mut commands, texts) = commands(text);
    documents::leave_out(&mut commands, &texts, &ASKS, found);
    let steps = flow::steps(loops::repeated(commands));
    let defines = |step: &&Step| matches!(&step.name[..], "function" | "macro");
    let defined = steps.iter().filter(defines).filter_map(|step| step.arguments.first());
    let defined = defined.map(|name| name.to_ascii_lowercase()).collect();
    let mut variables = Variables { values: Assigned::default(), defined };
    for Step { name, arguments, blocks } in steps {
        let arguments = generator::evaluate(arguments);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match &name[..] {
            "if" => about_lists.push(arguments.iter().any(|word| lists(list_name(word)))),
            "endif" => drop(about_lists.pop()),
            // A default: `if(NOT CMAKE_CUDA_ARCHITECTURES)`.
            "set"
                if about_lists.contains(&true)
                    && arguments.first().is_some_and(|word| lists(list_name(word))) =>
            {
                found.default = true;
            }
            _ => {}
        }
        match blocks {
            Blocks::Begin(kind) => variables.values.begin(kind),
            Blocks::Branch => variables.values.branch(),
            Blocks::End => variables.values.end(),
            Blocks::Same => {}
        }
        variables.command(&name, &arguments, found);
    }
    variables.read(|_| true, found);
}

/// The commands of a file, with names in small letters, and the places of `set` with a bracket argument.
fn commands(text: &str) -> (Vec<(String, Vec<String>)>, Vec<usize>) {
    let (mut all, mut texts) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let name = rest[..open].trim_end();
        let before = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let name = name[before.len()..].to_ascii_lowercase();
        let Arguments { words, end, has_bracket } = arguments(&rest[open + 1..]);
        texts.extend((has_bracket && name == "set").then_some(all.len()));
        all.push((name, words));
        rest = &rest[open + 1 + end..];
    }
    (all, texts)
}

/// The arguments of a command without quotes.
struct Arguments {
    words: Vec<String>,
    /// The end of its closing parenthesis.
    end: usize,
    /// One of them is a bracket argument, `[[ … ]]`.
    has_bracket: bool,
}

/// The name of a variable in `NAME`, `${NAME}` or `ENV{NAME}`.
fn list_name(word: &str) -> &str {
    let begins = ["$ENV{", "ENV{", "$CACHE{", "CACHE{", "${"];
    begins.iter().fold(word, |word, begin| word.trim_start_matches(begin)).trim_end_matches('}')
}

/// The arguments of a command. In quotes an argument may be empty.
fn arguments(text: &str) -> Arguments {
    let mut has_bracket = false;
    let (mut all, mut word, mut depth, mut quoted) = (Vec::new(), String::new(), 0, false);
    let (mut at, mut has_quotes) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        // `[=[ … ]=]` is an argument without special characters.
        if let Some((inner, length)) = bracketed(&text[at..]).filter(|_| !quoted && word.is_empty()) {
            word.push_str(inner);
            at += length;
            has_bracket = true;
            continue;
        }
        at += c.len_utf8();
        match c {
            '\\' => {
                if let Some(c) = text[at..].chars().next() {
                    // In quotes `\;` stays as it is until the list is expanded.
                    word.extend((quoted && c == ';').then_some('\\'));
                    word.push(c);
                    at += c.len_utf8();
                }
            }
            '"' => (quoted, has_quotes) = (!quoted, true),
            _ if quoted => word.push(c),
            ')' if depth == 0 => {
                all.extend((has_quotes || !word.is_empty()).then_some(word));
                return Arguments { words: all, end: at, has_bracket };
            }
            // An argument without quotes may be several.
            _ if (c.is_whitespace() || c == ';') && depth == 0 => {
                all.extend((has_quotes || !word.is_empty()).then(|| std::mem::take(&mut word)));
                has_quotes = false;
            }
            _ => {
                depth += i32::from(c == '(') - i32::from(c == ')');
                word.push(c);
            }
        }
    }
    all.extend((!word.is_empty()).then_some(word));
    Arguments { words: all, end: text.len(), has_bracket }
}

/// The text of a bracket argument at the beginning, and its length with the brackets.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let equals = text.strip_prefix('[')?.bytes().take_while(|byte| *byte == b'=').count();
    let open = equals + 2;
    let close = format!("]{}]", "=".repeat(equals));
    let inner = text.get(open..).filter(|_| text.as_bytes().get(open - 1) == Some(&b'['))?;
    let end = inner.find(&close)?;
    Some((&inner[..end], open + end + close.len()))
}

fn command(name: &str, arguments: &[&str], found: &mut Targets) {
    if ASKS.contains(&name) {
        return;
    }
    let arguments = &without_texts(arguments, found)[..];
    let end = arguments.iter().position(|word| AFTER.contains(word)).unwrap_or(arguments.len());
    let list = |name: &&str| lists(list_name(name));
    // The effect of other commands on a variable that they name is not followed.
    let written = match (name, &arguments[..end]) {
        ("list", ["GET" | "JOIN" | "POP_BACK" | "POP_FRONT" | "SUBLIST" | "TRANSFORM", _, others @ ..]) => {
            others
        }
        ("string", ["APPEND" | "CONCAT" | "PREPEND", ..] | ["JOIN", ";", ..]) => &[],
        ("foreach", [variable, ..]) => &[*variable],
        ("list" | "set" | "unset" | "foreach", _) => &[],
        (name, words) if !flow::is_block(name) && !READS.contains(&name) => words,
        _ => &[],
    };
    found.open |= written.iter().any(|word| lists(word) && *word != "CUDA_ARCHITECTURES");
    match (name, &arguments[..end]) {
        ("list" | "string", [_, variable, values @ ..]) if may_list(variable) && names_targets(values) => {
            found.open = true;
        }
        ("unset", [variable]) if list(variable) => found.open |= end < arguments.len(),
        ("string", [how @ ("APPEND" | "CONCAT" | "PREPEND"), variable, values @ ..]) if list(variable) => {
            let value = values.concat();
            match *how {
                "APPEND" if !value.starts_with(';') => found.open = true,
                "PREPEND" if !value.ends_with(';') => found.open = true,
                _ => found.values(&[&value]),
            }
        }
        ("string", ["JOIN", ";", variable, values @ ..]) if list(variable) => found.values(values),
        // `string(APPEND CMAKE_CUDA_FLAGS " -arch=sm_90")`
        ("string", ["APPEND" | "PREPEND", _, values @ ..]) => found.options(values),
        ("string", ["CONCAT", _, values @ ..]) => found.options(&[&values.concat()]),
        ("string", ["JOIN", glue, _, values @ ..]) => found.options(&[&values.join(glue)]),
        ("string", ["GENEX_STRIP" | "STRIP" | "STRING" | "TOLOWER" | "TOUPPER", text, ..]) => {
            found.options(&[text]);
        }
        // The rest of the text is not read.
        ("string", ["REPLACE", _, values @ ..] | ["REGEX", "REPLACE", _, values @ ..]) => {
            let mut named = Targets::default();
            named.options(values);
            found.open |= !named.is_empty();
        }
        ("string", _) => {}
        // `set(CACHE{CMAKE_CUDA_ARCHITECTURES} TYPE STRING VALUE 90)`
        ("set", [variable, words @ ..]) if list(variable) && variable.starts_with("CACHE{") => {
            found.default |= !words.contains(&"FORCE");
            let values =
                words.iter().position(|word| *word == "VALUE").map_or(&[][..], |at| &words[at + 1..]);
            found.values(values);
        }
        ("set", [variable, values @ ..]) if list(variable) => {
            // A default, which `-D` overrides.
            found.default |= arguments[end..].contains(&"CACHE") && !arguments.contains(&"FORCE");
            found.values(values);
        }
        // `set(CMAKE_${LANG}_ARCHITECTURES 80)`
        ("set", [variable, values @ ..]) if may_list(variable) && names_targets(values) => found.open = true,
        // `cmake_language(EVAL CODE "set(CMAKE_CUDA_ARCHITECTURES 80)")`
        ("cmake_language", words) => {
            found.open |= words.iter().any(|word| LISTS.iter().any(|list| word.contains(list)));
        }
        // A value may be of options of CMake: `set(ARGS -DCMAKE_CUDA_ARCHITECTURES=80)`.
        ("set", [_, values @ ..]) => flags(values, found),
        ("add_compile_definitions" | "target_compile_definitions" | "remove_definitions", _) => {}
        // Words that are not definitions are options of every compiler.
        ("add_compile_options" | "add_definitions" | "target_compile_options", words) => {
            let items: Vec<String> = words.iter().flat_map(|word| items(word)).collect();
            found.options(&without_definitions(&items));
        }
        ("list", ["APPEND" | "PREPEND", variable, values @ ..]) if list(variable) => found.values(values),
        ("list", ["INSERT", variable, _, values @ ..]) if list(variable) => found.values(values),
        // The result of these commands is not followed.
        ("list", ["FILTER" | "TRANSFORM" | "REMOVE_AT" | "POP_BACK" | "POP_FRONT", variable, ..])
            if list(variable) =>
        {
            found.open = true;
        }
        ("list", ["APPEND" | "PREPEND", _, values @ ..]) => flags(values, found),
        ("list", _) => {}
        // `cuda_select_nvcc_arch_flags(FLAGS 9.0a Turing)` of FindCUDA; without values it asks the GPUs.
        (name, [_, values @ ..]) if name.ends_with("select_nvcc_arch_flags") => {
            found.values(if values.is_empty() { &["Auto"] } else { values });
        }
        // The effect of a project's functions on a list is not followed.
        (_, words)
            if words.windows(2).any(|pair| ARCHS.contains(&pair[0]) && pair[1].contains(['$', '.', '0'])) =>
        {
            found.open = true;
        }
        (_, words) => properties(words, found),
    }
}

/// True for the name of a variable that variables complete, perhaps to the name of a list of targets.
fn may_list(variable: &str) -> bool {
    let ends = variable.split_once("${").zip(variable.rsplit_once('}'));
    ends.is_some_and(|((begin, _), (_, end))| {
        LISTS.iter().any(|list| list.starts_with(begin) && list.ends_with(end))
    })
}

/// The options that do not define macros, as `-DARCH="-arch=sm_80"` does.
fn without_definitions(words: &[String]) -> Vec<&str> {
    // As `cmMakefile` of CMake tells them from other flags.
    let is_definition = |word: &str| {
        let rest = word.strip_prefix("-D").or_else(|| word.strip_prefix("/D"));
        let name = rest.and_then(|rest| rest.split('=').next()).unwrap_or_default();
        name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_plain_char)
    };
    let mut kept: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let follows = at > 0 && matches!(&words[at - 1][..], "-D" | "/D");
        if !follows && !is_definition(word) {
            kept.push(word);
        }
    }
    kept
}

/// Options of compilers, and options of CMake that set lists.
fn flags(words: &[&str], found: &mut Targets) {
    for word in words {
        found.assignment(word);
        let items = items(word);
        if items.len() > 1 {
            items.iter().for_each(|item| found.assignment(item));
        }
    }
    found.options(words);
}

/// True if all values name targets.
fn names_targets(values: &[&str]) -> bool {
    let mut named = Targets::default();
    named.values(values);
    !named.is_empty() && !named.open && named.unknown.is_empty()
}

/// The arguments without comments, with what is printed, and with texts whose purpose is unknown.
fn without_texts<'a>(arguments: &[&'a str], found: &mut Targets) -> Vec<&'a str> {
    let is_keyword = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let (mut kept, mut prints): (Vec<&str>, bool) = (Vec::new(), false);
    for (at, word) in arguments.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| arguments[before]);
        // `COMMAND echo …`, `COMMAND ${CMAKE_COMMAND} -E echo …`
        // Another command may follow: `COMMAND echo built && nvcc …`.
        let ends = is_keyword(word) || ["&&", "||", "|", ";"].contains(word);
        prints = (prints && !ends)
            || matches!((before, *word), ("COMMAND" | "-E", "echo"))
            || (before == "COMMAND" && is_other_tool(word));
        // The first argument is a name. Texts leave their place empty, because properties are pairs.
        let is_text = at > 1 && BEFORE_TEXTS.contains(&before);
        let is_prose = !prints && !is_text && is_prose(word);
        found.open |= is_prose;
        kept.push(if prints || is_text || is_prose { "" } else { word });
    }
    kept
}

/// Properties with their values, and options.
fn properties(words: &[&str], found: &mut Targets) {
    let property = |word: &&str| *word == "PROPERTY" || *word == "PROPERTIES";
    let Some(at) = words.iter().position(property) else {
        // `ExternalProject_Add(x CMAKE_ARGS -DCMAKE_CUDA_ARCHITECTURES=90a)`
        return flags(words, found);
    };
    match (words[at], &words[at + 1..]) {
        ("PROPERTY", [name, ..]) if DEFINITIONS.contains(name) => {}
        ("PROPERTY", [name, values @ ..]) if lists(name) => found.values(values),
        ("PROPERTIES", pairs) => {
            for pair in pairs.chunks_exact(2) {
                match pair[0] {
                    name if DEFINITIONS.contains(&name) => {}
                    name if lists(name) => found.values(&pair[1..]),
                    _ => found.options(&pair[1..]),
                }
            }
        }
        (_, values) => found.options(values),
    }
}
