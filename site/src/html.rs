//! HTML that is escaped by construction: text enters only through [`text`], and what others drew through [`drawn`].

use std::fmt::{Display, Write};

/// A piece of a page.
#[derive(Clone, Debug, Default)]
pub struct Html(String);

/// The prefix of links between pages, until a page knows its own folder.
const ROOT: &str = "\u{1}";
const ROOT_CHAR: char = '\u{1}';

/// Escaped text.
pub fn text(what: impl Display) -> Html {
    let mut out = String::new();
    for c in what.to_string().chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            ROOT_CHAR => {}
            other => out.push(other),
        }
    }
    Html(out)
}

/// Elements that a library wrote, such as a picture.
pub fn drawn(elements: String) -> Html {
    Html(elements)
}

/// An element with contents.
pub fn tag(name: &str, contents: impl Into<Html>) -> Html {
    Html(format!("<{name}>{}</{name}>", contents.into().0))
}

/// An element with an attribute.
pub fn with(name: &str, attribute: &str, value: impl Display, contents: impl Into<Html>) -> Html {
    Html(format!("<{name} {attribute}=\"{}\">{}</{name}>", text(value).0, contents.into().0))
}

/// Code in a line.
pub fn code(what: impl Display) -> Html {
    tag("code", text(what))
}

/// A block of code, which the keyboard can scroll.
pub fn block(what: impl Display) -> Html {
    with("pre", "tabindex", 0, code(what))
}

/// A picture, which the keyboard can scroll.
pub fn figure(picture: Html) -> Html {
    with("figure", "tabindex", 0, picture)
}

/// A link to a page of the site, whose path begins at the root.
pub fn link(path: impl Display, contents: impl Into<Html>) -> Html {
    Html(format!("<a href=\"{ROOT}{}\">{}</a>", text(path).0, contents.into().0))
}

/// The address of a page in an attribute of [`drawn`] elements.
pub fn address(path: &str) -> String {
    format!("{ROOT}{}", text(path).0)
}

/// Pieces with something between them.
pub fn joined(between: &str, pieces: impl IntoIterator<Item = Html>) -> Html {
    let pieces: Vec<String> = pieces.into_iter().map(|piece| piece.0).collect();
    Html(pieces.join(&text(between).0))
}

/// A list.
pub fn list(items: impl IntoIterator<Item = Html>) -> Html {
    tag("ul", all(items.into_iter().map(|item| tag("li", item))))
}

/// Pieces one after the other.
pub fn all(pieces: impl IntoIterator<Item = Html>) -> Html {
    Html(pieces.into_iter().map(|piece| piece.0).collect())
}

/// A table with a caption, the names of its columns, and rows whose first cell names them.
pub fn table(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Vec<Html>>) -> Html {
    let mut out = format!(
        "<div class=\"wide\" tabindex=\"0\"><table><caption><span>{}</span></caption><thead><tr>",
        text(caption).0
    );
    for name in head {
        write!(out, "<th scope=\"col\">{}</th>", text(name).0).expect("writing to a string cannot fail");
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for (at, cell) in row.into_iter().enumerate() {
            let (open, close) = if at == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td>", "</td>") };
            out.extend([open, &cell.0, close]);
        }
        out.push_str("</tr>");
    }
    Html(with_prose(&(out + "</tbody></table></div>")))
}

/// The letters of a cell from which on it is prose, which needs room for some words next to each other.
const PROSE: usize = 32;

/// Tables whose longer cells are of the class `prose`.
pub fn with_prose(tables: &str) -> String {
    let mut pieces = tables.split("<td");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let cell = piece.split("</td>").next().unwrap_or_default();
        // The first part ends the element's own tag.
        let letters: usize =
            cell.split('<').filter_map(|part| Some(part.split_once('>')?.1.chars().count())).sum();
        out += if letters >= PROSE { "<td class=\"prose\"" } else { "<td" };
        out += piece;
    }
    out
}

/// A part of a page with its title.
pub fn section(title: &str, contents: impl Into<Html>) -> Html {
    let id: String =
        title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    all([with("h2", "id", id, text(title)), contents.into()])
}

impl Html {
    /// The text with links that fit a page in a folder of this depth.
    pub fn at_depth(&self, depth: usize) -> String {
        self.0.replace(ROOT, &"../".repeat(depth))
    }
}

impl From<&str> for Html {
    fn from(what: &str) -> Html {
        text(what)
    }
}

impl From<String> for Html {
    fn from(what: String) -> Html {
        text(what)
    }
}

#[test]
fn long_cells_are_prose() {
    let long = "a sentence of some words that needs room";
    let cells = vec![text("row"), all([code("0x7e"), text(" 448")]), all([code("0x00"), text(long)])];
    let Html(table) = table("", &["", "", ""], [cells]);
    assert!(table.contains("<td><code>0x7e</code> 448</td>"), "{table}");
    assert!(table.contains(&format!("<td class=\"prose\"><code>0x00</code>{long}</td>")), "{table}");
    let aligned = format!("<td style=\"text-align: right\">{long}</td><td>1</td>");
    assert_eq!(
        with_prose(&aligned),
        format!("<td class=\"prose\" style=\"text-align: right\">{long}</td><td>1</td>")
    );
}
