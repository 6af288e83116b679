//! The table of languages: the names of their files, and their readers.

use std::path::Path;
use std::str::FromStr;

use ptxcvt::names::{self, UnknownName};

use super::language::{Language, UnknownLanguage};
use super::reading::{Reading, Wrappers};
use super::text::with_lines;
use super::{cpp, llvm, notebook, program, python, rust};

/// The names of a language. Its reader is not part of the row: a program that only names languages contains no reader.
struct Row {
    language: Language,
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    /// The identifiers by which editors name it.
    ids: &'static [&'static str],
}

const ROWS: [Row; 7] = [
    Row { language: Language::Ptx, name: "ptx", title: "PTX", extensions: &["ptx"], ids: &["ptx"] },
    Row {
        language: Language::Cpp,
        name: "c++",
        title: "CUDA C++",
        extensions: &["cu", "cuh", "cpp", "cc", "cxx", "c", "h", "hpp", "hh", "hxx", "inl", "hip"],
        ids: &["cuda", "cuda-cpp", "cpp", "c", "hip"],
    },
    Row {
        language: Language::Python,
        name: "python",
        title: "Python",
        extensions: &["py", "pyi"],
        ids: &["python"],
    },
    Row { language: Language::Llvm, name: "llvm", title: "LLVM IR", extensions: &["ll"], ids: &["llvm"] },
    Row { language: Language::Mlir, name: "mlir", title: "MLIR", extensions: &["mlir"], ids: &["mlir"] },
    Row { language: Language::Rust, name: "rust", title: "Rust", extensions: &["rs"], ids: &["rust"] },
    Row {
        language: Language::Notebook,
        name: "notebook",
        title: "Notebook",
        extensions: &["ipynb"],
        ids: &[],
    },
];

/// Reads a source with the reader of its language. The reader of a language without control flow to follow uses a
/// `Syntax`: comments, strings, the words that begin an assembly, and the form of operands.
pub(super) fn read(text: &str, language: Language, wrappers: &Wrappers) -> Reading {
    let has_returns = matches!(language, Language::Cpp | Language::Python);
    let text = if has_returns { with_lines(text) } else { text.into() };
    let text = &*text;
    match language {
        // The text of a notebook's cell; files are judged as modules.
        Language::Ptx => Reading::written(text),
        Language::Cpp => cpp::read(text, wrappers),
        Language::Python => python::read(text, wrappers),
        Language::Llvm => program::read(&llvm::LLVM, text, wrappers),
        Language::Mlir => program::read(&llvm::MLIR, text, wrappers),
        Language::Rust => program::read(&rust::RUST, text, wrappers),
        Language::Notebook => notebook::read(text, wrappers),
    }
}

impl FromStr for Language {
    type Err = UnknownName;

    /// Reads the name by which options choose a language.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let find = |name: &str| Self::ALL.iter().copied().find(|language| language.name() == name);
        names::read("language", text, find, Self::ALL.iter().map(|language| language.name()))
    }
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &{
        let mut all = [Language::Ptx; ROWS.len()];
        let mut n = 0;
        while n < all.len() {
            all[n] = ROWS[n].language;
            n += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        const { &ROWS }.iter().find(|row| row.language == self).expect("every language has a row")
    }

    /// The name by which options choose it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its name in sentences and menus, such as `CUDA C++`.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The identifiers that editors use for the language. Empty for notebooks, whose cells have separate languages.
    pub fn ids(self) -> &'static [&'static str] {
        self.row().ids
    }

    /// The language with this identifier of the Language Server Protocol. `None` if the identifier is unknown.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// assert_eq!(Language::of_id("cuda-cpp"), Some(Language::Cpp));
    /// assert_eq!(Language::of_id("markdown"), None);
    /// ```
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.ids().contains(&id))
    }

    /// The extensions of its files.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// The language of a file, by its extension. `None` if the extension is unknown.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// assert_eq!(Language::of("include/fp8.cuh".as_ref()), Some(Language::Cpp));
    /// assert_eq!(Language::of("notes.txt".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.iter().copied().find(|language| language.extensions().contains(&&*extension))
    }

    /// The language of a file by its extension. If the extension is unknown: PTX if the text begins with a directive,
    /// otherwise `None`.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// let named = |text| Language::of_file("notes.txt".as_ref(), text);
    /// assert_eq!(named("// a module\n.version 9.1\n"), Some(Language::Ptx));
    /// assert_eq!(named("cvt converts numbers.\n"), None);
    /// ```
    pub fn of_file(path: &Path, text: &str) -> Option<Self> {
        Self::of(path).or_else(|| {
            let mut rest = text.trim_start_matches('\u{feff}').trim_start();
            loop {
                let after = match rest.as_bytes() {
                    [b'/', b'/', ..] => rest.split_once('\n'),
                    [b'/', b'*', ..] => rest[2..].split_once("*/"),
                    [b'.', letter, ..] if letter.is_ascii_alphabetic() => return Some(Self::Ptx),
                    _ => return None,
                };
                rest = after?.1.trim_start();
            }
        })
    }

    /// Like [`of_file`](Self::of_file), but an unknown language is an error.
    ///
    /// # Errors
    ///
    /// Fails if neither the name nor the text determines the language.
    pub fn known(path: &Path, text: &str) -> Result<Self, UnknownLanguage> {
        Self::of_file(path, text).ok_or(UnknownLanguage)
    }
}
