//! `ptxcvt-bindgen LIBRARY.wasm UNPACKER.wasm OUT_DIR`: writes `ptxcvt.js`, `ptxcvt_bg.wasm` and TypeScript
//! declarations, as `wasm-bindgen --target web` does, then the library split and packed as `ptxcvt_bg.wasm.lzma` and
//! its unpacker as `unpack.wasm`.
//!
//! It uses the library behind wasm-bindgen's command, because the command itself depends on a web server and an HTTP
//! client.

mod sections;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use lzma_rust2::{LzmaOptions, LzmaWriter};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, unpacker, out] = &arguments[..] else {
        eprintln!("usage: ptxcvt-bindgen LIBRARY.wasm UNPACKER.wasm OUT_DIR");
        return ExitCode::from(2);
    };
    match write(library, unpacker, Path::new(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {library}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(library: &str, unpacker: &str, out: &Path) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(library).out_name("ptxcvt").typescript(true).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(out));
    done.map_err(|error| format!("{error:#}"))?;
    let in_file = |error: std::io::Error| error.to_string();
    let made = std::fs::read(out.join("ptxcvt_bg.wasm")).map_err(in_file)?;
    let functions = sections::functions(&made).ok_or("it has no code")?;
    let split = ptxcvt_unpack::code::split(&made, functions.start, functions.end);
    let split = split.ok_or("bindings/unpack/src/code.rs does not know an instruction of its code")?;
    std::fs::write(out.join("ptxcvt_bg.wasm.lzma"), pack(&split).map_err(in_file)?).map_err(in_file)?;
    let unpacker = sections::without_custom(&std::fs::read(unpacker).map_err(in_file)?);
    std::fs::write(out.join("unpack.wasm"), unpacker.ok_or("not WebAssembly")?).map_err(in_file)
}

/// Packs a file as `.lzma` with its length and without an end marker.
fn pack(file: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    // Code in WebAssembly has no alignment, and of the byte before, two bits help most (measured: 1 to 4).
    (options.lc, options.lp, options.pb) = (2, 0, 0);
    options.nice_len = LzmaOptions::NICE_LEN_MAX;
    options.dict_size = 1 << 23;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(file.len() as u64))?;
    writer.write_all(file)?;
    writer.finish()
}
