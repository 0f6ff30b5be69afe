"""Real folders: names, links and files that a person's disk has and another one would not."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

import quire
from quire import AccessDenied, Info, Locator, Memory, SelectionError, StorageFull
from quire.app import open_folder
from quire.backends.ram import RamBackend
from quire.engine.transfer import Imported
from tests.engine.looking import tree
from tests.engine.transfer.carrying import entry_of, everything, fill, outcomes, reason


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def disk(tmp_path: Path, layout: str) -> Iterator[Memory]:
    with quire.open(tmp_path / "root", layout=layout, timezone="UTC") as opened:
        yield opened


def brought(memory: Memory, vault: Path) -> Imported:
    with open_folder(vault) as source:
        return memory.import_from(source, name="notes")


def listing(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("name", ["CON.md", "a\\b.md", "what?\n.md", "trailing .md ", "nul", "c:x.md"])
def test_a_name_that_no_other_system_could_hold_is_told(disk: Memory, vault: Path, name: str) -> None:
    (vault / name).write_text("Text")
    (vault / "fine.md").write_text("Text")
    result = brought(disk, vault)
    assert outcomes(result) == {name: "refused", "fine.md": "new"}
    assert "a name that other systems cannot hold" in reason(result, name)


def test_a_link_out_of_the_folder_is_not_followed(disk: Memory, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret")
    (vault / "link.md").symlink_to(tmp_path / "secret.md")
    (vault / "folder").symlink_to(tmp_path)
    (vault / "fine.md").write_text("Text")
    result = brought(disk, vault)
    assert outcomes(result) == {"link.md": "refused", "folder": "refused", "fine.md": "new"}
    assert reason(result, "link.md") == "a symbolic link"
    assert not [content for content in tree(disk).values() if b"Secret" in content]


def test_a_pipe_does_not_hang_the_import(disk: Memory, vault: Path) -> None:
    os.mkfifo(vault / "pipe.md")
    assert outcomes(brought(disk, vault)) == {"pipe.md": "refused"}


def test_a_name_of_255_bytes_comes_in(disk: Memory, vault: Path) -> None:
    name = "ä" * 126  # 252 bytes, and the ending
    (vault / f"{name}.md").write_text("One")
    (vault / "b").mkdir()
    (vault / "b" / f"{name}.md").write_text("Two")
    result = brought(disk, vault)
    assert entry_of(disk, result, f"{name}.md").name == "ä" * 125 + "-2"
    assert entry_of(disk, result, f"b/{name}.md").name == name
    assert result.counts == {"new": 2}


def test_a_name_in_nfd_is_the_name_in_nfc(disk: Memory, vault: Path) -> None:
    (vault / (unicodedata.normalize("NFD", "Café") + ".md")).write_text("Text")
    result = brought(disk, vault)
    assert [item.entry for item in result.items] == ["domain-reference/Café"]
    assert brought(disk, vault).counts == {"same": 1}


def test_a_path_too_long_to_be_an_attachment_is_told(disk: Memory, vault: Path) -> None:
    deep = vault.joinpath(*["d" * 200] * 4, "e" * 200)
    deep.mkdir(parents=True)
    (deep / "a.png").write_bytes(b"1")
    (vault / "fine.md").write_text("Text")
    result = brought(disk, vault)
    assert result.counts == {"new": 1, "refused": 1}
    assert "longer than 1024 bytes" in result.of("refused")[0].reason


def test_a_file_of_100_megabytes_is_kept_as_a_file(disk: Memory, vault: Path) -> None:
    with (vault / "huge.md").open("wb") as file:
        file.truncate(100_000_000)
    (vault / "fine.md").write_text("Text")
    result = brought(disk, vault)
    assert result.counts == {"new": 2}
    [item] = [item for item in result.items if item.path == "huge.md"]
    assert "100,000,000 bytes are more than" in item.reason
    assert disk.core.storage.info(Locator(item.at)).size == 100_000_000
    assert [entry.name for entry in disk.list()] == ["fine"]


def test_a_file_larger_than_a_storage_takes_is_told(disk: Memory, vault: Path) -> None:
    with (vault / "film.mp4").open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    result = brought(disk, vault)
    assert result.counts == {"refused": 1}
    assert "Split it" in result.items[0].reason


def test_the_source_is_left_as_it_is(disk: Memory, vault: Path) -> None:
    (vault / "x.md").write_text("Text")
    before = listing(vault), (vault / "x.md").stat().st_mtime_ns
    brought(disk, vault)
    assert (listing(vault), (vault / "x.md").stat().st_mtime_ns) == before


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match="there is no such folder"):
        open_folder(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(SelectionError, match="a file, not a folder"):
        open_folder(tmp_path / "file")
    assert not (tmp_path / "nowhere").exists()


def test_a_memory_that_lies_in_the_folder_does_not_come_into_itself(tmp_path: Path, vault: Path) -> None:
    (vault / "x.md").write_text("Text")
    with quire.open(vault / "Agent", timezone="UTC") as memory:
        for counts in ({"new": 1, "left out": 1}, {"same": 1, "left out": 1}):
            result = brought(memory, vault)
            assert result.counts == counts
            assert reason(result, "Agent/") == "this memory itself"


def test_a_part_of_the_memory_is_neither_source_nor_target(disk: Memory, tmp_path: Path) -> None:
    disk.save("Text.", kind="fix")
    for path in (tmp_path / "root", tmp_path / "root" / "backup"):
        with open_folder(path, make=True) as storage:
            with pytest.raises(quire.InvalidEntry, match="a part of the memory itself"):
                disk.import_from(storage, name="notes")
            with pytest.raises(quire.InvalidEntry, match="a part of the memory itself"):
                disk.export_to(storage)
    with pytest.raises(quire.InvalidEntry, match="a part of the memory itself"):
        disk.import_from(disk.core.storage, name="notes")


def test_an_export_makes_plain_files(disk: Memory, tmp_path: Path) -> None:
    saved = disk.save("Text.", kind="fix", title="Lock")
    with open_folder(tmp_path / "out", make=True) as target:
        disk.export_to(target)
    assert (tmp_path / "out" / saved.locator.key).read_text() == saved.document.text


class Refusing(RamBackend):
    """A storage of which one folder may not be read."""

    def walk(self, locator: Locator) -> Iterator[Info]:
        for info in super().walk(locator):
            if info.locator.key.startswith("private/"):
                raise AccessDenied("this folder may not be read", where="private")
            yield info

    def list(self, locator: Locator) -> list[Locator]:
        if locator.key == "private":
            raise AccessDenied("this folder may not be read", where="private")
        return super().list(locator)


def test_a_folder_that_may_not_be_read_does_not_hide_the_others(memory: Memory) -> None:
    source = fill(Refusing(), {"a/x.md": "1", "private/y.md": "2", "z.md": "3"})
    result = memory.import_from(source, name="notes")
    assert outcomes(result) == {"a/x.md": "new", "private/": "refused", "z.md": "new"}


class Unreadable(RamBackend):
    """A storage of which one file may not be read."""

    def read_bytes(self, locator: Locator) -> bytes:
        if locator.name.startswith("bad"):
            raise AccessDenied("no rights", where=locator.key)
        return super().read_bytes(locator)


def test_a_file_that_may_not_be_read_does_not_stop_the_rest(memory: Memory) -> None:
    source = fill(Unreadable(), {"bad.md": "1", "bad.png": "2", "good.md": "3"})
    result = memory.import_from(source, name="notes")
    assert outcomes(result) == {"bad.md": "refused", "bad.png": "refused", "good.md": "new"}
    assert memory.import_from(source, name="notes").counts == {"same": 1, "refused": 2}


def test_a_full_disk_stops_the_import_and_it_goes_on_later(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    source = fill(RamBackend(), {f"{number}.md": str(number) for number in range(5)})
    write = memory.core.storage.write_bytes

    def full(locator: Locator, content: bytes, **how: object) -> Locator:
        if locator.name == "3.md":
            raise StorageFull("no space", where=locator.key)
        return write(locator, content, **how)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(memory.core.storage, "write_bytes", full)
        with pytest.raises(StorageFull):
            memory.import_from(source, name="notes")
    assert memory.import_from(source, name="notes").counts == {"new": 2, "same": 3}
    assert len(everything(source)) == 5
