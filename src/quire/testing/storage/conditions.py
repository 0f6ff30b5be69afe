"""What is promised of `if_version`, and of writers that race."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.errors import (
    AlreadyExists,
    Conflict,
    IsADirectory,
    NotADirectory,
    StorageError,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, ANY, StorageBackend, version_of


class ConditionTests:
    """Part of `StorageBackendTests`."""

    def test_any_writes_over_whatever_is_there(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one", if_version=ANY)
        storage.write(at, "two", if_version=ANY)
        assert storage.read(at) == "two"

    def test_absent_creates_only(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/a"), "one", if_version=ABSENT)
        with pytest.raises(AlreadyExists) as caught:
            storage.write(at, "two", if_version=ABSENT)
        assert isinstance(caught.value, Conflict)
        assert isinstance(caught.value, FileExistsError)
        assert caught.value.current == version_of("one")
        with pytest.raises(AlreadyExists):
            storage.write(at, "one", if_version=ABSENT)
        assert storage.read(at) == "one"
        storage.delete(at)
        storage.write(at, "three", if_version=ABSENT)
        assert storage.read(at) == "three"

    def test_a_version_replaces_only_what_was_seen(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        seen = storage.info(at).version
        storage.write(at, "two", if_version=seen)
        with pytest.raises(Conflict) as caught:
            other.write(at, "three", if_version=seen)
        assert caught.value.current == version_of("two")
        assert caught.value.code == "CONFLICT"
        assert storage.read(at) == "two"
        other.write(at, "two", if_version=version_of("two"))
        other.write(at, "", if_version=version_of("two"))
        assert storage.read(at) == ""

    def test_a_version_of_nothing_conflicts(self, storage: StorageBackend) -> None:
        with pytest.raises(Conflict) as caught:
            storage.write(Locator("absent"), "x", if_version=version_of("x"))
        assert caught.value.current is None
        with pytest.raises(Conflict):
            storage.write(Locator("absent/below"), "x", if_version=version_of("x"))
        assert not storage.exists(Locator("absent"))

    def test_a_precondition_of_another_kind_is_refused(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        for wrong in (None, 1, True, b"x"):
            with pytest.raises(StorageError):
                storage.write(at, "two", if_version=wrong)  # type: ignore[arg-type]
            with pytest.raises(StorageError):
                storage.write(Locator("absent"), "two", if_version=wrong)  # type: ignore[arg-type]
            with pytest.raises(StorageError):
                storage.delete(at, if_version=wrong)  # type: ignore[arg-type]
        assert storage.read(at) == "one"
        assert not storage.exists(Locator("absent"))

    def test_of_many_creators_one_wins(self, storage: StorageBackend, other: StorageBackend) -> None:
        for game in range(5):
            at = Locator(f"race/{game}")
            start = threading.Barrier(8)

            def create(number: int, at: Locator = at, start: threading.Barrier = start) -> bool:
                start.wait()
                try:
                    (storage, other)[number % 2].write(at, f"creator {number}", if_version=ABSENT)
                except Conflict:
                    return False
                return True

            with ThreadPoolExecutor(8) as pool:
                won = list(pool.map(create, range(8)))
            assert won.count(True) == 1
            assert storage.read(at) == f"creator {won.index(True)}"

    def test_a_file_and_one_below_it_are_never_both_acknowledged(
        self, storage: StorageBackend, other: StorageBackend
    ) -> None:
        for game in range(8):
            file = Locator(f"race/{game}/n")
            start = threading.Barrier(2)

            def create(number: int, file: Locator = file, start: threading.Barrier = start) -> bool:
                start.wait()
                try:
                    (storage, other)[number].write((file, file.child("x"))[number], "text", if_version=ABSENT)
                except (Conflict, IsADirectory, NotADirectory):
                    return False
                return True

            with ThreadPoolExecutor(2) as pool:
                won = list(pool.map(create, range(2)))
            assert won.count(True) <= 1
            for number, at in enumerate((file, file.child("x"))):
                if won[number]:
                    assert storage.read(at) == "text"

    def test_racing_increments_all_count(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("counter"), "0")
        start = threading.Barrier(4)

        def count(number: int) -> None:
            handle = (storage, other)[number % 2]
            start.wait()
            for _ in range(10):
                while True:
                    seen = handle.read(at)
                    try:
                        handle.write(at, str(int(seen) + 1), if_version=version_of(seen))
                        break
                    except Conflict:
                        continue

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(4)))
        assert storage.read(at) == "40"
        assert [at.key for at in storage.list(Locator())] == ["counter"]

    def test_parallel_writes_to_different_keys_all_land(self, storage: StorageBackend) -> None:
        keys = [f"p/{number % 4}/{number}" for number in range(64)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: storage.write(Locator(key), key, if_version=ABSENT), keys))
        assert {info.locator.key for info in storage.walk(Locator())} == set(keys)
        assert all(storage.read(Locator(key)) == key for key in keys)
