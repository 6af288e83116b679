//! Every command that writes a file, with every kind of output. On a full or read-only disk, and after a
//! kill, the file is complete or unchanged. Descriptors are written at their current position.
#![cfg(unix)]

mod common;
#[path = "../../../xtask/src/skip.rs"]
mod skip;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::kill::Kill;
use common::{Bench, files, shell, text};

/// A command that writes the file `OUT`, and the extension of its name.
const COMMANDS: &[(&str, &str)] = &[
    ("convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o OUT", "raw"),
    ("quantize mx-rceil/e4m3 x.npy -o OUT", "safetensors"),
    ("dequantize q.safetensors -o OUT", "raw"),
    ("run block.ptx x.npy -o OUT", "npy"),
    ("eval cvt.rn.satfinite.e4m3x2.f32 1.5 -999 --svg OUT", "svg"),
    ("format e4m3 --svg OUT", "svg"),
    ("where cvt.rn.satfinite.e4m3x2.f32 --svg OUT", "svg"),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --isa 7.0 -o OUT", "ptx"),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --as cuda -o OUT", "cu"),
    ("lower --header cvt.rn.f16x2.e2m1x2 -o OUT", "cuh"),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --adapter cutlass -o OUT", "hpp"),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --adapter triton --target sm_80 -o OUT", "py"),
    ("vectors f16->e2m1 --as hex -o OUT", "hex"),
    ("vectors f16->e2m1 --as npy -o OUT", "bin"),
    ("check --lower --target sm_80 module.ptx -o OUT", "ptx"),
];

/// Commands whose outputs have fixed names: the file, and whether standard output may have text as well.
const IN_PLACE: &[(&str, &str)] = &[
    ("check --fix --unsafe-fixes fixable.ptx", "fixable.ptx"),
    ("check module.ptx --write-baseline baseline.json", "baseline.json"),
    ("man pages", "pages/ptxcvt-eval.1"),
    ("conform --ptx kernels --target sm_90 --form cvt.rn.satfinite.e4m3x2.f32", "kernels/sm_90-isa-7.8.ptx"),
];

/// Commands that take long enough for a signal to stop them in the middle.
const LONG: &[&str] = &["convert", "quantize"];

/// The numbers are larger than a block of `ulimit -f`.
const COUNT: usize = 4096;

/// The bytes that a run writes to a new regular file.
fn expected(bench: &Bench, command: &str, extension: &str) -> Vec<u8> {
    let name = format!("new.{extension}");
    let output = shell(bench, "\"$ptxcvt\" \"$@\"", &command.replace("OUT", &name));
    assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    let bytes = fs::read(bench.path(&name)).unwrap();
    fs::remove_file(bench.path(&name)).unwrap();
    assert!(bytes.len() > 8, "{command}");
    bytes
}

