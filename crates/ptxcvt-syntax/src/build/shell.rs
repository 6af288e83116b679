//! Targets in the commands of shells, Dockerfiles and makefiles: a value is a word, and ends with its quote or with a
//! blank.
//!
//! POSIX, "Shell Command Language"; the Dockerfile reference; GNU Make's manual, "Setting Variables".

use super::executed::{Conditionals, Script};
use super::references::References;
use super::replaced;
use super::targets::{Targets, is_prose, lists};
use super::tokens::VALUE;
use super::vocabulary::is_other_tool;
use crate::identifier::is_plain_char;

/// Commands that print, compare or describe, and do not set variables.
const ASKS: [&str; 22] = [
    "[",
    "[[",
    "LABEL",
    "MAINTAINER",
    "case",
    "die",
    "echo",
    "elifeq",
    "error",
    "fail",
    "fatal",
    "grep",
    "ifeq",
    "ifneq",
    "info",
    "log",
    "printf",
    "read",
    "test",
    "usage",
    "warn",
    "warning",
];
/// Commands that change or show a text.
const TEXTS: [&str; 6] = ["awk", "cat", "perl", "python", "sed", "tee"];
/// Words before a command.
const BEFORE: [&str; 12] =
    ["if", "elif", "while", "until", "then", "do", "else", "!", "RUN", "exec", "sudo", "{"];

/// Strings in strings deeper than this are not read.
const DEEPEST: u32 = 4;

/// A word without its quotes.
struct Word {
    text: String,
    /// It begins with a quote.
    quoted: bool,
}

/// Reads the commands of a file without comments.
pub fn read(text: &str, is_make: bool, found: &mut Targets) {
    let text = text.replace("\\\n", " ");
    // The end of a text that is not one of commands: of a `define`, or of a document for a command that shows it.
    let mut until: Option<String> = None;
    let lines: Vec<&str> = text.lines().collect();
    let replaced = replaced::in_lines(&lines, is_make);
    let (mut conditionals, mut script) = (Conditionals::default(), Script::default());
    let mut references = References::default();
    for (line, is_replaced) in lines.into_iter().zip(replaced) {
        if let Some(end) = &until {
            match line.trim() == end {
                true => until = None,
                false => found.mention(line),
            }
            continue;
        }
        let commands = || words(line);
        let is_executed = match is_make {
            true => conditionals.reads(line),
            false => {
                let commands = commands();
                script.reads(line, &commands.iter().map(|command| texts(command)).collect::<Vec<_>>())
            }
        };
        if is_replaced || !is_executed {
            continue;
        }
        until = shown(line, is_make);
        if is_make && until.is_some() {
            continue;
        }
        let line = &references.replaced(line, is_make, found);
        // Make and Dockerfiles give a variable the rest of the line.
        let Assignment { name, value, is_default } = assigned(line, is_make);
        found.default |= is_default && lists(name);
        if lists(name) {
            let value: Vec<Word> = words(value).into_iter().flatten().collect();
            found.values(&texts(&value));
            continue;
        }
        let is_value = is_make && !name.is_empty();
        if is_value && is_prose(value) {
            found.open = true;
            continue;
        }
        if is_value && value.split_whitespace().next().is_some_and(is_other_tool) {
            continue;
        }
        // A value of Make is not executed.
        let executed = if is_value { Some(format!("= {value}")) } else { executed(line) };
        let before = found.targets.len();
        for command in words(executed.as_deref().unwrap_or(line)) {
            self::command(&command, found, 0);
        }
        found.default |= is_default && found.targets.len() > before;
    }
    references.end(found);
}

/// A Dockerfile's command without a shell, `RUN ["nvcc", "-arch", "sm_90"]`, with spaces between its words.
fn executed(line: &str) -> Option<String> {
    let (instruction, list) = line.trim().split_once(char::is_whitespace)?;
    let is_list = ["RUN", "CMD", "ENTRYPOINT"].contains(&instruction);
    let words = list.trim().strip_prefix('[')?.strip_suffix(']').filter(|_| is_list)?;
    Some(words.replace("\",", "\" "))
}

