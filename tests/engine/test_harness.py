"""Harness state: plans, progress and features, where the agent and the person both look."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import quire
from quire import EntryNotFound, InvalidEntry, InvalidScope, Memory, NotAllowed, NotText
from tests.engine.conftest import Time


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


@pytest.fixture
def memory(repo: Path, time: Time) -> Iterator[Memory]:
    """A memory that is not synced, with the folder of its project."""
    with quire.open(protocol="ram", project_folder=repo, project="atlas", now=time) as opened:
        yield opened


@pytest.fixture
def synced(repo: Path, tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A synced one, with the folder of its project."""
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "vault").mkdir()
    with quire.open(
        tmp_path / "vault", protocol="vault", project_folder=repo, project="atlas", now=time,
        environment={"HOME": str(tmp_path)},
    ) as opened:  # fmt: skip
        yield opened


# Where


def test_where_nothing_is_synced_it_lies_in_the_projects_folder(memory: Memory, repo: Path) -> None:
    state = memory.harness()
    assert state.where == "project"
    state.write("plan", "First this.\n")
    assert (repo / ".harness" / "PLAN.md").read_text() == "First this.\n"
    assert state.read("plan") == "First this.\n"


def test_in_a_synced_root_it_lies_there(synced: Memory, repo: Path, tmp_path: Path) -> None:
    state = synced.harness()
    assert state.where == "synced"
    state.write("progress", "Begun.\n")
    assert (tmp_path / "vault" / "projects" / "atlas" / "_harness" / "progress.md").read_text() == "Begun.\n"
    assert list(repo.iterdir()) == []


def test_a_marker_in_the_projects_folder_says_no_to_that(synced: Memory, repo: Path, tmp_path: Path) -> None:
    (repo / ".harness").mkdir()
    (repo / ".harness" / ".no-sync").touch()
    state = synced.harness()
    assert state.where == "project"
    state.write("plan", "First this.\n")
    assert (repo / ".harness" / "PLAN.md").exists()
    assert [path for path in (tmp_path / "vault").rglob("*") if path.is_file()] == []
    assert synced.harness("other").where == "synced"  # the marker is this project's


def test_where_neither_is_there_the_refusal_says_what_to_do(time: Time) -> None:
    with (
        quire.open(protocol="ram", now=time) as memory,
        pytest.raises(NotAllowed, match=r"no folder of this project was given\. Open with project_folder="),
    ):
        memory.harness()


def test_the_folder_of_one_project_is_never_taken_for_anothers(memory: Memory) -> None:
    memory.harness().write("plan", "Of atlas.\n")
    with pytest.raises(NotAllowed, match=r"Open with project_folder= and project='other'"):
        memory.harness("other")


def test_what_is_synced_is_kept_apart_by_project(synced: Memory) -> None:
    synced.harness().write("plan", "Of atlas.\n")
    with pytest.raises(EntryNotFound):
        synced.harness("other").read("plan")


def test_a_project_has_a_name(memory: Memory) -> None:
    with pytest.raises(InvalidScope):
        memory.harness("../other")


# Plans


def test_plans_have_names(memory: Memory) -> None:
    state = memory.harness()
    state.write("plan", "Unnamed.\n")
    state.write("plan", "Named.\n", "big-one")
    assert state.plans() == ["big-one", ""]
    assert (state.read("plan"), state.read("plan", "big-one")) == ("Unnamed.\n", "Named.\n")


def test_a_plan_that_is_not_there_is_an_error_and_never_another_plan(memory: Memory) -> None:
    state = memory.harness()
    with pytest.raises(EntryNotFound, match=r"there is no plan\. Name one that is there, or write it first"):
        state.read("plan")
    state.write("plan", "Named.\n", "big-one")
    with pytest.raises(EntryNotFound, match="there is no plan; there is big-one"):
        state.read("plan")
    state.write("plan", "Unnamed.\n")
    for name in ("big", "big-on", "big-one-2"):
        with pytest.raises(EntryNotFound, match=f"there is no plan called '{name}'; there is big-one, the unnamed one"):
            state.read("plan", name)


@pytest.mark.parametrize("name", ["Big", "a b", "../x", "-a", "a/b", "x" * 65, "ü"])
def test_a_name_that_cannot_be_is_refused(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidEntry, match="cannot name a plan"):
        memory.harness().write("plan", "Text.\n", name)