#[test]
fn a_regular_file_and_a_link_to_one_are_replaced() {
    let bench = Bench::with_inputs(COUNT);
    for (command, extension) in COMMANDS {
        let wanted = expected(&bench, command, extension);
        let (real, link) = (format!("real.{extension}"), format!("link.{extension}"));
        fs::write(bench.path(&real), "old").unwrap();
        let _ = std::os::unix::fs::symlink(&real, bench.path(&link));
        for name in [&real, &link] {
            let output = shell(&bench, "\"$ptxcvt\" \"$@\"", &command.replace("OUT", name));
            assert!(output.status.success(), "{command}: {}", text(&output.stderr));
            assert!(fs::read(bench.path(&real)).unwrap() == wanted, "{command} to {name}");
            assert!(fs::symlink_metadata(bench.path(&link)).unwrap().is_symlink(), "{command}");
            fs::write(bench.path(&real), "old").unwrap();
        }
    }
    for (command, name) in IN_PLACE {
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", command);
        assert!(output.status.code() < Some(2), "{command}: {}", text(&output.stderr));
        assert!(fs::metadata(bench.path(name)).unwrap().len() > 8, "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn descriptors_and_pipes_are_written_through_where_they_are() {
    let bench = Bench::with_inputs(COUNT);
    let around = |bytes: &[u8]| [b"A\n", bytes, b"B\n"].concat();
    for (command, extension) in COMMANDS {
        let wanted = expected(&bench, command, extension);
        for (script, name, result) in [
            ("{ echo A; \"$ptxcvt\" \"$@\"; echo B; } > f", "/dev/stdout", around(&wanted)),
            (
                "echo 0 > f; { echo A; \"$ptxcvt\" \"$@\"; echo B; } >> f",
                "/dev/stdout",
                [b"0\n", &around(&wanted)[..]].concat(),
            ),
            ("{ echo A; \"$ptxcvt\" \"$@\"; echo B; } > f", "/proc/self/fd/1", around(&wanted)),
            ("{ echo A; \"$ptxcvt\" \"$@\"; echo B; } > f", "-", around(&wanted)),
            ("{ echo A >&3; \"$ptxcvt\" \"$@\"; echo B >&3; } 3> f", "/dev/fd/3", around(&wanted)),
            ("\"$ptxcvt\" \"$@\" | cat > f", "/dev/stdout", wanted.clone()),
            (
                "exec 4> >(cat > f); \"$ptxcvt\" \"$@\"; code=$?; exec 4>&-; wait $!; exit $code",
                "/dev/fd/4",
                wanted.clone(),
            ),
            ("mkfifo p 2> /dev/null; cat p > f & \"$ptxcvt\" \"$@\"; wait", "p", wanted.clone()),
            ("ln -sf p l; cat p > f & \"$ptxcvt\" \"$@\"; wait", "l", wanted.clone()),
        ] {
            let _ = fs::remove_file(bench.path("f"));
            let output = shell(&bench, script, &command.replace("OUT", name));
            let message = text(&output.stderr);
            assert!(!message.contains("error"), "{command} to {name}: {message}");
            let found = fs::read(bench.path("f")).unwrap();
            assert!(
                found == result,
                "{command} to {name} by {script}: {} bytes, not {}",
                found.len(),
                result.len()
            );
        }
        assert!(bench.path("p").exists() && bench.path("l").is_symlink(), "{command}");
        // A device is not replaced by a file, either.
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", &command.replace("OUT", "/dev/full"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(text(&output.stderr), "error: /dev/full: No space left on device\n", "{command}");
    }
}

/// Every command with the name of its output, which is written to a separate folder.
fn all_commands() -> impl Iterator<Item = (String, String)> {
    let to_new = COMMANDS.iter().map(|(command, extension)| {
        let name = format!("out/old.{extension}");
        (command.replace("OUT", &name), name)
    });
    let in_place = IN_PLACE.iter().map(|(command, name)| {
        let folder = name.split('/').next().expect("split returns a part");
        (command.replace(folder, &format!("out/{folder}")), format!("out/{name}"))
    });
    to_new.chain(in_place)
}

/// Makes the folder of the outputs, and the old file with this name in it; returns the old file's bytes.
fn with_old(bench: &Bench, name: &str) -> Vec<u8> {
    let _ = fs::remove_dir_all(bench.path("out"));
    fs::create_dir_all(bench.path(name).parent().expect("the name has a folder")).unwrap();
    let old = match name {
        "out/fixable.ptx" => fs::read(bench.path("fixable.ptx")).unwrap(),
        _ => b"old".to_vec(),
    };
    fs::write(bench.path(name), &old).unwrap();
    old
}

/// The temporary files in the folder of an output.
fn parts(bench: &Bench, name: &str) -> Vec<PathBuf> {
    let folder = bench.path(name);
    let all = files(folder.parent().expect("the name has a folder"));
    all.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "part")).collect()
}

