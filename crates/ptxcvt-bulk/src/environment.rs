//! The floating-point environment. Results must not depend on the caller's settings, and numeric libraries of Python
//! are known to set "flush to zero".

/// Sets rounding to nearest without flushing; dropping it restores the previous settings.
#[derive(Debug)]
pub struct Standard {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    before: Word,
}

#[cfg(target_arch = "x86_64")]
type Word = u32;
#[cfg(target_arch = "aarch64")]
type Word = u64;

/// The initial MXCSR of a process: all exceptions masked.
#[cfg(target_arch = "x86_64")]
const STANDARD: Word = 0x1f80;
/// The bits of MXCSR that record past exceptions.
#[cfg(target_arch = "x86_64")]
const FLAGS: Word = 0x3f;
/// The initial FPCR of a process.
#[cfg(target_arch = "aarch64")]
const STANDARD: Word = 0;
#[cfg(target_arch = "aarch64")]
const FLAGS: Word = 0;

impl Standard {
    /// Sets the standard environment until the value is dropped.
    #[inline]
    #[allow(clippy::new_without_default)] // it has an effect
    pub fn new() -> Self {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            let before = read();
            if before & !FLAGS != STANDARD {
                write(STANDARD);
            }
            Standard { before }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Standard {}
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Drop for Standard {
    #[inline]
    fn drop(&mut self) {
        if self.before & !FLAGS != STANDARD {
            write(self.before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn read() -> Word {
    let mut word: Word = 0;
    // SAFETY: the instruction stores 32 bits at the address of a local variable of that size.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "x86_64")]
fn write(word: Word) {
    // SAFETY: the word is the standard one or was read before, so no reserved bit is set; the standard one is what
    // compiled code expects.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> Word {
    let word: Word;
    // SAFETY: reads a register that every program may read.
    unsafe { core::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn write(word: Word) {
    // SAFETY: the word is the standard one or was read before.
    unsafe { core::arch::asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
}
