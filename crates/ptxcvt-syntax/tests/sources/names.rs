//! Names that contain or adjoin others: which characters belong to a name, in each language.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{cpp, found, found_and_counted, machine, python};

/// Parts of C++ names. A name directly before or after them is not a separate word.
const PARTS: [&str; 6] = ["é", "$", "名", "e\u{301}", "_", "9"];

const USE: &str = "__device__ void f() { asm(\"cvt.rn.\" T \".f32 %0, %1;\" : \"=h\"(d) : \"f\"(a)); }\n";

#[test]
fn a_longer_name_of_a_macro_is_another_macro() {
    assert_eq!(cpp(&format!("#define T \"f17\"\n{USE}")), ["2 error CVT002"]);
    for part in PARTS {
        let longer = format!("T{part}");
        assert_eq!(cpp(&format!("#define T \"f16\"\n#define {longer} \"f17\"\n{USE}")), [""; 0], "{part}");
        let renamed = USE.replace("T", &longer);
        let both = format!("#define T \"f16\"\n#define {longer} \"f17\"\n{renamed}");
        assert_eq!(cpp(&both), ["3 error CVT002"], "{both}");
        assert_eq!(found_and_counted(&both).1, 0, "{both}");
    }
}

#[test]
fn a_longer_name_in_a_condition_is_another_name() {
    let of = |name: &str, first: u8, second: u8| {
        let text = format!(
            "#define N {first}\n#define {name} {second}\n#if {name} && __CUDA_ARCH__ >= 800\nvoid f() {{\n\
             asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b)); }}\n#endif\n"
        );
        found(&text, Language::Cpp, &CheckOptions::default().machine(machine("sm_80")))
    };
    for part in PARTS {
        let mut names = vec![format!("N{part}")];
        names.extend((part != "9").then(|| format!("{part}N")));
        for name in names {
            assert_eq!(of(&name, 0, 1), ["5 error CVT011"], "{name}");
            assert_eq!(of(&name, 1, 0), [""; 0], "{name}");
        }
    }
}

#[test]
fn a_local_name_of_python_does_not_hide_the_end_of_itself() {
    let of = |outer: &str, name: &str, inner: &str| {
        python(&format!(
            "t = '{outer}'\ndef k(x):\n    {name} = '{inner}'\n    inline_asm(f'cvt.rn.{{t}}.f32 $0, $1;', '=h,f', [x])\n"
        ))
    };
    for name in ["ét", "té", "名t", "t名", "_t"] {
        assert_eq!(of("f17", name, "f16"), ["4 error CVT002"], "{name}");
        assert_eq!(of("f16", name, "f17"), [""; 0], "{name}");
    }
}

#[test]
fn blanks_outside_ascii_and_byte_order_marks_separate_names() {
    let asm = "asm(\"cvt.rn.f17.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));";
    assert_eq!(cpp(&format!("void f() {{\n\u{a0}\u{3000}{asm} }}\n")), ["2 error CVT002"]);
    assert_eq!(cpp(&format!("\u{feff}{asm}\n")), ["1 error CVT002"]);
    let call = "inline_asm(f'cvt.rn.{t}.f32 $0, $1;', '=h,f', [x])\n";
    assert_eq!(python(&format!("\u{feff}t = 'f17'\n{call}")), ["2 error CVT002"]);
    assert_eq!(python(&format!("\u{feff}{}", call.replace("{t}", "f17"))), ["1 error CVT002"]);
}
