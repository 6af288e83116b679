//! Reads a text that names formats or recipes: `f32 to e4m3`, `e4m3 from f32 1.5`, `1.5 to e4m3`, `e4m3 0x7e`, `nvfp4 1 2`.
//!
//! Every word is used, or it is named in the problem of the answer.

use ptxcvt::forms::{Between, Operand as Wanted, Role, chain, chain_with};
use ptxcvt::literal::{Number, Reader};
use ptxcvt::{Code, Form, Format, Modifier, Outcome, Rounding, Type, clip, counted};
use ptxcvt_report::reading::braces_match;
use ptxcvt_report::search::{Link, Named};

use super::answer::Answer;
use super::recipes;

/// What a word of the text is.
enum Word {
    Format(Named),
    /// Recipes for blocks.
    Recipes(Vec<String>),
    Link(Link),
    Rounding(Rounding),
    Modifier(Modifier),
    /// A scale, of the kind that the formats have.
    Scaled,
    Number,
    Other,
}

impl Word {
    fn of(word: &str) -> Word {
        let name = word.trim_start_matches('.');
        if let Some(named) = Named::new(word) {
            return Word::Format(named);
        }
        if let Some(link) = Link::new(word) {
            return Word::Link(link);
        }
        if name.eq_ignore_ascii_case("scaled") {
            return Word::Scaled;
        }
        if let Ok(rounding) = name.parse() {
            return Word::Rounding(rounding);
        }
        if let Ok(modifier) = name.parse() {
            return Word::Modifier(modifier);
        }
        // If the text only looks like a number, the field of the operand says what is wrong.
        let digits = word.trim_start_matches(['+', '-', '.']);
        if digits.starts_with(|c: char| c.is_ascii_digit()) || Number::parse(word).is_ok() {
            return Word::Number;
        }
        match recipes::named(word) {
            none if none.is_empty() => Word::Other,
            found => Word::Recipes(found),
        }
    }
}

/// The words of a text.
#[derive(Default)]
struct Said {
    /// The formats in the order of the text.
    formats: Vec<Named>,
    recipes: Vec<String>,
    /// The links between the formats.
    links: Vec<Link>,
    /// `1.5 to e4m3`: numbers stand where the source would be named.
    begins_with_number: bool,
    rounding: Option<Rounding>,
    modifiers: Vec<Modifier>,
    scaled: bool,
    numbers: Vec<String>,
}

/// Reads a text; `None` if it does not begin as one with formats.
pub(super) fn answer(text: &str) -> Option<Answer> {
    let spaced = Link::spaced(text.trim().trim_end_matches(';'));
    let written: Vec<&str> = spaced.split_whitespace().collect();
    let separates = |c: char| matches!(c, ',' | '{' | '}' | ';');
    let words = written.iter().flat_map(|word| word.split(separates)).filter(|word| !word.is_empty());
    let mut words: Vec<(&str, Word)> = words.map(|word| (word, Word::of(word))).collect();
    let is_head = |(word, _): &(&str, Word)| {
        ["cvt", "convert", "round", "cast", "quantize", "quantise"]
            .contains(&word.to_ascii_lowercase().as_str())
    };
    if words.len() > 1 && is_head(&words[0]) {
        words.remove(0);
    }
    let names = |(_, word): &(&str, Word)| matches!(word, Word::Format(_) | Word::Recipes(_) | Word::Link(_));
    let begins = match words.first()? {
        (_, Word::Format(_) | Word::Recipes(_)) => true,
        (_, Word::Number) => words.iter().any(names),
        // `e9m9 from f32`: the first name is wrong.
        _ => {
            words.iter().any(|(word, _)| *word == "→")
                || matches!(words[..], [_, (_, Word::Link(_)), (_, Word::Format(_)), ..])
        }
    };
    if !begins {
        return None;
    }
    let problem = |what: String| Answer { problem: Some(what), ..Answer::default() };
    if !braces_match(&written) {
        return Some(problem(format!("the braces of `{}` do not match", clip(text.trim()))));
    }
    Some(match said(&words) {
        Err(what) => problem(what),
        Ok(said) if !said.recipes.is_empty() => of_recipes(&said, &words),
        Ok(said) => of_formats(&said),
    })
}

