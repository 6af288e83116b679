//! Random edits of a source, each compared with a check of the whole text.

use super::*;
use crate::source::Source;
use crate::sources::check_source;

/// Pseudo-random numbers below a limit.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Sources with guards, macros, templates and strings.
const FILES: [&str; 10] = [
    include_str!("../../../../../tests/cu/fp8.cu"),
    include_str!("../../../../../tests/cu/half.cu"),
    include_str!("../../../../../tests/cu/macro.cu"),
    include_str!("../../../../../tests/cu/nv-target.cu"),
    include_str!("../../../../../tests/cu/template.cu"),
    include_str!("../../../../../tests/cu/wrappers.cu"),
    include_str!("../../../../../tests/cu/toolkit.cu"),
    include_str!("../../../../../tests/cu/fp4-plain.cu"),
    include_str!("../../../../../tests/cu/operands.cu"),
    include_str!("../../../../../tests/cu/dequant.cu"),
];

/// Functions that a reader could mistake for statements, inside and outside of a class, some next to a directive.
const HEADS: &str = r#"
#if __CUDA_ARCH__ >= 890
[[nodiscard]] __device__ int first(float a) { return 1; }
__device__ void second(float a) { unsigned short d; asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(a)); }
#endif
#define MODE 1
__attribute__((noinline)) __device__ int third() { return 1; }
struct alignas(16) Pair {
    Pair(int a) : x{a} { if (__CUDA_ARCH__ < 890) return; }
    [[gnu::pure]] __device__ int get() const { return x; }
    __device__ void put(float a) { unsigned short d; asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(a)); }
    int x;
};
"#;

fn whole(text: &str) -> Vec<Diagnostic> {
    check_source(&Source::new("k.cu", text.as_bytes()), Language::Cpp, &CheckOptions::default()).diagnostics
}

/// Typical input, which the test also inserts in the wrong places.
const TYPED: [&str; 30] = [
    "",
    "\n",
    "\n[[nodiscard]] ",
    "\n__attribute__((noinline)) ",
    " : x{1} ",
    "if (__CUDA_ARCH__ < 890) return;",
    "x",
    " ",
    ";",
    "int i = 0;",
    "float abc",
    "const bool ok = kFast;",
    "if (a) return;",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "/*",
    "*/",
    "//",
    "\n#if __CUDA_ARCH__ >= 890\n",
    "\n#endif\n",
    "static_assert(N > 1);",
    "goto end;",
    "N = 5;",
    "rn.",
    "e4m3x2",
    "f16",
    "asm(\"cvt.rna.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));",
];

/// After any edits, the findings are those of the whole text.
#[test]
fn edits_have_the_findings_of_the_text() {
    let mut random = Random(7);
    let mut alone = 0;
    let rounds = std::env::var("ROUNDS").map_or(8, |rounds| rounds.parse().expect("a number"));
    for round in 0..rounds {
        let mut text = String::new();
        for _ in 0..1 + random.below(3) {
            text += FILES[random.below(FILES.len())];
            text += HEADS;
        }
        let mut source = LiveSource::new(text.clone(), Language::Cpp, CheckOptions::default());
        for _ in 0..25 {
            let mut at = random.below(text.len());
            let breaks = random.below(5) == 0;
            if breaks {
                // The end of a line, most often of a directive.
                let from = if random.below(2) > 0 { text[at..].find("\n#").map_or(0, |n| n + 1) } else { 0 };
                at += from + text[at + from..].find('\n').unwrap_or(0);
            }
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let length = if breaks { 1 } else { random.below(3) * random.below(8) };
            let mut end = (at + length).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let typed = TYPED[random.below(TYPED.len())];
            let readings = source.readings;
            source.edit(at..end, typed);
            let before = text.clone();
            text.replace_range(at..end, typed);
            assert_eq!(source.text(), text);
            alone += usize::from(source.readings == readings);
            let expected = whole(&text);
            if source.diagnostics() != expected {
                let from = before[..at].char_indices().rev().nth(200).map_or(0, |(n, _)| n);
                let only = |a: &[Diagnostic], b: &[Diagnostic]| -> Vec<String> {
                    let new = a.iter().filter(|one| !b.contains(one));
                    new.map(|one| format!("{:?} {one}", &text[one.span().range()])).collect()
                };
                let (more, less) =
                    (only(source.diagnostics(), &expected), only(&expected, source.diagnostics()));
                panic!(
                    "round {round}, {typed:?} in place of {:?} after {:?}: {more:?} instead of {less:?}",
                    &before[at..end],
                    &before[from..at]
                );
            }
            // A text with brackets that do not match is read as a whole.
            if source.readings != readings && random.below(4) > 0 {
                source.edit(at..at + typed.len(), &before[at..end]);
                text = before;
                assert_eq!(source.diagnostics(), whole(&text));
            }
        }
    }
    assert!(alone > 40, "{alone} edits read one function");
}

