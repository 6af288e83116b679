//! Generator expressions of CMake, such as `$<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_90>`, for files that nvcc compiles.
//!
//! CMake's manual, `cmake-generator-expressions`.

/// Expressions that are nested deeper are not evaluated.
const DEEPEST: u32 = 32;

/// Evaluates the expressions in the arguments of a command, of which one may be in several arguments:
/// `$<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=compute_90,code=sm_90>`. Where a condition is not known, its text is kept.
pub fn evaluate(arguments: Vec<String>) -> Vec<String> {
    if !arguments.iter().any(|word| word.contains("$<")) {
        return arguments;
    }
    let mut kept = Vec::new();
    let mut words = arguments.into_iter();
    while let Some(mut word) = words.next() {
        if !word.contains("$<") {
            kept.push(word);
            continue;
        }
        // The lists that the arguments are part of are joined with semicolons.
        while opened(&word) > 0 {
            let Some(next) = words.next() else { break };
            word = format!("{word};{next}");
        }
        let text = replaced(&word, 0);
        kept.extend(text.split(';').filter(|item| !item.is_empty()).map(str::to_owned));
    }
    kept
}

/// How many expressions in a text have no end.
fn opened(text: &str) -> usize {
    let mut open = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['$', '>']) {
        let begins = rest[at..].starts_with("$<");
        match begins {
            true => open += 1,
            false if rest[at..].starts_with('>') => open = usize::saturating_sub(open, 1),
            false => {}
        }
        rest = &rest[at + 1 + usize::from(begins)..];
    }
    open
}

/// A text with its expressions replaced by their values.
fn replaced(text: &str, depth: u32) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("$<") {
        out += &rest[..at];
        let Some(end) = end(&rest[at + 2..]).filter(|_| depth < DEEPEST) else {
            return out + &rest[at..];
        };
        out += &value(&rest[at + 2..at + 2 + end], depth + 1);
        rest = &rest[at + 2 + end + 1..];
    }
    out + rest
}

/// The place of the `>` that ends the expression whose inner text begins here.
fn end(inner: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in inner.char_indices() {
        match c {
            '<' if inner[..at].ends_with('$') => depth += 1,
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Divides a text at the first `mark` outside of nested expressions.
fn divided(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' if text[..at].ends_with('$') => depth += 1,
            '>' => depth -= 1,
            c if c == mark && depth <= 0 => return Some((&text[..at], &text[at + c.len_utf8()..])),
            _ => {}
        }
    }
    None
}

/// The arguments of an expression.
fn arguments(text: &str) -> Vec<&str> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((first, others)) = divided(rest, ',') {
        all.push(first);
        rest = others;
    }
    all.push(rest);
    all
}

/// The value of the expression with this inner text. One that is not known is kept.
fn value(inner: &str, depth: u32) -> String {
    let Some((name, text)) = divided(inner, ':') else {
        return match inner {
            "COMPILE_LANGUAGE" => "CUDA".to_owned(),
            "SEMICOLON" => ";".to_owned(),
            "COMMA" => ",".to_owned(),
            "QUOTE" => "\"".to_owned(),
            "ANGLE-R" => ">".to_owned(),
            _ => format!("$<{inner}>"),
        };
    };
    let choose = |condition: Option<bool>, then: &str, other: &str| match condition {
        Some(true) => replaced(then, depth),
        Some(false) => replaced(other, depth),
        None => format!("{};{}", replaced(then, depth), replaced(other, depth)),
    };
    if let Some(holds) = condition(name, text, depth) {
        return if holds { "1" } else { "0" }.to_owned();
    }
    match (name, &arguments(text)[..]) {
        // The text may have commas.
        ("0" | "1", _) => choose(Some(name == "1"), text, ""),
        ("IF", [condition, then, others @ ..]) => choose(truth(condition, depth), then, &others.join(",")),
        // What others get when they install this project.
        ("INSTALL_INTERFACE", _) => String::new(),
        ("BUILD_INTERFACE" | "BUILD_LOCAL_INTERFACE", _) => replaced(text, depth),
        _ if name.contains('$') => choose(truth(name, depth), text, ""),
        // `-arch=$<TARGET_PROPERTY:t,ARCH>`
        _ => format!("$<{name}:{}>", replaced(text, depth)),
    }
}

/// The value of a condition: `0`, `$<NOT:$<COMPILE_LANGUAGE:CXX>>`.
fn truth(text: &str, depth: u32) -> Option<bool> {
    if depth >= DEEPEST {
        return None;
    }
    match text.trim() {
        "0" => Some(false),
        "1" => Some(true),
        text => {
            let inner = text.strip_prefix("$<")?;
            let inner = &inner[..end(inner).filter(|end| end + 1 == inner.len())?];
            let (name, text) = divided(inner, ':')?;
            match (name, &arguments(text)[..]) {
                ("IF", [first, then, other]) => match truth(first, depth + 1) {
                    Some(first) => truth(if first { then } else { other }, depth + 1),
                    None => truth(then, depth + 1).filter(|value| truth(other, depth + 1) == Some(*value)),
                },
                _ => condition(name, text, depth + 1),
            }
        }
    }
}

/// The value of the expression `$<name:text>`, which is a condition; `None` if it is not known, or no condition.
fn condition(name: &str, text: &str, depth: u32) -> Option<bool> {
    let arguments = arguments(text);
    let literals = || -> Option<Vec<String>> {
        let values = arguments.iter().map(|argument| replaced(argument, depth));
        values.map(|value| (!value.contains('$')).then_some(value)).collect()
    };
    let has_cuda = || arguments.contains(&"CUDA");
    let all = |end: bool| {
        let values: Vec<Option<bool>> = arguments.iter().map(|argument| truth(argument, depth)).collect();
        match () {
            () if values.contains(&Some(end)) => Some(end),
            () if values.contains(&None) => None,
            () => Some(!end),
        }
    };
    match name {
        "NOT" => truth(text, depth).map(|value| !value),
        "AND" => all(false),
        "OR" => all(true),
        "BOOL" => literals().map(|_| is_true(&replaced(text, depth))),
        "STREQUAL" => literals().filter(|values| values.len() == 2).map(|values| values[0] == values[1]),
        "COMPILE_LANGUAGE" if !text.contains('$') => Some(has_cuda()),
        // The compiler of CUDA may be nvcc or Clang.
        "COMPILE_LANG_AND_ID" if !text.contains('$') && arguments[0] != "CUDA" => Some(false),
        _ => None,
    }
}

/// What `$<BOOL:…>` makes of a text.
fn is_true(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let is_false = ["", "0", "FALSE", "OFF", "N", "NO", "IGNORE", "NOTFOUND"].contains(&&text[..]);
    !is_false && !text.ends_with("-NOTFOUND")
}
