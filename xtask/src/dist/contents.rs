//! Third-party contents of an artefact: a bill of materials (CycloneDX 1.5) and the texts of their licences.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::folder::files;
use super::platform::Compiler;
use crate::run::output;
use crate::toolchain::WASM;

/// The file with the texts of the licences.
pub const LICENCES: &str = "THIRD-PARTY-LICENSES";

/// The files of the explorer's page. The second one is next to the first one.
pub const PAGE_FILES: [&str; 2] = ["index.html", "ptx.js"];

/// A package from a registry that an artefact contains, or a library of the system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    name: String,
    version: String,
    /// The registry's name in a package URL: `cargo`, `npm`, or `generic` if it is from none.
    registry: &'static str,
    licence: String,
    folder: PathBuf,
}

/// Writes `sbom.cdx.json` and `THIRD-PARTY-LICENSES` into the folder of an artefact that has the name of a package of this
/// workspace and contains these parts.
pub fn write(package: &str, parts: &[Part], folder: &Path) -> Result<(), String> {
    let bill = serde_json::to_string_pretty(&bill(package, parts)).map_err(|e| e.to_string())?;
    let path = folder.join("sbom.cdx.json");
    fs::write(&path, bill + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    write_licences(parts, folder)
}

/// Writes `THIRD-PARTY-LICENSES` into a folder.
pub fn write_licences(parts: &[Part], folder: &Path) -> Result<(), String> {
    let path = folder.join(LICENCES);
    fs::write(&path, licences(parts)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// The parts of the explorer's page, or of the package for npm: crates in its WebAssembly, and the packages that
/// `bundled.json` in its folder of built files names.
pub fn page(root: &Path, folder: &Path) -> Result<Vec<Part>, String> {
    let mut parts = crates(root, &["ptxcvt-wasm", "ptxcvt-unpack"], WASM)?;
    let list = folder.join("bundled.json");
    let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let list: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", list.display()))?;
    for one in list.as_array().ok_or("bundled.json: not a list")? {
        let text = |key: &str| one[key].as_str().ok_or_else(|| format!("bundled.json: no `{key}` in {one}"));
        parts.push(Part {
            name: text("name")?.to_owned(),
            version: text("version")?.to_owned(),
            registry: "npm",
            licence: text("licence")?.to_owned(),
            folder: PathBuf::from(text("folder")?),
        });
    }
    Ok(parts)
}

/// The packages that cargo compiles into some packages of this workspace, without those that only their build needs.
pub fn crates(root: &Path, packages: &[&str], triple: &str) -> Result<Vec<Part>, String> {
    let cargo = || {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root);
        cargo
    };
    let metadata = output(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let known = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let mut tree = cargo();
    tree.args([
        "tree",
        "--locked",
        "--edges",
        "normal,no-proc-macro",
        "--target",
        triple,
        "--prefix",
        "none",
    ]);
    tree.args(["--no-dedupe", "--format", "{p}"]).args(packages.iter().flat_map(|name| ["--package", name]));
    let tree = output(&mut tree)?;
    // Each line is `name v1.2.3`, with a folder after it if the package is part of this workspace.
    let mut lines: Vec<_> = tree.lines().filter(|line| !line.is_empty()).collect();
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
            registry: "cargo",
            licence: text("license")?.to_owned(),
            folder: manifest.parent().ok_or("a manifest without a folder")?.to_owned(),
        });
    }
    Ok(parts)
}

/// The C library that a program linked statically by `compiler` contains. Debian keeps the licences of a package with its
/// documentation.
pub fn c_library(compiler: &Compiler) -> Result<Part, String> {
    let package = compiler.packages.last().ok_or("the compiler has no package of a C library")?;
    Ok(Part {
        name: "glibc".to_owned(),
        version: compiler.glibc()?,
        registry: "generic",
        licence: "LGPL-2.1-or-later".to_owned(),
        folder: Path::new("/usr/share/doc").join(package),
    })
}

fn bill(package: &str, parts: &[Part]) -> Value {
    let component = |(registry, name, version): (&str, &str, &str), licence: &str, kind: &str| {
        json!({
            "type": kind,
            "name": name,
            "version": version,
            "purl": format!("pkg:{registry}/{}@{version}", name.replace('@', "%40")),
            "licenses": [{ "expression": licence.replace('/', " OR ") }],
        })
    };
    let components = parts
        .iter()
        .map(|part| component((part.registry, &part.name, &part.version), &part.licence, "library"));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component(("cargo", package, env!("CARGO_PKG_VERSION")), "MIT OR Apache-2.0", "application"),
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
        let Part { name, version, licence, folder, .. } = part;
        writeln!(all, "\n{rule}\n{name} {version}: {licence}\n{rule}").expect("strings take all text");
        let mut files = if folder.exists() { files(folder)? } else { Vec::new() };
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
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
        .iter()
        .any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What cargo's own graph reaches from the page's packages, other than by building and testing, is listed with a text of
    /// its licence.
    #[test]
    fn every_crate_of_the_page_is_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut metadata = Command::new(env!("CARGO"));
        metadata.current_dir(root).args([
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
            WASM,
        ]);
        let metadata: Value = serde_json::from_str(&output(&mut metadata).unwrap()).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let package = |id: &str| packages.iter().find(|one| one["id"] == id).unwrap();
        let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
        let is_macro = |one: &Value| one["targets"][0]["kind"][0] == "proc-macro";
        let own = |one: &&Value| ["ptxcvt-wasm", "ptxcvt-unpack"].iter().any(|name| one["name"] == *name);
        let mut open: Vec<&str> =
            packages.iter().filter(own).map(|one| one["id"].as_str().unwrap()).collect();
        let mut reached = BTreeSet::new();
        while let Some(id) = open.pop() {
            let one = package(id);
            if is_macro(one) || !reached.insert(id) {
                continue;
            }
            let node = nodes.iter().find(|node| node["id"] == id).unwrap();
            for dependency in node["deps"].as_array().unwrap() {
                let kinds = dependency["dep_kinds"].as_array().unwrap();
                if kinds.iter().any(|kind| kind["kind"].is_null()) {
                    open.push(dependency["pkg"].as_str().unwrap());
                }
            }
        }
        let parts = crates(root, &["ptxcvt-wasm", "ptxcvt-unpack"], WASM).unwrap();
        let listed: BTreeSet<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.version)).collect();
        let text = licences(&parts).unwrap();
        assert!(!text.contains("contains no text of a licence"), "{text}");
        let mut foreign = 0;
        for one in reached.iter().map(|id| package(id)).filter(|one| !one["source"].is_null()) {
            let (name, version) = (one["name"].as_str().unwrap(), one["version"].as_str().unwrap());
            // Features that the page leaves out are in cargo's graph of the workspace, as are other versions of a crate.
            if listed.contains(&(name, version)) {
                assert!(text.contains(&format!("\n{name} {version}: ")), "{name} {version}");
                foreign += 1;
            }
        }
        assert!(foreign >= 4 && foreign == listed.len(), "{listed:?}");
        for name in ["wasm-bindgen", "serde", "serde_json"] {
            assert!(listed.iter().any(|(listed, _)| *listed == name), "{name}: {listed:?}");
        }
    }
}
