//! Reads constants out of machine code.
//!
//! The kernels have no branches: they move constants into registers and store registers. Following `nvdisasm`'s listing
//! with the known value of each register therefore finds every stored constant, and shows which values were computed.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// The values that each kernel stores: kernel number, then offset, then the constant, or `None` if it was
/// computed.
pub type Stores = BTreeMap<usize, BTreeMap<u64, Option<u64>>>;

/// Reads a listing made with `nvdisasm -c -hex`. Kernels are called `k0`, `k1`, …
pub fn stores(listing: &str) -> Result<Stores> {
    let mut all = Stores::new();
    let mut kernel = None;
    let mut registers = Registers::default();
    for line in listing.lines() {
        if let Some((_, name)) = line.split_once(".text.k") {
            let digits = name.split_once(|c: char| !c.is_ascii_digit()).map_or(name, |(digits, _)| digits);
            kernel = Some(digits.parse().with_context(|| format!("no kernel number: {line}"))?);
            registers = Registers::default();
        }
        let Some(instruction) = Instruction::parse(line) else { continue };
        // Register contents after a call are unknown.
        if instruction.name() == "CALL" {
            registers = Registers::default();
        }
        let stored = all.entry(kernel.context("an instruction before any kernel")?).or_default();
        if instruction.name() == "STG" {
            let (offset, value) = registers.store(&instruction)?;
            stored.insert(offset, value);
        } else {
            registers.step(&instruction);
        }
    }
    Ok(all)
}

/// `NAME.MODIFIERS OPERAND, OPERAND …` and the lower half of its encoding.
struct Instruction<'t> {
    mnemonic: &'t str,
    operands: Vec<&'t str>,
    encoding: u64,
}

impl<'t> Instruction<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let (_, rest) = line.split_once("*/")?;
        let (text, rest) = rest.split_once(';')?;
        let (_, hex) = rest.split_once("/* 0x")?;
        let encoding = u64::from_str_radix(hex.split(' ').next()?, 16).ok()?;
        let text = text.trim();
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        Some(Instruction { mnemonic, operands: operands.split(',').map(str::trim).collect(), encoding })
    }

    fn name(&self) -> &'t str {
        self.mnemonic.split_once('.').map_or(self.mnemonic, |(name, _)| name)
    }

    fn has(&self, modifier: &str) -> bool {
        self.mnemonic.split('.').any(|part| part == modifier)
    }

    /// The 32-bit immediate, from the encoding, because listings print some immediates as decimal floats.
    fn immediate(&self) -> u64 {
        self.encoding >> 32
    }
}

/// The known register contents.
#[derive(Default)]
struct Registers<'t> {
    /// For each register: its value, and which bits of it are known.
    known: BTreeMap<&'t str, (u64, u64)>,
    /// Upper halves of register pairs, whose names do not occur in the text.
    names: BTreeMap<u32, (u64, u64)>,
}

const ALL: u64 = 0xffff_ffff;

impl<'t> Registers<'t> {
    /// The value of an operand and its known bits.
    fn get(&self, operand: &str) -> (u64, u64) {
        let name = operand.split_once('.').map_or(operand, |(name, _)| name);
        match name {
            "RZ" | "URZ" | "SRZ" => (0, ALL),
            _ => {
                let hex = operand.strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok());
                let negative = operand.strip_prefix("-0x").and_then(|h| u64::from_str_radix(h, 16).ok());
                match (hex, negative, number(name)) {
                    (Some(value), ..) => (value & ALL, ALL),
                    (_, Some(value), _) => (value.wrapping_neg() & ALL, ALL),
                    (.., Some(at)) => self.names.get(&at).copied().unwrap_or((0, 0)),
                    _ => self.known.get(name).copied().unwrap_or((0, 0)),
                }
            }
        }
    }

    fn set(&mut self, operand: &'t str, value: (u64, u64)) {
        match number(operand) {
            Some(at) => drop(self.names.insert(at, value)),
            None => drop(self.known.insert(operand, value)),
        }
    }

    /// Follows one instruction.
    fn step(&mut self, instruction: &Instruction<'t>) {
        let operands = &instruction.operands[..];
        let constant = (instruction.immediate(), ALL);
        let value = match (instruction.name(), operands) {
            ("MOV" | "UMOV" | "R2UR", [_, from]) => self.get(from),
            // With these modifiers the addend has 64 bits.
            ("IMAD", [_, "RZ", "RZ", from]) if !instruction.has("HI") && !instruction.has("WIDE") => {
                self.get(from)
            }
            ("HFMA2", [_, "-RZ" | "RZ", "RZ", _, _]) => constant,
            ("CS2R", [to, "SRZ"]) => {
                if !instruction.has("32") {
                    self.set_pair_top(to, (0, ALL));
                }
                (0, ALL)
            }
            // Other modes are spelled as a modifier.
            ("PRMT" | "UPRMT", [_, a, selector, b]) if !instruction.mnemonic.contains('.') => {
                permute(self.get(a), self.get(selector), self.get(b))
            }
            _ => {
                // Computed or loaded: unknown from here on, and so is the upper half of a pair.
                let pair = instruction.mnemonic.contains("64")
                    || instruction.has("WIDE")
                    || instruction.name().starts_with('D');
                if let (true, Some(to)) = (pair, operands.first()) {
                    self.set_pair_top(to, (0, 0));
                }
                (0, 0)
            }
        };
        if let Some(to) = operands.first() {
            self.set(to, value);
        }
    }

    fn set_pair_top(&mut self, operand: &str, value: (u64, u64)) {
        if let Some(at) = number(operand) {
            self.names.insert(at + 1, value);
        }
    }

    /// The offset and value of `STG.E.64 desc[UR4][R2.64+0x10], R6`.
    fn store(&self, instruction: &Instruction) -> Result<(u64, Option<u64>)> {
        let [address, .., from] = instruction.operands[..] else {
            anyhow::bail!("no operands: {}", instruction.mnemonic);
        };
        let offset = address.rsplit_once("+0x").map_or("0", |(_, hex)| hex.trim_end_matches(']'));
        let offset = u64::from_str_radix(offset, 16)?;
        let (low, known) = self.get(from);
        let width = [("U8", 8), ("S8", 8), ("U16", 16), ("S16", 16), ("64", 64)]
            .into_iter()
            .find_map(|(modifier, width)| instruction.has(modifier).then_some(width))
            .unwrap_or(32);
        let (value, known) = match (width, number(from)) {
            (64, Some(at)) => {
                let (high, high_known) = self.names.get(&(at + 1)).copied().unwrap_or((0, 0));
                (high << 32 | low, high_known << 32 | known)
            }
            _ => (low, known | known << 32),
        };
        let mask = u64::MAX >> (64 - width);
        Ok((offset, (known & mask == mask).then_some(value & mask)))
    }
}

