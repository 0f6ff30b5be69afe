"""Purging: afterwards nothing of it is anywhere below the root, and everything else is as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import quire
from quire import EntryNotFound, Locator, Memory, NotAllowed, Status
from quire.engine.journal import Change
from tests.engine.looking import ids, put, remove, text_at, tree, where

WORD = "swordfish"  # a word of the text, and so of the name that is made of it
SECRET = f"The {WORD} opens it."


def everything(memory: Memory) -> dict[str, bytes]:
    """All bytes of the root, the journal's too, with the names of the files."""
    storage = memory.core.storage
    return {info.locator.key: storage.read_bytes(info.locator) for info in storage.walk(Locator())}


def traces(memory: Memory) -> list[str]:
    return [key for key, raw in everything(memory).items() if WORD in key or WORD.encode() in raw]


def records(memory: Memory) -> Iterator[Change]:
    return memory.core.journal.oldest_first()


def test_purging_wants_a_yes(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", slug="x")
    before = everything(memory)
    with pytest.raises(NotAllowed, match=r"purging erases for good, and cannot be undone\. Say yes=True"):
        memory.purge("fix/x")
    assert everything(memory) == before


def test_what_is_not_there_cannot_be_purged(memory: Memory) -> None:
    with pytest.raises(EntryNotFound):
        memory.purge("fix/x", yes=True)


def _changed(memory: Memory) -> str:
    memory.save(SECRET, kind="fix")
    id = memory.list().entries[0].id
    memory.retag(id, add=[WORD])
    memory.edit(id, f"---\nkind: fix\ntitle: {WORD}\n---\nStill {WORD}.\n")
    memory.forget(id, reason=f"the {WORD} is out")
    memory.restore(id, reason=f"the {WORD} is back")
    return id


def _renamed(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.rename(f"fix/{WORD}", f"other-{WORD}")
    memory.archive(f"fix/other-{WORD}")
    memory.restore(f"fix/other-{WORD}")
    memory.rename(f"fix/other-{WORD}", "harmless")
    return "fix/harmless"


def _undone(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.rename(f"fix/{WORD}", f"other-{WORD}")
    memory.undo()
    memory.undo(next(iter(memory.changes())).id)
    memory.archive(f"fix/other-{WORD}")
    memory.undo()
    memory.undo()
    memory.undo()
    memory.undo(next(iter(memory.changes())).id)
    return f"fix/{WORD}"


def _skill(memory: Memory) -> str:
    folder = memory.save(SECRET, kind="skill", slug="x").locator.parent
    memory.core.storage.write(folder.child("scripts", f"{WORD}.sh"), f"echo {WORD}\n")
    memory.core.storage.write_bytes(folder.child("raw.bin"), b"\xff" + WORD.encode())
    memory.rename("skill/x", "y")
    memory.archive("skill/y")
    return "skill/y"


def _inbox(memory: Memory) -> str:
    return memory.save(SECRET, kind="idea", title=WORD, status="inbox").id


def _always(memory: Memory) -> str:
    return memory.save(SECRET, kind="preference", title=WORD, always_load=True).id


def _curated(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", title=WORD, scope="shared")
    memory.retag(f"fix/{WORD}", add=["a"], scope="shared")
    return f"fix/{WORD}"


def _single(memory: Memory) -> str:
    memory.save(SECRET, kind="profile")
    memory.evolve("profile", "Nothing.", reason=WORD)
    return "profile"


def _log(memory: Memory) -> str:
    id = memory.append(SECRET, at="2026-05-03").id
    memory.append("Another.", at="2026-05-03")
    memory.edit(id, f"Other {WORD}.\n")
    memory.forget(id, reason=WORD)
    memory.append("A third.", at="2026-05-03")
    memory.restore(id)
    memory.undo()
    return id


def _by_hand(memory: Memory) -> str:
    entry = memory.save("Text.", kind="fix", slug="x")
    put(memory, entry.locator.key, f"---\nkind: fix\n---\nBy hand: {WORD}.\n")
    memory.retag("fix/x", add=["a"])
    return "fix/x"


HISTORIES = [_changed, _renamed, _undone, _skill, _inbox, _always, _curated, _single, _log, _by_hand]


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__.strip("_"))
def test_nothing_of_it_is_below_the_root_any_more(memory: Memory, history: Callable[[Memory], str]) -> None:
    memory.save("Something else.", kind="workflow", slug="other")
    other = memory.get("workflow/other")
    id = history(memory)
    assert traces(memory)
    memory.purge(id, yes=True)
    assert traces(memory) == []
    assert memory.get("workflow/other") == other
    assert list(memory.core.journal.unreadable()) == []
    with pytest.raises(EntryNotFound):
        memory.get(id)


def test_a_chain_is_purged_one_by_one_and_each_takes_its_own(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.evolve(f"fix/{WORD}", f"{SECRET} Still.", reason=WORD)
    memory.evolve(f"fix/{WORD}-2", "Harmless.", fields={"title": "Harmless"})
    memory.purge(f"fix/{WORD}", yes=True)
    assert memory.get(f"fix/{WORD}-2").status is Status.SUPERSEDED
    assert ids(memory.list()) == [f"fix/{WORD}-3"]
    memory.purge(f"fix/{WORD}-2", yes=True)
    memory.purge(f"fix/{WORD}-3", yes=True)
    assert traces(memory) == []
    assert tree(memory) == {}


def test_a_tombstone_says_that_something_was_purged_when_and_by_whom(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.purge(f"fix/{WORD}", yes=True)
    saved, purged = records(memory)
    assert (purged.verb, purged.actor, purged.at[:10]) == ("purge", "python", "2026-06-01")
    [name] = purged.entries
    assert name.startswith("default/default/agent:default fix/purged-")
    assert saved.entries == purged.entries
    assert [(step.path, step.purged, step.before, step.after) for step in saved.steps] == [("", True, None, None)]


def test_the_neighbours_in_a_log_keep_what_can_be_undone(memory: Memory) -> None:
    first = memory.append("One.", at="2026-05-03")
    memory.append(SECRET, at="2026-05-03")
    memory.forget(first.id)
    memory.purge("ep_20260503_00000002", yes=True)
    assert [entry.text for entry in memory.list(status="all")] == ["One."]
    memory.undo()
    assert memory.get(first.id).status is Status.ACTIVE
    assert memory.append("Next.", at="2026-05-03").id == "ep_20260503_00000003"


def test_another_entry_that_has_its_old_name_keeps_what_can_be_undone(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", slug="x")
    memory.rename("fix/x", "y")
    memory.save("Another.", kind="fix", slug="x")
    memory.retag("fix/x", add=["a"])
    memory.purge("fix/y", yes=True)
    assert traces(memory) == []
    memory.undo()
    assert memory.get("fix/x").tags == ()


def test_one_that_had_its_name_before_keeps_what_can_be_undone(memory: Memory) -> None:
    memory.save("Another.", kind="fix", slug="x")
    memory.edit("fix/x", "---\nkind: fix\n---\nAnother, edited.\n")
    memory.rename("fix/x", "y")
    memory.save(SECRET, kind="fix", slug="x")
    memory.purge("fix/x", yes=True)
    assert traces(memory) == []
    memory.undo()
    memory.undo()
    assert memory.get("fix/x").text == "Another."


def test_what_others_say_of_it_stays_theirs(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", title=WORD)
    other = memory.save(f"See [[{WORD}|that one]].", kind="workflow", slug="other", derived_from=[f"fix/{WORD}"])
    memory.purge(f"fix/{WORD}", yes=True)
    assert memory.get("workflow/other") == other
    assert {key for key in traces(memory) if not key.startswith(".journal/")} == {other.locator.key}


def test_the_map_of_contents_forgets_it(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.save("Other.", kind="fix", title="Other")
    [key] = memory.index(scope="agent")
    assert WORD in text_at(memory, key)
    memory.purge(f"fix/{WORD}", yes=True)
    assert traces(memory) == []
    assert "Other" in text_at(memory, key)


def test_there_is_no_map_of_contents_where_none_was(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", slug="x")
    memory.purge("fix/x", yes=True)
    assert tree(memory) == {}


@pytest.mark.parametrize("back", [False, True])
def test_what_somebody_changes_meanwhile_is_purged_too(
    memory: Memory, back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Text.", kind="fix", slug="x")
    core = type(memory.core)
    real: Callable[..., None] = core.erase

    def meanwhile(self: object, *arguments: object) -> None:
        monkeypatch.setattr(core, "erase", real)
        memory.edit("fix/x", f"---\nkind: fix\n---\n{SECRET}\n")
        if back:
            memory.undo()
        real(self, *arguments)

    monkeypatch.setattr(core, "erase", meanwhile)
    memory.purge("fix/x", yes=True)
    assert traces(memory) == []
    assert tree(memory) == {}


def test_who_dies_before_the_file_goes_can_purge_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    memory.save(SECRET, kind="fix", title=WORD)
    memory.retag(f"fix/{WORD}", add=["a"])
    with monkeypatch.context() as patched:
        patched.setattr(type(memory.core), "erase", die)
        with pytest.raises(Killed):
            memory.purge(f"fix/{WORD}", yes=True)
    memory.purge(f"fix/{WORD}", yes=True)
    assert traces(memory) == []


def test_what_lies_in_two_places_is_gone_from_both(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", slug="x")
    memory.archive("fix/x")
    put(memory, where(memory, "fix", "x"), f"---\nkind: fix\n---\nBrought back by a sync service: {WORD}.\n")
    memory.purge("fix/x", yes=True)
    assert tree(memory) == {}
    assert traces(memory) == []


def test_the_same_id_of_another_scope_stays(memory: Memory) -> None:
    memory.save("Theirs.", kind="fix", slug="x", scope="agent:other")
    memory.save(SECRET, kind="fix", slug="x")
    memory.purge("fix/x", yes=True)
    assert [(entry.scope.id, entry.text) for entry in memory.list(everywhere=True)] == [("other", "Theirs.")]


def test_the_folder_of_a_skill_goes_too(memory: Memory) -> None:
    folder = memory.save(SECRET, kind="skill", slug="x").locator.parent
    memory.core.storage.write(folder.child("scripts", "run.sh"), "true\n")
    memory.purge("skill/x", yes=True)
    assert not memory.core.storage.exists(folder)


def test_on_a_disk_nothing_of_it_is_in_any_file(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    for run in ("one", "two"):
        with quire.open(tmp_path / "root", protocol="device-local", environment=environment, run=run) as memory:
            memory.save(f"{SECRET} {run}", kind="fix", title=f"{WORD} {run}")
            memory.retag(f"fix/{WORD}-{run}", add=["a"])
    with quire.open(tmp_path / "root", protocol="device-local", environment=environment) as memory:
        for run in ("one", "two"):
            memory.purge(f"fix/{WORD}-{run}", yes=True)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert [
        path for path, raw in files.items() if WORD in str(path.relative_to(tmp_path)) or WORD.encode() in raw
    ] == []


def test_a_change_whose_file_was_removed_by_hand_can_still_be_recorded(memory: Memory) -> None:
    entry = memory.save(SECRET, kind="fix", slug="x")
    remove(memory, entry.locator.key)
    with pytest.raises(EntryNotFound):
        memory.purge("fix/x", yes=True)
