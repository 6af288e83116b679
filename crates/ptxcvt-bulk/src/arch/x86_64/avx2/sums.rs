//! Sums by which a kernel finds out whether NaN or infinity may be among its elements: they are not finite if an element is
//! not. Those of finite numbers can overflow, which is rare, and only costs a search.

use core::arch::x86_64::*;
use core::cell::Cell;

/// `N` registers of sums, so that no addition waits for the one before it.
pub struct Sums<const N: usize>([__m256; N]);

/// `N` registers of sums of f64.
pub struct DoubleSums<const N: usize>([__m256d; N]);

impl<const N: usize> Sums<N> {
    crate::avx2! {
        #[inline]
        pub fn new() -> Self {
            Sums([_mm256_setzero_ps(); N])
        }

        #[inline]
        pub fn add(&mut self, x: [__m256; N]) {
            for (sum, x) in self.0.iter_mut().zip(x) {
                *sum = _mm256_add_ps(*sum, x);
            }
        }

        /// Sets `doubt` if a sum is not finite.
        #[inline]
        pub fn report(self, doubt: Option<&Cell<bool>>) {
            let sum = self.0.into_iter().fold(_mm256_setzero_ps(), |all, sum| _mm256_add_ps(all, sum));
            // The difference of a number and itself is NaN, unless the number is finite.
            let lost = _mm256_sub_ps(sum, sum);
            if let Some(doubt) = doubt.filter(|_| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(lost, lost)) != 0) {
                doubt.set(true);
            }
        }
    }
}

impl<const N: usize> DoubleSums<N> {
    crate::avx2! {
        #[inline]
        pub fn new() -> Self {
            DoubleSums([_mm256_setzero_pd(); N])
        }

        #[inline]
        pub fn add(&mut self, x: [__m256d; N]) {
            for (sum, x) in self.0.iter_mut().zip(x) {
                *sum = _mm256_add_pd(*sum, x);
            }
        }

        /// Sets `doubt` if a sum is not finite.
        #[inline]
        pub fn report(self, doubt: Option<&Cell<bool>>) {
            let sum = self.0.into_iter().fold(_mm256_setzero_pd(), |all, sum| _mm256_add_pd(all, sum));
            let lost = _mm256_sub_pd(sum, sum);
            if let Some(doubt) = doubt.filter(|_| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_UNORD_Q>(lost, lost)) != 0) {
                doubt.set(true);
            }
        }
    }
}
