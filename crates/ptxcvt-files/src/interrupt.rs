//! Ctrl-C, SIGTERM and other signals that end a process: the run ends at once, even while it waits, and its temporary
//! files are removed. SIGXFSZ: a write beyond the limit of the file size (`ulimit -f`) fails like a write to a full
//! disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "interrupt")]
use std::{sync::Once, sync::OnceLock, time::Duration};

/// The files that are being written, each with the message about its target.
static PARTIAL: Mutex<Vec<Partial>> = Mutex::new(Vec::new());

/// Lock files, and the folders that this run made and may leave empty, each after the folder that it is in.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An interrupt removes this lock file, or this folder if it is empty.
pub(crate) fn remember(path: &Path) {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// An interrupt leaves this file or folder.
pub(crate) fn forget(path: &Path) {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| known != path);
}

// Without the feature no signal is handled, so nothing reads these fields.
#[cfg_attr(not(feature = "interrupt"), allow(dead_code))]
struct Partial {
    number: u64,
    temporary: Option<PathBuf>,
    message: String,
}

fn partial() -> MutexGuard<'static, Vec<Partial>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is being written.
pub(crate) struct Ticket(u64);

/// The function that prints the message of an interrupted run.
#[cfg(feature = "interrupt")]
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// After the first output file is opened, Ctrl-C, SIGTERM and other signals that would end the process end it with exit
/// status 2 and remove the temporary files; `report` prints the state of the outputs. A signal that the process
/// ignores from the start, as under `nohup`, stays ignored.
#[cfg(feature = "interrupt")]
pub fn end_process(report: fn(&str)) {
    let _ = REPORT.set(report);
    #[cfg(unix)]
    ignore_file_size_signal();
}

/// Ignores SIGXFSZ, so that a write beyond the limit returns an error (EFBIG) instead of ending the process.
#[cfg(all(unix, feature = "interrupt"))]
#[allow(unsafe_code)]
fn ignore_file_size_signal() {
    // SAFETY: `SIG_IGN` is a valid disposition of SIGXFSZ, and no code of this program runs on the signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Sets the handler, if the program has requested it.
#[cfg(feature = "interrupt")]
fn handle() {
    static HANDLER: Once = Once::new();
    let Some(report) = REPORT.get() else { return };
    HANDLER.call_once(|| {
        #[cfg(unix)]
        let before = signals::ignored();
        // Without a handler an interrupt ends the process as well; the next run removes the temporary file.
        let _ = ctrlc::set_handler(|| {
            // The lock is held while a FIFO without a reader is opened; at that time no file has to be removed.
            let waited = (0..20).find_map(|_| match PARTIAL.try_lock() {
                Ok(files) => Some(files),
                Err(_) => {
                    std::thread::sleep(Duration::from_millis(20));
                    None
                }
            });
            let files: &[Partial] = waited.as_ref().map_or(&[], |files| &files[..]);
            // One may have been removed already.
            files
                .iter()
                .filter_map(|file| file.temporary.as_ref())
                .for_each(|path| drop(std::fs::remove_file(path)));
            if let Ok(made) = MADE.try_lock() {
                let remove =
                    |path: &PathBuf| std::fs::remove_dir(path).or_else(|_| std::fs::remove_file(path));
                made.iter().rev().for_each(|path| drop(remove(path)));
            }
            let messages: Vec<&str> = files.iter().map(|file| file.message.as_str()).collect();
            report(&format!("interrupted; {}", messages.join("; ")));
            // The lock is not released: no file may be renamed now.
            std::process::exit(2);
        });
        #[cfg(unix)]
        signals::settle(before);
    });
}

/// The signals to which the handler of Ctrl-C applies.
#[cfg(all(unix, feature = "interrupt"))]
#[allow(unsafe_code)]
mod signals {
    use libc::{SIG_DFL, SIG_IGN, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use libc::{SIGVTALRM, SIGXCPU, c_int, sighandler_t};

    /// The signals that `ctrlc` handles, also if the process ignores them.
    const HANDLED: [c_int; 3] = [SIGINT, SIGTERM, SIGHUP];

    /// Other signals that end a process without an error in the program: Ctrl-\, time limits, timers, and the signals
    /// that batch systems send before a job ends. Rust ignores SIGPIPE.
    const OTHERS: [c_int; 7] = [SIGQUIT, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2];

    /// The action of the process on a signal.
    fn action(signal: c_int) -> Option<libc::sigaction> {
        // SAFETY: All fields of `sigaction` are integers, addresses or sets of bits, for which zero is valid.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: A null pointer changes nothing, and `action` outlives the call that fills it.
        let status = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
        (status == 0).then_some(action)
    }

    fn has(signal: c_int, handler: sighandler_t) -> bool {
        action(signal).is_some_and(|action| action.sa_sigaction == handler)
    }

    /// The handled signals that the process ignores.
    pub(super) fn ignored() -> [bool; 3] {
        HANDLED.map(|signal| has(signal, SIG_IGN))
    }

    /// Ignores these signals again, and handles the others that end the process.
    pub(super) fn settle(ignored: [bool; 3]) {
        let handled = HANDLED.into_iter().find_map(action);
        for (signal, _) in HANDLED.into_iter().zip(ignored).filter(|(_, ignored)| *ignored) {
            // SAFETY: `SIG_IGN` is a valid disposition of these signals.
            unsafe { libc::signal(signal, SIG_IGN) };
        }
        let Some(handled) = handled.filter(|action| ![SIG_DFL, SIG_IGN].contains(&action.sa_sigaction))
        else {
            return;
        };
        for signal in OTHERS.into_iter().filter(|signal| has(*signal, SIG_DFL)) {
            // SAFETY: The action is the same as for Ctrl-C: its handler posts a semaphore, which is allowed in a
            // handler of any signal.
            unsafe { libc::sigaction(signal, &handled, std::ptr::null_mut()) };
        }
    }
}

/// Creates a file with `create`; an interrupt cannot occur in the middle. `partial_of` returns the temporary
/// file, which an interrupt removes, and the message that is then printed.
pub(crate) fn begin<T, E>(
    create: impl FnOnce() -> Result<T, E>,
    partial_of: impl FnOnce(&T) -> (Option<PathBuf>, String),
) -> Result<(T, Ticket), E> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    #[cfg(feature = "interrupt")]
    handle();
    let mut files = partial();
    let created = create()?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let (temporary, message) = partial_of(&created);
    files.push(Partial { number, temporary, message });
    Ok((created, Ticket(number)))
}

impl Ticket {
    /// Runs the last step, which must not be interrupted; after it there is no temporary file.
    pub(crate) fn end<T>(self, step: impl FnOnce() -> T) -> T {
        let mut files = partial();
        let value = step();
        files.retain(|file| file.number != self.0);
        value
    }
}