/// If this line begins a text that is not commands (`define HELP`, `cat <<EOF`): the line that ends the text.
fn shown(line: &str, is_make: bool) -> Option<String> {
    if is_make {
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, "override" | "export"));
        return (words.next() == Some("define")).then(|| "endef".to_owned());
    }
    let (command, end) = line.split_once("<<").filter(|(_, end)| !end.starts_with('<'))?;
    let end = end.trim_start_matches(['-', ' ', '"', '\'', '\\']);
    let end = &end[..end.find(|c| !is_plain_char(c)).unwrap_or(end.len())];
    let shows = command.split_whitespace().any(|word| TEXTS.contains(&word) || ASKS.contains(&word));
    (shows && !end.is_empty()).then(|| end.to_owned())
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

/// The variable and the value of a line; both are empty for a line that is not an assignment.
#[derive(Default)]
struct Assignment<'l> {
    name: &'l str,
    value: &'l str,
    /// It has an effect only if the variable has no value yet.
    is_default: bool,
}

/// The assignment in `NAME = value`, `NAME := value` or `ENV NAME value`.
fn assigned(line: &str, is_make: bool) -> Assignment<'_> {
    let is_recipe = line.starts_with('\t');
    let line = line.trim();
    let environment = line.strip_prefix("ENV ").map(str::trim_start);
    let line = environment.unwrap_or_else(|| line.strip_prefix("export ").unwrap_or(line).trim_start());
    let (name, rest) = line.split_at(line.find(|c| !is_plain_char(c)).unwrap_or(line.len()));
    let value = rest.trim_start();
    match [":::=", "::=", ":=", "?=", "+=", "="].into_iter().find(|operator| value.starts_with(operator)) {
        // `NAME=value` is a word in a shell, and others may follow.
        Some("=") if rest.starts_with('=') && (!is_make || is_recipe) => Assignment::default(),
        Some(operator) => {
            Assignment { name, value: value[operator.len()..].trim(), is_default: operator == "?=" }
        }
        None if environment.is_some() && rest.starts_with(char::is_whitespace) => {
            Assignment { name, value, is_default: false }
        }
        None => Assignment::default(),
    }
}

/// The words of each command in a line.
fn words(line: &str) -> Vec<Vec<Word>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut started, mut quoted, mut quote, mut depth) =
        (String::new(), false, false, None, 0_u32);
    let mut characters = line.chars().peekable();
    // How many subshells are open.
    let mut shells = 0_u32;
    while let Some(c) = characters.next() {
        // `$(…)` and `${…}` are one word.
        let opens = matches!(c, '(' | '{') && (depth > 0 || word.ends_with('$'));
        match (c, quote) {
            ('\\', None | Some('"')) => {
                word.extend(characters.next());
                started = true;
            }
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.push(c),
            ('"' | '\'', None) if depth == 0 => {
                quoted |= !started;
                quote = Some(c);
                started = true;
            }
            _ if opens => {
                depth += 1;
                word.push(c);
            }
            (')' | '}', None) if depth > 0 => {
                depth -= 1;
                word.push(c);
            }
            _ if depth > 0 => word.push(c),
            _ => {
                let next = characters.peek().is_none_or(|c| c.is_whitespace());
                // `>&2`, `&>x`, `>|x`
                let redirects = matches!(c, '&' | '|') && word.ends_with(['>', '<'])
                    || (c == '&' && characters.peek() == Some(&'>'));
                // `8.0;9.0` is a list of a Dockerfile.
                let ends =
                    !redirects && matches!(c, '|' | '&' | '(' | ')') || (c == ';' && (next || !started));
                if !ends && !c.is_whitespace() {
                    word.push(c);
                    started = true;
                    continue;
                }
                if started {
                    let text = std::mem::take(&mut word);
                    commands.last_mut().expect("it has a command").push(Word { text, quoted });
                }
                (started, quoted) = (false, false);
                match c {
                    '(' => shells += 1,
                    // A pattern of `case`: it is compared.
                    ')' if shells == 0 => commands.last_mut().expect("it has a command").clear(),
                    ')' => shells -= 1,
                    _ => {}
                }
                if ends {
                    commands.push(Vec::new());
                }
            }
        }
    }
    if started {
        commands.last_mut().expect("it has a command").push(Word { text: word, quoted });
    }
    commands
}

