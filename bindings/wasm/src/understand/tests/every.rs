//! Texts of every pair of formats, with numbers and with words that have no place.

use super::*;

/// Texts with two formats in every spelling, with `{}` in the places of numbers.
fn spellings(from: &str, to: &str) -> [String; 8] {
    [
        format!("{from} to {to} {{}}"),
        format!("{from} to {to}, {{}};"),
        format!("{from}->{to} {{}}"),
        format!("{from} → {to} {{}}"),
        format!("{to} from {from} {{}}"),
        format!("{{}} {from} to {to}"),
        format!("{from} {{}} in {to}"),
        format!(".{} as .{} {{}}", from.to_uppercase(), to.to_uppercase()),
    ]
}

/// The bits and the format of the source of the uppermost element, as the page evaluates the answer.
fn evaluated(answer: &Answer) -> (u64, Format) {
    let operands = serde_json::to_string(&answer.operands).unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&crate::convert(&answer.opcode, &operands, "", "")).unwrap();
    let source = report["evaluation"]["elements"][0]["source"].as_str();
    let source = source.unwrap_or_else(|| panic!("{answer:?} has no result: {report}"));
    let form: Form = answer.opcode.parse().unwrap();
    (u64::from_str_radix(source.trim_start_matches("0x"), 16).unwrap(), form.source().format())
}

/// Between any two formats, every spelling means the conversion that the library finds, and its number is the source's.
#[test]
fn what_is_understood_of_two_formats_is_evaluated() {
    let mut evaluations = 0;
    for (from, to) in pairs() {
        let expected = Form::between(from, to).form();
        let code = Reader::number(from).read("1").unwrap().bits;
        let bits = ptxcvt::literal::hex(code, from.storage());
        // One spelling is enough where there is no conversion.
        let spellings = spellings(from.name(), to.name());
        for spelling in if expected.is_ok() { &spellings[..] } else { &spellings[..1] } {
            for number in ["", "1", &bits] {
                let text = spelling.replace("{}", number);
                let found = answer(&text);
                let Ok(form) = &expected else {
                    assert!(found.problem.is_some() && found.opcode.is_empty(), "{text}: {found:?}");
                    continue;
                };
                assert_eq!((found.problem.as_deref(), &*found.opcode), (None, &*form.to_string()), "{text}");
                let meaning = found.meaning.as_deref().unwrap();
                assert!(meaning.starts_with(&format!("{from} to {to}")), "{text}: {meaning}");
                assert_eq!(found.operands.is_empty(), number.is_empty(), "{text}");
            }
        }
        if expected.is_ok() {
            for number in ["1", &bits] {
                let found = answer(&format!("{from} to {to} {number}"));
                assert_eq!(evaluated(&found), (code, from), "{from} to {to} {number}");
                evaluations += 1;
            }
        }
    }
    assert!(evaluations > 200, "{evaluations}");
}

/// A number and a format: a decimal is converted to the format, and digits of bits are its code.
#[test]
fn what_is_understood_of_one_format_is_evaluated() {
    for format in Format::ALL {
        let to = answer(&format!("1 to {format}"));
        let wide = if *format == Format::F32 { Format::F64 } else { Format::F32 };
        match Form::between(wide, *format).form() {
            Ok(form) => {
                assert_eq!((&*to.opcode, &to.problem), (&*form.to_string(), &None), "{format}");
                assert_eq!(evaluated(&to), (Reader::number(wide).read("1").unwrap().bits, wide), "{format}");
            }
            Err(error) => assert_eq!(to.problem, Some(error.to_string()), "{format}"),
        }
        let is_source =
            Form::all().any(|form| form.opcode() == Opcode::Cvt && form.source().format() == *format);
        for code in [0, 1, format.max_finite()] {
            let bits = ptxcvt::literal::hex(code, format.storage());
            for text in [format!("{format} {bits}"), format!("{bits} {format}")] {
                let found = answer(&text);
                if is_source {
                    assert_eq!(found.problem, None, "{text}");
                    assert_eq!(evaluated(&found), (code, *format), "{text}");
                } else {
                    assert!(found.problem.is_some(), "{text}: {found:?}");
                }
            }
        }
    }
}

/// A word that means nothing is named, wherever it is.
#[test]
fn no_word_is_ignored() {
    let mut texts: Vec<String> = Vec::new();
    for (n, (from, to)) in pairs().enumerate().step_by(3) {
        texts.push(spellings(from.name(), to.name())[n % 8].replace("{}", "1"));
    }
    for one in Format::ALL {
        texts.extend([format!("1 to {one}"), format!("{one} 1"), format!("{one} 0x1"), format!("{one} rn")]);
    }
    texts.extend(["nvfp4", "mxfp8 1 2", "f32 to nvfp4 1"].map(str::to_owned));
    for text in &texts {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        // The first word decides how the text is read; another one there is the opcode.
        for at in 1..=words.len() {
            let mut with = words.clone();
            with.insert(at, "zzq");
            let with = with.join(" ");
            let found = answer(&with);
            assert!(
                found.problem.as_deref().is_some_and(|problem| problem.contains("zzq")),
                "{with}: {found:?}"
            );
        }
    }
}

/// A word too many in an opcode's text is an error.
#[test]
fn no_operand_is_ignored() {
    for form in Form::all().step_by(7) {
        let numbers: Vec<String> =
            form.operands().skip(1).map(|operand| ptxcvt::literal::hex(0, operand.width)).collect();
        let registers = form.syntax_with(|at, _| format!("%r{at}"));
        let texts = [format!("{form} {}", numbers.join(" ")), format!("{form} {registers};")];
        for text in texts {
            assert_eq!(answer(&text).problem, None, "{text}");
            let words: Vec<&str> = text.split(' ').collect();
            for at in 1..=words.len() {
                let mut with = words.clone();
                with.insert(at, "zzq");
                let with = with.join(" ");
                let found = answer(&with);
                let unread = given(&found).iter().any(|operand| operand.contains("zzq"));
                // What follows a statement is another one, and the page says that this is the first.
                let is_first = found.meaning.as_deref() == Some("the first conversion of this PTX");
                assert!(found.problem.is_some() || unread || is_first, "{with}: {found:?}");
            }
        }
    }
}
