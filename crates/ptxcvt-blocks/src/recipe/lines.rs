//! The lines of a recipe: `NAME = EXPRESSION`, one operation each, so that every rounding has its own line.
//!
//! | line | does |
//! |---|---|
//! | `t = amax * k`, `/`, `+`, `-` | f32, rounded to nearest even |
//! | `t = min(t, 448)`, `max` | as PTX `min.f32`: the number, where one operand is NaN |
//! | `t = min.NaN(t, 448)`, `max.NaN` | NaN, where one is |
//! | `u = add.u32(amax, half)`, `and.b32` | on the bits |
//! | `l = log2(t)`, `floor`, `ceil` | rounded to f32 |
//! | `t = input(t)` | rounded to the type of the input |
//! | `s = cvt.rp.satfinite.ue8m0x2.f32(t)` | one element of that instruction |
//! | `e = code(s)`, `s = ue8m0(e)` | a code as an integer, and the code of an integer |
//! | `q = argmin.e2m1(y)` | the nearest value, of two the lower code; NaN and infinity give 0 |
//! | `q = count.e2m1(y)` | the nearest value, ties toward zero; the sign is set unless `y` is positive |
//! | `m = sum(d)` | over the elements of the block in their order, each addition rounded |
//! | `r = 1 where s is 0x00`, `… is zero or nan or inf or negative` | replaces what `r` was |
//!
//! In the name of a conversion, `element` stands for the element format.

use ptxcvt::formats::Kind as FormatKind;
use ptxcvt::{Form, Format, Rounding};

use super::program::{Classes, Instruction, Kind, Level, Op, Operand, Program, Register};

/// What a line may refer to beside registers.
pub(super) struct Names {
    pub element: Format,
}

/// Reads `lines` into a program that is given `inputs`.
pub(super) fn read<'l>(
    inputs: &[(&str, Kind, Level)],
    lines: impl Iterator<Item = &'l str>,
    names: &Names,
) -> Result<Program, String> {
    let registers = inputs.iter().map(|&(name, kind, level)| Register { name: name.into(), kind, level });
    let mut program = Program { registers: registers.collect(), instructions: Vec::new() };
    for line in lines {
        let (to, expression) = line
            .split_once('=')
            .ok_or_else(|| format!("`{line}`: a line is NAME = EXPRESSION, such as `t = amax * 0.5`"))?;
        let (to, expression) = (to.trim(), expression.trim());
        let fail = |what: String| format!("`{line}`: {what}");
        if !is_name(to) {
            return Err(fail(format!("`{to}` is no name")));
        }
        add(&mut program, to, expression, names).map_err(fail)?;
    }
    Ok(program)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Adds the line `to = expression`.
fn add(program: &mut Program, to: &str, expression: &str, names: &Names) -> Result<(), String> {
    let element = names.element.name();
    let expression = expression.replace("element", element);
    let (op, a, b) = parse(program, to, &expression, names)?;
    let kind = kind_of(program, op, a)?;
    let mut level = program.level(a).max(b.map_or(Level::Tensor, |b| program.level(b)));
    if op == Op::Sum {
        if level != Level::Element {
            return Err("`sum` takes a number of the elements".into());
        }
        level = Level::Block;
    }
    if let Op::Where { otherwise, .. } = op {
        level = level.max(program.registers[otherwise].level);
        if program.registers[otherwise].kind != kind {
            return Err(format!("`{to}` is a code, and cannot become a number"));
        }
    }
    let text = format!("{to} = {expression}");
    program.instructions.push(Instruction { to: program.registers.len(), op, a, b, level, text });
    program.registers.push(Register { name: to.into(), kind, level });
    Ok(())
}

type Parsed = (Op, Operand, Option<Operand>);

fn parse(program: &Program, to: &str, expression: &str, names: &Names) -> Result<Parsed, String> {
    let operand = |text: &str| operand(program, text.trim(), names);
    if let Some((value, condition)) = expression.split_once(" where ") {
        let (subject, classes) = condition
            .split_once(" is ")
            .ok_or_else(|| "a condition is NAME is CLASS, such as `s is zero or nan`".to_owned())?;
        let classes = parse_classes(classes)?;
        let otherwise = program.find(to).ok_or_else(|| format!("`{to}` has no value to be replaced"))?;
        return Ok((Op::Where { classes, otherwise }, operand(value)?, Some(operand(subject)?)));
    }
    if let Some((function, rest)) = expression.split_once('(') {
        let arguments = rest.strip_suffix(')').ok_or_else(|| "a parenthesis is open".to_owned())?;
        let (op, wanted) = function_named(function.trim())?;
        let arguments: Vec<_> = arguments.split(',').map(operand).collect::<Result<_, _>>()?;
        return match (arguments[..].as_ref(), wanted) {
            ([a], 1) => Ok((op, *a, None)),
            ([a, b], 2) => Ok((op, *a, Some(*b))),
            (given, _) => Err(format!("`{function}` takes {wanted} operand(s), not {}", given.len())),
        };
    }
    for (sign, op) in [(" * ", Op::Mul), (" / ", Op::Div), (" + ", Op::Add), (" - ", Op::Sub)] {
        if let Some((a, b)) = expression.split_once(sign) {
            return Ok((op, operand(a)?, Some(operand(b)?)));
        }
    }
    Ok((Op::Move, operand(expression)?, None))
}

/// What a register or a constant of that name is.
fn operand(program: &Program, text: &str, names: &Names) -> Result<Operand, String> {
    let FormatKind::Float { fraction, .. } = names.element.parameters().kind else {
        return Err(format!("elements of {} are no floats", names.element));
    };
    let largest = names.element.decode(names.element.max_finite()).to_f64();
    if let Some(hex) = text.strip_prefix("0x") {
        let bits = u32::from_str_radix(hex, 16).map_err(|_| format!("`{text}` is no 32-bit number"))?;
        return Ok(Operand::Constant(f32::from_bits(bits)));
    }
    if let Some(register) = program.find(text) {
        return Ok(Operand::Register(register));
    }
    Ok(match text {
        "max" => Operand::Constant(largest as f32),
        "emax" => Operand::Constant((largest.log2().floor()) as f32),
        // Half the last place of the element format, in the bits of an f32.
        "half" => Operand::Constant(f32::from_bits(1 << (22 - fraction))),
        "input_max" => Operand::InputMax,
        "inf" => Operand::Constant(f32::INFINITY),
        "nan" => Operand::Constant(f32::from_bits(0x7fff_ffff)),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            let number = match text.split_once('^') {
                Some(("2", power)) => power.parse::<i32>().ok().map(|p| f64::from(p).exp2() as f32),
                _ => text.parse().ok(),
            };
            let number: f32 = number.ok_or_else(|| format!("`{text}` is no number"))?;
            if !number.is_finite() {
                return Err(format!("`{text}` is larger than every f32; for infinity write `inf`"));
            }
            Operand::Constant(number)
        }
        _ => {
            let mut known: Vec<&str> = program.registers.iter().map(|r| r.name.as_str()).collect();
            known.extend(["max", "emax", "half", "input_max", "inf", "nan"]);
            known.dedup();
            return Err(format!("`{text}` is not known here; there are {}", known.join(" ")));
        }
    })
}

