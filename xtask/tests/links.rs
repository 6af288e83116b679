//! Every local link of a page leads to a file that exists, and its `#part` to a heading of that page. A listing in a
//! guide is that of the file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages below a folder, without those of other projects and of builds.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if entry.is_dir() && !["target", "node_modules", ".git"].contains(&name) {
            pages(&entry, found);
        } else if name.ends_with(".md") {
            found.push(entry);
        }
    }
}

/// The lines of a page without its blocks of code.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// The names by which links reach the headings of a page: lower case, blanks as hyphens, no other signs.
fn headings(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    lines(text).filter(|line| line.starts_with('#')).map(heading).collect()
}

/// The targets of the links `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    lines(text).flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()))
}

/// What is wrong with a link of the page at `path`.
fn fault(path: &Path, text: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, part) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => path.to_owned(),
        file => path.parent().expect("a page is in a folder").join(file),
    };
    if !target.exists() {
        return Some(format!("{link}: no such file"));
    }
    let of_page = || if file.is_empty() { Some(text.to_owned()) } else { fs::read_to_string(&target).ok() };
    let is_missing = !part.is_empty() && of_page().is_some_and(|text| !headings(&text).contains(part));
    is_missing.then(|| format!("{link}: no such heading"))
}

#[test]
fn local_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let (mut found, mut count, mut wrong) = (Vec::new(), 0, Vec::new());
    pages(root, &mut found);
    for path in found {
        let text = fs::read_to_string(&path).expect("a page in UTF-8");
        for link in links(&text) {
            count += 1;
            wrong.extend(fault(&path, &text, link).map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(count > 150, "{count} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faults_are_found() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = "# A `b`, c\n[x](#a-b-c) [y](missing.md) [z](#d)\n```\n[not](a-link)\n```\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["#a-b-c", "missing.md", "#d"]);
    let faults: Vec<String> = links(text).filter_map(|link| fault(&page, text, link)).collect();
    assert_eq!(faults, ["missing.md: no such file", "#d: no such heading"]);
}

/// The guide to editors has the configuration of Neovim as it is tested, without its comments.
#[test]
fn listing_of_neovim() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file of the repository");
    let file = read("editors/neovim/ptxcvt.lua");
    let code: String = file
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(read("docs/editors.md").contains(&format!("```lua\n{code}```")), "{code}");
}
