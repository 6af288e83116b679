//! The host path of the header, compiled with a C++ compiler, returns the bits of the reference. `cargo xtask test
//! header` runs these tests, which `cargo test` ignores because they need a compiler.

mod cpp;

use std::fmt::Write as _;

use cpp::{Case, Program, compiler, strict};
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Format, Modifier, Rounding};
use ptxcvt_lower::render;
use ptxcvt_lower::word::{self, Order, Shape, Variant};

/// Types with the names of CUDA's, for the functions that take them.
const CUDA_TYPES: &str = "\
#define __VECTOR_TYPES_H__
#define __CUDA_FP16_TYPES_EXIST__
#define __CUDA_BF16_TYPES_EXIST__
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct __half2 { unsigned short x, y; };
struct __nv_bfloat162 { unsigned short x, y; };
";

/// A C++ expression with the bits of `in[n]` as a value of this type.
fn given(ty: &str, n: usize) -> String {
    match ty {
        "float" => format!("ptxcvt::detail::bits_as<float>(static_cast<unsigned int>(in[{n}]))"),
        "double" => format!("ptxcvt::detail::bits_as<double>(in[{n}])"),
        _ => format!("static_cast<{ty}>(in[{n}])"),
    }
}

/// A C++ statement that stores the bits of an expression.
fn taken(ty: &str, expression: &str, n: usize) -> String {
    match ty {
        "float" => format!("out[{n}] = ptxcvt::detail::bits_as<unsigned int>({expression});"),
        "double" => format!("out[{n}] = ptxcvt::detail::bits_as<unsigned long long>({expression});"),
        "signed char" => format!("out[{n}] = static_cast<unsigned char>({expression});"),
        "short" => format!("out[{n}] = static_cast<unsigned short>({expression});"),
        "int" => format!("out[{n}] = static_cast<unsigned int>({expression});"),
        "long long" => format!("out[{n}] = static_cast<unsigned long long>({expression});"),
        _ => format!("out[{n}] = {expression};"),
    }
}

/// The function in PTX order, on the edge lattice and random operands: every 8- and 16-bit source.
fn in_ptx_order(form: Form) -> Case {
    let types = render::parameter_types(form);
    let arguments: Vec<String> = types[1..].iter().enumerate().map(|(n, ty)| given(ty, n)).collect();
    let call = format!("ptxcvt::{}({})", form.identifier(), arguments.join(", "));
    let count = form.source_count();
    let rows = move || inputs::operands(&form, 4000, 1).flat_map(|row| row.into_iter().take(count)).collect();
    Case {
        body: taken(types[0], &call, 0),
        inputs: count,
        rows: Box::new(rows),
        outputs: 1,
        expected: Box::new(move |row, out| out.push(form.eval(row).expect("the form's operands"))),
    }
}

/// Every form's function returns what the form does, on the edge lattice and random operands.
#[test]
#[ignore = "needs a C++ compiler"]
fn every_form_on_the_host() {
    let forms: Vec<Form> = Form::all().collect();
    let header = render::header(&forms).unwrap();
    let cases: Vec<Case> = forms.iter().map(|form| in_ptx_order(*form)).collect();
    let program = Program::new("forms", &header, &cases);
    let rows: usize = cases.iter().zip(0..).map(|(case, n)| program.compare(n, case)).sum();
    println!("{} forms, {rows} inputs", forms.len());
}

/// Rows of `count` elements of the wide format, and of them every `step`-th: every code of 16 bits at every place, or
/// the edge lattice and random ones.
fn elements(form: Form, format: Format, count: usize, step: usize) -> Vec<u64> {
    let mut random = SplitMix64::new(3);
    let all: Vec<u64> = match format.bits() {
        ..=16 => inputs::edges(format).collect(),
        _ => inputs::operands(&form, 10_000, 2).map(|row| row[0]).collect(),
    };
    // Each element's neighbours differ from row to row.
    let shift = random.below(all.len());
    let places = all.len();
    let row = |n| (0..count).map(move |k| (n + k * shift) % places);
    (0..places).step_by(step).flat_map(row).map(|place| all[place]).collect()
}

/// The form's results for elements in memory order.
fn in_memory_order(form: Form, elements: &[u64]) -> impl DoubleEndedIterator<Item = u64> {
    let (from, to) = (form.source(), form.destination().format().storage());
    let pair = move |pair: &[u64]| {
        let d = match from.lanes() {
            1 => form.eval(&[pair[1], pair[0]]),
            _ => form.eval(&[pair[1] << from.format().storage() | pair[0]]),
        };
        let d = d.expect("the form's operands");
        [d & ((1 << to) - 1), d >> to]
    };
    elements.chunks(2).flat_map(pair)
}

