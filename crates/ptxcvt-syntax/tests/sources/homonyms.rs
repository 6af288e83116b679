//! Constants of one name in several classes and namespaces: which one a name means is certain only where the text says it.

use super::{ASM, ERROR, NOTE, cpp, kinds};

/// `OLD` is a value for sm_80 and higher, `NEW` for sm_89 and higher, and `USE` a conversion where `ok` is true.
fn judged(text: &str, [old, new]: [&str; 2]) -> String {
    let text = text.replace("OLD", &format!("__CUDA_ARCH__ >= {old}"));
    let text = text.replace("NEW", &format!("__CUDA_ARCH__ >= {new}"));
    kinds(&cpp(&text.replace("USE", &format!("if constexpr (ok) {ASM}"))))
}

#[test]
fn which_constant_is_meant_may_be_unknown() {
    for text in [
        "constexpr bool ok = OLD; struct S { static constexpr bool ok = NEW; void m(); }; void S::m() { USE }",
        "constexpr bool ok = OLD; struct S { void m() { USE } static constexpr bool ok = NEW; };",
        "constexpr bool ok = OLD; struct S { void m() { USE } enum { ok = NEW }; };",
        "constexpr bool ok = OLD; struct P { static constexpr bool ok = NEW; }; struct S : P { void m() { USE } };",
        "namespace n { constexpr bool ok = NEW; } constexpr bool ok = OLD; namespace n { void f() { USE } }",
        "namespace n { constexpr bool ok = NEW; void f(); } constexpr bool ok = OLD; void n::f() { USE }",
        "namespace n { namespace { constexpr bool ok = NEW; } } constexpr bool ok = OLD; namespace n { void f() { USE } }",
        "constexpr bool ok = OLD; namespace n { inline namespace v { constexpr bool ok = NEW; } void f() { USE } }",
        "constexpr bool ok = OLD; namespace a::b { constexpr bool ok = NEW; } namespace a::b { void f() { USE } }",
        "constexpr bool ok = OLD; struct S { struct T { static constexpr bool ok = NEW; void f(); }; }; \
         void S::T::f() { USE }",
        "constexpr bool ok = OLD; struct P { static constexpr bool ok = NEW; }; \
         struct S : P { static constexpr bool good = ok; void m() { if constexpr (good) ASM } };",
    ] {
        let text = text.replace("ASM", ASM);
        for values in [["800", "890"], ["890", "800"]] {
            assert_eq!(judged(&text, values), NOTE, "{values:?}: {text}");
        }
    }
}

#[test]
fn which_constant_is_meant_is_certain() {
    for text in [
        // One value in all places.
        "constexpr bool ok = NEW; struct S { static constexpr bool ok = NEW; void m(); }; void S::m() { USE }",
        // The innermost definition is before the use.
        "constexpr bool ok = OLD; struct S { static constexpr bool ok = NEW; void m() { USE } };",
        "constexpr bool ok = OLD; struct P { static constexpr bool ok = OLD; }; \
         struct S : P { static constexpr bool ok = NEW; void m() { USE } };",
        "constexpr bool ok = OLD; namespace n { constexpr bool ok = NEW; void f() { USE } }",
        "constexpr bool ok = OLD; struct S { void m() { constexpr bool ok = NEW; USE } static constexpr bool ok = OLD; };",
        // No scope between the definition and the use has another one.
        "struct T { static constexpr bool ok = OLD; }; constexpr bool ok = NEW; struct S { void m() { USE } };",
        "struct T { static constexpr bool ok = OLD; }; constexpr bool ok = NEW; namespace n { void f() { USE } }",
        "struct T { static constexpr bool ok = OLD; }; constexpr bool ok = NEW; void f() { USE }",
        "namespace n { constexpr bool ok = OLD; } constexpr bool ok = NEW; void f() { USE }",
        "namespace n { constexpr bool ok = NEW; struct S { void m() { USE } }; } constexpr bool ok = OLD;",
    ] {
        assert_eq!(judged(text, ["890", "800"]), ERROR, "{text}");
        assert_eq!(judged(text, ["800", "890"]), "", "{text}");
    }
}

#[test]
fn a_flag_may_decide_which_targets_an_error_refuses() {
    let judged = |condition: &str| {
        kinds(&cpp(&format!(
            "#if {condition}\n#error no\n#endif\n#if __CUDA_ARCH__ >= 800\nvoid f() {{ {ASM} }}\n#endif\n"
        )))
    };
    assert_eq!(judged("__CUDA_ARCH__ < 890"), "");
    assert_eq!(judged("__CUDA_ARCH__ < 890 && !defined(ALLOW_OLD)"), NOTE);
    assert_eq!(
        judged(
            "!defined(ALLOW_OLD) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 860 || __CUDA_ARCH__ < 890)"
        ),
        NOTE
    );
    // Only some of the targets without the conversion.
    assert_eq!(judged("__CUDA_ARCH__ < 860 && !defined(ALLOW_OLD)"), ERROR);
    // What every target needs does not tell them apart.
    assert_eq!(judged("!defined(SIDE)"), ERROR);
    assert_eq!(judged("!defined(SIDE) && !defined(OTHER)"), ERROR);
}
