#!/usr/bin/env python3
"""Runs words of `ptxcvt lower --elements` with a second interpreter, on millions of random words.

    python3 conformance/second/words.py PTXCVT [--runs N] [--only FORM]

Needs the package numpy. Every different text of `words.tsv` runs in `interpreter.py` and in `ptxcvt run`, which share no code, on
the same random words; all results are compared. A word without options is also compared with the form by the definition of
`formats.py`. Rewrites `second.tsv`; the status is 1 if a result differs.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import formats
from interpreter import ROUNDINGS, Block

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from digest import of_text  # noqa: E402

RECORDS = pathlib.Path(__file__).parent.parent / "records"
# The version of PTX ISA of words.tsv.
ISA = "9.4"
# Columns of this many runs stay in the cache.
PIECE = 1 << 15


def digest(text):
    """The digest that `words.tsv` has of a text: of its first line and its code, without the comments between them."""
    constraints, *lines = text.splitlines(keepends=True)
    return of_text(constraints + "".join(line for line in lines if not line.startswith("//")))


def rows():
    """The different texts: form, number of elements, options, target, digest."""
    known = set()
    for line in (RECORDS / "words.tsv").read_text().splitlines():
        if not line.startswith("#"):
            form, elements, options, target, _, _, text = line.split("\t")
            if text not in known:
                known.add(text)
                yield form, int(elements), options, target, text


def random_inputs(random, letters, count):
    """Random bits; half of the f32 have exponents near those of small formats. Each piece begins with edges."""
    edges = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 0x7F7F7F7F, 0xFFFFFFFF], np.uint64)
    columns = []
    for letter in letters:
        column = random.integers(0, 1 << 32, count, dtype=np.uint64)
        if letter == "f":
            near = column & np.uint64(0x807FFFFF) | random.integers(105, 150, count, dtype=np.uint64) << np.uint64(23)
            column = np.where(random.integers(0, 2, count) == 0, near, column)
        column[: len(edges)] = random.permutation(edges)
        columns.append(column & np.uint64(0xFFFF) if letter == "h" else column)
    return columns


def defined(form, elements, inputs):
    """What the form returns for each pair, by the definition of the formats."""
    *modifiers, to, source = form.removeprefix("cvt.").split(".")
    [to, source] = [name.removesuffix("x2") for name in (to, source)]
    width = lambda name: {"e2m1": 4, "f32": 32, "f16": 16, "bf16": 16}.get(name, 8)
    mode = next(m for m in modifiers if m in ROUNDINGS)
    results = []
    for code in formats.elements(inputs, width(source), elements):
        value = formats.decode(source, code)
        if "relu" in modifiers:
            value = np.where(np.isnan(value) | (value > 0), value, 0.0)
        results.append(formats.encode(to, value, mode, "satfinite" in modifiers))
    return formats.joined(results, width(to))


def interpreted(ptxcvt, text, inputs, outputs, folder):
    """The results of `ptxcvt run`."""
    letters = text.splitlines()[0].removeprefix("// ").split(",")
    (folder / "block.ptx").write_text(text)
    # A factor of f16 is an operand of that type; other operands of 16 bits have no number format.
    half = np.float16 if "the f16 factor" in text else np.uint16
    types = {"f": np.float32, "r": np.uint32, "h": half}
    names = [folder / f"in{n}.npy" for n in range(len(inputs))]
    for name, letter, column in zip(names, letters[outputs:], inputs):
        np.save(name, column.astype(np.uint16 if letter == "h" else np.uint32).view(types[letter]))
    results = [folder / f"out{n}" for n in range(outputs)]
    command = [ptxcvt, "run", folder / "block.ptx", *names]
    for name in results:
        command += ["-o", name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    columns = zip(results, letters)
    return [np.fromfile(name, np.uint16 if letter == "=h" else np.uint32).astype(np.uint64) for name, letter in columns]


def tried(ptxcvt, text, form, elements, options, runs, folder, seed=1):
    """How many results differ between the interpreters, and from the definition."""
    block, random = Block(text), np.random.default_rng(seed)
    different = [0, 0]
    pieces = [random_inputs(random, block.letters[block.outputs :], min(PIECE, runs - at)) for at in range(0, runs, PIECE)]
    whole = [np.concatenate(columns) for columns in zip(*pieces)]
    first = interpreted(ptxcvt, text, whole, block.outputs, folder)
    at = 0
    for inputs in pieces:
        count = len(inputs[0])
        second = block.run(inputs)
        differ = np.zeros(count, bool)
        for a, b in zip(first, second):
            differ |= a[at : at + count] != b
        different[0] += int(differ.sum())
        if options == "every":
            wanted = defined(form, elements, inputs)
            different[1] += int(np.logical_or.reduce([a != b for a, b in zip(second, wanted)]).sum())
        at += count
    return different


def main():
    """Runs every word of `words.tsv` and rewrites the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ptxcvt")
    parser.add_argument("--runs", type=int, default=1 << 16, help="random words for each text")
    parser.add_argument("--only", help="only this form, without rewriting the record")
    arguments = parser.parse_args()
    lines, wrong = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for form, elements, options, target, known in rows():
            if arguments.only not in (None, form):
                continue
            command = [arguments.ptxcvt, "lower", form, "--elements", str(elements), "--target", target, "--isa", ISA]
            command += [] if options == "every" else options.split()
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            if digest(text) != known:
                sys.exit(f"{form} {options} on {target} is another text than in words.tsv")
            result = tried(arguments.ptxcvt, text, form, elements, options, arguments.runs, pathlib.Path(folder))
            defined_too = options == "every"
            print(form, elements, options, target, *result, flush=True)
            wrong += sum(result)
            verdict = "equal" if sum(result) == 0 else "different"
            against = "ptxcvt run, definition" if defined_too else "ptxcvt run"
            lines.append("\t".join([form, str(elements), options, target, str(arguments.runs), against, verdict, known]))
    if arguments.only is None:
        head = [
            "# A second interpreter, conformance/second/interpreter.py, on random words",
            "# form, elements, options, first target with the text, random words, compared with, verdict, digest of the text",
        ]
        (RECORDS / "second.tsv").write_text("\n".join(head + lines) + "\n")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
