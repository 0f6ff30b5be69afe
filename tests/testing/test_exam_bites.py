"""An exam that everyone passes examines nothing: each planted bug must fail the test of the promise it breaks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.planted import PLANTED

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def failed() -> set[str]:
    """The tests that failed, as "Class::test", of one run over all planted backends."""
    tests = [f"{HERE / 'planted.py'}::Test{backend.__name__}::{test}" for backend, test in PLANTED.items()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:xdist", "--tb=no", *tests],
        cwd=HERE.parent.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return {line.partition("planted.py::")[2].partition(" - ")[0] for line in lines}


@pytest.mark.parametrize("backend", PLANTED, ids=lambda backend: backend.__name__)
def test_a_planted_bug_is_caught(failed: set[str], backend: type) -> None:
    expected = f"Test{backend.__name__}::{PLANTED[backend]}"
    mine = sorted(name.partition("::")[2] for name in failed if name.startswith(f"Test{backend.__name__}::"))
    assert expected in failed, f"only {mine}"


def test_there_is_one_for_each_promise() -> None:
    assert len(PLANTED) >= 10
