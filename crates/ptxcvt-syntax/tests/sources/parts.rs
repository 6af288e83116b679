//! Operands whose names are known in part, text that may be several operands, and comprehensions.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, found, found_and_counted};

/// The codes of the findings, and how many conversions were not judged.
fn judged(text: &str, language: Language) -> (Vec<String>, usize) {
    let options = CheckOptions::default();
    let lines = found(text, language, &options);
    let codes = lines.iter().map(|line| line.rsplit_once(' ').expect("a code").1.to_owned()).collect();
    (codes, check(text, language, &options).stats.skipped.values().sum())
}

/// The verdict on a Python expression as assembly.
fn python(expression: &str) -> (Vec<String>, usize) {
    let text = format!("def k(x, i, j, t, args):\n    y = inline_asm({expression}, '=h,f', [x])\n");
    judged(&text, Language::Python)
}

fn codes(codes: &[&str]) -> Vec<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

#[test]
fn the_name_of_an_operand_may_be_unknown_in_part() {
    for (expression, expected, counted) in [
        ("f'cvt.f16.f32 h{i}, f{i + 1};'", &["CVT006"][..], 0),
        ("f'cvt.rn.f16.f32 h{i}, f{i + 1};'", &[], 0),
        ("f'cvt.rn.f16.f32 ${i}, {j};'", &[], 0),
        ("f'cvt.rn.f16.f32 m{i}_{j}x, 0f{t};'", &[], 0),
        ("f'@p cvt.f16.f32 h{i}, f{i};'", &["CVT006"], 0),
        ("'cvt.f16.f32 h%d, %%f%d;' % (i, j)", &["CVT006"], 0),
        ("'cvt.f16.f32 h{}, f{};'.format(i, j)", &["CVT006"], 0),
        // The known operand is judged.
        ("f'cvt.f32.f16 $0, h{i};'", &["CVT105"], 0),
        // An opcode, an expression, a part of a vector, and what may be two statements.
        ("f'cvt.rn.{t}.f32 h, f;'", &[], 1),
        ("f'cvt.rn.f16.f32{t} h, f;'", &[], 1),
        ("f'cvt.rn.f16.f32 $0, -{i};'", &[], 1),
        ("f'cvt.rn.f16.f32 $0, a{i}.x;'", &[], 1),
        ("f'cvt.rn.f16.f32 $0, a{i} mov.b32 c, d;'", &[], 1),
    ] {
        assert_eq!(python(expression), (codes(expected), counted), "{expression}");
    }
    for (template, expected, counted) in [
        ("\"cvt.f16.f32 h\" N \", %1;\"", &["1 error CVT006"][..], 0),
        // An unknown part at the end may contain the semicolon.
        ("\"cvt.rn.f16.f32 %0, %1\" END", &[], 1),
        ("\"cvt.rn.f16.f32 %0, \" END", &[], 1),
        ("\"{ cvt.rn.f16.f32 %0, \" END \"}\"", &[], 1),
        ("\"cvt.rn.f16.f32 \" D \", %1\"", &["1 error CVT201"], 0),
        ("\"cvt.rn.f16.f32 %0, %1\" END \"cvt.f16.f32 %0, %1;\"", &[], 2),
    ] {
        let text = format!("asm({template} : \"=h\"(d) : \"f\"(a));\n");
        assert_eq!(found_and_counted(&text), (codes(expected), counted), "{text}");
    }
    // A program that writes PTX.
    let text = "writeln!(f, \"    cvt.f16.f32 %h{}, %f{};\", 1, 2);\n";
    assert_eq!(judged(text, Language::Rust), (codes(&["CVT006"]), 0));
    let text = "snprintf(s, 99, \"cvt.f16.f32 %%h%d, %%f%d;\\n\", i, j);\n";
    assert_eq!(judged(text, Language::Cpp), (codes(&["CVT006"]), 0));
}

#[test]
fn what_is_unknown_may_be_several_operands() {
    for (expression, expected) in [
        ("f'cvt.rn.satfinite.e4m3x2.f32 $0, {args};'", &[][..]),
        ("f'cvt.rn.satfinite.e4m3x2.f32 {args};'", &[]),
        ("f'cvt.rn.satfinite.e4m3x2.f32 $0, a{args};'", &[]),
        ("f'cvt.rs.satfinite.e4m3x4.f32 d, {{{args}}}, r;'", &[]),
        ("f'cvt.rs.satfinite.e4m3x4.f32 d, {{$1, {args}}}, r;'", &[]),
        // The opcode is judged, and so is the number where it is too large.
        ("f'cvt.satfinite.e4m3x2.f32 $0, {args};'", &["CVT006"]),
        ("f'cvt.rn.f16.f32 $0, {args}, $1;'", &["CVT104"]),
        ("f'cvt.rs.satfinite.e4m3x4.f32 d, {{{args}, $1, $1, $1, $1}}, r;'", &["CVT108"]),
        ("'cvt.rn.satfinite.e4m3x2.f32 $0, $1;'", &["CVT104"]),
    ] {
        assert_eq!(python(expression), (codes(expected), 0), "{expression}");
    }
    let text = "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, \" ARGS \";\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n";
    assert_eq!(found_and_counted(text), (Vec::new(), 0));
}

