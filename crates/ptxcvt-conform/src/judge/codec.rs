//! The functions that [`Judge::check`](super::Judge::check) takes: their arguments and results as codes.

/// A number type whose bits are codes of a format of its width.
pub trait Number: Copy {
    /// The width in bytes.
    const BYTES: usize;
    /// The number of these bits.
    fn from_code(code: u64) -> Self;
    /// The bits of the number.
    fn into_code(self) -> u64;
}

/// Implements [`Number`]: `integers! { u8 }` for a type whose bits are its value, in two's complement.
macro_rules! integers {
    ($($name:ident as $unsigned:ident),*) => {$(
        impl Number for $name {
            const BYTES: usize = size_of::<$name>();
            fn from_code(code: u64) -> Self {
                code as $name
            }
            fn into_code(self) -> u64 {
                (self as $unsigned).into()
            }
        }
    )*};
}

integers!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64);

impl Number for f32 {
    const BYTES: usize = 4;
    fn from_code(code: u64) -> Self {
        f32::from_bits(code as u32)
    }
    fn into_code(self) -> u64 {
        self.to_bits().into()
    }
}

impl Number for f64 {
    const BYTES: usize = 8;
    fn from_code(code: u64) -> Self {
        f64::from_bits(code)
    }
    fn into_code(self) -> u64 {
        self.to_bits()
    }
}
