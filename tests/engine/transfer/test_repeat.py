"""Importing again: nothing is doubled, nothing of ours is overwritten, nothing comes back that was sent away."""

from __future__ import annotations

import datetime as dt

import pytest

import quire
from quire import InvalidEntry, Locator, Memory
from quire.backends.ram import RamBackend
from tests.engine.conftest import Time
from tests.engine.looking import put, tree
from tests.engine.transfer.carrying import entry_of, fill, outcomes, reason

LEDGER = Locator(".journal/imports/notes.jsonl")
NOTES: dict[str, str | bytes] = {
    "a/x.md": "One [[y]]\n",
    "b/x.md": "Two\n",
    "y.md": "---\nsource: a book\n---\nThree\n",
    "pic.png": b"\x89PNG",
}


@pytest.fixture
def full(source: RamBackend) -> RamBackend:
    fill(source, NOTES)
    return source


def change(storage: RamBackend, key: str, text: str) -> None:
    storage.write(Locator(key), text)


def test_a_second_import_changes_nothing(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    before = {info.locator.key: info.version for info in memory.core.storage.walk(Locator())}
    again = memory.import_from(full, name="notes")
    assert again.counts == {"same": 4}
    assert not again.changed
    assert {info.locator.key: info.version for info in memory.core.storage.walk(Locator())} == before


def test_without_its_ledger_it_is_known_by_its_text(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    before = tree(memory)
    memory.core.storage.delete(LEDGER)
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    assert tree(memory) == before
    assert memory.import_from(full, name="notes").counts == {"same": 4}


def test_a_torn_ledger_is_read_as_far_as_it_goes(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    before = tree(memory)
    raw = memory.core.storage.read_bytes(LEDGER)
    memory.core.storage.write_bytes(LEDGER, b"[]\nnull\n" + raw[: len(raw) // 2])
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    assert tree(memory) == before


def test_times_of_files_do_not_matter(memory: Memory, full: RamBackend) -> None:
    """A clone or a copy of a folder has other times than the folder."""
    memory.import_from(full, name="notes")
    before = tree(memory)
    copy = RamBackend()
    copy._files = {key: (content, 1e9) for key, (content, _) in full._files.items()}
    copy._keys = list(full._keys)
    memory.core.storage.delete(LEDGER)
    assert memory.import_from(copy, name="notes").counts == {"same": 4}
    assert tree(memory) == before


def test_a_changed_note_updates_its_entry(memory: Memory, full: RamBackend) -> None:
    first = memory.import_from(full, name="notes")
    before = entry_of(memory, first, "b/x.md")
    change(full, "b/x.md", "---\nrating: 5\n---\nTwo and a half\n")
    change(full, "pic.png", "other")
    again = memory.import_from(full, name="notes")
    assert again.counts == {"updated": 2, "same": 2}
    entry = entry_of(memory, again, "b/x.md")
    assert (entry.id, entry.text, entry.fields["rating"]) == (before.id, "Two and a half", 5)
    assert entry.created == before.created
    assert memory.import_from(full, name="notes").counts == {"same": 4}


def test_where_both_sides_changed_ours_stays_and_it_is_told(memory: Memory, full: RamBackend) -> None:
    first = memory.import_from(full, name="notes")
    entry = entry_of(memory, first, "b/x.md")
    mine = memory.edit(entry.id, entry.document.text + "Mine\n", scope=entry.scope)
    at = next(item.at for item in first.items if item.path == "pic.png")
    put(memory, at, "my picture")
    change(full, "b/x.md", "Theirs\n")
    change(full, "pic.png", "their picture")
    before = tree(memory)
    again = memory.import_from(full, name="notes")
    assert outcomes(again) == {"a/x.md": "same", "b/x.md": "conflict", "y.md": "same", "pic.png": "conflict"}
    assert "changed on both sides" in reason(again, "b/x.md")
    assert tree(memory) == before
    assert entry_of(memory, again, "b/x.md").version == mine.version


def test_what_only_we_changed_stays_and_is_no_conflict(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    memory.retag(entry.id, add=["mine"])
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    assert memory.get(entry.id).tags == ("mine",)


def test_without_its_ledger_an_edited_entry_is_not_doubled(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    memory.retag(entry.id, add=["mine"])
    memory.core.storage.delete(LEDGER)
    again = memory.import_from(full, name="notes")
    assert outcomes(again)["b/x.md"] == "conflict"
    assert len(memory.list()) == 3


def test_a_forgotten_entry_is_not_brought_back(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    memory.forget(entry.id)
    change(full, "b/x.md", "Other text\n")
    again = memory.import_from(full, name="notes")
    assert outcomes(again)["b/x.md"] == "away"
    assert "restore brings it back" in reason(again, "b/x.md")
    assert memory.get(entry.id).status == "deleted"


def test_a_purged_entry_is_not_brought_back(memory: Memory, full: RamBackend) -> None:
    first = memory.import_from(full, name="notes")
    entry = entry_of(memory, first, "b/x.md")
    memory.purge(entry.id, yes=True)
    memory.core.storage.delete(Locator(next(item.at for item in first.items if item.path == "pic.png")))
    before = tree(memory)
    again = memory.import_from(full, name="notes")
    assert (outcomes(again)["b/x.md"], outcomes(again)["pic.png"]) == ("away", "away")
    assert "not brought back" in reason(again, "b/x.md")
    assert tree(memory) == before


def test_under_another_name_what_was_purged_comes_in_again(memory: Memory, full: RamBackend) -> None:
    memory.purge(entry_of(memory, memory.import_from(full, name="notes"), "b/x.md").id, yes=True)
    result = memory.import_from(full, name="notes again")
    assert outcomes(result)["b/x.md"] == "new"


def test_an_entry_that_was_renamed_here_is_still_the_same(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    memory.rename(entry.id, "another-name")
    again = memory.import_from(full, name="notes")
    assert again.counts == {"same": 4}
    assert entry_of(memory, again, "b/x.md").text == "Two"


def test_an_archived_entry_is_left_where_it_is(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    memory.archive(entry.id)
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    memory.core.storage.delete(LEDGER)
    again = memory.import_from(full, name="notes")
    assert outcomes(again)["b/x.md"] == "conflict"
    assert memory.get(entry.id).status == "archived"


def test_a_vanished_file_is_told_and_its_entry_stays(memory: Memory, full: RamBackend) -> None:
    entry = entry_of(memory, memory.import_from(full, name="notes"), "b/x.md")
    full.delete(Locator("b/x.md"))
    full.delete(Locator("pic.png"))
    again = memory.import_from(full, name="notes")
    assert again.counts == {"same": 2, "vanished": 2}
    assert memory.get(entry.id).text == "Two"


def test_a_file_that_moved_is_followed(memory: Memory, full: RamBackend) -> None:
    first = memory.import_from(full, name="notes")
    full.move(Locator("b/x.md"), Locator("c/z.md"))
    full.move(Locator("pic.png"), Locator("c/picture.png"))
    before = tree(memory)
    again = memory.import_from(full, name="notes")
    assert again.counts == {"same": 4}
    assert tree(memory) == before
    assert entry_of(memory, again, "c/z.md").id == entry_of(memory, first, "b/x.md").id
    assert memory.import_from(full, name="notes").counts == {"same": 4}


def test_a_new_note_beside_known_ones_takes_no_name_of_theirs(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    fill(full, {"0/x.md": "First by its path\n"})
    again = memory.import_from(full, name="notes")
    assert again.counts == {"new": 1, "same": 4}
    assert entry_of(memory, again, "0/x.md").name == "x-3"


def test_another_source_under_a_known_name_is_refused(memory: Memory, source: RamBackend) -> None:
    memory.import_from(fill(source, {f"{number}.md": str(number) for number in range(9)}), name="notes")
    before = tree(memory)
    other = fill(RamBackend(), {"1.md": "Another person's", "readme.md": "Text"})
    with pytest.raises(quire.InvalidEntry, match=r"of the 9 files .* 1 are here, so this is another source"):
        memory.import_from(other, name="notes")
    assert tree(memory) == before


# Taking back


def test_undo_of_the_run_gives_the_tree_from_before(memory: Memory, full: RamBackend, time: Time) -> None:
    mine = memory.save("Mine.", kind="domain-reference", slug="x")
    before = tree(memory)
    time.forward(hours=1)
    result = memory.import_from(full, name="notes")
    assert len(tree(memory)) > len(before)
    memory.undo(run=result.run)
    assert tree(memory) == before
    assert memory.get(mine.id).text == "Mine."


def test_undo_of_an_update_gives_the_text_from_before(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    before = tree(memory)
    change(full, "b/x.md", "Other\n")
    change(full, "pic.png", "other")
    again = memory.import_from(full, name="notes")
    memory.undo(run=again.run)
    assert tree(memory) == before


def test_after_an_undo_it_comes_in_again(memory: Memory, full: RamBackend) -> None:
    first = memory.import_from(full, name="notes")
    imported = tree(memory)
    memory.undo(run=first.run)
    second = memory.import_from(full, name="notes")
    assert second.counts == {"new": 4}
    assert second.run != first.run
    assert tree(memory) == imported


def test_after_the_undo_of_an_update_it_updates_again(memory: Memory, full: RamBackend) -> None:
    memory.import_from(full, name="notes")
    change(full, "b/x.md", "Other\n")
    second = memory.import_from(full, name="notes")
    updated = tree(memory)
    memory.undo(run=second.run)
    third = memory.import_from(full, name="notes")
    assert outcomes(third)["b/x.md"] == "updated"
    assert tree(memory) == updated


def test_after_an_undo_it_comes_in_again_also_without_the_end_of_its_ledger(
    memory: Memory, full: RamBackend, time: Time
) -> None:
    """A process that is killed may not have written the last lines of it."""
    first = memory.import_from(full, name="notes")
    memory.core.storage.delete(LEDGER)
    assert memory.import_from(full, name="notes").counts == {"same": 4}
    memory.undo(run=first.run)
    assert memory.import_from(full, name="notes").counts == {"new": 4}


def test_what_was_made_from_an_imported_entry_goes_with_it(memory: Memory, source: RamBackend) -> None:
    """Names of entries may have spaces now."""
    result = memory.import_from(fill(source, {"My Note.md": "Text"}), name="notes")
    learnt = memory.save("Learnt.", kind="insight", derived_from=["domain-reference/My Note"])
    memory.save("Of its own.", kind="insight", slug="own")
    memory.undo(run=result.run)
    assert [entry.id for entry in memory.list()] == ["insight/own"]
    assert learnt.derived_from == ("domain-reference/My Note",)


def test_an_import_takes_nothing_else_back(memory: Memory, full: RamBackend) -> None:
    result = memory.import_from(full, name="notes")
    memory.save("Said later.", kind="idea", slug="later")
    memory.undo(run=result.run)
    assert [entry.id for entry in memory.list()] == ["idea/later"]


# Being interrupted


class Stop(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("after", [1, 2, 3, 4])
@pytest.mark.parametrize("ledger", [True, False])
def test_an_import_that_was_killed_goes_on(memory: Memory, full: RamBackend, after: int, ledger: bool) -> None:
    def stop(done: int, total: int, name: str) -> None:
        if done == after:
            raise Stop

    with pytest.raises(Stop):
        memory.import_from(full, name="notes", progress=stop)
    if not ledger:
        memory.core.storage.delete(LEDGER)
    result = memory.import_from(full, name="notes")
    assert result.counts == {key: count for key, count in (("new", 4 - after), ("same", after)) if count}
    assert len(memory.list()) == 3
    assert memory.import_from(full, name="notes").counts == {"same": 4}


def test_what_goes_on_is_the_same_run(memory: Memory, full: RamBackend) -> None:
    def stop(done: int, total: int, name: str) -> None:
        if done == 2:
            raise Stop

    before = tree(memory)
    with pytest.raises(Stop):
        memory.import_from(full, name="notes", progress=stop)
    result = memory.import_from(full, name="notes")
    memory.undo(run=result.run)
    assert tree(memory) == before


def test_created_is_not_the_time_of_the_import(memory: Memory, full: RamBackend, time: Time) -> None:
    time.moment = dt.datetime(2040, 1, 1, tzinfo=dt.UTC)
    entry = entry_of(memory, memory.import_from(full, name="notes"), "a/x.md")
    assert memory.core.clock.read(entry.created) < time.moment


def test_the_journal_keeps_no_copy_of_attachments(memory: Memory, source: RamBackend) -> None:
    """They may be large, and are still where they came from."""
    video = bytes(range(256)) * 4000
    fill(source, {"a.mp4": video, "b.mp4": video[::-1], "x.md": "Text"})
    result = memory.import_from(source, name="notes")
    memory.undo(run=result.run)
    assert tree(memory) == {}
    journal = [info.size for info in memory.core.storage.walk(Locator(".journal"))]
    assert sum(journal) < len(video)


def test_an_attachment_that_was_edited_keeps_the_whole_run_from_being_undone(memory: Memory, full: RamBackend) -> None:
    result = memory.import_from(full, name="notes")
    put(memory, next(item.at for item in result.items if item.path == "pic.png"), "mine")
    before = tree(memory)
    with pytest.raises(quire.UndoRefused, match=r"pic\.png"):
        memory.undo(run=result.run)
    assert tree(memory) == before


def test_another_folder_of_the_same_name_is_not_taken_for_the_first(memory: Memory, source: RamBackend) -> None:
    fill(source, {"README.md": "The first.\n"})
    memory.import_from(source, name="notes", origin="/a/notes")
    before = tree(memory)
    other = RamBackend()
    fill(other, {"README.md": "The second.\n"})
    with pytest.raises(InvalidEntry, match="'notes' came from /a/notes, and this is /b/notes"):
        memory.import_from(other, name="notes", origin="/b/notes")
    assert tree(memory) == before
    assert memory.import_from(other, name="notes-of-b", origin="/b/notes").counts == {"new": 1}
    assert memory.import_from(source, name="notes").counts == {"same": 1}  # who gives the name alone means the same