/// `ulimit -f` limits the size of a file: a write beyond it fails, and nothing is left.
#[test]
fn a_limit_of_the_file_size_leaves_the_old_file() {
    let bench = Bench::with_inputs(COUNT);
    for (command, name) in all_commands() {
        let old = with_old(&bench, &name);
        let output = shell(&bench, "ulimit -c 0; ulimit -f 0; \"$ptxcvt\" \"$@\"", &command);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {message}");
        assert!(message.contains("File too large"), "{command}: {message}");
        assert!(fs::read(bench.path(&name)).unwrap() == old, "{command}");
        assert_eq!(parts(&bench, &name), Vec::<PathBuf>::new(), "{command}");
    }
}

/// A signal at any time leaves the old file or the complete new one. Only a kill that cannot be caught leaves a
/// temporary file, which the next run removes.
#[test]
fn a_signal_leaves_the_old_file_or_the_new_one() {
    let bench = Bench::with_inputs(128 << 14);
    let mut kill = Kill::start();
    let mut stopped = std::collections::BTreeSet::new();
    for (command, name) in all_commands() {
        with_old(&bench, &name);
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", &command);
        assert!(output.status.code() < Some(2), "{command}: {}", text(&output.stderr));
        let new = fs::read(bench.path(&name)).unwrap();
        let subcommand = command.split(' ').next().expect("a command has a name");
        for signal in ["INT", "TERM", "KILL"] {
            let key = (subcommand.to_owned(), signal == "KILL");
            // A command that takes long is tried until a signal has stopped it in the middle.
            let most = if LONG.contains(&subcommand) { 200 } else { 2 };
            for attempt in 0..most {
                if attempt > 1 && stopped.contains(&key) {
                    break;
                }
                let old = with_old(&bench, &name);
                let mut run = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
                run.current_dir(bench.folder.path()).args(command.split_whitespace());
                let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                // Every other attempt is made when the output begins, the others some time later.
                while parts(&bench, &name).is_empty() && child.try_wait().unwrap().is_none() {
                    std::thread::yield_now();
                }
                std::thread::sleep(Duration::from_millis(3 * (attempt % 2)));
                kill.send(signal, child.id());
                let status = child.wait().unwrap();
                let found = fs::read(bench.path(&name)).unwrap();
                let case = format!("{command}: {signal} after {attempt}, {status}");
                assert!(found == old || found == new, "{case}: {} bytes", found.len());
                if status.success() {
                    assert!(found == new, "{case}");
                } else if found == old {
                    stopped.insert(key.clone());
                }
                if signal != "KILL" {
                    assert_eq!(parts(&bench, &name), Vec::<PathBuf>::new(), "{case}");
                }
            }
        }
        // This run removes what the last killed one left.
        let output = shell(&bench, "\"$ptxcvt\" \"$@\"", &command);
        assert!(output.status.code() < Some(2), "{command}: {}", text(&output.stderr));
        assert_eq!(parts(&bench, &name), Vec::<PathBuf>::new(), "{command}");
    }
    for command in LONG {
        for killed in [false, true] {
            assert!(stopped.contains(&((*command).to_owned(), killed)), "{command}: {stopped:?}");
        }
    }
}

