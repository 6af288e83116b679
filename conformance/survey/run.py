"""Judges the codecs of other projects and writes the table of docs/survey.md: `run.py PTXCVT PROGRAM…`.

PTXCVT is the command; each PROGRAM is a command line that prints its codecs with `--list` and is a codec with a name as
its argument: `python codecs.py`, `node codecs.mjs`, the programs of `codecs.cpp` and `rust/`. The results are kept in
conformance/records/survey.tsv, from which the table is made. `--only TEXT` selects names; `--quick` tries a selection of
f32 instead of all, unless all of them are recorded. Without a PROGRAM only the table is written.
"""

from __future__ import annotations

import json
import pathlib
import shlex
import subprocess
import sys

RECORD = pathlib.Path(__file__).parents[1] / "records" / "survey.tsv"
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "survey.md"
HEAD = "codec\tversion\tconversion\tinputs\tequal or nearest\tdifferences"


def judge(command: str, program: str, name: str, conversion: str, options: list[str]) -> dict:
    judged = subprocess.run(
        [command, "conform", "--json", "--timeout", "300", "--conversion", conversion]
        + ["--program", f"{program} {shlex.quote(name)}", *options],
        capture_output=True,
        text=True,
    )
    if judged.returncode == 2:
        raise RuntimeError(f"{name}: {judged.stderr}")
    return json.loads(judged.stdout)


def recorded(name: str, conversion: str, version: str) -> int:
    """The number of inputs in the record of this version of a codec; 0 without a record."""
    lines = RECORD.read_text().splitlines()[1:] if RECORD.exists() else []
    rows = (line.split("\t") for line in lines)
    return next((int(row[3]) for row in rows if row[:3] == [name, version, conversion]), 0)


def write_table() -> None:
    """Writes the record as tables of docs/survey.md, one for each destination."""
    rows = [line.split("\t") for line in RECORD.read_text().splitlines()[1:]]
    lines = []
    for destination in sorted({row[2].split("->")[1] for row in rows}):
        lines += [f"## To {destination}", "", "| codec | version | inputs | it is | deviations |", "|---|---|---|---|---|"]
        for name, version, conversion, inputs, policy, differences in rows:
            source, to = conversion.split("->")
            if to != destination:
                continue
            policy = policy.replace(f"{conversion}, ", "")
            bits = int(source.strip("abcdefghijklmnopqrstuvwxyz"))
            tried = f"every {source}" if int(inputs) == 1 << bits else f"{int(inputs):,} {source}"
            exact = differences == "none"
            it_is = policy if exact else f"nearest to {policy}"
            lines.append(f"| {name} | {version} | {tried} | {it_is} | {'' if exact else differences} |")
        lines.append("")
    page = PAGE.read_text()
    begin, end = "<!-- survey: begin -->\n", "<!-- survey: end -->"
    before, rest = page.split(begin)
    PAGE.write_text(before + begin + "\n" + "\n".join(lines) + end + rest.split(end)[1])


def main() -> None:
    only, options = "", []
    arguments = sys.argv[1:]
    while arguments[0].startswith("--"):
        if arguments[0] == "--only":
            only, arguments = arguments[1], arguments[2:]
        else:
            options, arguments = [arguments[0]], arguments[1:]
    command, programs = arguments[0], arguments[1:]
    for program in programs:
        listed = subprocess.run(shlex.split(program) + ["--list"], capture_output=True, text=True, check=True).stdout
        for name, conversion, version in (line.split("\t") for line in listed.splitlines()):
            if only not in name or options and recorded(name, conversion, version) == 1 << 32:
                continue
            try:
                found = judge(command, program, name, conversion, options)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                continue
            policy = ", ".join(f"`{opcode}`" for opcode in found["equal"] or [found["nearest"]])
            differences = "; ".join(
                f"{kind}: {difference['count']} ({difference['mistake']})"
                for kind, difference in found["differences"].items()
            )
            # Another run may have added to it.
            lines = RECORD.read_text().splitlines()[1:] if RECORD.exists() else []
            known = {line.split("\t")[0]: line for line in lines}
            known[name] = "\t".join([name, version, conversion, str(found["inputs"]), policy, differences or "none"])
            RECORD.write_text("\n".join([HEAD, *(known[name] for name in sorted(known))]) + "\n")
            print(known[name], flush=True)
    write_table()


main()
