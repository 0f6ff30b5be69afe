"""Purging: afterwards nothing of it is anywhere below the root, and everything else is as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import quire
from quire import ANY, EntryNotFound, IfVersion, Locator, Memory, NotAllowed, Status
from quire.backends.ram import RamBackend
from quire.engine.journal import Actor, Change
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


def _inbox_confirmed(memory: Memory) -> str:
    id = memory.save(SECRET, kind="idea", title=WORD, status="inbox").id
    memory.edit(id, memory.get(id).document.text)
    memory.save(SECRET, kind="idea", title=WORD)
    memory.rename(id, "harmless")
    return "idea/harmless"


def _by_hand(memory: Memory) -> str:
    entry = memory.save("Text.", kind="fix", slug="x")
    put(memory, entry.locator.key, f"---\nkind: fix\n---\nBy hand: {WORD}.\n")
    memory.retag("fix/x", add=["a"])
    return "fix/x"


HISTORIES = [_changed, _renamed, _undone, _skill, _inbox, _always, _curated, _single, _log, _inbox_confirmed, _by_hand]


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


def _saved(memory: Memory) -> str:
    memory.save(SECRET, kind="preference", slug="x")
    memory.undo()
    return "preference/x"


def _appended(memory: Memory) -> str:
    memory.append("Another.", at="2026-05-03")
    id = memory.append(SECRET, at="2026-05-03").id
    memory.undo()
    return id


def _appended_first(memory: Memory) -> str:
    id = memory.append(SECRET, at="2026-05-03").id
    memory.undo()
    return id


def _evolved(memory: Memory) -> str:
    memory.save("Harmless.", kind="fix", slug="y")
    memory.evolve("fix/y", SECRET, reason=f"the {WORD}")
    memory.undo()
    return "fix/y-2"


def _removed(memory: Memory) -> str:
    entry = memory.save(SECRET, kind="fix", slug="x")
    memory.retag("fix/x", add=[WORD])
    memory.edit("fix/x", "---\nkind: fix\n---\nHarmless.\n")
    remove(memory, memory.get("fix/x").locator.key)
    assert entry.id == "fix/x"
    return "fix/x"


def _named(memory: Memory) -> str:
    remove(memory, memory.save(SECRET, kind="fix", title=WORD).locator.key)
    return f"fix/{WORD}"


def _removed_from_log(memory: Memory) -> str:
    memory.append("Another.", at="2026-05-03")
    entry = memory.append(SECRET, at="2026-05-03")
    remove(memory, entry.locator.key)
    return entry.id


def _revised(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", slug="x")
    memory.save(SECRET, kind="fix", slug="x")
    memory.edit("fix/x", f"---\nkind: fix\n---\nStill {WORD}.\n")
    memory.retag("fix/x", add=[WORD])
    memory.archive("fix/x", reason=WORD)
    for _ in range(5):
        memory.undo()
    return "fix/x"


def _renamed_and_undone(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", title=WORD)
    memory.rename(f"fix/{WORD}", f"other-{WORD}")
    memory.undo()
    memory.undo()
    return f"fix/{WORD}"


def _called_so_for_a_while(memory: Memory) -> str:
    _renamed_and_undone(memory)
    return f"fix/other-{WORD}"


def _redone(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", slug="x")
    memory.undo()
    memory.undo(next(iter(memory.changes())).id)
    memory.rename("fix/x", "y")
    remove(memory, memory.get("fix/y").locator.key)
    return "fix/y"


def _skill_undone(memory: Memory) -> str:
    folder = memory.save(SECRET, kind="skill", slug="x").locator.parent
    memory.core.storage.write(folder.child("scripts", f"{WORD}.sh"), f"echo {WORD}\n")
    memory.rename("skill/x", "y")
    memory.undo()
    memory.undo()
    return "skill/x"


def _single_undone(memory: Memory) -> str:
    memory.save("Nothing.", kind="profile")
    memory.evolve("profile", SECRET, reason=WORD)
    memory.undo()
    memory.undo()
    return "profile"


def _always_undone(memory: Memory) -> str:
    id = memory.save(SECRET, kind="preference", title=WORD, always_load=True).id
    memory.retag(id, add=["a"])
    memory.undo()
    memory.undo()
    return id


def _curated_undone(memory: Memory) -> str:
    memory.save(SECRET, kind="fix", slug="x", scope="shared")
    memory.undo()
    return "fix/x"


def _imported(memory: Memory) -> str:
    notes = RamBackend()
    notes.write(Locator("x.md"), f"---\nkind: fix\n---\n{SECRET}\n")
    memory.import_from(notes, name="notes")
    [id] = [entry.id for entry in memory.list(status="all") if WORD in entry.text]
    memory.undo()
    return id


GONE = [
    _saved, _appended, _appended_first, _evolved, _removed, _named, _removed_from_log, _revised, _renamed_and_undone,
    _called_so_for_a_while, _redone, _skill_undone, _single_undone, _always_undone, _curated_undone, _imported,
]  # fmt: skip


@pytest.mark.parametrize("history", GONE, ids=lambda history: history.__name__.strip("_"))
def test_what_only_the_journal_has_is_purged_by_its_id(memory: Memory, history: Callable[[Memory], str]) -> None:
    memory.save("Something else.", kind="workflow", slug="other")
    other = memory.get("workflow/other")
    id = history(memory)
    assert traces(memory)
    with pytest.raises(EntryNotFound):
        memory.get(id)
    memory.purge(id, yes=True)
    assert traces(memory) == []
    assert memory.get("workflow/other") == other
    assert next(iter(memory.changes())).verb == "purge"
    assert list(memory.core.journal.unreadable()) == []
    with pytest.raises(EntryNotFound):
        memory.purge(id, yes=True)


TAKEN_AGAIN = [each for each in GONE if each not in (_appended, _appended_first, _removed_from_log, _curated_undone)]


@pytest.mark.parametrize("history", TAKEN_AGAIN, ids=lambda history: history.__name__.strip("_"))
def test_what_only_the_journal_has_is_purged_with_one_that_has_its_id_now(
    memory: Memory, history: Callable[[Memory], str]
) -> None:
    id = history(memory)
    kind, _, slug = id.partition("/")
    memory.save("Innocent.", kind=kind, slug=slug or None)
    memory.purge(id, yes=True)
    assert traces(memory) == []


def test_what_only_the_journal_has_wants_a_yes_too(memory: Memory) -> None:
    id = _saved(memory)
    before = everything(memory)
    with pytest.raises(NotAllowed):
        memory.purge(id)
    assert everything(memory) == before


def test_what_lives_on_under_another_name_is_not_purged_by_its_old_one(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.rename("fix/x", "y")
    before = everything(memory)
    with pytest.raises(EntryNotFound):
        memory.purge("fix/x", yes=True)
    assert everything(memory) == before


def test_one_that_lives_on_under_another_name_keeps_what_was_said_of_it(memory: Memory) -> None:
    memory.save("Another.", kind="fix", slug="x")
    memory.rename("fix/x", "y")
    memory.forget("fix/y", reason="out")
    memory.save(SECRET, kind="fix", slug="x")
    memory.undo()
    memory.purge("fix/x", yes=True)
    assert traces(memory) == []
    assert [(change.verb, change.reason) for change in memory.changes("fix/y")] == [
        ("forget", "out"),
        ("rename", "to fix/y"),
    ]
    assert [name.rpartition(" ")[2] for name in list(memory.changes("fix/y"))[1].entries] == ["fix/x", "fix/y"]
    memory.undo()
    memory.undo()
    assert memory.get("fix/x").text == "Another."


def test_what_was_taken_back_with_it_can_still_be_brought_back(memory: Memory) -> None:
    memory.save(SECRET, kind="fix", slug="x")
    memory.save("Another.", kind="fix", slug="y")
    memory.undo(run=memory.core.changes.actor.run)
    undoing = next(iter(memory.changes())).id
    memory.purge("fix/x", yes=True)
    assert traces(memory) == []
    memory.undo(undoing)
    assert memory.get("fix/y").text == "Another."


def test_the_neighbours_in_a_log_that_went_with_it_can_still_be_brought_back(memory: Memory) -> None:
    memory.append("Before.", at="2026-05-03")
    changes = [memory.append(text, at="2026-05-03").id for text in ("One.", SECRET, "Two.")]
    memory.undo()
    memory.undo()
    memory.purge(changes[1], yes=True)
    assert traces(memory) == []
    memory.undo(next(change for change in memory.changes() if change.entries[0].endswith(changes[2])).id)
    assert [entry.text for entry in memory.list()] == ["Before.", "One.", "Two."]


def test_the_neighbours_in_one_piece_of_a_log_can_still_be_brought_back(memory: Memory) -> None:
    memory.append("Before.", at="2026-05-03")
    actor = memory.core.changes.actor
    memory.core.changes.actor = Actor(run="other")
    changes = [memory.append(text, at="2026-05-03").id for text in ("One.", SECRET, "Two.")]
    memory.core.changes.actor = actor
    memory.undo(run="other")
    undoing = next(iter(memory.changes())).id
    memory.purge(changes[1], yes=True)
    assert traces(memory) == []
    memory.undo(undoing)
    assert [entry.text for entry in memory.list()] == ["Before.", "One.", "Two."]


def test_what_did_not_happen_keeps_no_text(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.retag("fix/x", add=[WORD])
    memory.core.journal.void(next(iter(memory.changes())))  # as one does that found the file changed meanwhile
    assert traces(memory)
    put(memory, memory.get("fix/x").locator.key, f"---\nkind: fix\n---\n{SECRET}\n")
    memory.purge("fix/x", yes=True)
    assert traces(memory) == []


def test_what_did_not_happen_keeps_no_text_under_another_id(memory: Memory) -> None:
    log = memory.append("Another.", at="2026-05-03").locator.key
    before = text_at(memory, log)
    memory.append(SECRET, at="2026-05-03")
    memory.core.journal.void(next(iter(memory.changes())))  # as one does whose number was taken meanwhile
    put(memory, log, before)
    id = memory.append(SECRET, at="2026-05-03").id
    assert id == "ep_20260503_00000003"
    memory.purge(id, yes=True)
    assert traces(memory) == []


@pytest.mark.parametrize("end", ["renamed", "undone", "redone"])
@pytest.mark.parametrize("runs", ["abc", "acb", "bac", "bca", "cab", "cba"])
def test_who_dies_anywhere_within_it_can_purge_again(
    memory: Memory, runs: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    first, second, third = tuple(runs)  # each writes a file of its own, as three processes would
    core, id = memory.core, f"fix/{WORD}"
    monkeypatch.setattr(core.changes, "actor", Actor(run=first))
    memory.save(SECRET, kind="fix", title=WORD)
    monkeypatch.setattr(core.changes, "actor", Actor(run=second))
    memory.undo() if end == "redone" else memory.rename(id, f"other-{WORD}")
    undoing = next(iter(memory.changes())).id
    monkeypatch.setattr(core.changes, "actor", Actor(run=third))
    if end == "undone":
        memory.undo()
        memory.undo()
    else:
        if end == "redone":
            memory.undo(undoing)
        id = memory.rename(id if end == "redone" else f"fix/other-{WORD}", "harmless").id
    before = everything(memory)
    real, writes, left = RamBackend.write_bytes, 0, 0

    def dying(self: RamBackend, at: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return real(self, at, content, if_version=if_version)

    while True:
        left = writes
        with monkeypatch.context() as patched:
            patched.setattr(RamBackend, "write_bytes", dying)
            try:
                memory.purge(id, yes=True)
            except Killed:
                pass
            else:
                break
        memory.purge(id, yes=True)
        assert traces(memory) == []
        for key in everything(memory):
            core.storage.delete(Locator(key))
        for key, raw in before.items():
            core.storage.write_bytes(Locator(key), raw)
        writes += 1
    assert writes > 3
    assert traces(memory) == []


@pytest.mark.parametrize("history", [*HISTORIES, *GONE], ids=lambda history: history.__name__.strip("_"))
@pytest.mark.parametrize("protocol", ["device-local", "vault"])
def test_on_a_disk_nothing_of_it_is_left(
    tmp_path: Path, protocol: str, history: Callable[[Memory], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    environment = {"HOME": str(tmp_path)}
    (tmp_path / "root").mkdir()
    with quire.open(tmp_path / "root", protocol=protocol, environment=environment) as memory:
        id = history(memory)
        memory.purge(id, yes=True)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert files  # the journal, beside a vault in the state folder
    found = [
        str(path) for path, raw in files.items() if WORD in str(path.relative_to(tmp_path)) or WORD.encode() in raw
    ]
    assert found == []
