//! Codes times the factors of their blocks, as bf16 numbers, in one pass from where codes lie to where numbers belong.
//!
//! FP8 and FP6 are looked up as bf16 words and multiplied as f32, the even and the odd words of a register by
//! themselves. Of FP4 the sixteen numbers of a block are made first, which is no more than half of its elements, and looked
//! up. Results may go around the caches: whole lines, wherever the output begins.
//!
//! `unsafe` is here because the functions are compiled for AVX-512 with VBMI, and for loads and stores.
#![allow(unsafe_code)]

use ptxcvt::Format;

use super::machine::table;

/// The numbers of a format, as the kernels look them up.
pub(super) struct Numbers {
    /// Bits of a code in memory: 4 or 8; 0 for formats that the kernels do not take.
    storage: u32,
    /// Lower and upper bytes of the bf16 words, by the seven low bits of a code.
    #[cfg_attr(not(all(target_arch = "x86_64", rust_1_89)), allow(dead_code))]
    words: [[u8; 128]; 2],
    /// The unsigned codes above which the highest bit is no sign: those of NaN, or all.
    #[cfg_attr(not(all(target_arch = "x86_64", rust_1_89)), allow(dead_code))]
    last_signed: u8,
    /// The numbers of the first codes.
    #[cfg_attr(not(all(target_arch = "x86_64", rust_1_89)), allow(dead_code))]
    first: [f32; 16],
}

impl Numbers {
    pub fn new(format: Format) -> Numbers {
        let numbers = table(format);
        let word = |code: usize| match numbers[code] {
            x if x.is_nan() => 0x7fff,
            x => (x.to_bits() >> 16) as u16,
        };
        let part = |byte: usize| core::array::from_fn(|code| word(code).to_le_bytes()[byte]);
        // What is looked up is a bf16 number, and of eight bits the highest is the sign.
        let holds = |code: usize| numbers[code].is_nan() || numbers[code].to_bits() & 0xffff == 0;
        let mirrored = |code: usize| match (numbers[code], numbers[code | 0x80]) {
            (a, b) if a.is_nan() || b.is_nan() => a.is_nan() == b.is_nan(),
            (a, b) => format.bits() < 8 || a.to_bits() ^ 0x8000_0000 == b.to_bits(),
        };
        let taken = (0..128).all(|code| holds(code) && (format.storage() < 8 || mirrored(code)));
        let signed = |code: &u8| format.bits() == 8 && !numbers[usize::from(*code)].is_nan();
        Numbers {
            storage: if taken { format.storage() } else { 0 },
            words: [part(0), part(1)],
            last_signed: (0x80..=0xff).rev().find(signed).unwrap_or(0),
            first: core::array::from_fn(|code| numbers[code]),
        }
    }

    /// Makes numbers of as many of the codes, from the first on, as there are whole steps, and says how many elements these
    /// are: none where the CPU or the width of blocks is none for it. `stream`: around the caches.
    pub fn scale(&self, codes: &[u8], factors: &[f32], width: usize, stream: bool, to: &mut [u8]) -> usize {
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        if width.is_power_of_two() && ptxcvt::bulk::Tier::Avx512Vbmi.is_available() {
            let shift = width.trailing_zeros();
            // SAFETY: the CPU has what they are compiled for.
            return unsafe {
                match (self.storage, width, stream) {
                    (8, 32.., false) => x86::bytes::<false>(self, codes, factors, shift, to),
                    (8, 32.., true) => x86::bytes::<true>(self, codes, factors, shift, to),
                    (4, 32.., false) => x86::nibbles::<false, false>(self, codes, factors, shift, to),
                    (4, 32.., true) => x86::nibbles::<false, true>(self, codes, factors, shift, to),
                    (4, 16, false) => x86::nibbles::<true, false>(self, codes, factors, shift, to),
                    (4, 16, true) => x86::nibbles::<true, true>(self, codes, factors, shift, to),
                    _ => 0,
                }
            };
        }
        let _ = (codes, factors, width, stream, to, self.storage);
        0
    }
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
#[allow(clippy::incompatible_msrv)] // The build script asked.
mod x86 {
    use core::arch::x86_64::*;

    use super::Numbers;

    /// Bytes of a register and of a line, and words of one.
    const LINE: usize = 64;
    const WORDS: usize = 32;

