//! C++ names that carry the target, and code that something else compiles for it. None has an error for a target that
//! the program may exclude, and none is without a finding for a target that the program may compile it for.

use super::cpp;

const ASSEMBLY: &str = r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(x) : "f"(a), "f"(b));"#;

/// The severities of the findings of a text in which `A` is an assembly that sm_89 is the first target to have.
fn severities(text: &str) -> Vec<String> {
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    let text: String = words
        .map(|word| match word.strip_prefix('A').filter(|rest| rest.len() < 2 && !rest.starts_with('_')) {
            Some(rest) => format!("{ASSEMBLY}{rest}"),
            None => word.to_owned(),
        })
        .collect();
    cpp(&format!("#if __CUDA_ARCH__ >= 800\n{text}\n#endif\n"))
        .iter()
        .map(|found| found.split(' ').nth(1).unwrap_or_default().to_owned())
        .collect()
}

fn each(expected: &[&str], bodies: &[&str]) {
    let mut wrong = Vec::new();
    for body in bodies {
        let text = match body.strip_prefix("FILE ") {
            Some(text) => text.to_owned(),
            None => format!("__device__ void f() {{ {body} }}"),
        };
        let found = severities(&text);
        if found != expected {
            wrong.push(format!("{found:?}: {body}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const K: &str = "bool k = __CUDA_ARCH__ >= 890;";

#[test]
fn a_name_that_may_have_another_value_does_not_exclude_a_target() {
    let member = "FILE struct S { int k = __CUDA_ARCH__; __device__ void f() { if (k >= 890) { A } }";
    let uses = [
        format!("{member} }}; __device__ void h() {{ S{{900}}.f(); }}"),
        format!("{member} __device__ S(int v) : k(v) {{}} }};"),
        format!("{member} __device__ S(int v) : k{{v}} {{}} }};"),
        format!("{member} }}; __device__ void h(S s) {{ s.f(); }}"),
        "FILE struct S { const int k = __CUDA_ARCH__; __device__ void f() { if (k >= 890) { A } } };".to_owned(),
        "FILE class alignas(8) S : B<4> { bool k{__CUDA_ARCH__ >= 890}; __device__ void f() { if (k) { A } } };".to_owned(),
        "FILE __device__ void f(const bool k = __CUDA_ARCH__ >= 890, int n = 0) { if (k) { A } }".to_owned(),
    ];
    each(&["note"], &uses.iter().map(String::as_str).collect::<Vec<_>>());
    let bodies = [
        "bool &r = k; r = true; if (k) { A }",
        "auto &&r = k; r = true; if (k) { A }",
        "bool &r{k}; r = true; if (k) { A }",
        "bool j; (x ? k : j) = true; if (k) { A }",
        "bool &r = x ? k : j; if (k) { A }",
        "bool *p = &k; *p = true; if (k) { A }",
        "auto l = [&k] { k = true; }; l(); if (k) { A }",
        "{ auto [k, l] = p; if (k) { A } }",
        "{ auto &[l, k] = p; if (k) { A } }",
        "{ const auto& [k] = p; if (k) { A } }",
        "{ bool (k) = true; if (k) { A } }",
        "{ int (k){1}; if (k) { A } }",
        "{ bool (&k) = j; if (k) { A } }",
        "{ bool j = false, k = true; if (k) { A } }",
        "{ std::atomic<bool> k{true}; if (k) { A } }",
        "{ std::atomic<bool> k; if (k) { A } }",
        "{ bool *k = p; if (k) { A } }",
        "{ decltype(x) k = 1; if (k) { A } }",
        "{ using n::k; if (k) { A } }",
        "auto l = [k = true] { if (k) { A } }; l();",
        "for (bool k : list) { if (k) { A } }",
    ];
    for kind in ["", "const ", "constexpr "] {
        let is_changed = |body: &&&str| {
            kind.is_empty()
                || !body.contains("r = ")
                    && !body.contains("k = true; }")
                    && !body.contains(") = true; if")
                    && !body.contains("&k;")
                    && !body.contains("&r{")
        };
        let bodies: Vec<String> =
            bodies.iter().filter(is_changed).map(|body| format!("{kind}{K} {body}")).collect();
        let wrong: Vec<_> = bodies
            .iter()
            .filter(|body| severities(&format!("__device__ void f() {{ {body} }}")).is_empty())
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    // A known constant that something else hides.
    each(&["note"], &["constexpr bool k = false; { auto [k, l] = p; if (k) { A } }"]);
}

#[test]
fn a_name_that_is_only_read_keeps_its_value() {
    let reads = [
        "if (k) { A }",
        "if (!k) return; A",
        "if (x && k) { A }",
        "if (bool(k)) { A }",
        "bool j = k; if (k) { A }",
        "int n = k ? 4 : 0; if (k) { A }",
        r#"asm("" :: "r"(k)); if (k) { A }"#,
        "t[k] = 1; y = a * k; y = c > k; if (k) { A }",
        "for (; k; ) { A }",
        "if (s.k && k) { A }",
    ];
    each(&[], &reads.map(|read| format!("{K} {read}")).iter().map(String::as_str).collect::<Vec<_>>());
    each(&["error"], &[&format!("{K} if (!k) {{ A }}")]);
    each(
        &[],
        &[
            "FILE struct S { static constexpr int k = __CUDA_ARCH__; __device__ void f() { if (k >= 890) { A } } };",
        ],
    );
}

#[test]
fn a_label_in_a_statement_is_reached_by_its_switch() {
    each(
        &["error"],
        &[
            "switch (x) { if (__CUDA_ARCH__ >= 890) { case 1: A } }",
            "switch (x) { if (__CUDA_ARCH__ >= 890) ; else if (__CUDA_ARCH__ >= 900) { default: A } }",
        ],
    );
    // A `switch` whose selector says nothing about targets is not followed.
    each(&["note"], &["switch (x) { case 0: for (; __CUDA_ARCH__ >= 890; ) { case 1: A } }"]);
    each(&[], &["if (__CUDA_ARCH__ >= 890) { switch (x) { case 1: A } }"]);
    let computed = "static void *p = &&L; goto *p; if (__CUDA_ARCH__ >= 890) { L: A }";
    assert!(!severities(&format!("__device__ void f() {{ {computed} }}")).is_empty());
}

#[test]
fn a_bound_that_depends_on_the_target_may_be_zero() {
    each(
        &["note"],
        &[
            "for (int i = 0; i < (__CUDA_ARCH__ >= 890 ? 4 : 0); ++i) { A }",
            "for (int i = 0; i < 4 * (__CUDA_ARCH__ >= 890); ++i) { A }",
            "constexpr int n = __CUDA_ARCH__ >= 890 ? 4 : 0; for (int i = 0; i < n; ++i) { A }",
            "const int n = __CUDA_ARCH__ >= 890 ? 4 : 0; int i = 0; while (i < n) { A ++i; }",
            "unsigned n = __CUDA_ARCH__ >= 890 ? 4 : 0; if (threadIdx.x < n) { A }",
            "int n = __CUDA_ARCH__ >= 890 ? 4 : 0; n = g(n); if (threadIdx.x < n) { A }",
        ],
    );
    each(&["error"], &["for (int i = 0; i < 4; ++i) { A }", "if (x < 4 && __CUDA_ARCH__ >= 800) { A }"]);
    let never_before =
        ["if (x < 4 && __CUDA_ARCH__ >= 890) { A }", "if (threadIdx.x * (__CUDA_ARCH__ >= 890)) { A }"];
    each(&[], &never_before);
}

#[test]
fn objects_that_carry_the_target() {
    each(
        &["note"],
        &[
            "const bool t[2] = { false, __CUDA_ARCH__ >= 890 }; if (t[1]) { A }",
            "std::array<bool,1> t = { __CUDA_ARCH__ >= 890 }; if (t[0]) { A }",
            "bool t[2]; t[1] = __CUDA_ARCH__ >= 890; if (t[1]) { A }",
            "S s{__CUDA_ARCH__}; if (s.arch >= 890) { A }",
            "S s(__CUDA_ARCH__); if (s.ok()) { A }",
            "S s(__CUDA_ARCH__); S t = s; if (t.ok()) { A }",
            "auto k = std::integral_constant<bool, (__CUDA_ARCH__ >= 890)>{}; if (k) { A }",
            "auto [k, l] = std::pair(__CUDA_ARCH__ >= 890, 1); if (k) { A }",
            "FILE constexpr struct { bool k; } cfg = { __CUDA_ARCH__ >= 890 }; __device__ void f() { if (cfg.k) { A } }",
        ],
    );
    each(
        &["error"],
        &[
            "S s(4); for (int i = 0; i < 4; ++i) { A }",
            "int n = g(__CUDA_ARCH__); for (int i = 0; i < 4; ++i) { A }",
        ],
    );
}

#[test]
fn lambdas_that_are_called_for_some_targets() {
    each(
        &["note"],
        &[
            "auto l = [&] { A }; if constexpr (__CUDA_ARCH__ >= 890) l();",
            "auto l = [&](auto) { A }; if constexpr (__CUDA_ARCH__ >= 890) l(0);",
            "dispatch(__CUDA_ARCH__ >= 890, [&] { A });",
            "dispatch([&] { A }, __CUDA_ARCH__ >= 890);",
            "constexpr bool k = __CUDA_ARCH__ >= 890; dispatch<k>([&] { A });",
        ],
    );
    each(
        &["error"],
        &[
            "auto l = [&] { A }; l();",
            "auto l = [&] { A }; l(); if constexpr (__CUDA_ARCH__ >= 890) l();",
            "[&] { A }();",
            "if (__CUDA_ARCH__ >= 800) dispatch([&] { A });",
            "dispatch(x, [&](int n) { A });",
        ],
    );
    each(&[], &["if (__CUDA_ARCH__ >= 890) dispatch([&] { A });"]);
}

#[test]
fn functions_with_a_condition_in_their_heads() {
    each(
        &["note"],
        &[
            "FILE __device__ void f() requires (__CUDA_ARCH__ >= 890) { A }",
            "FILE template <class T> concept C = (__CUDA_ARCH__ >= 890); template <C T> __device__ void f() { A }",
            "FILE template <class T> __device__ auto f() -> std::enable_if_t<(__CUDA_ARCH__ >= 890)> { A }",
            "FILE template <int N = __CUDA_ARCH__, std::enable_if_t<(N >= 890), int> = 0> __device__ void f() { A }",
            "FILE template <int N = __CUDA_ARCH__> requires (N >= 890) __device__ void f() { A }",
            "FILE template <class T, class E = std::enable_if_t<(__CUDA_ARCH__ >= 890)>> struct S { __device__ void f() { A } };",
        ],
    );
    each(
        &["error"],
        &[
            "FILE __global__ void __launch_bounds__(__CUDA_ARCH__ >= 800 ? 256 : 128) f() { A }",
            "FILE template <class T> requires (sizeof(T) > 2) __device__ void f() { A }",
        ],
    );
}

#[test]
fn assertions_and_functions_that_may_not_return() {
    each(
        &["note"],
        &[
            "assert(false); A",
            "assert(__CUDA_ARCH__ >= 890); A",
            "assert(__CUDA_ARCH__ >= 890 && \"FP8\"); A",
            "__trap(); A",
            "std::terminate(); A",
            "if (__CUDA_ARCH__ < 890) assert(false); A",
            "if (__CUDA_ARCH__ < 890) __trap(); A",
        ],
    );
    each(&["error"], &["assert(x > 0); A"]);
}