#[test]
fn items_of_comprehensions_are_joined() {
    for (expression, expected, counted) in [
        ("'\\n'.join(f'cvt.f16.f32 h{n}, f{n};' for n in range(4))", &["CVT006"][..], 0),
        ("'\\n'.join([f'cvt.f16.f32 h{n}, f{n};' for n in range(4)])", &["CVT006"], 0),
        ("'\\n'.join((f'cvt.f16.f32 h{n}, f{m};' for n, (m, _) in t if n))", &["CVT006"], 0),
        ("'\\n'.join(f'cvt.f16.f32 h{n}, f{m};' for n in t for m in n)", &["CVT006"], 0),
        ("'; '.join(f'cvt.rn.f16.f32 h{n}, f{n}' for n in t) + ';'", &[], 0),
        ("'; '.join('cvt.f16.f32 h, f' for _ in t) + ';'", &["CVT006"], 0),
        // Without a separator this is one statement.
        ("''.join('cvt.rn.f16.f32 h, f' for _ in (1, 2)) + ';'", &["CVT201"], 0),
        ("''.join('cvt.rn.f16.f32 h, f' for _ in range(1)) + ';'", &[], 0),
        ("'cvt.rn' + ''.join('.ftz' for _ in (0,) if ftz) + '.f16.f32 h, f;'", &[], 1),
        ("'cvt.rn' + ''.join('.ftz' for _ in range(ftz)) + '.f16.f32 h, f;'", &[], 1),
        ("'cvt.rn' + ''.join(['.ftz' for _ in range(2)]) + '.f16.f32 h, f;'", &["CVT003"], 0),
        ("'cvt.rn' + ''.join('.ftz' for _ in range(0)) + '.f16.f32 h, f;'", &[], 0),
        ("'cvt.rn' + ''.join('.ftz' for _ in (1,) for _ in t) + '.f16.f32 h, f;'", &[], 1),
        ("''.join(('cvt.rn.f16.f32 ' if n else 'cvt.f16.f32 ') + f'h{n}, f;' for n in t)", &["CVT006"], 0),
        // The values of its names are unknown, even if they are known elsewhere.
        ("'\\n'.join(f'cvt.rn.{t}.f32 h, f;' for t in args)", &[], 1),
        ("'\\n'.join(t for t in args)", &[], 1),
        ("{t: f'cvt.f16.f32 $0, {t};' for t in args}['f16']", &[], 1),
        ("[f'cvt.f16.f32 $0, {t};' for t in args][i]", &[], 1),
    ] {
        let (found, not_judged) = python(expression);
        assert_eq!((found, not_judged), (codes(expected), counted), "{expression}");
    }
    let repeated = "y = inline_asm(''.join('cvt.rn.f16.f32 h, f' for _ in t) + ';', '=h,f', [x])\n";
    assert_eq!(found(repeated, Language::Python, &CheckOptions::default()), ["1 note CVT201"]);
    let call = "    inline_asm('\\n'.join(parts), '=h,f', [x])\n";
    let parts = "    t = 'f17'\n    parts = [f'cvt.f16.f32 h{t}, f;' for t in range(4)]\n";
    for (change, expected, counted) in [
        ("", &["CVT006"][..], 0),
        ("    parts.append(x)\n", &["CVT006"], 1),
        ("    f(parts)\n", &["CVT006"], 1),
    ] {
        let text = format!("def k(x):\n{parts}{change}{call}");
        assert_eq!(judged(&text, Language::Python), (codes(expected), counted), "{text}");
    }
}

