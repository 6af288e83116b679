//! Python for `triton.language.inline_asm_elementwise`.

use ptxcvt::{Form, Format, IsaVersion, Target, counted};

use super::{AdapterError, memory};
use crate::render::moves;
use crate::word::{self, Order, Shape, Variant};

/// The name of Triton in errors.
const NAME: &str = "Triton";

/// A Python module with the assembly, its constraints, `pack`, and a Triton function around them.
///
/// Triton packs elements narrower than 32 bits into registers. An FP4 tensor has two codes in a byte, so a byte is
/// converted to or from a pair: two f32 tensors, or the two halves of 32 bits. Interleaved codes are words: the
/// elements that Triton packs need not be neighbours in the tensor.
///
/// # Errors
///
/// Fails if the form has no words, or if the target lacks the instructions.
pub fn triton(
    form: Form,
    elements: Option<u32>,
    variant: Variant,
    target: Target,
    isa: IsaVersion,
) -> Result<String, AdapterError> {
    let memory = memory(form, NAME)?;
    if variant.scale.is_some() {
        return Err(AdapterError::Form(form, "Triton: a factor is not an element"));
    }
    let shape = Shape::new(form, elements.unwrap_or(memory.fill())).map_err(AdapterError::Shape)?;
    let word = word::word(shape, variant, target, isa).map_err(AdapterError::Word)?;
    let (small, wide) = memory.formats();
    let is_fp4 = small.storage() == 4;
    let is_interleaved = variant.order == Order::Interleaved;
    if is_interleaved && shape.elements() != memory.fill() {
        return Err(AdapterError::Form(form, "Triton: interleaved codes are converted register by register"));
    }
    let pack = match (is_interleaved, is_fp4) {
        (true, _) => 1,
        (false, true) => shape.elements() / 2,
        (false, false) => shape.elements(),
    };
    let f32_pairs = is_fp4 && wide == Format::F32;
    let operand = |number: usize| match number.checked_sub(shape.destinations()) {
        // The first of two f32 tensors has the even elements.
        Some(source) if f32_pairs => {
            shape.destinations() + source / 2 + if source % 2 == 0 { 0 } else { pack as usize }
        }
        _ => number,
    };
    let names: Vec<String> =
        (0..shape.destinations() + shape.sources()).map(|n| format!("${}", operand(n))).collect();
    let body = crate::render::with_names(word.body(), &names);
    let contract: String = word.contract().iter().map(|line| format!("\n# {line}")).collect();
    let code = match is_interleaved {
        true => words(shape, dtype(wide), &memory.name(shape.elements())),
        false => tensors(&memory.name(if is_fp4 { 2 } else { 1 }), memory.narrows(), is_fp4, wide),
    };
    let permutation = if is_interleaved { permutation(shape) } else { String::new() };
    let constraints = word.constraints();
    Ok(format!(
        "\
# {form} for {} on {target}, written by ptxcvt {}.{contract}
import triton
import triton.language as tl

ASM = tl.constexpr(\"\"\"
{body}
\"\"\")
CONSTRAINTS = tl.constexpr(\"{constraints}\")
PACK = tl.constexpr({pack})
{permutation}

@triton.jit
{code}",
        counted(shape.elements(), "element"),
        env!("CARGO_PKG_VERSION")
    ))
}

/// The type of Triton for a wide format.
fn dtype(wide: Format) -> &'static str {
    match wide {
        Format::F16 => "tl.float16",
        Format::Bf16 => "tl.bfloat16",
        Format::F32 => "tl.float32",
        other => unreachable!("the functions widen to f16, bf16 and f32, not {other}"),
    }
}

/// A function from tensors to codes, if it narrows, or from codes to tensors. A byte of FP4 has two codes.
fn tensors(name: &str, narrows: bool, is_fp4: bool, wide: Format) -> String {
    let dtype = dtype(wide);
    let type_name = &dtype["tl.".len()..];
    let call = |arguments: &str, dtype: &str| {
        format!(
            "tl.inline_asm_elementwise(\n        ASM.value, CONSTRAINTS.value, [{arguments}], dtype={dtype}, is_pure=True, pack=PACK.value)"
        )
    };
    match (narrows, is_fp4, wide) {
        (true, false, _) => format!(
            "def {name}(x):\n    \"\"\"Codes (uint8) of a {type_name} tensor.\"\"\"\n    return {}\n",
            call("x", "tl.uint8")
        ),
        (false, false, _) => format!(
            "def {name}(codes):\n    \"\"\"A {type_name} tensor of codes (uint8).\"\"\"\n    return {}\n",
            call("codes", dtype)
        ),
        (true, true, Format::F32) => format!(
            "def {name}(even, odd):\n    \"\"\"Bytes of two codes of tensors of float32; `even` is in the low bits.\"\"\"\n    return {}\n",
            call("even, odd", "tl.uint8")
        ),
        (true, true, _) => format!(
            "def {name}(even, odd):\n    \"\"\"Bytes of two codes of tensors of {type_name}; `even` is in the low bits.\"\"\"\n    \
             low = even.to(tl.uint16, bitcast=True).to(tl.uint32)\n    \
             high = odd.to(tl.uint16, bitcast=True).to(tl.uint32)\n    return {}\n",
            call("low | high << 16", "tl.uint8")
        ),
        (false, true, _) => format!(
            "def {name}(codes):\n    \"\"\"Two tensors of {type_name} for bytes of two codes; the first is in the low bits.\"\"\"\n    \
             pairs = {}\n    low = (pairs & 0xFFFF).to(tl.uint16).to({dtype}, bitcast=True)\n    \
             high = (pairs >> 16).to(tl.uint16).to({dtype}, bitcast=True)\n    return low, high\n",
            call("codes", "tl.uint32")
        ),
    }
}

/// A function of a tensor of 32-bit words, whose results are a tensor for each element.
fn words(shape: Shape, dtype: &str, name: &str) -> String {
    let pairs: Vec<String> = (0..shape.destinations()).map(|n| format!("pair{n}")).collect();
    let types = vec!["tl.uint32"; pairs.len()].join(", ");
    let halves = pairs.iter().flat_map(|pair| {
        [format!("({pair} & 0xFFFF)"), format!("({pair} >> 16)")]
            .map(|half| format!("        {half}.to(tl.uint16).to({dtype}, bitcast=True),\n"))
    });
    let halves: String = halves.collect();
    format!(
        "def {name}(words):\n    \"\"\"A tuple of {} of {}, element 0 first, for 32-bit words (uint32) of interleaved \
         codes.\"\"\"\n    {} = tl.inline_asm_elementwise(\n        ASM.value, CONSTRAINTS.value, [words], dtype=({types}), \
         is_pure=True, pack=PACK.value)\n    return (\n{halves}    )\n",
        counted(shape.elements(), "tensor"),
        &dtype[3..],
        pairs.join(", ")
    )
}

/// The permutation of the codes as a Python function.
fn permutation(shape: Shape) -> String {
    let moves = moves(shape);
    let parts = moves.iter().map(|(distance, mask)| match distance {
        0 => format!("codes & {mask:#010x}"),
        1.. => format!("(codes & {mask:#010x}) << {distance}"),
        _ => format!("(codes & {mask:#010x}) >> {}", -distance),
    });
    format!(
        "

def interleave(codes):
    \"\"\"32-bit words of codes in memory order (int, or an array of uint32), as the assembly takes them.\"\"\"
    return (
        {}
    )
",
        parts.collect::<Vec<_>>().join("\n        | ")
    )
}
