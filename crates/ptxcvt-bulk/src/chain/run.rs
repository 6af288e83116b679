//! A chain over an array, block by block.

#[cfg(feature = "std")]
use alloc::vec::Vec;

use super::{Chain, ChainArray, Link, Spread, Work};
use crate::array::{Array, check_codes, count};
use crate::column::Column;
use crate::constants::Constants;
use crate::engine::Buffer;
use crate::error::BulkError;
use crate::memory::{LINE, fence};
use crate::plan::Plan;
use crate::stage::{Span, Stage};
use ptxcvt::formats::Format;
use ptxcvt::forms::Opcode;

/// The number of elements that pass through all conversions at a time, or half of it: a whole number of instructions of
/// every form. Starting a conversion takes as long as some hundred elements; twice as many would leave the first-level
/// cache.
const BLOCK: usize = 4096;
/// The elements of the only block of a short run.
const SHORT: usize = 64;
/// The bytes of the widest element.
const WIDEST: usize = 8;
/// The most elements of an instruction.
pub(crate) const MOST_LANES: u64 = 4;

impl Chain {
    /// The bits of an element of the source and of the result.
    pub(crate) fn widths(&self, spread: Spread) -> (usize, usize) {
        let ends = (self.source.source().format(), self.destination.destination().format());
        (width(ends.0, spread.source), width(ends.1, spread.result))
    }

    /// Converts any part of an array, with the bits that the conversions return one after the other; see
    /// [`Plan::run_array`].
    ///
    /// # Errors
    ///
    /// Fails like [`Plan::run_array`]; at a byte that is not a 4-bit code, some results have been written.
    pub fn run(&self, array: ChainArray<'_>) -> Result<(), BulkError> {
        let ChainArray { elements, extras, result, spread, first } = array;
        if let [link @ Link { work: Work::Single(plan), from, .. }] = &self.links[..] {
            let spread = if from.storage() == 4 { spread.source } else { spread.result };
            return plan.run_array(Array { elements, extra: link.given(extras), result, spread, first });
        }
        let (from, to) = self.widths(spread);
        let array = ChainArray { elements, extras, result, spread, first };
        let count = self.checked(&array)?;
        let result = array.result;
        let elements = Elements { source: elements, extras, first, spread, widths: (from, to) };
        match &self.links[..] {
            [Link { work: Work::Joined { packed, spread: each }, .. }] => {
                let streamed = self.stores.are_streamed(elements.source.len() + result.len());
                // Streamed results begin at a cache line.
                let head = if streamed { result.as_ptr().align_offset(LINE) } else { 0 };
                let aligned = head < result.len() && head * from % (8 * (to / 8)) == 0;
                let (first, rest) =
                    elements.source.split_at(if aligned { head / (to / 8) * from / 8 } else { 0 });
                let (into, others) = result.split_at_mut(if aligned { head } else { 0 });
                run_joined(*packed, *each, first, into, (spread.source, false))?;
                run_joined(*packed, *each, rest, others, (spread.source, streamed && aligned))
            }
            _ if count <= SHORT => self.run_blocks::<SHORT>(elements, count, result),
            _ => self.run_blocks::<BLOCK>(elements, count, result),
        }
    }

    /// Converts by the only kernel, if it reports whether NaN or infinity may be among the elements; see
    /// [`Plan::run_reporting`].
    #[cfg(feature = "std")]
    pub(crate) fn run_reporting(&self, elements: &[u8], result: &mut [u8], cold: bool) -> Option<bool> {
        match &self.links[..] {
            [Link { work: Work::Single(plan), .. }] => plan.run_reporting(elements, result, cold),
            _ => None,
        }
    }

    /// Runs block after block, of at most `N` elements each, or `2 * N` if they have a byte.
    #[inline(never)]
    fn run_blocks<const N: usize>(
        &self,
        elements: Elements<'_>,
        count: usize,
        result: &mut [u8],
    ) -> Result<(), BulkError> {
        let (from, to) = elements.widths;
        let (mut one, mut other) = (Buffer::<N, WIDEST>::new(), Buffer::<N, WIDEST>::new());
        // Twice as many elements of one byte between two conversions need less memory than those of four.
        let (_, earlier) = self.links.split_last().expect("a chain has links");
        let most = if earlier.iter().all(|link| link.to.storage() <= 8) { 2 * N } else { N };
        let mut begun = 0;
        while begun < count {
            // All blocks but the first begin with whole instructions.
            let phase = ((elements.first + begun as u64) % MOST_LANES) as usize;
            let n = (most - phase).min(count - begun);
            let block = Block { begun, count: n, first: elements.first, spread: elements.spread };
            let source = &elements.source[begun * from / 8..(begun + n) * from / 8];
            let target = &mut result[begun * to / 8..(begun + n) * to / 8];
            self.run_block(block, source, elements.extras, target, [&mut one, &mut other])?;
            begun += n;
        }
        Ok(())
    }

    /// The number of elements. Fails if the lengths of the array do not match.
    pub(crate) fn checked(&self, array: &ChainArray<'_>) -> Result<usize, BulkError> {
        let ChainArray { elements, extras, result, spread, first } = array;
        let plans = || self.links.iter().filter_map(|link| link.plan().map(|plan| (link, plan)));
        if let Some((_, plan)) = plans().find(|(_, plan)| plan.form().opcode() == Opcode::CvtPack) {
            return Err(BulkError::NotPacked { form: plan.form() });
        }
        let count = count(self.source, (elements.len(), result.len()), *first, self.widths(*spread))?;
        for (link, plan) in plans() {
            plan.array_extra(link.given(extras), *first, count)?;
        }
        Ok(count)
    }

