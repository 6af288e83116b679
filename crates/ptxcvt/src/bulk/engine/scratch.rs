//! What lies between two stages: buffers on the stack that cost nothing until they are used.

use core::mem::MaybeUninit;

/// The elements of a block.
pub(super) const BLOCK: usize = 1024;

/// Bytes of the widest lane, of a random field, of a word of the generator and of a block of its words.
const LANE: usize = 8;
const FIELD: usize = 2;
const WORD: usize = 4;
const WORDS: usize = 16;

/// The buffers that lanes move between.
pub(super) type Lanes = [Buffer<{ BLOCK * LANE }>; 2];

pub(super) struct Scratch {
    pub lanes: Lanes,
    /// Elements of several operands brought together, or of one value.
    pub gathered: Buffer<{ BLOCK * LANE }>,
    /// A random field or scale for each element.
    pub extra: Buffer<{ BLOCK * FIELD }>,
    /// `rbits` of the block's instructions, which may begin and end within a block of the generator's.
    pub random: Buffer<{ BLOCK * WORD + 2 * WORDS }>,
    /// Results that are streamed from here.
    pub result: Buffer<{ BLOCK * LANE }>,
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch {
            lanes: [Buffer::new(), Buffer::new()],
            gathered: Buffer::new(),
            extra: Buffer::new(),
            random: Buffer::new(),
            result: Buffer::new(),
        }
    }
}

/// At most `N` bytes, the first `ready` of which are initialised: as many as were ever asked for.
pub(super) struct Buffer<const N: usize> {
    bytes: [MaybeUninit<u8>; N],
    ready: usize,
    lent: usize,
}

impl<const N: usize> Buffer<N> {
    fn new() -> Buffer<N> {
        Buffer { bytes: [const { MaybeUninit::uninit() }; N], ready: 0, lent: 0 }
    }

    /// The first `n` bytes, whatever they hold.
    #[inline]
    pub fn first(&mut self, n: usize) -> &mut [u8] {
        if n > self.ready {
            self.bytes[self.ready..n].fill(MaybeUninit::new(0));
            self.ready = n;
        }
        self.lent = n;
        // SAFETY: the first `ready` bytes are initialised, and `n` is no more; a `MaybeUninit<u8>` is laid out as the
        // u8. Indexing has checked that `n` is at most `N`.
        unsafe { core::slice::from_raw_parts_mut(self.bytes.as_mut_ptr().cast(), n) }
    }

    /// What was asked for last.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        // SAFETY: as above; `lent` is at most `ready`.
        unsafe { core::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.lent) }
    }
}
