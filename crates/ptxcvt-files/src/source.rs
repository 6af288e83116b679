//! Sources of bytes: a file, a stream, or memory.
//!
//! Files are read, not mapped: if a file is truncated during the run, the result is an error, not a signal.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::error::FileError;
use crate::inputs;
use crate::standard;

/// An input's bytes.
pub struct Source {
    /// The name that the user gave.
    pub name: String,
    kind: Kind,
}

enum Kind {
    /// A regular file.
    File {
        file: Mutex<File>,
        len: u64,
        stamp: Stamp,
    },
    /// Standard input, a FIFO or a device, which can only be read once, from front to back.
    Stream(Mutex<Stream>),
    Memory(Vec<u8>),
}

struct Stream {
    reader: Box<dyn Read + Send>,
    /// The number of bytes that were returned to callers.
    position: u64,
    /// Bytes that were read ahead and not yet returned.
    ahead: Vec<u8>,
}

/// The identity of a file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// When the file was last changed in any way, in seconds and nanoseconds; zero on systems that do not know it.
    /// Unlike the time of modification it cannot be set.
    changed: (i64, i64),
    /// The device and the inode number; zero on systems without inodes.
    identity: (u64, u64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        let (changed, identity) = {
            use std::os::unix::fs::MetadataExt;
            ((metadata.ctime(), metadata.ctime_nsec()), (metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let (changed, identity) = ((0, 0), (0, 0));
        Stamp { len: metadata.len(), modified: metadata.modified().ok(), changed, identity }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let nanoseconds = time.map_or(0, |time| time.as_nanos());
        let (seconds, rest) = self.changed;
        write!(
            f,
            "length {}, modified {nanoseconds}, changed {seconds}.{rest:09}, file {}",
            self.len, self.identity.1
        )
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, or is a directory.
    pub fn open(name: &str) -> Result<Source, FileError> {
        Source::with(name, inputs::open)
    }

    /// Like [`open`](Self::open), for a file that an earlier run wrote and that this run may write again.
    pub(crate) fn open_own(name: &str) -> Result<Source, FileError> {
        Source::with(name, inputs::open_own)
    }

    fn with(name: &str, open: fn(&Path) -> io::Result<File>) -> Result<Source, FileError> {
        let fail = |error: io::Error| FileError::new(format!("{name}: {}", crate::error::reason(&error)));
        let stream = |reader| Kind::Stream(Mutex::new(Stream { reader, position: 0, ahead: Vec::new() }));
        let kind = if name == "-" {
            stream(Box::new(standard::input().map_err(fail)?))
        } else {
            standard::check_input(Path::new(name)).map_err(fail)?;
            let metadata = std::fs::metadata(name).map_err(fail)?;
            if metadata.is_dir() {
                return Err(FileError::new(format!("{name}: is a directory; expected a file of arrays")));
            }
            let file = open(Path::new(name)).map_err(fail)?;
            if metadata.is_file() {
                Kind::File { file: Mutex::new(file), len: metadata.len(), stamp: Stamp::of(&metadata) }
            } else {
                stream(Box::new(file))
            }
        };
        Ok(Source { name: name.to_owned(), kind })
    }

    /// The size, times and identity of a file. They change if the file is written again or another file takes its name.
    /// Empty for streams and memory.
    pub(crate) fn stamp(&self) -> String {
        match &self.kind {
            Kind::File { stamp, .. } => stamp.to_string(),
            _ => String::new(),
        }
    }

    /// A source of bytes in memory.
    pub fn memory(name: &str, bytes: Vec<u8>) -> Source {
        Source { name: name.to_owned(), kind: Kind::Memory(bytes) }
    }

    /// The length in bytes; `None` for a stream.
    pub fn size(&self) -> Option<u64> {
        match &self.kind {
            Kind::File { len, .. } => Some(*len),
            Kind::Stream(_) => None,
            Kind::Memory(bytes) => Some(bytes.len() as u64),
        }
    }

    /// Reads from position `at` on until `buffer` is full or the source ends, and returns how many bytes were read.
    ///
    /// # Errors
    ///
    /// Fails if reading fails, if a file has been truncated, or if `at` is before the position of a stream.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, FileError> {
        let fail =
            |error: io::Error| FileError::new(format!("{}: {}", self.name, crate::error::reason(&error)));
        match &self.kind {
            Kind::Memory(bytes) => {
                let from = bytes.len().min(usize::try_from(at).unwrap_or(usize::MAX));
                let count = buffer.len().min(bytes.len() - from);
                buffer[..count].copy_from_slice(&bytes[from..from + count]);
                Ok(count)
            }
            Kind::File { file, len, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(at)).map_err(fail)?;
                let wanted = buffer.len().min(usize::try_from(len.saturating_sub(at)).unwrap_or(usize::MAX));
                let count = fill(&mut *file, &mut buffer[..wanted]).map_err(fail)?;
                if count < wanted {
                    let end = at + count as u64;
                    return Err(FileError::new(format!(
                        "{}: was truncated during the run: {} left of {len}",
                        self.name,
                        ptxcvt::counted(end, "byte")
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

    /// Reads from position `at` on until `buffer` is full.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does, and if the source ends before the requested bytes.
    pub fn read_exact(&self, at: u64, buffer: &mut [u8]) -> Result<(), FileError> {
        let count = self.read(at, buffer)?;
        if count < buffer.len() {
            let (end, wanted) = (at + count as u64, at + buffer.len() as u64);
            return Err(FileError::new(format!(
                "{}: ends after {}; expected {wanted}",
                self.name,
                ptxcvt::counted(end, "byte")
            )));
        }
        Ok(())
    }

    /// Returns up to `count` of the first bytes; a later read returns them again.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does.
    pub fn peek(&self, count: usize) -> Result<Vec<u8>, FileError> {
        if let Kind::Stream(stream) = &self.kind {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let more = count.saturating_sub(stream.ahead.len());
            let mut bytes = vec![0; more];
            let read = fill(&mut *stream.reader, &mut bytes)
                .map_err(|e| FileError::new(format!("{}: {}", self.name, crate::error::reason(&e))))?;
            stream.ahead.extend_from_slice(&bytes[..read]);
            let shown = count.min(stream.ahead.len());
            return Ok(stream.ahead[..shown].to_vec());
        }
        let mut bytes = vec![0; count];
        let read = self.read(0, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Reads a stream into memory, for output formats that begin with the length of their data.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does.
    pub fn in_memory(self) -> Result<Source, FileError> {
        if self.size().is_some() {
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

    /// A reader of the bytes from position `at` on.
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

/// Reads until `buffer` is full or the reader ends.
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
#[derive(Debug)]
pub struct Reader<'a> {
    source: &'a Source,
    /// The position of the next byte.
    pub at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(self.at, buffer).map_err(|e| io::Error::other(e.to_string()))?;
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
        assert_eq!(stream(b"abc").in_memory().unwrap().size(), Some(3));
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(100).unwrap();
        let source = Source::open(file.path().to_str().unwrap()).unwrap();
        let mut buffer = [0; 60];
        source.read_exact(0, &mut buffer).unwrap();
        file.as_file().set_len(70).unwrap();
        let message = source.read_exact(40, &mut buffer).unwrap_err().to_string();
        assert!(message.ends_with("was truncated during the run: 70 bytes left of 100"), "{message}");
    }
}
