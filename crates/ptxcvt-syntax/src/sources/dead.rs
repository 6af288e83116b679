//! Text that no device compiler reads, such as `#if 0`: the statement around it continues after it. The configurations
//! that read each part of a file.

use std::borrow::Cow;
use std::ops::Range;

use super::guard::{Preprocessor, Reach, Regions, split};
use super::literal;
use super::scan::Scanner;

/// An open conditional: its directives, and its branches with the configurations that reach them.
struct Open {
    outer: Reach,
    directives: Vec<Range<usize>>,
    branches: Vec<(Range<usize>, Reach)>,
}

/// The text from `from` on, with blanks in place of code that no configuration compiles, and of directives around code
/// that every configuration compiles. Also returns the preprocessor after the last line, and the configurations that read
/// each part.
pub(super) fn without_dead(
    text: &str,
    from: usize,
    mut file: Preprocessor,
) -> (Cow<'_, str>, Preprocessor, Regions) {
    let mut regions = Regions::default();
    let mut scanner = Scanner { text, at: from };
    let (mut open, mut dead): (Vec<Open>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    while !scanner.at_end() {
        if scanner.hash() == 0 || !scanner.begins_line() {
            literal::skip(&mut scanner);
            continue;
        }
        let (start, line) = (scanner.at, scanner.directive());
        scanner.at = line.end;
        let outer = file.read();
        file.directive(&line.text);
        let name = split(&line.text).0;
        let is_branch = matches!(name, "elif" | "elifdef" | "elifndef" | "else");
        if matches!(name, "if" | "ifdef" | "ifndef") {
            open.push(Open { outer, directives: Vec::new(), branches: Vec::new() });
        } else if !is_branch && name != "endif" {
            continue;
        }
        regions.begin(line.end, file.read());
        let Some(last) = open.last_mut() else { continue };
        if let Some((branch, _)) = last.branches.last_mut() {
            branch.end = start;
        }
        last.directives.push(start..line.end);
        if name != "endif" {
            last.branches.push((line.end..line.end, file.read()));
            continue;
        }
        let Some(last) = open.pop() else { continue };
        let alive = || last.branches.iter().filter(|(_, reach)| !reach.is_none());
        dead.extend(last.branches.iter().filter(|(_, reach)| reach.is_none()).map(|(text, _)| text.clone()));
        let is_one = alive().count() == 0 || alive().any(|(_, reach)| *reach == last.outer);
        dead.extend(last.directives.into_iter().filter(|_| is_one));
    }
    if dead.is_empty() {
        return (Cow::Borrowed(text), file, regions);
    }
    let mut bytes = text.as_bytes().to_vec();
    let covered = dead.into_iter().flat_map(|range| range.start..range.end);
    for at in covered {
        if !matches!(bytes[at], b'\n' | b'\r') {
            bytes[at] = b' ';
        }
    }
    (Cow::Owned(String::from_utf8(bytes).expect("whole characters were replaced")), file, regions)
}
