//! Installs artefacts where nothing else is, as a user would, and asks each a question whose answer is known.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::archive::unpack;
use super::contents::{LICENCES, PAGE_FILES};
use super::folder::{copy, empty, find};
use super::platform::Platform;
use super::{c, command, rooted, vsix, wheel as package, windows};
use crate::run::{is_installed, output, succeed};
use crate::skip::skip;

/// A conversion and its result, which every artefact must return.
pub const OPCODE: &str = "cvt.rn.satfinite.e4m3x2.f32";
const RESULT: &str = "3cfe";

/// The libraries that the command may need: those of the C library.
const C_LIBRARY: &[&str] =
    &["ld-linux", "libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "linux-vdso"];

/// An empty folder for a test.
pub fn place(out: &Path, name: &str) -> Result<PathBuf, String> {
    empty(&out.with_file_name("dist-check").join(name))
}

/// Reports what was tested if the answer has the result.
pub fn answered(who: &str, text: &str) -> Result<(), String> {
    if !text.contains(RESULT) {
        return Err(format!("{who} answered `{}`, expected {RESULT}", text.trim()));
    }
    println!("tested: {who}");
    Ok(())
}

/// Unpacks the command's archive in an empty folder. Returns the folder and the program in it.
fn unpacked(out: &Path, platform: Platform) -> Result<(PathBuf, PathBuf), String> {
    let name = command::name(platform);
    let folder = place(out, &format!("command-{}", platform.name()))?;
    unpack(&out.join(format!("{name}.tar.gz")), &folder)?;
    let inside = folder.join(&name);
    match command::HELP.iter().find(|file| !inside.join(file).is_file()) {
        Some(file) => Err(format!("{name}: {file} is missing")),
        None => Ok((folder, inside.join(platform.program("ptxcvt")))),
    }
}

/// Runs the command in a root folder that has the C library and nothing else, or not even that, and looks for the files
/// of the explorer in it. The static command of another machine needs its emulator there.
pub fn command(out: &Path, platform: Platform) -> Result<(), String> {
    let name = command::name(platform);
    let (root, program) = unpacked(out, platform)?;
    let inside = format!("/{name}/ptxcvt");
    let mut start = vec![&*inside];
    let place = if platform.is_static() && !platform.is_here() {
        let emulator = match platform.emulator() {
            Ok(emulator) => emulator,
            Err(why) => return skip(&format!("not tested: {name}, which {why}")),
        };
        rooted::libraries(&emulator).iter().try_for_each(|library| rooted::add_library(library, &root))?;
        copy(&emulator, &root.join("emulator"))?;
        start.insert(0, "/emulator");
        "a root with only its emulator"
    } else if platform.is_static() {
        "a root with nothing else"
    } else {
        c_library(&name, &program, &root)?;
        "a root with only a C library"
    };
    let ask = |arguments: &[&str]| rooted::ask(&root, start[0], &[&start[1..], arguments].concat());
    answered(&format!("{name} in {place}"), &ask(&["eval", OPCODE, "1.55", "-999"])?)?;
    files_are_read_and_written(&root, &ask)?;
    if platform.is_static() {
        let refusal = ask(&["conform", "--device"]).err().unwrap_or_default();
        if !refusal.contains("error: a statically linked program cannot load the NVIDIA driver") {
            return Err(format!(
                "{name}: conform --device said `{refusal}`, not that it cannot load the driver"
            ));
        }
    }
    // The block is for this platform's archive.
    if platform == Platform::LinuxX86_64Static && platform.is_here() {
        first_block(out, &name, &root)?;
    }
    let bytes = fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))?;
    for (part, file) in [("<!doctype html>", PAGE_FILES[0]), ("ptxcvtPage.provide(", PAGE_FILES[1])] {
        let part = part.as_bytes();
        if !bytes.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part)) {
            return Err(format!("{name}: the explorer's {file} is not inside"));
        }
    }
    Ok(())
}

/// Runs the first block of the README, in an empty folder with the archive.
fn first_block(out: &Path, name: &str, unpacked: &Path) -> Result<(), String> {
    let readme = unpacked.join(name).join("README.md");
    let readme = fs::read_to_string(&readme).map_err(|e| format!("{}: {e}", readme.display()))?;
    let block = readme.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.ok_or("README.md: no block of a shell")?;
    let folder = place(out, "first")?;
    let archive = format!("{name}.tar.gz");
    copy(&out.join(&archive), &folder.join(&archive))?;
    answered(
        "the first block of the README, with the archive",
        &output(Command::new("sh").current_dir(&folder).args(["-e", "-c", block]))?,
    )
}

