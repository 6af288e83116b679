//! Checks of a recipe beyond its syntax. Each rule excludes a recipe whose result would be undefined, so
//! neither implementation has to handle one.

use ptxcvt::Format;

use super::definition::{BlockShape, Definition, Layout, Ragged, is_element, scale_kind};
use super::program::{Condition, Kind, Level, Op, Operand, Program, given};

/// Checks the properties that do not depend on the lines.
pub(super) fn definition(definition: &Definition) -> Result<(), String> {
    if !is_element(definition.element) {
        return Err(format!("elements of {}: expected FP8, FP6 or FP4", definition.element));
    }
    let block = definition.block;
    if ![block.rows, block.columns].iter().all(|n| (1..=BlockShape::ALL).contains(n)) {
        return Err("a block must have rows and columns, at most 2^24 of each".into());
    }
    if scale_kind(definition.scale).is_none() {
        let formats = Format::ALL.iter().filter(|f| scale_kind(**f).is_some()).map(|f| f.name());
        let formats: Vec<&str> = formats.collect();
        return Err(format!("scales of {}: expected {}", definition.scale, formats.join(", ")));
    }
    if let Some(other) =
        definition.inputs.iter().find(|f| ![Format::F32, Format::Bf16, Format::F16].contains(f))
    {
        return Err(format!("numbers of {other} as inputs: expected f32, bf16 and f16"));
    }
    if definition.layout == Layout::Packed && definition.element.bits() != 6 {
        return Err(format!("the layout `packed` is that of FP6; {} is packed anyway", definition.element));
    }
    let Some(group) = definition.layout.group() else { return Ok(()) };
    let width = group.width();
    let fits = definition.element == Format::E2m1
        && (block.rows, block.columns) == (1, width)
        && definition.scale.storage() == 8;
    if !fits {
        return Err(format!("this layout needs blocks of 1x{width} FP4 elements with a scale of one byte"));
    }
    if definition.ragged == Ragged::Partial {
        return Err("this layout supports whole blocks only".into());
    }
    Ok(())
}

/// Checks the programs.
pub(super) fn programs(definition: &Definition, forward: &Program, back: &Program) -> Result<(), String> {
    let element = definition.element;
    let scale = scale_kind(definition.scale).unwrap_or_else(|| unreachable!("the definition is checked"));
    makes(forward, "s", scale, Level::Block)?;
    makes(forward, "q", Kind::Code(element), Level::Element)?;
    makes(back, "v", Kind::Number, Level::Element)?;
    if forward.find("G").is_some() {
        makes(forward, "G", Kind::Number, Level::Tensor)?;
    } else if let Some(line) =
        back.instructions.iter().find(|line| line.operands().any(|o| o == Operand::Register(given::G)))
    {
        return Err(format!("`{}`: no line of `quantize` computes `G`", line.text));
    }
    let last = forward.instructions.last();
    let converts = last.is_some_and(|line| {
        let is_q = forward.registers[line.to].name == "q" && line.level == Level::Element;
        is_q && matches!(line.op, Op::Convert(_) | Op::Nearest(..))
    });
    if !converts {
        return Err("the last line must convert `x` to `q`".into());
    }
    for (program, quantizes) in [(forward, true), (back, false)] {
        let result = program.instructions.len() - 1;
        for (at, line) in program.instructions.iter().enumerate() {
            let fail = |what: &str| Err(format!("`{}`: {what}", line.text));
            let is_q = quantizes && at == result;
            if line.is_random() && !is_q {
                return fail("only the last line, which computes `q`, may round with random bits");
            }
            if line.op == Op::Sum && !quantizes {
                return fail("`sum` is valid only in `quantize`");
            }
            let code = match program.registers[line.to].kind {
                Kind::Code(format) => Some(format),
                Kind::Number => None,
            };
            if line.level < Level::Element {
                if code.is_some_and(|format| format.storage() < 8) {
                    return fail("only elements may be FP4");
                }
                continue;
            }
            let of_code = match line.op {
                Op::CodeOf => true,
                Op::Where { condition, .. } => matches!(condition, Condition::Code(_)),
                _ => false,
            };
            if of_code {
                return fail("`code` cannot read an element's code; use the element as a number");
            }
            if !is_q && code.is_some() && !matches!(line.op, Op::Convert(_)) {
                return fail("only a conversion can compute a code of elements");
            }
            if !is_q && code.is_some_and(|format| format != element) {
                return fail(&format!("codes of elements are of {element}"));
            }
        }
    }
    if forward.reads(given::ROW_AMAX) {
        if forward.reads(given::TENSOR_AMAX) {
            return Err("`G` depends on both `tensor_amax` and `row_amax`: expected one of them".into());
        }
        if definition.block.rows != 1 {
            return Err("`row_amax` needs blocks of one row".into());
        }
    }
    global(forward)
}

/// Checks the kind and level of the last register of a name.
fn makes(program: &Program, name: &str, kind: Kind, most: Level) -> Result<(), String> {
    let register = program.find(name).ok_or_else(|| format!("no line computes `{name}`"))?;
    let register = &program.registers[register];
    if register.kind != kind {
        let article = match kind {
            Kind::Number => "a number".to_owned(),
            Kind::Code(format) => format!("a code of {format}"),
        };
        return Err(format!("`{name}` must be {article}"));
    }
    if register.level > most {
        let (on, whole) = match (register.level, most) {
            (Level::Block, Level::Tensor) => ("a block", "the tensor"),
            (Level::Element, Level::Tensor) => ("`x`", "the tensor"),
            (Level::Element, Level::Block) => ("`x`", "the block"),
            (level, most) => unreachable!("{level:?} is not above {most:?}"),
        };
        return Err(format!("`{name}` depends on {on}, so it is not the same for {whole}"));
    }
    Ok(())
}

/// Checks that the global scale replaces everything computed from `tensor_amax` or `row_amax`: only the lines of `G` may
/// read them, and other lines may read only the last `G`.
fn global(program: &Program) -> Result<(), String> {
    let name = |register: usize| program.registers[register].name.as_str();
    let last = program.find("G");
    for line in &program.instructions {
        let makes_global = name(line.to) == "G";
        for operand in line.operands() {
            let Operand::Register(r) = operand else { continue };
            if [given::TENSOR_AMAX, given::ROW_AMAX].contains(&r) && !makes_global {
                return Err(format!("`{}`: only lines that compute `G` may read `{}`", line.text, name(r)));
            }
            if name(r) == "G" && Some(r) != last && !makes_global {
                return Err(format!("`{}`: reads `G` before its last line", line.text));
            }
        }
    }
    Ok(())
}
