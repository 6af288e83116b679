//! Words that are not names or types.

use super::super::lexeme::alternative;

/// Words that may precede a name without declaring it.
const NO_TYPES: [&str; 20] = [
    "requires",
    "return",
    "throw",
    "case",
    "goto",
    "else",
    "do",
    "delete",
    "new",
    "sizeof",
    "alignof",
    "typename",
    "operator",
    "using",
    "namespace",
    "constexpr",
    "const",
    "if",
    "while",
    "switch",
];

/// Other words that are not names.
const NO_NAMES: [&str; 4] = ["for", "asm", "__asm__", "__asm"];
/// True for a word that may be a name.
pub(super) fn is_name(word: &str) -> bool {
    is_type(word) && !NO_NAMES.contains(&word)
}

/// True if a word before a name may be its type.
pub(super) fn is_type(word: &str) -> bool {
    !NO_TYPES.contains(&word) && alternative(word).is_none()
}