/// Sorts the words of a text by what they are.
///
/// # Errors
///
/// Names the first word that has no place.
fn said(words: &[(&str, Word)]) -> Result<Said, String> {
    let mut said = Said::default();
    // The link that a format has to follow.
    let mut open: Option<&str> = None;
    for (at, (word, what)) in words.iter().enumerate() {
        let no_format =
            || Type::read_format(word).map_or_else(|unknown| unknown.to_string(), |_| String::new());
        let is_linked = matches!(words.get(at + 1), Some((_, Word::Link(_))));
        match what {
            Word::Link(_) if open.is_some() => return Err(format!("a format is missing before `{word}`")),
            Word::Link(link) => {
                let has_names = !said.formats.is_empty() || !said.recipes.is_empty();
                match link {
                    _ if has_names => said.links.push(*link),
                    // `0x7e as e4m3`: a code of the format.
                    Link::To
                        if word.eq_ignore_ascii_case("as")
                            && said.numbers.iter().any(|number| is_bits(number)) => {}
                    Link::To if !said.numbers.is_empty() => said.begins_with_number = true,
                    _ => return Err(format!("a format is missing before `{word}`")),
                }
                open = Some(word);
            }
            Word::Recipes(_) if open.is_none() && said.formats.len() > 1 => {
                return Err(format!("`{word}` is a recipe for blocks, and no part of a conversion"));
            }
            Word::Format(_) | Word::Recipes(_)
                if open.is_none() && said.formats.len() + said.recipes.len() > 0 =>
            {
                let before = words[..at]
                    .iter()
                    .rev()
                    .find(|(_, word)| matches!(word, Word::Format(_) | Word::Recipes(_)));
                let before = before.map_or("", |(word, _)| word);
                return Err(format!(
                    "`{before} {word}` does not say which one is the source: write `{before} to {word}` or `{word} to {before}`"
                ));
            }
            Word::Format(named) => {
                said.formats.push(*named);
                open = None;
            }
            Word::Recipes(found) => {
                said.recipes.extend(found.iter().cloned());
                open = None;
            }
            _ if open.is_some() => return Err(no_format()),
            Word::Rounding(rounding) if said.rounding.is_none_or(|other| other == *rounding) => {
                said.rounding = Some(*rounding);
            }
            Word::Rounding(_) => return Err(format!("`{word}` is a second rounding")),
            Word::Modifier(modifier) => said.modifiers.push(*modifier),
            Word::Scaled => said.scaled = true,
            Word::Number => said.numbers.push((*word).to_owned()),
            Word::Other if is_linked => return Err(no_format()),
            Word::Other => {
                return Err(format!("`{}` is not a format, a rounding, a modifier or a number", clip(word)));
            }
        }
    }
    if let Some(link) = open {
        return Err(format!("a format is missing after `{link}`"));
    }
    if said.links.windows(2).any(|pair| pair[0] != pair[1])
        || said.begins_with_number && said.links.contains(&Link::From)
    {
        return Err("`to` and `from` together do not say which format is the source".to_owned());
    }
    if said.links.first() == Some(&Link::From) {
        said.formats.reverse();
    }
    Ok(said)
}

/// The view of blocks shows what a recipe does.
fn of_recipes(said: &Said, words: &[(&str, Word)]) -> Answer {
    let named = words.iter().filter(|(_, word)| matches!(word, Word::Recipes(_)));
    let named: Vec<&str> = named.map(|(word, _)| *word).collect();
    let other = words.iter().find(|(_, word)| match word {
        Word::Format(named) => named.format != Format::F32 || named.lanes > 1,
        Word::Rounding(_) | Word::Modifier(_) | Word::Scaled => true,
        Word::Link(link) => *link == Link::From,
        Word::Recipes(_) | Word::Number | Word::Other => false,
    });
    let count = said.recipes.len();
    let what = match count {
        1 => format!("`{}` quantises blocks of f32 numbers", named.join(" ")),
        _ => format!("`{}` is the name of {count} ways to quantise blocks of f32 numbers", named.join(" ")),
    };
    let meaning = match said.numbers.len() {
        0 => what,
        numbers => format!("{what}, here {}", counted(numbers, "number")),
    };
    let mut recipes = said.recipes.clone();
    recipes.dedup();
    Answer {
        problem: other.map(|(word, _)| format!("`{word}` has no meaning for a recipe")),
        meaning: Some(meaning),
        recipes,
        numbers: said.numbers.join(" "),
        ..Answer::default()
    }
}

/// True if there is a conversion, even if its rounding has to be chosen.
fn converts(from: Format, to: Format) -> bool {
    match Form::between(from, to).form() {
        Ok(_) => true,
        Err(error) => error.code() == Code::MissingRounding,
    }
}

