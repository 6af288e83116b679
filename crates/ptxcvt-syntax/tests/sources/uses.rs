//! Macros with assemblies: the place of each use decides, after macro expansion, and nothing else that has the name.

use super::{ASM, cpp, found_and_counted};

/// The severities of the findings in a text, where `ASM` is a conversion that needs sm_89.
fn found(text: &str) -> String {
    let found = cpp(&text.replace("ASM", ASM));
    found.iter().map(|finding| finding.split(' ').nth(1).unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn only_uses_of_the_definition_count() {
    for text in [
        // Another definition, and none.
        "#define CVT(d, a) ASM\n#if __CUDA_ARCH__ >= 890\nvoid f() { CVT(d, a); }\n#endif\n#undef CVT\n\
         #define CVT(d, a) sink(d)\n#if __CUDA_ARCH__ >= 800\nvoid g() { CVT(d, a); }\n#endif\n",
        "#define CVT ASM\n#if __CUDA_ARCH__ >= 890\nvoid f() { CVT }\n#endif\n#undef CVT\n\
         #if __CUDA_ARCH__ >= 800\nvoid g() { CVT }\n#endif\n",
        "#define CVT(d, a) ASM\n#pragma push_macro(\"CVT\")\n#undef CVT\n#define CVT(d, a) sink(d)\n\
         #if __CUDA_ARCH__ >= 800\nvoid f() { CVT(d, a); }\n#endif\n#pragma pop_macro(\"CVT\")\n\
         #if __CUDA_ARCH__ >= 890\nvoid g() { CVT(d, a); }\n#endif\n",
        // Through another macro.
        "#define CVT(d, a) ASM\n#define W(d) CVT(d, a)\n#if __CUDA_ARCH__ >= 890\nvoid f() { W(d); }\n#endif\n\
         #undef CVT\n#define CVT(d, a) sink(d)\n#if __CUDA_ARCH__ >= 800\nvoid g() { W(d); }\n#endif\n",
        // Before the definition.
        "#if __CUDA_ARCH__ >= 800\nvoid g() { CVT(d, a); }\n#endif\n#define CVT(d, a) ASM\n\
         #if __CUDA_ARCH__ >= 890\nvoid f() { CVT(d, a); }\n#endif\n",
        // A string, and a name that no parenthesis follows.
        "#define STR(x) #x\n#define CVT(d, a) ASM\n#if __CUDA_ARCH__ >= 890\nvoid f() { CVT(d, a); }\n#endif\n\
         #if __CUDA_ARCH__ >= 800\nconst char* s = STR(CVT(d, a));\nstruct S { int CVT; };\n#endif\n",
        // A macro that leaves out its argument.
        "#define DROP(...)\n#define CVT(d, a) ASM\n#if __CUDA_ARCH__ >= 890\nvoid f() { CVT(d, a); }\n#endif\n\
         #if __CUDA_ARCH__ >= 800\nvoid g() { DROP(CVT(d, a)) }\n#endif\n",
    ] {
        assert_eq!(found(text), "", "{text}");
        let wrong = text.replace(">= 890", ">= 880");
        assert_eq!(found(&wrong), "error", "{wrong}");
    }
}

#[test]
fn names_that_macros_paste_are_uses() {
    for text in [
        "#define CVT_fp8(d, a) ASM\n#define CVT(t, d, a) CVT_##t(d, a)\n#if __CUDA_ARCH__ >= 890\n\
         void f() { CVT(fp8, d, a); }\n#endif\n",
        "#define CVT_fp8(d, a) ASM\n#define CAT(x, y) x##y\n#if __CUDA_ARCH__ >= 890\n\
         void f() { CAT(CVT_, fp8)(d, a); }\n#endif\n",
        "#define CVT_fp8(d, a) ASM\n#define CAT2(x, y) x##y\n#define CAT(x, y) CAT2(x, y)\n#define FP8 fp8\n\
         #if __CUDA_ARCH__ >= 890\nvoid f() { CAT(CVT_, FP8)(d, a); }\n#endif\n",
    ] {
        assert_eq!(found(text), "", "{text}");
        let wrong = text.replace(">= 890", ">= 800");
        assert_eq!(found(&wrong), "error", "{wrong}");
    }
}

/// The condition has its value at each use.
#[test]
fn arguments_decide_conditions_in_macros() {
    for text in [
        "#define CVT(d, a) ASM\n#define IF_SM(n, code) if constexpr (__CUDA_ARCH__ >= n) { code; }\n\
         void f() { IF_SM(890, CVT(d, a)) }\n",
        "#define CVT(n, d, a) if (__CUDA_ARCH__ >= n) { ASM }\nvoid f() { CVT(1000, d, a) CVT(890, d, a) }\n",
        "#define CVT(n, d, a) do { if (__CUDA_ARCH__ < n) break; ASM } while (0)\nvoid f() { CVT(890, d, a); }\n",
        "#define CVT(n, d, a) switch (__CUDA_ARCH__) { case n: ASM break; default: g(); }\nvoid f() { CVT(890, d, a) }\n",
        "#define MAKE(f, n) __device__ void f(short& d) { if constexpr (__CUDA_ARCH__ >= n) { ASM } }\n\
         MAKE(f, 1000)\nMAKE(g, 890)\n",
        "#define ENABLED 890\n#define CVT(n, d, a) if (__CUDA_ARCH__ >= n##0) { ASM }\nvoid f() { CVT(89, d, a) }\n",
    ] {
        assert_eq!(found(text), "", "{text}");
        let wrong = text.replace("890", "800").replace("(89,", "(80,");
        assert_eq!(found(&wrong), "error", "{wrong}");
    }
}

/// A macro of another file may use the name that it is given.
#[test]
fn a_name_given_to_an_unknown_macro_is_a_use() {
    let text = "#define CVT(d, a) ASM\n#if __CUDA_ARCH__ >= 800\nOTHER(x, CVT)\n#endif\n";
    assert_eq!(found(text), "error");
    let never = "#define CVT(d, a) ASM\n#if 0\nCVT(d, a)\n#endif\n".replace("ASM", ASM);
    assert_eq!(found_and_counted(&never).1, 1);
}

/// A macro may leave out its argument in some configurations.
#[test]
fn assemblies_in_arguments_have_their_places_in_the_expansion() {
    let only =
        "#if __CUDA_ARCH__ >= 890\n#define FP8_ONLY(...) __VA_ARGS__\n#else\n#define FP8_ONLY(...)\n#endif\n";
    let select = "#if __CUDA_ARCH__ >= 890\n#define SELECT(a, b) a\n#else\n#define SELECT(a, b) b\n#endif\n";
    for text in [
        format!("{only}void f() {{ FP8_ONLY(ASM) }}\n"),
        format!("{select}void f() {{ SELECT({{ ASM }}, g();) }}\n"),
        format!("{only}#define CVT(d, a) ASM\nvoid f() {{ FP8_ONLY(CVT(d, a)) }}\n"),
        format!("{only}#define TWICE(x) x x\nvoid f() {{ FP8_ONLY(TWICE(ASM)) }}\n"),
        "#define IF(c, ...) if constexpr (c) { __VA_ARGS__ }\nvoid f() { IF(__CUDA_ARCH__ >= 890, ASM) }\n"
            .to_owned(),
    ] {
        assert_eq!(found(&text), "", "{text}");
        let wrong = text.replace("890", "800");
        assert_eq!(found(&wrong), "error", "{wrong}");
    }
    let host = "#ifdef __CUDA_ARCH__\n#define HOST(...)\n#else\n#define HOST(...) __VA_ARGS__\n#endif\nvoid f() { HOST(ASM) }\n";
    assert_eq!(found_and_counted(&host.replace("ASM", ASM)), (Vec::new(), 1));
}
