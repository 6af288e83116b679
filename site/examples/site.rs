//! `site REPOSITORY FOLDER [EXPLORER]` writes the site into a folder, with the explorer if its page is named, which has
//! `ptx.js` next to it.
//! `cargo xtask site` calls it.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let (root, out, explorer) = match &arguments[..] {
        [root, out] => (root, out, None),
        [root, out, explorer] => (root, out, Some(Path::new(explorer))),
        _ => {
            eprintln!("error: name the repository, the folder and, if you like, the explorer's page");
            return ExitCode::from(2);
        }
    };
    match write(Path::new(root), Path::new(out), explorer) {
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

fn write(root: &Path, out: &Path, explorer: Option<&Path>) -> Result<usize, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let files = ptxcvt_site::build(root, explorer.map(read).transpose()?)?;
    for file in &files {
        let path = out.join(&file.path);
        let folder = path.parent().unwrap_or(out);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &file.contents));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    // What a message that links to a page shows, and what the explorer's page loads.
    let pictures = ptxcvt_site::previews().map(|path| (root.join("web").join(&path), path));
    let part = explorer.map(|page| page.with_file_name(ptxcvt_site::EXPLORER_PART));
    let part = part.map(|from| (from, ptxcvt_site::EXPLORER_PART.to_owned()));
    let others: Vec<_> = pictures.chain(part).collect();
    for (from, path) in &others {
        let to = out.join(path);
        let copied = fs::create_dir_all(to.parent().unwrap_or(out)).and_then(|()| fs::copy(from, &to));
        copied.map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(files.len() + others.len())
}