/// The codes of these elements in one number, element 0 in the lowest bits.
fn joined(codes: impl DoubleEndedIterator<Item = u64>, storage: u32) -> u64 {
    codes.rev().fold(0, |all, code| all << storage | code)
}

/// The function in memory order, and the types of its array and of its vector, which `--header` names for the form.
fn stem(form: Form) -> Option<(bool, Format, Format, String)> {
    let [from, to] = [form.source().format(), form.destination().format()];
    let narrows = to.storage() <= 8;
    let (small, wide) = if narrows { (to, from) } else { (from, to) };
    let is_wide = matches!(wide, Format::F32 | Format::F16 | Format::Bf16);
    if !is_wide || small.is_integer() || small.storage() > 8 || form.lanes() != 2 || form.extra().is_some() {
        return None;
    }
    let mut suffix = String::new();
    if form.rounding() != Some(Rounding::Rn) {
        let _ = write!(suffix, "_{}", form.rounding()?.name());
    }
    if narrows && !form.has(Modifier::Satfinite) {
        suffix += "_nosat";
    }
    for modifier in form.modifiers().iter().filter(|m| !narrows || *m != Modifier::Satfinite) {
        let _ = write!(suffix, "_{}", modifier.name());
    }
    Some((narrows, small, wide, suffix))
}

/// The functions of a form in memory order: arrays, bits, and CUDA's types.
fn of_memory(form: Form, header: &str) -> Vec<Case> {
    let Some((narrows, small, wide, suffix)) = stem(form) else { return Vec::new() };
    let storage = small.storage();
    let direction = if narrows { "to" } else { "from" };
    let (vector, bits) = match wide {
        Format::F32 => ("float", String::new()),
        Format::F16 => ("__half2", "_f16".to_owned()),
        _ => ("__nv_bfloat162", "_bf16".to_owned()),
    };
    let widening: Form = if wide == Format::F16 { "cvt.f32.f16" } else { "cvt.f32.bf16" }.parse().unwrap();
    let mut cases = Vec::new();
    for count in [2, 4, 8_usize] {
        let name = format!("ptxcvt::{direction}_{}x{count}{suffix}", small.name());
        let codes = match count as u32 * storage {
            8 => "unsigned char",
            16 => "unsigned short",
            32 => "unsigned int",
            _ => "unsigned long long",
        };
        let pair = |n: usize| format!("static_cast<unsigned int>(in[{}] << 16 | in[{}])", 2 * n + 1, 2 * n);
        let vectors = |n: usize| format!("ptxcvt::detail::bits_as<{vector}>({})", pair(n));
        let list =
            |count: usize, of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>().join(", ");
        let mut bodies: Vec<(String, bool)> = Vec::new();
        if narrows && wide == Format::F32 {
            let array = list(count, &|n| given("float", n));
            bodies.push((format!("const float x[{count}] = {{{array}}}; out[0] = {name}(x);"), false));
            if count <= 4 {
                bodies.push((format!("const float{count} x = {{{array}}}; out[0] = {name}(x);"), false));
            }
        } else if narrows && count == 2 {
            bodies.push((format!("out[0] = {name}{bits}({});", pair(0)), false));
            bodies.push((format!("out[0] = {name}({});", vectors(0)), false));
        } else if narrows {
            let (registers, half) = (count / 2, vector);
            let array = list(registers, &pair);
            bodies.push((
                format!("const unsigned int x[{registers}] = {{{array}}}; out[0] = {name}{bits}(x);"),
                false,
            ));
            let array = list(registers, &vectors);
            bodies.push((format!("const {half} x[{registers}] = {{{array}}}; out[0] = {name}(x);"), false));
        } else {
            let call = format!("const {codes} codes = static_cast<{codes}>(in[0]);");
            let split = |from: &dyn Fn(usize) -> String| -> String {
                (0..count)
                    .map(|n| format!(" out[{n}] = {} >> {} & 0xffff;", from(n / 2), 16 * (n % 2)))
                    .collect()
            };
            let of_vector = |n: usize| format!("ptxcvt::detail::bits_as<unsigned int>(x[{n}])");
            if count == 2 {
                bodies.push((
                    format!("{call} const unsigned int x = {name}{bits}(codes);{}", split(&|_| "x".into())),
                    false,
                ));
                bodies.push((
                    format!("{call} {vector} x[1]; {name}(codes, x[0]);{}", split(&of_vector)),
                    false,
                ));
            } else {
                let registers = count / 2;
                bodies.push((
                    format!(
                        "{call} unsigned int x[{registers}]; {name}{bits}(codes, x);{}",
                        split(&|n| format!("x[{n}]"))
                    ),
                    false,
                ));
                bodies.push((
                    format!("{call} {vector} x[{registers}]; {name}(codes, x);{}", split(&of_vector)),
                    false,
                ));
            }
            let bare = name.trim_start_matches("ptxcvt::");
            // If two forms differ only in the wide format, the one to f16 has the f32 results.
            let to_f16 = form.to_string().replace(".bf16x2.", ".f16x2.").parse::<Form>();
            let has_floats = wide == Format::F16 || to_f16.is_err();
            if has_floats && header.contains(&format!("void {bare}({codes} codes, float (&x)[{count}])")) {
                let array: String = (0..count).map(|n| taken("float", &format!("x[{n}]"), n)).collect();
                bodies.push((format!("{call} float x[{count}]; {name}(codes, x); {array}"), true));
            }
        }
        for (body, is_float) in bodies {
            // Every pair of codes at the lowest place; all others are random. Functions made of pairs and words are
            // tried on fewer inputs.
            let step = if count as u32 == 32 / storage { 1 } else { 7 };
            let rows = move || -> Vec<u64> {
                if narrows {
                    return elements(form, wide, count, step);
                }
                let mut random = SplitMix64::new(9);
                (0..65536_u64).step_by(step).map(|low| random.next_u64() << 16 | low).collect()
            };
            let expected = move |row: &[u64], out: &mut Vec<u64>| match narrows {
                true => out.push(joined(in_memory_order(form, row), storage)),
                false => {
                    let mut codes = [0; 8];
                    for (n, code) in (0..).zip(&mut codes[..count]) {
                        *code = row[0] >> (n * storage) & ((1 << storage) - 1);
                    }
                    let widened = |code: u64| widening.eval(&[code]).expect("one operand");
                    let wide = in_memory_order(form, &codes[..count]);
                    out.extend(wide.map(|code| if is_float { widened(code) } else { code }));
                }
            };
            let outputs = if narrows { 1 } else { count };
            let inputs = if narrows { count } else { 1 };
            cases.push(Case { body, inputs, rows: Box::new(rows), outputs, expected: Box::new(expected) });
        }
    }
    cases
}

