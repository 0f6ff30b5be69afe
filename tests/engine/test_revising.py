"""Revising: statuses and where they put a file, tags, and a whole text that an editor left."""

from __future__ import annotations

import pytest

from quire import Conflict, EntryNotFound, InvalidEntry, Memory, Status, TooLarge
from quire.engine.layout import Zone
from quire.locator import Locator
from tests.engine.conftest import Time
from tests.engine.looking import ids, put, text_at, tree, where

# Forgetting


def test_what_is_forgotten_is_not_shown_and_still_there(memory: Memory, time: Time) -> None:
    saved = memory.save("Text.", kind="fix", slug="x", fields={"reason": "a field of its own"})
    time.forward(hours=1)
    entry = memory.forget("fix/x", reason="wrong")
    assert (entry.status, entry.locator, entry.text) == (Status.DELETED, saved.locator, "Text.")
    assert entry.fields["deleted_at"] == "2026-06-01T13:00:00+00:00"
    assert entry.fields["deleted_reason"] == "wrong"
    assert ids(memory.list()) == []
    assert memory.get("fix/x") == entry
    assert next(iter(memory.changes())).reason == "wrong"


def test_forgetting_twice_changes_nothing(memory: Memory, time: Time) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.forget("fix/x")
    before, changes = tree(memory), list(memory.changes())
    time.forward(days=1)
    assert memory.forget("fix/x", reason="again").status is Status.DELETED
    assert tree(memory) == before
    assert list(memory.changes()) == changes


def test_forgetting_changes_the_lines_of_the_status_only(memory: Memory) -> None:
    at = where(memory, "fix", "x")
    put(memory, at, "---\nkind: fix # a comment\nstatus:   active\nmood: 'calm'\n---\nText.\n")
    memory.forget("fix/x")
    assert text_at(memory, at) == (
        "---\nkind: fix # a comment\nstatus:   deleted\nmood: 'calm'\n"
        "deleted_at: '2026-06-01T12:00:00+00:00'\n---\nText.\n"
    )


def test_a_status_set_by_hand_counts(memory: Memory) -> None:
    at = where(memory, "fix", "x")
    put(memory, at, "---\nkind: fix\nstatus: deleted\n---\nText.\n")
    assert memory.forget("fix/x").status is Status.DELETED
    assert "deleted_at" not in text_at(memory, at)
    assert memory.restore("fix/x").status is Status.ACTIVE


def test_an_entry_of_a_log_is_forgotten_and_restored_among_the_others(memory: Memory) -> None:
    first, second = memory.append("One.", at="2026-05-03"), memory.append("Two.", at="2026-05-03")
    before = text_at(memory, first.locator.key)
    memory.forget(first.id, reason="wrong")
    assert (memory.get(first.id).status, memory.get(second.id).status) == (Status.DELETED, Status.ACTIVE)
    memory.restore(first.id)
    after = text_at(memory, first.locator.key)
    assert after.replace("updated: '2026-06-01T12:00:00+00:00'\n", "") == before


def test_what_is_not_there_cannot_be_forgotten(memory: Memory) -> None:
    with pytest.raises(EntryNotFound):
        memory.forget("fix/x")


# Archiving, and back


@pytest.mark.parametrize("kind", ["fix", "skill"])
@pytest.mark.parametrize("always_load", [False, True])
def test_what_is_archived_moves_and_comes_back_to_the_same_place(memory: Memory, kind: str, always_load: bool) -> None:
    entry = memory.save("Text.", kind=kind, slug="x", always_load=always_load)
    beside = {}
    if kind == "skill":
        beside = {("scripts", "run.sh"): b"#!/bin/sh\n", ("references", "raw.bin"): bytes(range(256))}
        for path, content in beside.items():
            memory.core.storage.write_bytes(entry.locator.parent.child(*path), content)
    before = set(tree(memory))
    away = memory.archive(entry.id)
    assert (away.status, away.id) == (Status.ARCHIVED, entry.id)
    assert away.locator == Locator(where(memory, kind, "x", Zone.ARCHIVE))
    assert len(tree(memory)) == 1 + len(beside)
    for path, content in beside.items():
        assert memory.core.storage.read_bytes(away.locator.parent.child(*path)) == content
    assert ids(memory.list()) == []
    back = memory.restore(entry.id)
    assert (back.locator, back.status, back.always_load) == (entry.locator, Status.ACTIVE, always_load)
    assert set(tree(memory)) == before


