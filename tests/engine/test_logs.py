"""Logs: an entry is filed under the day it happened, and its id is never given to another."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire import EntryId, EntryNotFound, InvalidEntry, InvalidTime, Locator, Memory, Status
from quire.engine import logs
from quire.markdown.document import Document
from tests.engine.conftest import Time
from tests.engine.looking import Watched, ids, put, remove, text_at, tree, where

TODAY = "2026-06-01"


def numbers(memory: Memory) -> list[int]:
    return [EntryId.parse(entry.id).sequence for entry in memory.list(kind="episode", status="all")]


def header(memory: Memory, key: str) -> Document:
    return Document.parse(text_at(memory, key))


# What an append leaves


def test_the_file_is_that_of_the_specification(memory: Memory) -> None:
    memory.append("Ada asked for shorter answers.", scope="user:alice", tags=["style"])
    key = where(memory, "episode", TODAY, scope=quire.Scope.parse("user:alice"))
    assert text_at(memory, key) == (
        "---\nid: episode_log_alice_2026-06-01\ntype: episode_daily\nfile_type: episode_daily\nschema_version: 1\n"
        "user_id: alice\ntrack: user\ndate: '2026-06-01'\nentry_count: 1\n"
        "last_appended_at: '2026-06-01T12:00:00+00:00'\n---\n"
        "<!-- entry:ep_20260601_00000001 -->\n---\nstatus: active\ntimestamp: '2026-06-01T12:00:00+00:00'\n"
        "created: '2026-06-01T12:00:00+00:00'\ntags: [style]\nsource: python\n---\nAda asked for shorter answers.\n"
        "<!-- /entry:ep_20260601_00000001 -->\n"
    )


def test_the_header_of_an_agents_log_says_whose_it_is(memory: Memory) -> None:
    memory.append("It worked.", kind="agent_case", scope="agent:coder")
    scope = quire.Scope.parse("agent:coder")
    fields = header(memory, where(memory, "agent_case", TODAY, scope=scope)).fields
    assert (fields["agent_id"], fields["track"], fields["type"]) == ("coder", "agent", "agent_case_daily")
    assert "user_id" not in fields


def test_what_is_returned_is_what_is_read(memory: Memory) -> None:
    memory.append("One.\n\nTwo.")
    entry = memory.append("Three.", title="A title", fields={"mood": "good"})
    assert memory.get(entry.id) == entry
    assert (entry.title, entry.fields["mood"], entry.status) == ("A title", "good", Status.ACTIVE)


def test_every_append_is_an_entry_of_its_own(memory: Memory, time: Time) -> None:
    for _ in range(3):
        memory.append("The same text.")
        time.forward(minutes=1)
    assert numbers(memory) == [1, 2, 3]
    fields = header(memory, where(memory, "episode", TODAY)).fields
    assert (fields["entry_count"], fields["last_appended_at"]) == (3, "2026-06-01T12:02:00+00:00")


def test_append_is_for_logs(memory: Memory) -> None:
    with pytest.raises(InvalidEntry, match=r"^a fix is no log"):
        memory.append("Text.", kind="fix")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80), max_size=5))
def test_any_texts_come_back_apart(texts: list[str]) -> None:
    kept = [text for text in texts if text.strip()]
    with quire.open(protocol="ram", timezone="UTC") as memory:
        for text in kept:
            memory.append(text)
        assert [entry.body for entry in memory.list()] == kept
        assert memory.list().faults == ()


# The day


def test_an_entry_is_filed_under_the_day_it_happened_where_the_person_lives(layout: str, time: Time) -> None:
    time.moment = dt.datetime(2026, 6, 1, 22, 30, tzinfo=dt.UTC)
    with quire.open(protocol="ram", layout=layout, timezone="Europe/Berlin", now=time) as memory:
        assert memory.append("After midnight.").id == "ep_20260602_00000001"
        entry = memory.append("Last winter.", at="2026-01-15T00:30")
        assert entry.id == "ep_20260115_00000001"
        assert entry.fields["timestamp"] == "2026-01-14T23:30:00+00:00"
        assert entry.fields["created"] == "2026-06-01T22:30:00+00:00"
        assert entry.when == "2026-01-14T23:30:00+00:00"
        assert memory.append("A moment of another zone.", at="2026-01-15T20:00-08:00").id == "ep_20260116_00000001"
        assert memory.append("A day.", at=dt.datetime(2025, 12, 31)).id == "ep_20251231_00000001"  # noqa: DTZ001


def test_a_history_that_is_told_at_once_is_filed_day_by_day(memory: Memory) -> None:
    for day in ("2024-02-29", "2023-12-31", "2024-02-29", "2026-07-01"):
        memory.append("It happened.", at=day)
    assert ids(memory.list()) == [
        "ep_20231231_00000001", "ep_20240229_00000001", "ep_20240229_00000002", "ep_20260701_00000001",
    ]  # fmt: skip


def test_a_time_that_is_none_appends_nothing(memory: Memory) -> None:
    for at in ("soon", "0001-01-01", "9999-12-31T23:59"):
        with pytest.raises(InvalidTime):
            memory.append("Text.", at=at)
    assert tree(memory) == {}


# An id is never issued twice


def reopened(memory: Memory, time: Time) -> Memory:
    """The same root as another process finds it: nothing is known but what is written."""
    storage = memory.core.storage
    again = quire.open(protocol="ram", layout=memory.core.layout.name, timezone="UTC", now=time)
    for info in storage.walk(Locator()):
        again.core.storage.write_bytes(info.locator, storage.read_bytes(info.locator))
    return again


def cut_out(memory: Memory, id: str) -> None:
    """A person deletes an entry and says nothing."""
    locator = memory.get(id).locator
    text = text_at(memory, locator.key)
    start, end = text.index(f"<!-- entry:{id} -->"), text.index(f"<!-- /entry:{id} -->\n")
    put(memory, locator.key, text[:start] + text[end + len(f"<!-- /entry:{id} -->\n") :])


def by_hand(memory: Memory, time: Time) -> Memory:
    for id in ids(memory.list()):
        cut_out(memory, id)
    return memory


def with_its_header(memory: Memory, time: Time) -> Memory:
    by_hand(memory, time)
    key = where(memory, "episode", TODAY)
    put(memory, key, header(memory, key).body)
    return memory


def whole_file(memory: Memory, time: Time) -> Memory:
    remove(memory, where(memory, "episode", TODAY))
    return memory


def whole_file_next_day(memory: Memory, time: Time) -> Memory:
    time.forward(days=3)
    return whole_file(memory, time)


def undone(memory: Memory, time: Time) -> Memory:
    for _ in range(3):
        memory.undo()
    return memory


def undone_and_the_file_deleted(memory: Memory, time: Time) -> Memory:
    memory.undo()
    return whole_file(memory, time)


def purged(memory: Memory, time: Time) -> Memory:
    for id in ids(memory.list()):
        memory.purge(id, yes=True)
    return memory


def stale_editor_save(memory: Memory, time: Time) -> Memory:
    """An editor that was open since the first entry saves what it has."""
    key = where(memory, "episode", TODAY)
    text = text_at(memory, key)
    end = text.index("<!-- entry:ep_20260601_00000002 -->")
    put(memory, key, text[:end].replace("entry_count: 3", "entry_count: 1"))
    return memory


def damaged_markers(memory: Memory, time: Time) -> Memory:
    key = where(memory, "episode", TODAY)
    text = text_at(memory, key).replace("_00000003 -->", "_00000003").replace("entry_count: 3", "entry_count: none")
    put(memory, key, text)
    return memory


@pytest.mark.parametrize("is_another", [False, True], ids=["the same process", "another process"])
@pytest.mark.parametrize(
    "happened",
    [
        by_hand, with_its_header, whole_file, whole_file_next_day, undone, undone_and_the_file_deleted, purged,
        stale_editor_save, damaged_markers,
    ],
)  # fmt: skip
def test_an_id_is_never_issued_twice(
    memory: Memory, time: Time, happened: Callable[[Memory, Time], Memory], is_another: bool
) -> None:
    for number in range(3):
        memory.append(f"Episode {number}.")
    happened(memory, time)
    after = reopened(memory, time) if is_another else memory
    assert after.append("Later.", at=TODAY).id == "ep_20260601_00000004"
    assert after.append("Later still.", at=TODAY).id == "ep_20260601_00000005"


def test_a_stale_save_between_two_processes_reissues_nothing(tmp_path: Path, time: Time) -> None:
    def opened() -> Memory:
        return quire.open(tmp_path, timezone="UTC", now=time)

    with opened() as one, opened() as two:
        one.append("One.")
        file = tmp_path / where(one, "episode", TODAY)
        stale = file.read_text()
        two.append("Two.")
        two.append("Three.")
        file.write_text(stale)
        assert one.append("Four.").id == "ep_20260601_00000004"
        file.write_text(stale)
        assert two.append("Five.").id == "ep_20260601_00000005"


def test_what_the_journal_says_is_asked_from_its_beginning_after_a_clock_that_was_ahead(
    memory: Memory, time: Time
) -> None:
    now = time.moment
    time.moment = dt.datetime(2031, 1, 1, tzinfo=dt.UTC)
    memory.append("One.", at=TODAY)
    time.moment = now
    after = reopened(memory, time)
    after.append("Two.", at=TODAY)
    remove(after, where(after, "episode", TODAY))
    assert reopened(after, time).append("Three.", at=TODAY).id == "ep_20260601_00000003"


def noted(memory: Memory, **said: object) -> None:
    """Write the note of numbers anew."""
    storage = memory.core.journal.storage
    [note] = storage.list(Locator(".journal/issued"))
    storage.write_bytes(note, json.dumps({**json.loads(storage.read_bytes(note)), **said}).encode())


def test_a_note_that_was_made_by_a_clock_that_is_ahead_hides_no_record(memory: Memory, time: Time) -> None:
    memory.append("One.")
    noted(memory, since="2031-01-01", issued=0)
    remove(memory, where(memory, "episode", TODAY))
    assert reopened(memory, time).append("Two.").id == "ep_20260601_00000002"


def test_what_was_noted_counts_though_its_records_are_gone(memory: Memory, time: Time) -> None:
    memory.append("One.")
    noted(memory, issued=6)
    for record in memory.core.journal.storage.list(Locator(".journal/2026-06-01")):
        memory.core.journal.storage.delete(record)
    remove(memory, where(memory, "episode", TODAY))
    assert reopened(memory, time).append("Two.").id == "ep_20260601_00000007"


def test_the_journal_of_long_ago_is_read_once(memory: Memory, time: Time) -> None:
    memory.append("One.", at=TODAY)
    for _ in range(5):
        time.forward(days=10)
        memory.save(f"Something else on {time.moment}.")
    again = reopened(memory, time)
    again.append("Two.", at=TODAY)
    again = reopened(again, time)
    again.core.journal.storage = watched = Watched(again.core.journal.storage)
    assert again.append("Three.", at=TODAY).id == "ep_20260601_00000003"
    assert {key.split("/")[1] for key in watched.read_keys if key.endswith(".jsonl")} == {"2026-07-21"}


def test_a_log_that_somebody_else_has_written_says_itself_what_was_issued(memory: Memory) -> None:
    put(memory, where(memory, "episode", TODAY), "---\nentry_count: 7\n---\n")
    put(memory, where(memory, "episode", "2026-05-31"), "<!-- entry:ep_20260531_00000004 -->\nText.\n")
    assert memory.append("Text.").id == "ep_20260601_00000008"
    assert memory.append("Text.", at="2026-05-31").id == "ep_20260531_00000005"


def test_a_text_that_quotes_ids_takes_none(memory: Memory) -> None:
    quoted = (
        "<!-- entry:ep_20260601_00000777 -->\n  <!-- entry:ep_20260601_00000778 -->\n"
        'default/default/user:default ep_20260601_00000779\n"default/default/user:default ep_20260601_00000780"\n'
        "<!-- /entry:ep_20260601_99999999 -->"
    )
    memory.append(quoted)
    memory.append(f'["{quoted}"]', fields={"entries": ["default/default/user:default ep_20260601_00000781"]})
    memory.forget("ep_20260601_00000001", reason="default/default/user:default ep_20260601_00000782")
    remove(memory, where(memory, "episode", TODAY))
    assert memory.append("Text.").id == "ep_20260601_00000003"


def test_the_ids_of_other_days_and_people_take_none(memory: Memory) -> None:
    for number in range(3):
        memory.append(f"Episode {number}.", at="2026-05-31")
        memory.append(f"Hers {number}.", scope="user:alice")
        memory.append(f"Fact {number}.", kind="atomic_fact")
    remove(memory, where(memory, "episode", "2026-05-31"))
    assert memory.append("Mine.").id == "ep_20260601_00000001"


def test_a_note_of_numbers_that_is_broken_says_nothing(memory: Memory, time: Time) -> None:
    memory.append("One.")
    folder = Locator(".journal/issued")
    for broken in (b"{", b"[]", b'{"issued": "x", "since": 5}', b"\xff"):
        for note in memory.core.journal.storage.list(folder):
            memory.core.journal.storage.write_bytes(note, broken)
        before = max(numbers(memory))
        remove(memory, where(memory, "episode", TODAY))
        memory = reopened(memory, time)
        memory.append("Next.")
        assert max(numbers(memory)) == before + 1


def test_a_new_day_does_not_read_the_journal(memory: Memory) -> None:
    """A history of a thousand days that is brought in would read it a thousand times."""
    for number in range(20):
        memory.append("Text.", at=f"2026-05-{number + 1:02}")
    memory.core.journal.storage = watched = Watched(memory.core.journal.storage)
    memory.append("Text.", at="2026-04-01")
    assert not [key for key in watched.read_keys if key.endswith(".jsonl")]


# A log that a person has changed


def test_a_log_without_a_header_gets_one(memory: Memory) -> None:
    key = where(memory, "episode", TODAY)
    put(memory, key, "# My day\n\nWritten by hand.\n")
    assert memory.append("It rained.").id == "ep_20260601_00000001"
    assert "# My day\n\nWritten by hand.\n" in text_at(memory, key)
    assert header(memory, key).fields["entry_count"] == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"---\nentry_count: [\n---\n<!-- entry:ep_20260601_00000001 -->\nOld.\n<!-- /entry:ep_20260601_00000001 -->\n",
        b"---\nentry_count: 1\n<!-- entry:ep_20260601_00000001 -->\nOld.\n<!-- /entry:ep_20260601_00000001 -->\n",
        b"\xff\xfe\n<!-- entry:ep_20260601_00000001 -->\nOld.\n<!-- /entry:ep_20260601_00000001 -->\n",
    ],
    ids=["syntax", "not closed", "not UTF-8"],
)
def test_what_is_too_broken_to_be_added_to_stays_and_the_log_continues_beside_it(memory: Memory, broken: bytes) -> None:
    key = where(memory, "episode", TODAY)
    memory.core.storage.write_bytes(Locator(key), broken)
    assert memory.append("New.").id == "ep_20260601_00000002"
    assert memory.append("Newer.").id == "ep_20260601_00000003"
    assert memory.core.storage.read_bytes(Locator(key)) == broken
    assert memory.get("ep_20260601_00000002").locator.key == key.replace(".md", ".2.md")
    assert key in {fault.locator.key for fault in memory.list().faults}


def test_an_entry_without_an_end_keeps_its_text_and_the_next_is_apart(memory: Memory) -> None:
    memory.append("One.")
    key = where(memory, "episode", TODAY)
    put(memory, key, text_at(memory, key).replace("<!-- /entry:ep_20260601_00000001 -->\n", ""))
    memory.append("Two.")
    assert [entry.text for entry in memory.list()] == ["One.", "Two."]


def test_a_count_that_nobody_could_have_reached_is_not_believed(memory: Memory) -> None:
    memory.append("One.")
    key = where(memory, "episode", TODAY)
    for count in ("99999999", "-5", "1e3", "true", "'7'"):
        put(memory, key, text_at(memory, key).replace(f"entry_count: {numbers(memory)[-1]}", f"entry_count: {count}"))
        before = max(numbers(memory))
        memory.append("More.")
        assert max(numbers(memory)) == before + 1


# Parts, and what an append costs


def test_a_log_that_is_large_continues_in_a_further_part(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "PART_BYTES", 2000)
    for number in range(12):
        memory.append(f"{number} " + "word " * 100)
    key = where(memory, "episode", TODAY)
    parts = sorted(tree(memory))
    assert parts == sorted([key, *(key.replace(".md", f".{part}.md") for part in (2, 3, 4))])
    assert sorted(numbers(memory)) == list(range(1, 13))
    assert header(memory, key.replace(".md", ".4.md")).fields["entry_count"] == 12
    assert memory.get("ep_20260601_00000005").text.startswith("4 ")
    remove(memory, key.replace(".md", ".4.md"))
    assert memory.append("Next.").id == "ep_20260601_00000013"
    remove(memory, key)
    remove(memory, key.replace(".md", ".2.md"))
    assert memory.append("Last.").id == "ep_20260601_00000014"


def calls_of(act: Callable[[], object]) -> int:
    """How many calls of Python functions `act` makes."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def test_an_append_does_not_read_the_entries_that_are_there(layout: str, time: Time) -> None:
    """What grows with the file is the reading and writing of its bytes; nothing is parsed, entry by entry."""
    counts = {}
    for size in (2, 200):
        with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
            for number in range(size):
                memory.append(f"Episode {number}.")
            counts[size] = calls_of(partial(memory.append, "Another."))
    assert abs(counts[200] - counts[2]) < 20, counts