impl Said {
    /// The formats of the conversions, the first one the source.
    fn path(&self) -> Vec<Format> {
        let formats: Vec<Format> = self.formats.iter().map(|named| named.format).collect();
        let [one] = formats[..] else { return formats };
        let source =
            |others: [Format; 3]| others.into_iter().find(|other| *other != one && converts(*other, one));
        let destination = || {
            let others = [Format::F32, Format::F16, Format::Bf16, Format::F64];
            others.into_iter().find(|other| *other != one && converts(one, *other))
        };
        // Digits such as 0x7e are the bits of the format that is named; a decimal is rounded to it.
        if !self.begins_with_number && self.numbers.iter().any(|number| is_bits(number)) {
            return vec![one, destination().unwrap_or(Format::F32)];
        }
        let wide = match self.numbers.is_empty() {
            // A wide format is more often the source.
            true => [Format::F32, Format::F16, Format::F64],
            false => [Format::F32, Format::F64, Format::F16],
        };
        match (source(wide), destination()) {
            (Some(Format::F32), _) if self.is_changed_by_f32(one) => vec![Format::F64, one],
            (Some(from), _) => vec![from, one],
            (None, Some(to)) if !self.begins_with_number => vec![one, to],
            _ => vec![Format::F32, one],
        }
    }

    /// True if a number becomes another one of a format through f32 than through f64, such as 16777217 as an s32, or in
    /// another way: 2147483647 is saturated, because it is 2^31 as an f32.
    fn is_changed_by_f32(&self, to: Format) -> bool {
        let result = |from: Format, number: &str| {
            let form = self.choose(Form::between(from, to)).form().ok()?;
            converted(&form, number)
        };
        let differs = |number: &String| {
            let wide = result(Format::F64, number);
            wide.is_some() && wide != result(Format::F32, number)
        };
        to != Format::F64 && self.numbers.iter().any(differs)
    }

    /// The form between two formats; if there is none, the forms that another choice leads to, and what is wrong. A rounding
    /// is chosen if there is only one.
    fn direct(&self, from: Format, to: Format, lanes: Option<u32>) -> Result<Form, (Vec<Form>, String)> {
        let wanted = self.choose(Form::between(from, to));
        let wanted = lanes.map_or(wanted, |lanes| wanted.lanes(lanes));
        wanted.form().or_else(|error| match (error.choices().as_slice(), error.code()) {
            ([one], Code::MissingRounding) => Ok(*one),
            (choices, _) => Err((choices.to_vec(), error.to_string())),
        })
    }

    /// Adds what the text says about a form to the search for it.
    fn choose(&self, mut wanted: Between) -> Between {
        if let Some(lanes) = self.formats.iter().map(|named| named.lanes).filter(|lanes| *lanes > 1).max() {
            wanted = wanted.lanes(lanes);
        }
        if let Some(rounding) = self.rounding {
            wanted = wanted.rounding(rounding);
        }
        if self.scaled {
            wanted = wanted.scaled();
        }
        self.modifiers.iter().copied().fold(wanted, Between::with)
    }
}

/// The plainest conversion between formats, and its operands.
fn of_formats(said: &Said) -> Answer {
    let problem = |what: String| Answer { problem: Some(what), ..Answer::default() };
    let mut packed = said.formats.iter().map(|named| named.lanes).filter(|lanes| *lanes > 1);
    let first = packed.next();
    if packed.any(|lanes| Some(lanes) != first) {
        return problem("the formats have different numbers of elements".to_owned());
    }
    let path = said.path();
    let names: Vec<&str> = path.iter().map(|format| format.name()).collect();
    let (named, arrows) = (names.join(" to "), names.join("->"));
    let direct = |lanes| match path[..] {
        [from, to] => said.direct(from, to, lanes),
        _ => Err((Vec::new(), String::new())),
    };
    let steps = |forms: Vec<Form>| Answer {
        steps: forms.iter().map(Form::to_string).collect(),
        ..problem(format!("{named} takes {}", counted(forms.len(), "conversion")))
    };
    match chain_with(&arrows, |wanted| said.choose(wanted)) {
        Ok(forms) if forms.len() == 1 => {
            // As many numbers may be the elements of a larger form.
            let given = said.numbers.len();
            let larger = (given > most(&forms[0])).then(|| direct(u32::try_from(given).ok()));
            let form = larger.and_then(Result::ok).unwrap_or(forms[0]);
            of_form(&form, named, said)
        }
        Ok(forms) => steps(forms),
        // If no chain allows the choices, the plain chain still shows the steps.
        Err(error) => match (chain(&arrows), direct(None)) {
            (Ok(forms), _) if forms.len() > 1 => steps(forms),
            (_, Ok(form)) => of_form(&form, named, said),
            (_, Err((choices, what))) if !choices.is_empty() => Answer {
                // The numbers stay when one of the forms is chosen.
                operands: of_form(&choices[0], named, said).operands,
                steps: choices.iter().map(Form::to_string).collect(),
                ..problem(what)
            },
            _ => problem(error.to_string()),
        },
    }
}

