//! What lies between two stages: buffers on the stack that cost nothing until they are used.

use core::mem::MaybeUninit;

/// The elements of a block, and of the one block of a short run, whose buffers take less than a page of the stack each.
pub(super) const BLOCK: usize = 1024;
pub(super) const SHORT: usize = 64;

/// Bytes of the widest lane, and of a random field.
const LANE: usize = 8;
const FIELD: usize = 2;

/// The buffers that lanes move between.
pub(super) type Lanes<const N: usize> = [Buffer<N, LANE>; 2];

/// Buffers for blocks of at most `N` elements.
pub(super) struct Scratch<const N: usize> {
    pub lanes: Lanes<N>,
    /// Elements of several operands brought together, or of one value.
    pub gathered: Buffer<N, LANE>,
    /// A random field or scale for each element.
    pub extra: Buffer<N, FIELD>,
    /// `rbits` of the block's instructions, which may begin and end within a block of the generator's.
    pub random: Buffer<N, LANE>,
    /// Results that are streamed from here.
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

/// At most `N` times `W` bytes, the first `ready` of which are initialised: as many as were ever asked for.
pub(super) struct Buffer<const N: usize, const W: usize> {
    bytes: [[MaybeUninit<u8>; W]; N],
    ready: usize,
    lent: usize,
}

impl<const N: usize, const W: usize> Buffer<N, W> {
    fn new() -> Self {
        Buffer { bytes: [const { [const { MaybeUninit::uninit() }; W] }; N], ready: 0, lent: 0 }
    }

    /// The first `n` bytes, whatever they hold.
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

    /// What was asked for last.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        // SAFETY: as above; `lent` is at most `ready`.
        unsafe { core::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.lent) }
    }
}
