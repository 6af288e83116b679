"""Type checkers infer the kinds of results, and find wrong arguments."""

import os
import pathlib
import subprocess
import sys

import pytest

import ptxcvt

HERE = pathlib.Path(__file__).parent
#: Lines that a checker must refuse.
WRONG = """\
import numpy as np, ptxcvt
ptxcvt.convert("f32->e4m3", np.zeros(4), threds=2)
ptxcvt.quantize(np.zeros(4), 3)
ptxcvt.prove("a", "b", domain="no-such")
ptxcvt.check("", language="cobol")
ptxcvt.lower("cvt.rn.f16.f32")
"""


def checked(tool, file):
    """The output of a checker on a file, and the lines with errors."""
    command = {"mypy": ["-m", "mypy", "--no-error-summary", "--strict"], "pyright": ["-m", "pyright", "--pythonpath", sys.executable]}[tool]
    pytest.importorskip(tool)
    package = pathlib.Path(ptxcvt.__file__).parents[1]
    stubs = file.parent / "typings"
    # mypy finds installed packages itself, and refuses their folder as a path.
    installed = package.name in ("site-packages", "dist-packages")
    paths = {"MYPYPATH": str(stubs)} if installed else {"MYPYPATH": f"{stubs}{os.pathsep}{package}", "PYTHONPATH": str(package)}
    environment = {**os.environ, **paths}
    run = subprocess.run(
        [sys.executable, *command, str(file)], capture_output=True, text=True, env=environment, cwd=file.parent
    )
    if run.returncode not in (0, 1):
        pytest.skip(f"{tool} does not run here: {run.stderr.strip()[-200:]}")
    lines = [line for line in run.stdout.splitlines() if "error" in line and file.name in line]
    return run.stdout + run.stderr, {int(line.split(f"{file.name}:")[1].split(":")[0]) for line in lines}


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_what_checkers_infer(tool, tmp_path):
    file = tmp_path / "types_of_results.py"
    file.write_text((HERE / "inferred.txt").read_text())
    output, lines = checked(tool, file)
    assert not lines and (not output.strip() or "0 errors" in output), output


#: The classes of arrays of other libraries, which need not be installed.
STUBS = {"torch": "Tensor", "jax": "Array"}
STUB = """\
from typing import Any
import numpy
class {name}:
    def __array__(self) -> numpy.ndarray[Any, Any]: ...
class dtype: ...
float32: dtype
"""


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_what_checkers_infer_for_other_libraries(tool, tmp_path):
    for module, name in STUBS.items():
        folder = tmp_path / "typings" / module
        folder.mkdir(parents=True)
        (folder / "__init__.pyi").write_text(STUB.format(name=name))
    file = tmp_path / "types_of_libraries.py"
    file.write_text((HERE / "inferred_libraries.txt").read_text())
    output, lines = checked(tool, file)
    assert not lines and (not output.strip() or "0 errors" in output), output


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_what_checkers_refuse(tool, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    output, lines = checked(tool, file)
    assert lines >= {2, 3, 4, 5, 6}, output
