//! What a program for Windows needs: libraries of Windows, and no library of the compiler that linked it. Old versions of
//! Wine lack some.

use std::path::Path;
use std::process::Command;

use crate::run::output;

/// The program that lists the libraries. It comes with the linker.
const OBJDUMP: &str = "x86_64-w64-mingw32-objdump";

/// Libraries of Windows 10, in lower case and without `.dll`. A name that ends with `-` stands for all that begin with it.
const SYSTEM: &[&str] =
    &["advapi32", "api-ms-win-", "bcryptprimitives", "kernel32", "msvcrt", "ntdll", "userenv", "ws2_32"];

/// Fails if a program needs a library that Windows does not have.
pub fn needs_only_windows(program: &Path) -> Result<(), String> {
    let list = output(Command::new(OBJDUMP).arg("-p").arg(program))?;
    let all = libraries(&list);
    if all.is_empty() {
        return Err(format!("{}: {OBJDUMP} names no libraries", program.display()));
    }
    match all.iter().find(|name| !is_system(name)) {
        Some(name) => Err(format!("{}: needs {name}, which is not part of Windows", program.display())),
        None => Ok(()),
    }
}

/// The names in the listing of `objdump -p`.
fn libraries(list: &str) -> Vec<&str> {
    list.lines().filter_map(|line| line.trim().strip_prefix("DLL Name: ")).collect()
}

fn is_system(library: &str) -> bool {
    let name = library.to_ascii_lowercase();
    let name = name.strip_suffix(".dll").unwrap_or(&name);
    SYSTEM.iter().any(|known| if known.ends_with('-') { name.starts_with(known) } else { name == *known })
}

/// The library of Windows that Wine's messages say it lacks. Wine then starts no program.
pub fn lacks(messages: &str) -> Option<&str> {
    let (_, rest) = messages.split_once("err:module:import_dll Library ")?;
    rest.split(' ').next()
}

#[test]
fn libraries_of_the_compiler_are_not_of_windows() {
    let list = "\tDLL Name: KERNEL32.dll\n\tvma: 1\n\tDLL Name: api-ms-win-core-synch-l1-2-0.dll\n\tDLL Name: \
                libgcc_s_seh-1.dll\n";
    let names = libraries(list);
    assert_eq!(names.iter().map(|name| is_system(name)).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn what_wine_lacks_is_read_from_its_messages() {
    let line = "0024:err:module:import_dll Library bcryptprimitives.dll (which is needed by L\"Z:\\\\p.exe\") not found";
    assert_eq!(lacks(line), Some("bcryptprimitives.dll"));
    assert_eq!(lacks("error: unknown form"), None);
}