/// An edit in a function of a long text does not cause the others to be read.
#[test]
fn one_function_is_read() {
    let function = |n: usize| {
        format!(
            "template <typename T>\n__device__ unsigned short pack_{n}(float a, const float b) {{\n    unsigned short d;\n    \
             asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b));\n    \
             for (int i = 0; i < 16; ++i) {{ a += b; }}\n    return d;\n}}\n"
        )
    };
    let mut text: String = (0..40).map(function).collect();
    text.insert_str(0, "#include <cuda_fp16.h>\nnamespace k {\nconstexpr int N = 4;\n");
    text.push_str("}\n");
    let mut source = LiveSource::new(text.clone(), Language::Cpp, CheckOptions::default());
    let mut at = text.find("pack_17").unwrap();
    at += text[at..].find("for").unwrap();
    // Character by character, and deleted again.
    let typed = "int total[4] = {a, b}; if (N > 3) { total[0] += 1.5f; } // \u{e4}\n";
    for c in typed.chars() {
        source.edit(at..at, c.encode_utf8(&mut [0; 4]));
        text.insert(at, c);
        at += c.len_utf8();
        assert_eq!(source.diagnostics(), whole(&text));
    }
    // Unmatched brackets: the whole text is read.
    let unclosed = source.readings;
    assert!(unclosed < 2 + typed.len() / 2, "{unclosed}");
    let at = text.find("rn.sat").unwrap();
    source.edit(at + 3..at + 13, "");
    text.replace_range(at + 3..at + 13, "");
    assert_eq!((source.diagnostics(), source.readings), (&whole(&text)[..], unclosed));
    assert_eq!(source.diagnostics().len(), 1);
}

/// Edits at the ends of directives and in functions next to code that restricts others.
#[test]
fn what_restricts_others_is_read_again() {
    let fp8 = "__device__ void g(float a) { unsigned short d; asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(a)); }\n";
    let one = "__device__ int f(float a) { return 1; }\n";
    let edits = [
        // The head joins the directive, or its line gets longer.
        (format!("#if __CUDA_ARCH__ >= 890\n{one}{fp8}#endif\n"), "\n__device__ int", 1, ""),
        (format!("#if __CUDA_ARCH__ >= 890 // fp8\n{one}{fp8}#endif\n"), "\n__device__ int", 1, " "),
        (format!("#if __CUDA_ARCH__\n{one}{fp8}#endif\n"), "\n__device__ int", 0, " >= 890"),
        (format!("#if __CUDA_ARCH__\r\n{one}{fp8}#endif\n"), "\n__device__ int", 1, ""),
        // A statement that leaves the block, although it looks like a function.
        (format!("if (__CUDA_ARCH__ < 890) {{ return; }}\n{fp8}"), "asm", 0, " "),
        (format!("[[nodiscard]] {one}{fp8}"), "asm", 0, " "),
        // An operand ends far after the operator.
        (
            format!("int f(int a) (__CUDA_ARCH__ 890) || 1 {{\n}}\nint h(int a) {{\n}}\n{fp8}"),
            "unsigned",
            0,
            " ",
        ),
    ];
    for (text, place, length, typed) in edits {
        let at = text.find(place).expect("a place");
        let mut source = LiveSource::new(text.clone(), Language::Cpp, CheckOptions::default());
        source.edit(at..at + length, typed);
        assert_eq!(source.diagnostics(), whole(source.text()), "{text}");
    }
}