/// Asks the command in `root` where a form is legal, and to check a module and to convert an array there.
fn files_are_read_and_written(
    root: &Path,
    ask: &dyn Fn(&[&str]) -> Result<String, String>,
) -> Result<(), String> {
    let place = ask(&["where", OPCODE])?;
    if !place.contains("sm_89") {
        return Err(format!("where {OPCODE} answered `{}`, without sm_89", place.trim()));
    }
    let write =
        |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).map_err(|e| format!("{name}: {e}"));
    let module = ".version 8.1\n.target sm_89\n.address_size 64\n.visible .entry k()\n{\n    .reg .b16 %d;\n    .reg \
                  .f32 %a;\n    mov.f32 %a, 0f3fc66666;\n    cvt.rn.satfinite.e4m3x2.f32 %d, %a, %a;\n    ret;\n}\n";
    write("module.ptx", module.as_bytes())?;
    let checked = ask(&["check", "/module.ptx"])?;
    if !checked.contains("1 conversion checked") {
        return Err(format!("check answered `{}`", checked.trim()));
    }
    // An array of NumPy: its header, padded to 64 bytes, and two numbers.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    let mut array = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    array.extend(format!("{header:<117}\n").bytes());
    array.extend([-999_f32, 1.55].into_iter().flat_map(f32::to_le_bytes));
    write("array.npy", &array)?;
    ask(&["convert", OPCODE, "/array.npy", "-o", "/codes.npy"])?;
    let codes = fs::read(root.join("codes.npy")).map_err(|e| format!("codes.npy: {e}"))?;
    if !codes.ends_with(&[0xfe, 0x3c]) {
        return Err(format!("codes.npy ends with {:x?}, not fe 3c", codes.last_chunk::<2>()));
    }
    Ok(())
}

/// Copies the libraries that a program needs into a root folder. Fails if one is not part of the C library.
fn c_library(name: &str, program: &Path, root: &Path) -> Result<(), String> {
    let libraries = rooted::libraries(program);
    if libraries.is_empty() {
        return Err(format!("{name}: ldd names no libraries"));
    }
    for library in libraries {
        if !C_LIBRARY.iter().any(|known| {
            library.rsplit('/').any(|part| part.starts_with(known)) || library.starts_with(known)
        }) {
            return Err(format!("{name}: needs {library}, which is not part of the C library"));
        }
        rooted::add_library(&library, root)?;
    }
    Ok(())
}

/// Runs the command of another platform under an emulator, where one is installed.
pub fn emulated(root: &Path, out: &Path, platform: Platform) -> Result<(), String> {
    let name = command::name(platform);
    let (_, program) = unpacked(out, platform)?;
    if !platform.is_linux() {
        windows::needs_only_windows(&program)?;
    }
    let mut ask = match platform.emulated(root, &program) {
        Ok(ask) => ask,
        Err(why) => return skip(&format!("not tested: {name}, which {why}")),
    };
    match output(ask.args(["eval", OPCODE, "1.55", "-999"])) {
        Ok(answer) => answered(&format!("{name}, emulated"), &answer),
        Err(why) => match windows::lacks(&why) {
            Some(library) => skip(&format!("not tested: {name}, which needs {library}: this Wine lacks it")),
            None => Err(why),
        },
    }
}

/// Unpacks the extension and looks for what it must contain.
pub fn vsix(out: &Path) -> Result<(), String> {
    let folder = place(out, "vsix")?;
    let file = vsix::file(out);
    // A .vsix is a zip archive.
    output(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&file).arg(&folder))?;
    let extension = folder.join("extension");
    let package =
        fs::read_to_string(extension.join("package.json")).map_err(|e| format!("package.json: {e}"))?;
    let package: serde_json::Value =
        serde_json::from_str(&package).map_err(|e| format!("package.json: {e}"))?;
    let main = package["main"].as_str().ok_or("package.json: no main program")?;
    for part in [main, "syntaxes/ptx.tmLanguage.json", "language-configuration.json", "icons/ptxcvt.png"] {
        if !extension.join(part).is_file() {
            return Err(format!("{}: {part} is missing", file.display()));
        }
    }
    if extension.join("node_modules").exists() {
        return Err(format!("{}: contains packages that the bundle holds already", file.display()));
    }
    // The bundle must load without any other package; VS Code's own is replaced by one that has every name.
    let load = "const any = new Proxy(class {}, { get: (t, key) => (key in t ? t[key] : any) });
const modules = require('module'), load = modules._load;
modules._load = (name, ...rest) => (name === 'vscode' ? any : load(name, ...rest));
console.log(Object.keys(require(process.argv[1])).join());";
    let exported =
        output(Command::new("node").current_dir(&folder).args(["-e", load]).arg(extension.join(main)))?;
    if !exported.contains("activate") {
        return Err(format!("{}: exports {}, not activate", file.display(), exported.trim()));
    }
    println!("tested: the extension loads alone");
    Ok(())
}