/// The number of a register such as `R12`, or `None` for uniform and special registers.
fn number(register: &str) -> Option<u32> {
    register.strip_prefix('R')?.parse().ok()
}

/// PRMT: each nibble of the selector picks a byte of the eight in `b:a`.
fn permute(a: (u64, u64), selector: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    let pick = |word: u64, lane: u64| {
        let at = selector.0 >> (4 * lane) & 0xf;
        // The selector's fourth bit selects the sign of the byte instead.
        if at > 7 { 0 } else { (word >> (8 * at) & 0xff) << (8 * lane) }
    };
    let gather = |word| (0..4).map(|lane| pick(word, lane)).sum::<u64>();
    let known = if selector.1 == ALL { gather(b.1 << 32 | a.1) } else { 0 };
    (gather(b.0 << 32 | a.0) & known, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_followed_through_registers() {
        let listing = "\
//--------------------- .text.k3 ---
        /*0010*/  HFMA2.MMA R9, -RZ, RZ, 0, 5.9604644775390625e-05 ;  /* 0x000003e8ff097431 */
        /*0020*/  MOV R0, 0x7fff ;  /* 0x00007fff00007802 */
        /*0030*/  PRMT R7, R0, 0x7610, R7 ;  /* 0x0000761000077816 */
        /*0040*/  CS2R R4, SRZ ;  /* 0x0000000000047805 */
        /*0050*/  F2I.S64.TRUNC R2, R9 ;  /* 0x0000000900027311 */
        /*0054*/  IMAD.HI.U32 R8, RZ, RZ, R4 ;  /* 0x000000ffff087227 */
        /*0058*/  IMAD.MOV.U32 R6, RZ, RZ, R0 ;  /* 0x000000ffff067224 */
        /*0060*/  STG.E.STRONG.SYS desc[UR4][R20.64], R9 ;  /* 0x0000000914007986 */
        /*0070*/  STG.E.U16.STRONG.SYS desc[UR4][R20.64+0x8], R7 ;  /* 0x0000080714007986 */
        /*0080*/  STG.E.64.STRONG.SYS desc[UR4][R20.64+0x10], R4 ;  /* 0x0000100414007986 */
        /*0090*/  STG.E.64.STRONG.SYS desc[UR4][R20.64+0x18], R2 ;  /* 0x0000180214007986 */
        /*00a0*/  STG.E.STRONG.SYS desc[UR4][R20.64+0x20], R8 ;  /* 0x0000200814007986 */
        /*00b0*/  STG.E.STRONG.SYS desc[UR4][R20.64+0x28], R6 ;  /* 0x0000280614007986 */
";
        let stored = &stores(listing).unwrap()[&3];
        let expected = [
            (0, Some(0x3e8)),
            (8, Some(0x7fff)),
            (0x10, Some(0)),
            (0x18, None),
            (0x20, None),
            (0x28, Some(0x7fff)),
        ];
        assert_eq!(*stored, BTreeMap::from(expected));
    }
}
