"""An exam that everyone passes examines nothing: each planted bug must fail the test of the promise it breaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.planted import PLANTED

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def reasons() -> dict[str, str]:
    """The tests that failed, as "Class::test", with what pytest says of each, of one run over all planted backends."""
    tests = [f"{HERE / 'planted.py'}::Test{backend.__name__}::{test}" for backend, test in PLANTED.items()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:xdist", "--tb=no", *tests],
        cwd=HERE.parent.parent, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "400"},
    )  # fmt: skip
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return {name: reason for name, _, reason in (line.partition("planted.py::")[2].partition(" - ") for line in lines)}


@pytest.fixture(scope="module")
def failed(reasons: dict[str, str]) -> set[str]:
    return set(reasons)


@pytest.mark.parametrize("backend", PLANTED, ids=lambda backend: backend.__name__)
def test_a_planted_bug_is_caught(failed: set[str], backend: type) -> None:
    expected = f"Test{backend.__name__}::{PLANTED[backend]}"
    mine = sorted(name.partition("::")[2] for name in failed if name.startswith(f"Test{backend.__name__}::"))
    assert expected in failed, f"only {mine}"


def test_there_is_one_for_each_promise() -> None:
    assert len(PLANTED) >= 10


def test_a_failed_question_shows_its_values(reasons: dict[str, str]) -> None:
    assert "assert 'one" in reasons["TestTranslatesNewlines::test_text_comes_back_byte_for_byte[CRLF]"]
