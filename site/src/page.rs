//! A page, and what all pages share: head, navigation, search, foot.

use ptxcvt_syntax::site::address;

use crate::html::{Html, all, link, tag, text};

/// A file of the site.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path below the site's folder.
    pub path: String,
    /// Its contents.
    pub contents: String,
}

/// A page before it is written.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its path below the site's folder, such as `formats/e4m3.html`.
    pub path: String,
    /// The subject, as the search shows it.
    pub title: String,
    /// The kind of subject: `form`, `format`, `target`.
    pub kind: &'static str,
    /// One sentence.
    pub about: String,
    /// Other words by which the search finds it.
    pub words: String,
    /// The contents below the title.
    pub body: Html,
}

/// A section of a guide. The search finds it separately from the guide.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The page's path and the section's anchor.
    pub path: String,
    /// The heading.
    pub title: String,
    /// The title of the guide.
    pub guide: String,
    /// Other words by which the search finds it.
    pub words: String,
    /// Its text.
    pub html: String,
}

const STYLES: [&str; 2] = [include_str!("../../web/src/styles/base.css"), include_str!("style.css")];

/// The styles: the explorer's colours and type, then those of the site.
pub fn style() -> File {
    File { path: "style.css".to_owned(), contents: STYLES.concat() }
}

/// The path of the picture that messages with a link to the start show.
const PREVIEW: &str = "preview.png";

/// The kinds of pages that have a picture. A picture for every page would take minutes to draw, or a library of fonts and
/// megabytes.
const DRAWN: [&str; 8] =
    ["form", "pair of types", "format", "target", "ISA version", "recipe", "error code", "guide"];

/// The path of the picture that messages with a link to a page of a kind show.
fn preview(kind: &str) -> String {
    if DRAWN.contains(&kind) {
        format!("preview/{}.png", kind.to_lowercase().replace(' ', "-"))
    } else {
        PREVIEW.to_owned()
    }
}

/// The paths of all pictures that messages with a link show, below `web/` and below the site's folder.
pub fn previews() -> impl Iterator<Item = String> {
    std::iter::once(PREVIEW.to_owned()).chain(DRAWN.into_iter().map(preview))
}

/// The path of the explorer.
pub const EXPLORER: &str = "explorer.html";
/// The second file of the explorer, which is next to its page here and where it was built.
pub const EXPLORER_PART: &str = "ptx.js";

/// The lists that every page leads to.
const LISTS: [(&str, &str); 5] = [
    ("index.html#forms", "Forms"),
    ("index.html#formats", "Formats"),
    ("index.html#targets", "Targets"),
    ("index.html#recipes", "Recipes"),
    ("guides/README.html", "Guides"),
];

impl Page {
    /// The page as a file of a site that has the explorer or not.
    pub fn file(&self, has_explorer: bool) -> File {
        let depth = self.path.matches('/').count();
        let up = "../".repeat(depth);
        let title = text(&self.title).at_depth(depth);
        let explorer = has_explorer.then_some((EXPLORER, "Explorer"));
        let lists =
            all(LISTS.into_iter().chain(explorer).map(|(path, name)| all([link(path, name), text(" ")])));
        let nav = all([link("index.html", tag("b", "ptxcvt")), text(" "), lists]).at_depth(depth);
        let heading = match self.kind {
            "form" | "format" | "target" | "recipe" => tag("h1", tag("code", self.title.as_str())),
            _ => tag("h1", self.title.as_str()),
        };
        let heading = heading.at_depth(depth);
        let about = text(&self.about).at_depth(depth);
        let lead =
            if self.about.is_empty() { String::new() } else { format!("<p class=\"lead\">{about}</p>\n") };
        let body = self.body.at_depth(depth);
        let version = env!("CARGO_PKG_VERSION");
        // What a message that links to the page shows. Its picture needs a whole address, which not every build knows.
        let picture = address(&preview(self.kind)).map_or(String::new(), |picture| {
            format!(
                "<meta property=\"og:image\" content=\"{picture}\">\n\
                 <meta name=\"twitter:card\" content=\"summary_large_image\">\n"
            )
        });
        let contents = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · ptxcvt</title>\n\
             <meta name=\"description\" content=\"{about}\">\n\
             <meta property=\"og:title\" content=\"{title} · ptxcvt\">\n\
             <meta property=\"og:description\" content=\"{about}\">\n{picture}<link rel=\"stylesheet\" href=\"{up}style.css\">\n\
             <script src=\"{up}search.js\" defer></script>\n</head>\n<body data-up=\"{up}\">\n\
             <a class=\"skip\" href=\"#main\">To the contents</a>\n<header>\n<nav aria-label=\"Site\">{nav}</nav>\n\
             <search><label class=\"unseen\" for=\"search\">Search</label>\
             <input id=\"search\" type=\"search\" placeholder=\"e4m3 f32, sm_89, CVT009\" autocomplete=\"off\">\
             <ul id=\"found\" aria-live=\"polite\"></ul></search>\n</header>\n\
             <main id=\"main\" tabindex=\"-1\">\n{heading}\n{lead}{body}\n</main>\n\
             <footer>ptxcvt {version}, the reference for number conversion on NVIDIA GPUs. Made from its tables; the code \
             under MIT or Apache-2.0. <a href=\"{up}guides/building.html\">Get the command <code>ptxcvt</code></a></footer>\n</body>\n</html>\n"
        );
        File { path: self.path.clone(), contents }
    }
}
