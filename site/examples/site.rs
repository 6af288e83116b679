//! `site REPOSITORY FOLDER` writes the site into a folder. `cargo xtask site` calls it.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [root, out] = &arguments[..] else {
        eprintln!("error: name the repository and the folder");
        return ExitCode::from(2);
    };
    match write(Path::new(root), Path::new(out)) {
        Ok(count) => {
            println!("{}", ptxcvt::counted(count, "file"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(root: &Path, out: &Path) -> Result<usize, String> {
    let files = ptxcvt_site::build(root)?;
    for file in &files {
        let path = out.join(&file.path);
        let folder = path.parent().unwrap_or(out);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &file.contents));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(files.len())
}
