"""What importing the package does, and what it needs."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest

BINDING = pathlib.Path(__file__).parent.parent


@pytest.mark.parametrize("tier", ["foo", "neon" if os.uname().machine == "x86_64" else "avx2", ""])
def test_a_wrong_tier_fails_the_import_with_a_message(tier):
    env = os.environ | {"PTXCVT_TIER": tier}
    run = subprocess.run([sys.executable, "-c", "import ptxcvt"], env=env, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert "Error: [" in run.stderr and "PTXCVT_TIER" in run.stderr
    assert "panicked" not in run.stderr


def imports(module):
    """Returns the modules of the package that a module needs, itself included."""
    tree = ast.parse((BINDING / "python/ptxcvt" / f"{module}.py").read_text()) if module != "_native" else ast.Module([], [])
    found = {module}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ptxcvt."):
            found |= imports(node.module.removeprefix("ptxcvt."))
    return found


def test_what_the_rust_part_imports_does_not_import_it():
    texts = [path.read_text() for path in (BINDING / "src").glob("**/*.rs")]
    used = {name for text in texts for name in re.findall(r'ptxcvt\.(_\w+)[",]', text) if name != "_native"}
    assert {"_error", "_warn"} <= used
    for module in used:
        assert "_native" not in imports(module), module
