//! Reads the text of the box for an instruction: an opcode, a whole line of PTX or of another language with PTX in it, or the
//! names of formats.

mod answer;
mod names;

use ptxcvt::forms::{Between, Operand as Wanted, chain, chain_with, is_path, path};
use ptxcvt::literal::Reader;
use ptxcvt::{Code, Form, Format, Modifier, Opcode, Rounding, Spelling, Type};
use ptxcvt_report::reading::separated;
use ptxcvt_syntax::parse::{Instruction, Operand, OperandKind, Tree};
use ptxcvt_syntax::sources::{Language, assemblies};
use ptxcvt_syntax::{CheckOptions, Diagnostic, PtxCode, Source, Span, check};

use self::answer::Answer;
use crate::tokens;

/// Reads a text.
pub fn answer(text: &str) -> Answer {
    let text = &tokens::without_comments(text);
    if let Some(named) = names::answer(text) {
        return named;
    }
    match formats(text) {
        Some(answer) if answer.problem.is_none() || !answer.steps.is_empty() => answer,
        named => {
            // An arrow is in other languages, too: `p->h`, `fn f() -> u16`.
            let is_code = text.contains(['"', '(', '{']);
            let found = source(text).filter(|found| named.is_none() || is_code || !found.opcode.is_empty());
            found.or(named).unwrap_or_else(|| instruction(text))
        }
    }
}

/// `e4m3`, `f32 to e4m3`, `f32->e4m3`, `e4m3 from f32`, also with a number of elements (`f16x2`), a rounding, modifiers and
/// numbers: the plainest form between these formats.
fn formats(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.trim().trim_end_matches(';').split_whitespace().collect();
    let (names, rest): (Vec<&str>, _) = match &words[..] {
        _ if is_path(text) => {
            // The last arrow may be a word of its own, before the last name.
            let last = words.iter().rposition(|word| is_path(word)).expect("the arrow is in a word");
            let ends = if words[last].ends_with(['>', '→']) { last + 2 } else { last + 1 };
            let (names, rest) = words.split_at(ends.min(words.len()));
            let parts = names.iter().flat_map(|word| word.split("->")).flat_map(|word| word.split('→'));
            (parts.filter(|part| !part.is_empty()).collect(), rest)
        }
        [from, "to" | "in" | "as", to, rest @ ..] => (vec![from, to], rest),
        [to, "from", from, rest @ ..] => (vec![from, to], rest),
        [one, rest @ ..] => (vec![one], rest),
        [] => return None,
    };
    let choice = Choice::new(&names, rest);
    let formats = match &names[..] {
        _ if is_path(text) => match path(&names.join("->")) {
            Ok(formats) => formats,
            Err(error) => return Some(Answer { problem: Some(error.to_string()), ..Answer::default() }),
        },
        [one] => {
            let one = format(one)?;
            // A wide format is more often the source.
            let others = [Format::F32, Format::F16, Format::F64];
            let single = |from, to| match Form::between(from, to).form() {
                Ok(_) => true,
                Err(error) => error.code() == Code::MissingRounding,
            };
            let from = others.into_iter().find(|other| *other != one && single(*other, one))?;
            // The next word may become "to".
            let reader = Reader::number(from);
            choice.numbers.iter().all(|word| reader.read(word).is_ok()).then_some(vec![from, one])?
        }
        names => names.iter().map(|name| format(name)).collect::<Option<_>>()?,
    };
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let named = names.join(" to ");
    let problem = |what: String| Answer { problem: Some(what), ..Answer::default() };
    let steps = |forms: Vec<Form>| Answer {
        steps: forms.iter().map(Form::to_string).collect(),
        ..problem(format!("{named} takes {}", ptxcvt::counted(forms.len(), "conversion")))
    };
    Some(match chain_with(&arrows(&formats), |wanted| choice.of(wanted)) {
        Ok(forms) if forms.len() == 1 => of_formats(&forms[0], named, &choice.numbers),
        Ok(forms) => steps(forms),
        // If no chain allows the choices, the plain chain still shows the steps.
        Err(error) => match chain(&arrows(&formats)) {
            Ok(forms) if forms.len() > 1 => steps(forms),
            _ => problem(error.to_string()),
        },
    })
}

/// What a text says about the form, in addition to its formats.
struct Choice<'t> {
    lanes: Option<u32>,
    rounding: Option<Rounding>,
    modifiers: Vec<Modifier>,
    numbers: Vec<&'t str>,
}

