//! The pages of error codes and the guides of the repository, which are written in Markdown.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use ptxcvt_syntax::Code;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::html::{Html, address, drawn, with_prose};
use crate::page::{Page, Section};
use crate::path::{code_path, guide_path};

/// The guides outside `docs`.
const OTHERS: [&str; 5] =
    ["DESIGN.md", "data/README.md", "vectors/README.md", "bindings/python/README.md", "bindings/c/README.md"];

/// The list of guides by task.
const LIST: &str = "docs/README.md";

/// A page for each guide and each error code, and the sections of the guides.
pub fn pages(root: &Path) -> Result<(Vec<Page>, Vec<Section>), String> {
    let mut files: Vec<String> = OTHERS.map(str::to_owned).to_vec();
    for folder in ["docs", "docs/generated"] {
        let failed = |error: std::io::Error| format!("{folder}: {error}");
        for entry in fs::read_dir(root.join(folder)).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            files.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    files.sort();
    let known: BTreeMap<PathBuf, String> =
        files.iter().map(|file| (PathBuf::from(file), guide_path(file))).collect();
    let mut pages: Vec<Page> = Code::all().map(error_code).collect();
    let mut sections = Vec::new();
    let list = fs::read_to_string(root.join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let tasks = tasks(&list, &known);
    for file in &files {
        let text = fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let (title, body, parts) = rendered(&text, Path::new(file), &known);
        sections.extend(parts.into_iter().map(|part| {
            let path = format!("{}#{}", guide_path(file), part.path);
            let words = tasks.get(&path).cloned().unwrap_or_default();
            Section { path, guide: title.clone(), words, ..part }
        }));
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let task = tasks.get(&guide_path(file)).map(String::as_str);
        let words = [file.as_str()].into_iter().chain(headings).chain(task).collect::<Vec<_>>().join(" ");
        pages.push(Page {
            path: guide_path(file),
            title: if title.is_empty() { file.clone() } else { title },
            kind: "guide",
            about: String::new(),
            words: words.replace(['#', '`'], ""),
            body,
        });
    }
    Ok((pages, sections))
}

/// What a reader wants who is led to each page or section, from the table of the list of guides: `| task | links |`.
fn tasks(list: &str, known: &BTreeMap<PathBuf, String>) -> BTreeMap<String, String> {
    let mut tasks: BTreeMap<String, String> = BTreeMap::new();
    for row in list.lines().filter_map(|line| line.strip_prefix("| ")) {
        let Some((task, links)) = row.split_once(" | ") else { continue };
        for link in links.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) =
                link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let Some(page) = target(file, Path::new(LIST), known).map(|to| to.replace('\u{1}', "")) else {
                continue;
            };
            let path = anchor.map_or(page.clone(), |anchor| format!("{page}#{anchor}"));
            *tasks.entry(path).or_default() += &format!(" {task}");
        }
    }
    tasks
}

fn error_code(code: Code) -> Page {
    let text: Vec<&str> = code.page().iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let text = text.join("\n");
    let (about, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let (_, body, _) = rendered(rest, Path::new(""), &BTreeMap::new());
    let about = about.replace('\n', " ").replace('`', "");
    Page {
        path: code_path(code),
        title: code.to_string(),
        kind: "error code",
        about,
        words: String::new(),
        body,
    }
}

/// The title, the body and the sections of a guide; the path of a section is its anchor. Links to other guides lead to
/// their pages; those to other files are plain text.
fn rendered(text: &str, file: &Path, known: &BTreeMap<PathBuf, String>) -> (String, Html, Vec<Section>) {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut kept = Vec::new();
    let mut title = String::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut anchors = BTreeMap::new();
    let (mut at, mut plain) = (0, false);
    while at < events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { level, .. }) => {
                let name = heading(&events[at + 1..]);
                let end = at
                    + 1
                    + position(&events[at + 1..], |event| matches!(event, Event::End(TagEnd::Heading(_))));
                if *level == HeadingLevel::H1 && title.is_empty() {
                    title = name;
                    at = end;
                } else {
                    let anchor = unique(slug(&name), &mut anchors);
                    sections.push(Section { path: anchor.clone(), title: name, ..Section::default() });
                    let id = Some(CowStr::from(anchor));
                    kept.push(Event::Start(Tag::Heading {
                        level: *level,
                        id,
                        classes: Vec::new(),
                        attrs: Vec::new(),
                    }));
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match target(dest_url, file, known)
            {
                Some(dest_url) => kept.push(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: dest_url.into(),
                    title: title.clone(),
                    id: id.clone(),
                })),
                None => plain = true,
            },
            Event::End(TagEnd::Link) if plain => plain = false,
            // Comments, and marks of the output of programs.
            Event::Html(_) | Event::InlineHtml(_) => {}
            other => kept.push(other.clone()),
        }
        at += 1;
    }
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, kept.into_iter());
    // `%01` is the percent-encoded mark for the site's root. Wide blocks scroll, also by keyboard (`tabindex`).
    let out = out.replace("<pre>", "<pre tabindex=\"0\">");
    let out = out.replace("\"%01", "\"\u{1}");
    let out = out
        .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>");
    let out = with_prose(&out);
    let mut rest = out.as_str();
    for section in sections.iter_mut().rev() {
        let (before, text) = rest.rsplit_once(&format!(" id=\"{}\">", section.path)).unwrap_or((rest, ""));
        text.clone_into(&mut section.html);
        rest = before;
    }
    (title, drawn(out), sections)
}

fn position(events: &[Event<'_>], wanted: impl Fn(&Event<'_>) -> bool) -> usize {
    events.iter().position(wanted).unwrap_or(events.len())
}

/// The words of a heading.
fn heading(events: &[Event<'_>]) -> String {
    let words = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    words
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.to_string()),
            _ => None,
        })
        .collect()
}

/// The anchor of a heading, as links in the repository's Markdown write it.
fn slug(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The anchor, with a number if the page has it already, as GitHub numbers repeated headings.
fn unique(anchor: String, taken: &mut BTreeMap<String, usize>) -> String {
    let count = taken.entry(anchor.clone()).or_default();
    let name = if *count == 0 { anchor } else { format!("{anchor}-{count}") };
    *count += 1;
    name
}

/// Where a link of a guide leads, or `None` if the site does not have the file.
fn target(link: &str, file: &Path, known: &BTreeMap<PathBuf, String>) -> Option<String> {
    if link.starts_with('#') || link.contains("://") {
        return Some(link.to_owned());
    }
    let (path, anchor) =
        link.split_once('#').map_or((link, String::new()), |(path, name)| (path, format!("#{name}")));
    let mut whole = PathBuf::new();
    for part in file.parent()?.join(path).components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            other => whole.push(other),
        }
    }
    Some(address(&format!("{}{anchor}", known.get(&whole)?)))
}
