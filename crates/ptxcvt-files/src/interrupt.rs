//! Ctrl-C, SIGTERM and other signals that end a process: the run ends at once, even while it waits, and its temporary
//! files are removed. SIGXFSZ: a write beyond the limit of the file size (`ulimit -f`) fails like a write to a full
//! disk.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "interrupt")]
use std::sync::{Once, OnceLock};
#[cfg(feature = "interrupt")]
use std::time::{Duration, Instant};

/// How far the run is. Each step that a signal must not divide holds the lock: the rename of an output, the end of the run,
/// and the message of an interrupted run, after which the lock is not released. So a run either has completed its
/// outputs and ends as it would without a signal, or it has one message and exit status 2.
static RUN: Mutex<Run> = Mutex::new(Run {
    files: Vec::new(),
    begun: 0,
    has_completed: false,
    is_waited_for: false,
    goes_on: false,
    has_ended: false,
});

/// Wakes a signal's thread that waits for the end of the run.
static CHANGED: Condvar = Condvar::new();

// Without the feature no signal is handled, so nothing reads some of these fields.
#[cfg_attr(not(feature = "interrupt"), allow(dead_code))]
struct Run {
    /// The files that are being written.
    files: Vec<Partial>,
    /// How many files were begun.
    begun: u64,
    /// An output is complete.
    has_completed: bool,
    /// A signal came when no file was being written: the run may end by itself.
    is_waited_for: bool,
    /// The run began another output, although a signal waits for its end.
    goes_on: bool,
    /// All that is left is the exit status, or the message of an error.
    has_ended: bool,
}

#[cfg_attr(not(feature = "interrupt"), allow(dead_code))]
struct Partial {
    number: u64,
    temporary: Option<PathBuf>,
    /// What an interrupted run says about the target.
    message: String,
}

/// How long a run whose outputs are complete may take to end after a signal.
#[cfg(feature = "interrupt")]
const END: Duration = Duration::from_secs(1);

/// Locks the state of the run. Waits for ever if the run is being interrupted.
fn lock() -> MutexGuard<'static, Run> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

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
        let _ = ctrlc::set_handler(|| interrupted(*report));
        #[cfg(unix)]
        signals::settle(before);
    });
}

/// Ends the process after a signal, unless the run ends by itself because its outputs are complete.
#[cfg(feature = "interrupt")]
fn interrupted(report: fn(&str)) {
    let Some(mut run) = lock_soon() else {
        // An output is renamed on a disk that does not answer.
        std::process::exit(2);
    };
    if run.files.is_empty() && run.has_completed && !run.has_ended {
        run.is_waited_for = true;
        let waits = |run: &mut Run| !run.has_ended && !run.goes_on;
        run = CHANGED.wait_timeout_while(run, END, waits).unwrap_or_else(PoisonError::into_inner).0;
    }
    if run.has_ended {
        return;
    }
    // One may have been removed already.
    run.files
        .iter()
        .filter_map(|file| file.temporary.as_ref())
        .for_each(|path| drop(std::fs::remove_file(path)));
    if let Ok(made) = MADE.try_lock() {
        let remove = |path: &PathBuf| std::fs::remove_dir(path).or_else(|_| std::fs::remove_file(path));
        made.iter().rev().for_each(|path| drop(remove(path)));
    }
    let messages: Vec<&str> = run.files.iter().map(|file| file.message.as_str()).collect();
    let state = match run.has_completed {
        _ if !messages.is_empty() => messages.join("; "),
        true => "the files that were written are complete".to_owned(),
        false => "no file was written".to_owned(),
    };
    report(&format!("interrupted; {state}"));
    // The lock is not released: no file may be renamed now, and the run must not end with another status.
    std::process::exit(2);
}

/// Locks the state of the run; `None` if it stays locked.
#[cfg(feature = "interrupt")]
fn lock_soon() -> Option<MutexGuard<'static, Run>> {
    let begin = Instant::now();
    loop {
        match RUN.try_lock() {
            Ok(run) => return Some(run),
            Err(std::sync::TryLockError::Poisoned(run)) => return Some(run.into_inner()),
            Err(_) if begin.elapsed() > 4 * END => return None,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// The run has ended: from here on, signals change neither its exit status nor its message. To be called before the
/// message of an error is printed. Does not return if the run is being interrupted.
pub fn end() {
    lock().has_ended = true;
    CHANGED.notify_all();
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
    let mut run = next();
    let created = create()?;
    let (temporary, message) = partial_of(&created);
    let ticket = run.add(temporary, message);
    Ok((created, ticket))
}

/// Opens a stream with `create`, which may wait for a reader; an interrupt meanwhile prints `message`.
pub(crate) fn begin_stream<T, E>(
    create: impl FnOnce() -> Result<T, E>,
    message: &str,
) -> Result<(T, Ticket), E> {
    let ticket = next().add(None, message.to_owned());
    Ok((create()?, ticket))
}

/// Locks the state of the run to begin an output. Does not return if a signal came after the output before it: the run
/// is not at its end then.
fn next() -> MutexGuard<'static, Run> {
    #[cfg(feature = "interrupt")]
    handle();
    let mut run = lock();
    while run.is_waited_for {
        run.goes_on = true;
        CHANGED.notify_all();
        run = CHANGED.wait(run).unwrap_or_else(PoisonError::into_inner);
    }
    run
}

impl Run {
    fn add(&mut self, temporary: Option<PathBuf>, message: String) -> Ticket {
        self.begun += 1;
        self.files.push(Partial { number: self.begun, temporary, message });
        Ticket(self.begun)
    }

    fn remove(&mut self, ticket: &Ticket) {
        self.files.retain(|file| file.number != ticket.0);
    }
}

/// Runs the last step of an output, such as a rename, which must not be interrupted.
fn complete<T>(step: impl FnOnce(&mut Run) -> T) -> T {
    let mut run = lock();
    run.has_completed = true;
    step(&mut run)
}

/// Renames a complete folder of outputs.
#[cfg(feature = "arrays")]
pub(crate) fn rename_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    complete(|_| std::fs::rename(from, to))
}

impl Ticket {
    /// Runs the last step, which must not be interrupted; after it there is no temporary file.
    pub(crate) fn end<T>(self, step: impl FnOnce() -> T) -> T {
        complete(|run| {
            run.remove(&self);
            step()
        })
    }

    /// Runs the last step of a stream. It may be interrupted, because it may wait for a reader.
    pub(crate) fn end_stream<T>(self, step: impl FnOnce() -> T) -> T {
        let value = step();
        self.end(|| value)
    }
}

impl Drop for Ticket {
    /// Forgets an output that failed.
    fn drop(&mut self) {
        lock().remove(self);
    }
}
