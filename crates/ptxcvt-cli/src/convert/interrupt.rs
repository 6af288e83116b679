//! Ctrl-C: the run ends at once, wherever it waits, and its temporary file goes with it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use crate::style::ERROR;

/// The files that are being written, and what is to be said of their targets.
static PARTIAL: Mutex<Vec<Partial>> = Mutex::new(Vec::new());

struct Partial {
    number: u64,
    temporary: Option<PathBuf>,
    message: String,
}

fn partial() -> MutexGuard<'static, Vec<Partial>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is being written.
pub struct Ticket(u64);

/// Begins a file by `create`, which an interrupt cannot come between. `partial_of` tells of what was created the
/// temporary file, which goes when the run is interrupted, and the message that is printed then.
pub fn begin<T, E>(
    create: impl FnOnce() -> Result<T, E>,
    partial_of: impl FnOnce(&T) -> (Option<PathBuf>, String),
) -> Result<(T, Ticket), E> {
    static HANDLER: Once = Once::new();
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    HANDLER.call_once(|| {
        // Without a handler the process ends all the same, and leaves the temporary file to the next run.
        let _ = ctrlc::set_handler(|| {
            // A FIFO that nobody reads keeps the lock while it is opened: there is nothing to take away then.
            let waited = (0..20).find_map(|_| match PARTIAL.try_lock() {
                Ok(files) => Some(files),
                Err(_) => {
                    std::thread::sleep(Duration::from_millis(20));
                    None
                }
            });
            let files: &[Partial] = waited.as_ref().map_or(&[], |files| &files[..]);
            // Perhaps there is no longer one of them.
            files
                .iter()
                .filter_map(|file| file.temporary.as_ref())
                .for_each(|path| drop(std::fs::remove_file(path)));
            let messages: Vec<&str> = files.iter().map(|file| file.message.as_str()).collect();
            crate::output::complain(format_args!(
                "{ERROR}error{ERROR:#}: interrupted; {}",
                messages.join("; ")
            ));
            // The lock is kept: no file may take its place now.
            std::process::exit(2);
        });
    });
    let mut files = partial();
    let created = create()?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let (temporary, message) = partial_of(&created);
    files.push(Partial { number, temporary, message });
    Ok((created, Ticket(number)))
}

impl Ticket {
    /// Does the last step, which must not be interrupted; after it there is nothing to take away.
    pub fn end<T>(self, step: impl FnOnce() -> T) -> T {
        let mut files = partial();
        let value = step();
        files.retain(|file| file.number != self.0);
        value
    }
}
