//! Runs `ptxcvt conform` with the stand-in for the GPU driver's library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxcvt::IsaVersion;

/// The stand-in's library, which cargo builds next to this test.
fn library() -> PathBuf {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::env::current_exe().unwrap().with_file_name(format!("{prefix}stand_in_driver{suffix}"))
}

/// A new folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conform").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn conform(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.arg("conform").args(arguments).env("PTXCVT_LIBCUDA", library()).env_remove("PTXCVT_STAND_IN");
    command
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    ended(conform(arguments).output().unwrap())
}

fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("an exit status, not a signal"), text(output.stdout), text(output.stderr))
}

#[test]
fn an_honest_gpu() {
    let (status, out, err) = run(&["--device", "--quick"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let isa = IsaVersion::NEWEST_RELEASED;
    let (major, minor) = isa.cuda_release().unwrap();
    assert!(out.starts_with(&format!("Stand-in A (sm_100a, PTX ISA {isa}, CUDA {major}.{minor}")), "{out}");
    let forms = ptxcvt_conform::kernel::forms("sm_100a".parse().unwrap(), isa).len();
    assert!(out.contains(&format!("\n{forms} forms, ")), "{out}");
    assert!(out.ends_with(" inputs: 0 differences, 0 deviations\n"), "{out}");
}

#[test]
fn a_gpu_that_lies_in_one_bit() {
    let (status, out, _) = run(&["--device", "1", "--form", "cvt.f32.f16"]);
    assert_eq!(status, 1);
    assert!(out.contains("\ncvt.f32.f16 3c01\n    reference 3f802000, found 3f800000\n"), "{out}");
    assert!(out.ends_with("1 form, 65536 inputs: 1 difference, 0 deviations\n"), "{out}");
    let (status, out, _) = run(&["--device=1", "--form", "cvt.f32.f16", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, json["differences"].as_u64(), json["inputs"].as_u64()), (1, Some(1), Some(65_536)));
    assert_eq!(json["subject"]["target"], "sm_100a");
    assert_eq!(json["forms"][0]["form"], "cvt.f32.f16");
    assert_eq!(json["forms"][0]["examples"][0]["operands"][0], 0x3c01);
}

#[test]
fn no_gpu_is_one_sentence_and_status_2() {
    let (status, out, err) = ended(conform(&["--device"]).env("PTXCVT_STAND_IN", "none").output().unwrap());
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "error: the NVIDIA driver finds no GPU here\n");
    let (status, out, err) = run(&["--device", "--driver", "/nowhere/libcuda.so.1"]);
    assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
    assert!(err.starts_with("error: no NVIDIA driver here: /nowhere/libcuda.so.1 cannot be loaded"), "{err}");
    let (status, _, err) = run(&["--device", "77"]);
    assert_eq!((status, err.as_str()), (2, "error: there is no GPU 77: the driver numbers its 6 from 0\n"));
}

#[test]
fn recordings_replay_from_their_folder() {
    let folder = folder("recording");
    let path = folder.to_str().unwrap();
    // sm_90 does not have this form.
    let (status, ..) = run(&["--device", "2", "--form", ".ue8m0x2", "--record", path]);
    assert_eq!(status, 2);
    let (status, ..) = run(&["--device", "0", "--form", ".ue8m0x2", "--record", path]);
    assert_eq!(status, 0);
    assert!(folder.join("cvt_rn_bf16x2_ue8m0x2.tsv").is_file());
    let (status, out, _) = run(&[path]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("cvt.rn.bf16x2.ue8m0x2"), "{out}");
    // An altered result is found.
    let file = folder.join("cvt_rn_bf16x2_ue8m0x2.tsv");
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|l| l.starts_with("cvt") && !l.contains("sha256")).unwrap();
    let (rest, _) = line.rsplit_once('\t').unwrap();
    std::fs::write(&file, text.replace(line, &format!("{rest}\t7fff7fff"))).unwrap();
    let (status, out, _) = run(&[path]);
    assert_eq!(status, 1);
    assert!(out.ends_with(" 1 difference, 0 deviations\n"), "{out}");
}

#[cfg(unix)]
#[test]
fn recordings_need_a_folder() {
    for (name, what) in [("-", "standard output"), ("/dev/null", "a file")] {
        let (status, _, error) = run(&["--device", "0", "--form", ".ue8m0x2", "--record", name]);
        assert_eq!(status, 2);
        assert!(
            error.starts_with(&format!("error: {name}: is {what}; the output must be a folder")),
            "{error}"
        );
    }
}

