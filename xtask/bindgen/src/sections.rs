//! The sections of a WebAssembly module.

use std::ops::Range;

/// The kinds and places of a module's sections, each place with that of its contents; `None` if it is not a module.
fn sections(module: &[u8]) -> Option<Vec<(u8, Range<usize>, Range<usize>)>> {
    let (_, mut rest) = module.split_at_checked(8)?;
    let mut found = Vec::new();
    while let Some((kind, after)) = rest.split_first() {
        let begin = module.len() - rest.len();
        let (length, after) = number(after)?;
        let contents = module.len() - after.len();
        (_, rest) = after.split_at_checked(length)?;
        found.push((*kind, begin..contents + length, contents..contents + length));
    }
    Some(found)
}

/// A module without its custom sections, such as the names of functions; `None` if it is not a module.
pub fn without_custom(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = module.get(..8)?.to_vec();
    let others = sections(module)?.into_iter().filter(|(kind, ..)| *kind != 0);
    others.for_each(|(_, whole, _)| kept.extend(&module[whole]));
    Some(kept)
}

/// The place of a module's functions, after their number.
pub fn functions(module: &[u8]) -> Option<Range<usize>> {
    let (.., contents) = sections(module)?.into_iter().find(|(kind, ..)| *kind == 10)?;
    let (_, after) = number(&module[contents.clone()])?;
    Some(contents.end - after.len()..contents.end)
}

/// A number in LEB128, and what follows it.
fn number(mut bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        value |= usize::from(byte & 0x7f) << shift;
        bytes = rest;
        if *byte < 0x80 {
            return Some((value, bytes));
        }
    }
    None
}