/// The functions in memory order return the form's bits, for arrays, for bits and for CUDA's types.
#[test]
#[ignore = "needs a C++ compiler"]
fn memory_order_on_the_host() {
    let forms: Vec<Form> = Form::all().filter(|form| stem(*form).is_some()).collect();
    let header = CUDA_TYPES.to_owned() + &render::header(&forms).unwrap();
    let cases: Vec<Case> = forms.iter().flat_map(|form| of_memory(*form, &header)).collect();
    assert!(cases.len() > forms.len() * 3, "{} forms, {} cases", forms.len(), cases.len());
    let program = Program::new("memory", &header, &cases);
    let rows: usize = cases.iter().zip(0..).map(|(case, n)| program.compare(n, case)).sum();
    println!("{} forms, {} functions, {rows} inputs", forms.len(), cases.len());
}

/// The default header compiles without warnings under every standard; two headers are combined in one source, in a
/// namespace, and in two sources of one program.
#[test]
#[ignore = "needs a C++ compiler"]
fn headers_compile_without_warnings() {
    let forms: Vec<Form> = render::default_forms().collect();
    let [first, second] = [&forms[..forms.len() / 2 + 9], &forms[forms.len() / 2..]]
        .map(|forms| render::header(forms).unwrap());
    let folder = cpp::folder("combined");
    std::fs::write(folder.join("first.cuh"), first).unwrap();
    std::fs::write(folder.join("second.cuh"), second).unwrap();
    let both = "#include \"first.cuh\"\n#include \"second.cuh\"\n#include \"first.cuh\"\n";
    let body = "    const float x[4] = {1.0f, -2.0f, 0.5f, 1000.0f};\n    return PLACE to_e4m3x4(x);\n";
    std::fs::write(
        folder.join("one.cpp"),
        format!(
            "{both}unsigned int one();\nunsigned int one()\n{{\n{}}}\n",
            body.replace("PLACE", "ptxcvt::")
        ),
    )
    .unwrap();
    let main = format!(
        "#include \"second.cuh\"\n#include \"first.cuh\"\nunsigned int one();\nnamespace {{ unsigned int two()\n{{\n{}}} }}\n\
         int main() {{ return one() == 0x7e30c038u && two() == one() ? 0 : 1; }}\n",
        body.replace("PLACE", "ptxcvt::")
    );
    std::fs::write(folder.join("main.cpp"), main).unwrap();
    let nested = format!(
        "namespace mine {{\n{both}}}\nint main()\n{{\n    const float x[4] = {{1.0f, -2.0f, 0.5f, 1000.0f}};\n    return mine::ptxcvt::to_e4m3x4(x) == 0x7e30c038u ? 0 : 1;\n}}\n"
    );
    std::fs::write(folder.join("nested.cpp"), nested).unwrap();
    for standard in ["c++14", "c++17", "c++20"] {
        for (name, sources) in [("two", &["one.cpp", "main.cpp"][..]), ("nested", &["nested.cpp"])] {
            let program = folder.join(name);
            let mut build = std::process::Command::new(compiler());
            build.current_dir(&folder).args(strict(standard)).args(sources).arg("-o").arg(&program);
            assert!(build.status().unwrap().success(), "{standard} {name}");
            assert!(std::process::Command::new(&program).status().unwrap().success(), "{standard} {name}");
        }
    }
}

