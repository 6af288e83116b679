//! Lambdas with a name: whether the target decides that they are called.

use std::time::Instant;

use super::cpp;

const ASSEMBLY: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(x) : "f"(a), "f"(b));"#;

/// A function for targets from sm_80 on, with this body.
fn function(body: &str) -> String {
    format!("#if __CUDA_ARCH__ >= 800\n__device__ void f() {{ {body} }}\n#endif\n")
}

/// Near and far uses are found in different ways.
#[test]
fn the_first_use_counts() {
    let lambda = format!("auto l = [&] {{ {ASSEMBLY} }};");
    for (body, expected) in [
        (format!("{lambda} PAD l();"), "error"),
        (format!("{lambda} PAD if constexpr (__CUDA_ARCH__ >= 890) l();"), "note"),
        (format!("constexpr bool k = __CUDA_ARCH__ >= 890; {lambda} PAD if (k) l();"), "note"),
        (format!("{lambda} PAD h([&] {{ l(); }}); if (__CUDA_ARCH__ >= 890) l();"), "error"),
        (format!("{lambda} PAD\n#if QUICK\n l();\n#endif\n"), "note"),
        (format!("{{ {lambda} }} PAD if (__CUDA_ARCH__ >= 890) l();"), "error"),
        (format!("{{ {lambda} g(); }} {{ PAD }} if (__CUDA_ARCH__ >= 890) l();"), "error"),
        (format!("{{ {lambda} {{ PAD }} if (__CUDA_ARCH__ >= 890) l(); }}"), "note"),
        (format!("{lambda} PAD /* if (__CUDA_ARCH__ >= 890) */ l();"), "error"),
        (format!("{lambda} PAD g(\"l\"); if (__CUDA_ARCH__ >= 890) l();"), "note"),
        (format!("{lambda} PAD ll(); if (__CUDA_ARCH__ >= 890) l();"), "note"),
        (format!("auto m = [&] {{ {lambda} PAD l(); }}; m(); g(__CUDA_ARCH__);"), "error"),
    ] {
        for padding in [1, 1_000] {
            let text = function(&body.replace("PAD", &"g();\n".repeat(padding)));
            let found = cpp(&text);
            let severity = found.first().and_then(|finding| finding.split(' ').nth(1));
            assert_eq!((found.len(), severity), (1, Some(expected)), "{padding}: {body}: {found:?}");
        }
    }
}

/// The time is linear: this takes a tenth of a second, and took minutes.
#[test]
fn many_lambdas() {
    let begin = Instant::now();
    let count = 8_000;
    let all: String = (0..count).map(|n| format!("auto l{n} = [&] {{ g({n}); }};\n")).collect();
    for is_reversed in [false, true] {
        let number = |n| if is_reversed { count - n } else { n + 1 };
        let uses: String = (0..count).map(|n| format!("l{}();\n", number(n))).collect();
        let last = format!("auto l{count} = [&] {{ {ASSEMBLY} }};\n");
        let found = cpp(&function(&format!("{all}{last}{uses}")));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("error"), "{found:?}");
    }
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}
