//! The names of functions and keys by which a program's strings are options, removals or messages.

/// Functions and keys that print, report or describe.
pub const SAYS: [&str; 43] = [
    "ArgumentParser",
    "add_argument_group",
    "classifiers",
    "comment",
    "critical",
    "debug",
    "deprecated",
    "desc",
    "description",
    "displayName",
    "doc",
    "echo",
    "epilog",
    "error",
    "exception",
    "exit",
    "fail",
    "fatal",
    "help",
    "info",
    "keywords",
    "log",
    "long_description",
    "message",
    "metavar",
    "msg",
    "note",
    "pprint",
    "print",
    "print_exc",
    "quit",
    "readme",
    "secho",
    "set_description",
    "set_menu",
    "skip",
    "skipTest",
    "summary",
    "title",
    "usage",
    "warn",
    "warning",
    "raise",
];
/// Functions whose arguments without a keyword are the names of an option that a program accepts.
pub const DECLARES: [&str; 3] = ["add_argument", "add_option", "option"];
/// Functions that look for a string.
pub const ASKS: [&str; 15] = [
    "check",
    "contains",
    "count",
    "endswith",
    "find",
    "findall",
    "finditer",
    "fullmatch",
    "index",
    "isinstance",
    "match",
    "rindex",
    "search",
    "startswith",
    "has",
];
/// Functions whose arguments are options of the build, or become part of its lists.
pub const SETS: [&str; 47] = [
    "Extension",
    "Popen",
    "add",
    "add_cuflags",
    "add_culdflags",
    "add_global_arguments",
    "add_global_link_arguments",
    "add_project_arguments",
    "append",
    "call",
    "check_call",
    "check_output",
    "custom_target",
    "declare_dependency",
    "dict",
    "environment",
    "execute",
    "executable",
    "extend",
    "frozenset",
    "get",
    "getenv",
    "getoutput",
    "insert",
    "library",
    "list",
    "load",
    "load_inline",
    "join",
    "popen",
    "prepend",
    "putenv",
    "run",
    "run_command",
    "set",
    "set_values",
    "setdefault",
    "setenv",
    "setup",
    "shared_library",
    "shared_module",
    "spawn",
    "split",
    "static_library",
    "system",
    "tuple",
    "update",
];
/// Words before a bracket that does not begin a call or an index.
pub const KEYWORDS: [&str; 17] = [
    "and", "assert", "await", "case", "del", "elif", "else", "for", "if", "in", "is", "lambda", "not", "or",
    "return", "while", "yield",
];
/// Words with which a condition begins.
pub const CONDITIONS: [&str; 4] = ["if", "elif", "while", "assert"];
/// Words with which a statement begins that has a block.
pub const BLOCKS: [&str; 12] =
    ["async", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"];
/// Programs that compile nothing, and have options like those of compilers.
const OTHER_TOOLS: [&str; 6] = ["cuobjdump", "fatbinary", "nvdisasm", "nvlink", "nvprune", "ptxas"];

/// True for the name of such a program, its path, or a variable with its name: `$(CUOBJDUMP)`,
/// `${CUDA_CUOBJDUMP_EXECUTABLE}`.
pub fn is_other_tool(word: &str) -> bool {
    let program = word.rsplit(['/', ':']).next().unwrap_or(word);
    let Some(variable) = program.strip_prefix('$') else { return OTHER_TOOLS.contains(&program) };
    let variable = variable.trim_matches(['(', ')', '{', '}']).to_ascii_lowercase();
    let variable = variable.strip_suffix("_executable").unwrap_or(&variable);
    variable.rsplit('_').next().is_some_and(|name| OTHER_TOOLS.contains(&name))
}