/// In a part of a text, blanks matter.
#[test]
fn blanks_are_left_out_where_the_program_does() {
    for (part, is_right) in [
        ("' rn.f16 '.strip()", true),
        ("' rn.f16'.lstrip()", true),
        ("'rn.f16 '.rstrip()", true),
        ("'..rn.f16;'.strip(';.')", true),
        ("'..rn.f16'.lstrip('.')", true),
        ("'rn.f16fx'.rstrip('fx')", true),
        ("'rn.f16'.strip('6')", false),
        ("'x'.lstrip(';')", false),
        ("' rn.f16'.rstrip(' ')", false),
        ("' rn.f16'.strip(chars)", true),
        ("textwrap.dedent('  rn.f16')", true),
        ("inspect.cleandoc('  rn.f16\\n  ')", true),
        ("textwrap.indent('rn.f16', ' ')", false),
        ("textwrap.indent('f16', 'rn.')", true),
        ("'rn.f16'.encode('utf-8').decode()", true),
        ("' {}.f16'.strip().format('rn')", true),
        ("' %s.f16'.strip() % 'rn'", true),
        ("str('rn.f16')", true),
    ] {
        let text = format!("v = {part}\ntl.inline_asm_elementwise(f'cvt.{{v}}.f32 $0, $1;', '=h,f', [x])\n");
        let (found, _) = judged(&text, Language::Python);
        assert_eq!(found.is_empty(), is_right, "{part}: {found:?}");
    }
    let lines = "'''\n    cvt.rn.f16.f32 $0, $1;\n\n      cvt.rn.f16.f33 $0, $1;\n'''";
    for (function, expected) in [
        (format!("dedent({lines})"), &["CVT002"][..]),
        (format!("cleandoc({lines})"), &["CVT002"]),
        (format!("indent({lines}, ' ')"), &["CVT002"]),
        (format!("indent({lines}, '// ')"), &[]),
    ] {
        let text = format!("y = inline_asm({function}, '=h,f', [x])\n");
        assert_eq!(judged(&text, Language::Python), (codes(expected), 0), "{text}");
    }
}

#[test]
fn an_operand_of_rust_in_a_word_is_its_text() {
    let operands = "out(reg16) d, in(reg32) a, n = const 16";
    for (template, expected, counted) in [
        ("cvt.rn.f{n}.f32 {0}, {1};", &[][..], 1),
        ("cvt.{n}.f32 {0}, {1};", &[], 1),
        ("cvt.f16.f32 h{n}, {1};", &["CVT006"], 0),
        ("cvt.rn.f16.f32 {0}, {1};", &[], 0),
        ("cvt.f16.f32 {0:x}, {1};", &["CVT006"], 0),
    ] {
        let text = format!("unsafe {{ asm!(\"{template}\", {operands}); }}\n");
        assert_eq!(judged(&text, Language::Rust), (codes(expected), counted), "{text}");
    }
}

/// The driver reads a module up to the NUL that ends a string of C.
#[test]
fn a_module_may_end_with_a_nul() {
    let module = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .f16 h; .reg .f32 f; cvt.f16.f32 h, f; ret; }\n";
    let escaped = module.replace('\n', "\\n");
    let numbered = module.replace('\n', "\\0A");
    for (language, text) in [
        (Language::Rust, format!("const K: &[u8] = b\"{escaped}\\0\";\n")),
        (Language::Rust, format!("const K: &str = concat!(\"{escaped}\", \"\\0\");\n")),
        (Language::Cpp, format!("const char k[] = \"{escaped}\\0\";\n")),
        (Language::Python, format!("k = \"{escaped}\\0\"\n")),
        (Language::Python, format!("k = b\"{escaped}\" + b\"\\0\"\n")),
        (Language::Llvm, format!("@k = constant [9 x i8] c\"{numbered}\\00\"\n")),
        (Language::Mlir, format!("llvm.mlir.global constant @k(\"{numbered}\\00\")\n")),
    ] {
        assert_eq!(judged(&text, language), (codes(&["CVT006"]), 0), "{text}");
    }
    let text = "llvm.mlir.global constant @k(\"cvt.f16.f32 h, f;\\00\")\n";
    assert_eq!(judged(text, Language::Mlir), (codes(&["CVT006"]), 0));
}

/// A notebook with a cell of this code.
fn notebook(code: &str) -> String {
    format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [\"{code}\"], \"outputs\": []}}], \"nbformat\": 4}}\n"
    )
}

#[test]
fn no_cell_of_a_notebook_is_silent() {
    let module = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k() {\\n.reg .f16 h;\\n.reg .f32 f;\\ncvt.f16.f32 h, f;\\nret;\\n}";
    for (code, expected, counted) in [
        (format!("%%writefile k.ptx\\n{module}"), &["CVT006"][..], 0),
        (format!("%%ptx\\n{module}"), &["CVT006"], 0),
        ("%%ptx\\ncvt.f16.f32 h, f;".to_owned(), &["CVT006"], 0),
        (
            "%%nvcc\\nasm(\\\"cvt.f16.f32 %0, %1;\\\" : \\\"=h\\\"(d) : \\\"f\\\"(a));".to_owned(),
            &["CVT006"],
            0,
        ),
        ("%%writefile build.sh\\necho cvt.f16.f32".to_owned(), &[], 1),
        ("%%html\\nnothing".to_owned(), &[], 0),
    ] {
        assert_eq!(judged(&notebook(&code), Language::Notebook), (codes(expected), counted), "{code}");
    }
    let third = "{\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": [\"inline_asm('cvt.f16.f32 $0, $1;', '=h,f', [x])\"], \"language\": \"python\", \"outputs\": []}]}], \"nbformat\": 3}\n";
    assert_eq!(judged(third, Language::Notebook), (codes(&["CVT006"]), 0));
}
