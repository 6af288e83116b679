//! The inputs and outputs of a plan: typed slices, raw bytes, one value for all instructions, or a random
//! generator.

use core::mem::size_of_val;

/// One operand of every instruction in a run.
///
/// Elements are as wide as the operand ([`Operand::width`](ptxcvt::forms::Operand::width)): a `.f32` source
/// is a column of 32-bit elements, `.e4m3x2` of 16-bit ones, `.e2m1x2` of bytes. Slices, arrays and vectors
/// of integers and floats convert with `into()`, with the feature `half` also those of `half::f16` and
/// `half::bf16`.
///
/// ```
/// use ptxcvt_bulk::Column;
/// let (array, slice) = ([1.0_f32, 2.0], &[1_u8, 2, 3][..]);
/// assert!(matches!(Column::from(&array), Column::U32([0x3f80_0000, 0x4000_0000])));
/// assert!(matches!(Column::from(slice), Column::U8([1, 2, 3])));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Column<'a> {
    /// 8-bit elements.
    U8(&'a [u8]),
    /// 16-bit elements.
    U16(&'a [u16]),
    /// 32-bit elements.
    U32(&'a [u32]),
    /// 64-bit elements.
    U64(&'a [u64]),
    /// Little-endian elements as wide as the operand, at any alignment: for example a mapped file.
    Bytes(&'a [u8]),
    /// One value for every instruction.
    Value(u64),
    /// Only for `rbits`: instruction `i` of the run uses word `first + i` of the stream that
    /// [`philox4x32`](super::philox4x32) makes from `seed`. To split a run in two, use the index of the
    /// second part's first instruction as its `first`. Both parts then have the bits of the whole.
    Random {
        /// The key of the generator.
        seed: u64,
        /// The index of the run's first instruction.
        first: u64,
    },
}

/// The output of a run, one element per result. Converts from mutable slices, arrays and vectors as
/// [`Column`] does.
#[derive(Debug)]
#[non_exhaustive]
pub enum ColumnMut<'a> {
    /// 8-bit elements.
    U8(&'a mut [u8]),
    /// 16-bit elements.
    U16(&'a mut [u16]),
    /// 32-bit elements.
    U32(&'a mut [u32]),
    /// 64-bit elements.
    U64(&'a mut [u64]),
    /// Little-endian elements as wide as the result, at any alignment.
    Bytes(&'a mut [u8]),
}

impl<'a> Column<'a> {
    /// The bytes in native order, and the width of an element in bits. Width 0 means raw bytes, of any width.
    pub(crate) fn raw(self) -> Option<(&'a [u8], u32)> {
        match self {
            Column::U8(s) => Some((s, 8)),
            Column::U16(s) => Some((bytes(s), 16)),
            Column::U32(s) => Some((bytes(s), 32)),
            Column::U64(s) => Some((bytes(s), 64)),
            Column::Bytes(s) => Some((s, 0)),
            Column::Value(_) | Column::Random { .. } => None,
        }
    }

    /// The column of `count` instructions from `first` on. Raw bytes have `width` bytes per element.
    pub(crate) fn part(self, first: usize, count: usize, width: usize) -> Column<'a> {
        let range = first..first + count;
        match self {
            Column::U8(s) => Column::U8(&s[range]),
            Column::U16(s) => Column::U16(&s[range]),
            Column::U32(s) => Column::U32(&s[range]),
            Column::U64(s) => Column::U64(&s[range]),
            Column::Bytes(s) => Column::Bytes(&s[first * width..(first + count) * width]),
            Column::Value(_) => self,
            Column::Random { seed, first: begun } => {
                Column::Random { seed, first: begun.wrapping_add(first as u64) }
            }
        }
    }
}

impl<'a> ColumnMut<'a> {
    /// Like [`Column::raw`], for a result.
    pub(crate) fn raw(self) -> (&'a mut [u8], u32) {
        match self {
            ColumnMut::U8(s) => (s, 8),
            ColumnMut::U16(s) => (bytes_mut(s), 16),
            ColumnMut::U32(s) => (bytes_mut(s), 32),
            ColumnMut::U64(s) => (bytes_mut(s), 64),
            ColumnMut::Bytes(s) => (s, 0),
        }
    }
}

/// Numbers without padding for which every bit pattern is valid.
trait Number: Copy {}

fn bytes<T: Number>(slice: &[T]) -> &[u8] {
    // SAFETY: a `Number` has no padding, the length is the slice's own, and u8 needs no alignment.
    unsafe { core::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
}

fn bytes_mut<T: Number>(slice: &mut [T]) -> &mut [u8] {
    // SAFETY: as above; and any bytes written there are a `Number`.
    unsafe { core::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), size_of_val(slice)) }
}

/// The conversions. `numbers! { f32 as u32 => U32; }` expands to `impl Number for f32`, and to `From<&[f32]>
/// for Column` and `From<&mut [f32]> for ColumnMut`, which reinterpret the floats' bits as integers. It also
/// implements `From` for arrays and vectors.
macro_rules! numbers {
    ($($number:ty as $bits:ty => $variant:ident;)*) => {$(
        const _: () = {
            assert!(size_of::<$number>() == size_of::<$bits>(), "the types have one size");
            assert!(align_of::<$number>() == align_of::<$bits>(), "the types have one alignment");
        };

        impl Number for $number {}

        impl<'a> From<&'a [$number]> for Column<'a> {
            fn from(slice: &'a [$number]) -> Self {
                // SAFETY: both types are `Number`s of one size and alignment.
                Column::$variant(unsafe { core::slice::from_raw_parts(slice.as_ptr().cast::<$bits>(), slice.len()) })
            }
        }

        impl<'a> From<&'a mut [$number]> for ColumnMut<'a> {
            fn from(slice: &'a mut [$number]) -> Self {
                let (start, length) = (slice.as_mut_ptr().cast::<$bits>(), slice.len());
                // SAFETY: both types are `Number`s of one size and alignment.
                ColumnMut::$variant(unsafe { core::slice::from_raw_parts_mut(start, length) })
            }
        }

        impl<'a, const N: usize> From<&'a [$number; N]> for Column<'a> {
            fn from(array: &'a [$number; N]) -> Self {
                array.as_slice().into()
            }
        }

        impl<'a, const N: usize> From<&'a mut [$number; N]> for ColumnMut<'a> {
            fn from(array: &'a mut [$number; N]) -> Self {
                array.as_mut_slice().into()
            }
        }

        #[cfg(feature = "alloc")]
        impl<'a> From<&'a alloc::vec::Vec<$number>> for Column<'a> {
            fn from(vector: &'a alloc::vec::Vec<$number>) -> Self {
                vector.as_slice().into()
            }
        }

        #[cfg(feature = "alloc")]
        impl<'a> From<&'a mut alloc::vec::Vec<$number>> for ColumnMut<'a> {
            fn from(vector: &'a mut alloc::vec::Vec<$number>) -> Self {
                vector.as_mut_slice().into()
            }
        }
    )*};
}

