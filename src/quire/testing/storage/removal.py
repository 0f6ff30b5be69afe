"""What is promised of `delete` and `move`."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.errors import (
    AlreadyExists,
    Conflict,
    DirectoryNotEmpty,
    IsADirectory,
    NotADirectory,
    NotFound,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, StorageBackend, version_of


class DeleteTests:
    """Part of `StorageBackendTests`."""

    def test_deletes_a_file(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("folder/a"), "x")
        kept = storage.write(Locator("folder/b"), "y")
        storage.delete(at)
        assert not other.exists(at)
        assert other.list(Locator("folder")) == [kept]
        assert [info.locator for info in other.walk(Locator())] == [kept]
        with pytest.raises(NotFound):
            storage.delete(at)

    def test_deletes_only_the_version_that_was_seen(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        storage.write(at, "two")
        with pytest.raises(Conflict) as caught:
            storage.delete(at, if_version=version_of("one"))
        assert caught.value.current == version_of("two")
        with pytest.raises(Conflict):
            storage.delete(at, if_version=ABSENT)
        assert storage.read(at) == "two"
        storage.delete(at, if_version=version_of("two"))
        with pytest.raises(NotFound):
            storage.delete(at, if_version=version_of("two"))
        assert not storage.exists(at)

    def test_deletes_a_folder_only_when_it_is_empty(self, storage: StorageBackend) -> None:
        storage.mkdir(Locator("a/b"))
        at = storage.write(Locator("a/b/c.md"), "x")
        for folder in ("a", "a/b"):
            with pytest.raises(DirectoryNotEmpty):
                storage.delete(Locator(folder))
        assert storage.read(at) == "x"
        storage.delete(at)
        storage.delete(Locator("a/b"))
        assert not storage.exists(Locator("a/b"))
        with pytest.raises(IsADirectory):
            storage.delete(Locator())


class MoveTests:
    """Part of `StorageBackendTests`."""

    def test_moves_a_file(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a/one.md"), "text\r\n")
        to = Locator("new/folder/two.md")
        assert storage.move(at, to) == to
        assert other.read(to) == "text\r\n"
        assert not other.exists(at)
        assert [info.locator for info in other.walk(Locator())] == [to]

    def test_never_moves_over_anything(self, storage: StorageBackend) -> None:
        one = storage.write(Locator("one"), "1")
        storage.write(Locator("two"), "2")
        storage.write(Locator("folder/three"), "3")
        storage.mkdir(Locator("empty"))
        for taken in ("two", "folder", "folder/three", "empty", "one"):
            with pytest.raises(AlreadyExists):
                storage.move(one, Locator(taken))
        assert [storage.read(Locator(key)) for key in ("one", "two", "folder/three")] == ["1", "2", "3"]
        with pytest.raises(IsADirectory):
            storage.move(one, Locator())
        with pytest.raises(NotADirectory):
            storage.move(one, one.child("below"))
        assert storage.read(one) == "1"

    def test_moves_only_the_version_that_was_seen(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        storage.write(at, "two")
        with pytest.raises(Conflict) as caught:
            storage.move(at, Locator("b"), if_version=version_of("one"))
        assert caught.value.current == version_of("two")
        with pytest.raises(Conflict):
            storage.move(at, Locator("b"), if_version=ABSENT)
        assert storage.read(at) == "two"
        assert not storage.exists(Locator("b"))
        storage.move(at, Locator("b"), if_version=version_of("two"))
        assert storage.read(Locator("b")) == "two"

    def test_moves_a_folder_with_all_that_is_in_it(self, storage: StorageBackend) -> None:
        for key in ("a/1", "a/b/2", "a/b/c/3", "ab/4"):
            storage.write(Locator(key), key)
        storage.move(Locator("a"), Locator("x/y"))
        assert {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator())} == {
            "ab/4": "ab/4", "x/y/1": "a/1", "x/y/b/2": "a/b/2", "x/y/b/c/3": "a/b/c/3",
        }  # fmt: skip
        assert not storage.exists(Locator("a"))
        with pytest.raises(NotADirectory):
            storage.move(Locator("x"), Locator("x/y/z"))
        with pytest.raises(AlreadyExists):
            storage.move(Locator("x"), Locator("ab"))
        with pytest.raises(Conflict):
            storage.move(Locator("x"), Locator("z"), if_version=version_of(""))

    def test_of_many_movers_one_wins(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("source"), "text")
        start = threading.Barrier(6)

        def move(number: int) -> bool:
            start.wait()
            try:
                (storage, other)[number % 2].move(at, Locator(f"target/{number}"))
            except (NotFound, Conflict):
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            won = list(pool.map(move, range(6)))
        assert won.count(True) == 1
        assert [info.locator.key for info in storage.walk(Locator())] == [f"target/{won.index(True)}"]
        assert storage.read(Locator(f"target/{won.index(True)}")) == "text"

    def test_of_many_that_want_one_name_one_gets_it(self, storage: StorageBackend, other: StorageBackend) -> None:
        sources = [storage.write(Locator(f"source/{number}"), f"text {number}") for number in range(6)]
        start = threading.Barrier(6)

        def move(number: int) -> bool:
            start.wait()
            try:
                (storage, other)[number % 2].move(sources[number], Locator("target"))
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            won = list(pool.map(move, range(6)))
        assert won.count(True) == 1
        assert storage.read(Locator("target")) == f"text {won.index(True)}"
        losers = [number for number in range(6) if not won[number]]
        assert all(storage.read(sources[number]) == f"text {number}" for number in losers)
