//! The progress bar of long work: on standard error, and only where someone watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts bytes, files or what else; indicatif hides it where standard error is no terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// Of so many `unit`s, such as `files`.
    pub fn counting(total: u64, unit: &str) -> Progress {
        Progress::new(total, &format!("{{bar:32}} {{pos}}/{{len}} {unit} {{eta}} left"))
    }

    /// Of so many bytes, with their rate.
    pub fn bytes(total: u64) -> Progress {
        Progress::new(total, "{bar:32} {bytes}/{total_bytes} {bytes_per_sec} {eta} left")
    }

    fn new(total: u64, template: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()));
        Progress(bar)
    }

    /// Moves on; the bar appears once the work proves long.
    pub fn advance(&self, steps: u64) {
        self.show();
        self.0.inc(steps);
    }

    /// Moves to a place on a way whose length may only be known now.
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

    /// Prints something else meanwhile.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.suspend(work)
    }
}

impl Drop for Progress {
    /// Takes the bar away, also where the work failed.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
