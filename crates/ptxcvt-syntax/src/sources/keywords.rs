//! Words of C++ that begin statements or end the way through them.
//!
//! ISO C++, "Statements" and "Declarations"; the CUDA C++ Programming Guide for functions of devices.

/// Statements that leave the code around them.
pub(super) const EXITS: [&str; 6] = ["return", "throw", "goto", "break", "continue", "co_return"];
/// Words that begin a statement with others in it.
pub(super) const CONTROLS: [&str; 6] = ["if", "for", "while", "do", "switch", "try"];
/// Words with arguments that precede a statement.
pub(super) const ATTRIBUTES: [&str; 4] = ["__attribute__", "__declspec", "_Pragma", "__pragma"];
/// Declarations that the compiler refuses unless their condition holds.
pub(super) const ASSERTIONS: [&str; 2] = ["static_assert", "_Static_assert"];
/// Functions that may not return.
pub(super) const ENDS: [&str; 11] = [
    "__trap",
    "__builtin_trap",
    "__builtin_unreachable",
    "unreachable",
    "__brkpt",
    "abort",
    "exit",
    "assert",
    "terminate",
    "__assert_fail",
    "__assertfail",
];

/// True for the name of a macro that may stand for the head of a loop.
pub(super) fn names_loop(word: &str) -> bool {
    let word = word.to_ascii_uppercase();
    ["FOR", "LOOP", "EACH", "WHILE"].iter().any(|part| word.contains(part))
}

/// True for the name of a macro that may stand for a condition: `IF_OLD`.
pub(super) fn names_condition(word: &str) -> bool {
    word.to_ascii_uppercase().split('_').any(|part| matches!(part, "IF" | "WHEN" | "UNLESS"))
}

/// True for the name of a function or a macro that may stop what does not fulfil its argument, or what does.
pub(super) fn names_check(word: &str) -> bool {
    const CHECKS: [&str; 11] = [
        "ASSERT", "CHECK", "REQUIRE", "EXPECT", "ENSURE", "ENFORCE", "VERIFY", "RETURN", "EXIT", "BREAK",
        "CONTINUE",
    ];
    let word = word.to_ascii_uppercase();
    CHECKS.iter().any(|part| word.contains(part)) && !word.contains("CHECKSUM")
}

/// True for the name of a macro that may stand for a label of a `switch`.
pub(super) fn names_label(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_lowercase()) && (word.contains("CASE") || word.contains("DEFAULT"))
}