/// True for digits such as 0x7e.
fn is_bits(number: &str) -> bool {
    matches!(Number::parse(number), Ok(Number::Bits(_)))
}

/// The result of the first element of a form for a number, and what became of the number; `None` if it cannot be read.
fn converted(form: &Form, number: &str) -> Option<(u64, Outcome)> {
    let source = form.source();
    let bits = Reader::number(source.format()).read(number).ok()?.bits;
    let first = source.format().storage() * (source.lanes() - 1);
    let mut operands = vec![0; form.source_count()];
    *operands.first_mut()? = bits << first;
    let explained = form.explain(&operands).ok()?;
    let element = explained.elements().first()?;
    Some((element.result, element.outcome))
}

/// How a number was changed when it was read, if the destination could tell: `0.1` of f32 is not that of f64.
fn changed(form: &Form, number: &str) -> Option<String> {
    let (from, to) = (form.source().format(), form.destination().format());
    let [read, own] = [from, to].map(|format| Reader::number(format).read(number).ok());
    let (read, own) = (read?, own?);
    let could_tell = !read.is_exact() && !read.is_out_of_range() && (to == Format::F64 || own.is_exact());
    let value = from.decode(read.bits);
    (could_tell && converted(form, number)?.0 != own.bits).then(|| format!("; {number} is {value} as {from}"))
}

/// How many numbers each operand has; `None` if it is not a part of the conversion.
fn lanes_of(operand: &Wanted) -> Option<usize> {
    match operand.role {
        Role::RandomBits | Role::ScaleFactor | Role::Rest => None,
        _ => Some(operand.ty.map_or(1, |ty| ty.lanes() as usize)),
    }
}

/// How many numbers the operands of a form have.
fn most(form: &Form) -> usize {
    form.operands().skip(1).map(|operand| lanes_of(&operand).unwrap_or(1)).sum()
}

/// A form that was named by its formats, and numbers for its elements, the upper one first. If there are fewer, the others
/// are 0, or 1 in a format without zero.
fn of_form(form: &Form, named: String, said: &Said) -> Answer {
    let wanted: Vec<Wanted> = form.operands().skip(1).collect();
    let (elements, given) = (wanted.iter().filter_map(lanes_of).sum::<usize>(), said.numbers.len());
    let most = most(form);
    let answer = Answer { opcode: form.to_string(), ..Answer::default() };
    if given > most {
        let problem = format!("{form} converts {}, {given} given", counted(most, "number"));
        return Answer { problem: Some(problem), meaning: Some(named), ..answer };
    }
    // `e4m3x2 0x7e38` has the bits of both elements.
    let is_whole = said.formats[0].lanes > 1
        && wanted.first().and_then(lanes_of).is_some_and(|lanes| lanes > 1)
        && matches!(said.numbers.as_slice(), [one] if matches!(Number::parse(one), Ok(Number::Bits(_))));
    if is_whole {
        return Answer { operands: vec![Some(said.numbers[0].clone())], meaning: Some(named), ..answer };
    }
    let zero = Reader::number(form.source().format()).read("0");
    let fill = if zero.is_ok_and(|zero| zero.is_exact()) { "0" } else { "1" };
    let mut meaning = named;
    match elements.saturating_sub(given) {
        _ if given == 0 => {}
        0 => {}
        1 => meaning += &format!("; the other element is {fill}"),
        _ => meaning += &format!("; the other elements are {fill}"),
    }
    meaning.extend(said.numbers.iter().take(elements).filter_map(|number| changed(form, number)));
    let mut numbers = said.numbers.clone();
    if given > 0 {
        numbers.resize(given.max(elements), fill.to_owned());
    }
    let mut rest = &numbers[..];
    let operands = wanted.iter().map_while(|operand| {
        let (own, others) = rest.split_at_checked(lanes_of(operand).unwrap_or(1))?;
        rest = others;
        Some(Some(own.join(",")))
    });
    Answer { operands: operands.collect(), meaning: Some(meaning), ..answer }
}
