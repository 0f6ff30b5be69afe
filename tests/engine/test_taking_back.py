"""Taking back: refused where something would be lost, and in a log entry by entry."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quire import Locator, Memory, UndoRefused
from quire.engine import logs
from tests.engine.breaking import reopened
from tests.engine.looking import ids, put, remove, text_at, tree, where

# Where something would be lost


def test_a_text_that_has_changed_since_is_kept_and_the_refusal_says_so(memory: Memory) -> None:
    entry = memory.save("Text.", kind="fix", slug="x")
    put(memory, entry.locator.key, "By hand.\n")
    before = tree(memory)
    with pytest.raises(UndoRefused, match=rf"{entry.locator}: it has changed since save at 2026-06-01T12:00:00"):
        memory.undo()
    assert tree(memory) == before


def test_a_text_that_is_gone_since_is_not_made_up(memory: Memory) -> None:
    entry = memory.save("Text.", kind="fix", slug="x")
    memory.retag("fix/x", add=["a"])
    remove(memory, entry.locator.key)
    with pytest.raises(UndoRefused, match="it is gone since retag"):
        memory.undo()
    assert tree(memory) == {}


def test_a_file_that_stands_in_the_way_is_not_overwritten(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.archive("fix/x")
    put(memory, where(memory, "fix", "x"), "A new one, by hand.\n")
    before = tree(memory)
    with pytest.raises(UndoRefused, match="it has changed since archive"):
        memory.undo()
    assert tree(memory) == before


def test_a_refusal_changes_nothing_of_a_run_either(memory: Memory) -> None:
    entries = [memory.save(f"Text {number}.", kind="fix", slug=f"x{number}") for number in range(4)]
    put(memory, entries[1].locator.key, "By hand.\n")
    before, changes = tree(memory), list(memory.changes())
    with pytest.raises(UndoRefused, match=entries[1].locator.key):
        memory.undo(run=memory.core.changes.actor.run)
    assert tree(memory) == before
    assert list(memory.changes()) == changes


def test_a_damaged_record_is_no_reason_to_guess(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.edit("fix/x", "---\nkind: fix\n---\nOther.\n")
    storage = memory.core.storage
    [at] = [info.locator for info in storage.walk(Locator(".journal")) if info.locator.name.endswith(".1.jsonl")]
    storage.write(at, storage.read(at).replace("Text.", "Test."))
    before = tree(memory)
    with pytest.raises(UndoRefused, match="is damaged, so that what was there before is not known"):
        memory.undo()
    assert tree(memory) == before


def test_whoever_is_faster_is_not_overwritten(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = memory.save("Text.", kind="fix", slug="x")
    changes = type(memory.core.changes)
    real: Callable[..., object] = changes.apply

    def meanwhile(self: object, *arguments: object) -> object:
        monkeypatch.setattr(changes, "apply", real)
        put(memory, entry.locator.key, "By hand.\n")
        return real(self, *arguments)

    monkeypatch.setattr(changes, "apply", meanwhile)
    with pytest.raises(UndoRefused, match="it has changed since save"):
        memory.undo()
    assert text_at(memory, entry.locator.key) == "By hand.\n"


# Logs


def test_one_entry_leaves_a_log_that_has_grown(memory: Memory) -> None:
    memory.append("One.", at="2026-05-03")
    second = memory.append("Two.", at="2026-05-03")
    change = next(iter(memory.changes()))
    third = memory.append("Three.", at="2026-05-03")
    whole = text_at(memory, third.locator.key)
    memory.undo(change.id)
    assert ids(memory.list(status="all")) == ["ep_20260503_00000001", "ep_20260503_00000003"]
    block = whole[whole.index(f"<!-- entry:{second.id}") : whole.index(f"<!-- entry:{third.id}")]
    assert text_at(memory, third.locator.key) == whole.replace(block, "")


@pytest.mark.parametrize("verb", ["forget", "evolve", "edit", "retag", "archive"])
def test_what_happened_to_an_entry_is_undone_in_a_log_that_has_grown(memory: Memory, verb: str) -> None:
    first = memory.append("One.", at="2026-05-03")
    memory.append("Two.", at="2026-05-03")
    before = memory.get(first.id).document
    arguments: dict[str, tuple[object, ...]] = {"evolve": ("More.",), "edit": ("Other.\n",)}
    more = {"add": ["a"]} if verb == "retag" else {}
    getattr(memory, verb)(first.id, *arguments.get(verb, ()), **more)
    change = next(iter(memory.changes()))
    last = memory.append("Three.", at="2026-05-03")
    memory.undo(change.id)
    assert memory.get(first.id).document == before
    assert [entry.text for entry in memory.list(status="all")] == ["One.", "Two.", "Three."]
    assert memory.get(last.id).text == "Three."


def test_an_entry_of_a_log_that_was_edited_since_is_kept(memory: Memory) -> None:
    first = memory.append("One.", at="2026-05-03")
    change = next(iter(memory.changes()))
    memory.append("Two.", at="2026-05-03")
    at = first.locator.key
    put(memory, at, text_at(memory, at).replace("One.", "One, by hand."))
    before = tree(memory)
    with pytest.raises(UndoRefused, match="it has changed since append"):
        memory.undo(change.id)
    assert tree(memory) == before


def test_an_entry_that_was_withdrawn_comes_back_where_it_was(memory: Memory) -> None:
    for text in ("One.", "Two.", "Three."):
        memory.append(text, at="2026-05-03")
    second = list(memory.changes())[1]
    memory.undo(second.id)
    undoing = next(iter(memory.changes()))
    memory.append("Four.", at="2026-05-03")
    memory.undo(undoing.id)
    assert [entry.text for entry in memory.list()] == ["One.", "Two.", "Three.", "Four."]


def test_a_log_that_has_nothing_left_goes(memory: Memory) -> None:
    memory.append("One.", at="2026-05-03")
    first = next(iter(memory.changes())).id
    memory.append("Two.", at="2026-05-03")
    memory.undo(first)
    memory.undo()
    assert tree(memory) == {}
    memory.undo(next(iter(memory.changes())).id)
    assert [entry.text for entry in memory.list()] == ["Two."]


def test_the_id_of_an_entry_that_was_withdrawn_stays_taken(memory: Memory) -> None:
    memory.append("One.", at="2026-05-03")
    memory.undo()
    assert tree(memory) == {}
    assert memory.append("Two.", at="2026-05-03").id == "ep_20260503_00000002"
    memory.undo()
    memory.undo(next(iter(memory.changes())).id)
    assert memory.append("Three.", at="2026-05-03").id == "ep_20260503_00000003"


def test_the_last_id_of_a_log_that_stays_is_taken_too(memory: Memory) -> None:
    memory.append("One.", at="2026-05-03")
    memory.append("Two.", at="2026-05-03")
    memory.undo()
    assert memory.append("Three.", at="2026-05-03").id == "ep_20260503_00000003"


def test_an_id_stays_taken_also_where_somebody_has_deleted_old_days_of_the_journal(memory: Memory) -> None:
    memory.append("One.", at="2026-05-03")
    memory.append("Two.", at="2026-05-03")
    memory.undo()
    for info in list(memory.core.storage.walk(Locator(".journal/2026-06-01"))):
        memory.core.storage.delete(info.locator)
    assert reopened(memory).append("Three.", at="2026-05-03").id == "ep_20260503_00000003"


def test_the_ids_of_a_whole_run_stay_taken(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "PART_BYTES", 700)
    for number in range(6):
        memory.append(f"Number {number}.", at="2026-05-03")
    assert len(tree(memory)) > 1
    memory.undo(run=memory.core.changes.actor.run)
    assert tree(memory) == {}
    assert memory.append("Next.", at="2026-05-03").id == "ep_20260503_00000007"
