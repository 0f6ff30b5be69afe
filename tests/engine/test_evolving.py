"""Evolving: a new entry in place of an old one. What does not change is kept, both happen or neither."""

from __future__ import annotations

import pytest

from quire import Document, EntryNotFound, InvalidEntry, InvalidTime, Memory, Status
from quire.engine import logs
from quire.engine.layout import Zone
from quire.locator import Locator
from tests.engine.conftest import Time
from tests.engine.looking import ids, put, text_at, tree, where

FOREIGN = (
    "---\n"
    "# kept by hand\n"
    "mood:   'calm'   # single quotes, three spaces\n"
    "kind: fix\n"
    'slug: "locked"\n'
    "aliases:\n"
    "  - one\n"
    '  - "two"\n'
    "status: active\n"
    "tags: [db,  sqlite]\n"
    "0x: {a: 1, b: [2, 3]}\n"
    "---\n"
    "It was locked.\n"
)


def test_the_new_entry_supersedes_and_the_old_one_is_superseded(memory: Memory, time: Time) -> None:
    old = memory.save("It was locked.", kind="fix", slug="locked")
    time.forward(hours=1)
    new = memory.evolve(old.id, "It was locked, twice.", reason="seen again")
    old = memory.get(old.id)
    assert (new.id, new.text, new.status) == ("fix/locked-2", "It was locked, twice.", Status.ACTIVE)
    assert (new.supersedes, new.created, new.fields["reason"]) == (
        "fix/locked",
        "2026-06-01T13:00:00+00:00",
        "seen again",
    )
    assert (old.status, old.superseded_by, old.text) == (Status.SUPERSEDED, new.id, "It was locked.")
    assert old.fields["valid_to"] == new.created
    assert "reason" not in old.fields
    assert memory.get(new.id) == new


def test_what_does_not_change_is_kept_with_its_order_its_quotes_and_its_comments(memory: Memory) -> None:
    at = where(memory, "fix", "locked")
    put(memory, at, FOREIGN)
    new = memory.evolve("fix/locked", "It was locked, twice.")
    assert new.document.text.startswith(
        "---\n"
        "# kept by hand\n"
        "mood:   'calm'   # single quotes, three spaces\n"
        "kind: fix\n"
        'slug: "locked-2"\n'
        "aliases:\n"
        "  - one\n"
        '  - "two"\n'
        "status: active\n"
        "tags: [db,  sqlite]\n"
        "0x: {a: 1, b: [2, 3]}\n"
    )
    unchanged = [line for line in FOREIGN.splitlines() if not line.startswith("status")]
    assert [line for line in text_at(memory, at).splitlines() if line in unchanged] == unchanged


def test_a_chain_of_five_is_one_history(memory: Memory) -> None:
    entry = memory.save("Text 1.", kind="fix", slug="x")
    for number in range(2, 6):
        entry = memory.evolve(entry.id, f"Text {number}.")
    chain = memory.history("fix/x-3")
    assert ids(chain) == ["fix/x", "fix/x-2", "fix/x-3", "fix/x-4", "fix/x-5"]
    assert [each.status for each in chain] == [Status.SUPERSEDED] * 4 + [Status.ACTIVE]
    assert ids(memory.list()) == ["fix/x-5"]


def test_a_number_that_is_part_of_the_name_is_kept(memory: Memory) -> None:
    memory.save("About it.", kind="fix", slug="python-3")
    assert memory.evolve("fix/python-3", "More.").id == "fix/python-3-2"
    assert memory.evolve("fix/python-3-2", "Still more.").id == "fix/python-3-3"


def test_a_name_that_is_taken_is_passed_over(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.save("Another.", kind="fix", slug="x-2")
    assert memory.evolve("fix/x", "More.").id == "fix/x-3"
    assert memory.get("fix/x-2").text == "Another."


def test_fields_that_are_given_change_and_none_takes_one_away(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x", title="Old", tags=["a"], fields={"mood": "calm"})
    new = memory.evolve("fix/x", "More.", fields={"title": "New", "mood": None, "priority": 2})
    assert (new.title, new.tags, new.fields["priority"]) == ("New", ("a",), 2)
    assert "mood" not in new.fields


def test_the_reason_of_the_one_before_is_not_inherited(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.", reason="because")
    assert "reason" not in memory.evolve("fix/x-2", "Most.").fields


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "deleted"}, "'status' is not for callers"),
        ({"slug": "y"}, "'slug' is not for callers"),
        ({"supersedes": "fix/y"}, "'supersedes' is not for callers"),
        ({"priority": "high"}, "fix/x, field priority"),
    ],
)
def test_fields_that_cannot_be_are_refused_and_nothing_is_changed(
    memory: Memory, fields: dict[str, str], said: str
) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=said):
        memory.evolve("fix/x", "More.", fields=fields)
    assert tree(memory) == before


