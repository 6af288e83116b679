//! A stream whose reader may leave.

use std::io::{self, Write};

use crate::standard;

/// A stream whose reader may close its end (`| head`). The rest of the output is then dropped and the work continues, so
/// that its result and the exit status do not depend on the reader.
///
/// ```
/// use std::io::{self, Write};
/// use ptxcvt_files::Patient;
/// struct Left;
/// impl Write for Left {
///     fn write(&mut self, _: &[u8]) -> io::Result<usize> {
///         Err(io::ErrorKind::BrokenPipe.into())
///     }
///     fn flush(&mut self) -> io::Result<()> {
///         Err(io::ErrorKind::BrokenPipe.into())
///     }
/// }
/// let mut stream = Patient::new(Left);
/// stream.write_all(b"lost")?;
/// stream.flush()?;
/// # Ok::<(), io::Error>(())
/// ```
#[derive(Debug)]
pub struct Patient<W> {
    inner: W,
    is_standard_output: bool,
    reader_left: bool,
}

impl<W: Write> Patient<W> {
    /// Wraps a stream.
    pub fn new(inner: W) -> Self {
        Patient { inner, is_standard_output: false, reader_left: false }
    }

    /// Wraps standard output. Writing fails if it was closed when the program started (`>&-`).
    pub fn standard_output(inner: W) -> Self {
        Patient { is_standard_output: true, ..Patient::new(inner) }
    }

    fn tolerate<T>(&mut self, outcome: io::Result<T>, instead: T) -> io::Result<T> {
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_left = true;
                Ok(instead)
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.reader_left || bytes.is_empty() {
            return Ok(bytes.len());
        }
        if self.is_standard_output {
            standard::check_output()?;
        }
        let outcome = self.inner.write(bytes);
        self.tolerate(outcome, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.reader_left {
            return Ok(());
        }
        let outcome = self.inner.flush();
        self.tolerate(outcome, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe that accepts a few bytes at a time, and then has no reader or another fault.
    struct Pipe {
        room: usize,
        then: io::ErrorKind,
        calls: usize,
    }

    impl Pipe {
        fn new(room: usize, then: io::ErrorKind) -> Pipe {
            Pipe { room, then, calls: 0 }
        }
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            if self.room == 0 {
                return Err(self.then.into());
            }
            let taken = bytes.len().min(self.room).min(3);
            self.room -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            if self.room == 0 { Err(self.then.into()) } else { Ok(()) }
        }
    }

    #[test]
    fn the_rest_is_dropped_when_the_reader_leaves() {
        for room in 0..20 {
            let mut stream = Patient::new(Pipe::new(room, io::ErrorKind::BrokenPipe));
            for _ in 0..5 {
                stream.write_all(b"0123").unwrap();
                stream.flush().unwrap();
            }
            // A stream without a reader is not asked again.
            let calls = stream.inner.calls;
            assert_eq!(stream.reader_left, room < 20);
            stream.write_all(b"0123").unwrap();
            assert_eq!(stream.inner.calls, calls, "{room}");
        }
    }

    #[test]
    fn other_faults_are_errors() {
        let mut stream = Patient::new(Pipe::new(2, io::ErrorKind::StorageFull));
        assert_eq!(stream.write_all(b"0123").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(stream.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