/// Words with options keep their contracts on the host: every code at the lowest places, and factors of the contract.
#[test]
#[ignore = "needs a C++ compiler"]
fn options_on_the_host() {
    let forms = ["cvt.rn.f16x2.e4m3x2", "cvt.rn.bf16x2.e2m1x2", "cvt.rn.f16x2.e2m1x2", "cvt.rn.f16x2.e5m2x2"];
    let mut variants = vec![
        (Variant { skip_factor: true, ..Variant::default() }, "_unscaled"),
        (Variant { numbers: true, ..Variant::default() }, "_numbers"),
        (Variant { order: Order::Interleaved, ..Variant::default() }, "_interleaved"),
    ];
    let scales =
        [(Format::Ue8m0, "_times_ue8m0"), (Format::E4m3, "_times_e4m3"), (Format::F16, "_times_f16")];
    variants.extend(scales.map(|(scale, name)| (Variant { scale: Some(scale), ..Variant::default() }, name)));
    let (mut header, mut cases) = (String::new(), Vec::new());
    for form in forms.map(|opcode| opcode.parse::<Form>().unwrap()) {
        let [small, wide] = [form.source().format(), form.destination().format()];
        let storage = small.storage();
        let shape = Shape::new(form, 32 / storage).unwrap();
        for (variant, suffix) in &variants {
            // e5m2 has no interleaved order.
            let Ok(text) = render::variant_header(form, *variant).unwrap() else { continue };
            header += &text;
            let (count, power, variant) =
                (32 / storage as usize, word::power(shape).expect("codes to f16 or bf16"), *variant);
            let bits = if wide == Format::F16 { "f16" } else { "bf16" };
            let factor = if variant.scale.is_some() { ", static_cast<unsigned short>(in[1])" } else { "" };
            let name = format!("ptxcvt::from_{}x{count}{suffix}_{bits}", small.name());
            let split: String = (0..count)
                .map(|n| format!(" out[{n}] = x[{}] >> {} & 0xffff;", n / 2, 16 * (n % 2)))
                .collect();
            let codes = match variant.order {
                Order::Interleaved => {
                    format!(
                        "ptxcvt::interleave_{}x{count}_{bits}(static_cast<unsigned int>(in[0]))",
                        small.name()
                    )
                }
                Order::Memory => "static_cast<unsigned int>(in[0])".to_owned(),
            };
            let body = format!("unsigned int x[{}]; {name}({codes}{factor}, x);{split}", count / 2);
            let decode = move |row: &[u64]| -> Vec<f64> {
                let code = |n: usize| row[0] >> (n as u32 * storage) & ((1 << storage) - 1);
                (0..count).map(|n| small.decode(code(n)).to_f64()).collect()
            };
            let rows = move || {
                let mut random = SplitMix64::new(4);
                let mut rows = Vec::new();
                while rows.len() < 2 * 20_000 {
                    let row = [random.next_u64() & 0xffff_ffff, random.next_u64() & 0xffff];
                    let fits = variant.scale.is_none_or(|s| Variant::accepts(s, wide, power, row[1]));
                    if fits && decode(&row).iter().all(|x| x.is_finite()) {
                        rows.extend(row);
                    }
                }
                rows
            };
            let expected = move |row: &[u64], out: &mut Vec<u64>| {
                let factor = match variant.scale {
                    Some(scale) => scale.decode(row[1]).to_f64(),
                    None if variant.skip_factor => 2_f64.powi(-power),
                    None => 1.0,
                };
                out.extend(decode(row).into_iter().map(|x| wide.encode(x * factor, Rounding::Rn)));
            };
            cases.push(Case {
                body,
                inputs: 2,
                rows: Box::new(rows),
                outputs: count,
                expected: Box::new(expected),
            });
        }
    }
    assert!(cases.len() > 20, "{}", cases.len());
    let program = Program::new("options", &header, &cases);
    let rows: usize = cases.iter().zip(0..).map(|(case, n)| program.compare(n, case)).sum();
    println!("{} functions, {rows} inputs", cases.len());
}
