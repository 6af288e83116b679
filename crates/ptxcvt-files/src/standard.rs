//! Standard input and output that were closed when the program started (`ptxcvt … >&-`, `ptxcvt … <&-`).
//!
//! Before `main`, Rust's runtime opens `/dev/null` over each closed descriptor, and from then on input is empty and output
//! is lost without an error. `/dev/null` looks the same if the user asked for it, so the descriptors are examined
//! before the runtime starts. This needs the feature `interrupt`, on Linux and macOS; otherwise nothing counts as closed.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::descriptor::{Target, follow};
use crate::inputs;

/// Whether each of the descriptors 0 to 2 was closed.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// The loader calls it before the runtime of Rust starts.
#[cfg(all(feature = "interrupt", any(target_os = "linux", target_os = "macos")))]
#[allow(unsafe_code)]
mod early {
    use super::{CLOSED, Ordering};

    // SAFETY: This section holds addresses of functions that the loader calls once, on the thread that will run `main`. It
    // may pass arguments, which the C calling convention lets a function ignore. The function cannot unwind, and
    // it uses nothing of the standard library but atomics, which need no initialisation.
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[used]
    static EXAMINE: extern "C" fn() = examine;

    extern "C" fn examine() {
        for (number, closed) in (0..).zip(&CLOSED) {
            // SAFETY: `F_GETFD` only reads the flags of a descriptor, and fails if the number is not an open one.
            let is_closed = unsafe { libc::fcntl(number, libc::F_GETFD) } == -1;
            closed.store(is_closed, Ordering::Relaxed);
        }
    }
}

/// Standard input.
///
/// # Errors
///
/// Fails if it was closed when the program started.
pub fn input() -> io::Result<io::Stdin> {
    refuse_closed(0)?;
    inputs::remember_standard();
    Ok(io::stdin())
}

/// Checks that standard output can be written.
///
/// # Errors
///
/// Fails if it was closed when the program started, or if it is a file that the program reads
/// ([`inputs::protect`]).
pub fn check_output() -> io::Result<()> {
    refuse_closed(1)?;
    inputs::check_standard_output()
}

/// Checks an input: `-`, or a path such as `/dev/stdin`.
///
/// # Errors
///
/// Fails if it is standard input, output or error, and was closed when the program started.
pub fn check_input(path: &Path) -> io::Result<()> {
    match follow(path) {
        _ if path.as_os_str() == "-" => refuse_closed(0),
        Ok(Target::Descriptor(number)) => refuse_closed(number),
        _ => Ok(()),
    }
}

/// Checks that a descriptor was open when the program started, if it is one of the first three.
pub(crate) fn refuse_closed(number: u32) -> io::Result<()> {
    const NAMES: [&str; 3] = ["input", "output", "error"];
    let streams = NAMES.iter().zip(&CLOSED);
    match (0..).zip(streams).find(|(this, _)| *this == number) {
        Some((_, (name, closed))) if closed.load(Ordering::Relaxed) => {
            Err(io::Error::other(format!("standard {name} is closed")))
        }
        _ => Ok(()),
    }
}
