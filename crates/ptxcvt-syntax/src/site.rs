//! Addresses on the project's site, where every form and every code has a page.
//!
//! The environment variable `PTXCVT_SITE` sets the address of the site at build time, as in releases. Without it,
//! findings and hovers have no links.

use ptxcvt::{Form, Format};

use crate::Code;

/// The address of the site, set at build time.
const SITE: Option<&str> = option_env!("PTXCVT_SITE");

/// The path of a form's page, below the root of the site. Colons cannot be in the names of files everywhere.
#[must_use]
pub fn form_path(form: &Form) -> String {
    format!("forms/{}.html", form.to_string().replace("::", "-"))
}

/// The path of a code's page, below the root of the site.
#[must_use]
pub fn code_path(code: Code) -> String {
    format!("codes/{code}.html")
}

/// The path of a format's page, below the root of the site.
#[must_use]
pub fn format_path(format: Format) -> String {
    format!("formats/{format}.html")
}

/// The path of a recipe's page, below the root of the site. The slash of its name would be a folder.
#[must_use]
pub fn recipe_path(name: &str) -> String {
    format!("recipes/{}.html", name.replace('/', "-"))
}

/// The address of a page, or `None` in a build without the address of a site.
///
/// ```
/// use ptxcvt_syntax::{Code, site};
///
/// let code: Code = "CVT008".parse().unwrap();
/// assert_eq!(site::code_path(code), "codes/CVT008.html");
/// assert!(site::address(&site::code_path(code)).is_none_or(|url| url.ends_with("/codes/CVT008.html")));
/// ```
#[must_use]
pub fn address(path: &str) -> Option<String> {
    below(SITE?, path)
}

/// The address of a page below a site's root, which may end with a slash. `None` if the root is empty.
fn below(site: &str, path: &str) -> Option<String> {
    let site = site.trim_end_matches('/');
    (!site.is_empty()).then(|| format!("{site}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let form: Form = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32".parse().unwrap();
        let path = "forms/cvt.rn.satfinite.scaled-n1-ue8m0.e4m3x2.f32.html";
        assert_eq!(form_path(&form), path);
        for site in ["https://example.org/ptxcvt", "https://example.org/ptxcvt/"] {
            assert_eq!(below(site, path).unwrap(), format!("https://example.org/ptxcvt/{path}"));
        }
        assert_eq!(below("", path), None);
    }
}
