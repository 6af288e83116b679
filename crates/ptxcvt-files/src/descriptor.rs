//! Paths that name an open file descriptor: `/dev/stdout`, `/dev/fd/63` of a process substitution, `/proc/self/fd/3`.
//!
//! Opening such a path again would start at the beginning of a file and lose data that others write through
//! the same descriptor. So the descriptor is duplicated: the duplicate shares the position and the append
//! mode.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The descriptor that a path names, or the path itself with its symbolic links followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An open descriptor of this process.
    Descriptor(u32),
    /// A path that is not a symbolic link; the file may not exist.
    Path(PathBuf),
}

/// Follows the symbolic links of `path`, but not those that represent open descriptors.
pub(crate) fn follow(path: &Path) -> io::Result<Target> {
    /// The maximum on Linux.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Some(number) = number(&path) {
            return Ok(Target::Descriptor(number));
        }
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(Target::Path(path)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The number of an open descriptor, if the last part of the path is one.
fn number(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str().filter(|name| name.bytes().all(|b| b.is_ascii_digit()))?;
    let folder = std::fs::canonicalize(path.parent()?).ok()?;
    let own = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];
    let is_own = own.iter().any(|own| std::fs::canonicalize(own).is_ok_and(|own| own == folder));
    number.parse().ok().filter(|_| is_own)
}

/// True if `name` is standard output: `-`, or a path such as `/dev/stdout` or `/dev/fd/1`.
///
/// ```
/// assert!(ptxcvt_files::is_standard_output("-"));
/// assert!(!ptxcvt_files::is_standard_output("weights.npy"));
/// ```
pub fn is_standard_output(name: &str) -> bool {
    name == "-" || matches!(follow(Path::new(name)), Ok(Target::Descriptor(1)))
}

/// Duplicates an open descriptor.
#[cfg(unix)]
#[allow(unsafe_code)]
pub(crate) fn duplicate(number: u32) -> io::Result<File> {
    use std::os::fd::{AsFd, BorrowedFd};
    let copy = match number {
        0 => io::stdin().as_fd().try_clone_to_owned(),
        1 => io::stdout().as_fd().try_clone_to_owned(),
        2 => io::stderr().as_fd().try_clone_to_owned(),
        _ => {
            let number = i32::try_from(number).map_err(io::Error::other)?;
            // SAFETY: The number is not negative. The borrow lives for one system call, `fcntl(F_DUPFD_CLOEXEC)`,
            // which fails with EBADF if the number is not an open descriptor; nothing else is done with it. A
            // descriptor of another part of this program under that number is duplicated, not closed.
            unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned()
        }
    };
    copy.map(File::from)
}

/// Unreachable on systems without such paths.
#[cfg(not(unix))]
pub(crate) fn duplicate(_: u32) -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/fd/7", &link).unwrap();
        for (path, number) in [("/proc/self/fd/12", 12), ("/dev/fd/1", 1), (link.to_str().unwrap(), 7)] {
            assert_eq!(follow(Path::new(path)).unwrap(), Target::Descriptor(number), "{path}");
        }
        for path in ["/dev/fd/x", "/dev/null", "12"] {
            assert_eq!(follow(Path::new(path)).unwrap(), Target::Path(path.into()));
        }
        assert!(duplicate(1_000_000).is_err());
    }

    #[test]
    fn a_duplicate_shares_the_position() {
        use std::io::{Read, Seek, Write};
        use std::os::fd::AsRawFd;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"A").unwrap();
        duplicate(file.as_raw_fd() as u32).unwrap().write_all(b"B").unwrap();
        file.write_all(b"C").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ABC");
    }
}
