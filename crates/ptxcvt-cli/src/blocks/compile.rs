//! CUDA C++ files, compiled to PTX by nvcc.

use std::path::Path;
use std::process::Command;

use ptxcvt::Target;
use ptxcvt_files::whole;
use ptxcvt_syntax::sources::statements;

use crate::failure::Failure;
use crate::output;
use crate::toolkit;

/// The options of a compilation.
pub struct Compiler<'o> {
    /// The `nvcc` to run; `None` for the one that `toolkit` finds.
    pub nvcc: Option<&'o Path>,
    /// The target; `None` for nvcc's own.
    pub target: Option<Target>,
    /// A function of the compiled module is wanted.
    pub function: bool,
}

/// Compiles a `.cu` file to PTX. Returns `None` for other files, and for a `.cu` file with `asm` statements if neither
/// `--function` nor `--nvcc` is given: then the statement is what counts.
pub fn to_ptx(path: &str, compiler: &Compiler<'_>) -> Result<Option<Vec<u8>>, Failure> {
    if Path::new(path).extension().is_none_or(|extension| extension != "cu") {
        return Ok(None);
    }
    let text =
        whole::source_file(Path::new(path)).map_err(|e| Failure::cannot_read(path, output::reason(&e)))?;
    let compiles = compiler.function || compiler.nvcc.is_some();
    if !compiles && !statements(&String::from_utf8_lossy(&text)).is_empty() {
        return Ok(None);
    }
    let nvcc = match compiler.nvcc {
        Some(path) => path.to_owned(),
        None => toolkit::find("nvcc").ok_or_else(|| {
            Failure::new(format!("{path}: there is no nvcc in {} to compile it", toolkit::PLACES)).with_help(
                "give --nvcc PATH, or compile it with `nvcc -ptx -rdc=true` and give the .ptx file",
            )
        })?,
    };
    let mut command = Command::new(&nvcc);
    // nvcc has ptxas read the module again, so the module cannot go through a pipe.
    let folder =
        tempfile::tempdir().map_err(|e| Failure::new(format!("{}: {e}", std::env::temp_dir().display())))?;
    let module = folder.path().join("module.ptx");
    // Without -rdc=true, functions that no kernel calls are left out.
    command.args(["-ptx", "-rdc=true", "-o"]).arg(&module).arg(path);
    if let Some(target) = compiler.target {
        command.arg(format!("-arch={target}"));
    }
    let output = command.output().map_err(|e| Failure::new(format!("{}: {e}", nvcc.display())))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("{path}: nvcc failed\n{}", errors.trim_end())));
    }
    let text = whole::source_file(&module);
    text.map(Some)
        .map_err(|e| Failure::new(format!("{path}: nvcc wrote no module: {}: {e}", module.display())))
}
