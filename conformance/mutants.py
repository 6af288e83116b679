"""Mutates the kernel that narrows f32 and counts the mutants that the vectors in vectors/ do not catch: `mutants.py RUSTC`.

The function `narrow_to` of crates/ptxcvt-bulk/src/lanes/float.rs, which is the algorithm of every CPU, is compiled alone
with one change in its text and run on the committed vectors. A mutant that gives every vector's result survives. One line
is printed for each mutant; the exit status is 1 if any survives. A mutant that does not compile is not counted.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Iterator

ROOT = pathlib.Path(__file__).parents[1]

# Lines that are left out: NaN payloads, which only sources of 64 bits keep, and a limit that has one value for both signs.
SKIPPED = ["(magnitude & ((1 << FRACTION) - 1)) >> drop", "_ => k.limit[0] as U"]

# Operators and constants, each with what takes its place.
REPLACEMENTS = [
    (r"wrapping_add", ["wrapping_sub"]),
    (r"wrapping_sub", ["wrapping_add"]),
    (r"(?<= )\+(?= )", ["-"]),
    (r"(?<= )-(?= )", ["+"]),
    (r"<<(?= )", [">>"]),
    (r">>(?= )", ["<<"]),
    (r"(?<= )&(?= )", ["|"]),
    (r"(?<= )\|(?= )", ["&"]),
    (r"\.max\(", [".min("]),
    (r"\.min\(", [".max("]),
    (r"(?<= )>(?= )", [">=", "<"]),
    (r"(?<= )<(?= )", ["<=", ">"]),
    (r"==(?= )", ["!="]),
    (r"!=(?= )", ["=="]),
    (r"\b1\b", ["0", "2"]),
    (r"k\.limit\[1\]", ["k.limit[0]"]),
    (r"k\.limit\[0\]", ["k.limit[1]"]),
    (r"k\.infinity", ["k.nan"]),
    (r"k\.nan", ["k.infinity"]),
    (r"back > value", ["back >= value"]),
    (r"!negative", ["negative"]),
]

# Changes of several characters: directions, limits, special values and precision.
CHANGES = [
    ("(!negative, negative)", "(negative, negative)"),
    ("mode::RP => (negative, !negative)", "mode::RP => (!negative, negative)"),
    ("_ => (U::MAX, 0)", "_ => (U::MAX, U::MAX)"),
    ("_ => (U::MAX, 0)", "_ => (0, 0)"),
    ("FRACTION - fraction;", "FRACTION - fraction - 1;"),
    ("if R == mode::RN {", "if R == mode::RZ {"),
    ("magnitude > INFINITY", "magnitude > INFINITY | (1 << 22)"),
    ("select(magnitude == INFINITY, k.infinity as U, code)", "code"),
    ("(127 + 1 - bias)", "(127 - bias)"),
    ("x & MAGNITUDE;", "x & MAGNITUDE & !1;"),
    ("(m & INFINITY).max(least)", "m.max(least)"),
    ("code | sign)", "code)"),
    ("code | sign)", "if code == 0 { 0 } else { code | sign })"),
    ("select(magnitude > INFINITY, nan,", "select(magnitude > INFINITY, nan | sign,"),
    ("magnitude.min(limit);", "magnitude.min(limit - 1);"),
    ("magnitude.min(limit);", "if magnitude > limit + (1 << 22) { limit } else { magnitude };"),
    ("all_if(back < value) & up", "all_if(back < value) & (up & down)"),
    ("let t = F::from_bits(m) + F::from_bits(one);", "let t = F::from_bits(m & !0xff) + F::from_bits(one);"),
]

HARNESS = """
#![allow(warnings)]
mod constants { #[derive(Default)] pub struct Constants { pub limit: [u64; 2], pub infinity: u64, pub nan: u64 } }
mod lanes {
    #[derive(Clone, Copy)]
    pub struct FloatRow { pub bits: u32, pub fraction: u32, pub bias: i32, pub signed: bool, pub random_bits: u32 }
    pub mod mode { pub const RN: u8 = 0; pub const RZ: u8 = 1; pub const RM: u8 = 2; pub const RP: u8 = 3; pub const RS: u8 = 4; }
}
use constants::Constants;
use lanes::{FloatRow, mode};
type F = f32; type U = u32;
const WIDTH: u32 = 32; const FRACTION: u32 = 23; const SIGN: U = 1 << 31; const MAGNITUDE: U = !SIGN;
const INFINITY: U = MAGNITUDE >> FRACTION << FRACTION;
@KERNEL@
fn main() {
    let root = std::env::args().nth(1).unwrap();
    let mut wrong = 0u64; let mut all = 0u64;
    for (name, bits, fraction, bias, signed, largest, beyond, code, nan) in [
        ("e4m3", 8u32, 3u32, 7i32, true, 448f32, 480f32, [0x7eu64, 0x7f], 0x7fu64),
        ("e5m2", 8, 2, 15, true, 57344., 65536., [0x7b, 0x7c], 0x7f),
        ("e2m3", 6, 3, 1, true, 7.5, 8., [0x1f, 0x1f], 0x1f),
        ("e3m2", 6, 2, 3, true, 28., 32., [0x1f, 0x1f], 0x1f),
        ("e2m1", 4, 1, 1, true, 6., 8., [7, 7], 7),
    ] {
        for (m, rounding) in ["rn", "rz", "rm", "rp"].iter().enumerate() {
            for (s, overflow) in ["saturate", "ieee"].iter().enumerate() {
                // The kernel has no rule for a NaN of overflow, which loses its sign: no form needs it.
                if name == "e4m3" && s == 1 { continue }
                let path = format!("{root}/f32-{name}/{rounding}-{overflow}.tsv");
                let Ok(text) = std::fs::read_to_string(path) else { continue };
                let (l, b) = (largest.to_bits() as u64, beyond.to_bits() as u64);
                let away = if s == 0 { l } else { b };
                let limit = match m { 1 => [l; 2], 2 => [l, away], 3 => [away, l], _ => [away; 2] };
                let k = Constants { limit, infinity: code[s], nan };
                let row = FloatRow { bits, fraction, bias, signed, random_bits: 16 };
                for line in text.lines().filter(|line| !line.starts_with('#')) {
                    let (x, y) = line.split_once('\\t').unwrap();
                    let x = u32::from_str_radix(x, 16).unwrap(); let y = u32::from_str_radix(y, 16).unwrap();
                    let got = std::panic::catch_unwind(|| match m {
                        0 => narrow_to::<0, false, false>(row, x, 0, &k), 1 => narrow_to::<1, false, false>(row, x, 0, &k),
                        2 => narrow_to::<2, false, false>(row, x, 0, &k), _ => narrow_to::<3, false, false>(row, x, 0, &k),
                    });
                    all += 1;
                    wrong += u64::from(got.ok() != Some(y));
                }
            }
        }
    }
    println!("{wrong} of {all}");
}
"""


def kernel() -> tuple[str, str]:
    """The helpers and `narrow_to`, whose part for stochastic rounding the vectors do not reach."""
    text = (ROOT / "crates/ptxcvt-bulk/src/lanes/float.rs").read_text()

    def function(name: str) -> str:
        start = re.search(rf"^ +(?:pub )?fn {name}\b", text, re.M).start()
        indent = re.match(r" +", text[start:]).group()
        end = text.index(f"\n{indent}}}\n", start) + len(indent) + 3
        return text[start:end]

    helpers = "".join(function(name) for name in ("all_if", "select"))
    body = "".join(function(name) for name in ("correction", "directions", "narrow_to"))
    return helpers, body.replace("$bias", "127").replace("$signed", "i32")


def run(rustc: str, source: str, folder: pathlib.Path) -> str | None:
    path = folder / "mutant.rs"
    path.write_text(source)
    built = subprocess.run(
        [rustc, "--edition=2021", "-O", "-C", "overflow-checks=no", "-C", "codegen-units=1", "-o", folder / "mutant", path],
        capture_output=True,
    )
    if built.returncode:
        return None
    try:
        ran = subprocess.run([folder / "mutant", ROOT / "vectors"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "hangs"
    return ran.stdout.strip() or "crashes"


def mutants(body: str) -> Iterator[tuple[str, str, str]]:
    """The line, the change and the text of every mutant, without those in the part for stochastic rounding."""
    stochastic = re.search(r"let code = if R == mode::RS \{.*?\} else \{", body, re.S).span()
    for pattern, others in REPLACEMENTS:
        for match in re.finditer(pattern, body):
            text = body.splitlines()[body.count("\n", 0, match.start())]
            if stochastic[0] <= match.start() < stochastic[1] or text.strip().startswith(("//", "#", "fn", "pub fn")):
                continue
            if any(skipped in text for skipped in SKIPPED):
                continue
            for other in others:
                yield text, f"{match.group()} -> {other}", body[: match.start()] + other + body[match.end() :]
    for what, other in CHANGES:
        at = body.rindex(what)
        assert not stochastic[0] <= at < stochastic[1], what
        yield body.splitlines()[body.count("\n", 0, at)], f"{what} -> {other}", body[:at] + other + body[at + len(what) :]


def main() -> None:
    helpers, body = kernel()
    survived = caught = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        right = run(sys.argv[1], HARNESS.replace("@KERNEL@", helpers + body), folder)
        print("unchanged:", right)
        assert right and right.startswith("0 of ")
        for text, change, mutant in mutants(body):
            found = run(sys.argv[1], HARNESS.replace("@KERNEL@", helpers + mutant), folder)
            if found is None:
                continue
            alive = found.startswith("0 of ")
            survived, caught = survived + alive, caught + (not alive)
            print(f"{'SURVIVES' if alive else found}: {change}: {text.strip()}", flush=True)
    print(f"{caught} mutants caught, {survived} survived")
    sys.exit(survived > 0)


main()
