"""Compares the table and the recipes with the newest releases of others, and prints what changed since the record.

    python3 conformance/drift.py FOLDER [--llvm SOURCE] [--only PART,PART] [--bless] [--programs FOLDER] [--record FILE]

FOLDER is outside the project; the newest tools and libraries are installed there (6 GB). Parts:

    cuda          ptxas: every spelling on every target that it lists; host emulation in the headers, if there is g++
    llvm          `ptxcvt audit llvm SOURCE`, a source tree of LLVM; skipped without --llvm
    recipes       torchao, ModelOpt, compressed-tensors, gguf, JAX: bytes of 2 Mi elements of each recipe
    transformers  checkpoints of each --for, loaded by transformers, compressed-tensors and ModelOpt

conformance/records/drift.tsv has the last verdict on each subject and the versions that gave it. A verdict that differs from
it is drift; a version alone is not, and is printed as a note. --bless writes the new verdicts. --programs names the folder of
ptxcvt and ptxcvt-conformance, which are otherwise built. --record names another record.

Exit status: 0 no drift, 1 drift, 2 a part could not run, or the command line is wrong. Both are printed; 2 wins.
crates/ptxcvt-cli/tests/drift.rs tests this script with recorded verdicts in place of the newest tools.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORD = ROOT / "conformance/records/drift.tsv"
HEADER = """\
# Verdicts on the newest releases of others: part, subject, version and verdict. Made by `python3 conformance/drift.py --bless`.
# Recipes: bytes in which ptxcvt differs, and the first 16 digits of SHA-256 of the library's bytes.
"""
#: transformers needs it to load a checkpoint; the other libraries are those of compare.py.
ALSO = ["transformers", "accelerate"]


class Skipped(Exception):
    """A part cannot run here, and was not asked to."""


class Failed(Exception):
    """A part could not run."""


def run(*command, statuses=(0,)):
    """Returns the standard output of a command; its errors are shown."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    if done.returncode not in statuses:
        raise Failed(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def rows_of(text):
    """Reads lines of part, subject, version and verdict, and returns the last two by the first two."""
    rows = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) != 4 or not all(fields):
            raise Failed(f"a row should be part, subject, version and verdict: {line!r}")
        part, subject, version, verdict = fields
        if (part, subject) in rows:
            raise Failed(f"{part} {subject} has two verdicts")
        rows[part, subject] = (version, verdict)
    return rows


def of_part(part, text):
    """Reads lines of subject, version and verdict."""
    return rows_of("".join(f"{part}\t{line}\n" for line in text.splitlines()))


def programs(options):
    """Returns the paths of the two programs."""
    if options.programs:
        return options.programs / "ptxcvt", options.programs / "ptxcvt-conformance"
    run("cargo", "build", "--release", "-p", "ptxcvt-cli", "-p", "ptxcvt-conformance")
    return ROOT / "target/release/ptxcvt", ROOT / "target/release/ptxcvt-conformance"


def cuda(options, _, conformance):
    for tool in ("unzip", "g++"):
        if not shutil.which(tool):
            raise Failed(f"{tool} is not installed")
    with tempfile.NamedTemporaryFile(suffix=".tsv") as rows:
        # Its output lists differing results; the rows have their number.
        sys.stderr.write(run(conformance, "drift", options.folder / "cuda", rows.name))
        return rows_of(pathlib.Path(rows.name).read_text())


def llvm(options, ptxcvt, _):
    if options.llvm is None:
        raise Skipped("no --llvm SOURCE was given")
    report = json.loads(run(ptxcvt, "audit", "llvm", options.llvm, "--json", statuses=(0, 1)))
    # Line numbers change with every change of LLVM; the selected forms and machines do not.
    kinds = {}
    for finding in report["findings"]:
        what = [finding["opcodes"], finding["machines"], finding["certain"]]
        kinds.setdefault(finding["kind"], []).append(json.dumps(what, sort_keys=True))
    version = llvm_version(options.llvm)
    rows = {}
    for kind, found in sorted(kinds.items()):
        digest = hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()[:16]
        rows["llvm", kind] = (version, f"{len(found)} findings; {digest}")
    # Text that is no longer read has no findings.
    name = lambda unread: os.path.relpath(unread["file"], options.llvm)
    reasons = sorted({f"{name(unread)}: {unread['reason']}" for unread in report["unread"]})
    rows["llvm", "not read"] = (version, "; ".join(reasons) or "nothing")
    return rows


