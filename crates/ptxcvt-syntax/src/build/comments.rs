//! Removes the comments of build files: `#` of CMake, Make, Python, shells, Meson and TOML; `--` of Lua; none in JSON.

use std::path::Path;

/// The comments of a language.
#[derive(Clone, Copy)]
struct Comments {
    /// How they begin.
    mark: &'static str,
    /// The quotes in which they do not begin.
    quotes: &'static str,
    /// True if comments begin only at the beginning of a word: in shells, `${x#y}` and `$#` are expansions.
    words: bool,
}

impl Comments {
    /// The comments of a file with this name. `None` if its language has no comments.
    fn of(name: &Path) -> Option<Self> {
        let file =
            name.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let ends = |endings: &[&str]| endings.iter().any(|end| file.ends_with(end));
        let hash = Comments { mark: "#", quotes: "\"'", words: false };
        match () {
            () if ends(&[".json"]) => None,
            () if ends(&[".lua"]) => Some(Comments { mark: "--", ..hash }),
            () if ends(&[".sh", ".bash", "dockerfile", ".yml", ".yaml"]) => {
                Some(Comments { words: true, ..hash })
            }
            () if ends(&[".txt", ".cmake"]) => Some(Comments { quotes: "\"", ..hash }),
            () if ends(&["makefile", ".mk"]) => Some(Comments { quotes: "", ..hash }),
            () => Some(hash),
        }
    }

    /// True if the mark after `before` begins a comment. Quotes end with their line.
    fn begins(self, before: &str) -> bool {
        let (mut quote, mut escaped) = (None, false);
        for c in before.chars() {
            match quote {
                _ if escaped => escaped = false,
                _ if c == '\\' => escaped = true,
                None if self.quotes.contains(c) => quote = Some(c),
                Some(open) if c == open => quote = None,
                _ => {}
            }
        }
        let word = before.chars().next_back().is_none_or(|c| c.is_whitespace() || ";&|(".contains(c));
        quote.is_none() && !escaped && (word || !self.words)
    }
}

/// The lines of a build file of this name, without its comments.
pub fn without(name: &Path, text: &str) -> Vec<String> {
    let Some(comments) = Comments::of(name) else { return text.lines().map(str::to_owned).collect() };
    // The end of a comment of several lines.
    let mut until: Option<String> = None;
    let mut lines = Vec::new();
    for mut line in text.lines() {
        let mut kept = String::new();
        loop {
            if let Some(end) = &until {
                let Some(at) = line.find(end.as_str()) else { break };
                line = &line[at + end.len()..];
                until = None;
            }
            let begins = |at: &usize| comments.begins(&format!("{kept}{}", &line[..*at]));
            let Some(at) = line.match_indices(comments.mark).map(|(at, _)| at).find(begins) else {
                kept.push_str(line);
                break;
            };
            kept.push_str(&line[..at]);
            line = &line[at + comments.mark.len()..];
            until = bracket(line);
            if until.is_none() {
                break;
            }
        }
        lines.push(kept);
    }
    lines
}

/// The end of a comment of several lines, `]]` for `[[` and `]=]` for `[=[`.
fn bracket(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix('[')?;
    let equal = rest.len() - rest.trim_start_matches('=').len();
    rest[equal..].starts_with('[').then(|| format!("]{}]", "=".repeat(equal)))
}
