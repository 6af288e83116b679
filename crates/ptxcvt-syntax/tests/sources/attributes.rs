//! Attributes of classes, unpacked tuples and repeated strings of Python: followed, or counted.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::{check, python};

/// The findings in a text, and how many conversions are counted.
fn judged(text: &str) -> (usize, usize) {
    let report = check(text, Language::Python, &CheckOptions::default());
    (report.diagnostics.len(), report.stats.skipped.values().sum())
}

#[test]
fn attributes_of_classes() {
    const ASM: &str = "inline_asm(NAME + ' $0, $1;', '=h,f', [x])";
    for (head, name, found) in [
        ("class A:\n    OP = 'cvt.f16.f32'\n", "A.OP", true),
        ("class A:\n    OP = 'cvt.rn.f16.f32'\n    OP = 'cvt.f16.f32'\n", "A.OP", true),
        ("class A:\n    OP: str = 'cvt.f16.f32'\n", "A.OP", true),
        ("class A(Base):\n    R = ''\n    OP = 'cvt' + R + '.f16.f32'\n", "A.OP", true),
        ("class B:\n    OP = 'cvt.f16.f32'\nclass A(B):\n    P = 1\n", "A.OP", true),
        ("class B:\n    OP = 'cvt.f16.f32'\nclass A(B):\n    OP = 'cvt.rn.f16.f32'\n", "B.OP", true),
        ("class A:\n    OP = 'cvt.f16.f32'\nb = A()\nb.P = 1\n", "A.OP", true),
        ("class A:\n    OP, P = 'cvt.f16.f32', 1\n", "A.OP", true),
        ("class A:\n    if flag: OP = 'cvt.f16.f32'\n    else: OP = 'cvt.rn.f16.f32'\n", "A.OP", true),
        // Other values are possible, or the value is not a string.
        ("class A:\n    OP = 'cvt.f16.f32'\nclass A:\n    P = 1\n", "A.OP", false),
        ("class A:\n    OP = 'cvt.f16.f32'\ndel A.OP\n", "A.OP", false),
        ("class B(Other):\n    P = 1\nclass A(B):\n    Q = 'cvt.f16.f32'\n", "A.Q", true),
        ("class A:\n    OP = 'cvt.f16.f32'\nA.OP = f()\n", "A.OP", false),
        ("class A:\n    OP = 'cvt.f16.f32'\nsetattr(A, 'OP', 1)\n", "A.OP", false),
        ("class A:\n    OP = 'cvt.f16.f32'\nA = f(A)\n", "A.OP", false),
        ("class A(Enum):\n    OP = 'cvt.f16.f32'\n", "A.OP", false),
        ("@dataclass\nclass A:\n    OP: str = 'cvt.f16.f32'\n", "A.OP", false),
        ("OP = 'cvt.f16.f32'\nclass A(Base):\n    pass\n", "A.OP", false),
        ("OP = 'cvt.f16.f32'\n", "A.OP", false),
    ] {
        let text = format!("{head}def k(x):\n    y = {}\n", ASM.replace("NAME", name));
        let (findings, counted) = judged(&text);
        assert_eq!(findings, usize::from(found), "{text}");
        assert!(found || counted > 0, "{text}");
    }
    for (more, found) in [
        ("", true),
        ("class B(A):\n    P = 'cvt.rn.f16.f32'\n", true),
        ("class B:\n    def f(self):\n        self.OP = 1\n", false),
        ("def f(a):\n    a.OP = 1\n", false),
        ("class B:\n    P = 1\n", true),
    ] {
        let method = format!("    def k(self, x):\n        y = {}\n", ASM.replace("NAME", "self.OP"));
        let text = format!("class A:\n    OP = 'cvt.f16.f32'\n{method}{more}");
        let (findings, counted) = judged(&text);
        assert_eq!(findings, usize::from(found), "{text}");
        assert!(found || counted > 0, "{text}");
    }
}

/// Classes with another value of an attribute.
#[test]
fn attributes_that_other_classes_override() {
    let text = |base: &str, other: &str| {
        let method = "def k(self, x):\n        inline_asm(self.OP + ' $0, $1;', '=h,f', [x])";
        format!("class A:\n    OP = {base}\n    {method}\nclass B(A):\n    OP = {other}\n")
    };
    let error = |text: &str| python(text).iter().map(|found| found.contains("error")).collect::<Vec<_>>();
    let (right, wrong) = ("'cvt.rn.f16.f32'", "'cvt.f16.f32'");
    assert_eq!(error(&text(right, wrong)), [true]);
    // Perhaps the class itself has no objects.
    assert_eq!(error(&text(wrong, right)), [false]);
    assert_eq!(error(&text("None", wrong)), [true]);
    assert_eq!(judged(&text(right, "f()")), (0, 1));
}

