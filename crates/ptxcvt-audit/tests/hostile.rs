//! Invalid text: an audit ends without a panic, and lists the parts that it did not read.

use std::iter::repeat_n;

fn audit(td: &str) -> ptxcvt_audit::report::Report {
    let file = |name: &str| match name {
        "NVPTX.td" | "NVPTXSubtarget.h" => Some(td.to_owned()),
        // Without a limit for files that are open, these would be read 2^120 times.
        "other.td" => Some("include \"third.td\"\ninclude \"other.td\"\ninclude \"third.td\"".to_owned()),
        "third.td" => Some("include \"other.td\"\ninclude \"NVPTX.td\"\ninclude \"other.td\"".to_owned()),
        _ => None,
    };
    ptxcvt_audit::audit(&file, &[("a.ll".to_owned(), td.to_owned())])
}

/// A backend with every construct that is read.
const VALID: &str = r#"
include "other.td"
class P<string c, list<int> l = [1, 2]> : Predicate<c # "&& (Subtarget->a(-1) || !X::y) ? 1 : {2}">;
defset list<P> Ps = { foreach i = [1, 2, 3] in def p # i : P<"x" # i, [i]>; }
def CvtRN : PatLeaf<(i32 0x5)>;
multiclass M<string t, int n = !add(1, 2)> {
  defvar v = !cond(!eq(n, 3): t, true: !tolower(t));
  if !and(!ge(n, 1), !not(0)) then { def _a : Instruction { let AsmString = "cvt${mode:base}." # v # ".f32 $a;"; } }
  else def _b : Instruction;
  def : Pat<(x !foldl(0, [1, 2], s, i, !add(s, i)):$q), (!cast<Instruction>(NAME # "_a") $q, CvtRN)>, Requires<[p1]>;
}
let Predicates = [p2], Pattern = [(set i32:$d, (int_y $d))] in defm X : M<"f16">;
def Y : Instruction { field bits<2> B = {0, 1}; let B{1...0} = X_a.B; let AsmString = !interleave(["cvt", "rn"], "."); }
; RUN: llc -mcpu=sm_90 -mattr=+ptx80 | FileCheck %s
; CHECK: cvt.rn.f16.f32
bool a() const { if (b()) return 1; return a() && PTXVersion / 0 % 2; }
static cl::opt<bool> Q("q", "\"");
"#;

#[test]
fn mutations_are_read_without_a_panic() {
    assert_eq!(audit(VALID).read.selections, 1);
    let mut random = fastrand::Rng::with_seed(27);
    let pieces: Vec<&str> = VALID.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let odd = ["\u{e9}\"", "/*", "[{", "0x", "!foldl(", "${", "}", "\\"];
    let mut spoilt = 0;
    for _ in 0..200 {
        let mut text: Vec<&str> = pieces.clone();
        for _ in 0..random.usize(1..4) {
            let (at, from) = (random.usize(..text.len()), random.usize(..pieces.len()));
            match random.u8(..4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, pieces[from]),
                2 => text[at] = pieces[from],
                _ => text.insert(at, odd[random.usize(..odd.len())]),
            }
        }
        spoilt += usize::from(audit(&text.concat()).read.selections == 0);
    }
    assert!((30..170).contains(&spoilt), "{spoilt} of 200 select no conversion");
}

#[test]
fn deep_and_endless_texts_end() {
    let deep = |open: &str, close: &str| -> String {
        let nested: String = repeat_n(open, 50_000).chain(["1"]).chain(repeat_n(close, 50_000)).collect();
        format!("defvar x = {nested};\n")
    };
    let statements: String = repeat_n("let A = 1 in { ", 50_000).collect();
    let chain: String = (1..20_000).map(|i| format!("defvar v{i} = [v{}, v{}];\n", i - 1, i - 1)).collect();
    let texts = [
        deep("[", "]"),
        deep("(a ", ")"),
        deep("!not(", ")"),
        deep("{", "}"),
        statements,
        chain,
        "class A<int n> : A<!add(n, 1)>;\ndef a : A<1>;\n".to_owned(),
        "multiclass A { defm b : A; }\ndefm a : A;\n".to_owned(),
        "class A { int x = y; int y = x; }\ndef a : A;\nforeach i = a.x in def b;\n".to_owned(),
        "foreach i = 0-99999999999 in def a # i;\n".to_owned(),
        "foreach i = !range(100000) in foreach j = !range(100000) in def a # i # j;\n".to_owned(),
        "defvar a = !foldl(\"x\", !range(1000), s, i, s # s);\ndef b # a;\n".to_owned(),
        "defvar a = !foldl([1], !range(90000), s, i, [s]);\nforeach i = a in def b # i;\n".to_owned(),
        format!("def p : Predicate<\"{}1{}\">;", "(".repeat(50_000), ")".repeat(50_000)),
        format!("def p : Predicate<\"{}1\">;", "!".repeat(50_000)),
    ];
    for text in texts {
        let report = audit(&text);
        assert_eq!(report.read.selections, 0, "{}", &text[..40]);
    }
    assert!(
        audit("class A<int n> : A<!add(n, 1)>;\ndef a : A<1>;\n")
            .unread
            .iter()
            .any(|u| u.reason.contains("deep"))
    );
}

/// A file that several others include is read once: its records do not double, nor does the time with each level.
#[test]
fn files_that_several_others_include_are_read_once() {
    let levels = 60;
    let reads = std::cell::Cell::new(0);
    let file = |name: &str| {
        reads.set(reads.get() + 1);
        match name {
            "NVPTX.td" => Some(format!("include \"0.td\"\ninclude \"0.td\"\n{VALID}")),
            "other.td" => {
                Some("def Once : Instruction { let AsmString = \"cvt.rn.f16.f32 $a;\"; }".to_owned())
            }
            _ => {
                let level: u32 = name.strip_suffix(".td")?.parse().ok()?;
                let next = if level < levels { format!("{}.td", level + 1) } else { "other.td".to_owned() };
                Some(format!("include \"{next}\"\ninclude \"{next}\"\n"))
            }
        }
    };
    let report = ptxcvt_audit::audit(&file, &[]);
    assert!(reads.get() < 2 * levels, "{} files were read", reads.get());
    let once = |name: &str| match name {
        "NVPTX.td" => Some(VALID.to_owned()),
        name => file(name),
    };
    assert_eq!(report.read.instructions, ptxcvt_audit::audit(&once, &[]).read.instructions);
}
