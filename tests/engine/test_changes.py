"""Changes: whole or not at all, recorded, whatever fails, dies or stands still in the middle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import quire
from quire import Conflict, InvalidEntry, Locator, Memory, OutcomeUnknown, StorageError, StorageFailed, StorageFull
from quire.backends.ram import RamBackend
from quire.engine.changes import OPEN, Changes, Edit, Intent
from quire.engine.journal import Actor, Change, Journal
from quire.engine.plans import Plans
from tests.engine.breaking import (
    ACTS,
    MOST,
    NAMES,
    Killed,
    Watched,
    after_of,
    filled,
    plans,
    raises,
    reopened,
    works,
)
from tests.engine.conftest import Time
from tests.engine.looking import tree

A, B, C = Locator("a.md"), Locator("b.md"), Locator("c.md")


@pytest.fixture(autouse=True)
def _nobody_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.engine.plans._OWNER_MAY_LIVE", 0.0)


@pytest.fixture
def watched(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    yield Watched(memory.core.storage, monkeypatch)


# One file


@pytest.fixture
def storage() -> RamBackend:
    return RamBackend()


@pytest.fixture
def changes(storage: RamBackend, time: Time) -> Changes:
    return Changes(storage, Journal(storage, quire.Clock("UTC", now=time)), Actor("test"))


def journal_of(changes: Changes) -> Journal:
    return changes._journal


def test_what_changes_nothing_is_no_change(changes: Changes, storage: RamBackend) -> None:
    storage.write(A, "one")
    assert changes.apply(Intent("edit"), [Edit(A, b"one", b"one"), Edit(B, None, None)]) is None
    assert list(journal_of(changes).newest_first()) == []


def test_a_file_that_is_not_as_it_was_read_is_kept(changes: Changes, storage: RamBackend) -> None:
    storage.write(A, "theirs")
    for edit in (Edit(A, None, b"mine"), Edit(A, b"one", b"mine"), Edit(A, b"one", None), Edit(B, b"one", b"mine")):
        with pytest.raises(Conflict):
            changes.apply(Intent("edit"), [edit])
    assert storage.read(A) == "theirs"
    assert list(journal_of(changes).newest_first()) == []


def test_words_that_the_journal_cannot_hold_are_refused(changes: Changes, storage: RamBackend) -> None:
    with pytest.raises(InvalidEntry, match="the reason is int, not text"):
        changes.apply(Intent("edit", reason=5), [Edit(A, None, b"x")])  # type: ignore[arg-type]
    with pytest.raises(InvalidEntry, match="a request of 4,001 characters is too long"):
        changes.apply(Intent("edit", request="x" * 4001), [Edit(A, None, b"x")])
    assert not storage.exists(A)


def test_a_note_records_what_changed_no_file(changes: Changes) -> None:
    noted = changes.note(Intent("undo", undoes=("20260601T130000000000-00000000",)))
    assert list(journal_of(changes).newest_first()) == [noted]
    assert noted.id > "20260601T130000000000"


@pytest.mark.parametrize("tier", ["T1", "T2"])
def test_what_is_not_the_agents_is_recorded_before_it_is_made(
    changes: Changes, storage: RamBackend, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    Watched(storage, monkeypatch).at(2, raises(Killed()))
    with pytest.raises(Killed):
        changes.apply(Intent("save", tier=tier), [Edit(A, None, b"x")])
    [kept] = journal_of(changes).newest_first()
    assert (kept.tier, kept.steps[0].hunks[0].new, storage.exists(A)) == (tier, b"x", False)


# Whatever fails


@pytest.mark.parametrize("error", [StorageFull("no space"), StorageFailed("EIO"), quire.errors.Busy("locked")])
@pytest.mark.parametrize("act", ACTS, ids=NAMES)
def test_each_call_may_fail_and_what_is_said_is_true(
    act: Callable[[Memory], None], error: StorageError, layout: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = after_of(act, layout, time)
    for number in range(1, MOST):
        with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
            before, records = tree(filled(memory)), list(memory.changes())
            watched = Watched(memory.core.storage, monkeypatch)
            watched.at(number, raises(error))
            try:
                act(memory)
                unknown = False
            except OutcomeUnknown:
                unknown = True
            except StorageError:
                unknown = False
                assert tree(memory) == before, number
                assert plans(memory) == []
            watched.calm()
            if watched.count < number:
                assert tree(memory) == after
                break
            again = reopened(memory)
            assert tree(again) in (before, after), number
            assert plans(again) == []
            if tree(again) == before and not unknown:
                assert list(again.changes()) == records
            works(again)
    else:
        pytest.fail("it makes more calls than were tried")


@pytest.mark.parametrize("act", ACTS, ids=NAMES)
def test_each_call_may_have_an_unknown_end(
    act: Callable[[Memory], None], layout: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = after_of(act, layout, time)
    for number in range(1, MOST):
        for done in (True, False):
            with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
                before = tree(filled(memory))
                watched = Watched(memory.core.storage, monkeypatch)
                watched.at(number, raises(OutcomeUnknown("who knows")), done=done)
                try:
                    act(memory)
                except StorageFailed:
                    assert tree(memory) == before, number
                except OutcomeUnknown:
                    pass
                watched.calm()
                if watched.count < number:
                    return
                again = reopened(memory)
                assert tree(again) in (before, after), (number, done)
                assert plans(again) == []
                works(again)
    pytest.fail("it makes more calls than were tried")


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("act", ACTS, ids=NAMES)
def test_a_process_may_die_at_each_call(
    act: Callable[[Memory], None], done: bool, layout: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = after_of(act, layout, time)
    for number in range(1, MOST):
        with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
            before = tree(filled(memory))
            watched = Watched(memory.core.storage, monkeypatch)
            watched.at(number, raises(Killed()), done=done)
            try:
                act(memory)
            except Killed:
                pass
            watched.calm()
            if watched.count < number:
                return
            again = reopened(memory)
            assert tree(again) in (before, after), number
            assert plans(again) == []
            assert {each.outcome for each in again.recovered} <= {"finished", "taken back"}
            works(again)
    pytest.fail("it makes more calls than were tried")


def test_an_undoing_that_died_before_it_did_anything_is_none(memory: Memory, watched: Watched) -> None:
    filled(memory)
    before = tree(memory)
    watched.at(2, raises(Killed()))  # the first call is the record of it
    with pytest.raises(Killed):
        memory.undo()
    watched.calm()
    assert tree(memory) == before
    again = reopened(memory)
    assert [change.verb for change in again.undo()] == ["retag"]
    assert tree(memory) != before


def test_a_record_that_cannot_be_taken_back_is_passed_over(memory: Memory, watched: Watched) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    calls = iter(range(9))

    def fail() -> None:
        if next(calls) < 2:
            raise StorageFull("no space")

    real = RamBackend.write_bytes

    def write_bytes(self: RamBackend, *arguments: Any, **keywords: Any) -> Any:
        fail()
        return real(self, *arguments, **keywords)

    def append_bytes(self: RamBackend, locator: Locator, content: bytes) -> Locator:
        if "void" in locator.name:
            raise StorageFull("no space for this either")
        return RamBackend.append_bytes(self, locator, content)

    storage = memory.core.storage
    watched.monkeypatch.setattr(storage, "write_bytes", write_bytes.__get__(storage))
    watched.monkeypatch.setattr(storage, "append_bytes", append_bytes.__get__(storage))
    with pytest.raises(StorageFull) as failed:
        memory.forget("fix/x")
    assert any("The journal still has it" in note for note in failed.value.__notes__)
    watched.monkeypatch.undo()
    assert tree(memory) == before
    assert [change.verb for change in memory.undo()] == ["save"]
    assert tree(memory) == {}


def test_a_plan_keeps_bytes_that_are_no_text_and_half_a_character(storage: RamBackend, changes: Changes) -> None:
    edits = [Edit(A, None, bytes(range(256))), Edit(B, None, b"text")]
    change = changes.apply(Intent("edit", reason="half \ud83d"), edits)
    assert isinstance(change, Change)
    assert storage.read_bytes(A) == bytes(range(256))
    assert next(journal_of(changes).newest_first()) == change


def test_a_plan_is_gone_once_its_change_is_made(storage: RamBackend, changes: Changes) -> None:
    changes.apply(Intent("edit"), [Edit(A, None, b"a"), Edit(B, None, b"b"), Edit(C, None, b"c")])
    assert storage.list(Locator(".journal").child(OPEN)) == []
    assert list(Plans(storage, journal_of(changes)).recover({"": storage})) == []
