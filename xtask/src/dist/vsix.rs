//! The extension for Visual Studio Code, as one `.vsix` that needs no other package. It starts the command that is on the
//! search path.

use std::path::{Path, PathBuf};

use super::folder::copy;
use crate::run::succeed;
use crate::web;

/// Builds the extension.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let folder = root.join("editors/vscode");
    web::packages(&folder)?;
    succeed(web::npm(&folder).args(["run", "--silent", "package"]))?;
    let to = file(out);
    copy(&folder.join("out/ptxcvt.vsix"), &to)?;
    Ok(to)
}

/// The extension in the folder of artefacts.
pub fn file(out: &Path) -> PathBuf {
    out.join(format!("ptxcvt-{}.vsix", env!("CARGO_PKG_VERSION")))
}