/// Installs the wheel in a fresh environment.
pub fn wheel(out: &Path, platform: Platform) -> Result<(), String> {
    let venv = place(out, "venv")?;
    output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let python = venv.join("bin/python");
    let file = package::file(out, platform)?;
    let mut pip = Command::new(&python);
    succeed(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).arg(&file))?;
    let licences = format!(
        "from importlib.metadata import files; print([f.read_text() for f in files('ptxcvt') if f.name == '{LICENCES}'])"
    );
    if !output(Command::new(&python).arg("-c").arg(licences))?.contains("pyo3 ") {
        return Err(format!("{}: {LICENCES} is missing", file.display()));
    }
    let question = format!("import ptxcvt; print(hex(ptxcvt.cvt('{OPCODE}', 1.55, -999.0)))");
    let mut ask = Command::new(&python);
    answered("the wheel in a fresh environment", &output(ask.current_dir(&venv).arg("-c").arg(question))?)
}

/// Compiles a program with the C library from its archive, through pkg-config and through CMake.
pub fn c(out: &Path, platform: Platform) -> Result<(), String> {
    let name = c::name(platform);
    let root = place(out, "c")?;
    unpack(&out.join(format!("{name}.tar.gz")), &root)?;
    let library = root.join(&name);
    let source = format!(
        "#include <ptxcvt.h>\n#include <stdio.h>\nint main(void) {{\n  ptxcvt_form_t form;\n  ptxcvt_message why;\n  if \
         (ptxcvt_form(\"{OPCODE}\", &form, &why) != PTXCVT_STATUS_OK) return 1;\n  uint64_t operands[2] = \
         {{0x3fc66666, 0xc479c000}}, d;\n  ptxcvt_eval(form, operands, 2, &d);\n  printf(\"%llx\\n\", (unsigned long \
         long)d);\n}}\n"
    );
    let write = |name: &str, text: &str| fs::write(root.join(name), text).map_err(|e| format!("{name}: {e}"));
    write("main.c", &source)?;
    if is_installed("pkg-config") && is_installed("cc") {
        let mut find = Command::new("pkg-config");
        find.env("PKG_CONFIG_PATH", library.join("lib/pkgconfig")).args(["--cflags", "--libs", "ptxcvt"]);
        let flags = output(&mut find)?;
        let mut compile = Command::new("cc");
        succeed(
            compile.current_dir(&root).arg("main.c").args(flags.split_whitespace()).args(["-o", "main"]),
        )?;
        let mut main = Command::new(root.join("main"));
        answered(
            &format!("{name} through pkg-config"),
            &output(main.env("LD_LIBRARY_PATH", library.join("lib")))?,
        )?;
    } else {
        skip(&format!("not tested: {name} through pkg-config, which needs pkg-config and cc"))?;
    }
    if !is_installed("cmake") {
        return skip(&format!("not tested: {name} through CMake, which is not installed"));
    }
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(question C)\nfind_package(ptxcvt 0.1 \
         REQUIRED)\nadd_executable(linked main.c)\ntarget_link_libraries(linked ptxcvt::ptxcvt)\nadd_executable(contained \
         main.c)\ntarget_link_libraries(contained ptxcvt::static)\n",
    )?;
    let mut configure = Command::new("cmake");
    configure.current_dir(&root).args(["-S", ".", "-B", "build"]);
    output(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", library.display())))?;
    output(Command::new("cmake").current_dir(&root).args(["--build", "build"]))?;
    for program in ["linked", "contained"] {
        answered(
            &format!("{name} through CMake, {program}"),
            &output(&mut Command::new(root.join("build").join(program)))?,
        )?;
    }
    Ok(())
}

/// Installs the npm package in an empty project.
pub fn npm(out: &Path) -> Result<(), String> {
    let project = place(out, "npm")?;
    fs::write(project.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")
        .map_err(|e| format!("package.json: {e}"))?;
    let package = find(out, "ptxcvt-", ".tgz")?;
    let mut install = Command::new("npm");
    install.current_dir(&project).args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
    succeed(install.arg(&package))?;
    let question = format!(
        "import {{ start, convert }} from \"ptxcvt\";\nawait start();\nconsole.log(convert(\"{OPCODE}\", [\"1.55\", \
         \"-999\"], \"\", \"\").evaluation.result);\n"
    );
    fs::write(project.join("ask.mjs"), question).map_err(|e| format!("ask.mjs: {e}"))?;
    answered(
        "the npm package in an empty project",
        &output(Command::new("node").current_dir(&project).arg("ask.mjs"))?,
    )
}
