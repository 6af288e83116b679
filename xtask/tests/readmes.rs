//! Each published library has a README, which registries show: its crate documentation, with links that work outside
//! rustdoc. `BLESS=1` rewrites them.

use std::fs;
use std::path::Path;

/// The documentation at the head of a library as a page: code blocks are marked as Rust, hidden lines are removed, and links
/// to items become their names.
fn page(source: &str) -> String {
    let mut page = String::new();
    let mut in_code = false;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            in_code = !in_code;
            page += if in_code && line == "```" { "```rust" } else { line };
        } else if in_code {
            if line == "#" || line.starts_with("# ") {
                continue;
            }
            page += line;
        } else {
            // rustdoc's sections are below the title of the page.
            if line.starts_with("# ") && !page.is_empty() {
                page.push('#');
            }
            page += &without_items(line);
        }
        page.push('\n');
    }
    page
}

/// A line whose links to items, such as ``[`Form`]`` and ``[`Form::eval`](ptxcvt::Form::eval)``, are their texts.
fn without_items(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((name, after)) = after.split_once(']') else { break };
        let (link, after) = match after.strip_prefix('(').and_then(|after| after.split_once(')')) {
            Some((link, after)) => (Some(link), after),
            None => (None, after),
        };
        text += before;
        match link {
            Some(link) if link.starts_with("http") => text += &format!("[{name}]({link})"),
            _ => text += &name.replace("mod@", ""),
        }
        rest = after;
    }
    text + rest
}

#[test]
fn are_the_documentation_of_the_crates() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut stale = Vec::new();
    for folder in fs::read_dir(crates).unwrap().flatten().map(|entry| entry.path()) {
        let Ok(source) = fs::read_to_string(folder.join("src/lib.rs")) else { continue };
        let path = folder.join("README.md");
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let footer = "\nPart of ptxcvt, the reference for number conversion on NVIDIA GPUs.\n\n## Licence\n\nMIT or Apache-2.0, as \
                      you like.\n";
        let page = page(&source);
        assert!(
            page.starts_with(&format!("# {name}")),
            "{name}: the documentation begins with `# {name}: purpose`"
        );
        assert!(page.contains("```rust"), "{name}: the documentation has no example");
        let page = page + footer;
        if fs::read_to_string(&path).ok().as_ref() == Some(&page) {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, page).unwrap();
        } else {
            stale.push(name);
        }
    }
    assert!(stale.is_empty(), "stale README.md, rewrite with BLESS=1: {stale:?}");
}

#[test]
fn links_to_items_become_names() {
    assert_eq!(
        without_items("see [`Form::eval`](ptxcvt::Form::eval) and [`Tier`]s"),
        "see `Form::eval` and `Tier`s"
    );
    assert_eq!(without_items("[`mod@array`] has [the newest](IsaVersion::NEWEST)"), "`array` has the newest");
    assert_eq!(
        page("//! # a\n//!\n//! ```\n//! # fn x() {}\n//! y();\n//! ```\nmod a;"),
        "# a\n\n```rust\ny();\n```\n"
    );
}
