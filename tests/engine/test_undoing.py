"""Undoing: byte for byte, whichever change or run is meant, and with everything that was made from it."""

from __future__ import annotations

import time as clock
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import InvalidEntry, Locator, Memory, NotAllowed, NothingToUndo, Status, UndoRefused
from quire.errors import EntryError
from tests.engine.conftest import Time
from tests.engine.looking import ids, put, remove, text_at, tree, where
from tests.engine.playing import ACTS, Act, play


def opened(path: Path, layout: str, **more: object) -> Memory:
    """A memory on a folder, as another process would open it."""
    environment = {"HOME": str(path)}
    return quire.open(
        path / "root", protocol="device-local", layout=layout, environment=environment, **more  # type: ignore[arg-type]
    )  # fmt: skip


# One after the other


@settings(max_examples=40, deadline=None)
@given(layout=st.sampled_from(["root", "vault"]), acts=st.lists(ACTS, min_size=1, max_size=14))
def test_each_undo_gives_the_tree_before_back_to_the_empty_root(layout: str, acts: list[Act]) -> None:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=Time()) as memory:
        trees = [tree(memory)]
        for act in acts:
            play(memory, act)
            if tree(memory) != trees[-1]:
                trees.append(tree(memory))
        for before in reversed(trees[:-1]):
            memory.undo()
            assert tree(memory) == before
        assert trees[0] == {}
        with pytest.raises(NothingToUndo, match="no change stands"):
            memory.undo()


@settings(max_examples=40, deadline=None)
@given(
    layout=st.sampled_from(["root", "vault"]),
    first=st.lists(ACTS, max_size=5),
    run=st.lists(ACTS, min_size=1, max_size=8),
)
def test_a_run_is_taken_back_as_a_whole_and_can_be_redone(layout: str, first: list[Act], run: list[Act]) -> None:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=Time()) as memory:
        for act in first:
            play(memory, act)
        before = tree(memory)
        memory.core.changes.actor = type(memory.core.changes.actor)(run="the-run")
        for act in run:
            play(memory, act)
        after = tree(memory)
        if not any(change.run == "the-run" for change in memory.changes()):
            return
        memory.undo(run="the-run")
        assert tree(memory) == before
        with pytest.raises(NothingToUndo, match="no change of this run stands"):
            memory.undo(run="the-run")
        memory.undo(next(iter(memory.changes())).id)
        assert tree(memory) == after


@settings(max_examples=60, deadline=None)
@given(layout=st.sampled_from(["root", "vault"]), acts=st.lists(ACTS, min_size=2, max_size=10), which=st.integers(0, 9))
def test_any_change_is_taken_back_or_refused_and_an_undo_can_be_undone(
    layout: str, acts: list[Act], which: int
) -> None:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=Time()) as memory:
        for act in acts:
            play(memory, act)
        changes = list(memory.changes())
        if not changes:
            return
        before = tree(memory)
        try:
            undone = memory.undo(changes[which % len(changes)].id)
        except UndoRefused:
            assert tree(memory) == before
            assert list(memory.changes()) == changes
            return
        assert changes[which % len(changes)].id in [change.id for change in undone]
        memory.undo(next(iter(memory.changes())).id)
        assert tree(memory) == before


def test_bytes_that_are_no_text_come_back(memory: Memory) -> None:
    entry = memory.save("Text.", kind="skill", slug="x")
    raw = bytes(range(256)) * 5
    memory.core.storage.write_bytes(entry.locator.parent.child("raw.bin"), raw)
    before = tree(memory)
    memory.rename("skill/x", "y")
    assert tree(memory) != before
    memory.undo()
    assert tree(memory) == before


def test_a_note_as_large_as_one_may_be_comes_back(memory: Memory) -> None:
    memory.save("é" * (512 * 1024 - 1), kind="fix", slug="x")
    before = tree(memory)
    memory.edit("fix/x", "Short.\n")
    memory.undo()
    assert tree(memory) == before


# Which one


def test_what_was_undone_is_named_with_those_that_go_with_it(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    change = next(iter(memory.changes()))
    assert memory.undo() == [change]
    record = next(iter(memory.changes()))
    assert (record.verb, record.undoes, record.entries) == ("undo", (change.id,), change.entries)


def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="x")
    memory.save("Two.", kind="fix", slug="y")
    second, first = memory.changes()
    with pytest.raises(NothingToUndo, match=f"several changes begin so: {second.id}, {first.id}"):
        memory.undo("20260601")
    memory.undo(first.id[:22])
    assert ids(memory.list()) == ["fix/y"]