impl<'t> Choice<'t> {
    /// The names of the formats or types, and the words after them.
    fn new(names: &[&str], words: &[&'t str]) -> Self {
        let lanes = |name: &&str| name.trim_start_matches('.').parse::<Type>().ok().map(Type::lanes);
        let lanes = names.iter().filter_map(lanes).filter(|lanes| *lanes > 1).max();
        let mut choice = Choice { lanes, rounding: None, modifiers: Vec::new(), numbers: Vec::new() };
        for word in words {
            let name = word.trim_start_matches('.');
            match (name.parse(), name.parse()) {
                (Ok(rounding), _) => choice.rounding = Some(rounding),
                (_, Ok(modifier)) => choice.modifiers.push(modifier),
                _ => choice.numbers.push(word),
            }
        }
        choice
    }

    fn of(&self, mut wanted: Between) -> Between {
        if let Some(lanes) = self.lanes {
            wanted = wanted.lanes(lanes);
        }
        if let Some(rounding) = self.rounding {
            wanted = wanted.rounding(rounding);
        }
        self.modifiers.iter().copied().fold(wanted, Between::with)
    }
}

/// A form that was named by its formats, and numbers for its elements, the upper one first. If there are fewer, the others
/// are 0.
fn of_formats(form: &Form, named: String, words: &[&str]) -> Answer {
    let separates = |c: char| matches!(c, ',' | '{' | '}' | ';');
    let mut numbers: Vec<&str> =
        words.iter().flat_map(|word| word.split(separates)).filter(|word| !word.is_empty()).collect();
    let lanes = |operand: &Wanted| operand.ty.map_or(1, |ty| ty.lanes() as usize);
    let (count, given) = (form.operands().skip(1).map(|operand| lanes(&operand)).sum(), numbers.len());
    let answer = Answer { opcode: form.to_string(), ..Answer::default() };
    if given > count {
        let problem = format!("{form} converts {}, {given} given", ptxcvt::counted(count, "number"));
        return Answer { problem: Some(problem), meaning: Some(named), ..answer };
    }
    let filled = match count - given {
        _ if given == 0 => "",
        0 => "",
        1 => "; the other element is 0",
        _ => "; the other elements are 0",
    };
    numbers.resize(if given > 0 { count } else { 0 }, "0");
    let mut rest = &numbers[..];
    let operands = form.operands().skip(1).map_while(|operand| {
        let (own, others) = rest.split_at_checked(lanes(&operand))?;
        rest = others;
        Some(Some(own.join(",")))
    });
    Answer { operands: operands.collect(), meaning: Some(named + filled), ..answer }
}

/// The first conversion in the inline assembly of another language, or in a string.
fn source(text: &str) -> Option<Answer> {
    let language = Language::guess(text);
    if language == Language::Ptx {
        // A string that was copied without the statement around it.
        let (before, string) = text.split_once('"')?;
        let inner = ptx(string.split('"').next()?)?;
        let at = inner.at.map(|at| at + before.len() + 1);
        return Some(Answer { at, meaning: Some("the first conversion of this string".to_owned()), ..inner });
    }
    let found = assemblies(text, language);
    let read = found.iter().find_map(|assembly| {
        let inner = ptx(assembly.text())?;
        let span = |at: usize| Span::new(at as u32, (at + inner.opcode.len()) as u32);
        let at = inner.at.and_then(|at| Some(assembly.locate(span(at))?.start as usize));
        Some(Answer { at, meaning: Some("the first conversion of this inline assembly".to_owned()), ..inner })
    });
    let is_whole = found.iter().any(|assembly| !assembly.text().is_empty());
    let why = if is_whole {
        "this inline assembly has no conversion"
    } else {
        "this text has no whole inline assembly"
    };
    let none = || Answer { problem: Some(why.to_owned()), ..Answer::default() };
    Some(read.unwrap_or_else(none))
}

fn arrows(formats: &[Format]) -> String {
    formats.iter().map(|format| format.name()).collect::<Vec<_>>().join("->")
}

/// A format by its name, or by that of a type: `e4m3x2`.
fn format(name: &str) -> Option<Format> {
    Type::read_format(name).ok()
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
    let words: Vec<&str> = words.map(|word| word.trim_end_matches([',', ';'])).collect();
    let form = opcode.parse::<Form>().ok();
    let answer = Answer { opcode, at: Some(at), ..Answer::default() }.in_small_letters();
    // Other words mean something only after a form: `f32 to` may become the name of one. After a misspelt form they do if
    // they are its operands.
    let Some(meant) = form.or_else(|| nearest(&answer.opcode)) else { return answer };
    let wanted: Vec<Wanted> = meant.operands().skip(1).collect();
    let words = match separated(&wanted, &words) {
        Ok(words) => words,
        // The operands of a misspelt form may be other words.
        Err(problem) => return Answer { problem: form.map(|_| problem), ..answer },
    };
    let is_read = |(wanted, word): (&Wanted, &&str)| Reader::operand(&meant, wanted).read(word).is_ok();
    if form.is_none() && !(words.len() <= wanted.len() && wanted.iter().zip(&words).all(is_read)) {
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
    if !is_register(destination, sources) {
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

/// What `check` says against the operands of an instruction: too few in a statement that is complete, or a negated one. A number
/// that PTX writes differently is accepted here.
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
