//! Lines that end in a carriage return alone, and the targets that modules in other languages name.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{found, machine};

#[test]
fn a_carriage_return_ends_a_line_where_the_language_says_so() {
    let python = "x = 1 # comment\rinline_asm(\"cvt.f16.f32 $0, $1;\", \"=h,f\")\r";
    let cpp = "#if 0\r#endif\rint x; // comment\r__device__ void f() { asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(x) : \"f\"(a)); }\r";
    let llvm = "; comment\r%1 = call i16 asm \"cvt.f16.f32 $0, $1;\", \"=h,f\"(float %a)\r";
    let mlir = "// comment\r%1 = llvm.inline_asm \"cvt.f16.f32 $0, $1;\", \"=h,f\" %a : (f32) -> i16\r";
    for (text, language, line) in [
        (python, Language::Python, 2),
        (cpp, Language::Cpp, 4),
        (llvm, Language::Llvm, 2),
        (mlir, Language::Mlir, 2),
    ] {
        for end in ["\r", "\n", "\r\n"] {
            let text = text.replace('\r', end);
            let all = found(&text, language, &CheckOptions::default());
            assert_eq!(all, [format!("{line} error CVT006")], "{text:?}");
        }
    }
    // Rust and PTX end a comment only at a line feed.
    let rust = "// comment\rasm!(\"cvt.f16.f32 {}, {};\", out(reg16) x, in(reg32) y);\n";
    assert!(found(rust, Language::Rust, &CheckOptions::default()).is_empty());
    let ptx = ".version 8.0\n.target sm_90\n.entry k() { .reg .b16 h; .reg .f32 f; // \rcvt.f16.f32 h, f;\nret; }\n";
    assert!(found(ptx, Language::Ptx, &CheckOptions::default()).is_empty());
}

#[test]
fn a_given_target_replaces_that_of_a_module() {
    let llvm = |target: &str| {
        format!(
            "%1 = call i16 asm \"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $1;\", \"=h,f\"(float %a)\nattributes #0 = {{ \"target-cpu\"=\"{target}\" }}\n"
        )
    };
    let mlir = |target: &str| {
        format!(
            "module attributes {{t = #nvvm.target<chip = \"{target}\">}} {{\n%1 = llvm.inline_asm \"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $1;\", \"=h,f\" %a : (f32) -> i16\n}}\n"
        )
    };
    for (language, text) in [(Language::Llvm, &llvm as &dyn Fn(&str) -> String), (Language::Mlir, &mlir)] {
        for (own, given, is_wrong) in [
            ("sm_80", None, true),
            ("sm_90", None, false),
            ("sm_80", Some("sm_90"), false),
            ("sm_90", Some("sm_80"), true),
            ("sm_80", Some("sm_75"), true),
            ("sm_90", Some("sm_100a"), false),
        ] {
            let mut options = CheckOptions::default();
            if let Some(given) = given {
                options = options.machine(machine(given));
            }
            let all = found(&text(own), language, &options);
            assert_eq!(!all.is_empty(), is_wrong, "{own} {given:?}: {all:?}");
            assert!(all.iter().all(|one| one.ends_with("error CVT011")), "{all:?}");
        }
    }
}
