//! The progress bar of long work, on standard error if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts bytes, files or other units; indicatif hides it if standard error is not a terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of `total` units, such as `files`.
    pub fn counting(total: u64, unit: &str) -> Progress {
        Progress::new(total, &format!("{{bar:32}} {{pos}}/{{len}} {unit} {{eta}} left"))
    }

    /// A bar of `total` bytes, with their rate.
    pub fn bytes(total: u64) -> Progress {
        Progress::new(total, "{bar:32} {bytes}/{total_bytes} {bytes_per_sec} {eta} left")
    }

    fn new(total: u64, template: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()));
        Progress(bar)
    }

    /// Advances the bar, which appears once the work takes long.
    pub fn advance(&self, steps: u64) {
        self.show();
        self.0.inc(steps);
    }

    /// Sets position and length.
    pub fn set(&self, done: u64, total: u64) {
        self.show();
        self.0.set_length(total);
        self.0.set_position(done);
    }

    fn show(&self) {
        const LONG: Duration = Duration::from_millis(700);
        if self.0.is_hidden() && self.0.elapsed() > LONG {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Hides the bar while `work` prints.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.suspend(work)
    }
}

impl ptxcvt_files::Progress for Progress {
    fn expect(&self, bytes: u64) {
        self.0.set_length(bytes);
    }

    fn advance(&self, bytes: u64) {
        Progress::advance(self, bytes);
    }
}

impl Drop for Progress {
    /// Removes the bar, also if the work failed.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
