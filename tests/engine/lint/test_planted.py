"""Every fault of the table is found at its line, and where nothing is planted nothing is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import quire
import quire.engine
import quire.markdown
from quire import AccessDenied, Locator, Memory
from quire.backends.local import DeviceLocalBackend
from quire.backends.vault import VaultBackend
from quire.engine.lint import CHECKS, Severity
from tests.engine.lint.planted import REFUSED, plant


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Memory, list[tuple[str, int, str]]]]:
    expected = plant(tmp_path)
    monkeypatch.setattr(VaultBackend, "read_bytes", refusing)
    with quire.open(tmp_path, protocol="vault", timezone="UTC") as memory:
        yield memory, expected


def refusing(storage: VaultBackend, locator: Locator) -> bytes:
    """Tests may run as a user whom no mode of a file keeps out."""
    if locator.key == REFUSED:
        raise AccessDenied("this file may not be read", where=locator.key, remedy="Check its owner and mode")
    return DeviceLocalBackend.read_bytes(storage, locator)


def test_each_planted_fault_is_found_where_it_is_and_nothing_else(
    vault: tuple[Memory, list[tuple[str, int, str]]],
) -> None:
    memory, expected = vault
    found, repairs = memory.lint(everywhere=True)
    assert [(each.locator.key, each.line, each.code) for each in found] == expected
    assert repairs == []


def test_every_row_of_the_table_is_planted(vault: tuple[Memory, list[tuple[str, int, str]]]) -> None:
    assert {code for _, _, code in vault[1]} == set(CHECKS)


def stamps(root: Path) -> dict[Path, tuple[int, int, int]]:
    return {path: (seen.st_ino, seen.st_size, seen.st_ctime_ns) for path in root.rglob("*") if (seen := path.lstat())}


def test_looking_writes_nothing(tmp_path: Path, vault: tuple[Memory, list[tuple[str, int, str]]]) -> None:
    memory, _ = vault
    before = stamps(tmp_path)
    memory.lint(everywhere=True)
    assert stamps(tmp_path) == before


def test_what_is_fixable_is_a_row_that_says_so(vault: tuple[Memory, list[tuple[str, int, str]]]) -> None:
    found, _ = vault[0].lint(everywhere=True)
    assert {each.code for each in found if each.fixable} <= {code for code, row in CHECKS.items() if row.repairable}


def test_a_finding_says_where_what_and_what_to_do(vault: tuple[Memory, list[tuple[str, int, str]]]) -> None:
    for found in vault[0].lint(everywhere=True)[0]:
        assert found.what
        assert found.remedy
        assert f"{found.locator}:{found.line}: {found.severity.value}: {found.what}" in str(found)
        assert not found.what.endswith(".")
        assert "\n" not in str(found)


def test_every_code_that_parsing_can_report_is_in_the_table() -> None:
    """Read off the sources: a code is a word in capitals that is handed to a Problem, a Fault or a stop."""
    folders = [Path(package.__path__[0]) for package in (quire.markdown,)]
    sources = [path for folder in folders for path in folder.glob("*.py")]
    sources.append(Path(quire.engine.__path__[0]) / "entry.py")
    said = {code for path in sources for code in re.findall(r'"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"', path.read_text())}
    assert said - {"ID_FIELDS"} <= set(CHECKS)


def test_the_table_is_sentences() -> None:
    for code, row in CHECKS.items():
        assert row.code == code
        assert row.meaning.endswith(".")
        assert row.severity in Severity
