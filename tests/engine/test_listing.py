"""Listing: what is there, filtered in one place, a page at a time; a fault hides nothing but itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import quire
from quire import AccessDenied, InvalidEntry, InvalidScope, InvalidTime, Locator, Memory, Scope, Unavailable
from quire.engine.entry import MAX_FILE_BYTES, Fault
from quire.engine.layout import Zone
from tests.engine.conftest import Time
from tests.engine.looking import Watched, ids, put, text_at, where


def pages(memory: Memory, size: int, **filters: object) -> list[list[str]]:
    found, after = [], None
    while True:
        page = memory.list(limit=size, after=after, **filters)  # type: ignore[arg-type]
        found.append(ids(page))
        if page.next is None:
            return found
        after = page.next


# Filters


def test_kind_status_tag_and_scope_narrow_it(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="one", tags=["db"])
    memory.save("Two.", kind="idea", slug="two", tags=["db", "web"], scope="user")
    memory.save("Three.", kind="idea", slug="three", status="inbox")
    memory.append("It rained.")
    memory.save("I am Ada.", kind="profile")
    memory.save("Deploy with care.", kind="skill", slug="deploy")
    assert set(ids(memory.list())) == {
        "fix/one", "idea/two", "idea/three", "ep_20260601_00000001", "profile", "skill/deploy",
    }  # fmt: skip
    assert ids(memory.list(kind="fix")) == ["fix/one"]
    assert sorted(ids(memory.list(kind="idea"))) == ["idea/three", "idea/two"]
    assert ids(memory.list(kind="episode")) == ["ep_20260601_00000001"]
    assert ids(memory.list(kind="profile")) == ["profile"]
    assert ids(memory.list(kind="skill")) == ["skill/deploy"]
    assert ids(memory.list(tag="web")) == ["idea/two"]
    assert ids(memory.list(status="inbox")) == ["idea/three"]
    assert ids(memory.list(kind="idea", scope="user")) == ["idea/two"]
    assert ids(memory.list(kind="fix", tag="web")) == []


def test_a_tag_is_found_in_any_case_and_with_those_below_it(memory: Memory) -> None:
    memory.save("One.", slug="one", tags=["Area/Testing"])
    memory.save("Two.", slug="two", tags=["areal"])
    for asked in ("area", "#Area", "area/testing", " AREA/TESTING "):
        assert ids(memory.list(tag=asked)) == ["preference/one"], asked
    assert ids(memory.list(tag="area/test")) == []


def test_what_is_put_away_shows_only_when_it_is_asked_for(memory: Memory) -> None:
    for slug in ("active", "deleted", "archived", "superseded"):
        memory.save(f"It is {slug}.", kind="fix", slug=slug)
    memory.save("It waits.", kind="fix", slug="waiting", status="inbox")
    memory.forget("fix/deleted")
    memory.archive("fix/archived")
    memory.evolve("fix/superseded", "It is new.")
    shown = {"fix/active", "fix/waiting", "fix/superseded-2"}
    assert set(ids(memory.list())) == shown
    assert set(ids(memory.list(everywhere=True))) == shown
    assert set(ids(memory.list(status="all"))) == shown | {"fix/deleted", "fix/archived", "fix/superseded"}
    assert ids(memory.list(status="deleted")) == ["fix/deleted"]
    assert ids(memory.list(status=["archived"])) == ["fix/archived"]
    assert set(ids(memory.list(status=" Archived, deleted "))) == {"fix/archived", "fix/deleted"}


def test_dates_are_about_when_it_happened_else_was_recorded(memory: Memory) -> None:
    memory.append("Long ago.", at="2020-03-04")
    memory.append("Today.")
    memory.save("A note.", slug="note")
    put(memory, where(memory, "preference", "timeless"), "No time at all.\n")
    assert ids(memory.list(until="2021-01-01")) == ["ep_20200304_00000001"]
    assert set(ids(memory.list(since="2026-06-01"))) == {"ep_20260601_00000001", "preference/note"}
    assert ids(memory.list(since="2020-03-04", until="2020-03-05")) == ["ep_20200304_00000001"]
    assert ids(memory.list(since="2020-03-05", until="2021-01-01")) == []


@pytest.mark.parametrize(
    ("filters", "error"),
    [
        ({"limit": 0}, InvalidEntry),
        ({"kind": "fx"}, InvalidEntry),
        ({"status": "gone"}, InvalidEntry),
        ({"status": []}, InvalidEntry),
        ({"since": "soon"}, InvalidTime),
        ({"scope": "nobody"}, InvalidScope),
        ({"scope": "user", "everywhere": True}, InvalidEntry),
    ],
)
def test_a_filter_that_means_nothing_is_refused(memory: Memory, filters: dict[str, object], error: type) -> None:
    with pytest.raises(error):
        memory.list(**filters)  # type: ignore[arg-type]


def test_everywhere_means_every_scope_of_the_root(time: Time, layout: str) -> None:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
        memory.save("Mine.", slug="mine")
        memory.save("Of another project.", slug="theirs", scope=Scope(project="atlas"))
        memory.save("Of another person.", slug="hers", scope="user:alice")
        memory.save("Of another person's project.", slug="hers-too", scope="atlas/user:alice")
        assert ids(memory.list()) == ["preference/mine"]
        assert ids(memory.list(scope="user:alice")) == ["preference/hers"]
        assert set(ids(memory.list(everywhere=True))) == {
            "preference/mine", "preference/theirs", "preference/hers", "preference/hers-too",
        }  # fmt: skip


# Pages


def filled(memory: Memory) -> set[str]:
    for number in range(7):
        memory.save(f"Fix {number}.", kind="fix", slug=f"fix-{number}")
        memory.save(f"Preference {number}.", slug=f"preference-{number}")
        memory.save(f"Of the user {number}.", kind="fix", slug=f"zeta-{number}", scope="user")
        memory.append(f"Episode {number}.")
    memory.save("Always.", slug="always", always_load=True)
    memory.save("I am Ada.", kind="profile")
    return set(ids(memory.list()))


@pytest.mark.parametrize("size", [1, 2, 5, 30, 31])
def test_pages_together_are_the_whole_and_nothing_twice(memory: Memory, size: int) -> None:
    everything = filled(memory)
    assert len(everything) == 30
    found = pages(memory, size)
    together = [id for page in found for id in page]
    assert len(together) == len(set(together))
    assert set(together) == everything
    assert all(len(page) == size for page in found[:-1])


def test_the_order_is_that_of_places_and_within_a_log_of_ids(memory: Memory) -> None:
    filled(memory)
    entries = list(memory.list())
    assert [(entry.locator.key, entry.id) for entry in entries] == sorted(
        (entry.locator.key, entry.id) for entry in entries
    )


def test_a_page_goes_on_where_it_stood_while_entries_come_and_change(memory: Memory) -> None:
    for number in range(6):
        memory.append(f"Episode {number}.")
    first = memory.list(kind="episode", limit=3)
    # An entry that was shown grows by many lines, one comes at the end, and another log before.
    memory.edit("ep_20260601_00000001", "A longer text.\n" * 50)
    memory.append("Episode 6.")
    memory.append("Before.", at="2020-01-01")
    rest = memory.list(kind="episode", after=first.next)
    assert ids(first) + ids(rest) == [f"ep_20260601_{number:08}" for number in range(1, 8)]


def test_a_page_goes_on_after_an_entry_that_was_taken_out_by_hand(memory: Memory) -> None:
    for slug in ("a", "b", "c", "d"):
        memory.save(f"{slug}.", slug=slug)
    first = memory.list(limit=2)
    memory.core.storage.delete(Locator(where(memory, "preference", "b")))
    assert ids(memory.list(after=first.next)) == ["preference/c", "preference/d"]


def test_names_that_sort_oddly_are_neither_lost_nor_doubled(memory: Memory) -> None:
    names = ["x", "x y", "x#", "x# y", "x#2", "x!", "x-", "x.md", "C# notes", "Ä", "x+y"]
    for name in names:
        put(memory, where(memory, "fix", name), "Text.\n")
    together = [id for page in pages(memory, 1) for id in page]
    assert sorted(together) == sorted(f"fix/{name}" for name in names)


def test_a_log_that_a_person_has_shuffled_is_paged_whole(memory: Memory) -> None:
    for number in range(5):
        memory.append(f"Episode {number}.")
    key = where(memory, "episode", "2026-06-01")
    head, *blocks = text_at(memory, key).split("<!-- entry:")
    put(memory, key, head + "".join(f"<!-- entry:{block}" for block in (blocks[i] for i in (3, 0, 4, 2, 1))))
    together = [id for page in pages(memory, 2) for id in page]
    assert together == [f"ep_20260601_{number:08}" for number in range(1, 6)]


def test_scopes_whose_names_begin_alike_are_paged_whole(time: Time) -> None:
    with quire.open(protocol="ram", now=time) as memory:
        for app in ("shop", "shop-2", "shop 3", "shop.4"):
            memory.save(f"Of {app}.", slug="x", scope=Scope(app))
        assert len(memory.list(everywhere=True)) == 4
        for size in (1, 2, 3):
            assert sum(map(len, pages(memory, size, everywhere=True))) == 4


# Faults


def test_a_fault_is_reported_and_hides_nothing_but_itself(memory: Memory) -> None:
    memory.save("Good.", kind="fix", slug="good")
    bad, broken = where(memory, "fix", "bad"), where(memory, "fix", "broken")
    memory.core.storage.write_bytes(Locator(bad), b"\xff\xfe")
    put(memory, broken, "---\nstatus: [\n---\nStill a text.\n")
    put(memory, where(memory, "fix", "zero"), "With a \0 in it.\n")
    put(memory, f"{where(memory, 'fix', 'folder')}/inside.md", "Below a folder that is called as a note is.\n")
    listed = memory.list()
    assert ids(listed) == ["fix/broken", "fix/good", "fix/zero"]
    assert {(fault.locator.key, fault.code) for fault in listed.faults} >= {(bad, "NOT_UTF8"), (broken, "YAML_SYNTAX")}
    assert {fault.locator.key for fault in listed.faults} == {bad, broken}


def test_each_fault_is_on_one_page_only(memory: Memory) -> None:
    for slug in ("a", "b", "c"):
        memory.save("Text.", slug=slug)
        put(memory, where(memory, "preference", f"{slug}-broken"), "---\nstatus: draft\n---\nText.\n")
    found: list[Fault] = []
    after = None
    while True:
        page = memory.list(limit=1, after=after)
        found += page.faults
        after = page.next
        if after is None:
            break
    assert len(found) == 3


@pytest.fixture
def watched(memory: Memory) -> Watched:
    memory.core.storage = Watched(memory.core.storage)
    return memory.core.storage


def test_a_file_beyond_the_limit_is_a_fault_and_is_not_even_read(memory: Memory, watched: Watched) -> None:
    memory.save("Good.", kind="fix", slug="good")
    huge = where(memory, "fix", "huge")
    watched.write_bytes(Locator(huge), b"x" * (MAX_FILE_BYTES + 1))
    watched.read_keys.clear()
    listed = memory.list()
    assert ids(listed) == ["fix/good"]
    assert [(fault.locator.key, fault.code) for fault in listed.faults] == [(huge, "TOO_LARGE")]
    assert huge not in watched.read_keys


def test_a_kind_that_is_asked_for_reads_no_other(memory: Memory, watched: Watched) -> None:
    memory.save("Fix.", kind="fix", slug="one")
    memory.save("Idea.", kind="idea", slug="two")
    memory.append("Episode.")
    watched.read_keys.clear()
    assert ids(memory.list(kind="fix")) == ["fix/one"]
    assert watched.read_keys == [where(memory, "fix", "one")]


def test_a_file_that_the_storage_refuses_is_a_fault(memory: Memory, watched: Watched) -> None:
    memory.save("Good.", kind="fix", slug="good")
    memory.save("Locked.", kind="fix", slug="locked")
    locked = where(memory, "fix", "locked")
    watched.refused[locked] = AccessDenied("you may not read this", where=locked, remedy="Check its mode")
    listed = memory.list()
    assert ids(listed) == ["fix/good"]
    assert [fault.code for fault in listed.faults] == ["UNREADABLE"]


def test_a_storage_that_does_not_answer_is_no_empty_list(memory: Memory, watched: Watched) -> None:
    memory.save("Good.", kind="fix", slug="good")
    watched.refused[where(memory, "fix", "good")] = Unavailable("the storage did not answer")
    with pytest.raises(Unavailable):
        memory.list()


def test_generated_and_foreign_files_are_no_entries(memory: Memory) -> None:
    memory.save("Good.", kind="fix", slug="good")
    memory.index()
    for key in ("README.md", "notes/x.md", f"{where(memory, 'fix', 'good')}.txt", ".obsidian/x.md"):
        put(memory, key, "Of the person.\n")
    assert ids(memory.list(everywhere=True)) == ["fix/good"]


# History


def test_a_chain_is_told_from_its_oldest_wherever_one_asks(memory: Memory, time: Time) -> None:
    memory.save("One.", kind="fix", slug="a")
    for text in ("Two.", "Three."):
        time.forward(hours=1)
        memory.evolve(ids(memory.list(kind="fix"))[0], text)
    chain = ["fix/a", "fix/a-2", "fix/a-3"]
    for id in chain:
        assert ids(memory.history(id)) == chain
    assert [entry.status.value for entry in memory.history("fix/a-2")] == ["superseded", "superseded", "active"]


def test_a_chain_that_bites_its_tail_or_leads_nowhere_is_told_as_far_as_it_goes(memory: Memory) -> None:
    put(memory, where(memory, "fix", "a"), "---\nsupersedes: fix/b\nsuperseded_by: fix/b\n---\nA\n")
    put(memory, where(memory, "fix", "b"), "---\nsupersedes: fix/a\nsuperseded_by: fix/a\n---\nB\n")
    put(memory, where(memory, "fix", "c"), "---\nsupersedes: fix/nowhere\n---\nC\n")
    assert set(ids(memory.history("fix/a"))) == {"fix/a", "fix/b"}
    assert ids(memory.history("fix/c")) == ["fix/c"]


def test_a_folder_of_files_is_listed_the_same(tmp_path: Path, time: Time, layout: str) -> None:
    with quire.open(tmp_path, layout=layout, timezone="UTC", now=time) as memory:
        everything = filled(memory)
        assert {id for page in pages(memory, 4) for id in page} == everything
    assert Zone.ARCHIVE.value not in "".join(str(path) for path in tmp_path.rglob("*.md"))


def test_of_what_is_behind_links_each_is_told_on_one_page(tmp_path: Path, time: Time) -> None:
    with quire.open(tmp_path / "root", timezone="UTC", now=time) as memory:
        for slug in ("b", "d", "f"):
            memory.save("Text.", kind="fix", slug=slug)
        folder = (tmp_path / "root" / where(memory, "fix", "b")).parent
        (tmp_path / "outside").mkdir()
        (tmp_path / "picture.png").write_text("no entry's")
        (tmp_path / "note.md").write_text("Text.")
        (folder.parent / "idea").symlink_to(tmp_path / "outside")
        (folder.parent / "workflow").symlink_to(tmp_path / "gone")
        (folder / "a.md").symlink_to(tmp_path / "note.md")
        (folder / "e.md").symlink_to(tmp_path / "note.md")
        (folder / "picture.png").symlink_to(tmp_path / "picture.png")
        told, after = [], None
        while True:
            page = memory.list(limit=1, after=after)
            told.append([fault.locator.key.rpartition("memory/")[2] for fault in page.faults])
            if (after := page.next) is None:
                break
        assert told == [["fix/a.md"], [], ["fix/e.md", "idea", "workflow"]]
        assert {fault.code for fault in memory.list().faults} == {"LINK_NOT_FOLLOWED"}
        assert [fault.locator.name for fault in memory.list(kind="fix").faults] == ["a.md", "e.md"]
