//! Kernels written in x86 intrinsics, where the benchmark shows that the compiler's version of the lane
//! algorithms is slower. They follow the same prose ([`lanes`](super::lanes)); the tests drive both.
// build.rs sees to it that older compilers never meet these.
#![allow(clippy::incompatible_msrv)]

pub(super) mod avx2;
pub(super) mod avx512;
pub(super) mod half;
pub(super) mod lanes;
mod philox;
pub(super) mod signed;
mod table;

pub(super) use philox::philox;
pub(super) use table::widen;

use super::lanes::mode;
use super::stage::Stage;
use super::tier::Tier;
use crate::format::Format;

/// f32 to a signed 8-, 6- or 4-bit float, FP4 two to a byte if `packed`; `None` where the generic kernel does.
pub(super) fn narrow(tier: Tier, format: Format, rounding: u8, packed: bool) -> Option<Stage> {
    macro_rules! choose {
        ($kernel:path, $($f:ident $r:ident),+) => {{
            use $kernel as kernel;
            match (format, rounding) {
                $((Format::$f, mode::$r) => Some(kernel::<{ Format::$f as usize }, { mode::$r }>(packed)),)+
                _ => None,
            }
        }};
    }
    match tier {
        Tier::Avx512 if format == Format::Ue8m0 && super::tier::has_vbmi() => match rounding {
            mode::RZ => Some(avx512::power::<{ mode::RZ }>),
            mode::RP => Some(avx512::power::<{ mode::RP }>),
            _ => None,
        },
        Tier::Avx512 if super::tier::has_vbmi() => choose!(
            avx512::narrow, E4m3 RN, E4m3 RZ, E5m2 RN, E5m2 RZ, E2m3 RN, E2m3 RZ, E3m2 RN, E3m2 RZ, E2m1 RN, E2m1 RZ,
            E4m3 RS, E5m2 RS, E2m3 RS, E3m2 RS, E2m1 RS
        ),
        Tier::Avx2 => choose!(
            avx2::narrow, E4m3 RN, E4m3 RZ, E5m2 RN, E5m2 RZ, E2m3 RN, E2m3 RZ, E3m2 RN, E3m2 RZ, E2m1 RN, E2m1 RZ,
            E4m3 RS, E5m2 RS, E2m3 RS, E3m2 RS, E2m1 RS
        ),
        _ => None,
    }
}
