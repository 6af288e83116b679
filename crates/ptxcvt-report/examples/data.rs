//! Writes `ptxcvt.json` and its JSON Schema into a folder: `data FOLDER`. `cargo xtask data` calls it.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use ptxcvt_report::data::Data;

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("error: name a folder");
        return ExitCode::from(2);
    };
    let texts = [
        ("ptxcvt.json", serde_json::to_string(&Data::new())),
        ("ptxcvt.schema.json", serde_json::to_string_pretty(&Data::schema())),
    ];
    for (name, text) in texts {
        let path = Path::new(&folder).join(name);
        let written = text.map_err(Into::into).and_then(|text| fs::write(&path, text + "\n"));
        if let Err(error) = written {
            eprintln!("error: {}: {error}", path.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
