//! Whether the end of a text is the end of a statement.
//!
//! The Python Language Reference, "Line structure".

use super::super::scan::Scanner;
use super::literals::Tokens;

/// False for a text that ends within a string, within brackets, or with a backslash that joins the next line.
pub fn is_complete(text: &str) -> bool {
    let mut tokens = Tokens::new(text);
    let mut open = 0_u32;
    while !tokens.scanner.at_end() {
        let byte = tokens.scanner.peek();
        if byte == b'#' {
            tokens.comment();
        } else if tokens.quote().is_some() {
            // A string without an end has no quotes after its content.
            let end = tokens.literal().map(|span| span.end);
            if tokens.scanner.at_end() && end == Some(tokens.scanner.at) {
                return false;
            }
        } else if Scanner::is_word(byte) {
            tokens.scanner.word();
        } else {
            tokens.scanner.step();
            match byte {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
        }
    }
    open == 0 && !text.trim_end_matches(['\r', '\n']).ends_with('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_texts() {
        for (text, complete) in [
            ("x = f('a')\n", true),
            ("'''a''' # '''\n", true),
            ("!echo don't\n", true),
            ("x = 1)\n", true),
            ("x = '''a\n", false),
            ("x = f('a',\n", false),
            ("x = {1: [2]\n", false),
            ("x = 1 + \\\n", false),
            ("x = 'a", false),
        ] {
            assert_eq!(is_complete(text), complete, "{text}");
        }
    }
}