def test_the_folder_of_a_skill_does_not_stay_behind_empty(memory: Memory) -> None:
    folder = memory.save("Text.", kind="skill", slug="x").locator.parent
    memory.core.storage.write(folder.child("scripts", "deep", "run.sh"), "true\n")
    memory.archive("skill/x")
    assert not memory.core.storage.exists(folder)
    memory.restore("skill/x")
    assert memory.core.storage.exists(folder.child("scripts", "deep", "run.sh"))


def test_an_entry_of_a_log_is_archived_where_it_is(memory: Memory) -> None:
    entry = memory.append("One.")
    assert memory.archive(entry.id).locator == entry.locator
    assert memory.get(entry.id).status is Status.ARCHIVED
    assert memory.restore(entry.id).status is Status.ACTIVE


def test_what_is_in_the_inbox_becomes_active_in_its_place(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x", status="inbox")
    entry = memory.restore("fix/x")
    assert (entry.status, entry.locator.key) == (Status.ACTIVE, where(memory, "fix", "x"))
    assert len(tree(memory)) == 1


def test_another_file_of_that_name_is_never_overwritten_and_the_id_stays(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    taken = where(memory, "fix", "x", Zone.ARCHIVE)
    put(memory, taken, "A person's own.\n")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=rf"it belongs at {taken} now, and another file has that name"):
        memory.archive("fix/x")
    assert tree(memory) == before


def test_what_is_deleted_is_not_archived(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.forget("fix/x")
    with pytest.raises(InvalidEntry, match=r"it is deleted, and cannot be archived from there\. Restore it first"):
        memory.archive("fix/x")


def test_what_is_archived_can_be_forgotten_and_comes_back_to_its_place(memory: Memory) -> None:
    entry = memory.save("Text.", kind="fix", slug="x")
    away = memory.archive("fix/x")
    assert memory.forget("fix/x").locator == away.locator
    back = memory.restore("fix/x")
    assert (back.status, back.locator) == (Status.ACTIVE, entry.locator)
    assert "deleted_at" not in back.fields


# Restoring, where something took its place


def test_two_are_never_active_by_restoring_the_old_one(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    with pytest.raises(InvalidEntry, match=r"fix/x-2 took its place, and two cannot be active\. Forget fix/x-2 first"):
        memory.restore("fix/x")
    assert ids(memory.list()) == ["fix/x-2"]


@pytest.mark.parametrize("away", ["forget", "archive"])
def test_an_old_one_that_was_put_away_is_superseded_again(memory: Memory, away: str) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    getattr(memory, away)("fix/x")
    back = memory.restore("fix/x")
    assert (back.status, back.superseded_by, back.locator.key) == (
        Status.SUPERSEDED,
        "fix/x-2",
        where(memory, "fix", "x"),
    )
    assert ids(memory.list()) == ["fix/x-2"]


@pytest.mark.parametrize("gone", ["forget", "purge"])
def test_an_old_one_is_active_again_once_the_new_one_is_gone(memory: Memory, gone: str) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    memory.purge("fix/x-2", yes=True) if gone == "purge" else memory.forget("fix/x-2")
    back = memory.restore("fix/x")
    assert (back.status, back.superseded_by) == (Status.ACTIVE, "")
    assert "valid_to" not in back.fields


def test_two_are_never_active_by_restoring_the_new_one(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    memory.forget("fix/x-2")
    memory.restore("fix/x")
    with pytest.raises(InvalidEntry, match="fix/x, whose place it took, is active again, and two cannot be"):
        memory.restore("fix/x-2")
    memory.forget("fix/x")
    assert memory.restore("fix/x-2").status is Status.ACTIVE


def test_two_are_never_active_by_restoring_what_another_was_put_in_the_place_of(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    memory.forget("fix/x-2")
    memory.restore("fix/x")
    memory.evolve("fix/x", "Most.")
    with pytest.raises(InvalidEntry, match="fix/x-3, which took its place, is active, and two cannot be"):
        memory.restore("fix/x-2")
    memory.forget("fix/x-3")
    assert memory.restore("fix/x-2").status is Status.ACTIVE


def test_an_end_that_is_still_to_come_is_kept(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x", valid_to="2030-01-01")
    memory.evolve("fix/x", "More.")
    memory.forget("fix/x-2")
    assert memory.restore("fix/x").fields["valid_to"] == "2030-01-01T00:00:00+00:00"


def test_what_is_active_is_left_as_it_is(memory: Memory, time: Time) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    time.forward(days=1)
    memory.restore("fix/x")
    assert tree(memory) == before


# Tags


def test_tags_are_added_removed_and_given(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x", tags=["a", "b"])
    assert memory.retag("fix/x", add=["c"], remove=["#a"]).tags == ("b", "c")
    assert memory.retag("fix/x", tags=["z"]).tags == ("z",)
    assert "tags" not in memory.retag("fix/x", tags=[]).fields


def test_tags_that_do_not_change_change_nothing(memory: Memory, time: Time) -> None:
    memory.save("Text.", kind="fix", slug="x", tags=["a"])
    before = tree(memory)
    time.forward(days=1)
    memory.retag("fix/x", add=["a"], remove=["b"])
    assert tree(memory) == before


def test_an_entry_that_a_person_has_put_elsewhere_stays_there(memory: Memory) -> None:
    at = where(memory, "fix", "x", Zone.ARCHIVE)
    put(memory, at, "---\nkind: fix\nstatus: active\n---\nText.\n")
    assert memory.retag("fix/x", add=["a"]).locator.key == at


# A whole text


def test_a_whole_text_is_kept_byte_for_byte(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    text = "---\nkind: fix  # a comment\nmood:   'calm'\n---\n\n  Other text, no newline"
    entry = memory.edit("fix/x", text)
    assert text_at(memory, entry.locator.key) == text
    assert (entry.fields["mood"], entry.status) == ("calm", Status.ACTIVE)


def test_an_entry_of_a_log_is_edited_among_the_others(memory: Memory) -> None:
    first, second = memory.append("One.", at="2026-05-03"), memory.append("Two.", at="2026-05-03")
    text = "---\nmood: calm\n---\n<!-- entry:ep_20260503_00000009 -->\nOther.\n<!-- /entry:ep_20260503_00000001 -->"
    memory.edit(first.id, text)
    assert memory.get(first.id).document.text == text
    assert memory.get(second.id).document == second.document
    assert ids(memory.list(kind="episode")) == [first.id, second.id]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\nkind: fix\n  bad: [\n---\nText.\n", r"fix/x, line 3: "),
        ("---\nkind: fix\nno end\n", r"fix/x, line 1: the first line opens a frontmatter block that nothing closes"),
        ("---\nkind: fix\npriority: high\n---\nText.\n", "fix/x, field priority"),
        ("---\nkind: fix\nstatus: gone\n---\nText.\n", "the status 'gone' is none of inbox, active"),
        ("---\nkind: idea\n---\nText.\n", r"its kind is 'fix', and cannot become 'idea' so\. Save it as another kind"),
        ("---\nslug: y\n---\nText.\n", r"its slug is 'x', and cannot become 'y' so\. Change it with rename"),
        ("---\nsupersedes: fix/x\n---\nText.\n", "fix/x, field supersedes: an entry cannot take its own place. Name"),
        ("---\nsuperseded_by: '[[fix/x]]'\n---\nText.\n", "fix/x, field superseded_by: an entry cannot take"),
        ("---\ncreated: x2026\n---\nText.\n", "fix/x, field created: 'x2026' is not a time. Write it as 2026-06-01"),
        ("---\nvalid_to: 2026-13-01\n---\nText.\n", "fix/x, field valid_to: '2026-13-01' is not a time"),
        ("---\ntimestamp: noon\n---\nText.\n", "fix/x, field timestamp: 'noon' is not a time"),
        ("---\nkind: fix\n---\n\n", "the text is empty"),
        ("", "the text is empty"),
        ("Text\0", "NUL"),
    ],
)
def test_a_text_that_cannot_be_is_refused_and_nothing_is_replaced(memory: Memory, text: str, said: str) -> None:
    memory.save("Text.", kind="fix", slug="x")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=said):
        memory.edit("fix/x", text)
    assert tree(memory) == before


def test_a_text_that_is_too_long_is_refused(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    with pytest.raises(TooLarge):
        memory.edit("fix/x", "x" * (1024 * 1024 + 1))


def test_an_edit_of_what_has_changed_since_is_refused_and_says_what_is_there(memory: Memory) -> None:
    seen = memory.save("Text.", kind="fix", slug="x")
    put(memory, seen.locator.key, "---\nkind: fix\n---\nBy hand.\n")
    with pytest.raises(Conflict, match="somebody changed it while it was edited") as refused:
        memory.edit("fix/x", "---\nkind: fix\n---\nMine.\n", if_version=seen.version)
    assert refused.value.current == memory.get("fix/x").version
    assert memory.get("fix/x").text == "By hand."
    assert memory.edit("fix/x", "---\nkind: fix\n---\nMine.\n", if_version=refused.value.current).text == "Mine."


def test_two_are_never_active_by_editing_the_old_one(memory: Memory) -> None:
    old = memory.save("Text.", kind="fix", slug="x")
    memory.evolve("fix/x", "More.")
    before = tree(memory)
    for text in (old.document.text, "No frontmatter, which is active, too.\n"):
        with pytest.raises(InvalidEntry, match=r"fix/x-2 took its place, and two cannot be active\. Forget fix/x-2"):
            memory.edit("fix/x", text)
    assert tree(memory) == before
    assert memory.edit("fix/x", memory.get("fix/x").document.with_body("Mended.\n").text).status is Status.SUPERSEDED
    memory.forget("fix/x-2")
    assert memory.edit("fix/x", old.document.text).status is Status.ACTIVE


def test_two_are_never_active_by_editing_the_new_one(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    new = memory.evolve("fix/x", "More.")
    memory.forget("fix/x-2")
    memory.restore("fix/x")
    for text in (new.document.text, new.document.remove("supersedes").text):
        with pytest.raises(InvalidEntry, match="fix/x, whose place it took, is active again, and two cannot be"):
            memory.edit("fix/x-2", text)
    assert ids(memory.list()) == ["fix/x"]


def test_what_a_person_has_written_before_is_kept_by_an_edit_of_something_else(memory: Memory) -> None:
    saved = memory.save("Text.", kind="fix", slug="x")
    put(memory, saved.locator.key, "---\ncreated: last summer\nsupersedes: fix/x\n---\nText.\n")
    assert memory.edit("fix/x", "---\ncreated: last summer\nsupersedes: fix/x\n---\nMore.\n").text == "More."


def test_an_edit_can_mend_what_could_not_be_read(memory: Memory) -> None:
    put(memory, where(memory, "fix", "x"), "---\nkind: [\n---\nText.\n")
    assert memory.edit("fix/x", "---\nkind: fix\n---\nText.\n").fields["kind"] == "fix"


def test_an_edit_that_archives_moves_the_file_as_archiving_does(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    entry = memory.edit("fix/x", "---\nkind: fix\nstatus: archived\n---\nText.\n")
    assert entry.locator.key == where(memory, "fix", "x", Zone.ARCHIVE)
    assert list(tree(memory)) == [entry.locator.key]


@pytest.mark.parametrize("layout", ["vault"])
def test_what_is_loaded_always_keeps_its_kind(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x", always_load=True)
    before = tree(memory)
    with pytest.raises(InvalidEntry, match=r"with this text it would be another entry\. Keep 'kind: fix'"):
        memory.edit("fix/x", "---\nalways_load: true\n---\nText.\n")
    assert tree(memory) == before
    entry = memory.edit("fix/x", "---\nkind: fix\n---\nText.\n")
    assert entry.locator.key == where(memory, "fix", "x")


def test_the_same_text_changes_nothing(memory: Memory) -> None:
    entry = memory.save("Text.", kind="fix", slug="x")
    changes = list(memory.changes())
    assert memory.edit("fix/x", entry.document.text) == entry
    assert list(memory.changes()) == changes
