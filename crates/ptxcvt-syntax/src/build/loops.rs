//! Loops of CMake over items that the file names: `foreach(a 80 90)`.
//!
//! CMake's manual, `foreach`.

use std::ops::Range;

/// A command: its name in small letters, and its arguments.
type Command = (String, Vec<String>);

/// Loops in more loops than this are left as they are.
const DEEPEST: u32 = 8;
/// Most commands after the repetition.
const MOST: usize = 1 << 14;
/// Most commands of bodies that are searched for their variable, each once for each loop around it.
const MOST_SEARCHED: usize = 1 << 20;

/// The commands with one loop for each item, in which the variable is replaced by the item. Loops over other items, and
/// those that change their variable, are left as they are, so that the values of their variable are not known.
pub fn repeated(commands: Vec<Command>) -> Vec<Command> {
    // The end of each loop.
    let mut ends = vec![None; commands.len()];
    let mut open = Vec::new();
    for (at, (name, _)) in commands.iter().enumerate() {
        match &name[..] {
            "foreach" => open.push(at),
            "endforeach" => {
                if let Some(begin) = open.pop() {
                    ends[begin] = Some(at);
                }
            }
            _ => {}
        }
    }
    if ends.iter().all(Option::is_none) {
        return commands;
    }
    let mut repeated = Repeated { commands: &commands, ends: &ends, out: Vec::new(), searched: 0 };
    match repeated.copy(0..commands.len(), &[], 0) {
        Some(()) => repeated.out,
        None => commands,
    }
}

struct Repeated<'c> {
    commands: &'c [Command],
    ends: &'c [Option<usize>],
    out: Vec<Command>,
    searched: usize,
}

impl Repeated<'_> {
    /// Copies commands, with the names of variables replaced by values. `None` if they become too many.
    fn copy(&mut self, range: Range<usize>, values: &[(String, String)], depth: u32) -> Option<()> {
        let commands = self.commands;
        let mut at = range.start;
        while at < range.end {
            let (name, arguments) = &commands[at];
            let arguments: Vec<String> = arguments.iter().map(|word| inserted(word, values)).collect();
            let body = self.ends[at].filter(|end| *end < range.end && depth < DEEPEST).map(|end| at + 1..end);
            let items = body.as_ref().and_then(|body| self.items(&arguments, body.clone()));
            let (Some(body), Some((variable, items))) = (body, items) else {
                if self.out.len() >= MOST {
                    return None;
                }
                self.out.push((name.clone(), arguments));
                at += 1;
                continue;
            };
            for item in items {
                self.out.push((name.clone(), vec![variable.clone(), item.clone()]));
                let values = [values, &[(format!("${{{variable}}}"), item)]].concat();
                self.copy(body.clone(), &values, depth + 1)?;
                self.out.push(commands[body.end].clone());
            }
            at = body.end + 1;
        }
        Some(())
    }

    /// The variable and the items of a loop that is repeated.
    fn items(&mut self, arguments: &[String], body: Range<usize>) -> Option<(String, Vec<String>)> {
        let (variable, items) = arguments.split_first()?;
        let items = match items {
            [first, second, items @ ..] if first == "IN" && second == "ITEMS" => items,
            [first, ..] if first == "IN" || first == "RANGE" => return None,
            items => items,
        };
        self.searched += body.len();
        if self.searched > MOST_SEARCHED {
            return None;
        }
        let reference = format!("${{{variable}}}");
        let body = &self.commands[body];
        let is_used = body.iter().any(|(_, words)| words.iter().any(|word| word.contains(&reference)));
        let is_named = body.iter().any(|(_, words)| words.contains(variable));
        (is_used && !is_named && !items.is_empty()).then(|| (variable.clone(), items.to_vec()))
    }
}

/// A word with the values of variables.
fn inserted(word: &str, values: &[(String, String)]) -> String {
    values.iter().fold(word.to_owned(), |word, (reference, value)| word.replace(reference, value))
}
