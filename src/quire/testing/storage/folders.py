"""What is promised of folders: what they list, what they are not, and how they are walked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.errors import (
    AlreadyExists,
    Conflict,
    IsADirectory,
    NotADirectory,
    NotFound,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, Info, StorageBackend, version_of


class FolderTests:
    """Part of `StorageBackendTests`."""

    def test_lists_immediate_children_sorted_by_key(self, storage: StorageBackend) -> None:
        names = ["b.md", "a.md", "a-b.md", "a", "B.md", "\uff21.md", "😀.md", "é.md", "10", "9", "a0", "_x", "~y"]
        for name in names:
            storage.write(Locator("top").child(name, "deep.md") if name == "a" else Locator("top").child(name), name)
        assert storage.list(Locator("top")) == [Locator(f"top/{name}") for name in sorted(names)]
        assert storage.list(Locator("top/a")) == [Locator("top/a/deep.md")]
        assert storage.list(storage.resolve()) == [Locator("top")]

    def test_listing_nothing_is_empty(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/file.md"), "x")
        for nothing in (at, Locator("absent"), Locator("absent/deeper"), at.child("below")):
            assert storage.list(nothing) == []
            assert list(storage.walk(nothing)) == []

    def test_lists_more_than_a_page(self, storage: StorageBackend) -> None:
        keys = [f"many/{number:04}.md" for number in range(1100)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: storage.write(Locator(key), key), keys))
        assert [at.key for at in storage.list(Locator("many"))] == keys
        assert [info.locator.key for info in storage.walk(Locator())] == keys

    def test_makes_folders(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = Locator("a/b/c")
        assert storage.mkdir(at) == at
        assert storage.mkdir(at) == at
        for folder in (at, at.parent, at.parent.parent):
            assert other.exists(folder)
            assert other.info(folder) == Info(folder, True, 0, other.info(folder).mtime)
        assert storage.list(at) == []
        assert storage.list(Locator("a")) == [Locator("a/b")]
        assert list(storage.walk(Locator())) == []
        storage.write(at.child("d.md"), "x")
        assert storage.list(at) == [at.child("d.md")]
        storage.mkdir(at)
        assert storage.read(at.child("d.md")) == "x"
        assert storage.mkdir(Locator()) == Locator()

    def test_a_folder_is_not_a_file(self, storage: StorageBackend) -> None:
        storage.mkdir(Locator("made"))
        storage.write(Locator("implied/file.md"), "x")
        for folder in (Locator("made"), Locator("implied"), Locator()):
            for attempt in (
                storage.read,
                storage.read_bytes,
                lambda at: storage.write(at, "x"),
                lambda at: storage.write(at, "x", if_version=ABSENT),
            ):
                with pytest.raises((IsADirectory, AlreadyExists)):
                    attempt(folder)
            with pytest.raises((IsADirectory, Conflict)):
                storage.write(folder, "x", if_version=version_of("y"))
            assert storage.info(folder).is_dir
        assert storage.read(Locator("implied/file.md")) == "x"

    def test_a_file_is_not_a_folder(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a.md"), "x")
        attempts: list[Callable[[], object]] = [
            lambda: storage.write(at.child("b.md"), "y"),
            lambda: storage.write(at.child("b/c/d.md"), "y"),
            lambda: storage.write(at.child("b.md"), "y", if_version=ABSENT),
            lambda: storage.mkdir(at),
            lambda: storage.mkdir(at.child("b")),
            lambda: storage.move(storage.write(Locator("other.md"), "o"), at.child("b.md")),
        ]
        for attempt in attempts:
            with pytest.raises(NotADirectory):
                attempt()
        assert not storage.exists(at.child("b.md"))
        with pytest.raises(NotFound):
            storage.read(at.child("b.md"))
        assert storage.read(at) == "x"
        assert storage.read(Locator("other.md")) == "o"

    def test_info_tells_what_is_there(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/a.md"), "héllo")
        info = storage.info(at)
        assert info == Info(at, False, 6, info.mtime, version_of("héllo"))
        assert info.mtime > 1_500_000_000
        folder = storage.info(Locator("folder"))
        assert (folder.locator, folder.is_dir, folder.size, folder.version) == (Locator("folder"), True, 0, "")
        storage.write(at, "other")
        assert storage.info(at).version == version_of("other")

    def test_walks_every_file_in_order_of_the_keys(self, storage: StorageBackend) -> None:
        keys = sorted(["a.md", "a/b.md", "a/b/c.md", "a-b/c.md", "b/é.md", "z/y/x/w.md", "a0.md"])
        for key in reversed(keys):
            storage.write(Locator(key), key)
        storage.mkdir(Locator("empty"))
        infos = list(storage.walk(Locator()))
        assert [info.locator.key for info in infos] == keys
        assert [info.size for info in infos] == [len(key.encode()) for key in keys]
        assert not any(info.is_dir for info in infos)
        assert [info.locator.key for info in storage.walk(Locator("a"))] == ["a/b.md", "a/b/c.md"]

    def test_walk_shows_by_the_version_what_to_look_at_again(self, storage: StorageBackend) -> None:
        one, two = (storage.write(Locator(key), "before") for key in ("one", "two"))
        before = {info.locator: info.version for info in storage.walk(Locator())}
        storage.write(two, "after!")
        after = {info.locator: info.version for info in storage.walk(Locator())}
        assert after[one] == before[one]
        assert after[two] != before[two]
