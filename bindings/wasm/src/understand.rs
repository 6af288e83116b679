//! Reads the text of the box for an instruction: an opcode, a whole line of PTX or of another language with PTX in it,
//! or the names of formats or recipes.

mod alone;
mod answer;
mod formats;
mod names;
mod recipes;

use ptxcvt::forms::Operand as Wanted;
use ptxcvt::literal::Reader;
use ptxcvt::{Form, Opcode, Spelling};
use ptxcvt_report::reading::separated;
use ptxcvt_syntax::parse::{Instruction, Operand, OperandKind, Tree};
use ptxcvt_syntax::sources::{Language, assemblies};
use ptxcvt_syntax::{CheckOptions, Diagnostic, PtxCode, Source, Span, check};

use self::answer::Answer;
use crate::tokens;

/// Reads the inline assembly of a text in another language.
type Inline = fn(&str, Language) -> Answer;

/// The reader of other languages, which the first file of the page leaves to the second one.
const READER: Option<Inline> = if cfg!(feature = "sources") { Some(inline) } else { None };

/// Reads a text.
pub fn answer(text: &str) -> Answer {
    answer_with(text, READER)
}

fn answer_with(text: &str, reader: Option<Inline>) -> Answer {
    let text = &tokens::without_comments(text);
    if let Some(named) = names::answer(text) {
        return named;
    }
    match formats::answer(text) {
        Some(answer) if answer.problem.is_none() || !answer.steps.is_empty() => answer,
        named => {
            // An arrow is in other languages, too: `p->h`, `fn f() -> u16`.
            let found = source(text, reader)
                .filter(|found| named.is_none() || is_code(text) || !found.opcode.is_empty());
            found.or(named).or_else(|| alone::answer(text)).unwrap_or_else(|| instruction(text))
        }
    }
}

/// True if a text has a character without which no language has inline assembly.
fn is_code(text: &str) -> bool {
    text.contains(['"', '(', '{'])
}

/// The first conversion in the inline assembly of another language, or in a string.
fn source(text: &str, reader: Option<Inline>) -> Option<Answer> {
    let language = Language::guess(text);
    if language == Language::Ptx {
        // A string that was copied without the statement around it.
        let (before, string) = text.split_once('"')?;
        let inner = ptx(string.split('"').next()?)?;
        let at = inner.at.map(|at| at + before.len() + 1);
        return Some(Answer { at, meaning: Some("the first conversion of this string".to_owned()), ..inner });
    }
    if !is_code(text) {
        return Some(Answer { problem: Some(NO_ASSEMBLY.to_owned()), ..Answer::default() });
    }
    let unread = || Answer {
        problem: Some(format!("this text is {}", language.title())),
        unread: Some(language.title()),
        ..Answer::default()
    };
    Some(reader.map_or_else(unread, |read| read(text, language)))
}

const NO_ASSEMBLY: &str = "this text has no whole inline assembly";

/// The first conversion in the inline assembly of a text.
fn inline(text: &str, language: Language) -> Answer {
    let found = assemblies(text, language);
    let read = found.iter().find_map(|assembly| {
        let inner = ptx(assembly.text())?;
        let span = |at: usize| Span::new(at as u32, (at + inner.opcode.len()) as u32);
        let at = inner.at.and_then(|at| Some(assembly.locate(span(at))?.start as usize));
        Some(Answer { at, meaning: Some("the first conversion of this inline assembly".to_owned()), ..inner })
    });
    let is_whole = found.iter().any(|assembly| !assembly.text().is_empty());
    let why = if is_whole { "this inline assembly has no conversion" } else { NO_ASSEMBLY };
    read.unwrap_or_else(|| Answer { problem: Some(why.to_owned()), ..Answer::default() })
}

