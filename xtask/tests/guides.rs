//! The guides docs/add-*.md name places of the sources that exist: in "`NAME` of [`file.rs`](../path/file.rs)" the file
//! contains the name.

use std::fs;
use std::path::Path;

/// The names and the files of a guide: what is in backquotes before " of [`…`](", and the path in the brackets.
fn places(page: &str) -> Vec<(String, String)> {
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = page.split("` of [`").collect();
    let pairs = parts.windows(2).filter_map(|pair| {
        let name = pair[0].rsplit('`').next()?;
        let path = pair[1].split_once("](")?.1.split(')').next()?;
        Some((name.to_owned(), path.to_owned()))
    });
    pairs.collect()
}

#[test]
fn places_of_a_sentence() {
    let place = ("X".to_owned(), "../a/b.rs".to_owned());
    assert_eq!(places("It is in `Y`, or in `X` of\n  [`b.rs`](../a/b.rs): see there."), [place]);
}

#[test]
fn guides_name_the_right_files() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut found = 0;
    for entry in fs::read_dir(&docs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("add-") || !name.ends_with(".md") {
            continue;
        }
        for (item, file) in places(&fs::read_to_string(&path).unwrap()) {
            let text = fs::read_to_string(docs.join(&file)).unwrap_or_else(|e| panic!("{name}: {file}: {e}"));
            assert!(text.contains(&item), "{name}: {file} has no {item}");
            found += 1;
        }
    }
    assert!(found > 0, "no guide names a place in this form");
}