def llvm_version(source):
    """Returns the version that LLVM's build files state."""
    for name in ("cmake/Modules/LLVMVersion.cmake", "llvm/CMakeLists.txt", "CMakeLists.txt"):
        path = source / name
        found = re.findall(r"LLVM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", path.read_text()) if path.exists() else []
        if len(found) >= 3:
            return "LLVM " + ".".join(found[:3])
    return "LLVM of unknown version"


def python(options):
    """Returns the interpreter of an environment with the newest libraries."""
    sys.path.insert(0, str(ROOT / "conformance/blocks"))
    from compare import LIBRARIES

    program = options.folder / "venv/bin/python"
    if not program.exists():
        run(sys.executable, "-m", "venv", program.parents[1])
    names = [library.partition("==")[0] for library in LIBRARIES]
    run(program, "-m", "pip", "install", "--quiet", "--upgrade", *names, *ALSO)
    return program


def recipes(options, ptxcvt, _):
    script = ROOT / "conformance/blocks/compare.py"
    return of_part("recipes", run(python(options), script, ptxcvt, options.folder / "venv", "--drift"))


def transformers(options, ptxcvt, _):
    script = ROOT / "conformance/blocks/loaders.py"
    return of_part("transformers", run(python(options), script, ptxcvt, "--drift"))


PARTS = {"cuda": cuda, "llvm": llvm, "recipes": recipes, "transformers": transformers}
#: The names of a part's items in the record.
RECORDED = {"cuda": ("ptxas", "headers")}


def recorded(path):
    """The verdicts of a record; none if it does not exist yet."""
    lines = path.read_text().splitlines(True) if path.exists() else []
    return rows_of("".join(line for line in lines if not line.startswith("#")))


def changes(part, old, new):
    """Prints what differs between two sets of verdicts, and returns True if a verdict does."""
    drift = False
    for subject in sorted({*old, *new}):
        name = " ".join(subject)
        (before, was), (now, now_is) = old.get(subject, ("", None)), new.get(subject, ("", None))
        if was == now_is:
            continue
        drift = True
        if was is None:
            print(f"DRIFT {name} ({now}): new: {now_is}")
        elif now_is is None:
            print(f"DRIFT {name}: gone; {before}: {was}")
        else:
            print(f"DRIFT {name}: {before}: {was}\n      {now}: {now_is}")
    versions = lambda rows: sorted({version for version, _ in rows.values()})
    if versions(old) != versions(new):
        print(f"note: {part}: other versions: {', '.join(versions(old)) or 'none'} -> {', '.join(versions(new))}")
    if not drift:
        print(f"{part}: {len(new)} verdicts as recorded, with {', '.join(versions(new))}")
    return drift


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--llvm", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    options = parser.parse_args()
    if unknown := set(options.only) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        old = recorded(options.record)
        ptxcvt, conformance = programs(options)
    except (Failed, OSError, ValueError) as failed:
        print(f"could not run: {failed}")
        return 2
    drift, failed = False, False
    made = {}
    for part, verdicts in PARTS.items():
        if part not in options.only:
            print(f"skipped {part}: --only leaves it out")
            continue
        try:
            after = verdicts(options, ptxcvt, conformance)
        except Skipped as why:
            print(f"skipped {part}: {why}")
            continue
        # A failed part is not drift; an unhandled exception would exit with drift's status.
        except Exception as why:
            print(f"could not run {part}: {why if isinstance(why, Failed) else repr(why)}")
            failed = True
            continue
        names = RECORDED.get(part, (part,))
        before = {key: value for key, value in old.items() if key[0] in names}
        drift |= changes(part, before, after)
        made |= {name: {key: row for key, row in after.items() if key[0] == name} for name in names}
    if options.bless:
        kept = {key: value for key, value in old.items() if key[0] not in made}
        kept |= {key: value for rows in made.values() for key, value in rows.items()}
        lines = ["\t".join([*key, *value]) + "\n" for key, value in sorted(kept.items())]
        options.record.write_text(HEADER + "".join(lines))
    return 2 if failed else int(drift)


if __name__ == "__main__":
    sys.exit(main())
