//! The header's functions for words with options: a factor, no power of two, interleaved codes, no NaN.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::{Form, Scale, Target, counted};

use super::cuda::conditional;
use super::header::{header, with_formats};
use super::host;
use super::memory::{Memory, branches};
use crate::word::{self, Order, Shape, Variant, WordError, interleave};

/// A header with the functions of a form, and a function for the elements that fill a register under these options. `None`
/// if the form has no functions in memory order.
///
/// # Errors
///
/// Fails if the form cannot be lowered, or if the options do not fit it.
pub fn variant_header(form: Form, variant: Variant) -> Option<Result<String, WordError>> {
    let memory = Memory::new(form)?;
    let shape = Shape::new(form, memory.fill()).ok()?;
    let text = || {
        let base = match variant.scale {
            Some(scale) => with_formats(&[form], &[scale])?,
            None => header(&[form])?,
        };
        let mut own = String::new();
        if variant.order == Order::Interleaved {
            own += &permutation(memory, shape);
        }
        own += &function(memory, shape, variant)?;
        Ok(format!("{base}\nnamespace ptxcvt {{\n\n{own}\n}} // namespace ptxcvt\n"))
    };
    Some(text())
}

/// The suffix of a function's name for these options.
fn suffix(variant: Variant) -> String {
    let mut suffix = String::new();
    if variant.order == Order::Interleaved {
        suffix += "_interleaved";
    }
    if variant.skip_factor {
        suffix += "_unscaled";
    } else if variant.numbers {
        suffix += "_numbers";
    }
    if let Some(scale) = variant.scale {
        suffix = suffix + "_times_" + scale.name();
    }
    suffix
}

/// The bits of a register that move by the same distance, by that distance to the left.
///
/// ```
/// use ptxcvt_lower::render::moves;
/// use ptxcvt_lower::word::{Shape, interleave};
/// let shape = Shape::new("cvt.rn.f16x2.e4m3x2".parse()?, 4)?;
/// let moved = |codes: u32| moves(shape).iter().fold(0, |all, (distance, mask)| match distance {
///     0.. => all | (codes & mask) << distance,
///     _ => all | (codes & mask) >> -distance,
/// });
/// assert_eq!(Some(moved(0x1234_5678)), interleave(shape, 0x1234_5678));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn moves(shape: Shape) -> BTreeMap<i32, u32> {
    let mut moves = BTreeMap::new();
    for from in 0..32_i32 {
        // Bits that no code has do not move.
        let to = interleave(shape, 1 << from).filter(|bits| *bits != 0).map(u32::trailing_zeros);
        if let Some(to) = to {
            *moves.entry(to as i32 - from).or_default() |= 1 << from;
        }
    }
    moves
}

/// The functions that permute the codes of a register, and that put them back.
fn permutation(memory: Memory, shape: Shape) -> String {
    let moved = |masks: &mut dyn Iterator<Item = (i32, u32)>| {
        let part = |(distance, mask): (i32, u32)| match distance {
            0 => format!("(codes & {mask:#010x}u)"),
            1.. => format!("(codes & {mask:#010x}u) << {distance}"),
            _ => format!("(codes & {mask:#010x}u) >> {}", -distance),
        };
        masks.map(part).collect::<Vec<_>>().join(" |\n        ")
    };
    let there = moved(&mut moves(shape).into_iter());
    let back = moved(&mut moves(shape).into_iter().map(|(distance, mask)| {
        (-distance, if distance < 0 { mask >> -distance } else { mask << distance })
    }));
    let name = memory.bits_name(memory.fill()).replacen("from_", "", 1);
    let guard = format!("PTXCVT_{}_INTERLEAVE", shape.form().identifier().to_uppercase());
    format!(
        "\
#ifndef {guard}
#define {guard}
// A register of codes in memory order, as the interleaved functions take it. Permute weights once, beforehand.
PTXCVT_FUNCTION unsigned int interleave_{name}(unsigned int codes)
{{
    return {there};
}}
PTXCVT_FUNCTION unsigned int deinterleave_{name}(unsigned int codes)
{{
    return {back};
}}
#endif
"
    )
}

