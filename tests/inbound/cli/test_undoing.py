"""`quire undo`: what lies in the folder of a project is found from where one stands, as it was when it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inbound.cli.conftest import Quire


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "code"
    (folder / ".git").mkdir(parents=True)
    (folder / "src").mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_plan_is_undone_wherever_in_its_project_one_stands(
    quire: Quire, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quire("plan", "--write", "One.").code == 0
    assert quire("plan", "--write", "Two.").code == 0
    assert quire("digest").code == 0
    monkeypatch.chdir(project / "src")
    assert quire("undo").code == 0
    assert quire("plan").out == "One.\n"


def test_a_plan_of_another_project_is_not_undone_and_it_says_how_to_name_the_folder(
    quire: Quire, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quire("plan", "--write", "One.")
    for here in (home, home / "other"):
        (home / "other/.git").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(here)
        answer = quire("undo")
        assert answer.code == 5
        assert "the folder of the project in which this was changed" in answer.err
        assert "Give --project-folder" in answer.err
        assert "project:" not in answer.err
    assert str(home / "other") in answer.err
    assert quire("undo", "--project-folder", str(project)).code == 0
    assert quire("plan", "--project-folder", str(project)).code == 3


def test_an_undo_that_needs_no_project_opens_none(quire: Quire, home: Path, project: Path) -> None:
    quire("save", "Text.", "--slug", "x")
    assert quire("undo").code == 0
    assert quire("list").out == ""
    assert not (home / ".local/state").exists()  # where the locks of somebody's folder would be
    quire("plan", "--write", "One.")
    assert (home / ".local/state").exists()