def test_a_source_that_is_not_there_and_a_time_that_is_none_are_refused(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    with pytest.raises(EntryNotFound):
        memory.evolve("fix/x", "More.", fields={"derived_from": ["fix/nothing"]})
    with pytest.raises(InvalidTime):
        memory.evolve("fix/x", "More.", fields={"valid_from": "yesterday"})
    assert ids(memory.list(status="all")) == ["fix/x"]


def test_the_old_one_was_true_until_the_new_one_is(memory: Memory) -> None:
    memory.save("Berlin.", kind="fix", slug="home", valid_from="2020-01-01")
    new = memory.evolve("fix/home", "Hamburg.", fields={"valid_from": "2026-03-01"})
    assert new.fields["valid_from"] == "2026-03-01T00:00:00+00:00"
    assert memory.get("fix/home").fields["valid_to"] == "2026-03-01T00:00:00+00:00"
    assert memory.get("fix/home").fields["valid_from"] == "2020-01-01T00:00:00+00:00"
    assert "valid_to" not in new.fields


def test_occurrences_are_counted_anew(memory: Memory) -> None:
    for _ in range(3):
        memory.save("Text.", kind="fix", slug="x")
    assert memory.get("fix/x").fields["occurrences"] == 3
    assert "occurrences" not in memory.evolve("fix/x", "More.").fields


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("evolve", r"this one is superseded; fix/x-2 took its place\. Evolve fix/x-2"),
        ("forget", r"this one is deleted\. Restore it first"),
        ("archive", r"this one is archived\. Restore it first"),
    ],
)
def test_what_is_not_active_does_not_evolve_and_the_refusal_says_what_to_do(
    memory: Memory, act: str, said: str
) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.") if act == "evolve" else getattr(memory, act)("fix/x")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=said):
        memory.evolve("fix/x", "Most.")
    assert tree(memory) == before


