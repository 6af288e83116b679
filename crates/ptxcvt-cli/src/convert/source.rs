//! Where bytes come from: a file that is read as it is needed, a stream, or memory.
//!
//! Files are read, not mapped: one that is cut short during the run is an error in one line, not a signal.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

/// An input's bytes.
pub struct Source {
    /// As the user named it.
    pub name: String,
    kind: Kind,
}

enum Kind {
    /// A regular file of so many bytes.
    File(Mutex<File>, u64),
    /// Standard input, a FIFO, a device: read once, from the first byte to the last.
    Stream(Mutex<Stream>),
    Memory(Vec<u8>),
}

struct Stream {
    reader: Box<dyn Read + Send>,
    /// How much was taken from `reader` and handed out.
    position: u64,
    /// What was taken to look at, and not handed out.
    ahead: Vec<u8>,
}

impl Source {
    /// Opens a file; `-` is standard input.
    pub fn open(name: &str) -> Result<Source, Failure> {
        let fail = |error: io::Error| Failure::new(format!("{name}: {}", crate::output::reason(&error)));
        let stream = |reader| Kind::Stream(Mutex::new(Stream { reader, position: 0, ahead: Vec::new() }));
        let kind = if name == "-" {
            stream(Box::new(io::stdin()))
        } else {
            let metadata = std::fs::metadata(name).map_err(fail)?;
            if metadata.is_dir() {
                return Err(Failure::new(format!("{name}: is a directory; a file of arrays is needed")));
            }
            let file = File::open(name).map_err(fail)?;
            if metadata.is_file() {
                Kind::File(Mutex::new(file), metadata.len())
            } else {
                stream(Box::new(file))
            }
        };
        Ok(Source { name: name.to_owned(), kind })
    }

    /// Bytes that are at hand.
    pub fn memory(name: &str, bytes: Vec<u8>) -> Source {
        Source { name: name.to_owned(), kind: Kind::Memory(bytes) }
    }

    /// How many bytes there are; a stream does not say.
    pub fn len(&self) -> Option<u64> {
        match &self.kind {
            Kind::File(_, len) => Some(*len),
            Kind::Stream(_) => None,
            Kind::Memory(bytes) => Some(bytes.len() as u64),
        }
    }

    /// Fills `buffer` from byte `at` on, as far as there is something, and says how far.
    ///
    /// A stream goes forward only.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let fail =
            |error: io::Error| Failure::new(format!("{}: {}", self.name, crate::output::reason(&error)));
        match &self.kind {
            Kind::Memory(bytes) => {
                let from = bytes.len().min(usize::try_from(at).unwrap_or(usize::MAX));
                let count = buffer.len().min(bytes.len() - from);
                buffer[..count].copy_from_slice(&bytes[from..from + count]);
                Ok(count)
            }
            Kind::File(file, len) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(at)).map_err(fail)?;
                let wanted = buffer.len().min(usize::try_from(len.saturating_sub(at)).unwrap_or(usize::MAX));
                let count = fill(&mut *file, &mut buffer[..wanted]).map_err(fail)?;
                if count < wanted {
                    let end = at + count as u64;
                    return Err(Failure::new(format!(
                        "{}: it was cut short during the run: {end} bytes are left of {len}",
                        self.name
                    )));
                }
                Ok(count)
            }
            Kind::Stream(stream) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.read(at, buffer).map_err(fail)
            }
        }
    }

    /// Fills `buffer` whole.
    pub fn read_exact(&self, at: u64, buffer: &mut [u8]) -> Result<(), Failure> {
        let count = self.read(at, buffer)?;
        if count < buffer.len() {
            let (end, wanted) = (at + count as u64, at + buffer.len() as u64);
            return Err(Failure::new(format!("{}: ends after {end} bytes; {wanted} are needed", self.name)));
        }
        Ok(())
    }

    /// The first bytes, up to so many; they will be read again.
    pub fn peek(&self, count: usize) -> Result<Vec<u8>, Failure> {
        if let Kind::Stream(stream) = &self.kind {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let more = count.saturating_sub(stream.ahead.len());
            let mut bytes = vec![0; more];
            let read = fill(&mut *stream.reader, &mut bytes)
                .map_err(|e| Failure::new(format!("{}: {}", self.name, crate::output::reason(&e))))?;
            stream.ahead.extend_from_slice(&bytes[..read]);
            let shown = count.min(stream.ahead.len());
            return Ok(stream.ahead[..shown].to_vec());
        }
        let mut bytes = vec![0; count];
        let read = self.read(0, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Takes a stream into memory, for formats that say at their beginning how long they are.
    pub fn in_memory(self) -> Result<Source, Failure> {
        if self.len().is_some() {
            return Ok(self);
        }
        let mut bytes = Vec::new();
        loop {
            const STEP: usize = 1 << 20;
            let at = bytes.len();
            bytes.resize(at + STEP, 0);
            let read = self.read(at as u64, &mut bytes[at..])?;
            bytes.truncate(at + read);
            if read < STEP {
                return Ok(Source::memory(&self.name, bytes));
            }
        }
    }

    /// As a reader, from byte `at` on.
    pub fn reader(&self, at: u64) -> Reader<'_> {
        Reader { source: self, at }
    }
}

impl Stream {
    fn read(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.position {
            return Err(io::Error::other("a stream cannot be read twice"));
        }
        while self.position < at {
            let step = usize::try_from(at - self.position).unwrap_or(usize::MAX).min(1 << 16);
            let skipped = self.take(&mut vec![0; step])?;
            if skipped == 0 {
                return Ok(0);
            }
        }
        self.take(buffer)
    }

    fn take(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let known = buffer.len().min(self.ahead.len());
        buffer[..known].copy_from_slice(&self.ahead[..known]);
        self.ahead.drain(..known);
        let count = known + fill(&mut *self.reader, &mut buffer[known..])?;
        self.position += count as u64;
        Ok(count)
    }
}

/// Reads until `buffer` is full or nothing is left.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A [`Source`] read from front to back.
pub struct Reader<'a> {
    source: &'a Source,
    /// The next byte.
    pub at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(self.at, buffer).map_err(|e| io::Error::other(e.into_line().1))?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(bytes: &'static [u8]) -> Source {
        let stream = Stream { reader: Box::new(bytes), position: 0, ahead: Vec::new() };
        Source { name: "s".into(), kind: Kind::Stream(Mutex::new(stream)) }
    }

    #[test]
    fn a_stream_is_read_forward_and_looked_at_before() {
        let source = stream(b"0123456789");
        assert_eq!(source.peek(3).unwrap(), b"012");
        assert_eq!(source.peek(2).unwrap(), b"01");
        let mut buffer = [0; 4];
        assert_eq!(source.read(0, &mut buffer).unwrap(), 4);
        assert_eq!(&buffer, b"0123");
        assert_eq!(source.read(7, &mut buffer).unwrap(), 3);
        assert_eq!(&buffer[..3], b"789");
        assert!(source.read(1, &mut buffer).is_err());
        assert_eq!(stream(b"abc").in_memory().unwrap().len(), Some(3));
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(100).unwrap();
        let source = Source::open(file.path().to_str().unwrap()).unwrap();
        let mut buffer = [0; 60];
        source.read_exact(0, &mut buffer).unwrap();
        file.as_file().set_len(70).unwrap();
        let message = source.read_exact(40, &mut buffer).unwrap_err().into_line().1;
        assert!(message.ends_with("it was cut short during the run: 70 bytes are left of 100"), "{message}");
    }
}
