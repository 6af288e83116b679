//! Parses the lines of a recipe: `NAME = EXPRESSION`, one operation each, so that every rounding has its own line.
//!
//! | line | result |
//! |---|---|
//! | `t = amax * k`, `/`, `+`, `-` | f32 arithmetic, rounded to nearest even |
//! | `t = min(t, 448)`, `max` | like PTX `min.f32`: if one operand is NaN, the other one |
//! | `t = min.NaN(t, 448)`, `max.NaN` | NaN if either operand is NaN |
//! | `u = add.u32(amax, half)`, `and.b32` | an operation on the bits; NaN in a register counts as 0x7fffffff |
//! | `l = log2(t)`, `floor`, `ceil` | rounded to f32 |
//! | `t = input(t)` | rounded to the type of the input |
//! | `s = cvt.rp.satfinite.ue8m0x2.f32(t)` | one element of that instruction |
//! | `e = code(s)`, `s = ue8m0(e)` | the integer with the value of a code, and the reverse, in any format of 8 bits |
//! | `q = argmin.e2m1(y)` | the nearest value; of two, the lower code; NaN and infinity give 0 |
//! | `q = count.e2m1(y)` | the nearest value, ties toward zero; the sign is set unless `y` is positive |
//! | `m = sum(d)` | the sum over the elements of the block in order; each addition rounds |
//! | `r = 1 where s is 0x00`, `… is zero or nan or inf or negative` | replaces the value of `r` |
//!
//! In the name of a function, `element` is the element format: `cvt.rn.satfinite.elementx2.f32(y)`, `argmin.element(y)`.

use ptxcvt::literal::Reader;
use ptxcvt::{Form, Format};

use super::definition::is_byte_float;
use super::operand::{is_name, operand, refused};
use super::program::{
    Bits, Classes, Condition, Instruction, Kind, Level, One, Op, Operand, Program, Register, Two, ZeroSign,
};

/// Parses `lines` into a program with the given inputs.
pub(super) fn parse<'l>(
    inputs: &[(&str, Kind, Level)],
    lines: impl Iterator<Item = &'l str>,
    element: Format,
) -> Result<Program, String> {
    let registers = inputs.iter().map(|&(name, kind, level)| Register { name: name.into(), kind, level });
    let mut program = Program { registers: registers.collect(), instructions: Vec::new() };
    for line in lines {
        let (to, expression) = line
            .split_once('=')
            .ok_or_else(|| format!("`{line}`: expected NAME = EXPRESSION, such as `t = amax * 0.5`"))?;
        let (to, expression) = (to.trim(), expression.trim());
        let fail = |what: String| format!("`{line}`: {what}");
        if !is_name(to) {
            return Err(fail(format!(
                "`{to}` is not a name: expected a letter, then letters, digits and `_`"
            )));
        }
        add(&mut program, to, expression, element).map_err(fail)?;
    }
    Ok(program)
}

/// Adds the line `to = expression`.
fn add(program: &mut Program, to: &str, expression: &str, element: Format) -> Result<(), String> {
    let expression = with_element(expression, element);
    let (op, a) = operation(program, to, &expression, element)?;
    let kind = kind_of(program, op, a)?;
    let text = format!("{to} = {expression}");
    let mut line = Instruction { to: program.registers.len(), op, a, level: Level::Tensor, text };
    line.level = line.operands().map(|operand| program.level(operand)).max().unwrap_or(Level::Tensor);
    if op == Op::Sum {
        if line.level != Level::Element {
            return Err("`sum` needs a number for each element, such as `x`".into());
        }
        line.level = Level::Block;
    }
    program.registers.push(Register { name: to.into(), kind, level: line.level });
    program.instructions.push(line);
    Ok(())
}

/// The expression with the element format for `element` in the name of its function: `cvt.rn.satfinite.elementx2.f32(x)`,
/// `argmin.element(x)`, `element(code)`. Names of numbers stay as they are.
fn with_element(expression: &str, element: Format) -> String {
    let Some((function, arguments)) = expression.split_once('(') else { return expression.to_owned() };
    let part = |part: &str| match part.strip_prefix("element") {
        Some(count @ ("" | "x2" | "x4")) => format!("{}{count}", element.name()),
        _ => part.to_owned(),
    };
    let parts: Vec<String> = function.split('.').map(part).collect();
    format!("{}({arguments}", parts.join("."))
}

/// The operation of an expression and its first operand.
fn operation(
    program: &Program,
    to: &str,
    expression: &str,
    element: Format,
) -> Result<(Op, Operand), String> {
    let operand = |text: &str| operand(program, text.trim(), element);
    if let Some((value, condition)) = expression.split_once(" where ") {
        let (subject, classes) = condition.split_once(" is ").ok_or_else(|| {
            "expected NAME is CLASS as the condition, such as `s is zero or nan`".to_owned()
        })?;
        let condition = parse_condition(classes)?;
        let otherwise =
            program.find(to).ok_or_else(|| format!("`{to}` has no value yet that `where` could replace"))?;
        return Ok((Op::Where { subject: operand(subject)?, condition, otherwise }, operand(value)?));
    }
    if let Some((function, rest)) = expression.split_once('(') {
        let arguments = rest.strip_suffix(')').ok_or_else(|| match rest.split_once(')') {
            Some((_, more)) => format!("a line has one operation; move `{}` to the next line", more.trim()),
            None => "the closing parenthesis is missing".to_owned(),
        })?;
        let arguments: Vec<_> = arguments.split(',').map(operand).collect::<Result<_, _>>()?;
        let name = function.trim();
        return match (function_named(name)?, arguments.as_slice()) {
            (Function::One(op), [a]) => Ok((op, *a)),
            (Function::Two(op), [a, b]) => Ok((op(*b), *a)),
            (Function::One(_), given) => Err(format!("`{name}` needs 1 operand, not {}", given.len())),
            (Function::Two(_), given) => Err(format!("`{name}` needs 2 operands, not {}", given.len())),
        };
    }
    for (sign, op) in [(" * ", Two::Mul), (" / ", Two::Div), (" + ", Two::Add), (" - ", Two::Sub)] {
        if let Some((a, b)) = expression.split_once(sign) {
            return Ok((Op::Two(op, operand(b)?), operand(a)?));
        }
    }
    Ok((Op::Move, operand(expression)?))
}

