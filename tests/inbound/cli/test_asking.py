"""Which memory is meant: a root that somebody has named is there, or is made by a verb that puts something into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inbound.cli.conftest import Quire


def by_argument(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    return ["--root", str(home / "absent")], "from --root"


def by_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    monkeypatch.setenv("QUIRE_STORAGE_ROOT", str(home / "absent"))
    return [], "from QUIRE_STORAGE_ROOT"


def by_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    config = home / "quire.toml"
    config.write_text(f'[storage.device-local]\nroot = "{home / "absent"}"\n')
    return ["--config", str(config)], f"from {config}, storage.device-local.root"


def by_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    monkeypatch.setenv("QUIRE_STORAGE_ROOT", "~/absent")
    return [], "~/absent, from QUIRE_STORAGE_ROOT"


@pytest.mark.parametrize("named", [by_argument, by_environment, by_file, by_home])
def test_a_root_that_is_misspelled_does_not_seem_empty(
    quire: Quire,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: object,
) -> None:
    words, source = named(home, monkeypatch)  # type: ignore[operator]
    answer = quire(*words, "doctor")
    assert answer.code == 1
    assert "there is no such folder, and this command makes none" in answer.out
    assert not (home / "absent").exists()
    for verb in (["list"], ["forget", "fix/x"], ["undo"]):
        answer = quire(*words, *verb)
        assert (answer.code, answer.out) == (6, "")
        assert "there is no such folder, and this command makes none" in answer.err
        assert source in answer.err
        assert not (home / "absent").exists()
    assert quire(*words, "save", "Text.", "--slug", "x").code == 0
    assert quire(*words, "list").code == 0


def test_a_fresh_install_lists_nothing(quire: Quire) -> None:
    assert quire("list") == (0, "", "")


def test_the_root_of_a_database_is_a_name_and_no_folder(quire: Quire) -> None:
    answer = quire("list", "--storage", "postgres", "--root", "tenant", "--option", "dsn=postgresql://127.0.0.1:1/none")
    assert answer.code == 6
    assert "no such folder" not in answer.err
