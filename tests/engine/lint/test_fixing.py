"""`fix` repairs what has one right answer, each repair can be undone byte for byte, and a second time does nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import quire
from quire import Conflict, Locator, Memory
from quire.engine.lint import CHECKS, Finding, Repair
from quire.ports.storage import ANY, IfVersion
from tests.engine.conftest import Time
from tests.engine.looking import put, text_at, tree

Damage = Callable[[Memory], str]


def retouch(memory: Memory, id: str, old: str, new: str) -> str:
    """A person's hand: one text for another in the file of an entry. Returns its key."""
    key = memory.get(id).locator.key
    text = text_at(memory, key)
    assert old in text
    put(memory, key, text.replace(old, new))
    return key


def other_slug(memory: Memory) -> str:
    return retouch(memory, memory.save("Text", kind="fix", slug="locked").id, "slug: locked", "slug: open # mine")


def spelled_status(memory: Memory) -> str:
    return retouch(memory, memory.save("Text", kind="fix").id, "status: active", "status: ' Active'")


def spelled_status_in_a_log(memory: Memory) -> str:
    return retouch(memory, memory.append("Text").id, "status: active", "status: ACTIVE")


def tags_with_hashes(memory: Memory) -> str:
    return retouch(memory, memory.save("Text", kind="fix", tags=["a", "b/c"]).id, "[a, b/c]", "['#a', b/c] # two")


def tags_in_one_text(memory: Memory) -> str:
    return retouch(memory, memory.save("Text", kind="fix", tags=["a"]).id, "tags: [a]", "tags: '#a, b'")


def count_too_low(memory: Memory) -> str:
    memory.append("One")
    return retouch(memory, memory.append("Two").id, "entry_count: 2", "entry_count: 1")


def no_count(memory: Memory) -> str:
    return retouch(memory, memory.append("One").id, "entry_count: 1\n", "")


def half_done(memory: Memory) -> str:
    old = memory.save("Text", kind="fix", slug="locked", fields={"mine": "kept"})
    before = text_at(memory, old.locator.key)
    memory.evolve(old.id, "Other text")
    put(memory, old.locator.key, before)
    return old.locator.key


def half_done_in_a_log(memory: Memory) -> str:
    old = memory.append("Text")
    memory.evolve(old.id, "Other text")
    return retouch(memory, old.id, f"superseded_by: {memory.get(old.id).superseded_by}\n", "")


def renamed(memory: Memory) -> str:
    memory.save("Text", kind="fix", slug="locked")
    memory.rename("fix/locked", "opened")
    memory.rename("fix/opened", "unlocked")
    holder = memory.save("See [[fix/locked#top|it]] and [it](locked.md).\nAnd [[fix/locked]].", kind="fix", slug="z")
    return holder.locator.key


CASES: list[tuple[Damage, str, str]] = [
    (other_slug, "SLUG_CONTRADICTS", "slug: locked # mine"),
    (spelled_status, "STATUS_SPELLING", "status: 'active'"),
    (spelled_status_in_a_log, "STATUS_SPELLING", "status: active"),
    (tags_with_hashes, "TAG_HASH", "tags: ['a', b/c] # two"),
    (tags_in_one_text, "TAG_HASH", "tags: 'a, b'"),
    (count_too_low, "LOG_COUNT_LOW", "entry_count: 2"),
    (no_count, "LOG_COUNT_LOW", "entry_count: 1"),
    (half_done, "SUPERSESSION_HALF_DONE", "status: superseded"),
    (half_done_in_a_log, "SUPERSESSION_HALF_DONE", "superseded_by: ep_20260601_00000002"),
    (renamed, "LINK_BROKEN", "See [[fix/unlocked#top|it]] and [it](unlocked.md).\nAnd [[fix/unlocked]]."),
]
cases = pytest.mark.parametrize(("damage", "code", "right"), CASES, ids=[case[0].__name__ for case in CASES])


@cases
def test_what_has_one_right_answer_gets_it(memory: Memory, damage: Damage, code: str, right: str) -> None:
    key = damage(memory)
    found = of_code(memory.lint()[0], code)
    assert found
    assert all(each.fixable for each in found)
    left, repairs = memory.lint(fix=True)
    assert right in text_at(memory, key)
    assert of_code(left, code) == []
    assert [repair.finding for repair in repairs] == found
    assert all(repair.done for repair in repairs)


@cases
def test_a_repair_is_undone_byte_for_byte(memory: Memory, damage: Damage, code: str, right: str) -> None:
    damage(memory)
    before = tree(memory)
    _, repairs = memory.lint(fix=True)
    assert tree(memory) != before
    for change in sorted({repair.change for repair in repairs}, reverse=True):
        memory.undo(change)
    assert tree(memory) == before


@cases
def test_a_second_time_there_is_nothing_to_repair(memory: Memory, damage: Damage, code: str, right: str) -> None:
    damage(memory)
    memory.lint(fix=True)
    before = tree(memory)
    assert memory.lint(fix=True)[1] == []
    assert tree(memory) == before


@cases
def test_nothing_is_repaired_unless_asked_for(memory: Memory, damage: Damage, code: str, right: str) -> None:
    damage(memory)
    before = tree(memory)
    assert memory.lint()[1] == []
    assert tree(memory) == before


def test_every_repairable_row_of_the_table_is_tried() -> None:
    assert {code for _, code, _ in CASES} == {code for code, row in CHECKS.items() if row.repairable}


