//! Names of temporary files, by which a later run recognises leftovers of killed runs.
//!
//! A name is `.ptxcvt-HOST-PID-RANDOM.part`. HOST is the hash of the host's name and the namespace of process numbers, so
//! that a machine or container does not remove the files of another in a shared folder. PID is the process, which no
//! longer exists if the file is a leftover.

use std::path::Path;

/// The prefix of the names of this process.
pub fn prefix() -> String {
    format!("{}{}-", host_prefix(), std::process::id())
}

/// The suffix of all names.
pub const SUFFIX: &str = ".part";

/// The host's name; empty if it is unknown.
#[expect(clippy::disallowed_methods, reason = "the kernel limits its length")]
fn host_line() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default()
}

/// The host's name for messages.
#[cfg(feature = "arrays")]
pub fn host() -> String {
    let name = host_line();
    if name.trim().is_empty() { "this host".to_owned() } else { name.trim().to_owned() }
}

/// The namespace in which processes are numbered, such as `pid:[4026531836]`; empty if it is unknown. Containers have
/// separate ones, also if they have the host's name.
fn numbering() -> String {
    std::fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default()
}

fn host_prefix() -> String {
    prefix_of(&host_line(), &numbering())
}

fn prefix_of(host: &str, numbering: &str) -> String {
    // FNV-1a.
    let bytes = host.bytes().chain(numbering.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!(".ptxcvt-{hash:016x}-")
}

/// True if no process has the number. A missing `/proc/ID` is no proof: under `hidepid` it is missing for the processes
/// of other users. The kernel answers a signal that is not sent for every process.
#[cfg(unix)]
fn is_gone(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process).is_some_and(|id| test_kill_process(id) == Err(rustix::io::Errno::SRCH))
}

/// Elsewhere it is unknown.
#[cfg(not(unix))]
fn is_gone(_: i32) -> bool {
    false
}

/// Removes the files that killed runs on this machine left in a folder.
pub fn remove(folder: &Path) {
    // Without a namespace, a number could belong to a process of another container.
    if numbering().is_empty() {
        return;
    }
    let host = host_prefix();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(&host)?.strip_suffix(SUFFIX));
        let process = process.and_then(|rest| rest.split('-').next()?.parse().ok());
        if process.is_some_and(is_gone) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // Another run may have removed it first.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// True for the name of a temporary file of any process on any host. The run that holds the lock of a folder may remove them
/// all: after a restart the host may have another name, and the process's number may belong to another.
#[cfg(feature = "arrays")]
pub fn is_temporary(name: &str) -> bool {
    let parts = name.strip_prefix(".ptxcvt-").and_then(|rest| rest.strip_suffix(SUFFIX));
    let mut parts = parts.into_iter().flat_map(|rest| rest.splitn(3, '-'));
    let host =
        parts.next().is_some_and(|host| host.len() == 16 && host.bytes().all(|b| b.is_ascii_hexdigit()));
    let process = parts.next().is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()));
    host && process && parts.next().is_some()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_processes_that_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let mine = format!("{}abc{SUFFIX}", prefix());
        // Linux numbers processes up to 2^22.
        let dead = format!("{}99999999-abc{SUFFIX}", host_prefix());
        let other = ".ptxcvt-0123456789abcdef-99999999-abc.part".to_owned();
        // Of a container with the host's name.
        let contained = format!("{}99999999-abc{SUFFIX}", prefix_of(&host_line(), "pid:[1]"));
        for name in [&mine, &dead, &other, &contained, &"x.part".to_owned()] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        remove(folder.path());
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!([&mine, &dead, &other].map(|name| there(name)), [true, false, true]);
        assert!(there("x.part") && there(&contained));
        assert!([&mine, &dead, &other].into_iter().all(|name| is_temporary(name)));
        for name in [
            "x.part",
            ".ptxcvt-abc.part",
            ".ptxcvt-0123456789abcdef-x-abc.part",
            ".ptxcvt-0123456789abcdef-1.part",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }

    #[test]
    fn the_error_of_a_removed_temporary_file_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("y.raw");
        let mut writer = crate::writer::Writer::create(&output).unwrap();
        writer.write(b"bytes").unwrap();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        let message = writer.finish().unwrap_err().message;
        assert!(
            message
                .ends_with("y.raw: not written, because its temporary file in the same folder was removed"),
            "{message}"
        );
    }
}
