//! Slices of f32, f64 and the number types of `ptxcvt`, converted number by number.

use ptxcvt::forms::Role;
use ptxcvt::types::Number;
use ptxcvt::{Form, Format};

use crate::array::unpack_codes;
use crate::column::{Column, ColumnMut};
use crate::error::BulkError;
use crate::plan::Plan;

/// How many numbers are converted at a time if they pass through a buffer.
const BLOCK: usize = 4096;

/// Shorter slices are converted one by one, because finding a form and its kernels takes longer.
const SHORT: usize = 512;

/// A number that [`convert_slice`] converts: f32, f64 or a number type of `ptxcvt`.
pub trait Element: sealed::Element {}

mod sealed {
    use super::{Column, ColumnMut, Format};

    pub trait Element: Copy {
        const ELEMENT: Format;
        /// The opcode that converts f32 to the type.
        const OPCODE: &'static str;
        fn round_f32(x: f32) -> Self;
        fn round_f64(x: f64) -> Self;
        fn as_f32(self) -> f32;
        fn as_f64(self) -> f64;
        fn column(slice: &[Self]) -> Column<'_>;
        fn column_mut(slice: &mut [Self]) -> ColumnMut<'_>;
    }
}

/// Implements [`Element`] for a host float, which is converted with `as`.
macro_rules! host_float {
    ($float:ident, $format:ident, $form:literal) => {
        impl Element for $float {}

        impl sealed::Element for $float {
            const ELEMENT: Format = Format::$format;
            const OPCODE: &'static str = $form;
            fn round_f32(x: f32) -> Self {
                x as $float
            }
            fn round_f64(x: f64) -> Self {
                x as $float
            }
            fn as_f32(self) -> f32 {
                self as f32
            }
            fn as_f64(self) -> f64 {
                self as f64
            }
            fn column(slice: &[Self]) -> Column<'_> {
                slice.into()
            }
            fn column_mut(slice: &mut [Self]) -> ColumnMut<'_> {
                slice.into()
            }
        }
    };
}

host_float!(f32, F32, "cvt.f32.f32");
host_float!(f64, F64, "cvt.f64.f32");

/// Implements [`Element`] for the number types.
macro_rules! number_types {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        impl Element for ptxcvt::$name {}

        impl sealed::Element for ptxcvt::$name {
            const ELEMENT: Format = Format::$name;
            const OPCODE: &'static str = $form;
            #[inline]
            fn round_f32(x: f32) -> Self {
                Number::from_f32(x)
            }
            #[inline]
            fn round_f64(x: f64) -> Self {
                Number::from_f64(x)
            }
            #[inline]
            fn as_f32(self) -> f32 {
                Number::to_f32(self)
            }
            #[inline]
            fn as_f64(self) -> f64 {
                Number::to_f64(self)
            }
            fn column(slice: &[Self]) -> Column<'_> {
                slice.into()
            }
            fn column_mut(slice: &mut [Self]) -> ColumnMut<'_> {
                slice.into()
            }
        }
    )*};
}

ptxcvt::number_types!(number_types);

