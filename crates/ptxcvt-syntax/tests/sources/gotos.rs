//! Labels of `goto` in blocks and statements that have a condition. `g++ -O2` keeps the same assemblies for each target.

use super::cpp;

const ASM: &str = r#"asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(d) : "f"(a));"#;

#[test]
fn labels_are_reached_by_what_jumps_to_them() {
    const OLD: &str = "if (__CUDA_ARCH__ < 1000) ASM";
    for (body, expected) in [
        // In a `switch`.
        ("switch (ARCH) { case 750: if (x) goto L; x += 1; L:; ASM }", "error"),
        ("switch (ARCH) { case 860: if (x) goto L; x += 1; L: OLD }", ""),
        ("switch (ARCH) { case 900: again: x--; OLD if (x) goto again; }", ""),
        ("switch (ARCH) { case 800: goto L; case 750: return; L: case 900: OLD }", ""),
        ("switch (ARCH) { case 750: goto L; case 800: return; L: case 900: OLD }", "error"),
        ("switch (ARCH) { case 900: L: OLD break; case 750: goto L; }", "error"),
        ("switch (ARCH) { case 900: L: OLD break; case 800: goto L; }", ""),
        ("if (x) goto L; switch (ARCH) { case 900: L: OLD }", "error"),
        // After a statement that some configurations leave.
        ("if (ARCH < 800) return; else goto L; L: OLD", ""),
        ("if (ARCH >= 800) { if (x) goto L; } else return; g(); L: OLD", ""),
        ("if (ARCH < 800) return; L: x--; OLD if (x) goto L;", ""),
        ("if (ARCH < 750) goto L; return; L: OLD", "error"),
        ("if (ARCH >= 900) goto L; return; L: OLD", ""),
        ("goto M; L: OLD return; M: if (ARCH >= 800) goto L;", ""),
        ("goto M; L: OLD return; M: if (ARCH >= 750) goto L;", "error"),
        // Into a statement with a condition.
        ("if (x) goto L; if (ARCH >= 800) { L: OLD }", "error"),
        ("if (ARCH >= 900) goto L; if (ARCH >= 800) { L: OLD }", ""),
        ("if (ARCH >= 800) { if (x) goto L; g(); L: OLD }", ""),
        ("if (ARCH < 800) goto L; while (ARCH >= 800) { L: OLD }", "error"),
        ("if (ARCH >= 800) g(); else { L: OLD } if (x) goto L;", "error"),
        // A word of a comment.
        ("switch (ARCH) { case 750: /* goto L */ if (x) goto L; L:; ASM }", "error"),
        ("switch (ARCH) { case 900: if (x) goto L; /* goto L */ L: OLD }", ""),
    ] {
        let body = body.replace("OLD", OLD).replace("(ARCH", "(__CUDA_ARCH__").replace("ASM", ASM);
        let text = format!("__device__ void f(int x) {{ {body} }}\n");
        let found = cpp(&text);
        let worst = ["error", "note"].into_iter().find(|what| found.iter().any(|one| one.contains(what)));
        assert_eq!(worst.unwrap_or_default(), expected, "{found:?}\n{text}");
    }
}

/// Many labels take no longer than their text.
#[test]
fn many_labels() {
    let one = |n| format!("L{n}: x--; if (x) goto L{n}; if (x > {n}) goto M{n}; g(); M{n}: h();\n");
    let row: String = (0..200).map(one).collect();
    let deep = "{ L: x--; ".repeat(32) + &"if (__CUDA_ARCH__ >= 900) goto L; }".repeat(32);
    for body in [row, deep] {
        let text = format!("void f(int x) {{ if (__CUDA_ARCH__ < 800) return; {body} {ASM} }}\n");
        assert!(cpp(&text).is_empty());
    }
}
