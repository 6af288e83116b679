//! The crate `half`, the only peer that is a Rust library. `benches/peers.py` measures the others.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

type Peer = fn(&[u8], &mut [u8]);

/// `half`'s conversion of whole slices, if it has one.
pub fn half(opcode: &str) -> Option<Peer> {
    Some(match opcode {
        "cvt.rn.f16.f32" => |source, target| typed_mut::<f16>(target).convert_from_f32_slice(typed(source)),
        "cvt.rn.bf16.f32" => |source, target| typed_mut::<bf16>(target).convert_from_f32_slice(typed(source)),
        "cvt.f32.f16" => |source, target| typed::<f16>(source).convert_to_f32_slice(typed_mut(target)),
        "cvt.f32.bf16" => |source, target| typed::<bf16>(source).convert_to_f32_slice(typed_mut(target)),
        _ => return None,
    })
}

fn typed<T>(bytes: &[u8]) -> &[T] {
    assert!(bytes.as_ptr().cast::<T>().is_aligned());
    // SAFETY: the slice is aligned, and T is f16, bf16 or f32, for which all bit patterns are valid.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
}

fn typed_mut<T>(bytes: &mut [u8]) -> &mut [T] {
    assert!(bytes.as_ptr().cast::<T>().is_aligned());
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) }
}
