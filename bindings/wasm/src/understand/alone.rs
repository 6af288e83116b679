//! Reads a single word that is not yet a conversion: a number, a family of formats, or an opcode without `cvt`.

use ptxcvt::literal::{Number, Reader};
use ptxcvt::{Form, Format, counted};
use ptxcvt_report::search::Named;

use super::answer::Answer;

/// What a single word leads to; `None` if it is another word or more than one.
pub(super) fn answer(text: &str) -> Option<Answer> {
    let word = text.trim().trim_end_matches(';');
    if word.is_empty() || word.contains(char::is_whitespace) {
        return None;
    }
    let opcode = format!("cvt.{}", word.trim_start_matches('.').to_ascii_lowercase());
    if opcode.parse::<Form>().is_ok() {
        return Some(Answer {
            opcode,
            meaning: Some("an opcode without `cvt`".to_owned()),
            ..Answer::default()
        });
    }
    let choices = |problem: String, steps: Vec<String>| {
        Some(Answer { problem: Some(problem), steps, ..Answer::default() })
    };
    // `fp8` is a name of e4m3.
    let unknown = Some(word.to_ascii_lowercase()).filter(|word| Named::new(word).is_none());
    let bits = unknown.and_then(|word| word.strip_prefix("fp")?.parse::<u32>().ok());
    let family = Format::ALL.iter().filter(|format| bits == Some(format.bits()) && !format.is_integer());
    let family: Vec<String> = family.map(|format| format!("f32 to {format}")).collect();
    if !family.is_empty() {
        return choices(format!("`{word}` is one of {}", counted(family.len(), "format")), family);
    }
    let problem = || format!("`{word}` is a number, and the formats are missing");
    match Number::parse(word) {
        Ok(Number::Bits(_)) => {
            let all = [Format::E4m3, Format::F16, Format::F32, Format::F64];
            let fitting = all.into_iter().filter(|format| Reader::number(*format).read(word).is_ok());
            choices(problem(), fitting.take(3).map(|format| format!("{format} {word}")).collect())
        }
        // An infinity or a NaN may be the beginning of another word.
        Ok(_) if word.contains(|c: char| c.is_ascii_digit()) => {
            choices(problem(), ["e4m3", "f16", "s32"].map(|name| format!("{word} to {name}")).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer;

    #[test]
    fn words_lead_to_conversions() {
        for (text, first, count) in [
            ("fp6", "f32 to e2m3", 2),
            ("FP6", "f32 to e2m3", 2),
            ("3.14", "3.14 to e4m3", 3),
            ("0x3c", "e4m3 0x3c", 3),
            ("0x3c00", "f16 0x3c00", 3),
            ("0x3fc00000", "f32 0x3fc00000", 2),
            ("-1e3", "-1e3 to e4m3", 3),
        ] {
            let found = answer(text);
            assert!(found.problem.is_some() && found.opcode.is_empty(), "{text} {found:?}");
            assert_eq!((found.steps[0].as_str(), found.steps.len()), (first, count), "{text}");
            for step in &found.steps {
                let next = answer(step);
                assert!(next.problem.is_none() && !next.opcode.is_empty(), "{text}: {step} {next:?}");
            }
        }
        for text in ["rn.satfinite.e4m3x2.f32", ".rn.satfinite.e4m3x2.f32;", "RN.satfinite.e4m3x2.f32"] {
            assert_eq!(answer(text).opcode, "cvt.rn.satfinite.e4m3x2.f32", "{text}");
        }
        for text in ["fp8", "fp12", "inf", "nan", "cvt.rn.f16.f32", "torch.float8_e4m3fn"] {
            assert!(super::answer(text).is_none(), "{text}");
        }
        assert_eq!(answer("torch.float8_e4m3fn to np.float16").opcode, "cvt.rn.f16x2.e4m3x2");
    }
}
