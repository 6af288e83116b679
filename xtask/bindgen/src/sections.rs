//! The sections of a WebAssembly module.

/// A module without its custom sections, such as the names of functions; `None` if it is no module.
pub fn without_custom(module: &[u8]) -> Option<Vec<u8>> {
    let (head, mut rest) = module.split_at_checked(8)?;
    let mut kept = head.to_vec();
    while let Some((kind, after)) = rest.split_first() {
        let (length, after) = number(after)?;
        let end = rest.len() - after.len() + length;
        let (section, others) = rest.split_at_checked(end)?;
        if *kind != 0 {
            kept.extend(section);
        }
        rest = others;
    }
    Some(kept)
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