/// The condition after `is`.
fn parse_condition(text: &str) -> Result<Condition, String> {
    if text.trim().starts_with("0x") && !text.contains(" or ") {
        let text = text.trim();
        let code = Reader::bits(8).read(text).map(|read| Condition::Code(read.bits as u8));
        return code.map_err(|error| refused(text, error, || format!("`{text}` is not a code of 8 bits")));
    }
    let mut classes = Classes::default();
    for class in text.split(" or ").map(str::trim) {
        match class {
            "zero" => classes.zero = true,
            "nan" => classes.nan = true,
            "inf" => classes.infinite = true,
            "negative" => classes.negative = true,
            _ if class.starts_with("0x") => {
                return Err("expected one code, or classes: `0x00`, `zero or nan`".into());
            }
            _ => {
                return Err(format!(
                    "`{class}` is not a class; the classes are zero, nan, inf, negative, and one code such as 0x00"
                ));
            }
        }
    }
    Ok(Condition::Number(classes))
}

/// A named operation, without its operands.
enum Function {
    One(Op),
    Two(fn(Operand) -> Op),
}

/// The operation of this name.
fn function_named(name: &str) -> Result<Function, String> {
    // Kernels for the nearest value have seven boundaries, one for each step of FP4.
    let fp4 = |name: &str| Format::from_name(name).filter(|f| f.bits() == 4 && is_signed_float(*f));
    Ok(match name {
        "min" => Function::Two(|b| Op::Two(Two::Min, b)),
        "max" => Function::Two(|b| Op::Two(Two::Max, b)),
        "min.NaN" => Function::Two(|b| Op::Two(Two::MinNan, b)),
        "max.NaN" => Function::Two(|b| Op::Two(Two::MaxNan, b)),
        "add.u32" => Function::Two(|b| Op::Bits(Bits::Add, b)),
        "and.b32" => Function::Two(|b| Op::Bits(Bits::And, b)),
        "log2" => Function::One(Op::One(One::Log2)),
        "floor" => Function::One(Op::One(One::Floor)),
        "ceil" => Function::One(Op::One(One::Ceil)),
        "input" => Function::One(Op::One(One::ToInput)),
        "code" => Function::One(Op::CodeOf),
        "sum" => Function::One(Op::Sum),
        _ if name.starts_with("cvt.") => Function::One(Op::Convert(conversion(name)?)),
        _ => {
            let of_format = match name.split_once('.') {
                Some(("argmin", name)) => fp4(name).map(|f| Op::Nearest(f, ZeroSign::Never)),
                Some(("count", name)) => fp4(name).map(|f| Op::Nearest(f, ZeroSign::UnlessPositive)),
                _ => Format::from_name(name).filter(|f| is_byte_float(*f)).map(Op::FromCode),
            };
            Function::One(of_format.ok_or_else(|| format!("`{name}` is not an operation"))?)
        }
    })
}

fn is_signed_float(format: Format) -> bool {
    format.is_float() && format.is_signed()
}

/// The form of a conversion from f32 to at most 8 bits.
fn conversion(name: &str) -> Result<Form, String> {
    let form: Form = name.parse().map_err(|refusal: ptxcvt::forms::Refusal| refusal.to_string())?;
    let to = form.destination().format();
    let narrow = form.source().format() == Format::F32 && to.storage() <= 8 && !to.is_integer();
    if !narrow || form.modifiers().iter().any(|m| m.is_scale()) {
        return Err(format!("`{name}`: expected a conversion from f32 to a format of at most 8 bits"));
    }
    Ok(form)
}

/// The kind of an operation's result, if the operation accepts its operands.
fn kind_of(program: &Program, op: Op, a: Operand) -> Result<Kind, String> {
    let kind = |operand| program.kind(operand);
    Ok(match op {
        Op::Move => kind(a),
        Op::Where { subject, condition, otherwise } => {
            if matches!(condition, Condition::Code(_)) && kind(subject) == Kind::Number {
                return Err("a condition such as `is 0x00` needs a code, not a number".into());
            }
            if program.registers[otherwise].kind != kind(a) {
                return Err(
                    "`where` cannot replace a code by a number, or one format's code by another's".into()
                );
            }
            kind(a)
        }
        Op::CodeOf if kind(a) == Kind::Number => return Err("`code` needs a code, not a number".into()),
        Op::Bits(_, b) if kind(a) != Kind::Number || kind(b) != Kind::Number => {
            return Err("operations on bits need numbers, not codes".into());
        }
        Op::FromCode(format) | Op::Nearest(format, _) => Kind::Code(format),
        Op::Convert(form) => Kind::Code(form.destination().format()),
        Op::One(_) | Op::Two(..) | Op::Bits(..) | Op::CodeOf | Op::Sum => Kind::Number,
    })
}