    /// Where registers of words go, one after the other, in whole lines; `STREAM`: around the caches.
    struct Writer<const STREAM: bool> {
        at: *mut u8,
        /// Words between the output's beginning and its first line, which are behind each register's beginning, too; `None`
        /// where words lie across lines, and registers are stored as they come.
        head: Option<usize>,
        /// Which words of two registers make a line.
        line: __m512i,
        last: __m512i,
        begun: bool,
    }

    impl<const STREAM: bool> Writer<STREAM> {
        /// Into `to`.
        #[target_feature(enable = "avx512f,avx512bw")]
        fn new(to: &mut [u8]) -> Self {
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
        /// There is room for it in the output.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn push(&mut self, words: __m512i) {
            let Some(head) = self.head else {
                // SAFETY: as the caller's.
                unsafe { _mm512_storeu_si512(self.at.cast(), words) };
                // SAFETY: what was stored lies within the output.
                self.at = unsafe { self.at.add(LINE) };
                return;
            };
            if self.begun {
                let line = _mm512_permutex2var_epi16(self.last, self.line, words);
                // SAFETY: a line begins here, which ends before the end of this register's place.
                match STREAM {
                    true => unsafe { _mm512_stream_si512(self.at.cast(), line) },
                    false => unsafe { _mm512_store_si512(self.at.cast(), line) },
                }
                // SAFETY: as above.
                self.at = unsafe { self.at.add(LINE) };
            } else {
                // SAFETY: the first words of this register's place, before the first line.
                unsafe { _mm512_mask_storeu_epi16(self.at.cast(), first(head), words) };
                // SAFETY: as above.
                self.at = unsafe { self.at.add(2 * head) };
                self.begun = true;
            }
            self.last = words;
        }

        /// Stores what is left of the last register.
        #[target_feature(enable = "avx512f,avx512bw")]
        fn end(self) {
            if let (Some(head), true) = (self.head, self.begun) {
                let words = _mm512_permutexvar_epi16(self.line, self.last);
                // SAFETY: the last words of the last register's place.
                unsafe { _mm512_mask_storeu_epi16(self.at.cast(), first(WORDS - head), words) };
            }
        }
    }

    /// Asks for what lies some steps ahead, so that memory is busy while codes are converted.
    #[inline(always)]
    fn fetch(from: &[u8]) {
        let ahead = from.as_ptr().wrapping_add(4096);
        // SAFETY: a prefetch has no effect but on the cache, wherever it points; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) };
    }

    /// So many words.
    fn first(words: usize) -> __mmask32 {
        ((1_u64 << words) - 1) as u32
    }

