"""What the tests share: the repository's root, and hypothesis without time limits, because machines can be busy."""

import os
import pathlib

import hypothesis
import pytest

hypothesis.settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("ci")


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return pathlib.Path(os.environ.get("PTXCVT_ROOT", pathlib.Path(__file__).parents[3]))
