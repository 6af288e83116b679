//! A writer whose reader may leave (`| head`): the rest is not written, but still checked, so that the exit status
//! is right.

use std::io::{self, Write};

/// See above.
pub struct Patient<W> {
    inner: W,
    gone: bool,
}

impl<W: Write> Patient<W> {
    pub fn new(inner: W) -> Self {
        Patient { inner, gone: false }
    }

    fn tolerate<T>(&mut self, outcome: io::Result<T>, instead: T) -> io::Result<T> {
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(instead)
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let outcome = self.inner.write(bytes);
        self.tolerate(outcome, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let outcome = self.inner.flush();
        self.tolerate(outcome, ())
    }
}
