"""The tables as one file: its schema holds, and the program in its description gives the right answers."""

import json
import pathlib
import re

import pytest


@pytest.fixture(scope="module")
def folder(root: pathlib.Path) -> pathlib.Path:
    folder = root / "target/data"
    if not (folder / "ptxcvt.json").exists():
        pytest.skip("`cargo xtask data` writes the file")
    return folder


def test_schema(folder: pathlib.Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((folder.parents[1] / "data/ptxcvt.schema.json").read_text())
    data = json.loads((folder / "ptxcvt.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    assert [error.message for error in validator.iter_errors(data)] == []
    data["forms"][0]["since"]["sm_90"] = 9.0
    del data["recipes"][0]["scale"]
    assert len(list(validator.iter_errors(data))) == 2


def test_description(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [program] = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    monkeypatch.chdir(folder)
    exec(compile(program, "README.md", "exec"), {})
