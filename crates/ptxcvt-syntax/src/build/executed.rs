//! Which lines are executed: in a makefile not those in a branch that a constant excludes, in a script not those after its
//! end.
//!
//! GNU Make's manual, "Syntax of Conditionals"; POSIX, "Shell Command Language".

/// The conditionals around a line of a makefile.
#[derive(Default)]
pub struct Conditionals(Vec<Branch>);

struct Branch {
    /// It is in a branch that is not read.
    is_within_dead: bool,
    is_dead: bool,
    /// A branch is always read, so that the later ones are not.
    is_decided: bool,
}

impl Conditionals {
    /// Follows a line; false for one that is not read, and for one that compares.
    pub fn reads(&mut self, line: &str) -> bool {
        let is_dead = self.0.last().is_some_and(|branch| branch.is_dead);
        let (word, rest) = first(line);
        match word {
            "ifdef" | "ifeq" | "ifndef" | "ifneq" => {
                let value = constant(word, rest);
                self.0.push(Branch {
                    is_within_dead: is_dead,
                    is_dead: is_dead || value == Some(false),
                    is_decided: value == Some(true),
                });
                false
            }
            "else" => {
                let (word, rest) = first(rest);
                let value = if word.is_empty() { Some(true) } else { constant(word, rest) };
                if let Some(branch) = self.0.last_mut() {
                    branch.is_dead = branch.is_within_dead || branch.is_decided || value == Some(false);
                    branch.is_decided |= value == Some(true);
                }
                false
            }
            "endif" => {
                self.0.pop();
                false
            }
            _ => !is_dead,
        }
    }
}

/// The first word of a line and the rest. `ifeq(a,b)` is no conditional.
fn first(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once([' ', '\t']).unwrap_or((line, ""))
}

/// The value of a comparison of constants: `ifeq (0,1)`, `ifneq "a" 'b'`.
fn constant(word: &str, rest: &str) -> Option<bool> {
    if !matches!(word, "ifeq" | "ifneq") || rest.contains('$') {
        return None;
    }
    let rest = rest.trim();
    let (one, other) = match rest.chars().next()? {
        '(' => rest[1..].strip_suffix(')')?.split_once(',')?,
        quote @ ('"' | '\'') => {
            let (one, other) = rest[1..].split_once(quote)?;
            let other = other.trim();
            (one, other.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?)
        }
        _ => return None,
    };
    Some((one.trim() == other.trim()) == (word == "ifeq"))
}

/// Words with which a script begins a block.
const OPENS: [&str; 7] = ["case", "for", "if", "select", "until", "while", "{"];
/// Words with which a command ends one.
const CLOSES: [&str; 4] = ["done", "esac", "fi", "}"];

/// The place in a script. Where it is uncertain, the script is taken to go on.
#[derive(Default)]
pub struct Script {
    open: usize,
    quote: Option<char>,
    has_ended: bool,
}

impl Script {
    /// Follows a line with the words of its commands; false after an `exit` that is in no block, function or condition.
    pub fn reads(&mut self, line: &str, commands: &[Vec<&str>]) -> bool {
        if self.has_ended {
            return false;
        }
        let is_outside = self.open == 0 && self.quote.is_none() && line.starts_with("exit");
        self.has_ended = is_outside
            && matches!(commands, [command, others @ ..]
                if matches!(command[..], ["exit"] | ["exit", _]) && others.iter().all(Vec::is_empty));
        let words = || commands.iter().flatten();
        let closes =
            commands.iter().filter(|command| command.first().is_some_and(|word| CLOSES.contains(word)));
        self.open += words().filter(|word| OPENS.contains(word)).count();
        self.open = self.open.saturating_sub(closes.count());
        // Subshells, lists and documents are not followed further.
        let count = |mark: char| line.chars().filter(|c| *c == mark).count();
        self.open += usize::from(line.contains("<<") || count('(') > count(')'));
        let mut is_escaped = false;
        for c in line.chars() {
            match self.quote {
                _ if is_escaped => is_escaped = false,
                None | Some('"') if c == '\\' => is_escaped = true,
                Some(quote) => self.quote = Some(quote).filter(|quote| *quote != c),
                None => self.quote = Some(c).filter(|c| matches!(c, '"' | '\'')),
            }
        }
        true
    }
}
