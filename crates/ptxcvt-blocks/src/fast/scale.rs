//! Decodes codes, multiplies them by the factors of their blocks and writes bf16 numbers, in one pass over
//! memory.
//!
//! FP8 and FP6 codes are looked up as bf16 words. The even and the odd words of a register are multiplied
//! separately as f32. For FP4 the sixteen numbers of a block are computed first, which are at most half of
//! its elements, and then looked up. Non-temporal stores write whole cache lines at any alignment of the
//! output.
//!
//! `unsafe` is needed for functions compiled for AVX-512 with VBMI, and for loads and stores.
#![allow(unsafe_code)]

use ptxcvt::Format;
#[cfg(all(target_arch = "x86_64", rustc_1_89))]
use ptxcvt_bulk::Tier;

use super::codec::{table, word};

/// The kernels for a format.
#[derive(Clone, Copy)]
enum Kernels {
    /// Codes of eight bits in memory.
    Bytes,
    /// Codes of four bits.
    Nibbles,
    /// The kernels do not support the format.
    None,
}

/// The tables of a format for the kernels.
pub(super) struct Products {
    kernels: Kernels,
    /// The lower and the upper bytes of the bf16 words, indexed by the seven low bits of a code.
    #[cfg_attr(not(all(target_arch = "x86_64", rustc_1_89)), allow(dead_code))]
    words: [[u8; 128]; 2],
    /// The largest unsigned code whose highest bit is a sign; 0 if no code has a sign there. Codes above are NaN.
    #[cfg_attr(not(all(target_arch = "x86_64", rustc_1_89)), allow(dead_code))]
    last_signed: u8,
    /// The numbers of the first sixteen codes.
    #[cfg_attr(not(all(target_arch = "x86_64", rustc_1_89)), allow(dead_code))]
    first: [f32; 16],
}

impl Products {
    pub fn new(format: Format) -> Products {
        let numbers = table(format);
        let part = |byte: usize| core::array::from_fn(|code| word(numbers[code]).to_le_bytes()[byte]);
        // The table requires that numbers fit bf16, and that the highest of eight bits is the sign.
        let holds = |code: usize| numbers[code].is_nan() || numbers[code].to_bits() & 0xffff == 0;
        let mirrored = |code: usize| match (numbers[code], numbers[code | 0x80]) {
            (a, b) if a.is_nan() || b.is_nan() => a.is_nan() == b.is_nan(),
            (a, b) => format.bits() < 8 || a.to_bits() ^ 0x8000_0000 == b.to_bits(),
        };
        let taken = (0..128).all(|code| holds(code) && (format.storage() < 8 || mirrored(code)));
        let signed = |code: &u8| format.bits() == 8 && !numbers[usize::from(*code)].is_nan();
        Products {
            kernels: match format.storage() {
                4 if taken => Kernels::Nibbles,
                8 if taken => Kernels::Bytes,
                _ => Kernels::None,
            },
            words: [part(0), part(1)],
            last_signed: (0x80..=0xff).rev().find(signed).unwrap_or(0),
            first: core::array::from_fn(|code| numbers[code]),
        }
    }

    /// Converts codes from the first on, in whole steps, and returns the number of converted elements. It is
    /// 0 if no kernel fits this CPU and block width. `stream` selects non-temporal stores.
    pub fn run(&self, codes: &[u8], factors: &[f32], width: usize, stream: bool, to: &mut [u8]) -> usize {
        #[cfg(all(target_arch = "x86_64", rustc_1_89))]
        if width.is_power_of_two() && Tier::current().includes(Tier::Avx512Vbmi) {
            let shift = width.trailing_zeros();
            // SAFETY: the CPU has the current tier, which includes AVX-512 with VBMI.
            return unsafe {
                match (self.kernels, width, stream) {
                    (Kernels::Bytes, 32.., false) => x86::bytes::<false>(self, codes, factors, shift, to),
                    (Kernels::Bytes, 32.., true) => x86::bytes::<true>(self, codes, factors, shift, to),
                    (Kernels::Nibbles, 32.., false) => {
                        x86::nibbles::<false, false>(self, codes, factors, shift, to)
                    }
                    (Kernels::Nibbles, 32.., true) => {
                        x86::nibbles::<false, true>(self, codes, factors, shift, to)
                    }
                    (Kernels::Nibbles, 16, false) => {
                        x86::nibbles::<true, false>(self, codes, factors, shift, to)
                    }
                    (Kernels::Nibbles, 16, true) => {
                        x86::nibbles::<true, true>(self, codes, factors, shift, to)
                    }
                    (Kernels::Bytes, ..32, _) | (Kernels::Nibbles, ..32, _) | (Kernels::None, ..) => 0,
                }
            };
        }
        let _ = (codes, factors, width, stream, to, self.kernels);
        0
    }
}

#[cfg(all(target_arch = "x86_64", rustc_1_89))]
#[allow(clippy::incompatible_msrv)] // the build script checks the version
mod x86 {
    use core::arch::x86_64::*;

    use super::Products;