def test_a_plan_that_a_person_has_named_is_read(memory: Memory, repo: Path) -> None:
    (repo / ".harness").mkdir()
    (repo / ".harness" / "PLAN-Big One.md").write_text("By hand.\n")
    assert memory.harness().plans() == ["Big One"]
    assert memory.harness().read("plan", "Big One") == "By hand.\n"


def test_only_plans_have_names_and_there_are_three_things(memory: Memory) -> None:
    with pytest.raises(InvalidEntry, match="only plans have names, not progress"):
        memory.harness().read("progress", "x")
    with pytest.raises(InvalidEntry, match="there is no 'roadmap'; there are plan, progress, features"):
        memory.harness().read("roadmap")
    with pytest.raises(EntryNotFound, match="there is no progress"):
        memory.harness().read("progress")


# Progress


def test_progress_is_added_line_by_line(memory: Memory, repo: Path) -> None:
    state = memory.harness()
    state.append("progress", "One.")
    (repo / ".harness" / "progress.md").write_text("One.\nBy hand, no newline")
    state.append("progress", "Two.\n")
    assert state.read("progress") == "One.\nBy hand, no newline\nTwo.\n"


def test_lines_end_as_they_do_in_the_file(memory: Memory, repo: Path) -> None:
    (repo / ".harness").mkdir()
    (repo / ".harness" / "progress.md").write_bytes(b"One.\r\n")
    memory.harness().append("progress", "Two.")
    assert (repo / ".harness" / "progress.md").read_bytes() == b"One.\r\nTwo.\r\n"


def test_the_lines_of_several_writers_are_all_there(memory: Memory) -> None:
    state = memory.harness()

    def add(writer: int) -> None:
        for number in range(10):
            state.append("progress", f"{writer} {number}")

    writers = [threading.Thread(target=add, args=(writer,)) for writer in range(4)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    lines = state.read("progress").splitlines()
    assert sorted(lines) == sorted(f"{writer} {number}" for writer in range(4) for number in range(10))
    for writer in range(4):
        assert [line for line in lines if line.startswith(f"{writer} ")] == [f"{writer} {n}" for n in range(10)]


@pytest.mark.parametrize("line", ["", "  \n", None])
def test_nothing_is_nothing_to_add(memory: Memory, line: str) -> None:
    with pytest.raises(InvalidEntry, match="the line is empty"):
        memory.harness().append("progress", line)


def test_what_is_no_text_is_not_added_to_and_can_be_replaced(memory: Memory, repo: Path) -> None:
    (repo / ".harness").mkdir()
    (repo / ".harness" / "progress.md").write_bytes(b"\xff\xfe")
    with pytest.raises(NotText, match=r"\.harness/progress\.md: byte 0 is not UTF-8"):
        memory.harness().append("progress", "One.")
    with pytest.raises(NotText, match="half a character"):
        memory.harness().write("progress", "\ud83d")
    assert (repo / ".harness" / "progress.md").read_bytes() == b"\xff\xfe"
    memory.harness().write("progress", "One.\n")
    memory.undo()
    assert (repo / ".harness" / "progress.md").read_bytes() == b"\xff\xfe"


# Features


def test_features_are_json(memory: Memory) -> None:
    state = memory.harness()
    state.write("features", '[{"name": "undo", "passes": true}]\n')
    before = state.read("features")
    with pytest.raises(InvalidEntry, match=r"features\.json, line 2, column 9: the features are no JSON"):
        state.write("features", '{"a": 1,\n "b": 2,}')
    with pytest.raises(InvalidEntry, match="no JSON"):
        state.append("features", "one more")
    with pytest.raises(InvalidEntry, match="no JSON"):
        state.write("features", "[" * 200_000)
    assert state.read("features") == before


# Journal


def test_what_is_written_is_journaled_and_undone(memory: Memory, repo: Path) -> None:
    state = memory.harness()
    state.write("plan", "One.\n")
    state.write("plan", "Two.\n")
    change = next(iter(memory.changes()))
    assert (change.verb, change.entries, change.tier) == ("write-plan", (".harness/PLAN.md",), "")
    memory.undo()
    assert state.read("plan") == "One.\n"
    memory.undo()
    assert list((repo / ".harness").iterdir()) == []


def test_writing_the_same_again_changes_nothing(memory: Memory) -> None:
    memory.harness().write("plan", "One.\n")
    changes = list(memory.changes())
    memory.harness().write("plan", "One.\n")
    assert list(memory.changes()) == changes
