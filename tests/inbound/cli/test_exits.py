"""Exit codes: the table, the page, and a real command for each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from quire import errors
from quire.errors import QuireError
from quire.inbound.cli.exits import EXITS, MEANINGS, exit_code, worst
from tests.inbound.cli.conftest import Quire

PAGE = (Path(__file__).parents[3] / "docs/reference/cli.md").read_text()
ROWS = re.findall(r"^\| (\d+) \| (.*?) \|(.*)\|$", PAGE, re.MULTILINE)
ALL = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, QuireError)]


def test_the_page_has_the_codes_and_what_they_mean() -> None:
    assert {int(code): meaning for code, meaning, _ in ROWS} == MEANINGS


@pytest.mark.parametrize("error", ALL)
def test_the_page_says_the_code_of_every_error(error: type[QuireError]) -> None:
    on_page = {name: int(code) for code, _, names in ROWS for name in re.findall(r"`(\w+)`", names)}
    assert exit_code(error("x")) == on_page.get(error.__name__, 1)
    assert exit_code(error("x")) in MEANINGS


def test_every_row_is_needed() -> None:
    for error, code in EXITS.items():
        above = [EXITS[parent] for parent in error.__mro__[1:] if parent in EXITS]
        assert above[:1] != [code], error


def test_of_several_the_worst_counts() -> None:
    assert (worst([]), worst([0, 3, 0]), worst([5, 3])) == (0, 3, 5)


def test_one_id_that_fails_keeps_none_of_the_others(quire: Quire) -> None:
    for slug in ("a", "b"):
        quire("save", slug, "--slug", slug)
    answer = quire("forget", "preference/a", "preference/none", "preference/b", "preference/a")
    assert (answer.code, answer.out) == (3, "preference/a\npreference/b\n")
    answer = quire("purge", "preference/none", "preference/a", "--json")
    assert answer.code == 5
    assert answer.err.count('{"error":') == 2


def test_a_root_that_may_not_be_written_is_exit_6() -> None:
    with tempfile.TemporaryDirectory() as base:
        root = Path(base) / "read-only"
        root.mkdir(mode=0o555)
        Path(base).chmod(0o755)
        # Root may write anywhere, so there the question is asked as nobody.
        program = (
            "import os, sys\nfrom quire.inbound.cli import main\nroot, other = sys.argv[1:]\n"
            "assert main(['save', 'x', '--root', other]) == 0\n"  # all is imported, which nobody might not be let to
            "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
            "os.environ['XDG_CONFIG_HOME'] = '/nowhere'\n"
            "sys.exit(main(['save', 'x', '--root', root]))"
        )
        words = [sys.executable, "-c", program, str(root), f"{base}/other"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (6, "preference/x\n"), done.stderr
        assert str(root) in done.stderr
        assert os.listdir(root) == []