@pytest.mark.parametrize("id", ["", "20260601T", "nonsense", "20260601T120000000000-00000000"])
def test_a_change_that_is_not_there_is_nothing_to_undo(memory: Memory, id: str) -> None:
    with pytest.raises(NothingToUndo, match="there is no such change"):
        memory.undo(id)
    with pytest.raises(NothingToUndo):
        memory.undo(run="no-such-run")


def test_a_change_and_a_run_are_not_asked_for_together(memory: Memory) -> None:
    with pytest.raises(InvalidEntry, match="a change and a run are two questions"):
        memory.undo("20260601", run="a-run")


def test_what_is_undone_is_not_undone_again(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="x")
    memory.save("Two.", kind="fix", slug="y")
    [undone] = memory.undo()
    with pytest.raises(NothingToUndo, match=r"this change is undone already\. Undo its undoing to redo it"):
        memory.undo(undone.id)
    memory.undo()
    assert tree(memory) == {}


def test_an_undoing_is_undone_by_its_id_and_then_the_change_is_the_last_again(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    after = tree(memory)
    memory.undo()
    undoing = next(iter(memory.changes()))
    memory.undo(undoing.id)
    assert tree(memory) == after
    assert [change.verb for change in memory.undo()] == ["evolve"]


def test_a_run_gives_back_what_it_undid_of_others(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    memory.core.changes.actor = type(memory.core.changes.actor)(run="the-run")
    memory.undo()
    memory.save("Other.", kind="fix", slug="y")
    memory.undo(run="the-run")
    assert tree(memory) == before


def test_a_change_that_somebody_has_taken_back_by_hand_is_not_met_again(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.save("Other.", kind="fix", slug="y")
    remove(memory, where(memory, "fix", "y"))
    before = tree(memory)
    assert [change.entries for change in memory.undo()] == [("default/default/agent:default fix/y",)]
    assert tree(memory) == before
    memory.undo()
    assert tree(memory) == {}


# What was made from it


def test_what_was_made_from_a_withdrawn_entry_is_withdrawn_too(memory: Memory) -> None:
    memory.save("Kept.", kind="fix", slug="kept")
    before = tree(memory)
    memory.append("It rained.", at="2026-05-03")
    poisoned = next(iter(memory.changes())).id
    memory.save("It rains there.", kind="insight", slug="rain", derived_from=["ep_20260503_00000001"])
    memory.retag("insight/rain", add=["weather"])
    memory.save("Take an umbrella.", kind="workflow", slug="umbrella", derived_from=["insight/rain"])
    memory.archive("workflow/umbrella")
    memory.rename("insight/rain", "wet")
    memory.save("Buy boots.", kind="workflow", slug="boots", derived_from=["insight/wet"])
    undone = memory.undo(poisoned)
    assert tree(memory) == before
    assert [change.verb for change in undone] == ["save", "rename", "archive", "save", "retag", "save", "append"]
    memory.undo(next(iter(memory.changes())).id)
    known = {"ep_20260503_00000001", "fix/kept", "insight/wet", "workflow/umbrella", "workflow/boots"}
    assert set(ids(memory.list(status="all"))) == known


def test_what_was_made_from_an_entry_of_a_log_leaves_a_log_that_has_grown(memory: Memory) -> None:
    memory.append("It rained.", at="2026-05-03")
    poisoned = next(iter(memory.changes())).id
    fact = memory.append("It rains there.", kind="atomic_fact", at="2026-05-03", derived_from=["ep_20260503_00000001"])
    memory.forget(fact.id)
    memory.append("Another fact.", kind="atomic_fact", at="2026-05-03")
    memory.append("Another day.", at="2026-05-03")
    memory.undo(poisoned)
    assert {entry.text for entry in memory.list(status="all")} == {"Another fact.", "Another day."}


def test_what_derives_from_the_same_id_of_another_scope_stays(memory: Memory) -> None:
    memory.save("Theirs.", kind="fix", slug="x", scope="agent:other")
    memory.save("Made of theirs.", kind="insight", slug="d", scope="agent:other", derived_from=["fix/x"])
    memory.save("Mine.", kind="fix", slug="x", scope="agent")
    memory.save("Made of mine.", kind="insight", slug="d", derived_from=["fix/x"])
    mine = next(change for change in memory.changes() if change.entries == ("default/default/agent:default fix/x",))
    memory.undo(mine.id)
    assert {(entry.scope.id, entry.id) for entry in memory.list(everywhere=True)} == {
        ("other", "fix/x"),
        ("other", "insight/d"),
    }


def test_what_was_made_and_then_edited_by_hand_is_not_lost(memory: Memory) -> None:
    memory.save("Source.", kind="fix", slug="x")
    source = next(iter(memory.changes())).id
    made = memory.save("Made.", kind="insight", slug="d", derived_from=["fix/x"])
    put(memory, made.locator.key, text_at(memory, made.locator.key) + "By hand.\n")
    before = tree(memory)
    with pytest.raises(UndoRefused, match=made.locator.key):
        memory.undo(source)
    assert tree(memory) == before


def test_a_change_of_something_else_that_touched_what_is_withdrawn_stands(memory: Memory) -> None:
    memory.save("Source.", kind="fix", slug="x")
    source = next(iter(memory.changes())).id
    memory.save("Other.", kind="fix", slug="other")
    memory.save("Made, see [[other]].", kind="insight", slug="d", derived_from=["fix/x"])
    memory.rename("fix/other", "another")
    memory.undo(source)
    assert ids(memory.list(status="all")) == ["fix/another"]


def test_what_is_withdrawn_again_takes_along_what_was_made_since(memory: Memory) -> None:
    memory.save("Source.", kind="fix", slug="x")
    memory.undo()
    memory.undo(next(iter(memory.changes())).id)
    redone = next(iter(memory.changes())).id
    memory.save("Made.", kind="insight", slug="d", derived_from=["fix/x"])
    memory.undo(redone)
    assert tree(memory) == {}


# Links, processes, storages


@pytest.mark.parametrize("verb", ["rename", "archive"])
def test_what_lies_elsewhere_by_a_later_change_is_not_said_to_be_withdrawn(memory: Memory, verb: str) -> None:
    memory.save("Text", kind="fix", slug="locked")
    saved = next(memory.changes())
    memory.save("Made of it", kind="fix", slug="made", derived_from=["fix/locked"])
    memory.rename("fix/locked", "busy") if verb == "rename" else memory.archive("fix/locked")
    moved = next(memory.changes())
    before = tree(memory)
    with pytest.raises(UndoRefused, match=f"it is gone since save .* Undo the later change, {verb} {moved.id}, first"):
        memory.undo(saved.id)
    assert tree(memory) == before
    memory.undo(moved.id)
    memory.undo(saved.id)
    assert tree(memory) == {}


def test_a_rename_is_undone_with_the_links_in_other_files(memory: Memory) -> None:
    memory.save("It was locked.", kind="fix", slug="locked")
    memory.save("See [[locked]] and [[fix/locked|that]].", kind="workflow", slug="suites")
    before = tree(memory)
    memory.rename("fix/locked", "busy")
    assert "[[busy]]" in memory.get("workflow/suites").text
    memory.undo()
    assert tree(memory) == before


@pytest.mark.parametrize("layout", ["root", "vault"])
def test_another_process_undoes_what_one_has_done(tmp_path: Path, layout: str) -> None:
    with opened(tmp_path, layout, run="a-run") as memory:
        memory.save("Text.", kind="fix", slug="x")
        before = tree(memory)
        memory.evolve("fix/x", "More.")
        memory.append("It rained.", at="2026-05-03")
    with opened(tmp_path, layout) as memory:
        memory.undo()
    with opened(tmp_path, layout) as memory:
        assert [change.verb for change in memory.undo()] == ["evolve"]
        assert tree(memory) == before
    with opened(tmp_path, layout) as memory:
        memory.undo(run="a-run")
        assert tree(memory) == {}


def test_in_a_synced_root_the_journal_lies_outside_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    vault = tmp_path / "vault"
    vault.mkdir()
    for _ in range(2):
        with quire.open(vault, protocol="vault", environment={"HOME": str(tmp_path)}) as memory:
            memory.save("Text.", kind="fix", slug="x")
            first = memory.append("It rained.", at="2026-05-03")
            memory.undo()
            assert memory.append("It snowed.", at="2026-05-03").id > first.id
            memory.undo()
            memory.evolve("fix/x", "More.")
        with quire.open(vault, protocol="vault", environment={"HOME": str(tmp_path)}) as memory:
            memory.undo()
            assert memory.get("fix/x").status is Status.ACTIVE
            memory.undo()
        assert [path for path in vault.rglob("*") if path.is_file()] == []


def test_what_changed_a_storage_that_is_not_open_here_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with opened(tmp_path, "root", personal=tmp_path / "notes") as memory:
        change = memory.write_personal("garden.md", "Roses.\n", request="Note the roses.")
    with opened(tmp_path, "root") as memory, pytest.raises(NotAllowed, match=r"without the personal notes.*personal="):
        memory.undo(change.id)
    assert (tmp_path / "notes" / "garden.md").read_text() == "Roses.\n"
    with opened(tmp_path, "root", personal=tmp_path / "notes") as memory:
        memory.undo(change.id)
    assert not (tmp_path / "notes" / "garden.md").exists()


def test_a_run_is_taken_back_in_every_storage_it_changed(tmp_path: Path) -> None:
    for name in ("notes", "repo"):
        (tmp_path / name).mkdir()
    with opened(tmp_path, "root", personal=tmp_path / "notes", project_folder=tmp_path / "repo", run="r") as memory:
        memory.save("Text.", kind="fix", slug="x")
        memory.write_personal("garden.md", "Roses.\n", request="Note the roses.")
        memory.harness().write("plan", "First this.\n")
        memory.retag("fix/x", add=["a"])
        undone = memory.undo(run="r")
        assert [change.verb for change in undone] == ["retag", "write-plan", "write-personal", "save"]
        assert tree(memory) == {}
    assert [path for name in ("notes", "repo") for path in (tmp_path / name).rglob("*.md")] == []


def test_what_was_written_in_one_project_is_not_undone_in_another(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with opened(tmp_path, "root", project_folder=tmp_path / name) as memory:
            memory.harness().write("features", "[]\n")
            changes = list(memory.changes())
    with opened(tmp_path, "root", project_folder=tmp_path / "two") as memory:
        with pytest.raises(NotAllowed, match="two: this is not the folder of the project in which this was changed"):
            memory.undo(changes[-1].id)
        memory.undo(changes[0].id)
    assert (tmp_path / "one" / ".harness" / "features.json").exists()
    assert not (tmp_path / "two" / ".harness" / "features.json").exists()


# Purged


def test_what_was_purged_is_refused_and_the_rest_of_its_run_is_not(memory: Memory) -> None:
    memory.save("Secret.", kind="fix", slug="x")
    saved = next(iter(memory.changes())).id
    memory.save("Other.", kind="fix", slug="y")
    memory.purge("fix/x", yes=True)
    purged = next(iter(memory.changes())).id
    with pytest.raises(UndoRefused, match="purging erased it for good"):
        memory.undo(purged)
    with pytest.raises(UndoRefused, match=r"what it was about has been purged\. Purging is for good"):
        memory.undo(saved)
    memory.undo(run=memory.core.changes.actor.run)
    assert tree(memory) == {}


def test_the_old_one_is_active_again_where_the_new_one_was_purged(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    memory.evolve("fix/x", "Secret.")
    evolved = next(iter(memory.changes())).id
    memory.purge("fix/x-2", yes=True)
    memory.undo(evolved)
    assert tree(memory) == before


# What it costs


def test_a_run_of_many_changes_costs_in_proportion(memory: Memory) -> None:
    def cost(count: int) -> float:
        memory.core.changes.actor = type(memory.core.changes.actor)(run=f"run-{count}")
        for number in range(count):
            memory.append(f"Number {number}.", at="2026-05-03")
            memory.save(f"Number {number}.", kind="fix", slug=f"n{count}-{number}", derived_from=["fix/root"])
        start = clock.perf_counter()
        memory.undo(run=f"run-{count}")
        return clock.perf_counter() - start

    memory.save("Root.", kind="fix", slug="root")
    few = min(cost(50), cost(51))
    assert cost(400) < max(few, 0.01) * 8 * 4


def test_errors_are_of_our_tree(memory: Memory) -> None:
    with pytest.raises(EntryError) as refused:
        memory.undo()
    assert (refused.value.code, isinstance(refused.value, LookupError)) == ("NOTHING_TO_UNDO", True)


# Recorded, and never made


class _Killed(BaseException):
    """The process is no more."""


def _dies_writing(memory: Memory, monkeypatch: pytest.MonkeyPatch, key: str, act: object) -> None:
    """Let it die when it has kept the record of a change, and is about to make it."""
    real = memory.core.storage.write_bytes

    def write(locator: Locator, *arguments: object, **keywords: object) -> Locator:
        if locator.key.endswith(key):
            raise _Killed
        return real(locator, *arguments, **keywords)  # type: ignore[arg-type]

    with monkeypatch.context() as patch, pytest.raises(_Killed):
        patch.setattr(memory.core.storage, "write_bytes", write)
        act()  # type: ignore[operator]


def test_a_change_that_was_recorded_and_never_made_is_not_the_last(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.save("Text.", kind="fix", slug="y")
    _dies_writing(memory, monkeypatch, "/x.md", lambda: memory.forget("fix/x"))
    assert [change.entries[0].rpartition(" ")[2] for change in memory.undo()] == ["fix/y"]
    assert ids(memory.list()) == ["fix/x"]


def test_an_undoing_that_was_recorded_and_never_made_has_undone_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    memory.forget("fix/x")
    change = next(iter(memory.changes())).id
    _dies_writing(memory, monkeypatch, "/x.md", memory.undo)
    assert [undone.id for undone in memory.undo(change)] == [change]
    assert tree(memory) == before
