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
    const ONES: Self;
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
            const ONES: Self = $unsigned::MAX;
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

/// Lane `n` of a column.
#[inline(always)]
fn lane<L: Lane>(column: &[u8], n: usize) -> L {
    L::load(&column[n * L::BYTES..(n + 1) * L::BYTES])
}

/// A column of `count` lanes, so that the loops below need no check for each lane.
///
/// They count lanes instead of pairing iterators: `Zip::new` is not inlined in functions with as many loops as the kernels
/// have, and a CPU waits when it loads the iterators, which were stored in other widths.
#[inline(always)]
fn lanes<L: Lane>(column: &[u8], count: usize) -> &[u8] {
    &column[..count * L::BYTES]
}

/// d = f(a)
#[inline(always)]
pub(super) fn map1<D: Lane, A: Lane>(d: &mut [u8], a: &[u8], f: impl Fn(A) -> D) {
    let count = d.len() / D::BYTES;
    let (d, a) = (&mut d[..count * D::BYTES], lanes::<A>(a, count));
    for n in 0..count {
        f(lane(a, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
    }
}

/// d = f(a, b)
#[inline(always)]
pub(super) fn map2<D: Lane, A: Lane, B: Lane>(d: &mut [u8], a: &[u8], b: &[u8], f: impl Fn(A, B) -> D) {
    let count = d.len() / D::BYTES;
    let (d, a, b) = (&mut d[..count * D::BYTES], lanes::<A>(a, count), lanes::<B>(b, count));
    for n in 0..count {
        f(lane(a, n), lane(b, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
    }
}

/// d = f(a, b, c)
#[inline(always)]
pub(super) fn map3<D: Lane, A: Lane, B: Lane, C: Lane>(
    d: &mut [u8],
    [a, b, c]: [&[u8]; 3],
    f: impl Fn(A, B, C) -> D,
) {
    let count = d.len() / D::BYTES;
    let d = &mut d[..count * D::BYTES];
    let (a, b, c) = (lanes::<A>(a, count), lanes::<B>(b, count), lanes::<C>(c, count));
    for n in 0..count {
        f(lane(a, n), lane(b, n), lane(c, n)).store(&mut d[n * D::BYTES..(n + 1) * D::BYTES]);
    }
}

/// d = f(d, a, b)
#[inline(always)]
pub(super) fn update2<D: Lane, A: Lane, B: Lane>(d: &mut [u8], a: &[u8], b: &[u8], f: impl Fn(D, A, B) -> D) {
    let count = d.len() / D::BYTES;
    let (d, a, b) = (&mut d[..count * D::BYTES], lanes::<A>(a, count), lanes::<B>(b, count));
    for n in 0..count {
        let to = &mut d[n * D::BYTES..(n + 1) * D::BYTES];
        f(D::load(to), lane(a, n), lane(b, n)).store(to);
    }
}
