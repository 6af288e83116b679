//! What DESIGN.md lists is what the repository has: places of `unsafe`, dependencies, crates.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The first cells of the tables in a section of DESIGN.md.
fn first_cells(heading: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("DESIGN.md")).expect("DESIGN.md");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    // The heads of tables are left out.
    rows.map(|(cell, _)| cell.to_owned())
        .filter(|cell| !matches!(&**cell, "place" | "dependency" | "crate"))
        .collect()
}

/// The places of a cell: a crate's name is its folder.
fn place(name: &str) -> PathBuf {
    let name = name.trim_matches('`');
    let folder = if name.starts_with("ptxcvt") { root().join("crates") } else { root().to_owned() };
    folder.join(name)
}

#[test]
fn unsafe_code_is_where_the_list_says() {
    let places: Vec<PathBuf> =
        first_cells("Where is `unsafe`?").iter().flat_map(|cell| cell.split(", ")).map(place).collect();
    let allows =
        |path: &PathBuf| fs::read_to_string(path).expect("a source file").contains("allow(unsafe_code)");
    let files: Vec<PathBuf> = common::rust_files().into_iter().filter(allows).collect();
    for file in &files {
        assert!(places.iter().any(|place| file.starts_with(place)), "DESIGN.md lacks {}", file.display());
    }
    for place in places {
        assert!(files.iter().any(|file| file.starts_with(&place)), "no unsafe code in {}", place.display());
    }
}

/// Every manifest of the repository with this name.
fn manifests(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let file = entry.file_name();
        let is_built = ["target", "node_modules"].iter().any(|built| *built == file)
            || file.to_string_lossy().starts_with('.');
        if path.is_dir() && !is_built {
            manifests(&path, name, found);
        } else if file == *name {
            found.push(path);
        }
    }
}

/// The dependencies on packages of others, in every `Cargo.toml` and `package.json`.
fn dependencies() -> BTreeSet<String> {
    let (mut crates, mut packages) = (Vec::new(), Vec::new());
    manifests(root(), "Cargo.toml", &mut crates);
    manifests(root(), "package.json", &mut packages);
    let mut all = BTreeSet::new();
    for manifest in crates {
        let text = fs::read_to_string(manifest).expect("a manifest");
        let mut inside = false;
        for line in text.lines() {
            match line.strip_prefix('[') {
                Some(section) => inside = section.ends_with("dependencies]"),
                None if inside => {
                    let name =
                        line.split_once('=').map(|(name, _)| name.trim().trim_end_matches(".workspace"));
                    all.extend(name.filter(|name| !name.contains([' ', '#'])).map(str::to_owned));
                }
                None => {}
            }
        }
    }
    for manifest in packages {
        let text = fs::read_to_string(manifest).expect("a manifest");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for kind in ["dependencies", "devDependencies"] {
            all.extend(json[kind].as_object().into_iter().flat_map(|named| named.keys().cloned()));
        }
    }
    // Declarations of types come with what they describe.
    all.retain(|name| !name.starts_with("ptxcvt") && !name.starts_with("@types/"));
    all
}

#[test]
fn dependencies_are_those_of_the_manifests() {
    let cells = first_cells("Why these dependencies?");
    let names = cells.iter().flat_map(|cell| cell.trim_start_matches("tests: ").split(", "));
    assert_eq!(names.map(str::to_owned).collect::<BTreeSet<_>>(), dependencies());
}

#[test]
fn every_crate_has_a_row() {
    let rows: BTreeSet<String> = first_cells("Where is what?").into_iter().collect();
    for entry in fs::read_dir(root().join("crates")).expect("the crates").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        assert!(rows.contains(&format!("`{name}`")), "DESIGN.md lacks {name}");
    }
}
