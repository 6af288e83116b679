//! Two runs into one folder, and runs after a killed one.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{fails, model, run, succeeds, write};

/// Starts a run into `out` and stops it in the middle. `None` if it ended before.
fn stopped(folder: &Path, arguments: &str) -> Option<Child> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    child.current_dir(folder).args(arguments.split_whitespace()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    let written = || fs::read_dir(folder.join("out.part")).is_ok_and(|mut files| files.next().is_some());
    while child.try_wait().unwrap().is_none() && !written() {}
    let signal = Command::new("kill").args(["-STOP", &child.id().to_string()]).status().unwrap();
    (signal.success() && child.try_wait().unwrap().is_none() && folder.join("out.part").exists())
        .then_some(child)
}

#[test]
fn a_second_run_is_refused_until_the_first_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("model")).unwrap();
    write(&folder.join("model/model.safetensors"), &[("model.layers.0.mlp.up_proj.weight", &[4096, 1024])]);
    let arguments = "quantize nvfp4-modelopt model --for modelopt --memory 4KB --threads 1 -o out";
    let mut first = (0..20)
        .find_map(|_| {
            let child = stopped(folder, arguments);
            if child.is_none() {
                let _ = fs::remove_dir_all(folder.join("out"));
            }
            child
        })
        .expect("a run is stopped");
    let second = run(folder, arguments);
    let text = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{text}");
    let expected = format!("out: another run (process {} on ", first.id());
    assert!(text.contains(&expected) && text.contains("is writing this folder"), "{text}");
    assert!(text.contains("wait until that run has ended, or name another folder"), "{text}");
    // Other folders are free.
    succeeds(folder, &arguments.replace("-o out", "-o other"));
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(folder.join(".out.part.lock").exists());
    succeeds(folder, arguments);
    let bytes = |name: &str| fs::read(folder.join(name).join("model.safetensors")).unwrap();
    assert!(bytes("out") == bytes("other"));
    assert!(!folder.join(".out.part.lock").exists() && !folder.join("out.part").exists());
}

#[test]
fn a_file_with_the_name_of_the_lock_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    fs::write(folder.join(".out.part.lock"), "a user's own file").unwrap();
    let text = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    assert!(text.contains(".out.part.lock: is not the lock of a run"), "{text}");
    assert_eq!(fs::read(folder.join(".out.part.lock")).unwrap(), b"a user's own file");
}

/// A run that fails removes the folders above its output, too.
#[test]
fn a_failed_run_leaves_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    fs::create_dir_all(folder.join("a/out.part")).unwrap();
    fs::write(folder.join("a/out.part/mine"), "a user's own file").unwrap();
    let text = fails(folder, "quantize nvfp4-modelopt . --for modelopt -o a/out");
    assert!(text.contains("a/out.part/mine: is not a file of this run"), "{text}");
    assert!(!folder.join("a/.out.part.lock").exists());
}

/// What a killed run left is removed even if the host has another name now, or the process's number belongs to another.
#[test]
fn a_restarted_container_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    model(folder);
    fs::create_dir(folder.join("out.part")).unwrap();
    for left in [".ptxcvt-0123456789abcdef-99999999-aBc.part", ".ptxcvt-0123456789abcdef-1-aBc.part"] {
        fs::write(folder.join("out.part").join(left), "half").unwrap();
    }
    succeeds(folder, "quantize nvfp4-modelopt . --for modelopt -o out");
    succeeds(folder, "quantize nvfp4-modelopt . --for modelopt -o other");
    let names = |name: &str| fs::read_dir(folder.join(name)).unwrap().count();
    assert_eq!(names("out"), names("other"));
}
