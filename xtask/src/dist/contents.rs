//! Third-party contents of an artefact: a bill of materials (CycloneDX 1.5) and the texts of their licences.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::folder::files;
use super::platform::Platform;
use crate::run::output;

/// A package from a registry that an artefact contains.
struct Part {
    name: String,
    version: String,
    licence: String,
    folder: PathBuf,
}

/// Writes `sbom.cdx.json` and `THIRD-PARTY-LICENSES` for a package of this workspace into the folder of its artefact.
pub fn write(root: &Path, package: &str, platform: Platform, folder: &Path) -> Result<(), String> {
    let parts = parts(root, package, platform)?;
    let bill = serde_json::to_string_pretty(&bill(package, &parts)).map_err(|e| e.to_string())?;
    for (name, text) in [("sbom.cdx.json", bill + "\n"), ("THIRD-PARTY-LICENSES", licences(&parts)?)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// The packages that cargo compiles into `package`, without those that only its build needs.
fn parts(root: &Path, package: &str, platform: Platform) -> Result<Vec<Part>, String> {
    let cargo = || {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root);
        cargo
    };
    let metadata = output(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let known = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let tree = output(cargo().args([
        "tree",
        "--locked",
        "--package",
        package,
        "--edges",
        "normal,no-proc-macro",
        "--target",
        platform.triple(),
        "--prefix",
        "none",
        "--no-dedupe",
        "--format",
        "{p}",
    ]))?;
    // Each line is `name v1.2.3`, with a folder after it if the package is part of this workspace.
    let mut lines: Vec<_> = tree.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    let mut parts = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let (Some(name), Some(version)) =
            (words.next(), words.next().and_then(|version| version.strip_prefix('v')))
        else {
            return Err(format!("cargo tree: unexpected line `{line}`"));
        };
        let found = known.iter().find(|one| one["name"] == name && one["version"] == version);
        let found = found.ok_or_else(|| format!("cargo metadata: {name} {version} is missing"))?;
        if found["source"].is_null() {
            continue;
        }
        let text = |key: &str| {
            found[key].as_str().ok_or_else(|| format!("{name} {version}: no `{key}` in its manifest"))
        };
        let manifest = Path::new(text("manifest_path")?);
        parts.push(Part {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: text("license")?.to_owned(),
            folder: manifest.parent().ok_or("a manifest without a folder")?.to_owned(),
        });
    }
    Ok(parts)
}

fn bill(package: &str, parts: &[Part]) -> Value {
    let component = |name: &str, version: &str, licence: &str, kind: &str| {
        json!({
            "type": kind,
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            "licenses": [{ "expression": licence.replace('/', " OR ") }],
        })
    };
    let components = parts.iter().map(|part| component(&part.name, &part.version, &part.licence, "library"));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component(package, env!("CARGO_PKG_VERSION"), "MIT OR Apache-2.0", "application"),
        },
        "components": components.collect::<Vec<_>>(),
    })
}

/// The texts of the licences in each package.
fn licences(parts: &[Part]) -> Result<String, String> {
    let mut all =
        String::from("Software of others that this artefact contains, with the licences of each.\n");
    for part in parts {
        let rule = "=".repeat(80);
        let Part { name, version, licence, folder } = part;
        writeln!(all, "\n{rule}\n{name} {version}: {licence}\n{rule}").expect("strings take all text");
        let mut files = files(folder)?;
        files.retain(|path| is_licence(path));
        if files.is_empty() {
            all += "\nIts package contains no text of a licence.\n";
        }
        for file in files {
            let text = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            writeln!(all, "\n{}", String::from_utf8_lossy(&text).trim_end()).expect("strings take all text");
        }
    }
    Ok(all)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|known| name.starts_with(known))
}
