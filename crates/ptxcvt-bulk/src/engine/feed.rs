//! A run with checked lengths: the source of each operand of instruction `i`, and how a block of instructions
//! reads it.

use super::scratch::{Block, Buffer, GROUP};
use crate::choose::{Extra, Pipeline, Shape};
use crate::philox;
use crate::stage::{Span, elements_mut};
use crate::widths::divided;
use ptxcvt::inputs::MAX_OPERANDS;

/// One operand of every instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feed<'a> {
    /// Instruction `i` reads `width` bytes at `offset + i * stride`.
    Slice { bytes: &'a [u8], offset: usize, stride: usize, width: usize, little_endian: bool },
    /// Every instruction reads this value.
    Value(u64),
    /// Instruction `i` reads word `first + i` of a Philox stream.
    Random { seed: u64, first: u64 },
}

impl Feed<'_> {
    /// This feed without its first `n` instructions.
    pub fn skip(self, n: usize) -> Self {
        match self {
            Feed::Slice { bytes, offset, stride, width, little_endian } => {
                Feed::Slice { bytes: &bytes[n * stride..], offset, stride, width, little_endian }
            }
            Feed::Value(_) => self,
            Feed::Random { seed, first } => Feed::Random { seed, first: first.wrapping_add(n as u64) },
        }
    }

    /// The operand of instruction `i`.
    #[inline]
    pub fn get(&self, i: usize) -> u64 {
        match *self {
            Feed::Slice { bytes, offset, stride, width, little_endian } => {
                let at = offset + i * stride;
                load(&bytes[at..at + width], little_endian)
            }
            Feed::Value(value) => value,
            Feed::Random { seed, first } => philox::rbits(seed, first.wrapping_add(i as u64)).into(),
        }
    }
}

impl Feed<'_> {
    /// Copies a block of operands of `width` bytes, one after the other.
    fn copy(&self, width: usize, block: Block, out: &mut [u8]) {
        match *self {
            Feed::Slice { bytes, .. } => {
                out.copy_from_slice(&bytes[block.first * width..(block.first + block.count) * width]);
            }
            Feed::Value(value) => {
                let bytes = value.to_le_bytes();
                match width {
                    1 => out.fill(bytes[0]),
                    // With constant lengths the compiler uses wide stores.
                    2 => fill::<2>(out, bytes),
                    4 => fill::<4>(out, bytes),
                    8 => fill::<8>(out, bytes),
                    other => unreachable!("operands have 1, 2, 4 or 8 bytes, not {other}"),
                }
            }
            feed => {
                for (i, place) in out.chunks_exact_mut(width).enumerate() {
                    store(place, feed.get(block.first + i), true);
                }
            }
        }
    }
}

/// Fills `out` with the low `W` bytes of a value.
fn fill<const W: usize>(out: &mut [u8], bytes: [u8; 8]) {
    let mut value = [0; W];
    value.copy_from_slice(&bytes[..W]);
    elements_mut::<W>(out).fill(value);
}

/// The source of a run's elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// Elements in memory order: in packed runs, and if only one operand holds data. An operand has `width` bytes.
    Packed { bytes: &'a [u8], width: usize, little_endian: bool },
    /// The operands in PTX order; those beyond the form's count are `Value(0)`.
    Operands(&'a [Feed<'a>; MAX_OPERANDS]),
}

impl<'a> Source<'a> {
    /// The elements, if they are in memory order.
    #[inline]
    pub fn packed(self) -> Option<&'a [u8]> {
        match self {
            Source::Packed { bytes, .. } => Some(bytes),
            Source::Operands(_) => None,
        }
    }
}

/// A checked run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub source: Source<'a>,
    /// The number of operands with elements.
    pub sources: usize,
    /// The operand after the elements; `Value(0)` if there is none.
    pub extra: Feed<'a>,
    /// The results, one after the other.
    pub result: &'a mut [u8],
    /// The bytes of one result.
    pub width: usize,
    /// Whether the result's bytes are little-endian on every machine.
    pub little_endian: bool,
}

impl<'a> Job<'a> {
    /// The number of instructions.
    pub fn count(&self) -> usize {
        divided(self.result.len(), self.width)
    }

    /// All operands in PTX order; those beyond the form's count are `Value(0)`.
    pub fn feeds(&self) -> [Feed<'a>; MAX_OPERANDS] {
        let mut feeds = [Feed::Value(0); MAX_OPERANDS];
        match self.source {
            Source::Operands(operands) => return *operands,
            Source::Packed { bytes, width, little_endian } => {
                for (k, feed) in feeds[..self.sources].iter_mut().enumerate() {
                    // The first operand is the uppermost and therefore the last in memory.
                    let offset = width * (self.sources - 1 - k);
                    *feed = Feed::Slice { bytes, offset, stride: width * self.sources, width, little_endian };
                }
            }
        }
        // No form has five operands with elements.
        feeds[self.sources] = self.extra;
        feeds
    }

    /// The random fields or scales for the first stage, if memory has them in the stage's layout. Empty for
    /// forms without them; `None` if they must be computed first.
    pub fn ready_extra(&self, extra: Option<&Extra>) -> Option<&'a [u8]> {
        match (extra, self.extra) {
            (None, _) => Some(&[]),
            (Some(Extra { spread: None, operand, .. }), Feed::Slice { bytes, .. }) => {
                bytes.get(..self.count() * operand)
            }
            _ => None,
        }
    }
}

