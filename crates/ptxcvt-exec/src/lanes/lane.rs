//! Lanes: columns of bytes read as little-endian unsigned integers of 1 to 8 bytes, and loops over them that the compiler
//! vectorises.

/// An unsigned integer as a lane.
pub(crate) trait Lane:
    Copy
    + Eq
    + Ord
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
{
    const BYTES: usize;
    const ZERO: Self;
    /// The sign bit alone.
    const SIGN: Self;
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
    fn from_u64(bits: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Shifts to the left; an amount of the width or more shifts everything out.
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    fn sar(self, by: u32) -> Self;
    fn rotate(self, by: u32) -> Self;
    fn less_signed(self, other: Self) -> bool;
    fn leading_zeros(self) -> u32;
    fn ones(self) -> u32;
    fn reverse(self) -> Self;
}

/// `lanes! { u8 i8, … }` implements [`Lane`] for each unsigned integer, with the signed type of the same width.
macro_rules! lanes {
    ($($unsigned:ident $signed:ident),*) => {$(
        impl Lane for $unsigned {
            const BYTES: usize = size_of::<$unsigned>();
            const ZERO: Self = 0;
            const SIGN: Self = 1 << ($unsigned::BITS - 1);
            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$unsigned>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn shl(self, by: u32) -> Self {
                if by < Self::BITS { self << by } else { 0 }
            }
            #[inline(always)]
            fn shr(self, by: u32) -> Self {
                if by < Self::BITS { self >> by } else { 0 }
            }
            #[inline(always)]
            fn sar(self, by: u32) -> Self {
                ((self as $signed) >> by.min(Self::BITS - 1)) as Self
            }
            #[inline(always)]
            fn rotate(self, by: u32) -> Self {
                self.rotate_left(by)
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn reverse(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn less_signed(self, other: Self) -> bool {
                (self as $signed) < (other as $signed)
            }
        }
    )*};
}
lanes! { u8 i8, u16 i16, u32 i32, u64 i64 }

/// How many lanes a loop below computes at a time: a whole number of the widest vectors, whatever the lanes' width, and
/// enough that finding a piece costs little.
pub(super) const PIECE: usize = 256;

/// The column of a source.
#[derive(Clone, Copy)]
pub(super) struct Source<'c> {
    column: &'c [u8],
    /// Selects the number of a piece: all bits, or none if every piece is the first one.
    ///
    /// A mask and not a flag, for which compilers would make a loop of every choice of flags.
    mask: usize,
}

impl<'c> Source<'c> {
    /// A column with all lanes.
    pub const fn new(column: &'c [u8]) -> Self {
        Source { column, mask: usize::MAX }
    }

    /// A column whose first piece stands for every piece: that of a constant, which takes little of the first-level cache
    /// so.
    pub const fn repeated(column: &'c [u8]) -> Self {
        Source { column, mask: 0 }
    }

    /// Piece `n` of lanes of this width.
    #[inline(always)]
    fn piece<L: Lane>(self, n: usize) -> &'c [u8] {
        &self.column[(n & self.mask) * (PIECE * L::BYTES)..][..PIECE * L::BYTES]
    }
}

/// The pieces of a column of results.
#[inline(always)]
fn pieces_mut<L: Lane>(column: &mut [u8]) -> impl Iterator<Item = (usize, &mut [u8])> {
    assert!(column.len() % (PIECE * L::BYTES) == 0, "columns have whole pieces");
    column.chunks_exact_mut(PIECE * L::BYTES).enumerate()
}

/// Lane `n` of a piece.
#[inline(always)]
fn lane<L: Lane>(piece: &[u8], n: usize) -> L {
    L::load(&piece[n * L::BYTES..(n + 1) * L::BYTES])
}

// The loops count lanes instead of pairing iterators: `Zip::new` is not inlined in functions with as many loops as the
// kernels have, and a CPU waits when it loads the iterators, which were stored in other widths.

/// d = f(a)
#[inline(always)]
pub(super) fn map1<D: Lane, A: Lane>(d: &mut [u8], a: Source<'_>, f: impl Fn(A) -> D) {
    for (at, d) in pieces_mut::<D>(d) {
        let a = a.piece::<A>(at);
        for n in 0..PIECE {
            f(lane(a, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
        }
    }
}

/// d = f(a, b)
#[inline(always)]
pub(super) fn map2<D: Lane, A: Lane, B: Lane>(
    d: &mut [u8],
    a: Source<'_>,
    b: Source<'_>,
    f: impl Fn(A, B) -> D,
) {
    for (at, d) in pieces_mut::<D>(d) {
        let (a, b) = (a.piece::<A>(at), b.piece::<B>(at));
        for n in 0..PIECE {
            f(lane(a, n), lane(b, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
        }
    }
}

/// d = f(a, b, c)
#[inline(always)]
pub(super) fn map3<D: Lane, A: Lane, B: Lane, C: Lane>(
    d: &mut [u8],
    [a, b, c]: [Source<'_>; 3],
    f: impl Fn(A, B, C) -> D,
) {
    for (at, d) in pieces_mut::<D>(d) {
        let (a, b, c) = (a.piece::<A>(at), b.piece::<B>(at), c.piece::<C>(at));
        for n in 0..PIECE {
            f(lane(a, n), lane(b, n), lane(c, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
        }
    }
}

/// d = f(a, b, c, e), all of the same width
#[inline(always)]
pub(super) fn map4<L: Lane>(d: &mut [u8], [a, b, c, e]: [Source<'_>; 4], f: impl Fn(L, L, L, L) -> L) {
    for (at, d) in pieces_mut::<L>(d) {
        let (a, b, c, e) = (a.piece::<L>(at), b.piece::<L>(at), c.piece::<L>(at), e.piece::<L>(at));
        for n in 0..PIECE {
            f(lane(a, n), lane(b, n), lane(c, n), lane(e, n)).store(&mut d[n * L::BYTES..(n + 1) * L::BYTES]);
        }
    }
}

/// d = f(d, a, b)
#[inline(always)]
pub(super) fn update2<D: Lane, A: Lane, B: Lane>(
    d: &mut [u8],
    a: Source<'_>,
    b: Source<'_>,
    f: impl Fn(D, A, B) -> D,
) {
    for (at, d) in pieces_mut::<D>(d) {
        let (a, b) = (a.piece::<A>(at), b.piece::<B>(at));
        for n in 0..PIECE {
            let to = &mut d[n * D::BYTES..(n + 1) * D::BYTES];
            f(D::load(to), lane(a, n), lane(b, n)).store(to);
        }
    }
}
