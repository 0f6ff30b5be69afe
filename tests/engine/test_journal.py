"""The journal: what it keeps comes back, in its order, and what it cannot read hides nothing else."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire import Clock, InvalidEntry, Locator, Memory
from quire.backends.ram import RamBackend
from quire.engine import journal as module
from quire.engine.hunks import Hunk
from quire.engine.journal import Actor, Change, Journal, Step
from quire.engine.records import NoRecord, Void, encoded, line_of, read_line
from quire.errors import OutcomeUnknown
from tests.engine.conftest import Time


def journal_of(time: Time, storage: RamBackend | None = None) -> Journal:
    return Journal(storage or RamBackend(), Clock("UTC", now=time))


def written(journal: Journal, verb: str = "save", run: str = "r", **more: object) -> Change:
    id, at = journal.new_id()
    change = Change(id=id, at=at, verb=verb, run=run, actor="python", **more)  # type: ignore[arg-type]
    journal.append(change)
    return change


def files(journal: Journal) -> list[Locator]:
    return [info.locator for info in journal.storage.walk(journal.at)]


# Records

_TEXT = st.text(max_size=8)
_BYTES = st.binary(max_size=12)
_VERSION = st.none() | _TEXT
_STEPS = st.builds(
    Step,
    path=_TEXT,
    before=_VERSION,
    after=_VERSION,
    hunks=st.lists(st.builds(Hunk, st.integers(0, 99), _BYTES, _BYTES, st.integers(0, 9)), max_size=2).map(tuple),
    storage=_TEXT,
    purged=st.booleans(),
)
_CHANGES = st.builds(
    Change,
    id=st.just("20260601T120000000000-0123abcd"),
    at=_TEXT,
    verb=_TEXT,
    run=_TEXT,
    actor=_TEXT,
    session=_TEXT,
    reason=_TEXT,
    request=_TEXT,
    entries=st.lists(_TEXT, max_size=2).map(tuple),
    made=st.dictionaries(_TEXT, st.lists(_TEXT, max_size=2).map(tuple), max_size=2),
    tier=_TEXT,
    undoes=st.lists(_TEXT, max_size=2).map(tuple),
    steps=st.lists(_STEPS, max_size=2).map(tuple),
)


@given(_CHANGES)
def test_a_record_is_read_as_it_was_written(change: Change) -> None:
    line = line_of(change)
    assert line.count(b"\n") == 1
    assert read_line(line) == change


def test_half_a_character_in_a_reason_survives() -> None:
    change = Change("20260601T120000000000-0123abcd", "", "save", "r", "python", reason="half \ud83d of one")
    assert read_line(line_of(change)) == change


def test_keys_that_are_not_known_are_left_alone() -> None:
    change = Change("20260601T120000000000-0123abcd", "", "save", "r", "python", steps=(Step("a.md", None, "1"),))
    record = encoded(change) | {"colour": "blue"}
    record["steps"][0]["weight"] = 3
    assert read_line(line_of(record)) == change


@pytest.mark.parametrize(
    "damage",
    [
        {"id": 5}, {"id": "yesterday"}, {"at": None}, {"verb": []}, {"run": {}}, {"entries": "fix/x"}, {"undoes": [1]},
        {"made": []}, {"made": {"a": "b"}}, {"steps": {}}, {"steps": [1]}, {"steps": [{"before": None}]},
        {"steps": [{"path": "a", "before": 1}]}, {"steps": [{"path": "a", "hunks": [[0, "a"]]}]},
        {"steps": [{"path": "a", "hunks": [["0", "a", "b"]]}]}, {"steps": [{"path": "a", "hunks": [[0, {}, "b"]]}]},
        {"steps": [{"path": "a", "hunks": [[0, {"base64": "?"}, "b"]]}]}, {"steps": [{"path": "a", "hunks": 7}]},
        {"void": 3}, {"reason": 1},
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused_with_a_reason(damage: dict[str, object]) -> None:
    record = encoded(Change("20260601T120000000000-0123abcd", "", "save", "r", "python")) | damage
    with pytest.raises(NoRecord, match=r"\w"):
        read_line(json.dumps(record).encode())


@pytest.mark.parametrize("line", [b"", b"{", b'"text"', b"[1]", b"5", b"null", b"\xff", b"[" * 100_000])
def test_a_line_that_is_no_record_raises_one_kind_of_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        read_line(line)


# Ids and order


def test_ids_stay_in_order_whatever_the_clock_does(time: Time) -> None:
    journal = journal_of(time)
    ids = []
    for step in (0, 0, 3600, -3600, -86_400, 1, 86_400 * 2, -86_400):
        time.forward(seconds=step)
        ids.append(written(journal).id)
    assert ids == sorted(set(ids))
    assert [change.id for change in journal.newest_first()] == ids[::-1]
    assert [change.id for change in journal.oldest_first()] == ids


def test_the_time_is_the_clocks_own(time: Time) -> None:
    journal = journal_of(time)
    written(journal)
    time.forward(days=-1)
    assert written(journal).at == "2026-05-31T12:00:00.000000+00:00"


def test_an_undoing_comes_after_what_it_undoes_also_where_the_clock_of_its_process_is_late(time: Time) -> None:
    storage = RamBackend()
    first = written(journal_of(time, storage))
    time.forward(hours=-1)
    id, _ = journal_of(time, storage).new_id(after=first.id)
    assert id > first.id


def test_what_a_late_clock_undoes_stays_undone(time: Time, memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.core.journal._last = ""  # another process
    time.forward(days=-2)
    memory.undo()
    with pytest.raises(quire.NothingToUndo):
        memory.undo()


def test_the_newest_come_first_across_days_and_processes(time: Time) -> None:
    storage = RamBackend()
    journals = [journal_of(time, storage) for _ in range(3)]
    ids = []
    for number in range(9):
        ids.append(written(journals[number % 3], run=f"r{number % 3}").id)
        time.forward(hours=9)
    assert [change.id for change in journals[0].newest_first()] == ids[::-1]
    assert [change.id for change in journals[0].newest_first(ids[4])] == ids[:3:-1]
    assert [change.id for change in journals[0].oldest_first(ids[4])] == ids[4:]
    of_that_day_on = [id for id in ids if id >= ids[4][:8]]
    assert [change.id for change in journals[0].newest_first(ids[4][:8])] == of_that_day_on[::-1]


def test_a_run_is_found_by_the_names_of_files(time: Time) -> None:
    journal = journal_of(time)
    written(journal, run="a")
    time.forward(days=3)
    written(journal, run="ab")
    assert journal.first_of("a") == "20260601"
    assert journal.first_of("ab") == "20260604"
    assert journal.first_of("b") == ""


def test_a_change_is_found_by_its_whole_id_or_by_how_it_begins(time: Time) -> None:
    journal = journal_of(time)
    first, second = written(journal), written(journal)
    time.forward(days=1)
    third = written(journal)
    assert journal.find(first.id) == first
    assert journal.find(first.id[:-1]) is None
    assert journal.find("") is None
    assert journal.beginning_with("20260601") == [second, first]
    assert journal.beginning_with("2026") == [third, second, first]
    assert journal.beginning_with(third.id[:12]) == [third]
    assert journal.beginning_with("2027") == []


def test_a_run_is_a_name() -> None:
    assert Actor().run != Actor().run
    for run in ("a b", "../x", ".", "a" * 65, "ü"):
        with pytest.raises(InvalidEntry, match="cannot name a run"):
            Actor(run=run)


# Files


def test_a_file_that_is_full_is_followed_by_another(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROLL_BYTES", 300)
    journal = journal_of(time)
    changes = [written(journal, reason="x" * 100) for _ in range(5)]
    assert [at.name.rpartition(".jsonl")[0].rpartition(".")[2] for at in files(journal)] == ["1", "2", "3"]
    assert list(journal.oldest_first()) == changes


def test_two_processes_never_write_one_file_not_even_a_fork_and_its_parent(
    time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = journal_of(time)
    written(journal)
    monkeypatch.setattr(os, "getpid", lambda: -1)  # what a fork finds
    changes = [written(journal), written(journal)]
    assert len(files(journal)) == 2
    assert list(journal.newest_first())[:2] == changes[::-1]


def test_a_record_of_what_did_not_happen_counts_for_nothing(time: Time) -> None:
    journal = journal_of(time)
    first, second = written(journal), written(journal)
    journal.void(first)
    assert list(journal.newest_first()) == [second]
    assert journal.find(first.id) is None


def test_a_change_that_two_have_recorded_is_one(time: Time) -> None:
    storage = RamBackend()
    change = written(journal_of(time, storage))
    journal = journal_of(time, storage)
    journal.append(replace(change, run="helper"))
    assert [each.id for each in journal.newest_first()] == [change.id]


@pytest.mark.parametrize("cut", [1, 2, 30, 100])
def test_a_torn_last_line_hides_nothing_and_is_no_fault(time: Time, cut: int) -> None:
    journal = journal_of(time)
    first, second = written(journal), written(journal)
    [at] = files(journal)
    journal.storage.write_bytes(at, journal.storage.read_bytes(at)[:-cut])
    assert list(journal.newest_first()) == ([second, first] if cut == 1 else [first])  # only its newline is missing
    assert list(journal.unreadable()) == []


@pytest.mark.parametrize("void", [False, True])
def test_what_follows_a_line_that_could_not_be_finished_is_not_lost_with_it(
    time: Time, monkeypatch: pytest.MonkeyPatch, void: bool
) -> None:
    journal = journal_of(time)
    real = journal.storage.append_bytes

    def half(locator: Locator, content: bytes) -> Locator:
        real(locator, content[: len(content) // 2])
        raise OutcomeUnknown("it may be there", where=locator.key)

    first, second = written(journal), written(journal)
    with monkeypatch.context() as patch, pytest.raises(OutcomeUnknown):
        patch.setattr(journal.storage, "append_bytes", half)
        journal.void(first) if void else written(journal)
    third = written(journal)
    journal.void(second)
    assert [change.id for change in journal.oldest_first()] == [first.id, third.id]


def test_a_line_that_cannot_be_read_is_reported_and_hides_nothing_else(time: Time) -> None:
    journal = journal_of(time)
    changes = [written(journal) for _ in range(3)]
    [at] = files(journal)
    lines = journal.storage.read_bytes(at).split(b"\n")
    journal.storage.write_bytes(at, b"\n".join([lines[0], b'{"id": "gone"', lines[2], b"[]", b""]))
    assert list(journal.oldest_first()) == [changes[0], changes[2]]
    found = list(journal.unreadable())
    assert [(each.locator, each.line) for each in found] == [(at, 2), (at, 4)]
    assert str(found[1]) == (
        f"{at}:4: this record cannot be read: it is no record. Restore the line from a backup, or delete it"
    )


def test_what_is_beside_the_days_is_not_read(time: Time) -> None:
    journal = journal_of(time)
    change = written(journal)
    for name in ("open/x.json", "issued/y.json", "device.json", "notes.txt"):
        journal.storage.write_bytes(journal.at.child(name), b"not a record\n")
    assert list(journal.newest_first()) == [change]
    assert list(journal.unreadable()) == []


def test_a_day_that_no_calendar_has_is_harmless(time: Time) -> None:
    journal = journal_of(time)
    odd = Change("20269999T999999999999-00000000", "", "save", "r", "python")
    journal.append(odd)
    assert journal.find(odd.id) == odd
    assert journal.new_id(after=odd.id)[0].startswith("20260601T")


# Rewriting


def test_records_are_rewritten_where_they_mention_it_and_nowhere_else(time: Time) -> None:
    journal = journal_of(time)
    written(journal, reason="keep")
    written(journal, reason="the secret")
    [at] = files(journal)
    before = journal.storage.read_bytes(at).split(b"\n")
    journal.rewrite(lambda record: record | {"reason": ""}, (b"secret",))
    after = journal.storage.read_bytes(at).split(b"\n")
    assert after[0] == before[0]
    assert [change.reason for change in journal.oldest_first()] == ["keep", ""]


def test_a_line_that_mentions_it_and_cannot_be_read_is_emptied(time: Time) -> None:
    journal = journal_of(time)
    change = written(journal)
    [at] = files(journal)
    journal.storage.append_bytes(at, b'{"half of the secret\n')
    journal.rewrite(lambda record: record, (b"secret",))
    assert b"secret" not in journal.storage.read_bytes(at)
    assert list(journal.newest_first()) == [change]
    assert list(journal.unreadable()) == []


def test_what_is_appended_while_a_file_is_rewritten_stays(time: Time) -> None:
    journal = journal_of(time)
    written(journal, reason="the secret")
    added: list[Change] = []

    def make(record: dict[str, object]) -> dict[str, object]:
        if not added:
            added.append(written(journal, reason="kept"))
        return record | {"reason": ""}

    journal.rewrite(make, (b"secret",))
    assert [change.reason for change in journal.oldest_first()] == ["", "kept"]


def test_a_void_line_is_a_line() -> None:
    assert read_line(line_of(Void("20260601T120000000000-0123abcd"))) == Void("20260601T120000000000-0123abcd")