/// `ulimit -f` kills the process in the middle of its first write.
#[cfg(unix)]
#[test]
fn a_recording_is_complete_or_the_old_one_stays() {
    let folder = folder("killed");
    let file = folder.join("cvt_rn_bf16x2_ue8m0x2.tsv");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, "old").unwrap();
    let inner = conform(&["--device", "0", "--form", ".ue8m0x2", "--record", folder.to_str().unwrap()]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -c 0; ulimit -f 0; exec \"$@\"", "sh"]);
    limited.arg(inner.get_program()).args(inner.get_args());
    limited.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(!limited.output().unwrap().status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn malformed_vectors_are_named_with_their_line() {
    let folder = folder("malformed");
    let cases: [(&str, &[u8], &str); 6] = [
        ("empty.tsv", b"", "empty.tsv:1: no vector file: the first line must be `# ptxcvt-vectors: 1`\n"),
        ("other.tsv", b"a\tb\tc\n", "other.tsv:1: no vector file: the first line must be"),
        ("short.tsv", b"# ptxcvt-vectors: 1\ncvt.rn.f16.f32\t0\n", "short.tsv:2: 2 columns: expected"),
        ("form.tsv", b"# ptxcvt-vectors: 1\n\ncvt.f16.f32\t0\t0\n", "form.tsv:3: `cvt.f16.f32`: a rounding"),
        (
            "wide.tsv",
            b"# ptxcvt-vectors: 1\ncvt.rn.f16.f32\t0\t12345\n",
            "wide.tsv:2: result: 12345 does not fit",
        ),
        (
            "binary.tsv",
            b"# ptxcvt-vectors: 1\n\xff\xfe\x00",
            "binary.tsv: it is not UTF-8 (first at byte 20)",
        ),
    ];
    for (name, bytes, message) in cases {
        let file = folder.join(name);
        std::fs::write(&file, bytes).unwrap();
        let (status, out, err) = run(&[file.to_str().unwrap()]);
        assert_eq!((status, out.as_str()), (2, ""), "{name}: {err}");
        assert!(err.starts_with("error: ") && err.contains(message), "{name}: {err}");
    }
    let (status, _, err) = run(&[folder.join("absent").to_str().unwrap()]);
    assert!(status == 2 && err.contains("absent"), "{err}");
    let nothing = folder.join("nothing");
    std::fs::create_dir(&nothing).unwrap();
    let (status, _, err) = run(&[nothing.to_str().unwrap()]);
    assert!(status == 2 && err.contains("there is no .tsv file in it or below"), "{err}");
}

#[test]
fn kernels_are_written_by_target_and_version() {
    let folder = folder("kernels");
    let path = folder.to_str().unwrap();
    let (status, out, _) = run(&["--ptx", path, "--target", "sm_89"]);
    assert_eq!((status, out.as_str()), (0, "767 kernels in 2 files\n"));
    let text = std::fs::read_to_string(folder.join("sm_89-isa-8.1.ptx")).unwrap();
    assert!(text.contains(".version 8.1\n.target sm_89\n"));
    let (status, out, _) = run(&["--ptx", path, "--target", "sm_89", "--isa", "7.8"]);
    assert_eq!(
        (status, out.starts_with("7"), out.ends_with(" kernels in 1 file\n")),
        (0, true, true),
        "{out}"
    );
}

#[test]
fn a_part_of_the_forms() {
    let folder = folder("part");
    let path = folder.to_str().unwrap();
    let (status, out, _) = run(&["--ptx", path, "--target", "sm_90", "--form", "e4m3x2"]);
    assert_eq!(status, 0, "{out}");
    let text = std::fs::read_to_string(folder.join("sm_90-isa-7.8.ptx")).unwrap();
    let entries = text.lines().filter(|line| line.starts_with(".visible .entry"));
    assert!(entries.clone().count() > 0 && entries.clone().all(|line| line.contains("e4m3x2")));
    let (status, _, err) = run(&["--ptx", path, "--target", "sm_120", "--isa", "8.0"]);
    assert_eq!(
        (status, err.as_str()),
        (2, "error[CVT012]: PTX ISA 8.0 does not have sm_120, which exists from ISA 8.7 on\n")
    );
    let (status, _, err) = run(&["--ptx", path, "--form", "nowhere"]);
    assert!(status == 2 && err.contains("there is no kernel to write"), "{err}");
    let vectors = folder.join("vectors.tsv");
    let lines = "cvt.rn.f16.f32\t3f800000\t3c00\ncvt.f32.f16\t3c00\t3f800001\n";
    std::fs::write(&vectors, format!("# ptxcvt-vectors: 1\n{lines}")).unwrap();
    let path = vectors.to_str().unwrap();
    assert_eq!(run(&[path]).0, 1);
    let (status, out, _) = run(&[path, "--form", ".f16.f32"]);
    assert_eq!((status, out.contains("1 form, 1 input: 0 differences")), (0, true), "{out}");
    assert_eq!(run(&[path, "--record", "x"]).0, 2);
}

#[test]
fn nothing_compared_is_no_success() {
    let file = folder("header").join("header.tsv");
    std::fs::write(&file, "# ptxcvt-vectors: 1\n# gpu: none\n").unwrap();
    let (status, out, err) = run(&[file.to_str().unwrap()]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "error: nothing was compared: no vector or kernel was found\n");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for arguments in [
        &[][..],
        &["--record", "x"],
        &["--device", "--ptx", "x"],
        &["--device", "--quick", "--exhaustive"],
        &["--device", "--target", "sm_90"],
        &["--ptxas", "/nowhere/ptxas"],
    ] {
        let (status, out, err) = run(arguments);
        assert_eq!((status, out.as_str(), err.is_empty()), (2, "", false), "{arguments:?}: {err}");
    }
}

#[test]
fn live_legality() {
    let Some(path) = std::env::var_os("PTXCVT_PTXAS") else {
        eprintln!("not asked for: PTXCVT_PTXAS names no assembler");
        return;
    };
    let (status, out, _) = run(&["--ptxas", path.to_str().unwrap(), "--quick"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains(" verdicts: 0 disagreements, "), "{out}");
}
