//! The paths of pages, below the root of the site, and links to forms.

use ptxcvt::{Form, IsaVersion, Target, Type};
pub use ptxcvt_syntax::site::{code_path, form_path, format_path, recipe_path};

use crate::html::{Html, code, link};

/// A link to a form's page.
pub fn form_link(form: &Form) -> Html {
    link(form_path(form), code(form))
}

/// The path of the page of all forms from one type to another.
pub fn pair_path(destination: Type, source: Type) -> String {
    format!("pairs/{source}-to-{destination}.html")
}

/// The path of a target's page.
pub fn target_path(target: Target) -> String {
    format!("targets/{target}.html")
}

/// The path of a version's page.
pub fn version_path(isa: IsaVersion) -> String {
    format!("isa/{isa}.html")
}

/// The path of a guide's page: `guides/check.html` of `docs/check.md`.
pub fn guide_path(file: &str) -> String {
    let name = file.strip_prefix("docs/").unwrap_or(file);
    format!("guides/{}.html", name.trim_end_matches(".md").replace('/', "-"))
}
