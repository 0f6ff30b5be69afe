"""The exam of the storage seam.

    class TestMine(StorageBackendTests):
        @pytest.fixture
        def storage(self, tmp_path):
            return MyBackend(tmp_path)

`storage` is an empty backend. Two more fixtures make the exam sharper where they can be given: `other`, a second handle
on the same storage, and `peek`, which reads the bytes of a key around the backend, so that a faulty read cannot vouch
for a faulty write.

The exam is one specification in parts: the modules beside this one, from keys to the random games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from quire.locator import Locator
from quire.ports.storage import Capabilities, StorageBackend
from quire.testing.storage.append import AppendTests
from quire.testing.storage.conditions import ConditionTests
from quire.testing.storage.content import ContentTests
from quire.testing.storage.folders import FolderTests
from quire.testing.storage.games import play
from quire.testing.storage.keys import KeyTests
from quire.testing.storage.removal import DeleteTests, MoveTests


class StorageBackendTests(KeyTests, ContentTests, AppendTests, FolderTests, ConditionTests, DeleteTests, MoveTests):
    """What any backend promises. Give a `storage` fixture and it is all asked of yours."""

    games: ClassVar[int] = 20  # how many random games of 25 moves are played

    @pytest.fixture
    def storage(self) -> StorageBackend:
        """An empty backend. Override."""
        raise NotImplementedError("give this class a fixture named 'storage'")

    @pytest.fixture
    def other(self, storage: StorageBackend) -> StorageBackend:
        """A second handle on what `storage` holds."""
        return storage

    @pytest.fixture
    def peek(self, other: StorageBackend) -> Callable[[str], bytes]:
        """The bytes of a key, read around the backend."""
        return lambda key: other.read_bytes(Locator(key))

    def test_declares_what_it_promises(self, storage: StorageBackend) -> None:
        assert isinstance(storage.capabilities, Capabilities)
        assert isinstance(storage.conflict_strategy, str)
        assert storage.conflict_strategy

    def test_resolves_parts_to_a_locator(self, storage: StorageBackend) -> None:
        assert storage.resolve() == Locator("")
        assert storage.resolve("a", "b/c", "./d") == Locator("a/b/c/d")

    def test_an_empty_storage_has_a_root_and_nothing_else(self, storage: StorageBackend) -> None:
        assert storage.exists(storage.resolve())
        assert storage.info(storage.resolve()).is_dir
        assert storage.list(storage.resolve()) == []
        assert list(storage.walk(storage.resolve())) == []

    def test_closes_twice(self, storage: StorageBackend) -> None:
        storage.write(Locator("a"), "x")
        storage.close()
        storage.close()

    def test_plays_random_games_as_the_model_does(self, storage: StorageBackend) -> None:
        play(storage, self.games)