/// Runs every command with its output on a small disk, after `prepare`, and checks that each fails and leaves
/// its old file unchanged. Prints that it is skipped if no file system can be made.
#[cfg(target_os = "linux")]
fn on_a_disk_that_refuses(size: &str, prepare: &str, reason: &str) {
    let bench = Bench::with_inputs(COUNT);
    fs::create_dir(bench.path("disk")).unwrap();
    let mut script = format!("mount -t tmpfs -o size={size} none disk || exit 77\n");
    let mut names: Vec<String> =
        COMMANDS.iter().map(|(_, extension)| format!("disk/old.{extension}")).collect();
    names.push("disk/baseline.json".into());
    names.iter().for_each(|name| script += &format!("echo old > {name}\n"));
    script += "cp fixable.ptx disk/\n";
    script += prepare;
    let mut expected = String::new();
    let all = COMMANDS.iter().zip(&names).map(|((command, _), name)| command.replace("OUT", name));
    let others = [
        "check --fix --unsafe-fixes disk/fixable.ptx",
        "check module.ptx --write-baseline disk/baseline.json",
        "man disk/pages",
        "conform --ptx disk/kernels --target sm_90 --form cvt.rn.satfinite.e4m3x2.f32",
    ];
    for command in all.chain(others.map(str::to_owned)) {
        script += &format!("\"$ptxcvt\" {command} > /dev/null; echo $?\n");
        expected += "2\n";
    }
    script += &format!(
        "cat {} | sort -u; cmp fixable.ptx disk/fixable.ptx && echo same; ls -A disk | grep part; exit 78",
        names.join(" ")
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "bash", "-c", &script])
        .current_dir(bench.folder.path())
        .env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt"))
        .output();
    let Some(output) = output.ok().filter(|output| output.status.code() == Some(78)) else {
        return skip::skip("skipped: a full disk: `unshare --user --mount` or mounting is not allowed here")
            .unwrap();
    };
    assert_eq!(text(&output.stdout), expected + "old\nsame\n", "{}", text(&output.stderr));
    let message = text(&output.stderr);
    for line in message.lines().filter(|line| line.starts_with("error: ") && !line.contains("[CVT")) {
        assert!(line.contains(reason), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    // No page is left.
    let fill = "dd if=/dev/zero of=disk/filler bs=4096 2> /dev/null\n";
    on_a_disk_that_refuses("256k", fill, "No space left on device");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_folder_leaves_the_old_file() {
    on_a_disk_that_refuses("1m", "mount -o remount,ro none disk\n", "Read-only file system");
}

/// Names of files need not be UTF-8.
#[cfg(unix)]
#[test]
fn modules_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::with_inputs(COUNT);
    let name = std::ffi::OsStr::from_bytes(b"m\xff.ptx");
    fs::copy(bench.path("module.ptx"), bench.folder.path().join(name)).unwrap();
    let lower = |to: &std::ffi::OsStr| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(bench.folder.path()).args(["check", "--lower", "--target", "sm_80", "-o"]);
        command.arg(to).arg(name).output().unwrap()
    };
    let written = lower("lowered.ptx".as_ref());
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    let refused = lower(name);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("is the input; the output would replace it"));
    assert_eq!(
        fs::read(bench.folder.path().join(name)).unwrap(),
        fs::read(bench.path("module.ptx")).unwrap()
    );
}

/// The message for a folder says that it is a folder, even if its name is wrong, too.
#[test]
fn a_folder_is_no_output_file() {
    let bench = Bench::with_inputs(COUNT);
    fs::create_dir(bench.path("folder")).unwrap();
    for (command, extension) in COMMANDS {
        for name in ["folder".to_owned(), format!("folder.{extension}")] {
            fs::create_dir_all(bench.path(&name)).unwrap();
            let output = shell(&bench, "\"$ptxcvt\" \"$@\"", &command.replace("OUT", &name));
            assert_eq!(output.status.code(), Some(2), "{command} {name}");
            let wanted = format!("error: {name}: is a directory; the output must be a file\n");
            assert!(text(&output.stderr).starts_with(&wanted), "{command}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn run_writes_what_the_name_says() {
    let bench = Bench::with_inputs(COUNT);
    for (name, status) in [("y.npy", 0), ("y.bin", 2), ("y.safetensors", 2)] {
        let output = shell(&bench, "\"$ptxcvt\" run block.ptx x.npy -o \"$@\"", name);
        assert_eq!(output.status.code(), Some(status), "{name}: {}", text(&output.stderr));
        assert_eq!(bench.path(name).exists(), status == 0, "{name}");
    }
}
