"""Runs the hooks and the steps of the action in a new repository.

python hooks.py ROOT PTXCVT: the repository that defines them, and the command. Needs pre-commit, which installs PyYAML.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

root, command = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
WRONG = 'void f() { asm("cvt.rn.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b)); }\n'
RIGHT = WRONG.replace("rn.e4m3x2", "rn.satfinite.e4m3x2")


def run(*arguments, expected=0, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    output = done.stdout + done.stderr
    assert done.returncode == expected, f"{arguments}: {done.returncode}, not {expected}\n{output}"
    return output


def hooks(folder, environment):
    """Runs both hooks on files with and without an error. The output names the place, and the fix is made."""
    run("git", "init", "-q", cwd=folder)
    (folder / "a b.cu").write_text(WRONG)
    (folder / "right.cu").write_text(RIGHT)
    (folder / "notes.txt").write_text(WRONG)
    run("git", "add", ".", cwd=folder)
    config = {"repos": [{"repo": "local", "hooks": yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    pre_commit = [sys.executable, "-m", "pre_commit"]
    run(*pre_commit, "validate-manifest", str(root / ".pre-commit-hooks.yaml"))

    def hook(name, expected):
        return run(*pre_commit, "run", name, "--all-files", cwd=folder, env=environment, expected=expected)

    output = hook("ptxcvt-check", 1)
    assert "a b.cu:1:17: error[CVT008]" in output and "right.cu" not in output, output
    assert "notes.txt" not in output, output
    hook("ptxcvt-fix", 1)
    assert (folder / "a b.cu").read_text() == RIGHT
    hook("ptxcvt-fix", 0)
    hook("ptxcvt-check", 0)


def install(folder, environment):
    """Runs the first step with stand-ins for `gh` and `cargo`: a release is used if its digest is right."""
    step = yaml.safe_load((root / "action.yml").read_text())["runs"]["steps"][0]["run"]
    tools = folder / "tools"
    tools.mkdir()
    (tools / "gh").write_text("""#!/bin/bash
        while [ "$1" != --dir ]; do [ "$1" = --pattern ] && names+=("$2"); shift; done
        [ -n "$RELEASE" ] || exit 1
        cd "$2" && mkdir -p unpacked/bin && echo "$RELEASE" > unpacked/bin/ptxcvt
        tar -cf "${names[0]}" unpacked && rm -r unpacked && sha256sum "${names[0]}" > SHA256SUMS
        [ "$RELEASE" != broken ] || echo more >> "${names[0]}"
    """)
    # The commits of two tags, one of which has a message.
    (tools / "git").write_text("""#!/bin/bash
        [ "$1 $2" = "ls-remote --tags" ] || exit 1
        printf '%s\\trefs/tags/%s\\n' "$(printf 'a%.0s' {1..40})" v0.1.0 "$(printf 'b%.0s' {1..40})" v0.2.0 "$(printf 'c%.0s' {1..40})" 'v0.2.0^{}'
    """)
    (tools / "cargo").write_text("#!/bin/bash\nmkdir -p \"$RUNNER_TEMP/ptxcvt/bin\" && echo built > \"$RUNNER_TEMP/ptxcvt/bin/ptxcvt\"\n")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    cases = [("v0.1.0", "one", "one"), ("v0.1.0", "broken", "built"), ("v0.1.0", "", "built"), ("main", "one", "built")]
    # The commit of a tag, that of a tag with a message, and others.
    cases += [("a" * 40, "one", "one"), ("c" * 40, "two", "two"), ("a" * 40, "broken", "built"), ("d" * 40, "one", "built")]
    for number, (ref, release, expected) in enumerate(cases):
        runner = folder / f"runner{number}"
        names = {"REF": ref, "RELEASE": release, "RUNNER_TEMP": str(runner), "REPOSITORY": "a/b", "GITHUB_ACTION_PATH": str(root)}
        path = {"PATH": f"{tools}:{environment.get('PATH', os.environ['PATH'])}"}
        run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step, cwd=folder, env=environment | names | path)
        assert (runner / "ptxcvt/bin/ptxcvt").read_text().strip() == expected, (ref, release)


def action(folder, environment):
    """Runs the last step as a runner does, with the command where the first step would have installed it."""
    steps = yaml.safe_load((root / "action.yml").read_text())["runs"]["steps"]
    assert all(step["shell"] == "bash" for step in steps)
    for step in steps:
        run("bash", "-n", "-c", step["run"])
    temporary = folder / "runner"
    (temporary / "ptxcvt/bin").mkdir(parents=True)
    (temporary / "ptxcvt/bin/ptxcvt").symlink_to(command)

    def check(paths, arguments, expected):
        names = {"PATHS": paths, "ARGUMENTS": arguments, "RUNNER_TEMP": str(temporary)}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[-1]["run"]]
        return run(*shell, cwd=folder, env=environment | names, expected=expected)

    summary(folder, environment, temporary, steps[1]["run"])
    (folder / "wrong.cu").write_text(WRONG)
    output = check("wrong.cu right.cu", "", 1)
    assert output.startswith("::error file=wrong.cu,line=1,"), output
    check("right.cu", "--target sm_90a", 0)
    check("wrong.cu", "--ignore CVT008", 0)
    check("missing.cu", "", 2)
    check(".", "--target sm_9000", 2)
    # A failure of the program is no finding.
    (temporary / "ptxcvt/bin/ptxcvt").unlink()
    (temporary / "ptxcvt/bin/ptxcvt").write_text("#!/bin/bash\nexit 101\n")
    (temporary / "ptxcvt/bin/ptxcvt").chmod(0o755)
    assert "failed with status 101" in check("right.cu", "", 101)


def summary(folder, environment, temporary, step):
    """Runs the step for pull requests on a commit that changes a conversion, adds a file and keeps a third."""
    (folder / "kernels").mkdir()
    for name, text in [("a.cu", RIGHT), ("same.cu", RIGHT)]:
        (folder / "kernels" / name).write_text(text)
    user = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    run("git", "add", "kernels", cwd=folder)
    run("git", *user, "commit", "-q", "--no-verify", "-m", "before", cwd=folder)
    base = run("git", "rev-parse", "HEAD", cwd=folder).strip()
    run("git", "remote", "add", "origin", str(folder), cwd=folder)
    other = RIGHT.replace("e4m3x2", "e2m1x2").replace('"=h"(d)', '"=r"(d)')
    (folder / "kernels" / "a.cu").write_text(other)
    (folder / "kernels" / "new.cu").write_text(RIGHT)
    (folder / "new").mkdir()
    (folder / "new" / "b.cu").write_text(RIGHT)
    # Arguments of the check are accepted by the comparison.
    arguments = "--ignore CVT008 --wrapper emit --target sm_100a"
    names = {"ARGUMENTS": arguments, "PATHS": "kernels new missing", "BASE": base, "RUNNER_TEMP": str(temporary), "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step, cwd=folder, env=environment | names)
    kernels, new = (folder / "summary.md").read_text().split("### Conversions in ")[1:]
    assert kernels.startswith("`kernels`") and new.startswith("`new`"), (kernels, new)
    assert "| lowest target | sm_89 at ISA 8.1 | sm_100f at ISA 8.8 |" in kernels, kernels
    rows = [line for line in kernels.splitlines() if ".cu |" in line]
    assert rows == [
        "| a.cu | `cvt.rn.satfinite.e4m3x2.f32` | \u22121 |",
        "| a.cu | `cvt.rn.satfinite.e2m1x2.f32` | +1 |",
        "| new.cu | `cvt.rn.satfinite.e4m3x2.f32` | +1 |",
    ], rows
    assert "| lowest target | none | sm_89 at ISA 8.1 |" in new, new
    assert len(run("git", "worktree", "list", cwd=folder).splitlines()) == 1


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    environment = dict(os.environ, PATH=f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    # A repository around this one must be ignored.
    environment = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    environment["PRE_COMMIT_HOME"] = str(folder / "pre-commit")
    (folder / "work").mkdir()
    hooks(folder / "work", environment)
    action(folder / "work", environment)
    (folder / "install").mkdir()
    install(folder / "install", environment)
print("the hooks and the action's steps: findings, fixes and exit statuses")
