//! The progress of long work, reported to the program that shows it.

/// Something that shows progress, such as a bar.
pub trait Progress {
    /// Sets the length of the work in bytes.
    fn expect(&self, bytes: u64);

    /// Advances by this many bytes.
    fn advance(&self, bytes: u64);
}

/// Shows nothing.
impl Progress for () {
    fn expect(&self, _: u64) {}

    fn advance(&self, _: u64) {}
}
