//! The host path of the header's functions: plain C++14 with the bits of the instruction.
//!
//! One routine (`host.cuh`) converts between all formats. A format is a row of numbers, printed from the table of
//! formats, and a form is the rules of its conversion.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ptxcvt::formats::{Kind, NanCode, Specials};
use ptxcvt::forms::{Operand, Role};
use ptxcvt::{
    Clamp, Conversion, Form, Format, Modifier, NanRule, Opcode, Overflow, Rounding, Scale, Subnormals, Value,
};

use super::types::c_type;

/// The routine, and the code that it shares with the device path: a function for the bits of a value of another type.
const CORE: &str = include_str!("host.cuh");

/// The routine and the rows of these formats. Each has its own guard.
pub(super) fn support(formats: &BTreeSet<Format>) -> String {
    let rows: String = formats.iter().map(|format| row(*format)).collect();
    format!(
        "\
#if PTXCVT_TARGET == 0
#ifndef PTXCVT_HOST
#define PTXCVT_HOST
{CORE}
#endif
// Rows of ptxcvt's table of formats.
namespace detail {{
{rows}}} // namespace detail
#endif

"
    )
}

/// The name of a format's row.
pub(super) fn row_name(format: Format) -> String {
    format!("{}_row", format.name())
}

/// The numbers of a format as a C++ function.
fn row(format: Format) -> String {
    let parameters = format.parameters();
    let (what, fraction, bias, special) = match parameters.kind {
        Kind::Integer { .. } => ("integer", 0, 0, Specials::None),
        Kind::Float { fraction, bias, specials, .. } => ("floating", fraction, bias, specials),
        Kind::PowerOfTwo { bias } => ("power", 0, bias, Specials::None),
        Kind::Fixed { fraction } => ("fixed", fraction, 0, Specials::None),
        _ => unreachable!("the header knows every kind of format"),
    };
    let special = match special {
        Specials::Ieee => "ieee",
        Specials::NanOnly => "nan_only",
        Specials::None => "none",
        other => unreachable!("the header knows {other:?}"),
    };
    let guard = format!("PTXCVT_FORMAT_{}", format.name().to_uppercase());
    format!(
        "\
#ifndef {guard}
#define {guard}
inline format {}()
{{
    return format{{kind::{what}, {}, {}, {}, {}, {fraction}, {bias}, specials::{special}, {}, {:#x}ULL, {:#x}ULL}};
}}
#endif
",
        row_name(format),
        format.is_signed(),
        format.bits(),
        format.storage(),
        format.low_padding(),
        parameters.nan == NanCode::Canonical,
        format.max_finite(),
        nan_code(format),
    )
}

/// The code of a conversion of NaN to the format.
fn nan_code(format: Format) -> u64 {
    format.encode(Value::Nan { negative: false, payload: 0 }, Rounding::Rn)
}

/// The body of a form's function on the host.
pub(super) fn body(form: Form) -> String {
    let operands: Vec<Operand> = form.operands().collect();
    let (source, destination) = (form.source(), form.destination());
    let lanes = form.lanes();
    let named = |operand: &Operand| bits(operand.role.identifier(), c_type(operand));
    let last = operands.last().map_or(String::new(), &named);
    let mut text = rules(form.conversion());
    if form.rounding() == Some(Rounding::Rs) {
        text += &random_places(form, lanes);
    }
    text += "    detail::word d = 0;\n";
    for lane in 0..lanes {
        let bits = match source.lanes() {
            1 => named(&operands[1 + lane as usize]),
            all => {
                let shift = source.format().storage() * (all - 1 - lane);
                format!("{} >> {shift}", named(&operands[1]))
            }
        };
        let extra = match form.extra().map(|operand| operand.role) {
            Some(Role::RandomBits) => format!(", 127, detail::gather({last}, places[{lane}])"),
            Some(Role::ScaleFactor) if form.has(Modifier::ScaledN1) => format!(", {last}"),
            Some(Role::ScaleFactor) => format!(", {last} >> {}", 8 * (1 - lane)),
            _ => String::new(),
        };
        let width = destination.format().storage();
        let _ = match lane {
            0 => writeln!(text, "    d = detail::convert(how, {bits}{extra});"),
            _ => writeln!(text, "    d = d << {width} | detail::convert(how, {bits}{extra});"),
        };
    }
    if form.opcode() == Opcode::CvtPack && form.extra().is_some() {
        let _ = writeln!(text, "    d |= {last} << {};", 2 * destination.width());
    }
    let result = match c_type(&operands[0]) {
        "float" => "detail::bits_as<float>(static_cast<unsigned int>(d))".to_owned(),
        "double" => "detail::bits_as<double>(d)".to_owned(),
        ty => format!("static_cast<{ty}>(d)"),
    };
    text + &format!("    return {result};\n")
}

/// An expression for the bits of a variable as a `word`.
fn bits(name: &str, ty: &str) -> String {
    match ty {
        "float" => format!("static_cast<detail::word>(detail::bits_as<unsigned int>({name}))"),
        "double" => format!("detail::bits_as<detail::word>({name})"),
        _ => format!("static_cast<detail::word>({name})"),
    }
}

/// The declaration of a conversion's rules.
pub(super) fn rules(conversion: Conversion) -> String {
    let [from, to] = [conversion.source(), conversion.destination()];
    let rules = conversion.rules();
    let mode = match rules.rounding {
        Rounding::Rn | Rounding::Rni => "nearest_even",
        Rounding::Rna => "nearest_away",
        Rounding::Rz | Rounding::Rzi => "zero",
        Rounding::Rm | Rounding::Rmi => "down",
        Rounding::Rp | Rounding::Rpi => "up",
        Rounding::Rs => "random",
        other => unreachable!("the header knows {other:?}"),
    };
    let overflow = match rules.overflow {
        Overflow::Saturate => "saturate",
        Overflow::Ieee => "ieee",
        Overflow::InfinityOrNan => "infinity_or_nan",
        Overflow::Wrap => "wrap",
        other => unreachable!("the header knows {other:?}"),
    };
    let (nan, nan_bits) = match rules.nan {
        NanRule::Canonical => ("constant", nan_code(to)),
        NanRule::MaxNorm => ("constant", to.max_finite()),
        NanRule::Widened => ("widened", 0),
        NanRule::Quieted => ("quieted", 0),
        NanRule::Moved => ("moved", 0),
        NanRule::SaturatedToZero | NanRule::IntegerZero => ("constant", 0),
        NanRule::IntegerTopBit => ("constant", 1 << (to.bits() - 1)),
        NanRule::RoundedAsBits => ("rounded_as_bits", 0),
        other => unreachable!("the header knows {other:?}"),
    };
    let subnormals = |rule: Subnormals| match rule {
        Subnormals::Keep => "keep",
        Subnormals::Zero => "zero",
        Subnormals::PositiveZero => "positive_zero",
        other => unreachable!("the header knows {other:?}"),
    };
    let [source, result] = [rules.source_subnormals, rules.result_subnormals].map(subnormals);
    let clamp = match rules.clamp {
        Clamp::None => "none",
        Clamp::NonNegative => "non_negative",
        Clamp::UnitInterval => "unit_interval",
        other => unreachable!("the header knows {other:?}"),
    };
    let scale = match rules.scale {
        Scale::None => "none",
        Scale::Divide => "divide",
        Scale::Multiply => "multiply",
        other => unreachable!("the header knows {other:?}"),
    };
    format!(
        "    const detail::rules how = {{detail::{}(), detail::{}(), detail::round::{mode}, {}, {},\n        \
         detail::overflow::{overflow}, detail::nan_rule::{nan}, {nan_bits:#x}ULL, detail::subnormals::{source}, \
         detail::subnormals::{result},\n        detail::clamp::{clamp}, {}, detail::scale::{scale}}};\n",
        row_name(from),
        row_name(to),
        rules.rounding.is_integer() && !to.is_integer(),
        conversion.random_bits(),
        rules.positive_zero
    )
}

/// The declaration of each element's random bits: which bit of `rbits` each bit is, the lowest first.
fn random_places(form: Form, lanes: u32) -> String {
    let mut text = String::new();
    for lane in 0..lanes {
        let (places, _) = crate::general::random_bits(form, lane as usize);
        let places: Vec<String> = places.iter().map(u32::to_string).collect();
        let _ = write!(text, "{}{{{}}}", if lane == 0 { "" } else { ",\n        " }, places.join(", "));
    }
    let bits = form.conversion().random_bits();
    format!("    const unsigned char places[{lanes}][{bits}] = {{\n        {text}}};\n")
}
