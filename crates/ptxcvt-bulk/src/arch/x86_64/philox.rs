//! Philox in 64-bit lanes. The 32 by 32 to 64 bit multiplication reads only the low half of a lane, so the
//! upper half can have any bits. A round is two products, two shifts and two sums.

use core::arch::x86_64::*;

use crate::arch::generic::random::Philox;
use crate::philox::{KEY_STEPS, MULTIPLIERS, start, started};
use crate::stage::{Kernel, Span, elements_mut};

/// Declares the stages. `stages! { avx2, 4, 2, … }` expands to a `#[target_feature]` function that makes two
/// vectors of four blocks at a time. The products of one vector hide the latency of the other's; more vectors
/// would not fit the registers. Counters are ordered so that interleaving 64-bit halves, which stays within
/// 128 bits, gives the blocks in order.
macro_rules! stages {
    ($($name:ident, $lanes:literal, $many:literal, $vector:ident, order: $order:expr, set: $set:ident,
        add: $add:ident, multiply: $mul:ident, right: $right:ident, left: $left:ident, xor: $xor:expr,
        merge: $merge:expr, low: $low:ident, high: $high:ident, load: $load:ident, store: $store:ident;)*) => {$(
        crate::$name! { pub fn $name(span: Span<'_>) {
            let (key, first) = started(span.source);
            // The keys of the ten rounds.
            let keys: [[$vector; 2]; 10] = core::array::from_fn(|round| {
                let key = |i: usize| {
                    let start = (key >> (32 * i)) as u32;
                    $set(i64::from(start.wrapping_add(KEY_STEPS[i].wrapping_mul(round as u32))))
                };
                [key(0), key(1)]
            });
            let [m0, m1] = MULTIPLIERS.map(|m| $set(i64::from(m)));
            let order: [u64; $lanes] = $order;
            // SAFETY: the array has the vector's size.
            let order = unsafe { $load(order.as_ptr().cast()) };
            let blocks = elements_mut::<16>(span.result);
            let mut done = 0;
            for group in blocks.chunks_exact_mut($many * $lanes) {
                let counter = |i: usize| {
                    $add($set(first.wrapping_add((done + i * $lanes) as u64) as i64), order)
                };
                let start = |counter: $vector| [counter, $right::<32>(counter), $set(0), $set(0)];
                let mut states: [[$vector; 4]; $many] = core::array::from_fn(|i| start(counter(i)));
                for [k0, k1] in keys {
                    for c in &mut states {
                        let (p0, p1) = ($mul(c[0], m0), $mul(c[2], m1));
                        *c = [
                            $xor($right::<32>(p1), c[1], k0), p1,
                            $xor($right::<32>(p0), c[3], k1), p0,
                        ];
                    }
                }
                for (c, blocks) in states.iter().zip(group.chunks_exact_mut($lanes)) {
                    let (a, b) = ($merge(c[0], $left::<32>(c[1])), $merge(c[2], $left::<32>(c[3])));
                    let to = blocks.as_mut_ptr();
                    // SAFETY: two vectors have as many bytes as that many blocks.
                    unsafe {
                        $store(to.cast(), $low(a, b));
                        $store(to.add($lanes / 2).cast(), $high(a, b));
                    }
                }
                done += $many * $lanes;
            }
            let source = &start(key, first.wrapping_add(done as u64));
            Philox::run(Span { source, result: blocks[done..].as_flattened_mut(), ..span });
        } }
    )*};
}

stages! {
    avx2, 4, 2, __m256i, order: [0, 2, 1, 3], set: _mm256_set1_epi64x,
        add: _mm256_add_epi64, multiply: _mm256_mul_epu32, right: _mm256_srli_epi64, left: _mm256_slli_epi64,
        xor: |a, b, c| _mm256_xor_si256(_mm256_xor_si256(a, b), c),
        merge: |a, b| _mm256_blend_epi32::<0b1010_1010>(a, b),
        low: _mm256_unpacklo_epi64, high: _mm256_unpackhi_epi64,
        load: _mm256_loadu_si256, store: _mm256_storeu_si256;
    avx512, 8, 4, __m512i, order: [0, 4, 1, 5, 2, 6, 3, 7], set: _mm512_set1_epi64,
        add: _mm512_add_epi64, multiply: _mm512_mul_epu32, right: _mm512_srli_epi64, left: _mm512_slli_epi64,
        xor: |a, b, c| _mm512_ternarylogic_epi64::<0x96>(a, b, c),
        merge: |a, b| _mm512_mask_blend_epi32(0b1010_1010_1010_1010, a, b),
        low: _mm512_unpacklo_epi64, high: _mm512_unpackhi_epi64,
        load: _mm512_loadu_si512, store: _mm512_storeu_si512;
}
