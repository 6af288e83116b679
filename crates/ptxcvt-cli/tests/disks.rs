//! Full and read-only disks. Each test has its own file system if the system lets a user make one; otherwise
//! the test prints that it was skipped.
#![cfg(target_os = "linux")]

mod common;
#[path = "../../../xtask/src/skip.rs"]
mod skip;

use std::fs;
use std::process::{Command, Output};

use common::{Bench, bytes, floats, write_npy};

/// Runs a shell script in the bench's folder with a temporary disk of that size at `disk`; `$ptxcvt` is the
/// command. `None` if no file system can be made.
fn with_disk(bench: &Bench, size: &str, script: &str) -> Option<Output> {
    fs::create_dir(bench.path("disk")).unwrap();
    let run = |script: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        unshare.current_dir(bench.folder.path()).env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt")).output()
    };
    let mount = format!("mount -t tmpfs -o size={size} none disk");
    if !run(&mount).is_ok_and(|output| output.status.success()) {
        skip::skip("skipped: disks: `unshare --user --mount` or mounting is not allowed here").unwrap();
        return None;
    }
    Some(run(&format!("{mount}\n{script}")).unwrap())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_full_disk_keeps_the_old_output_and_no_other() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(400_000, 1))).unwrap();
    write_npy(&bench.path("x.npy"), &floats(1 << 19, 2), &[512, 1024]);
    let Some(output) = with_disk(
        &bench,
        "256k",
        "echo old > disk/y.raw; echo old > disk/z.safetensors
        $ptxcvt convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o disk/y.raw; echo $?
        $ptxcvt quantize mx-rceil/e4m3 x.npy -o disk/z.safetensors; echo $?
        cat disk/y.raw disk/z.safetensors; ls -A disk",
    ) else {
        return;
    };
    assert_eq!(text(&output.stdout), "2\n2\nold\nold\ny.raw\nz.safetensors\n");
    let message = text(&output.stderr);
    assert_eq!(message.lines().count(), 2, "{message}");
    for (line, name) in message.lines().zip(["disk/y.raw", "disk/z.safetensors"]) {
        assert!(line.starts_with("error: ") && line.contains(name), "{line}");
        assert!(line.contains("No space left on device"), "{line}");
    }
}

#[test]
fn a_read_only_folder_is_one_line() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(4_000, 1))).unwrap();
    write_npy(&bench.path("x.npy"), &floats(1 << 10, 2), &[2, 512]);
    let Some(output) = with_disk(
        &bench,
        "1m",
        "echo old > disk/y.raw; mount -o remount,ro none disk
        $ptxcvt convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o disk/y.raw; echo $?
        $ptxcvt convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o disk/new.raw; echo $?
        $ptxcvt quantize mx-rceil/e4m3 x.npy -o disk/z.safetensors; echo $?
        cat disk/y.raw; ls -A disk",
    ) else {
        return;
    };
    assert_eq!(text(&output.stdout), "2\n2\n2\nold\ny.raw\n");
    let message = text(&output.stderr);
    assert_eq!(message.lines().count(), 3, "{message}");
    for line in message.lines() {
        assert!(line.starts_with("error: disk") && line.ends_with(": Read-only file system"), "{line}");
    }
}

/// A failed run leaves no folder that it made, unless there is something in it.
#[test]
fn a_full_disk_has_no_new_empty_folders() {
    let bench = Bench::new();
    fs::create_dir(bench.path("model")).unwrap();
    fs::write(bench.path("x.raw"), bytes(&floats(1 << 16, 2))).unwrap();
    let header = r#"{"a.weight":{"dtype":"F32","shape":[64,1024],"data_offsets":[0,262144]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend(bytes(&floats(1 << 16, 2)));
    fs::write(bench.path("model/model.safetensors"), file).unwrap();
    let Some(output) = with_disk(
        &bench,
        "64k",
        "mkdir disk/old; cat /dev/zero > disk/fill 2> /dev/null
        $ptxcvt man disk/a/pages; echo $?
        $ptxcvt man disk/old; echo $?
        $ptxcvt conform --ptx disk/b/c --target sm_80; echo $?
        $ptxcvt quantize mx-rceil/e4m3 model -o disk/d/kk; echo $?
        ls -AR disk",
    ) else {
        return;
    };
    let message = text(&output.stderr);
    assert_eq!(text(&output.stdout), "2\n2\n2\n2\ndisk:\nfill\nold\n\ndisk/old:\n", "{message}");
    assert_eq!(message.matches("No space left on device").count(), 4, "{message}");
}

/// Leftovers of a killed run occupy space that the next run needs.
#[test]
fn a_killed_run_s_leftover_makes_room() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(100_000, 1))).unwrap();
    let Some(output) = with_disk(
        &bench,
        "300k",
        // The first run waits for the end of its input, which never arrives.
        "mkfifo in; { cat x.raw; sleep 60; } > in & feeder=$!
        $ptxcvt convert cvt.rn.bf16x2.f32 in --dtype f32 -o disk/y.raw --memory 16KiB & run=$!
        n=0; until [ -s disk/.*.part ] || [ -s disk/*.part ]; do n=$((n+1)); [ $n -lt 600 ] || exit 9; sleep 0.1; done
        kill -9 $run; wait $run; pkill -P $feeder; kill $feeder
        ls -A disk | wc -l
        $ptxcvt convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o disk/y.raw; echo $?
        ls -A disk; wc -c < disk/y.raw",
    ) else {
        return;
    };
    assert_eq!(text(&output.stdout), "1\n0\ny.raw\n200000\n", "{}", text(&output.stderr));
}

/// Under `hidepid` a process of another user is not in `/proc`, but it runs, so its file stays. Only root can try it.
#[test]
fn a_temporary_file_of_another_user_stays() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(4_000, 1))).unwrap();
    let run = |script: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "sh", "-c", script]).current_dir(bench.folder.path());
        unshare.env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt")).output()
    };
    let begin =
        "mount -t proc -o hidepid=2 proc /proc && chmod 777 . && cp $ptxcvt p && chmod 755 p || exit 9
        as() { user=$1; shift; setpriv --reuid $user --regid 1001 --clear-groups \"$@\"; }
        as 1001 true && ! as 1002 ls -d /proc/1 || exit 9";
    if !run(begin).is_ok_and(|output| output.status.success()) {
        skip::skip("skipped: hidepid: `unshare --mount`, mounting or `setpriv` is not allowed here").unwrap();
        return;
    }
    let output = run(&format!(
        "{begin}
        mkfifo in; chmod 666 in
        as 1001 ./p convert 'f32->e4m3' in --dtype f32 -o a.raw & first=$!
        exec 3>in; cat x.raw >&3
        until ls -A | grep -q part; do sleep 0.05; done
        as 1002 ./p convert 'f32->e4m3' x.raw --dtype f32 -o b.raw; echo $?
        exec 3>&-; wait $first; echo $?
        cmp a.raw b.raw && ls -A | grep -c part"
    ));
    let output = output.unwrap();
    assert_eq!(text(&output.stdout), "0\n0\n0\n", "{}", text(&output.stderr));
}
