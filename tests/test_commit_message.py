from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "commit-message"
GOOD = [
    "feat: save a memory",
    "fix(vault): name the holder",
    "feat!: drop a verb\n\nWhy it had to go.",
    "Merge branch 'x'",
]
BAD = {
    "Add a thing": "the subject is",
    "feature: a thing": "the subject is",
    "feat: A thing": "the subject is",
    "feat: a thing.": "the subject is",
    "feat:": "the subject is",
    "": "the subject is",
    "fix: " + "x" * 100: "at most 100",
    "fix: a thing\nand more": "the second line is empty",
}


def check(message: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "message").write_text(message)
    return subprocess.run([SCRIPT, str(folder / "message")], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("message", GOOD)
def test_a_conventional_message_passes(message: str, tmp_path: Path) -> None:
    assert check(message, tmp_path).returncode == 0


@pytest.mark.parametrize("message", BAD)
def test_any_other_is_told_what_is_wrong(message: str, tmp_path: Path) -> None:
    done = check(message, tmp_path)
    assert done.returncode == 1
    assert BAD[message] in done.stderr