def test_a_repair_is_in_the_journal_under_its_own_verb(memory: Memory) -> None:
    other_slug(memory)
    (repair,) = memory.lint(fix=True)[1]
    change = next(memory.changes("fix/locked"))
    assert (change.id, change.verb, change.entries) == (
        repair.change,
        "lint-fix",
        (memory.core.name_of(memory.get("fix/locked")),),
    )
    assert change.reason == "SLUG_CONTRADICTS: slug is locked now"


def test_a_repair_of_what_is_shared_is_in_the_digest(memory: Memory) -> None:
    entry = memory.save("Text", kind="fix", slug="locked", scope="shared")
    put(memory, entry.locator.key, text_at(memory, entry.locator.key).replace("slug: locked", "slug: open"))
    (repair,) = memory.lint(fix=True)[1]
    (reported,) = [each for each in memory.digest() if each.change.id == repair.change]
    assert "-slug: open\n+slug: locked\n" in reported.diff


def test_a_repair_closes_the_older_entry_as_evolve_does(memory: Memory, time: Time) -> None:
    half_done(memory)
    time.forward(days=1)
    memory.lint(fix=True)
    old = memory.get("fix/locked")
    assert (old.status, old.superseded_by, old.fields["mine"]) == ("superseded", "fix/locked-2", "kept")
    assert old.fields["valid_to"] == old.updated == "2026-06-02T12:00:00+00:00"
    assert [entry.id for entry in memory.history("fix/locked-2")] == ["fix/locked", "fix/locked-2"]


def test_what_somebody_writes_at_that_moment_stays(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    key = other_slug(memory)
    storage, theirs = memory.core.storage, "---\nslug: open\n---\nTheir text"
    write = storage.write_bytes

    def after_another(locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        if locator.key == key:
            write(locator, theirs.encode())
        return write(locator, content, if_version=if_version)

    monkeypatch.setattr(storage, "write_bytes", after_another)
    left, (repair,) = memory.lint(fix=True)
    assert not repair.done
    assert "meanwhile" in repair.what
    assert text_at(memory, key) == theirs
    assert repair.finding in left


def test_what_cannot_be_written_is_said_and_the_rest_is_repaired(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, other = other_slug(memory), tags_with_hashes(memory)
    storage = memory.core.storage
    write = storage.write_bytes

    def refusing(locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        if locator.key == key:
            raise Conflict("somebody was faster", where=key)
        return write(locator, content, if_version=if_version)

    monkeypatch.setattr(storage, "write_bytes", refusing)
    outcome = {repair.finding.locator.key: repair.done for repair in memory.lint(fix=True)[1]}
    assert outcome == {key: False, other: True}


@pytest.mark.parametrize(
    "lines",
    [
        "slug: open\ntitle: 'not closed",  # the frontmatter is too broken to be changed
        "tags: ['#a b']",  # one tag or two
        "tags: ['#']",
        "status: activ",
        "kind: idea",
    ],
)
def test_what_has_more_than_one_answer_is_left_to_people(memory: Memory, lines: str) -> None:
    key = memory.save("Text", kind="fix", slug="locked").locator.key
    put(memory, key, f"---\n{lines}\n---\nText\n")
    found, repairs = memory.lint(fix=True)
    assert [each for each in found if each.code != "ORPHAN"]
    assert repairs == []
    assert text_at(memory, key) == f"---\n{lines}\n---\nText\n"


def test_of_two_that_supersede_the_same_neither_is_chosen(memory: Memory) -> None:
    half_done(memory)
    put(memory, key_beside(memory, "fork"), "---\nsupersedes: fix/locked\n---\nText\n")
    found, repairs = memory.lint(fix=True)
    assert repairs == []
    assert {each.code for each in found} >= {"SUPERSESSION_FORK", "SUPERSESSION_HALF_DONE"}


def test_what_may_be_a_copy_of_another_device_is_left_to_people(tmp_path: Path) -> None:
    with quire.open(tmp_path, protocol="vault", timezone="UTC") as memory:
        key = memory.save("Text", kind="fix", slug="release").locator.key
        copy = key.replace("release.md", "release (1).md")
        put(memory, copy, text_at(memory, key))
        found, repairs = memory.lint(fix=True)
        assert {(each.code, each.fixable) for each in found if each.locator.key == copy} == {
            ("CONFLICT_COPY", False),
            ("SLUG_CONTRADICTS", False),
            ("ORPHAN", False),
        }
        assert repairs == []


def test_a_link_to_what_was_renamed_to_two_things_is_left_to_people(memory: Memory) -> None:
    for kind in ("fix", "idea"):
        memory.save("Text", kind=kind, slug="locked")
        memory.rename(f"{kind}/locked", f"open-{kind}")
    memory.save("See [[locked]].", kind="fix", slug="holder")
    found, repairs = memory.lint(fix=True)
    assert [each.code for each in found if each.code != "ORPHAN"] == ["LINK_BROKEN"]
    assert repairs == []


def test_a_link_to_what_was_renamed_and_renamed_back_is_not_broken(memory: Memory) -> None:
    memory.save("Text", kind="fix", slug="locked")
    memory.save("See [[locked]].", kind="fix", slug="holder")
    memory.rename("fix/locked", "open")
    memory.undo()
    assert memory.lint()[0] == []


def key_beside(memory: Memory, name: str) -> str:
    return memory.get("fix/locked").locator.parent.child(f"{name}.md").key


def of_code(found: list[Finding], code: str) -> list[Finding]:
    return [each for each in found if each.code == code]


def test_a_repair_says_whether_it_was_done() -> None:
    finding = Finding(Locator("a.md"), 1, "ORPHAN", "what", "remedy")
    assert Repair(finding, "id", "done").done
    assert not Repair(finding, "", "skipped").done
