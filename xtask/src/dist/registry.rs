//! A local registry: a folder with packages and an index, which cargo uses in place of crates.io. It has the packages of the
//! published crates as their archives are, and those of others as cargo has downloaded them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::folder::{create, empty};
use crate::run::output;

/// Makes the registry in `folder`, with the archives in `own`.
pub fn make(root: &Path, own: &Path, folder: &Path) -> Result<(), String> {
    empty(folder)?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["metadata", "--locked", "--format-version", "1"]);
    let metadata: Value =
        serde_json::from_str(&output(&mut cargo)?).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let mut archives = Vec::new();
    for package in packages {
        let name = format!("{}-{}.crate", text(package, "name")?, text(package, "version")?);
        let from = match package["source"].is_null() {
            // Without `publish`, a package of the workspace is published.
            true if !package["publish"].is_null() => continue,
            true => own.join(&name),
            false => downloaded(Path::new(text(package, "manifest_path")?), &name)?,
        };
        let to = folder.join(&name);
        fs::copy(&from, &to).map_err(|e| format!("{}: {e}", from.display()))?;
        archives.push((package, name));
    }
    let sums =
        output(Command::new("sha256sum").current_dir(folder).args(archives.iter().map(|(_, name)| name)))?;
    let sums: HashMap<&str, &str> =
        sums.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect();
    let mut entries: HashMap<PathBuf, String> = HashMap::new();
    for (package, archive) in &archives {
        let file = folder.join("index").join(place(text(package, "name")?));
        let line = entry(package, sums.get(archive.as_str()).ok_or("sha256sum: a line is missing")?)?;
        *entries.entry(file).or_default() += &format!("{line}\n");
    }
    for (file, lines) in entries {
        create(file.parent().ok_or("an entry without a folder")?)?;
        fs::write(&file, lines).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

/// The archive of a package that cargo has downloaded, whose manifest is `…/registry/src/INDEX/NAME-VERSION/Cargo.toml`.
fn downloaded(manifest: &Path, archive: &str) -> Result<PathBuf, String> {
    let index = manifest.ancestors().nth(2);
    let cache =
        index.and_then(|index| Some(index.ancestors().nth(2)?.join("cache").join(index.file_name()?)));
    cache.map(|cache| cache.join(archive)).ok_or_else(|| format!("{}: not in a registry", manifest.display()))
}

/// Where the index has a package: folders keep the number of files in each small.
fn place(name: &str) -> PathBuf {
    let name = name.to_lowercase();
    match name.len() {
        1 | 2 => PathBuf::from(name.len().to_string()).join(&name),
        3 => PathBuf::from("3").join(&name[..1]).join(&name),
        _ => PathBuf::from(&name[..2]).join(&name[2..4]).join(&name),
    }
}

/// The index's line of a package. Dependencies of tests are included, because features may name them.
fn entry(package: &Value, sum: &str) -> Result<Value, String> {
    let all = package["dependencies"].as_array().ok_or("cargo metadata: no dependencies")?;
    let dependencies = all.iter().map(|one| {
        let renamed = !one["rename"].is_null();
        json!({
            "name": if renamed { &one["rename"] } else { &one["name"] },
            "package": if renamed { &one["name"] } else { &Value::Null },
            "req": one["req"],
            "features": one["features"],
            "optional": one["optional"],
            "default_features": one["uses_default_features"],
            "target": one["target"],
            "kind": if one["kind"].is_null() { json!("normal") } else { one["kind"].clone() },
        })
    });
    Ok(json!({
        "name": text(package, "name")?,
        "vers": text(package, "version")?,
        "deps": dependencies.collect::<Vec<_>>(),
        "features": package["features"],
        "links": package["links"],
        "rust_version": package["rust_version"],
        "cksum": sum,
        "yanked": false,
        "v": 2,
    }))
}

fn text<'v>(package: &'v Value, key: &str) -> Result<&'v str, String> {
    package[key].as_str().ok_or_else(|| format!("cargo metadata: a package without `{key}`"))
}

#[test]
fn names_have_the_places_of_the_registry() {
    let places = ["a", "cc", "toml", "syn", "Half2"].map(|name| place(name).display().to_string());
    assert_eq!(places, ["1/a", "2/cc", "to/ml/toml", "3/s/syn", "ha/lf/half2"]);
    let manifest = Path::new("/home/.cargo/registry/src/index-1/half-2.0.0/Cargo.toml");
    let archive = downloaded(manifest, "half-2.0.0.crate").unwrap();
    assert_eq!(archive, Path::new("/home/.cargo/registry/cache/index-1/half-2.0.0.crate"));
}
