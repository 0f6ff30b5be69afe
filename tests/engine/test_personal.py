"""The person's own notes: read freely, written only on their word, and that is journaled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import quire
from quire import Conflict, InvalidEntry, InvalidLocatorError, Memory, NotAllowed, NothingToUndo, NotText, UndoRefused
from quire.engine import changes, personal
from tests.engine.conftest import Time

ASKED = "Please note the roses."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "Home").mkdir()
    (tmp_path / "Home" / "garden.md").write_bytes(b"Tulips.\r\n")
    return tmp_path


@pytest.fixture
def memory(notes: Path, time: Time) -> Iterator[Memory]:
    with quire.open(protocol="ram", personal=notes, now=time) as opened:
        yield opened


def everything(notes: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(notes)): path.read_bytes()
        for path in notes.rglob("*")
        if path.is_file() and ".quire-" not in str(path)
    }


def test_a_note_is_written_and_the_request_is_journaled_with_it(memory: Memory, notes: Path) -> None:
    change = memory.write_personal("Home/garden.md", "Roses.\n", request=f"  {ASKED} ")
    assert everything(notes) == {"Home/garden.md": b"Roses.\n"}
    assert list(memory.changes()) == [change]
    assert (change.verb, change.tier, change.request, change.entries, change.storage) == (
        "write-personal",
        "T1",
        ASKED,
        ("Home/garden.md",),
        "personal",
    )


def test_a_note_comes_back_byte_for_byte(memory: Memory, notes: Path) -> None:
    before = everything(notes)
    memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED)
    memory.write_personal("New/plan.md", "A plan.\n", request=ASKED)
    memory.undo()
    memory.undo()
    assert everything(notes) == before


def test_what_the_person_wrote_since_is_not_lost_by_undoing(memory: Memory, notes: Path) -> None:
    memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED)
    (notes / "Home" / "garden.md").write_text("Roses, and more.\n")
    with pytest.raises(UndoRefused, match=r"Home/garden\.md: it has changed since write-personal"):
        memory.undo()


@pytest.mark.parametrize("request_", ["", "  ", "ok", None, 5, "x" * 5000])
def test_without_words_of_the_person_nothing_is_written(memory: Memory, notes: Path, request_: str) -> None:
    before = everything(notes)
    with pytest.raises(NotAllowed, match=r"their words are missing|is no request any more"):
        memory.write_personal("Home/garden.md", "Roses.\n", request=request_)
    assert everything(notes) == before
    assert list(memory.changes()) == []


@pytest.mark.parametrize("path", ["../outside.md", "Home/../../x.md", "a\\b.md", "Home/\n.md", "C:/x.md"])
def test_a_path_that_could_lead_out_is_refused(memory: Memory, notes: Path, path: str) -> None:
    before = everything(notes)
    with pytest.raises(InvalidLocatorError):
        memory.write_personal(path, "Roses.\n", request=ASKED)
    assert everything(notes) == before


def test_a_link_that_leads_out_is_not_followed(
    memory: Memory, notes: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (notes / "way-out").symlink_to(outside)
    with pytest.raises(quire.StorageError):
        memory.write_personal("way-out/x.md", "Roses.\n", request=ASKED)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", [".obsidian/plugins/x/main.js", "Home/.hidden.md", ".git/hooks/pre-commit"])
def test_what_belongs_to_a_program_is_no_note(memory: Memory, notes: Path, path: str) -> None:
    before = everything(notes)
    with pytest.raises(NotAllowed, match="what begins with a dot is not a note, but a program's own"):
        memory.write_personal(path, "run();\n", request=ASKED)
    assert everything(notes) == before


def test_a_path_that_names_nothing_and_text_that_is_none_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidEntry, match="this names no note"):
        memory.write_personal("/", "Roses.\n", request=ASKED)
    with pytest.raises(NotText, match="half a character"):
        memory.write_personal("Home/garden.md", "\ud83d", request=ASKED)
    with pytest.raises(NotText, match="the text is int"):
        memory.write_personal("Home/garden.md", 5, request=ASKED)  # type: ignore[arg-type]


def test_a_note_that_changed_since_it_was_read_is_kept(memory: Memory, notes: Path) -> None:
    seen = quire.version_of(b"Tulips.\r\n")
    (notes / "Home" / "garden.md").write_text("By hand.\n")
    with pytest.raises(Conflict, match="this note changed since it was read") as refused:
        memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED, if_version=seen)
    assert refused.value.current == quire.version_of(b"By hand.\n")
    memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED, if_version=refused.value.current)
    with pytest.raises(Conflict, match="this note is gone"):
        memory.write_personal("Home/nothing.md", "Roses.\n", request=ASKED, if_version=seen)


def test_whoever_is_faster_is_not_overwritten(memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = changes.Changes.apply

    def meanwhile(self: changes.Changes, *arguments: object) -> object:
        (notes / "Home" / "garden.md").write_text("By hand.\n")
        return real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(changes.Changes, "apply", meanwhile)
    with pytest.raises(Conflict):
        memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED)
    assert everything(notes) == {"Home/garden.md": b"By hand.\n"}
    assert list(memory.changes()) == []


def test_a_note_that_says_it_already_is_left_as_it_is_and_the_request_is_kept(memory: Memory, notes: Path) -> None:
    change = memory.write_personal("Home/garden.md", "Tulips.\r\n", request=ASKED)
    assert everything(notes) == {"Home/garden.md": b"Tulips.\r\n"}
    assert (change.request, change.steps) == (ASKED, ())
    assert list(memory.changes()) == [change]
    assert memory.digest() == []
    with pytest.raises(NothingToUndo):
        memory.undo()


def test_where_no_notes_are_configured_none_are_written(time: Time) -> None:
    with (
        quire.open(protocol="ram", now=time) as memory,
        pytest.raises(NotAllowed, match=r"no personal notes are configured\. Open with personal="),
    ):
        memory.write_personal("Home/garden.md", "Roses.\n", request=ASKED)


def test_no_other_verb_writes_there(memory: Memory, notes: Path) -> None:
    before = everything(notes)
    memory.save("See [[garden]].", kind="fix", slug="garden")
    memory.rename("fix/garden", "roses")
    memory.index()
    memory.lint(fix=True)
    memory.undo(run=memory.core.changes.actor.run)
    assert everything(notes) == before


def test_notes_are_read_as_they_are(memory: Memory, notes: Path) -> None:
    storage = memory.core.others["personal"]
    assert personal.read(storage, "Home/garden.md") == "Tulips.\r\n"
    with pytest.raises(quire.NotFound):
        personal.read(storage, "Home/nothing.md")
    with pytest.raises(NotAllowed):
        personal.read(None, "Home/garden.md")