def test_an_empty_text_and_an_unknown_id_are_refused(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    with pytest.raises(InvalidEntry, match="the text is empty"):
        memory.evolve("fix/x", " \n")
    with pytest.raises(EntryNotFound, match="there is fix/x"):
        memory.evolve("fix/xx", "More.")


def test_an_edit_by_hand_in_between_is_kept(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.save("Text.", kind="fix", slug="x")
    at = where(memory, "fix", "x")
    changes = memory.core.changes
    real = type(changes).apply
    calls = []

    def meanwhile(self: object, *arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 1:  # a person saves the file between the look and the write
            put(memory, at, text_at(memory, at).replace("kind: fix", "kind: fix\nby_hand: yes").replace("Text", "Mine"))
        return real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(changes), "apply", meanwhile)
    new = memory.evolve("fix/x", "More.")
    assert len(calls) == 2
    assert (new.id, new.fields["by_hand"]) == ("fix/x-2", "yes")
    assert (memory.get("fix/x").text, memory.get("fix/x").status) == ("Mine.", Status.SUPERSEDED)
    assert len(ids(memory.list(status="all"))) == 2


def test_a_file_that_is_too_broken_is_refused_with_its_name_and_line(memory: Memory) -> None:
    at = where(memory, "fix", "x")
    put(memory, at, "---\nkind: fix\nstatus: active\n  bad: [\n---\nText.\n")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=rf"fix/x, {at}, line 4"):
        memory.evolve("fix/x", "More.")
    assert tree(memory) == before


# Logs


def test_an_entry_of_a_log_evolves_in_the_same_file(memory: Memory, time: Time) -> None:
    first = memory.append("It rained.", at="2026-05-03T10:00")
    second = memory.append("It snowed.", at="2026-05-03T11:00")
    time.forward(days=9)
    new = memory.evolve(first.id, "It hailed.", fields={"mood": "wet"})
    assert new.id == "ep_20260503_00000003"
    assert new.locator == first.locator
    assert new.fields["timestamp"] == first.fields["timestamp"]
    assert ids(memory.history(first.id)) == [first.id, new.id]
    assert memory.get(first.id).status is Status.SUPERSEDED
    assert memory.get(second.id).document == second.document
    assert memory.get(new.id).document == new.document


def test_an_entry_of_a_log_evolves_into_a_further_part(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    first = memory.append("It rained.", at="2026-05-03")
    monkeypatch.setattr(logs, "PART_BYTES", 10)
    new = memory.evolve(first.id, "It hailed.")
    assert new.locator != first.locator
    assert new.locator.name == "episode-2026-05-03.2.md"
    assert new.id == "ep_20260503_00000002"
    assert memory.get(first.id).superseded_by == new.id
    assert memory.get(new.id).supersedes == first.id


def test_an_entry_of_a_log_goes_to_the_day_it_happened_where_that_is_what_changes(memory: Memory) -> None:
    first = memory.append("It rained.", at="2026-05-03")
    new = memory.evolve(first.id, "It rained.", fields={"timestamp": "2026-05-04T08:00"})
    assert new.id == "ep_20260504_00000001"
    assert new.fields["timestamp"] == "2026-05-04T08:00:00+00:00"
    assert memory.get(first.id).superseded_by == new.id


def test_a_time_by_hand_that_is_none_does_not_keep_an_entry_from_evolving(memory: Memory) -> None:
    first = memory.append("It rained.", at="2026-05-03")
    at = first.locator.key
    put(memory, at, text_at(memory, at).replace("timestamp: '2026-05-03T00:00:00+00:00'", "timestamp: in the morning"))
    assert memory.evolve(first.id, "It hailed.").id == "ep_20260503_00000002"


# Singles, folders, and what is loaded always


def test_a_single_is_rewritten_in_place(memory: Memory) -> None:
    at = memory.save("Likes tea.", kind="profile", fields={"mood": "calm"}).locator
    put(memory, at.key, text_at(memory, at.key).replace("mood: calm", "mood: calm  # mostly"))
    entry = memory.evolve("profile", "Likes coffee.", reason="asked")
    assert (entry.id, entry.locator, entry.text, entry.status) == ("profile", at, "Likes coffee.", Status.ACTIVE)
    assert "mood: calm  # mostly\n" in text_at(memory, at.key)
    assert entry.fields["reason"] == "asked"
    memory.undo()
    assert memory.get("profile").text == "Likes tea."


def test_a_single_that_says_it_already_is_left_as_it_is(memory: Memory, time: Time) -> None:
    memory.save("Likes tea.", kind="profile")
    before = tree(memory)
    time.forward(hours=1)
    memory.evolve("profile", "Likes tea.")
    assert tree(memory) == before


def test_a_skill_evolves_with_its_attachments(memory: Memory) -> None:
    old = memory.save("Build it.", kind="skill", slug="deploy", fields={"description": "How to deploy"})
    folder = old.locator.parent
    memory.core.storage.write_bytes(folder.child("scripts", "run.sh"), b"#!/bin/sh\n")
    memory.core.storage.write_bytes(folder.child("references", "a", "raw.bin"), bytes(range(256)))
    new = memory.evolve(old.id, "Build it, then deploy.")
    assert (new.id, new.fields["name"], new.fields["description"]) == ("skill/deploy-2", "deploy-2", "How to deploy")
    beside = {
        info.locator.key.removeprefix(new.locator.parent.key): memory.core.storage.read_bytes(info.locator)
        for info in memory.core.storage.walk(new.locator.parent)
        if info.locator != new.locator
    }
    assert beside == {"/references/a/raw.bin": bytes(range(256)), "/scripts/run.sh": b"#!/bin/sh\n"}
    assert memory.core.storage.exists(folder.child("scripts", "run.sh"))
    assert memory.get(old.id).status is Status.SUPERSEDED


@pytest.mark.parametrize("layout", ["vault"])
def test_what_is_loaded_always_stays_so_in_a_vault(memory: Memory) -> None:
    old = memory.save("Three sentences.", kind="preference", slug="short", always_load=True)
    new = memory.evolve(old.id, "Two sentences.")
    assert new.locator == Locator(where(memory, "preference", "short-2", Zone.ALWAYS))
    assert new.id == "preference/short-2"
    assert (new.always_load, memory.get(old.id).status) == (True, Status.SUPERSEDED)
    assert ids(memory.session_context().entries) == [new.id]


@pytest.mark.parametrize("layout", ["vault"])
def test_what_is_loaded_always_no_more_goes_to_its_kind(memory: Memory) -> None:
    memory.save("Three sentences.", kind="preference", slug="short", always_load=True)
    new = memory.evolve("preference/short", "Two sentences.", fields={"always_load": False})
    assert new.locator == Locator(where(memory, "preference", "short-2"))
    assert memory.session_context().entries == ()


def test_the_new_entry_derives_from_what_the_old_one_did(memory: Memory) -> None:
    memory.save("Source.", kind="fix", slug="source")
    memory.save("Derived.", kind="insight", slug="derived", derived_from=["fix/source"])
    assert memory.evolve("insight/derived", "Derived more.").derived_from == ("fix/source",)
    change = next(iter(memory.changes()))
    name = "default/default/agent:default insight/derived-2"
    assert change.made == {name: ("default/default/agent:default fix/source",)}


def test_lines_that_end_as_on_windows_stay_so(memory: Memory) -> None:
    at = where(memory, "fix", "x")
    put(memory, at, "---\r\nkind: fix\r\nstatus: active\r\n---\r\nText.\r\n")
    new = memory.evolve("fix/x", "More.\r\n")
    text = text_at(memory, new.locator.key)
    assert Document.parse(text).body == "More.\r\n"
    assert "\n" not in text.replace("\r\n", "")
    assert "\n" not in text_at(memory, at).replace("\r\n", "")


@pytest.mark.parametrize("layout", ["vault"])
def test_what_a_person_has_put_among_what_is_loaded_always_stays_there(memory: Memory) -> None:
    put(memory, where(memory, "fix", "x", Zone.ALWAYS), "---\nkind: fix\n---\nText.\n")
    assert memory.evolve("fix/x", "More.").locator.key == where(memory, "fix", "x-2", Zone.ALWAYS)
