//! `ptxcvt-bindgen IN.wasm OUT_DIR`: writes `ptxcvt.js`, `ptxcvt_bg.wasm` and TypeScript declarations, as
//! `wasm-bindgen --target web` does. It uses the library behind that command, because the command itself depends on a
//! web server and an HTTP client.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, out] = &arguments[..] else {
        eprintln!("usage: ptxcvt-bindgen IN.wasm OUT_DIR");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name("ptxcvt").typescript(true).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(out));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {input}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
