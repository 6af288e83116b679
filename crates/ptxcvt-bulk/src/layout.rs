//! The layout of packed arrays: the instruction and operand of element `k`, and the length of the result. No
//! other file defines it.

use super::plan::Plan;
use ptxcvt::forms::Opcode;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::little_endian;

/// The place of an element of a packed array among the operands; see [`Plan::place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The instruction of the run that converts the element.
    pub instruction: usize,
    /// The operand that holds it, counted from 0 in PTX order.
    pub operand: usize,
    /// The number of bits of the operand below the element.
    pub shift: u32,
}

impl Plan {
    /// The number of elements that an instruction converts: one, two or four.
    pub fn elements_per_instruction(&self) -> usize {
        self.form().lanes() as usize
    }

    /// The bytes of one instruction's elements in the source of [`run_packed`](Self::run_packed).
    pub fn packed_source_bytes(&self) -> usize {
        self.widths.source
    }

    /// The bytes of one instruction's result.
    pub fn result_bytes(&self) -> usize {
        self.widths.result
    }

    /// The bytes of `count` elements in a packed source. `None` if they end within a byte, as an odd number
    /// of FP4 elements does, and for `cvt.pack`, which has no packed arrays.
    ///
    /// ```
    /// use ptxcvt_bulk::Plan;
    /// let plan = Plan::new("cvt.rn.satfinite.e2m1x2.f32".parse()?);
    /// assert_eq!((plan.source_len(6), plan.result_len(6)), (Some(24), Some(3)));
    /// assert_eq!((plan.source_len(5), plan.result_len(5)), (Some(20), None));
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn source_len(&self, elements: usize) -> Option<usize> {
        self.len(elements, self.form().source().format().storage())
    }

    /// The bytes of the packed result of `count` elements, which may end within an instruction. `None` in the cases of
    /// [`source_len`](Self::source_len).
    pub fn result_len(&self, elements: usize) -> Option<usize> {
        self.len(elements, self.form().destination().format().storage())
    }

    fn len(&self, elements: usize, storage: u32) -> Option<usize> {
        let bits = elements.checked_mul(storage as usize)?;
        (self.form().opcode() == Opcode::Cvt && bits % 8 == 0).then_some(bits / 8)
    }

    /// The place of element `k` of a packed array. The first element of an instruction in memory belongs to its last
    /// data operand, or to the low bits of its only one.
    ///
    /// ```
    /// use ptxcvt_bulk::Plan;
    /// // d, {a, b, e, f}, rbits: in memory f, e, b, a.
    /// let plan = Plan::new("cvt.rs.satfinite.e4m3x4.f32".parse()?);
    /// let operands = [4, 5, 6, 7].map(|k| plan.place(k).operand);
    /// assert_eq!((plan.place(4).instruction, operands), (1, [3, 2, 1, 0]));
    /// // d, a: the first of two is the low half of a.
    /// let plan = Plan::new("cvt.rn.f16x2.e4m3x2".parse()?);
    /// assert_eq!([0, 1].map(|k| (plan.place(k).operand, plan.place(k).shift)), [(0, 0), (0, 8)]);
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn place(&self, k: usize) -> Place {
        let (operands, elements) = (self.widths.operands, self.elements_per_instruction());
        let (within, each) = (k % elements, elements / operands);
        Place {
            instruction: k / elements,
            operand: operands - 1 - within / each,
            shift: (within % each) as u32 * self.form().source().format().storage(),
        }
    }

    /// Reads the data operands of an instruction, in PTX order, from the little-endian bytes of a packed array.
    /// Elements beyond the end are zeros, as in [`run_padded`](Self::run_padded).
    ///
    /// ```
    /// use ptxcvt_bulk::Plan;
    /// let plan = Plan::new("cvt.rn.f16x2.e4m3x2".parse()?);
    /// assert_eq!(plan.packed_operands(&[0x38, 0x3c, 0x40], 1)[0], 0x0040);
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn packed_operands(&self, source: &[u8], instruction: usize) -> [u64; MAX_OPERANDS] {
        let (all, count) = (self.packed_source_bytes(), self.widths.operands);
        let source = source.get(all * instruction..).unwrap_or_default();
        let mut operands = [0; MAX_OPERANDS];
        for (k, bytes) in source[..all.min(source.len())].chunks(all / count).enumerate() {
            // The first operand is the uppermost and therefore the last in memory.
            operands[count - 1 - k] = little_endian(bytes);
        }
        operands
    }
}