/// An opcode, with operands as in the command or as in PTX.
fn instruction(text: &str) -> Answer {
    if let Some(line) = ptx(text) {
        return line;
    }
    // A command line as the page copies it, which may end with a comment of the shell.
    let command = text.trim_start().trim_start_matches("$ ").trim_start();
    let command = command.strip_prefix("ptxcvt eval ").unwrap_or(text);
    let at = text.len() - command.trim_start().len();
    let command = command.split(" #").next().unwrap_or_default();
    let mut words = command.split_whitespace();
    let opcode = words.next().unwrap_or_default().trim_end_matches(';').to_owned();
    let words: Vec<&str> = words.collect();
    let form = opcode.parse::<Form>().ok();
    let answer = Answer { opcode, at: Some(at), ..Answer::default() }.in_small_letters();
    // Other words mean something only after a form: `f32 to` may become the name of one. After a misspelt form they do if
    // they are its operands.
    let Some(meant) = form.or_else(|| nearest(&answer.opcode)) else { return answer };
    let wanted: Vec<Wanted> = meant.operands().skip(1).collect();
    let readers: Vec<Reader> = wanted.iter().map(|one| Reader::operand(&meant, one)).collect();
    let words = match separated(&readers, &words) {
        Ok(words) => words,
        // The operands of a misspelt form may be other words.
        Err(problem) => return Answer { problem: form.map(|_| problem.to_string()), ..answer },
    };
    let is_read = |(reader, word): (&Reader, &&str)| reader.read(word).is_ok();
    if form.is_none() && !(words.len() <= readers.len() && readers.iter().zip(&words).all(is_read)) {
        return answer;
    }
    let operands = words.into_iter().map(|word| Some(word.to_owned())).collect();
    answer.with(form, operands)
}

/// The form that a misspelt opcode probably means.
fn nearest(opcode: &str) -> Option<Form> {
    let spelling = Spelling::new(opcode);
    match spelling.corrected() {
        Some(right) => Spelling::new(&right).nearest(|_| true),
        None => spelling.opcode().and_then(|_| spelling.nearest(|_| true)),
    }
}

/// The first conversion of a piece of PTX; `None` if its operands do not begin with a register.
fn ptx(text: &str) -> Option<Answer> {
    let tree = Tree::of_snippet(text);
    let is_conversion = |one: &&Instruction<'_>| {
        let misspelt = || Spelling::new(&one.opcode.text()).corrected().is_some();
        one.opcode.name() == "cvt" || (Opcode::meant_by(one.opcode.name()).is_some() && misspelt())
    };
    let instruction = tree.instructions().find(is_conversion)?;
    let (destination, sources) = instruction.operands.split_first()?;
    if !is_register(destination, sources) || !has_commas(text, &instruction.operands) {
        return None;
    }
    let mut operands = Vec::new();
    for operand in sources {
        let flat = match &operand.kind {
            OperandKind::Vector(elements) => &elements[..],
            _ => std::slice::from_ref(operand),
        };
        operands.extend(flat.iter().map(|one| match one.kind {
            OperandKind::Constant(_) => Some(text[one.span.range()].to_owned()),
            _ => None,
        }));
    }
    let span = instruction.opcode.span();
    let first = span.range() == (text.len() - text.trim_start().len()..span.end as usize);
    let alone = first && tree.instructions().count() == 1;
    let opcode = instruction.opcode.text().into_owned();
    let answer = Answer {
        opcode,
        at: (!instruction.opcode.has_comment()).then_some(span.start as usize),
        meaning: (!alone).then(|| "the first conversion of this PTX".to_owned()),
        ..Answer::default()
    };
    let answer = answer.in_small_letters();
    let form = answer.opcode.parse().ok();
    let problem = form.and_then(|_: Form| operand_problem(&text.to_ascii_lowercase(), instruction.span));
    let answer = answer.with(form, operands);
    Some(Answer { problem: answer.problem.or(problem), ..answer })
}

/// True if a comma is between any two operands, as in PTX. The command has blanks there.
fn has_commas(text: &str, operands: &[Operand<'_>]) -> bool {
    operands.windows(2).all(|pair| {
        let between = text.get(pair[0].span.end as usize..pair[1].span.start as usize);
        between.is_none_or(|between| between.contains(','))
    })
}

/// What `check` says against the operands of an instruction: too few in a statement that is complete, or a negated one.
/// A number that PTX writes differently is accepted here.
fn operand_problem(text: &str, instruction: Span) -> Option<String> {
    let complete = text[instruction.end as usize..].trim_start().starts_with(';');
    let found = check(&Source::new("", text.as_bytes()), &CheckOptions::default().snippet(true));
    let of_operands = |one: &&Diagnostic| {
        let within = one.span().start >= instruction.start && one.span().end <= instruction.end;
        within
            && (one.code() == PtxCode::OperandForm.into()
                || complete && one.code() == PtxCode::OperandNumber.into())
    };
    found.diagnostics.iter().find(of_operands).map(|one| one.message().replace('`', ""))
}

/// True if the first operand is a register, as in PTX, and not a number, as in the command: `nan` is a number there.
fn is_register(first: &Operand<'_>, others: &[Operand<'_>]) -> bool {
    match first.kind {
        OperandKind::Name(name) => {
            name.name.text.starts_with('%') || (!others.is_empty() && name.name.text.parse::<f64>().is_err())
        }
        OperandKind::Placeholder(_) | OperandKind::Sink => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