    /// The operands of all conversions for `count` elements after the first `begun` ones.
    #[cfg(feature = "std")]
    pub(crate) fn extras<'a>(
        &self,
        extras: &[Option<Column<'a>>],
        (first, begun, count): (u64, usize, usize),
    ) -> Vec<Option<Column<'a>>> {
        let mut parts = alloc::vec![None; extras.len()];
        for link in self.links.iter().filter(|link| link.number < extras.len()) {
            parts[link.number] = link.extra(extras, first, begun, count);
        }
        parts
    }

    /// Runs every link over a block. The last one writes to `target`, the others to the two buffers in turn.
    fn run_block<const N: usize>(
        &self,
        block: Block,
        source: &[u8],
        extras: &[Option<Column<'_>>],
        target: &mut [u8],
        [mut from, mut to]: [&mut Buffer<N, WIDEST>; 2],
    ) -> Result<(), BulkError> {
        let (last, earlier) = self.links.split_last().expect("a chain has links");
        let mut source = source;
        for (number, link) in earlier.iter().enumerate() {
            let ends = Spread { source: block.is_spread(number), result: block.is_odd() };
            let made = to.first(block.count * width(link.to, ends.result) / 8);
            link.run(block, source, extras, made, ends)?;
            core::mem::swap(&mut from, &mut to);
            source = from.lent();
        }
        let ends = Spread { source: block.is_spread(earlier.len()), result: block.spread.result };
        last.run(block, source, extras, target, ends)
    }
}

/// An array without its results, whose lengths have been checked.
#[derive(Clone, Copy)]
struct Elements<'a> {
    source: &'a [u8],
    extras: &'a [Option<Column<'a>>],
    first: u64,
    spread: Spread,
    /// The bits of an element of the source and of the result.
    widths: (usize, usize),
}

/// Some elements of an array.
#[derive(Clone, Copy)]
struct Block {
    /// Elements before it, and those in it.
    begun: usize,
    count: usize,
    /// The index of the first element of all.
    first: u64,
    /// How the ends of the whole chain hold 4-bit numbers.
    spread: Spread,
}

impl Block {
    /// Between two conversions, 4-bit numbers share bytes unless some would begin or end within one.
    fn is_odd(&self) -> bool {
        self.count % 2 != 0 || (self.first + self.begun as u64) % 2 != 0
    }

    /// Whether 4-bit numbers before link `number` are spread.
    fn is_spread(&self, number: usize) -> bool {
        if number == 0 { self.spread.source } else { self.is_odd() }
    }
}

impl Link {
    /// The plan, if it is one conversion.
    fn plan(&self) -> Option<&Plan> {
        match &self.work {
            Work::Single(plan) => Some(plan),
            Work::Joined { .. } => None,
        }
    }

    /// The operand other than the elements (`rbits` or scales), for the whole array.
    fn given<'a>(&self, extras: &[Option<Column<'a>>]) -> Option<Column<'a>> {
        extras.get(self.number).copied().flatten()
    }

    /// The operand of `count` elements after the first `begun` ones, for an array from element `first` on.
    pub(crate) fn extra<'a>(
        &self,
        extras: &[Option<Column<'a>>],
        first: u64,
        begun: usize,
        count: usize,
    ) -> Option<Column<'a>> {
        let column = self.given(extras)?;
        let Work::Single(plan) = &self.work else { return None };
        match column {
            // The generator counts from the beginning of the whole array.
            Column::Random { .. } | Column::Value(_) => Some(column),
            _ => {
                let lanes = plan.elements_per_instruction();
                let instructions = |elements: usize| ((first % lanes as u64) as usize + elements) / lanes;
                let before = instructions(begun);
                let until = instructions(begun + count + lanes - 1);
                let width = plan.form().extra().map_or(1, |operand| operand.width as usize / 8);
                Some(column.part(before, until - before, width))
            }
        }
    }

    fn run(
        &self,
        block: Block,
        elements: &[u8],
        extras: &[Option<Column<'_>>],
        result: &mut [u8],
        spread: Spread,
    ) -> Result<(), BulkError> {
        match &self.work {
            Work::Single(plan) => {
                let spread = if self.from.storage() == 4 { spread.source } else { spread.result };
                let extra = self.extra(extras, block.first, block.begun, block.count);
                plan.run_array(Array {
                    elements,
                    extra,
                    result,
                    spread,
                    first: block.first + block.begun as u64,
                })
            }
            Work::Joined { packed, spread: each } => {
                run_joined(*packed, *each, elements, result, (spread.source, false))
            }
        }
    }
}

/// Runs a kernel for two conversions.
fn run_joined(
    packed: Stage,
    spread: Option<Stage>,
    source: &[u8],
    result: &mut [u8],
    (is_spread, streamed): (bool, bool),
) -> Result<(), BulkError> {
    let stage = match spread {
        Some(stage) if is_spread => {
            check_codes(source)?;
            stage
        }
        _ => packed,
    };
    // These kernels use no constants.
    let constants = &Constants::default();
    let span = Span { source, result, extra: &[], constants, streamed, cold: streamed, doubt: None };
    // SAFETY: a chain has only stages of tiers that this machine has.
    unsafe { (stage.run)(span) };
    if streamed {
        fence();
    }
    Ok(())
}

/// The bits of an element.
fn width(format: Format, spread: bool) -> usize {
    match format.storage() as usize {
        4 if spread => 8,
        bits => bits,
    }
}
