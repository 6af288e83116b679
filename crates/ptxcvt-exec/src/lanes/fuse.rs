//! Fuses kernels, and drops those that nothing needs. A kernel costs what its loads and stores cost, so two operations
//! in one take hardly longer than each alone.
//!
//! A step is fused with those that compute its sources, if nothing else reads them:
//!
//! - shifts, masks and permutations of 32-bit lanes in a row are one rotation and one mask, and `or` of two such is one
//!   step;
//! - a sum of a sum has three terms;
//! - a selection by a comparison of integers compares itself.

use std::collections::HashMap;

use super::kernel::Kernel;
use super::step::{Slot, Step};

/// A 32-bit column rotated to the left by this amount, then masked.
#[derive(Clone, Copy)]
struct Moved {
    of: Slot,
    by: u32,
    mask: u32,
}

impl Moved {
    /// The column itself.
    fn not(of: Slot) -> Moved {
        Moved { of, by: 0, mask: u32::MAX }
    }

    /// What the kernel does to its source, if that is a rotation and a mask.
    fn new(kernel: &Kernel, from: &[Slot], constant: impl Fn(Slot) -> Option<u32>) -> Option<Moved> {
        let moved = |by, mask| Moved { of: from[0], by, mask };
        Some(match *kernel {
            Kernel::ShiftLeft(by) => moved(by % 32, u32::MAX.checked_shl(by).unwrap_or(0)),
            Kernel::ShiftRight { by, signed: false } => {
                moved((32 - by % 32) % 32, u32::MAX.checked_shr(by).unwrap_or(0))
            }
            Kernel::And => match (constant(from[0]), constant(from[1])) {
                (_, Some(mask)) => moved(0, mask),
                (Some(mask), _) => Moved { of: from[1], by: 0, mask },
                _ => return None,
            },
            Kernel::Permute(ref groups) => match groups[..] {
                [(second, by, mask)] => Moved { of: from[usize::from(second)], by, mask },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// This, after the column was moved already.
    fn after(self, first: Moved) -> Moved {
        let mask = first.mask.rotate_left(self.by) & self.mask;
        Moved { of: first.of, by: (first.by + self.by) % 32, mask }
    }
}

/// The steps that compute the columns that only one step reads.
struct Fuser<'c> {
    steps: Vec<Option<Step>>,
    /// For each column that one step reads, the step that computes it.
    makers: HashMap<Slot, usize>,
    constants: &'c HashMap<Slot, u64>,
}

/// Fuses what can be fused, and removes steps whose results nothing reads. The columns of `outputs` are all computed.
pub(super) fn fuse(mut steps: Vec<Step>, outputs: &[Slot], constants: &HashMap<Slot, u64>) -> Vec<Step> {
    let mut readers: HashMap<Slot, usize> = HashMap::new();
    outputs.iter().for_each(|slot| *readers.entry(*slot).or_default() += 1);
    for at in (0..steps.len()).rev() {
        match readers.contains_key(&steps[at].to()) {
            true => steps[at].from().into_iter().for_each(|slot| *readers.entry(slot).or_default() += 1),
            false => drop(steps.remove(at)),
        }
    }
    let mut fuser = Fuser { steps: Vec::new(), makers: HashMap::new(), constants };
    for (at, mut step) in steps.into_iter().enumerate() {
        fuser.fuse(&mut step);
        match readers.get(&step.to()) {
            Some(1) if !matches!(step, Step::Patch { .. }) => fuser.makers.insert(step.to(), at),
            _ => fuser.makers.remove(&step.to()),
        };
        fuser.steps.push(Some(step));
    }
    fuser.steps.into_iter().flatten().collect()
}

impl Fuser<'_> {
    fn fuse(&mut self, step: &mut Step) {
        let Step::Kernel { kernel, width, from, .. } = step else { return };
        match kernel {
            Kernel::Add => {
                let [a, b] = [from[0], from[1]];
                for (sum, other) in [(a, b), (b, a)] {
                    let terms = self.take(sum, *width, |maker, of| match maker {
                        Kernel::Add => Some([of[0], of[1]]),
                        _ => None,
                    });
                    if let Some([x, y]) = terms {
                        (*kernel, *from) = (Kernel::Sum, vec![x, y, other]);
                        return;
                    }
                }
            }
            Kernel::Select => {
                let compared = self.take(from[0], *width, |maker, of| match *maker {
                    Kernel::Compare { relation, signed } => Some((relation, signed, [of[0], of[1]])),
                    _ => None,
                });
                if let Some((relation, signed, [x, y])) = compared {
                    *kernel = Kernel::SelectBy { relation, signed };
                    *from = vec![x, y, from[1], from[2]];
                }
            }
            Kernel::Or if *width == 4 => {
                let [a, b] = [from[0], from[1]].map(|slot| self.take_moved(slot));
                if a.is_some() || b.is_some() {
                    let [a, b] = [a.unwrap_or(Moved::not(from[0])), b.unwrap_or(Moved::not(from[1]))];
                    *kernel = Kernel::Permute(vec![(false, a.by, a.mask), (true, b.by, b.mask)]);
                    *from = vec![a.of, b.of];
                }
            }
            _ if *width == 4 => {
                let Some(moved) = Moved::new(kernel, from, |slot| self.constant(slot)) else { return };
                if let Some(first) = self.take_moved(moved.of) {
                    let both = moved.after(first);
                    *kernel = Kernel::Permute(vec![(false, both.by, both.mask)]);
                    *from = vec![both.of];
                }
            }
            _ => {}
        }
    }

    fn constant(&self, slot: Slot) -> Option<u32> {
        self.constants.get(&slot).map(|value| *value as u32)
    }

    fn take_moved(&mut self, slot: Slot) -> Option<Moved> {
        let constants = self.constants;
        let constant = |slot: Slot| constants.get(&slot).map(|value| *value as u32);
        self.take(slot, 4, |kernel, from| Moved::new(kernel, from, constant))
    }

    /// Removes the step that computes the column, if `part` accepts its kernel, which has lanes of `width` bytes.
    fn take<T>(
        &mut self,
        slot: Slot,
        width: usize,
        part: impl Fn(&Kernel, &[Slot]) -> Option<T>,
    ) -> Option<T> {
        let at = *self.makers.get(&slot)?;
        let Some(Step::Kernel { kernel, width: own, from, .. }) = &self.steps[at] else { return None };
        let found = if *own == width { part(kernel, from) } else { None }?;
        self.makers.remove(&slot);
        self.steps[at] = None;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use ptxcvt::mask;

    use super::*;
    use crate::lanes::{LANES, Program};
    use crate::read::{self, Interface};

    /// The kernels of a block, after it was compared with the reference on many inputs.
    fn kernels(text: &str, constraints: &str) -> Vec<Kernel> {
        let block = read::block(text, &Interface::constraints(constraints).unwrap()).unwrap();
        let program = Program::new(&block);
        let mut runner = program.runner();
        let mut random = ptxcvt::inputs::SplitMix64::new(7);
        let inputs: Vec<Vec<u64>> = (0..LANES)
            .map(|lane| {
                let mut bits =
                    |width| if lane % 8 == 0 { lane as u64 / 8 } else { random.next_u64() } & mask(width);
                block.inputs().iter().map(|port| bits(block.width(*port))).collect()
            })
            .collect();
        (0..block.inputs().len()).for_each(|n| runner.set(n, |lane| inputs[lane][n]));
        runner.run();
        for (lane, inputs) in inputs.iter().enumerate() {
            let found: Vec<u64> = (0..block.outputs().len()).map(|n| runner.get(n, lane)).collect();
            assert_eq!(found, block.eval(inputs).unwrap(), "{text}: {inputs:x?}");
        }
        let kernel = |step: &Step| match step {
            Step::Kernel { kernel, .. } => kernel.clone(),
            other => panic!("{other:?}"),
        };
        program.steps.iter().map(kernel).collect()
    }

    #[test]
    fn shifts_and_masks_are_one_step() {
        let one = |by, mask| vec![Kernel::Permute(vec![(false, by, mask)])];
        let field = "{ .reg .b32 t; shr.u32 t, %1, 16; and.b32 %0, t, 1; }";
        assert_eq!(kernels(field, "=r,r"), one(16, 1));
        assert_eq!(kernels("bfe.u32 %0, %1, 5, 9;", "=r,r"), one(27, 0x1ff));
        let three = "{ .reg .b32 t, u; shl.b32 t, %1, 12; shr.u32 u, t, 4; prmt.b32 %0, u, u, 0x1032; }";
        assert_eq!(kernels(three, "=r,r"), one(24, 0xff00_0fff));
        let gone = "{ .reg .b32 t; shl.b32 t, %1, 32; shr.u32 %0, t, 3; }";
        assert_eq!(kernels(gone, "=r,r"), one(29, 0));
        // A signed shift copies the sign.
        let signed = "{ .reg .b32 t; and.b32 t, %1, 0xffff; shr.s32 %0, t, 3; }";
        assert_eq!(kernels(signed, "=r,r").len(), 2);
    }

    #[test]
    fn fields_are_joined_in_one_step() {
        let two = "{ .reg .b32 t, u; shl.b32 t, %1, 8; and.b32 u, %2, 0xff; or.b32 %0, t, u; }";
        assert_eq!(kernels(two, "=r,r,r"), [Kernel::Permute(vec![(false, 8, 0xffff_ff00), (true, 0, 0xff)])]);
        let own = "{ .reg .b32 t; shl.b32 t, %1, 8; or.b32 %0, %2, t; }";
        assert_eq!(
            kernels(own, "=r,r,r"),
            [Kernel::Permute(vec![(false, 0, u32::MAX), (true, 8, 0xffff_ff00)])]
        );
        let twice = "{ .reg .b32 t; shl.b32 t, %1, 8; or.b32 %0, t, t; }";
        assert_eq!(kernels(twice, "=r,r").len(), 2);
    }

    #[test]
    fn sums_and_selections_take_their_sources_in() {
        let sum = "{ .reg .b32 t; add.u32 t, %1, 0x7fff; add.u32 %0, %2, t; }";
        assert_eq!(kernels(sum, "=r,r,r"), [Kernel::Sum]);
        for (name, bits, letter) in [("add.u16x2", 32, "r"), ("add.u64", 64, "l"), ("add.s16", 16, "h")] {
            let text = format!("{{ .reg .b{bits} t; {name} t, %1, %2; {name} %0, t, %1; }}");
            assert_eq!(kernels(&text, &format!("={letter},{letter},{letter}")), [Kernel::Sum], "{text}");
        }
        for relation in ["eq", "ne", "lt", "le", "gt", "ge"] {
            for (ty, bits, letter) in [("s16", 16, "h"), ("u16", 16, "h"), ("s32", 32, "r"), ("u32", 32, "r")]
            {
                let text =
                    format!("{{ .reg .pred p; setp.{relation}.{ty} p, %1, %2; selp.b{bits} %0, 7, %2, p; }}");
                let found = kernels(&text, &format!("={letter},{letter},{letter}"));
                let expected =
                    |signed| matches!(found[..], [Kernel::SelectBy { signed: s, .. }] if s == signed);
                assert!(expected(ty.starts_with('s')), "{text}: {found:?}");
            }
        }
    }

    /// A column that something else reads is computed.
    #[test]
    fn other_readers_keep_a_step() {
        let output = "{ shr.u32 %0, %2, 16; and.b32 %1, %0, 1; }";
        assert_eq!(kernels(output, "=r,=r,r").len(), 2);
        let twice = "{ .reg .b32 t, u; add.u32 t, %1, %2; add.u32 u, t, %1; add.u32 %0, t, u; }";
        assert_eq!(kernels(twice, "=r,r,r"), [Kernel::Add, Kernel::Sum]);
        let both = "{ .reg .pred p; setp.lt.u32 p, %2, %3; selp.b32 %0, %2, 1, p; selp.b32 %1, 1, %3, p; }";
        assert_eq!(kernels(both, "=r,=r,r,r").len(), 3);
    }
}
