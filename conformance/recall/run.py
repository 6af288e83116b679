"""How many strings with conversions in public kernels `ptxcvt check` judges, by package and language.

    python conformance/recall/run.py --ptxcvt target/debug/ptxcvt --wheels FOLDER [--download] [--record]

`--download` fetches the wheels named in PACKAGES into the folder with pip. `--record` writes conformance/records/recall.tsv.
The record has counts only, nothing of the packages' text.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

RECORD = pathlib.Path(__file__).parents[1] / "records" / "recall.tsv"

#: Packages whose wheels have sources of kernels.
PACKAGES = [
    "cupy-cuda13x", "deepspeed", "flash-attn-4", "flash-linear-attention", "flashinfer-python", "gemlite", "jax", "liger-kernel",
    "numba-cuda", "nvidia-cutlass-dsl-libs-base", "nvidia-modelopt", "quack-kernels", "sglang", "tilelang", "torchao",
    "triton", "triton-kernels", "warp-lang",
]

LANGUAGES = {
    "c++": {"cu", "cuh", "cpp", "cc", "cxx", "c", "h", "hpp", "hh", "hxx", "inl"},
    "python": {"py", "pyi"},
    "llvm": {"ll"},
    "mlir": {"mlir"},
    "notebook": {"ipynb"},
}

#: Not judged because no target can run it, so it is not a miss.
OTHERS = {"no device compiler sees it", "it is another machine's assembly", "it is documentation"}


def measure(program: pathlib.Path, wheel: pathlib.Path) -> dict[str, dict]:
    """The counts of a wheel, by language."""
    found = {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        for language, extensions in LANGUAGES.items():
            files = []
            for name in archive.namelist():
                if name.rpartition(".")[2] in extensions and b"cvt" in archive.read(name):
                    files.append(archive.extract(name, folder))
            counts = {"files": len(files), "strings": 0, "judged": 0, "conversions": 0, "reasons": collections.Counter()}
            for at in range(0, len(files), 500):
                command = [program, "check", "--stats", "--output-format", "json", *files[at : at + 500]]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                if result.returncode not in (0, 1):
                    sys.exit(result.stderr)
                for module in json.loads(result.stdout):
                    counts["strings"] += module["strings"]
                    counts["judged"] += module["judged_strings"]
                    counts["conversions"] += module["conversions"]
                    counts["reasons"].update(module["not_judged"])
            if counts["strings"]:
                found[language] = counts
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxcvt", type=pathlib.Path, required=True)
    parser.add_argument("--wheels", type=pathlib.Path, required=True)
    parser.add_argument("--download", action="store_true")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if arguments.download:
        for package in PACKAGES:
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", arguments.wheels]
            # flash-attn-4 has only releases before its first.
            subprocess.run([*pip, *(["--pre"] if package == "flash-attn-4" else []), package])
    lines = ["# Strings with conversions in public packages, without documentation, and those judged (conformance/recall/run.py)."]
    lines.append("# missed: conversions in device code that were not judged, by reason; conversions of other machines are no misses.")
    lines.append("package\tversion\tlanguage\tfiles\tstrings\tjudged\tconversions\tother machines\tmissed")
    sums = collections.defaultdict(lambda: [0, 0, 0])
    largest = {}
    for wheel in sorted(arguments.wheels.rglob("*.whl")):
        package, version = wheel.name.split("-")[:2]
        for language, counts in measure(arguments.ptxcvt, wheel).items():
            others = sum(count for reason, count in counts["reasons"].items() if reason in OTHERS)
            missed = {r: n for r, n in sorted(counts["reasons"].items()) if r not in OTHERS}
            why = "; ".join(f"{n} {reason}" for reason, n in missed.items())
            row = [package, version, language, counts["files"], counts["strings"], counts["judged"], counts["conversions"], others, why]
            lines.append("\t".join(map(str, row)))
            largest[language] = max(largest.get(language, (0, 0, "")), (counts["strings"], counts["judged"], package))
            total = sums[language]
            total[0] += counts["strings"]
            total[1] += counts["judged"]
            total[2] += sum(missed.values())
    for language, (strings, judged, missed) in sums.items():
        print(f"{language}: {judged} of {strings} strings judged ({judged / strings:.1%}); {missed} conversions missed")
        most, most_judged, package = largest[language]
        print(f"  {package} has {most / strings:.1%} of them; without it {judged - most_judged} of {strings - most} were judged")
    text = "\n".join(lines) + "\n"
    if arguments.record:
        RECORD.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