fn parse_classes(text: &str) -> Result<Classes, String> {
    let mut classes = Classes::default();
    for class in text.split(" or ").map(str::trim) {
        match class.strip_prefix("0x").map(|hex| u8::from_str_radix(hex, 16)) {
            Some(Ok(code)) => classes.code = Some(code),
            None if class == "zero" => classes.zero = true,
            None if class == "nan" => classes.nan = true,
            None if class == "inf" => classes.infinite = true,
            None if class == "negative" => classes.negative = true,
            _ => {
                return Err(format!(
                    "`{class}` is no class; there are zero, nan, inf, negative, and codes such as 0x00"
                ));
            }
        }
    }
    if classes.code.is_some() && text.contains(" or ") {
        return Err("a code stands alone in a condition".into());
    }
    Ok(classes)
}

/// The operation of that name and how many operands it takes.
fn function_named(name: &str) -> Result<(Op, usize), String> {
    Ok(match name {
        "min" => (Op::Min, 2),
        "max" => (Op::Max, 2),
        "min.NaN" => (Op::MinNan, 2),
        "max.NaN" => (Op::MaxNan, 2),
        "add.u32" => (Op::AddBits, 2),
        "and.b32" => (Op::AndBits, 2),
        "log2" => (Op::Log2, 1),
        "floor" => (Op::Floor, 1),
        "ceil" => (Op::Ceil, 1),
        "input" => (Op::ToInput, 1),
        "code" => (Op::CodeOf, 1),
        "ue8m0" => (Op::FromCode(Format::Ue8m0), 1),
        "sum" => (Op::Sum, 1),
        "argmin.e2m1" => (Op::Nearest(Format::E2m1, false), 1),
        "count.e2m1" => (Op::Nearest(Format::E2m1, true), 1),
        _ if name.starts_with("cvt.") => {
            let form: Form = name.parse().map_err(|e| format!("`{name}`: {e}"))?;
            let narrow = form.source().format() == Format::F32 && form.destination().format().storage() <= 8;
            if !narrow
                || form.destination().format().is_integer()
                || form.modifiers().iter().any(|m| m.is_scale())
            {
                return Err(format!(
                    "`{name}`: a conversion from f32 to a format of 8 bits or less is needed"
                ));
            }
            (Op::Convert(form), 1)
        }
        _ => return Err(format!("`{name}` is no operation")),
    })
}

/// What an operation makes, if it can work on its first operand.
fn kind_of(program: &Program, op: Op, a: Operand) -> Result<Kind, String> {
    Ok(match (op, program.kind(a)) {
        (Op::Move | Op::Where { .. }, kind) => kind,
        (Op::CodeOf, Kind::Number) => return Err("`code` takes a code, not a number".into()),
        (Op::AddBits | Op::AndBits, Kind::Code(_)) => {
            return Err("bits of a number are needed, not a code".into());
        }
        (Op::FromCode(format) | Op::Nearest(format, _), _) => Kind::Code(format),
        (Op::Convert(form), _) => Kind::Code(form.destination().format()),
        _ => Kind::Number,
    })
}

/// True where the line asks for random bits.
pub(super) fn is_random(op: Op) -> bool {
    matches!(op, Op::Convert(form) if form.rounding() == Some(Rounding::Rs))
}
