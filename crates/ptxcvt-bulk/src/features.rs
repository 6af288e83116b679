//! The CPU features of each tier. No other file lists them.
//!
//! The macros compile functions for a tier's features. Other crates of this workspace use them, so that every
//! kernel belongs to a [`Tier`](crate::Tier) and follows `PTXCVT_TIER`:
//!
//! - [`tiered!`](crate::tiered) compiles plain loops for every tier and calls the function for the current
//!   tier. It needs no `unsafe`.
//! - [`avx2!`](crate::avx2), [`avx512!`](crate::avx512) and [`avx512vbmi!`](crate::avx512vbmi) are for functions written
//!   in intrinsics.

/// `with_features! { avx2 => [m] … }` expands to `m! { ["avx2" "f16c" …] … }`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_features {
    (avx2 => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! { ["avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)* }
    };
    (avx512 => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! {
            ["avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
             "avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)*
        }
    };
    (avx512vbmi => [$($then:tt)*] $($rest:tt)*) => {
        $($then)*! {
            ["avx512vbmi" "gfni" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
             "avx2" "f16c" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)*
        }
    };
}

/// Puts `#[target_feature(enable = …)]` before each function.
#[doc(hidden)]
#[macro_export]
macro_rules! compiled_for {
    ([$($feature:literal)*]) => {};
    ([$($feature:literal)*] $function:item $($rest:tt)*) => {
        #[target_feature($(enable = $feature),*)]
        $function
        $crate::compiled_for! { [$($feature)*] $($rest)* }
    };
}

/// Compiles functions for the features of [`Tier::Avx2`](crate::Tier::Avx2).
///
/// `avx2! { fn f() {} fn g() {} }` puts `#[target_feature(enable = …)]` before each function. It expands to
/// nothing on processors other than x86-64, so callers need `#[cfg(target_arch = "x86_64")]`.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! avx2 {
    ($($functions:tt)*) => {
        $crate::with_features! { avx2 => [$crate::compiled_for] $($functions)* }
    };
}

/// Compiles functions for the features of [`Tier::Avx512`](crate::Tier::Avx512).
///
/// Like [`avx2!`](crate::avx2). Intrinsics of AVX-512 are stable from Rust 1.89 on; with an older compiler the macro does
/// not exist.
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
#[macro_export]
macro_rules! avx512 {
    ($($functions:tt)*) => {
        $crate::with_features! { avx512 => [$crate::compiled_for] $($functions)* }
    };
}

/// Compiles functions for the features of [`Tier::Avx512Vbmi`](crate::Tier::Avx512Vbmi). Like
/// [`avx512!`](crate::avx512).
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
#[macro_export]
macro_rules! avx512vbmi {
    ($($functions:tt)*) => {
        $crate::with_features! { avx512vbmi => [$crate::compiled_for] $($functions)* }
    };
}

/// Compiles plain functions for every tier.
///
/// The body is compiled for the baseline, for AVX2 and for AVX-512, where compilers use wider vectors for the
/// same loop. A call runs the function for [`Tier::current`](crate::Tier::current):
///
/// ```
/// ptxcvt_bulk::tiered! {
///     /// Doubles every element.
///     fn double(elements: &mut [f32]) {
///         for x in elements {
///             *x += *x;
///         }
///     }
/// }
/// let mut elements = [1.0, 1.5];
/// double(&mut elements);
/// assert_eq!(elements, [2.0, 3.0]);
/// ```
///
/// With `(tier) -> fn(…)` the function returns a pointer to the one for the given tier:
///
/// ```
/// use ptxcvt_bulk::Tier;
/// ptxcvt_bulk::tiered! {
///     fn double(tier) -> fn(elements: &mut [f32]) {
///         for x in elements {
///             *x += *x;
///         }
///     }
/// }
/// for tier in Tier::available() {
///     let mut elements = [1.5];
///     double(tier)(&mut elements);
///     assert_eq!(elements, [3.0]);
/// }
/// ```
///
/// A tier that this machine lacks gets the function for the baseline.
#[macro_export]
macro_rules! tiered {
    () => {};
    ($(#[$attribute:meta])* $vis:vis fn $name:ident(tier) -> fn($($arg:ident: $ty:ty),* $(,)?) $body:block
     $($rest:tt)*) => {
        $(#[$attribute])*
        #[allow(unsafe_code)]
        $vis fn $name(tier: $crate::Tier) -> fn($($ty),*) {
            #[inline(always)]
            fn plain($($arg: $ty),*) $body
            $crate::for_each_tier! { ($($arg: $ty),*) }
            match tier {
                // SAFETY: the tier is available, so the CPU has the features that the function is compiled for.
                $crate::Tier::Avx512 | $crate::Tier::Avx512Vbmi if tier.is_available() => {
                    |$($arg: $ty),*| unsafe { avx512($($arg),*) }
                }
                // SAFETY: as above.
                $crate::Tier::Avx2 if tier.is_available() => |$($arg: $ty),*| unsafe { avx2($($arg),*) },
                _ => plain,
            }
        }
        $crate::tiered! { $($rest)* }
    };
    ($(#[$attribute:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block $($rest:tt)*) => {
        $(#[$attribute])*
        #[allow(unsafe_code)]
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            fn plain($($arg: $ty),*) $body
            $crate::for_each_tier! { ($($arg: $ty),*) }
            match $crate::Tier::current() {
                // SAFETY: the current tier is available, so the CPU has the features that the function is compiled for.
                $crate::Tier::Avx512 | $crate::Tier::Avx512Vbmi => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                $crate::Tier::Avx2 => unsafe { avx2($($arg),*) },
                _ => plain($($arg),*),
            }
        }
        $crate::tiered! { $($rest)* }
    };
}

/// Declares `avx2` and `avx512`, which call the function `plain` of the same parameters.
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_tier {
    (($($arg:ident: $ty:ty),*)) => {
        $crate::avx2! {
            unsafe fn avx2($($arg: $ty),*) {
                plain($($arg),*)
            }
        }
        $crate::avx512! {
            #[allow(clippy::incompatible_msrv)] // ptxcvt-bulk's build script checks the compiler's version.
            unsafe fn avx512($($arg: $ty),*) {
                plain($($arg),*)
            }
        }
    };
}

/// Declares `avx2`, and an `avx512` without AVX-512, which the compiler does not support.
#[cfg(all(target_arch = "x86_64", not(rustc_1_89)))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_tier {
    (($($arg:ident: $ty:ty),*)) => {
        $crate::avx2! {
            unsafe fn avx2($($arg: $ty),*) {
                plain($($arg),*)
            }
        }
        unsafe fn avx512($($arg: $ty),*) {
            plain($($arg),*)
        }
    };
}

/// Declares `avx2` and `avx512` for processors without these features.
#[cfg(not(target_arch = "x86_64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_tier {
    (($($arg:ident: $ty:ty),*)) => {
        unsafe fn avx2($($arg: $ty),*) {
            plain($($arg),*)
        }
        unsafe fn avx512($($arg: $ty),*) {
            plain($($arg),*)
        }
    };
}