/// The words of a command without its redirections: `>&2`, `2> x`, `&>x`.
fn without_redirections(command: &[Word]) -> Vec<&Word> {
    let mut is_target = false;
    let is_kept = |word: &&Word| {
        if std::mem::take(&mut is_target) {
            return false;
        }
        let operator = word.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_redirection = !word.quoted && (operator.starts_with(['<', '>']) || operator.starts_with("&>"));
        is_target = is_redirection && operator.trim_start_matches(['<', '>', '&', '|']).is_empty();
        !is_redirection
    };
    command.iter().filter(is_kept).collect()
}

/// Reads a command. `depth` says how many strings around it are commands.
fn command(command: &[Word], found: &mut Targets, depth: u32) {
    let mut command = without_redirections(command);
    let is_variable = |word: &Word| {
        let name = word.text.split_once('=').map_or("", |(name, _)| name);
        !word.quoted && !name.is_empty() && name.chars().all(is_plain_char)
    };
    let program = |word: &Word| word.text.trim_start_matches(['@', '-', '+']).to_owned();
    // `LC_ALL=C sudo echo x`
    let at = command.iter().position(|word| !is_variable(word) && !BEFORE.contains(&&program(word)[..]));
    let first = &at.map(|at| program(command[at])).unwrap_or_default()[..];
    let is_text = |word: &Word| {
        let value = word.text.split_once('=').filter(|(name, _)| name.chars().all(is_plain_char));
        value.map_or(word.quoted && is_prose(&word.text), |(_, value)| is_prose(value))
    };
    if ASKS.contains(&first) || is_other_tool(first) {
        return;
    }
    if TEXTS.contains(&first) {
        let texts = command.drain(at.unwrap_or(0)..);
        texts.for_each(|word| found.mention(&word.text));
    }
    found.open |= command.iter().any(|word| is_text(word));
    let command: Vec<&Word> = command.into_iter().filter(|word| !is_text(word)).collect();
    for word in &command {
        // `sh -c "TORCH_CUDA_ARCH_LIST=9.0 make"`, `$(foreach sm,$(SMS),-gencode arch=compute_$(sm))`
        let call = word.text.strip_prefix("$(").and_then(|inner| inner.strip_suffix(')'));
        let inner =
            call.map(|call| call.replace(',', " ")).or_else(|| word.quoted.then(|| word.text.clone()));
        match inner.filter(|inner| inner.contains(' ') && depth < DEEPEST) {
            Some(inner) => words(&inner).iter().for_each(|inner| self::command(inner, found, depth + 1)),
            None => found.assignment(&word.text),
        }
    }
    // `docker build --build-arg CUDAARCHS=80`
    if first == "ARG" {
        for (name, value) in command.iter().map(|word| word.text.split_once('=').unwrap_or((&word.text, "")))
        {
            found.default |= lists(name) && !value.is_empty();
            found.open |= lists(name) && value.is_empty();
        }
    }
    let plain = command.iter().filter(|word| !(word.quoted && word.text.contains(' ')));
    // What is in `$(…)` was read above.
    let text = |word: &Word| if word.text.starts_with("$(") { VALUE.to_owned() } else { word.text.clone() };
    let plain: Vec<String> = plain.map(|word| text(word)).collect();
    found.options(&plain.iter().map(String::as_str).collect::<Vec<_>>());
}
