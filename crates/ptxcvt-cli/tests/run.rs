//! `ptxcvt run` over arrays and lines, compared with the library's exact implementation; and errors.

mod common;

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::{Bench, floats, write_npy};
use ptxcvt_exec::read::{self, Interface};

fn command(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(bench.folder.path()).arg("run").args(arguments);
    command
}

fn run(bench: &Bench, arguments: &[&str]) -> Output {
    command(bench, arguments).output().unwrap()
}

fn message(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Two inputs, two outputs of different widths, and a number of elements that is not a multiple of any block
/// of lanes.
#[test]
fn arrays_in_arrays_out() {
    let text =
        "{ .reg .b16 h; cvt.rn.f16x2.f32 %0, %2, %3; cvt.rn.satfinite.e4m3x2.f32 h, %3, %2; mov.b16 %1, h; }";
    let constraints = "=r,=h,f,f";
    let bench = Bench::new();
    let (x, y) = (floats(7 * 451, 1), floats(7 * 451, 2));
    write_npy(&bench.path("x.npy"), &x, &[7, 451]);
    write_npy(&bench.path("y.npy"), &y, &[7, 451]);
    let arguments = ["--constraints", constraints, text, "x.npy", "y.npy", "-o", "d.npy", "-o", "e.npy"];
    let output = run(&bench, &arguments);
    assert!(output.status.success(), "{output:?}");
    let block = read::block(text, &Interface::constraints(constraints).unwrap()).unwrap();
    let expected: Vec<Vec<u64>> = x
        .iter()
        .zip(&y)
        .map(|(x, y)| block.eval(&[x.to_bits().into(), y.to_bits().into()]).unwrap())
        .collect();
    let d = fs::read(bench.path("d.npy")).unwrap();
    let d = npyz::NpyFile::new(&d[..]).unwrap();
    assert_eq!(d.header().shape(), [7, 451]);
    let d: Vec<u64> = d.into_vec::<u32>().unwrap().into_iter().map(u64::from).collect();
    assert_eq!(d, expected.iter().map(|results| results[0]).collect::<Vec<_>>());
    let e = fs::read(bench.path("e.npy")).unwrap();
    let e: Vec<u64> =
        npyz::NpyFile::new(&e[..]).unwrap().into_vec::<u16>().unwrap().into_iter().map(u64::from).collect();
    assert_eq!(e, expected.iter().map(|results| results[1]).collect::<Vec<_>>());
}

/// `run` accepts big-endian arrays as `convert` does.
#[test]
fn big_endian_arrays_are_read() {
    let bench = Bench::new();
    let text = "cvt.rn.f16.f32 %0, %1;";
    let little: Vec<u8> = [1.5_f32, -0.1, 65504.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let big: Vec<u8> = little.chunks_exact(4).flat_map(|x| x.iter().rev().copied()).collect();
    let write = |name: &str, dtype: &str, data: &[u8]| {
        let header = ptxcvt_files::npy_header(dtype, false, &[3]);
        fs::write(bench.path(name), [&header[..], data].concat()).unwrap();
    };
    write("little.npy", "'<f4'", &little);
    write("big.npy", "'>f4'", &big);
    for name in ["little", "big"] {
        let (from, to) = (format!("{name}.npy"), format!("{name}.out.npy"));
        let output = run(&bench, &[text, &from, "-o", &to]);
        assert!(output.status.success(), "{output:?}");
    }
    let read = |name| fs::read(bench.path(name)).unwrap();
    assert_eq!(read("little.out.npy"), read("big.out.npy"));
    // The bytes of each part are reversed, so a complex number of 64 bits is not a big-endian register.
    fs::write(
        bench.path("complex.npy"),
        [ptxcvt_files::npy_header("'>c8'", false, &[1]), vec![0; 8]].concat(),
    )
    .unwrap();
    let failed = message(&run(&bench, &["mov.b64 %0, %1;", "complex.npy", "-o", "d.npy"]));
    assert!(failed.contains("big-endian complex numbers (>c8) are not supported"), "{failed}");
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &floats(6, 1), &[6]);
    write_npy(&bench.path("y.npy"), &floats(6, 1), &[2, 3]);
    let text = "cvt.rn.f16x2.f32 %0, %1, %2;";
    let shapes = message(&run(&bench, &[text, "x.npy", "y.npy", "-o", "d.npy"]));
    assert!(shapes.contains("y.npy: shape [2, 3] where x.npy has [6]"), "{shapes}");
    let few = message(&run(&bench, &[text, "x.npy", "-o", "d.npy"]));
    assert!(few.contains("the block takes 2 inputs, not 1"), "{few}");
    let wrong = message(&run(&bench, &["cvt.f32.f16 %0, %1;", "x.npy", "-o", "d.npy"]));
    assert!(wrong.contains("x.npy: holds <f4, but the input %1 is .f16"), "{wrong}");
    let output = message(&run(&bench, &[text, "x.npy", "x.npy"]));
    assert!(output.contains("-o FILE is required once for each output: 1, not 0"), "{output}");
    assert!(!bench.path("d.npy").exists());
}

/// Each input line has an output line, in order; an invalid line does not stop the others.
#[test]
fn lines_in_lines_out() {
    let bench = Bench::new();
    let mut child = command(&bench, &["cvt.rn.f16x2.f32 %0, %1, %2;", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "3f800000 40000000\n0x3f800000, 0\n1 2 3\n\n1g 0\n100000000 0\nbf800000\tff800000";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "3c004000\n3c000000\nerror[CVT020]: the block takes 2 inputs, not 3\n\n\
                    error[CVT021]: operand %1 = `1g`, .f32: not a number for `.f32`: write 1.5, -inf, nan, or \
                    bits as 0x3f800000\n\
                    error[CVT022]: operand %1 = `100000000`, .f32: does not fit in 32 bits\nbc00fc00\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

/// A line that is too long is an error, and is not kept in memory; the next one is read.
#[test]
fn a_line_that_is_too_long() {
    let bench = Bench::new();
    let mut child = command(&bench, &["cvt.rn.f16.f32 %0, %1;", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let longest = format!("{}3f800000", " ".repeat((1 << 16) - 8));
    let lines = format!("{longest}\n {longest}\n{}\n3f800000\n {longest}", "1 ".repeat(1 << 17));
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let long = "error[CVT021]: the line is longer than 65536 bytes";
    let expected = format!("3c00\n{long}\n{long}\n3c00\n{long}\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(1));
}

/// Empty lines and comments have empty output lines and are not failures, as in `eval -`.
#[test]
fn empty_lines_and_comments() {
    let bench = Bench::new();
    let mut child = command(&bench, &["cvt.rn.f16x2.f32 %0, %1, %2;", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "\n# a comment\n3f800000 40000000 // another\n   \n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "\n\n3c004000\n\n");
    assert_eq!(output.status.code(), Some(0));
}

/// The exit status does not depend on the reader: a line after the ones it read failed.
#[test]
fn the_status_does_not_depend_on_the_reader() {
    let bench = Bench::new();
    let mut child = command(&bench, &["cvt.rn.f16x2.f32 %0, %1, %2;", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let lines = "3f800000 40000000\n".repeat(20_000) + "no number\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // One difference, without a reader.
    let mut prove = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    let mut child = prove
        .args(["prove", "cvt.rn.bf16.f16", "cvt.rz.bf16.f16", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Two outputs never share a file or a stream; names of one file that are hard links become two files.
#[cfg(unix)]
#[test]
fn each_output_has_its_own_file() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &floats(6, 1), &[6]);
    std::fs::write(bench.path("old.npy"), "old").unwrap();
    let block = ["{mov.b32 %0, %2; not.b32 %1, %2;}", "--constraints", "=r,=r,r", "x.npy", "-o"];
    std::os::unix::fs::symlink("y.npy", bench.path("link.npy")).unwrap();
    for [a, b] in [
        ["y.npy", "y.npy"],
        ["y.npy", "./y.npy"],
        ["old.npy", "./old.npy"],
        ["link.npy", "y.npy"],
        ["-", "-"],
        ["-", "/dev/stdout"],
    ] {
        let output = run(&bench, &[&block[..], &[a, "-o", b]].concat());
        assert_eq!(output.status.code(), Some(2), "{a} {b}");
        assert!(message(&output).contains(&format!("{b}: another output writes the same file")), "{a} {b}");
        assert!(output.stdout.is_empty() && !bench.path("y.npy").exists());
    }
    std::fs::hard_link(bench.path("old.npy"), bench.path("hard.npy")).unwrap();
    for [a, b] in [["/dev/null", "/dev/null"], ["old.npy", "hard.npy"]] {
        assert!(run(&bench, &[&block[..], &[a, "-o", b]].concat()).status.success(), "{a} {b}");
    }
    assert_ne!(std::fs::read(bench.path("old.npy")).unwrap(), std::fs::read(bench.path("hard.npy")).unwrap());
    assert!(run(&bench, &[&block[..], &["y.npy", "-o", "z.npy"]].concat()).status.success());
    let joined =
        ["{mov.b32 %0, %2; not.b32 %1, %2;}", "--constraints", "=r,=r,r", "x.npy", "-oy.npy", "-oz.npy"];
    assert!(run(&bench, &joined).status.success());
}

/// `-o` names a .npy file, or a device or pipe; other endings are refused, and nothing is written.
#[test]
fn outputs_are_npy_files() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &floats(6, 1), &[6]);
    let output = message(&run(&bench, &["xor.b32 %0, %1, %1;", "x.npy", "-o", "y.bin"]));
    assert!(output.contains("`run` writes .npy files, not .bin") && output.contains("y.npy"), "{output}");
    assert!(!bench.path("y.bin").exists());
}

/// A `.cu` file is compiled by nvcc: here by a script in its place that writes a module and reads it.
#[cfg(unix)]
#[test]
fn sources_are_compiled() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    fs::write(bench.path("k.cu"), "__device__ unsigned f(unsigned x) { return x + 1; }").unwrap();
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) _Z1fj (.param .b32 x)\n\
               { .reg .b32 t; ld.param.b32 t, [x]; add.u32 t, t, 1; st.param.b32 [r], t; ret; }\n";
    fs::create_dir_all(bench.path("toolkit/bin")).unwrap();
    let nvcc = bench.path("toolkit/bin/nvcc");
    // nvcc has the module read by ptxas.
    let script = format!(
        "#!/bin/sh\n[ \"$1 $2 $3 $5 $6\" = \"-ptx -rdc=true -o k.cu $WITH\" ] || exit 1\n\
         cat >\"$4\" <<'E'\n{ptx}E\nexec grep -q add.u32 \"$4\"\n"
    );
    fs::write(&nvcc, script).unwrap();
    fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o755)).unwrap();
    let with = |arguments: &[&str], home: &str, target: &str| {
        let mut command = command(&bench, arguments);
        command.env("CUDA_HOME", home).env_remove("CUDA_PATH").env("WITH", target);
        command.env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    let output = with(
        &["k.cu", "--function", "f", "--nvcc", "toolkit/bin/nvcc", "--nvcc-target", "sm_90", "6"],
        "",
        "-arch=sm_90",
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "r = 0x00000007 (7)\n", "{output:?}");
    let failed = message(&with(&["k.cu", "--function", "f", "6"], "toolkit", "-arch=sm_90"));
    assert!(failed.contains("k.cu: nvcc failed"), "{failed}");
    if !std::path::Path::new("/usr/local/cuda/bin/nvcc").is_file() {
        let missing = message(&with(&["k.cu", "--function", "f", "6"], "", ""));
        assert!(
            missing.contains(
                "k.cu: there is no nvcc in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda to compile it"
            ),
            "{missing}"
        );
    }
}

/// A block is read from a FIFO and from an open descriptor as from a file, as in `prove FORM <(generator)`.
#[cfg(target_os = "linux")]
#[test]
fn a_block_may_come_from_a_pipe() {
    let bench = Bench::new();
    for (subcommand, arguments, expected) in
        [("run", &["/dev/stdin", "1.5"][..], "0x3e00"), ("prove", &["cvt.f32.f16", "/dev/stdin"], "proven")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(bench.folder.path()).arg(subcommand).args(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let opcode = if subcommand == "run" { "cvt.rn.f16.f32" } else { "cvt.f32.f16" };
        let block = format!("{{ {opcode} %0, %1; }}");
        child.stdin.take().unwrap().write_all(block.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(expected), "{subcommand}: {output:?}");
    }
}