    /// # Safety
    ///
    /// The CPU has AVX-512 with VBMI.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub unsafe fn bytes<const STREAM: bool>(
        numbers: &Numbers,
        codes: &[u8],
        factors: &[f32],
        shift: u32,
        to: &mut [u8],
    ) -> usize {
        // SAFETY: tables of 128 bytes.
        let [low, high] = numbers
            .words
            .each_ref()
            .map(|table| unsafe { [0, LINE].map(|at| _mm512_loadu_si512(table.as_ptr().add(at).cast())) });
        // Interleaving works in lanes of 128 bits; so ordered, its results are contiguous.
        let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
        let last = _mm512_set1_epi8(numbers.last_signed as i8);
        let sign = _mm512_set1_epi8(i8::MIN);
        let steps = (codes.len() / LINE).min(to.len() / (2 * LINE)).min((factors.len() << shift) / LINE);
        let mut writer = Writer::<STREAM>::new(to);
        for (i, from) in codes.chunks_exact(LINE).take(steps).enumerate() {
            if STREAM {
                fetch(from);
            }
            // SAFETY: 64 codes.
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
                // SAFETY: there is room for so many steps.
                unsafe { writer.push(scaled(words, factor)) };
            }
        }
        writer.end();
        steps * LINE
    }

    /// bf16 words times the factor, rounded to bf16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn scaled(words: __m512i, factor: f32) -> __m512i {
        let upper = _mm512_set1_epi32(0xffff_0000_u32 as i32);
        let by = _mm512_set1_ps(factor);
        let even = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)), by);
        let odd = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_and_si512(words, upper)), by);
        // A power of two that makes no product subnormal: products are bf16 numbers.
        let bits = factor.to_bits();
        if bits & 0x807f_ffff == 0 && bits.wrapping_sub(SMALL) < 0x7f80_0000 - SMALL {
            return together(_mm512_castps_si512(even), _mm512_castps_si512(odd));
        }
        if is_normal(factor) { rounded(even, odd) } else { rounded(cleared(even), cleared(odd)) }
    }

    /// 2^-110: the least number of a format of 8 bits, 2^-16, times this is normal.
    const SMALL: u32 = 17 << 23;

    /// Not zero, subnormal, infinite or NaN: then a product that is NaN is the one that was looked up.
    fn is_normal(factor: f32) -> bool {
        (factor.to_bits() & 0x7f80_0000).wrapping_sub(1 << 23) < 0x7f00_0000
    }

    /// The upper words of two registers, those of the first being even.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn together(even: __m512i, odd: __m512i) -> __m512i {
        _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(even), odd)
    }

    /// Every NaN as the conversion to bf16 returns it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn cleared(x: __m512) -> __m512 {
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        _mm512_mask_mov_ps(x, nan, _mm512_castsi512_ps(_mm512_set1_epi32(0x7fff_0000)))
    }

    /// Two registers rounded to bf16, the words of the first being even. Of NaN, only 0x7fff0000 stays NaN.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn rounded(even: __m512, odd: __m512) -> __m512i {
        let (even, odd) = (_mm512_castps_si512(even), _mm512_castps_si512(odd));
        let upper = together(even, odd);
        let lower = _mm512_mask_blend_epi16(0xaaaa_aaaa, even, _mm512_slli_epi32::<16>(odd));
        // Up from half on where the last bit is set, else above it: (upper & 1) ^ 0x8001.
        let (one, above) = (_mm512_set1_epi16(1), _mm512_set1_epi16(0x8001_u16 as i16));
        let least = _mm512_ternarylogic_epi64::<0x78>(above, upper, one);
        let up = _mm512_cmpge_epu16_mask(lower, least);
        _mm512_mask_add_epi16(upper, up, upper, one)
    }

    /// Codes of four bits. `PAIR`: blocks have 16 elements, so a register of words has two of them.
    ///
    /// # Safety
    ///
    /// The CPU has AVX-512 with VBMI.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub unsafe fn nibbles<const PAIR: bool, const STREAM: bool>(
        numbers: &Numbers,
        codes: &[u8],
        factors: &[f32],
        shift: u32,
        to: &mut [u8],
    ) -> usize {
        const PAIRS: usize = WORDS / 2;
        // SAFETY: sixteen numbers.
        let all = unsafe { _mm512_loadu_ps(numbers.first.as_ptr()) };
        // Of each word of 64 bits with four codes: the code, one bit higher.
        let places = _mm512_set1_epi64(0x000b_0007_0003_003f);
        let code = _mm512_set1_epi16(0x1e);
        // Words of the second half look at the odd words of the table.
        let half = _mm512_inserti64x4::<1>(_mm512_setzero_si512(), _mm256_set1_epi16(1));
        let steps = (codes.len() / PAIRS).min(to.len() / LINE).min((factors.len() << shift) / WORDS);
        let mut writer = Writer::<STREAM>::new(to);
        for (i, from) in codes.chunks_exact(PAIRS).take(steps).enumerate() {
            if STREAM {
                fetch(from);
            }
            let at = (WORDS * i) >> shift;
            let (a, b) = (factors[at], factors[at + usize::from(PAIR)]);
            let even = _mm512_mul_ps(all, _mm512_set1_ps(a));
            let odd = if PAIR { _mm512_mul_ps(all, _mm512_set1_ps(b)) } else { even };
            let table = match is_normal(a) && is_normal(b) {
                true => rounded(even, odd),
                false => rounded(cleared(even), cleared(odd)),
            };
            // SAFETY: sixteen bytes.
            let pairs = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
            let codes = _mm512_multishift_epi64_epi8(places, _mm512_cvtepu16_epi64(pairs));
            // half | (codes & code)
            let codes = _mm512_ternarylogic_epi64::<0xf8>(half, codes, code);
            // SAFETY: there is room for so many steps.
            unsafe { writer.push(_mm512_permutexvar_epi16(codes, table)) };
        }
        writer.end();
        steps * WORDS
    }
}