numbers! {
    u8 as u8 => U8; i8 as u8 => U8;
    u16 as u16 => U16; i16 as u16 => U16;
    u32 as u32 => U32; i32 as u32 => U32; f32 as u32 => U32;
    u64 as u64 => U64; i64 as u64 => U64; f64 as u64 => U64;
}

/// The number types are `#[repr(transparent)]` over these integers, and ignore bits that no code has.
macro_rules! number_types {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        number_types!(@ $name $bits);
    )*};
    (@ $name:ident u8) => {
        numbers! { ptxcvt::$name as u8 => U8; }
    };
    (@ $name:ident u16) => {
        numbers! { ptxcvt::$name as u16 => U16; }
    };
    (@ $name:ident u32) => {
        numbers! { ptxcvt::$name as u32 => U32; }
    };
}

/// Like `number_types`, for packed types.
macro_rules! packed_types {
    ($(
        $name:ident: $bits:ident = $count:literal of $number:ident, $type:ident, halves $half:ident, [$($has:ident)*];
    )*) => {
        $(number_types!(@ $name $bits);)*
    };
}

ptxcvt::number_types!(number_types);
ptxcvt::packed_types!(packed_types);

// Both types are a `#[repr(transparent)]` `u16`.
#[cfg(feature = "half")]
numbers! { half::f16 as u16 => U16; half::bf16 as u16 => U16; }
