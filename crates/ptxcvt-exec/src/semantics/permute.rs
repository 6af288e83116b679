//! `prmt`: picks four bytes out of eight.
//!
//! PTX ISA section 9.7.9.7.

use super::call::Call;
use crate::modifier::Modifier;

/// The bytes of b:a are numbered from the lowest. Each mode says which of them each byte of the result is. In the default
/// mode the fourth bit of a selector means eight copies of the byte's sign.
pub(crate) fn prmt(c: &Call) -> u64 {
    let bytes = (c.b() << 32 | c.a()).to_le_bytes();
    let control = c.c();
    let low = (control & 3) as u32;
    let pick = |i: u32| -> u8 {
        let forward = bytes[(low + i) as usize & 7];
        match () {
            () if c.has(Modifier::F4e) => forward,
            () if c.has(Modifier::B4e) => bytes[(low + 8 - i) as usize & 7],
            () if c.has(Modifier::Rc8) => bytes[low as usize],
            () if c.has(Modifier::Ecl) => bytes[i.max(low) as usize],
            () if c.has(Modifier::Ecr) => bytes[i.min(low) as usize],
            () if c.has(Modifier::Rc16) => bytes[(2 * (low & 1) + (i & 1)) as usize],
            () => {
                let selector = control >> (4 * i);
                let byte = bytes[selector as usize & 7];
                if selector & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte }
            }
        }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)]).into()
}
