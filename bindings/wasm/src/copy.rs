//! A conversion as text to copy: PTX, inline assembly in C++, Rust, Python, and a command line.

use ptxcvt::forms::{Operand, RegisterClass};
use ptxcvt::literal::hex;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Spelling, Target};
use ptxcvt_lower::render;
use serde::Serialize;

use crate::operand;

/// The texts; empty if the opcode is not a form or an operand cannot be read.
#[derive(Default, Serialize)]
pub struct Snippets {
    ptx: String,
    cpp: String,
    rust: String,
    python: String,
    command: String,
}

/// The texts for a form with these operands.
pub fn snippets(opcode: &str, operands: &[Option<String>], machine: Machine) -> Snippets {
    let Ok(form) = opcode.parse::<Form>() else { return Snippets::default() };
    let Some((bits, result)) =
        operand::all(&form, operands).and_then(|bits| form.eval(&bits).ok().map(|result| (bits, result)))
    else {
        return Snippets::default();
    };
    let words: Vec<String> =
        form.operands().skip(1).zip(&bits).map(|(o, bits)| hex(*bits, o.width)).collect();
    let d = hex(result, form.result_width());
    // Where the machine lacks the form, each text says so: it is read without the page.
    let lacks = lacking(&form, machine);
    let note = |sign: &str| lacks.as_ref().map_or(String::new(), |why| format!("{sign} {why}\n"));
    let cpp = match cpp(&form, machine) {
        Ok((cpp, true)) => format!("{}// These instructions compute it there.\n{cpp}", note("//")),
        Ok((cpp, false)) => note("//") + &cpp,
        Err(why) => format!("// {why}\n"),
    };
    Snippets {
        ptx: note("//") + &ptx(&form, &words, machine),
        cpp,
        rust: format!(
            "{}let form: ptxcvt::Form = \"{form}\".parse()?;\nassert_eq!(form.eval(&[{}])?, {d});\n",
            note("//"),
            words.join(", ")
        ),
        python: note("#") + &python(&form, &bits),
        command: format!(
            "ptxcvt eval {form} {}{}",
            words.join(" "),
            lacks.map_or(String::new(), |why| format!("  # {why}"))
        ),
    }
}

/// Why a machine lacks a form, as a sentence; `None` if it has it.
fn lacking(form: &Form, machine: Machine) -> Option<String> {
    let text = form.to_string();
    let problems = Spelling::new(&text).problems(machine);
    Some(format!("{}.", problems.first()?.message().replace('`', "")))
}

/// A module with a function that returns the result: an assembler accepts it, and `ptxcvt run` runs it.
fn ptx(form: &Form, words: &[String], machine: Machine) -> String {
    let name = |at: usize| form.operands().nth(at).expect("an operand of the form").role.identifier();
    let has = |target: Target| Some((target, form.since(target)?));
    let chosen = machine.target().and_then(has).or_else(|| Target::all().find_map(has));
    let (target, since) = chosen.expect("some target has the form");
    let isa = machine.isa().map_or(since, |isa| isa.max(since));
    let mut text = format!(".version {isa}\n.target {target}\n.address_size 64\n\n");
    // A function returns no register of 8 bits.
    let (returned, converted) = if form.result_width() == 8 { (".b32", "narrow") } else { ("", name(0)) };
    for (at, operand) in form.operands().enumerate() {
        match at {
            0 if returned.is_empty() => {
                // A function returns no integer of 16 bits, but 16 bits.
                let mut register = operand.register();
                if register.width == 16 && register.class != RegisterClass::Float {
                    register.class = RegisterClass::Bits;
                }
                text += &format!(".visible .func (.reg {register} {converted}) convert()\n{{\n");
            }
            0 => {
                text += &format!(".visible .func (.reg {returned} {}) convert()\n{{\n", name(0));
                text += &format!("    .reg {} {converted};\n", operand.register());
            }
            _ => text += &format!("    .reg {} {};\n", operand.register(), name(at)),
        }
    }
    for (at, operand) in form.operands().enumerate().skip(1) {
        // There is no `mov` for 8-bit registers.
        let (width, word) = (operand.width, &words[at - 1]);
        text += &match width {
            8 => format!("    cvt.u8.u32 {}, {word};\n", name(at)),
            _ => format!("    mov.b{width} {}, {word};\n", name(at)),
        };
    }
    let operands = form.syntax_with(|at, _| if at == 0 { converted } else { name(at) }.to_owned());
    text += &format!("    {form} {operands};\n");
    if !returned.is_empty() {
        text += &format!("    cvt.u32.u8 {}, {converted};\n", name(0));
    }
    text + "    ret;\n}\n"
}

