#!/usr/bin/env python3
"""Predicts the speed of the NEON kernels with llvm-mca, because they have not been measured on hardware.

Reads the library's assembly and prints, for each kernel's loop, the cycles of an iteration and how many times the floor
they are: the cycles that llvm-mca gives if nothing but the busiest unit of the processor delays it ("Block RThroughput").

    cargo rustc -p ptxcvt-bulk --release --target aarch64-unknown-linux-gnu --config profile.release.lto=false \\
        --config profile.release.codegen-units=1 -- --emit asm -C symbol-mangling-version=v0
    python3 benches/predict.py target/aarch64-unknown-linux-gnu/release/deps/ptxcvt_bulk-*.s

llvm-mca assumes that every load hits the first-level cache and that every branch is predicted. Its accuracy is that of
LLVM's model of the processor; the one of Apple's is of an early processor.
"""

import argparse
import re
import shutil
import subprocess
import sys

CPUS = ["neoverse-v2", "apple-m4"]
# The numbers of the kernels' `const` parameters: those of `Format::ALL` and of the roundings.
FORMATS = {0x0C: "f16", 0x0D: "bf16", 0x11: "e4m3", 0x12: "e5m2", 0x13: "e2m3", 0x14: "e3m2", 0x15: "e2m1"}
ROUNDINGS = ["rn", "rz", "rm", "rp"]


def functions(text):
    """Returns names and lines of the NEON functions."""
    name, lines = None, []
    for line in text.splitlines():
        if re.match(r"^_R\w+:$", line):
            name, lines = (line[:-1], []) if "4neon" in line else (None, [])
        elif name and line.startswith("\t.size"):
            yield name, lines
            name = None
        elif name:
            lines.append(line)


def loops(lines):
    """Returns the loops: from a label to each branch back to it."""
    place = {line[:-1]: i for i, line in enumerate(lines) if re.match(r"^\.LBB\w+:$", line)}
    for i, line in enumerate(lines):
        match = re.match(r"^\tc?bn?z?(?:\.\w+)?\t.*?(\.LBB\w+)$|^\tb\t(\.LBB\w+)$", line)
        target = match and (match[1] or match[2])
        if target and place.get(target, i + 1) <= i:
            yield [l for l in lines[place[target] : i + 1] if re.match(r"^\t[a-z]", l)]


def vectors(loop):
    """Returns the number of vector instructions."""
    return sum(bool(re.search(r"\bv\d+\.", line)) for line in loop)


def stores(loop):
    """Returns whether the loop stores vector registers."""
    return any(re.match(r"^\tst\w+\t(?:[qd]\d|\{ v)", line) for line in loop)


def cycles(loop, cpu):
    """Returns the predicted cycles per iteration, from a hundred iterations, and the floor."""
    command = [shutil.which("llvm-mca-19") or "llvm-mca", "-march=aarch64", f"-mcpu={cpu}", "-iterations=100"]
    done = subprocess.run(command, input="\n".join(loop), capture_output=True, text=True)
    found = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    floor = re.search(r"Block RThroughput:\s+([\d.]+)", done.stdout)
    return (int(found[1]) / 100, float(floor[1])) if found and floor else None


def readable(name):
    """Returns file, function and parameters of a kernel, from its name in Rust's v0 mangling."""
    file, function = re.search(r"4neon\d+([a-z]+)\d+([a-z]+\d?)(?=K|:|$)", name).groups()
    parameters = []
    for kind, value in re.findall(r"K([bhj])(?:([0-9a-f]+)_|[0-9A-Za-z]+_)", name):
        if kind == "j":
            parameters.append(FORMATS.get(int(value, 16), value))
        elif kind == "h":
            parameters.append(ROUNDINGS[int(value, 16)])
    flags = re.findall(r"Kb([01])_|K(B)\w+?_", name)
    # A repeated parameter is a back reference; of two flags, it refers to the first one.
    values = [flag or flags[0][0] for flag, _ in flags]
    return file, function, parameters, values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assembly")
    text = open(parser.parse_args().assembly, encoding="utf-8").read()
    if not (shutil.which("llvm-mca-19") or shutil.which("llvm-mca")):
        sys.exit("llvm-mca is needed; on Debian it is part of llvm-19")
    titles = " | ".join(f"{cpu}, cycles | of the floor" for cpu in CPUS)
    print(f"| kernel | vector instructions | {titles} |")
    print("|---|---:|" + "---:|---:|" * len(CPUS))
    for name, lines in functions(text):
        file, function, parameters, flags = readable(name)
        if "1" in flags:
            continue  # `.satfinite`, `.relu` and `.pzo` add a little to each.
        # The shortest one of those that work: longer ones include the beginning or the end of a run, others only copy.
        found = [l for l in loops(lines) if vectors(l) and stores(l)]
        most = max(map(vectors, found), default=0)
        loop = min((l for l in found if vectors(l) > 0.25 * most), key=len, default=None)
        if not loop:
            continue
        columns = []
        for cpu in CPUS:
            predicted = cycles(loop, cpu)
            columns.append(f"{predicted[0]:.1f} | {predicted[0] / predicted[1]:.2f}" if predicted else "- | -")
        print(f"| {' '.join([file, function, *parameters])} | {vectors(loop)} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