    /// The bytes of a register and of a cache line; the words of one.
    const LINE: usize = 64;
    const WORDS: usize = 32;

    /// Stores registers of words one after the other, with non-temporal stores of whole lines if `STREAM`.
    struct Writer<const STREAM: bool> {
        at: *mut u8,
        /// The number of words between the start of the output and its first line, and so between the start
        /// of each register and the next line. `None` if words cross lines; registers are then stored
        /// unaligned.
        head: Option<usize>,
        /// The permutation that makes a line from two registers.
        line: __m512i,
        last: __m512i,
        begun: bool,
    }

    /// A mask of the first `words` words.
    fn first(words: usize) -> __mmask32 {
        ((1_u64 << words) - 1) as u32
    }

    /// 2^-110. The least number of an 8-bit format, 2^-16, times this is normal.
    const SMALL: u32 = 17 << 23;

    /// True if the factor is not zero, subnormal, infinite or NaN. A product is then NaN only if the
    /// looked-up number is.
    fn is_normal(factor: f32) -> bool {
        (factor.to_bits() & 0x7f80_0000).wrapping_sub(1 << 23) < 0x7f00_0000
    }

    ptxcvt_bulk::avx512vbmi! {
        /// A writer into `to`.
        fn writer<const STREAM: bool>(to: &mut [u8]) -> Writer<STREAM> {
            let bytes = to.as_ptr().align_offset(LINE);
            let head = (bytes % 2 == 0).then_some(bytes / 2);
            let lanes: [u16; WORDS] = core::array::from_fn(|i| (i + head.unwrap_or(0)) as u16);
            // SAFETY: both have 64 bytes.
            let line = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
            Writer { at: to.as_mut_ptr(), head, line, last: _mm512_setzero_si512(), begun: false }
        }

        /// Stores the next register.
        ///
        /// # Safety
        ///
        /// The output has space for it.
        #[inline]
        unsafe fn push<const STREAM: bool>(writer: &mut Writer<STREAM>, words: __m512i) {
            let Some(head) = writer.head else {
                // SAFETY: guaranteed by the caller.
                unsafe { _mm512_storeu_si512(writer.at.cast(), words) };
                // SAFETY: the stored bytes are within the output.
                writer.at = unsafe { writer.at.add(LINE) };
                return;
            };
            if writer.begun {
                let line = _mm512_permutex2var_epi16(writer.last, writer.line, words);
                // SAFETY: a line starts here, and ends before the end of this register's place.
                match STREAM {
                    true => unsafe { _mm512_stream_si512(writer.at.cast(), line) },
                    false => unsafe { _mm512_store_si512(writer.at.cast(), line) },
                }
                // SAFETY: as above.
                writer.at = unsafe { writer.at.add(LINE) };
            } else {
                // SAFETY: the first words of this register's place, before the first line.
                unsafe { _mm512_mask_storeu_epi16(writer.at.cast(), first(head), words) };
                // SAFETY: as above.
                writer.at = unsafe { writer.at.add(2 * head) };
                writer.begun = true;
            }
            writer.last = words;
        }

        /// Stores the rest of the last register.
        fn end<const STREAM: bool>(writer: Writer<STREAM>) {
            if let (Some(head), true) = (writer.head, writer.begun) {
                let words = _mm512_permutexvar_epi16(writer.line, writer.last);
                // SAFETY: the last words of the last register's place.
                unsafe { _mm512_mask_storeu_epi16(writer.at.cast(), first(WORDS - head), words) };
            }
        }

        /// # Safety
        ///
        /// The CPU has AVX-512 with VBMI.
        pub unsafe fn bytes<const STREAM: bool>(
            numbers: &Products,
            codes: &[u8],
            factors: &[f32],
            shift: u32,
            to: &mut [u8],
        ) -> usize {
            // SAFETY: the tables have 128 bytes.
            let [low, high] = numbers
                .words
                .each_ref()
                .map(|table| unsafe { [0, LINE].map(|at| _mm512_loadu_si512(table.as_ptr().add(at).cast())) });
            // Interleaving works in lanes of 128 bits; in this order, its results are contiguous.
            let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
            let last = _mm512_set1_epi8(numbers.last_signed as i8);
            let sign = _mm512_set1_epi8(i8::MIN);
            let steps = (codes.len() / LINE).min(to.len() / (2 * LINE)).min((factors.len() << shift) / LINE);
            let mut writer = writer::<STREAM>(to);
            for (i, from) in codes.chunks_exact(LINE).take(steps).enumerate() {
                if STREAM {
                    ptxcvt_bulk::fetch_line(from);
                }
                // SAFETY: `from` has 64 codes.
                let codes = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
                let codes = _mm512_permutexvar_epi64(order, codes);
                let lower = _mm512_permutex2var_epi8(low[0], codes, low[1]);
                let upper = _mm512_permutex2var_epi8(high[0], codes, high[1]);
                let signed = _mm512_cmple_epu8_mask(codes, last);
                // upper | (codes & sign)
                let with_sign = _mm512_ternarylogic_epi64::<0xf8>(upper, codes, sign);
                let upper = _mm512_mask_mov_epi8(upper, signed, with_sign);
                let words = [_mm512_unpacklo_epi8(lower, upper), _mm512_unpackhi_epi8(lower, upper)];
                for (half, words) in words.into_iter().enumerate() {
                    let factor = factors[(LINE * i + WORDS * half) >> shift];
                    // SAFETY: the output has space for this many steps.
                    unsafe { push(&mut writer, scaled(words, factor)) };
                }
            }
            end(writer);
            steps * LINE
        }

        /// bf16 words times the factor, rounded to bf16.
        #[inline]
        fn scaled(words: __m512i, factor: f32) -> __m512i {
            let upper = _mm512_set1_epi32(0xffff_0000_u32 as i32);
            let by = _mm512_set1_ps(factor);
            let even = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)), by);
            let odd = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_and_si512(words, upper)), by);
            // If the factor is a power of two that makes no product subnormal, products are bf16 numbers.
            let bits = factor.to_bits();
            if bits & 0x807f_ffff == 0 && bits.wrapping_sub(SMALL) < 0x7f80_0000 - SMALL {
                return together(_mm512_castps_si512(even), _mm512_castps_si512(odd));
            }
            if is_normal(factor) { rounded(even, odd) } else { rounded(cleared(even), cleared(odd)) }
        }

        /// Joins the upper words of two registers; those of the first become the even words.
        #[inline]
        fn together(even: __m512i, odd: __m512i) -> __m512i {
            _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(even), odd)
        }

        /// Replaces every NaN by the one that the conversion to bf16 returns.
        #[inline]
        fn cleared(x: __m512) -> __m512 {
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
            _mm512_mask_mov_ps(x, nan, _mm512_castsi512_ps(_mm512_set1_epi32(0x7fff_0000)))
        }

        /// Rounds two registers to bf16; the words of the first become the even words. Of NaN, only
        /// 0x7fff0000 stays NaN.
        #[inline]
        fn rounded(even: __m512, odd: __m512) -> __m512i {
            let (even, odd) = (_mm512_castps_si512(even), _mm512_castps_si512(odd));
            let upper = together(even, odd);
            let lower = _mm512_mask_blend_epi16(0xaaaa_aaaa, even, _mm512_slli_epi32::<16>(odd));
            // Rounds up from half on if the last bit is set, otherwise above half: (upper & 1) ^ 0x8001.
            let (one, above) = (_mm512_set1_epi16(1), _mm512_set1_epi16(0x8001_u16 as i16));
            let least = _mm512_ternarylogic_epi64::<0x78>(above, upper, one);
            let up = _mm512_cmpge_epu16_mask(lower, least);
            _mm512_mask_add_epi16(upper, up, upper, one)
        }

        /// Converts codes of four bits. `PAIR`: blocks have 16 elements, so a register of words covers two
        /// blocks.
        ///
        /// # Safety
        ///
        /// The CPU has AVX-512 with VBMI.
        pub unsafe fn nibbles<const PAIR: bool, const STREAM: bool>(
            numbers: &Products,
            codes: &[u8],
            factors: &[f32],
            shift: u32,
            to: &mut [u8],
        ) -> usize {
            const PAIRS: usize = WORDS / 2;
            // SAFETY: there are sixteen numbers.
            let all = unsafe { _mm512_loadu_ps(numbers.first.as_ptr()) };
            // Selects the four codes in the low half of each 64-bit word, shifted left by one.
            let places = _mm512_set1_epi64(0x000b_0007_0003_003f);
            let code = _mm512_set1_epi16(0x1e);
            // Words of the second half use the odd words of the table.
            let half = _mm512_inserti64x4::<1>(_mm512_setzero_si512(), _mm256_set1_epi16(1));
            let steps = (codes.len() / PAIRS).min(to.len() / LINE).min((factors.len() << shift) / WORDS);
            let mut writer = writer::<STREAM>(to);
            for (i, from) in codes.chunks_exact(PAIRS).take(steps).enumerate() {
                if STREAM {
                    ptxcvt_bulk::fetch_line(from);
                }
                let at = (WORDS * i) >> shift;
                let (a, b) = (factors[at], factors[at + usize::from(PAIR)]);
                let even = _mm512_mul_ps(all, _mm512_set1_ps(a));
                let odd = if PAIR { _mm512_mul_ps(all, _mm512_set1_ps(b)) } else { even };
                let table = match is_normal(a) && is_normal(b) {
                    true => rounded(even, odd),
                    false => rounded(cleared(even), cleared(odd)),
                };
                // SAFETY: `from` has sixteen bytes.
                let pairs = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
                let codes = _mm512_multishift_epi64_epi8(places, _mm512_cvtepu16_epi64(pairs));
                // half | (codes & code)
                let codes = _mm512_ternarylogic_epi64::<0xf8>(half, codes, code);
                // SAFETY: the output has space for this many steps.
                unsafe { push(&mut writer, _mm512_permutexvar_epi16(codes, table)) };
            }
            end(writer);
            steps * WORDS
        }
    }
}
