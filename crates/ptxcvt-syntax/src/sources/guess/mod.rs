//! The language of a text without a name, such as one that was pasted.

mod code;
mod evidence;

use ptxcvt::floor_char_boundary;

use super::language::Language;

/// Limit on the bytes that are read; the language usually shows much earlier.
const HEAD: usize = 1 << 16;

/// The languages other than PTX, which evidence in the text shows. If two have equal evidence, the first one is
/// guessed.
const LANGUAGES: [Language; 5] =
    [Language::Cpp, Language::Python, Language::Llvm, Language::Mlir, Language::Rust];

/// Directives with which a text of PTX begins.
const DIRECTIVES: &[&str] = &[
    ".version",
    ".target",
    ".address_size",
    ".visible",
    ".extern",
    ".weak",
    ".entry",
    ".func",
    ".reg",
    ".global",
    ".const",
    ".shared",
    ".local",
    ".param",
    ".pragma",
    ".file",
    ".section",
];

impl Language {
    /// Guesses the language of a text from code, outside of comments and strings, that only one language has. Returns
    /// [`Language::Ptx`] if no other language is likely. Reads only the first 64 KiB.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// assert_eq!(Language::guess("cvt.rn.f16.f32 %0, %1;"), Language::Ptx);
    /// assert_eq!(Language::guess("asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));"), Language::Cpp);
    /// ```
    pub fn guess(text: &str) -> Language {
        let text = &text[..floor_char_boundary(text, HEAD)];
        if is_notebook(text) {
            return Language::Notebook;
        }
        let code = code::code(text);
        let first = code.text.trim_start();
        let word = &first[..first.find(char::is_whitespace).unwrap_or(first.len())];
        if DIRECTIVES.contains(&word) {
            return Language::Ptx;
        }
        let mut points = [0; LANGUAGES.len()];
        let mut count = |language, more: u32| {
            if let Some(at) = LANGUAGES.iter().position(|one| *one == language) {
                points[at] += more;
            }
        };
        count(Language::Llvm, code.semicolons);
        for line in code.text.lines() {
            evidence::line(line.trim(), &mut count);
        }
        let most = points.into_iter().max().unwrap_or_default();
        let likely = LANGUAGES.into_iter().zip(points).find(|(_, points)| *points == most);
        likely.filter(|_| most > 0).map_or(Language::Ptx, |(language, _)| language)
    }
}

/// Whether a text is an object of JSON with keys of notebooks.
fn is_notebook(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with('"'))
        && ["\"cells\"", "\"cell_type\"", "\"worksheets\"", "\"nbformat\""]
            .iter()
            .any(|key| text.contains(key))
}

#[cfg(test)]
mod tests;