/// A function with inline assembly, which is lowered on a machine that lacks the form; and whether it is.
///
/// # Errors
///
/// Returns why the machine cannot compute the form.
fn cpp(form: &Form, machine: Machine) -> Result<(String, bool), String> {
    let isa = machine.isa().unwrap_or(IsaVersion::NEWEST);
    let own = Target::all().find(|target| form.is_legal(*target, IsaVersion::NEWEST));
    let chosen = machine.target().map(|target| (target, machine.isa().unwrap_or(target.newest())));
    let Some((target, isa)) = chosen.or(own.map(|target| (target, isa.max(target.newest())))) else {
        return Err("no assembler accepts this form yet".to_owned());
    };
    let lowering = ptxcvt_lower::lower(*form, target, isa).map_err(|e| e.to_string())?;
    let lowered = !form.is_legal(target, isa);
    Ok((render::cuda_for(&lowering), lowered))
}

/// A program of Python.
fn python(form: &Form, bits: &[u64]) -> String {
    let operands = python_operands(form, bits);
    let numpy = if operands.contains("numpy.") { "import numpy\n" } else { "" };
    format!("{numpy}import ptxcvt\nprint(ptxcvt.explain(\"{form}\"{operands}))\n")
}

/// Operands as numbers if they are one element, and as bits otherwise.
fn python_operands(form: &Form, bits: &[u64]) -> String {
    let one = |(operand, bits): (Operand, &u64)| {
        let float = operand.ty.filter(|ty| ty.lanes() == 1 && !ty.format().is_integer());
        match float.map(|ty| ty.format().decode(*bits)) {
            Some(ptxcvt::Value::Finite(x)) => format!(", {:?}", x.to_f64()),
            Some(ptxcvt::Value::Infinity { negative }) => {
                format!(", float(\"{}inf\")", if negative { "-" } else { "" })
            }
            // The bits: another language has one NaN.
            Some(_) => format!(", numpy.uint{}({})", operand.width, hex(*bits, operand.width)),
            None => match operand.ty.filter(|ty| ty.lanes() == 1) {
                Some(ty) => format!(", {}", ty.format().decode(*bits)),
                None => format!(", {}", hex(*bits, operand.width)),
            },
        }
    };
    form.operands().skip(1).zip(bits).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptxcvt_exec::read::{self, Interface as Known};

    /// The C++ computes the form: it is read as a compiler reads it, and run.
    #[test]
    fn assembly_computes_the_form() {
        for form in Form::all().step_by(5) {
            let operands: Vec<u64> =
                (0..form.source_count() as u64).map(|at| 0x3fc6_6666 >> (8 * at)).collect();
            let (text, lowered) = cpp(&form, Machine::ANY).unwrap();
            assert!(!lowered, "{form}");
            // A `.cu` file is compiled by nvcc; without it, the statement alone is read.
            let asm = &text[text.find("asm(").unwrap()..text.find("    return").unwrap()];
            let block = read::block(asm, &Known::default()).unwrap_or_else(|e| panic!("{form}: {e}\n{asm}"));
            let result = block.eval(&operands).unwrap()[0];
            let used = ptxcvt::mask(form.result_width());
            assert_eq!(result & used, form.eval(&operands).unwrap(), "{form}\n{text}");
        }
    }

    /// ptxas refuses functions that return integer registers of 8 or 16 bits.
    #[test]
    fn functions_return_what_the_assembler_takes() {
        for form in Form::all() {
            let words: Vec<String> = form.operands().skip(1).map(|_| "0x1".to_owned()).collect();
            let text = ptx(&form, &words, Machine::ANY);
            let returned = text.split_once("(.reg ").and_then(|(_, rest)| rest.split_whitespace().next());
            assert!(
                !matches!(returned, None | Some(".u8" | ".s8" | ".b8" | ".u16" | ".s16")),
                "{form}\n{text}"
            );
        }
    }

    /// Where nothing computes the form, the text says why.
    #[test]
    fn assembly_that_is_missing_has_a_reason() {
        let machine = crate::operand::machine("sm_30", "6.0").unwrap();
        let operands = ["1.5", "-448"].map(|text| Some(text.to_owned()));
        let snippets = snippets("cvt.rn.satfinite.e4m3x2.f32", &operands, machine);
        assert!(snippets.cpp.starts_with("// sm_30 is too old: "), "{}", snippets.cpp);
    }

    /// A text that is copied for a machine without the form says so, in a comment of its language.
    #[test]
    fn missing_forms_have_a_comment() {
        let operands = ["1.5", "-448"].map(|text| Some(text.to_owned()));
        let on = |target: &str, isa: &str| {
            let machine = crate::operand::machine(target, isa).unwrap();
            let all = snippets("cvt.rn.satfinite.e4m3x2.f32", &operands, machine);
            [all.ptx, all.cpp, all.rust, all.python, all.command]
        };
        for (target, isa, needs) in [
            ("sm_80", "", "needs sm_89 or higher; the target is sm_80."),
            ("", "7.0", "needs PTX ISA 7.8; the version is 7.0."),
        ] {
            for (text, sign) in on(target, isa).iter().zip(["//", "//", "//", "#", "#"]) {
                let shown = format!("{sign} cvt.rn.satfinite.e4m3x2.f32 {needs}");
                assert!(text.contains(&shown), "{text}");
            }
        }
        assert!(on("sm_90", "").iter().all(|text| !text.contains("needs")));
        let command = on("sm_80", "")[4].clone();
        let answer = crate::understand(&command);
        assert!(
            answer.contains("\"opcode\":\"cvt.rn.satfinite.e4m3x2.f32\"")
                && answer.contains("\"problem\":null"),
            "{answer}"
        );
    }

    /// A NaN keeps its bits, which Python's `nan` would not.
    #[test]
    fn python_has_the_bits_of_nan() {
        let form: Form = "cvt.f64.f32".parse().unwrap();
        let text = python(&form, &[0xffa0_0001]);
        assert!(text.starts_with("import numpy\n") && text.contains("numpy.uint32(0xffa00001)"), "{text}");
        assert!(!python(&form, &[0x3f80_0000]).contains("numpy"));
    }

    /// A compiler for the host, which knows no constraints of GPUs, finds each name of the C++ declared.
    #[test]
    fn names_are_declared() {
        for form in Form::all() {
            let (text, _) = cpp(&form, Machine::ANY).unwrap();
            let (head, body) = text.split_once("\n{\n").unwrap();
            let declared = |name: &str| {
                let is_last = |part: &str| part.split_whitespace().next_back() == Some(name);
                head.split(['(', ',', ')']).any(is_last)
                    || body.lines().next().unwrap().trim_end_matches(';').ends_with(&format!(" {name}"))
            };
            let found = ptxcvt_syntax::sources::statements(&text);
            assert_eq!(found.len(), 1, "{text}");
            for operand in found[0].operands() {
                let name = operand.expression.rsplit(')').next().unwrap().trim();
                assert!(declared(name), "{name}: {text}");
            }
        }
    }

    /// The PTX is a module without errors, and its function computes the form.
    #[test]
    fn ptx_computes_the_form() {
        for form in Form::all().step_by(5) {
            let words: Vec<String> = form.operands().skip(1).map(|o| hex(0x33, o.width)).collect();
            let text = ptx(&form, &words, Machine::ANY);
            let source = ptxcvt_syntax::Source::new("copied.ptx", text.as_bytes());
            let found = ptxcvt_syntax::check(&source, &ptxcvt_syntax::CheckOptions::default());
            assert_eq!(found.errors(), 0, "{:?}\n{text}", found.diagnostics);
            let block =
                read::block(&text, &Known::default()).unwrap_or_else(|e| panic!("{form}: {e}\n{text}"));
            let bits = vec![0x33; form.source_count()];
            assert_eq!(block.eval(&[]).unwrap(), [form.eval(&bits).unwrap()], "{form}\n{text}");
        }
    }

    /// The module is for the chosen machine, or for the first one that has the form.
    #[test]
    fn ptx_is_for_the_machine() {
        let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse().unwrap();
        let words = ["0x0".to_owned(), "0x0".to_owned()];
        for (target, isa, head) in [
            ("sm_100a", "", ".version 8.6\n.target sm_100a\n"),
            ("sm_90", "8.4", ".version 8.4\n.target sm_90\n"),
            ("sm_80", "", ".version 8.1\n.target sm_89\n"),
            ("", "", ".version 8.1\n.target sm_89\n"),
        ] {
            let text = ptx(&form, &words, operand::machine(target, isa).unwrap());
            assert!(text.starts_with(head), "{target}: {text}");
        }
    }
}
