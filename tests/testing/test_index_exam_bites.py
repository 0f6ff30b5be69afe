"""The exam of the index finds each planted bug by the test of the promise that it breaks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.planted_index import PLANTED

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def failed() -> set[str]:
    """The tests that failed, as "Class::test", of one run over all planted indexes."""
    tests = [f"{HERE / 'planted_index.py'}::Test{index.__name__}::{test}" for index, test in PLANTED.items()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:xdist", "--tb=no", *tests],
        cwd=HERE.parent.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return {line.partition("planted_index.py::")[2].partition(" - ")[0] for line in lines}


@pytest.mark.parametrize("index", PLANTED, ids=lambda index: index.__name__)
def test_a_planted_bug_is_caught(failed: set[str], index: type) -> None:
    assert f"Test{index.__name__}::{PLANTED[index]}" in failed