/// The function for the elements that fill a register.
fn function(memory: Memory, shape: Shape, variant: Variant) -> Result<String, WordError> {
    let elements = memory.fill();
    let (register, registers) = memory.registers(elements);
    let branches = branches(shape, variant)?;
    let targets: Vec<Target> = Target::all().filter(|target| target.sm() >= 50).collect();
    let mut targets = targets.into_iter().rev();
    let contract = targets.find_map(|target| word::word(shape, variant, target, target.newest()).ok());
    let contract = contract.expect("some target has the word of these branches").contract();
    let about: String = contract.iter().map(|line| format!("// {line}.\n")).collect();
    let whole = memory.name(elements) + &suffix(variant);
    let bits = memory.bits_name(elements).replacen(&memory.name(elements), &whole, 1);
    let guard =
        format!("PTXCVT_{}{}", shape.form().identifier().to_uppercase(), suffix(variant).to_uppercase());
    let letter = if register == "float" { "f" } else { "r" };
    let wide = |out: &str| {
        let all: Vec<String> = (0..registers).map(|n| format!("\"{out}{letter}\"(x[{n}])")).collect();
        all.join(", ")
    };
    let mut text = format!(
        "#ifndef {guard}\n#define {guard}\n// {} for {}.\n{about}",
        shape.form(),
        counted(elements, "element")
    );
    if memory.narrows() {
        let plain = memory.bits_name(elements);
        let device = conditional(&branches, &format!("\"=r\"(d) : {}", wide("")));
        let _ = write!(
            text,
            "PTXCVT_FUNCTION unsigned int {bits}(const {register} (&x)[{registers}])\n{{\n#if PTXCVT_TARGET == 0\n    \
             return {plain}(x);\n#else\n    unsigned int d;\n{device}    return d;\n#endif\n}}\n#endif\n"
        );
        return Ok(text);
    }
    let (parameter, input, argument) = match variant.scale {
        Some(_) => (", unsigned short factor", ", \"h\"(factor)", ", factor"),
        None => ("", "", ""),
    };
    let device = conditional(&branches, &format!("{} : \"r\"(codes){input}", wide("=")));
    let host = on_host(memory, shape, variant);
    let _ = write!(
        text,
        "PTXCVT_FUNCTION void {bits}(unsigned int codes{parameter}, unsigned int (&x)[{registers}])\n{{\n\
         #if PTXCVT_TARGET == 0\n{host}#else\n{device}#endif\n}}\n#endif\n"
    );
    let (condition, ty) = memory.cuda_type();
    let copies: String =
        (0..registers).map(|n| format!("    x[{n}] = detail::bits_as<{ty}>(all[{n}]);\n")).collect();
    let _ = write!(
        text,
        "#if {condition} && !defined({guard}_TYPE)\n#define {guard}_TYPE\n\
         PTXCVT_FUNCTION void {whole}(unsigned int codes{parameter}, {ty} (&x)[{registers}])\n{{\n    \
         unsigned int all[{registers}];\n    {bits}(codes{argument}, all);\n{copies}}}\n#endif\n"
    );
    Ok(text)
}

/// The body of a conversion from codes on the host.
fn on_host(memory: Memory, shape: Shape, variant: Variant) -> String {
    let (small, _) = memory.formats();
    let conversion = shape.form().conversion();
    let codes = match variant.order {
        Order::Memory => "codes".to_owned(),
        Order::Interleaved => {
            format!("de{}(codes)", memory.bits_name(memory.fill()).replacen("from_", "interleave_", 1))
        }
    };
    // The power of two that is left out is a scale.
    let (conversion, call) = match variant.scale {
        Some(scale) => {
            (conversion, format!("detail::times(how, code, detail::{}(), factor)", host::row_name(scale)))
        }
        None if variant.skip_factor => {
            let power = 127 - word::power(shape).expect("only a conversion with a factor can leave it out");
            (conversion.scale(Scale::Multiply), format!("detail::convert(how, code, {power})"))
        }
        None => (conversion, "detail::convert(how, code)".to_owned()),
    };
    format!(
        "{}    const detail::word all = {codes};
    for (unsigned int n = 0; n < {}; ++n) {{
        const detail::word code = all >> ({} * n), d = {call};
        x[n / 2] = n % 2 == 0 ? static_cast<unsigned int>(d) : x[n / 2] | static_cast<unsigned int>(d) << 16;
    }}
",
        host::rules(conversion),
        shape.elements(),
        small.storage()
    )
}