#[test]
fn attributes_of_objects() {
    let method = "def k(self, x):\n        inline_asm(self.op + ' $0, $1;', '=h,f', [x])";
    for (init, other, found) in [
        ("self.op = 'cvt.f16.f32'", "", true),
        ("if q: self.op = 'cvt.rn.f16.f32'\n        else: self.op = 'cvt.f16.f32'", "", true),
        ("self.op = 'cvt.f16.f32'\n        self.op = 'cvt.rn.f16.f32'", "", false),
        ("self.op = 'cvt.f16.f32'", "def f(a): a.op = 1", false),
        ("self.op = 'cvt.f16.f32'", "def f(a): a.op += '.sat'", false),
        ("self.op = 'cvt.f16.f32'", "setattr(a, 'op', 1)", false),
        ("self.op: str = 'cvt.f16.f32'", "", false),
        ("self.op = q", "", false),
    ] {
        let text = format!("class A:\n    def __init__(self, q):\n        {init}\n    {method}\n{other}\n");
        let (findings, counted) = judged(&text);
        assert_eq!(findings, usize::from(found), "{text}");
        assert!(found || counted > 0 || init.contains("rn"), "{text}");
    }
    let text = format!("class A:\n    def g(self, q):\n        self.op = 'cvt.f16.f32'\n    {method}\n");
    assert_eq!(judged(&text), (0, 1));
}

/// A conversion whose string is written in the file and used by a name is counted once.
#[test]
fn an_attribute_is_counted_once() {
    for (head, name) in [
        ("@decorated\nclass A:\n    OP = 'cvt.f16.f32'\n", "A.OP"),
        ("class A:\n    OP = 'cvt.f16.f32'\nA.OP = f()\n", "A.OP"),
        ("OP = 'cvt.f16.f32'\ndef f():\n    global OP\n    OP = g()\n", "OP"),
        ("T = {'a': 'cvt.f16.f32'}\nT.update(q)\n", "T['a']"),
    ] {
        let text = format!("{head}def k(x):\n    inline_asm({name} + ' $0, $1;', '=h,f', [x])\n");
        assert_eq!(judged(&text), (0, 1), "{text}");
    }
    // The attribute of another object is unrelated.
    let text =
        "class A:\n    OP = 'cvt.f16.f32'\ndef k(x, q):\n    inline_asm(q.OP + ' $0, $1;', '=h,f', [x])\n";
    assert_eq!(judged(text), (0, 2));
}

#[test]
fn unpacked_tuples() {
    for (statement, found) in [
        ("a, op = 'x', 'cvt.f16.f32'", true),
        ("op, a = 'cvt.f16.f32', f(1)", true),
        ("op, a = ('cvt.f16.f32', 'x')", true),
        ("op, a = ['cvt.f16.f32', 'x'] # comment", true),
        ("a, op = 'cvt.f16.f32', 'cvt.rn.f16.f32'", false),
        ("op = 'cvt.f16.f32'\n    a, op = op, 'cvt.rn.f16.f32'", false),
        ("a, op = *f(), 'cvt.f16.f32'", false),
        ("a, op = f()", false),
        ("a, (op, b) = 'x', ('cvt.f16.f32', 'y')", true),
        ("(a, op) = 'x', 'cvt.f16.f32'", true),
        ("a, op = 'x', 'cvt.f16.f32'; op = q", false),
        ("a.b, op = 'x', 'cvt.f16.f32'", false),
        ("a, op = 'op', 'cvt.f16.f32'", false),
        ("a, op = 'x', 'cvt.f16.f32', 'y'", false),
        ("op, = 'cvt.f16.f32',", true),
    ] {
        let asm = "inline_asm(op + ' $0, $1;', '=h,f', [x])";
        let text = format!("def k(x):\n    {statement}\n    y = {asm}\n");
        assert_eq!(judged(&text).0, usize::from(found), "{text}");
    }
    // A value that depends on another of the names is not followed.
    let text = "def k(x):\n    a, b = 'cvt.f16.f32', 'cvt.rn.f16.f32'\n    a, b = b, a\n    inline_asm(b + ' $0, $1;', '=h,f', [x])\n";
    let (findings, counted) = judged(text);
    assert!(findings == 0 && counted > 0);
}

#[test]
fn repeated_strings() {
    for (string, found) in [
        ("'cvt.f16.f32 $0, $1;\\n' * 2", true),
        ("'cvt' + '.rn' * 0 + '.f16.f32 $0, $1;'", true),
        ("'cvt' + '.rn' * 1 + '.f16.f32 $0, $1;'", false),
        ("('cvt.rn.f16.f32 $0, $1;' '\\n') * 3", false),
        ("'cvt' + '.rn' * q + '.f16.f32 $0, $1;'", false),
    ] {
        let text = format!("def k(x, q):\n    y = inline_asm({string}, '=h,f', [x])\n");
        assert_eq!(judged(&text).0, usize::from(found), "{text}");
    }
}
