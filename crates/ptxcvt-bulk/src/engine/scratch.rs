//! The buffers between two stages. They are on the stack and cost nothing until they are used.

use core::mem::MaybeUninit;

/// The number of elements in a block.
pub(super) const BLOCK: usize = 1024;

/// The number of elements in the only block of a short run. Each of its buffers is smaller than a page of the stack.
pub(super) const SHORT: usize = 64;

/// A range of a job's instructions.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub first: usize,
    pub count: usize,
}

/// The buffers between two stages are padded to a multiple of this many elements, so that only the first and
/// the last stage have to handle a tail.
pub(super) const GROUP: usize = 32;

/// The size of the widest lane in bytes.
const LANE: usize = 8;

/// The size of a random field in bytes.
const FIELD: usize = 2;

/// The two buffers to which stages write in turn.
pub(super) type Lanes<const N: usize> = [Buffer<N, LANE>; 2];

/// Buffers for blocks of at most `N` elements.
pub(super) struct Scratch<const N: usize> {
    pub lanes: Lanes<N>,
    /// Elements gathered from several operands, or copies of one value.
    pub gathered: Buffer<N, LANE>,
    /// A random field or scale for each element.
    pub extra: Buffer<N, FIELD>,
    /// `rbits` of the block's instructions, which may begin and end within a block of the generator.
    pub random: Buffer<N, LANE>,
    /// Results before they are copied with non-temporal stores.
    pub result: Buffer<N, LANE>,
}

impl<const N: usize> Scratch<N> {
    pub fn new() -> Self {
        Scratch {
            lanes: [Buffer::new(), Buffer::new()],
            gathered: Buffer::new(),
            extra: Buffer::new(),
            random: Buffer::new(),
            result: Buffer::new(),
        }
    }
}

/// At most `N` times `W` bytes from a cache line on. The first `ready` of them are initialised; `ready` is the largest
/// length requested so far.
#[repr(C, align(64))]
pub(crate) struct Buffer<const N: usize, const W: usize> {
    bytes: [[MaybeUninit<u8>; W]; N],
    ready: usize,
    lent: usize,
}

impl<const N: usize, const W: usize> Buffer<N, W> {
    pub fn new() -> Self {
        Buffer { bytes: [const { [const { MaybeUninit::uninit() }; W] }; N], ready: 0, lent: 0 }
    }

    /// The first `n` bytes, with arbitrary contents.
    #[inline]
    pub fn first(&mut self, n: usize) -> &mut [u8] {
        if n > self.ready {
            self.bytes.as_flattened_mut()[self.ready..n].fill(MaybeUninit::new(0));
            self.ready = n;
        }
        self.lent = n;
        // SAFETY: the first `ready` bytes are initialised, and `n` is no more; a `MaybeUninit<u8>` is laid out as the
        // u8. Indexing has checked that `n` is not too large.
        unsafe { core::slice::from_raw_parts_mut(self.bytes.as_mut_ptr().cast(), n) }
    }

    /// The bytes that were requested last.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        // SAFETY: as above; `lent` is at most `ready`.
        unsafe { core::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.lent) }
    }
}
