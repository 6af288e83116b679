//! Generator expressions of CMake, such as `$<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_90>`, for files that nvcc compiles.
//!
//! CMake's manual, `cmake-generator-expressions`.

/// Expressions that are nested deeper are not evaluated: each level may be read three times.
const DEEPEST: u32 = 8;

/// A text with more values than this is kept as it is written, so that what it names is not known.
const MOST_VALUES: usize = 64;

/// Evaluates the expressions in the arguments of a command, of which one may be in several arguments:
/// `$<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=compute_90,code=sm_90>`. An argument stays one argument: commands that read
/// pairs count them. If conditions are not known, it becomes the list of all values that it may have.
pub fn evaluate(arguments: Vec<String>) -> Vec<String> {
    if !arguments.iter().any(|word| word.contains("$<")) {
        return arguments;
    }
    let mut kept: Vec<String> = Vec::new();
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
        let values = replaced(&word, 0);
        // An option in the argument before has each of the values: `-arch $<IF:$<CONFIG:Debug>,sm_90,sm_80>`.
        let option = kept.last().filter(|before| before.starts_with('-'));
        let between = option.map_or_else(|| ";".to_owned(), |option| format!(";{option};"));
        kept.push(values.join(&between));
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

/// The values that a text may have when its expressions are replaced by theirs.
fn replaced(text: &str, depth: u32) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut rest = text;
    while let Some(at) = rest.find("$<") {
        let (before, inner) = (&rest[..at], &rest[at + 2..]);
        let Some(end) = end(inner).filter(|_| depth < DEEPEST) else { break };
        let values = value(&inner[..end], depth + 1);
        if all.len() * values.len() > MOST_VALUES {
            return vec![text.to_owned()];
        }
        all = all
            .iter()
            .flat_map(|begin| values.iter().map(move |value| format!("{begin}{before}{value}")))
            .collect();
        rest = &inner[end + 1..];
    }
    all.iter_mut().for_each(|value| value.push_str(rest));
    all.sort();
    all.dedup();
    all
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

/// The values that the expression with this inner text may have. One that is not known is kept.
fn value(inner: &str, depth: u32) -> Vec<String> {
    let Some((name, text)) = divided(inner, ':') else {
        let value = match inner {
            "COMPILE_LANGUAGE" => "CUDA".to_owned(),
            "SEMICOLON" => ";".to_owned(),
            "COMMA" => ",".to_owned(),
            "QUOTE" => "\"".to_owned(),
            "ANGLE-R" => ">".to_owned(),
            _ => format!("$<{inner}>"),
        };
        return vec![value];
    };
    let choose = |condition: Option<bool>, then: &str, other: &str| match condition {
        Some(true) => replaced(then, depth),
        Some(false) => replaced(other, depth),
        None => [replaced(then, depth), replaced(other, depth)].concat(),
    };
    if let Some(holds) = condition(name, text, depth) {
        return vec![if holds { "1" } else { "0" }.to_owned()];
    }
    match (name, &arguments(text)[..]) {
        // The text may have commas.
        ("0" | "1", _) => choose(Some(name == "1"), text, ""),
        ("IF", [condition, then, others @ ..]) => choose(truth(condition, depth), then, &others.join(",")),
        // The value for users who install this project.
        ("INSTALL_INTERFACE", _) => vec![String::new()],
        ("BUILD_INTERFACE" | "BUILD_LOCAL_INTERFACE", _) => replaced(text, depth),
        _ if name.contains('$') => choose(truth(name, depth), text, ""),
        // `-arch=$<TARGET_PROPERTY:t,ARCH>`
        _ => replaced(text, depth).iter().map(|text| format!("$<{name}:{text}>")).collect(),
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
    // The texts that have one value, which is known.
    let literal = |text: &str| match &replaced(text, depth)[..] {
        [value] if !value.contains('$') => Some(value.clone()),
        _ => None,
    };
    let literals = || arguments.iter().map(|argument| literal(argument)).collect::<Option<Vec<String>>>();
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
        "BOOL" => literal(text).map(|value| is_true(&value)),
        "STREQUAL" => literals().filter(|values| values.len() == 2).map(|values| values[0] == values[1]),
        "COMPILE_LANGUAGE" if !text.contains('$') => Some(has_cuda()),
        // The compiler of CUDA may be nvcc or Clang.
        "COMPILE_LANG_AND_ID" if !text.contains('$') && arguments[0] != "CUDA" => Some(false),
        _ => None,
    }
}

/// The value of `$<BOOL:…>` for a text.
fn is_true(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let is_false = ["", "0", "FALSE", "OFF", "N", "NO", "IGNORE", "NOTFOUND"].contains(&&text[..]);
    !is_false && !text.ends_with("-NOTFOUND")
}