# Together


APPENDER = """
import sys, quire
root, name, count = sys.argv[1:]
with quire.open(root, timezone="UTC") as memory:
    for number in range(int(count)):
        memory.append(f"{name} {number}", at="2026-06-01")
"""


def test_processes_that_append_at_once_all_land(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", APPENDER, tmp_path, f"worker {n}", "10"]) for n in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    with quire.open(tmp_path, timezone="UTC") as memory:
        listed = memory.list()
        assert sorted(entry.text for entry in listed) == sorted(
            f"worker {n} {number}" for n in range(3) for number in range(10)
        )
        assert len(set(ids(listed))) == 30
        assert listed.faults == ()


# A root that something syncs


def synced(home: Path, root: Path, time: Time, device: str, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(home / device))
    return quire.open(root, protocol="vault", timezone="UTC", now=time)


def test_each_device_appends_to_a_part_of_its_own(
    home: Path, tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    for device in ("laptop", "phone"):
        with synced(home, tmp_path, time, device, monkeypatch) as memory:
            memory.append(f"One from the {device}.")
        with synced(home, tmp_path, time, device, monkeypatch) as memory:
            memory.append(f"Two from the {device}.")
    files = sorted(path.name for path in tmp_path.rglob("episode-*.md"))
    assert len(files) == 2
    assert all(name.startswith("episode-2026-06-01.d") for name in files)
    with synced(home, tmp_path, time, "phone", monkeypatch) as memory:
        listed = memory.list()
        assert len(set(ids(listed))) == 4
        assert {entry.text for entry in listed} == {
            f"{number} from the {device}." for number in ("One", "Two") for device in ("laptop", "phone")
        }
        blocks = {(entry.locator, EntryId.parse(entry.id).sequence // 10_000) for entry in listed}
        assert len(blocks) == 2
        for entry in listed:
            assert memory.get(entry.id) == entry


def test_a_device_whose_name_is_lost_takes_another(
    home: Path, tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    with synced(home, tmp_path, time, "laptop", monkeypatch) as memory:
        first = memory.append("One.")
        at = memory.core.journal.at.child("device.json")
        for broken in (b"{", b"[]", b'{"name": "../x", "block": 3}', b'{"name": "dabc", "block": 0}', b"\xff"):
            memory.core.journal.storage.write_bytes(at, broken)
            assert memory.append("More.").locator != first.locator


def test_the_vault_layout_hides_no_log(time: Time) -> None:
    with quire.open(protocol="ram", layout="vault", timezone="UTC", now=time) as memory:
        for kind in ("episode", "atomic_fact", "foresight", "agent_case"):
            memory.append("Text.", kind=kind)
        assert not [key for key in tree(memory) if "/." in key or key.startswith(".")]


def test_an_unknown_log_id_is_not_found(memory: Memory) -> None:
    memory.append("One.")
    for id in ("ep_20260601_00000002", "af_20260601_00000001", "ep_20260602_00000001"):
        with pytest.raises(EntryNotFound):
            memory.get(id)
