//! The stand-in's memory: separate allocations, with every access checked.

use std::collections::BTreeMap;

/// Allocations by address.
#[derive(Default)]
pub struct Memory {
    blocks: BTreeMap<u64, Vec<u8>>,
    end: u64,
}

impl Memory {
    /// A new allocation, filled with a pattern that no test expects.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        // A gap larger than any column, so that an access beyond the end is detected.
        let address = (self.end + (1 << 40)).next_multiple_of(1 << 20);
        self.end = address + bytes as u64;
        self.blocks.insert(address, vec![0xcd; bytes]);
        address
    }

    /// Frees an allocation; false if no allocation has that address.
    pub fn free(&mut self, address: u64) -> bool {
        self.blocks.remove(&address).is_some()
    }

    /// `bytes` bytes at `address`, if one allocation holds them all.
    pub fn at(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let (start, block) = self.blocks.range_mut(..=address).next_back()?;
        let offset = usize::try_from(address - start).ok()?;
        block.get_mut(offset..offset.checked_add(bytes)?)
    }
}