/// Converts every number as `from_f32` or `from_f64` of the destination does: with one rounding, the one of PTX's plainest
/// form.
///
/// Long slices go through the kernels of a [`Plan`] if PTX has a form for the two types. FP4 takes one byte per number
/// here; the packed arrays of [`Plan::run_packed`] hold two numbers per byte.
///
/// ```
/// use ptxcvt::E4m3;
/// use ptxcvt_bulk::convert_slice;
/// let weights: Vec<f32> = (0..1000).map(|i| i as f32 / 7.0).collect();
/// let mut small = vec![E4m3::ZERO; 1000];
/// convert_slice(&weights, &mut small)?;
/// assert!(weights.iter().zip(&small).all(|(x, small)| *small == E4m3::from_f32(*x)));
///
/// let mut back = vec![0.0_f64; 1000];
/// convert_slice(&small, &mut back)?;
/// assert_eq!(back[999], 144.0);
/// # Ok::<(), ptxcvt_bulk::BulkError>(())
/// ```
///
/// # Errors
///
/// Fails before anything is written if the lengths differ.
pub fn convert_slice<S: Element, D: Element>(source: &[S], destination: &mut [D]) -> Result<(), BulkError> {
    if source.len() != destination.len() {
        let (expected, given) = (size_of::<D>() * source.len(), size_of_val(destination));
        return Err(BulkError::Length { role: Role::Destination, expected, given });
    }
    if source.len() < SHORT {
        one_by_one(source, destination);
        return Ok(());
    }
    match route(S::ELEMENT, D::ELEMENT, D::OPCODE) {
        Route::OneByOne => one_by_one(source, destination),
        Route::Form(form) => {
            Plan::new(form).run_padded(S::column(source), None, D::column_mut(destination))?;
        }
        Route::ThroughF16(to_f16, from_f16) => {
            let (to_f16, from_f16, mut half) = (Plan::new(to_f16), Plan::new(from_f16), [0_u16; BLOCK]);
            for (source, destination) in source.chunks(BLOCK).zip(destination.chunks_mut(BLOCK)) {
                let half = &mut half[..source.len()];
                to_f16.run_padded(S::column(source), None, (&mut *half).into())?;
                from_f16.run_padded((&*half).into(), None, D::column_mut(destination))?;
            }
        }
        Route::Nibbles(form) => {
            let (plan, mut packed) = (Plan::new(form), [0_u8; BLOCK / 2]);
            for (source, destination) in source.chunks(BLOCK).zip(destination.chunks_mut(BLOCK)) {
                let even = source.len() / 2 * 2;
                let packed = &mut packed[..even / 2];
                plan.run_packed(S::column(&source[..even]), None, (&mut *packed).into())?;
                let ColumnMut::U8(codes) = D::column_mut(&mut destination[..even]) else {
                    unreachable!("FP4 takes a byte a number")
                };
                unpack_codes(packed, codes);
                one_by_one(&source[even..], &mut destination[even..]);
            }
        }
    }
    Ok(())
}

/// How slices are converted.
enum Route {
    OneByOne,
    Form(Form),
    /// Exactly to f16 first.
    ThroughF16(Form, Form),
    /// The kernels write two results per byte; each gets a byte of its own afterwards.
    Nibbles(Form),
}

/// The route with the same results as `from_f32` and `from_f64` on every bit.
fn route(source: Format, destination: Format, from_f32: &str) -> Route {
    use Format::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, F64};
    let plain = |source, destination| {
        let form = Form::between(source, destination).form();
        form.expect("PTX has a conversion between these formats")
    };
    match (source, destination) {
        (F32, E2m1) => Route::Nibbles(from_f32.parse().expect("the opcode is legal")),
        (F32, _) => Route::Form(from_f32.parse().expect("the opcode is legal")),
        (F64, F32 | F16 | Bf16) | (F16 | Bf16, F32 | F64) | (E4m3 | E5m2 | E2m3 | E3m2, F16) => {
            Route::Form(plain(source, destination))
        }
        (E4m3 | E5m2 | E2m3 | E3m2, F32) => Route::ThroughF16(plain(source, F16), plain(F16, F32)),
        _ => Route::OneByOne,
    }
}

/// Converts with the functions of the types.
fn one_by_one<S: Element, D: Element>(source: &[S], destination: &mut [D]) {
    // f32 holds every number of a number type. If one side is f64, f64 is used, because it keeps the payload of a NaN.
    let through_f64 = matches!(S::ELEMENT, Format::F64) || matches!(D::ELEMENT, Format::F64);
    for (x, result) in source.iter().zip(destination) {
        *result = if through_f64 { D::round_f64(x.as_f64()) } else { D::round_f32(x.as_f32()) };
    }
}
