//! The public API of every published library, compared with the committed `crates/*/api.txt`.
//!
//! The list is extracted from rustdoc's pages: every item and its methods, without the traits that it implements.
//! Features are those that any of the libraries enables in another. `BLESS=1` rewrites the files. The text of
//! signatures can change with the compiler's release, so the test compares only under the release that the file
//! names. Under any other it warns on standard error, past the test harness, which hides the output of tests that pass.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The published libraries: every folder of `crates` with a library. The command has none.
fn libraries(root: &Path) -> Vec<String> {
    let folders = fs::read_dir(root.join("crates")).expect("a folder of crates").flatten();
    let libraries = folders.filter(|folder| folder.path().join("src/lib.rs").exists());
    let mut names: Vec<String> =
        libraries.map(|folder| folder.file_name().into_string().expect("a name")).collect();
    names.sort();
    assert!(names.len() >= 12, "{names:?}");
    names
}

/// `1.95` of `rustc 1.95.0 (…)`.
fn release() -> String {
    let output = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("a version");
    let number = text.split(' ').nth(1).expect("a number");
    number.rsplit_once('.').expect("three parts").0.to_owned()
}

/// Builds the documentation and returns its folder.
fn documentation(root: &Path, names: &[String]) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("api");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(root)
        .args(["doc", "--quiet", "--no-deps", "--locked", "--offline", "--target-dir"])
        .arg(&target);
    for name in names {
        cargo.args(["-p", name]);
    }
    assert!(cargo.status().expect("cargo runs").success(), "{cargo:?} failed");
    target.join("doc")
}

/// The text between two marks, for every occurrence.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    let parts = text.split(start).skip(1);
    parts.map(|part| part.split(end).next().expect("a part has a beginning")).collect()
}

/// HTML to plain text: without tags and comments of the declaration, on one line.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    let marks =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    let text = marks.iter().fold(text, |text, (mark, c)| text.replace(mark, c));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of one item's page.
fn item(page: &str, path: &str, lines: &mut BTreeSet<String>) {
    // The page of an alias also has the declaration of the type that it names.
    let all = between(page, "<pre class=\"rust item-decl\"><code>", "</code></pre>");
    let declarations = all.iter().take(if page.contains("id=\"aliased-type\"") { 1 } else { all.len() });
    for declaration in declarations {
        // A long declaration is folded behind `Show 13 fields`.
        let folds = between(declaration, "<summary", "</summary>");
        let unfolded = folds.iter().fold((*declaration).to_owned(), |text, fold| text.replace(fold, ""));
        lines.insert(format!("{path}: {}", plain(&unfolded)));
    }
    for name in ["implementations-list", "required-methods", "provided-methods"] {
        let Some((_, rest)) = page.split_once(&format!("id=\"{name}\"")) else { continue };
        let part = rest.split("<h2 id=").next().expect("a part has a beginning");
        for signature in between(part, "<h4 class=\"code-header\">", "</h4>") {
            lines.insert(format!("{path}::{}", plain(signature)));
        }
    }
}

/// The public API of a crate, one line for each item and method.
fn api(folder: &Path) -> String {
    let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
    let all = fs::read_to_string(folder.join("all.html")).expect("the list of all items");
    let mut lines = BTreeSet::new();
    // The other links of the page are to its own sections.
    for link in between(&all, "<li><a href=\"", "\"").into_iter().filter(|link| link.ends_with(".html")) {
        let page = fs::read_to_string(folder.join(link)).expect("an item's page");
        // `formats/enum.Format.html`
        let parts: Vec<&str> = link.trim_end_matches(".html").split('/').collect();
        let (last, modules) = parts.split_last().expect("a path");
        let item_name = last.split_once('.').map_or(*last, |(_, name)| name);
        let path = [&[name], modules, &[item_name]].concat().join("::");
        item(&page, &path, &mut lines);
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

#[test]
fn the_public_api_is_the_committed_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let head = format!(
        "# Public API as rustdoc {} prints it; `BLESS=1 cargo test -p xtask --test public_api`\n",
        release()
    );
    let bless = std::env::var_os("BLESS").is_some();
    let committed =
        |name: &str| fs::read_to_string(root.join("crates").join(name).join("api.txt")).unwrap_or_default();
    let names = libraries(root);
    if !bless && names.iter().all(|name| !committed(name).starts_with(&head)) {
        let warning = format!(
            "warning: NOT COMPARED: the public API. crates/*/api.txt are of another rustdoc than this one, {}; \
             test with theirs, or rewrite them with BLESS=1\n",
            release()
        );
        // Not `eprintln!`, which the harness captures.
        std::io::stderr().write_all(warning.as_bytes()).expect("standard error");
        return;
    }
    let documentation = documentation(root, &names);
    for name in &names {
        let text = head.clone() + &api(&documentation.join(name.replace('-', "_")));
        // The smallest library has two functions.
        assert!(text.lines().count() > 2, "{name}: hardly any item was found:\n{text}");
        if bless {
            fs::write(root.join("crates").join(name).join("api.txt"), text).expect("a file of the crate");
            continue;
        }
        let (old, new) = (committed(name), text);
        let [old, new]: [BTreeSet<&str>; 2] = [old.lines().collect(), new.lines().collect()];
        let removed: Vec<_> = old.difference(&new).map(|line| format!("- {line}")).collect();
        let added: Vec<_> = new.difference(&old).map(|line| format!("+ {line}")).collect();
        assert!(
            removed.is_empty() && added.is_empty(),
            "the public API of {name} changed; if that is intended, run this test with BLESS=1\n{}",
            [removed, added].concat().join("\n")
        );
    }
}