/// The number in `bytes`, which has one, two, four or eight of them.
#[inline]
fn load(bytes: &[u8], little_endian: bool) -> u64 {
    let mut wide = [0; 8];
    if little_endian || cfg!(target_endian = "little") {
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    } else {
        wide[8 - bytes.len()..].copy_from_slice(bytes);
        u64::from_be_bytes(wide)
    }
}

/// Writes the low bytes of `number`.
#[inline]
pub(super) fn store(bytes: &mut [u8], number: u64, little_endian: bool) {
    let n = bytes.len();
    if little_endian || cfg!(target_endian = "little") {
        bytes.copy_from_slice(&number.to_le_bytes()[..n]);
    } else {
        bytes.copy_from_slice(&number.to_be_bytes()[8 - n..]);
    }
}

/// The inputs of a job.
pub(super) struct Inputs<'a> {
    pub source: Source<'a>,
    pub sources: usize,
    pub extra: Feed<'a>,
}

impl Inputs<'_> {
    /// The elements of a block, as the first stage reads them.
    pub fn elements<'s, const N: usize, const W: usize>(
        &'s self,
        shape: &Shape,
        block: Block,
        out: &'s mut Buffer<N, W>,
    ) -> &'s [u8] {
        match self.source {
            Source::Packed { bytes, width, .. } => {
                let width = width * self.sources;
                &bytes[block.first * width..(block.first + block.count) * width]
            }
            Source::Operands(feeds) if shape.columns => columns(feeds, block, out),
            Source::Operands(feeds) => gather(&feeds[..self.sources], shape.operand, block, out),
        }
    }
    /// The random fields or scales of a block's elements, in memory order. If they are computed here, they
    /// are padded to a multiple of [`GROUP`].
    pub fn extra<'s, const N: usize, const W: usize, const F: usize>(
        &'s self,
        extra: &Extra,
        pipeline: &Pipeline,
        block: Block,
        (operands, fields): (&'s mut Buffer<N, W>, &'s mut Buffer<N, F>),
    ) -> &'s [u8] {
        let constants = &pipeline.constants;
        let operands: &[u8] = match self.extra {
            Feed::Slice { bytes, .. } => {
                &bytes[block.first * extra.operand..(block.first + block.count) * extra.operand]
            }
            Feed::Random { seed, first } => {
                let index = first.wrapping_add(block.first as u64);
                let skip = (index % philox::WORDS) as usize;
                let source = philox::start(seed, index / philox::WORDS);
                let blocks = (skip + block.count).div_ceil(philox::WORDS as usize);
                let words = operands.first(blocks * philox::BYTES);
                // SAFETY: a plan has only stages of tiers that this machine has.
                let span = Span {
                    source: &source,
                    result: words,
                    extra: &[],
                    constants,
                    streamed: false,
                    cold: false,
                    doubt: None,
                };
                unsafe { (extra.philox.run)(span) };
                &words[4 * skip..4 * (skip + block.count)]
            }
            value => {
                let column = operands.first(block.count * extra.operand);
                value.copy(extra.operand, block, column);
                column
            }
        };
        let Some(spread) = extra.spread else { return operands };
        let count = block.count * pipeline.shape.elements;
        let all = fields.first(count.next_multiple_of(GROUP) * extra.element);
        let result = &mut all[..count * extra.element];
        // SAFETY: as above.
        unsafe {
            (spread.run)(Span {
                source: operands,
                result,
                extra: &[],
                constants,
                streamed: false,
                cold: false,
                doubt: None,
            })
        };
        all
    }
}

/// The elements of several operands, `width` bytes each, in memory order: the last operand is the lowest.
fn gather<'s, const N: usize, const W: usize>(
    feeds: &[Feed<'_>],
    width: usize,
    block: Block,
    out: &'s mut Buffer<N, W>,
) -> &'s [u8] {
    let Block { first, count } = block;
    let out = out.first(count * width * feeds.len());
    for (k, feed) in feeds.iter().enumerate() {
        let place = (feeds.len() - 1 - k) * width;
        let groups = out.chunks_exact_mut(width * feeds.len());
        match *feed {
            // Several operands are always f32.
            Feed::Slice { bytes, width: 4, stride: 4, .. } => {
                for (group, element) in groups.zip(bytes[first * 4..(first + count) * 4].chunks_exact(4)) {
                    group[place..place + 4].copy_from_slice(element);
                }
            }
            feed => {
                for (i, group) in groups.enumerate() {
                    store(&mut group[place..place + width], feed.get(first + i), true);
                }
            }
        }
    }
    out
}

/// The columns of `a`, `b` and `c` of `cvt.pack`, one after the other; a missing `c` is 0.
fn columns<'s, const N: usize, const W: usize>(
    feeds: &[Feed<'_>; MAX_OPERANDS],
    block: Block,
    out: &'s mut Buffer<N, W>,
) -> &'s [u8] {
    let out = out.first(3 * 4 * block.count);
    for (feed, column) in feeds[..3].iter().zip(out.chunks_exact_mut(4 * block.count)) {
        feed.copy(4, block, column);
    }
    out
}
