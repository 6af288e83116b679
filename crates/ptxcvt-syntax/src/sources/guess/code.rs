//! The code of a text in an unknown language: without its comments and without what its strings contain.

/// The code of a text.
pub(super) struct Code {
    /// The text without comments and without the contents of strings. Lines remain lines.
    pub text: String,
    /// The number of lines that are comments of LLVM IR, which begin with `;`.
    pub semicolons: u32,
}

/// Removes comments (`//`, `/*`, `# ` and `;`) and the contents of strings (in quotes, in three quotes, and the raw
/// strings of C++ and Rust).
pub(super) fn code(text: &str) -> Code {
    let mut reader = Reader { text, at: 0, out: String::new(), begin: 0, semicolons: 0 };
    while reader.at < text.len() {
        reader.step();
    }
    Code { text: reader.out, semicolons: reader.semicolons }
}

struct Reader<'s> {
    text: &'s str,
    at: usize,
    out: String,
    /// Where the last line of `out` begins.
    begin: usize,
    semicolons: u32,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// The code of the current line so far.
    fn line(&self) -> &str {
        self.out[self.begin..].trim_start()
    }

    fn step(&mut self) {
        let rest = self.rest();
        let next = rest.as_bytes().get(1).copied().unwrap_or(b'\n');
        match rest.as_bytes()[0] {
            b'/' if next == b'/' => self.skip_line(),
            b'/' if next == b'*' => self.skip_past(2, "*/"),
            b'#' if self.hash(next) => self.skip_line(),
            b';' if next != b'\n' && self.line().is_empty() => self.semicolon(),
            quote @ (b'"' | b'\'') => self.quote(char::from(quote)),
            _ => {
                let special =
                    rest.char_indices().skip(1).find(|(_, c)| matches!(c, '/' | '#' | ';' | '"' | '\''));
                self.keep(special.map_or(rest.len(), |(at, _)| at));
            }
        }
    }

    fn keep(&mut self, length: usize) {
        let kept = &self.rest()[..length];
        if let Some(end) = kept.rfind('\n') {
            self.begin = self.out.len() + end + 1;
        }
        self.out.push_str(kept);
        self.at += length;
    }

    /// Leaves out some bytes, except for the ends of lines.
    fn skip(&mut self, length: usize) {
        for _ in self.rest()[..length].matches('\n') {
            self.out.push('\n');
            self.begin = self.out.len();
        }
        self.at += length;
    }

    /// Leaves out the rest of the line.
    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Leaves out everything to the next `end`, except for the ends of lines.
    fn skip_past(&mut self, from: usize, end: &str) {
        let rest = self.rest();
        let length = rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
        self.skip(length);
    }

    /// Whether a `#` begins a comment: before a blank, unless it is a directive of C++.
    fn hash(&self, next: u8) -> bool {
        let blank = matches!(next, b' ' | b'\t' | b'#' | b'\n' | b'\r') || self.rest().starts_with("#!/");
        blank && !(self.line().is_empty() && spaced_directive(&self.rest()[1..]))
    }

    /// A `;` that is the first character of its line: a comment of LLVM IR if a word follows.
    fn semicolon(&mut self) {
        let line = self.rest()[1..].lines().next().unwrap_or_default().trim_start();
        if line.starts_with(char::is_alphanumeric) {
            self.semicolons += 1;
            self.skip_line();
        } else {
            self.keep(1);
        }
    }

    /// A string or a character constant.
    fn quote(&mut self, quote: char) {
        let rest = self.rest();
        let triple = if quote == '"' { "\"\"\"" } else { "'''" };
        let line = self.line();
        let earlier = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '#');
        let before = line[earlier.len()..].to_owned();
        if rest.starts_with(triple) {
            self.out.push_str(triple);
            return self.skip_past(3, triple);
        }
        if let Some(end) = (quote == '"').then(|| raw_end(&before, rest)).flatten() {
            self.out.push_str("\"\"");
            return self.skip_past(1, &end);
        }
        // Digits may be separated with quotes, and names of lifetimes have one quote.
        let lifetime = self.out.ends_with(['&', '<']) || before.ends_with(|c: char| c.is_ascii_digit());
        let constant = quote == '"' || !lifetime;
        match constant.then(|| closing(rest, quote)).flatten() {
            Some(length) => {
                self.out.extend([quote, quote]);
                self.skip(length);
            }
            None if quote == '"' => self.skip_line(),
            None => self.keep(1),
        }
    }
}

/// The text that ends the raw string that begins here after the letters `before`: C++'s `R"x(` or Rust's `r#"`.
fn raw_end(before: &str, rest: &str) -> Option<String> {
    if matches!(before, "R" | "LR" | "uR" | "UR" | "u8R") {
        let (name, _) = rest[1..].split_once('(')?;
        return (name.len() <= 16 && !name.contains(char::is_whitespace)).then(|| format!("){name}\""));
    }
    let name = before.trim_end_matches('#');
    let hashes = &before[name.len()..];
    (!hashes.is_empty() && matches!(name, "r" | "br" | "cr")).then(|| format!("\"{hashes}"))
}

/// The length of a string that ends on its line, or whose text begins on the next line, as is common in Rust.
fn closing(rest: &str, quote: char) -> Option<usize> {
    let lines = ["\"\n", "\"\r\n", "\"\\\n", "\"\\\r\n"].iter().any(|begin| rest.starts_with(begin));
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\n' if !lines => return None,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether a C++ directive follows a `#` and blanks. A `#` and a blank also begin Python comments, so words that may
/// begin a sentence do not count.
fn spaced_directive(after: &str) -> bool {
    let line = after.lines().next().unwrap_or_default().trim_start();
    let (word, rest) = line.split_at(line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len()));
    match word {
        "include" => rest.trim_start().starts_with(['<', '"']),
        "ifdef" | "ifndef" | "pragma" => true,
        "endif" => rest.trim().is_empty(),
        _ => false,
    }
}
