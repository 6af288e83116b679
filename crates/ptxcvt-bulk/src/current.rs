//! The tier of kernels for which a caller names none.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::tier::Tier;

impl Tier {
    /// The tier of every kernel for which no tier is given: the one in the environment variable
    /// `PTXCVT_TIER`, otherwise [`best`](Self::best).
    ///
    /// It is determined once per process. Without the feature `std` there is no environment.
    ///
    /// ```
    /// use ptxcvt_bulk::Tier;
    /// assert!(Tier::current().is_available());
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the variable does not name a tier of this machine. A program can call [`from_env`](Self::from_env) when it
    /// starts, and report its error.
    pub fn current() -> Tier {
        const UNKNOWN: u8 = u8::MAX;
        static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);
        match CURRENT.load(Ordering::Relaxed) {
            UNKNOWN => {
                #[cfg(feature = "std")]
                let tier =
                    Self::from_env().unwrap_or_else(|error| panic!("{error}")).unwrap_or_else(Self::best);
                #[cfg(not(feature = "std"))]
                let tier = Self::best();
                // Concurrent threads store the same number.
                CURRENT.store(tier as u8, Ordering::Relaxed);
                tier
            }
            number => Self::ALL[usize::from(number)],
        }
    }
}
