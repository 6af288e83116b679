//! Texts in CMake's variables: a bracket argument, `set(DOC [[ … ]])`, is no option if nothing reads its variable as
//! one.

use std::collections::BTreeSet;

use super::targets::{Targets, lists, mentions};
use crate::identifier::is_plain_char;

/// Commands by which other files, or texts that the file writes, may read every variable.
const READERS: [&str; 6] =
    ["add_subdirectory", "cmake_language", "configure_file", "file", "include", "find_package"];
/// Ends of the names of variables that hold options, which CMake, its modules and other files read.
const OPTIONS: [&str; 4] = ["ARGS", "FLAGS", "OPTIONS", "OPTS"];

/// Leaves out the texts that are not options. `texts` are the places of `set` with a bracket argument; the commands in
/// `asks` print or compare what they read.
pub fn leave_out(
    commands: &mut [(String, Vec<String>)],
    texts: &[usize],
    asks: &[&str],
    found: &mut Targets,
) {
    if texts.is_empty() {
        return;
    }
    let mut read: BTreeSet<String> = BTreeSet::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (name, arguments) in commands.iter().filter(|(name, _)| !asks.contains(&&name[..])) {
        let own = usize::from(matches!(&name[..], "set" | "unset"));
        named.extend(arguments.iter().skip(own).cloned());
        for word in arguments {
            let references = word.match_indices("${").map(|(at, _)| &word[at + 2..]);
            read.extend(references.map(|rest| rest[..rest.find('}').unwrap_or(rest.len())].to_owned()));
        }
    }
    let is_open = commands.iter().any(|(name, _)| READERS.contains(&&name[..]));
    // `${${X}}` reads every variable.
    let is_any = read.iter().any(|name| name.contains("${"));
    for at in texts {
        let Some((variable, values)) = commands[*at].1.split_first() else { continue };
        let is_option = variable.starts_with("CMAKE_")
            || OPTIONS.iter().any(|end| variable.to_ascii_uppercase().ends_with(end))
            || !variable.chars().all(is_plain_char);
        if is_any || is_option || lists(variable) || read.contains(variable) {
            continue;
        }
        let is_elsewhere = |word: &String| matches!(&word[..], "CACHE" | "PARENT_SCOPE");
        let may_be_read = is_open || named.contains(variable) || values.iter().any(is_elsewhere);
        found.open |= may_be_read && values.iter().any(|value| mentions(value));
        commands[*at].1.truncate(1);
    }
}
