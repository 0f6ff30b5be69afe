"""What is promised of adding to the end of a file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from quire.errors import IsADirectory, NotADirectory, StorageError
from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of


class AppendTests:
    """Part of `StorageBackendTests`."""

    def test_appending_to_nothing_makes_the_file_and_its_folders(
        self, storage: StorageBackend, other: StorageBackend
    ) -> None:
        at = Locator("logs/today/a.log")
        assert storage.append_bytes(at, b"one\n") == at
        assert other.read_bytes(at) == b"one\n"
        assert [info.locator for info in other.walk(Locator())] == [at]

    def test_appending_adds_to_the_end(
        self, storage: StorageBackend, other: StorageBackend, peek: Callable[[str], bytes]
    ) -> None:
        at = storage.write(Locator("a.log"), "written\n")
        storage.append_bytes(at, b"one\n")
        other.append_bytes(at, b"two\n")
        assert storage.read(at) == "written\none\ntwo\n" == other.read(at)
        assert peek("a.log") == b"written\none\ntwo\n"
        info = other.info(at)
        assert (info.size, info.version) == (16, version_of("written\none\ntwo\n"))

    def test_appending_changes_no_byte(self, storage: StorageBackend, peek: Callable[[str], bytes]) -> None:
        pieces = [bytes(range(256)), b"no newline", b"\r\n", b"\xef\xbb\xbf", b"\0" * 5000, b"\r", b"\n", b"\xff\xfe"]
        at = Locator("a.bin")
        for piece in pieces:
            storage.append_bytes(at, piece)
        assert storage.read_bytes(at) == b"".join(pieces) == peek("a.bin")

    def test_appending_nothing_makes_the_file_and_changes_none(self, storage: StorageBackend) -> None:
        at = storage.append_bytes(Locator("a.log"), b"")
        assert storage.read_bytes(at) == b""
        storage.write(at, "kept")
        storage.append_bytes(at, b"")
        assert storage.read(at) == "kept"

    def test_appends_any_bytes_like_content(self, storage: StorageBackend) -> None:
        at = storage.append_bytes(Locator("a"), bytearray(b"one"))  # type: ignore[arg-type]
        storage.append_bytes(at, memoryview(b"two!")[:3])  # type: ignore[arg-type]
        assert storage.read_bytes(at) == b"onetwo"
        wrong: Any = "text"
        with pytest.raises(StorageError):
            storage.append_bytes(at, wrong)
        assert storage.read_bytes(at) == b"onetwo"

    def test_nothing_is_appended_to_a_folder(self, storage: StorageBackend) -> None:
        storage.mkdir(Locator("made"))
        storage.write(Locator("implied/file.md"), "x")
        for folder in (Locator("made"), Locator("implied"), Locator()):
            with pytest.raises(IsADirectory):
                storage.append_bytes(folder, b"y")
            assert storage.info(folder).is_dir

    def test_nothing_is_appended_below_a_file(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a.md"), "x")
        for below in (at.child("b.log"), at.child("b/c.log")):
            with pytest.raises(NotADirectory):
                storage.append_bytes(below, b"y")
            assert not storage.exists(below)
        assert storage.read(at) == "x"

    def test_a_version_seen_before_an_append_conflicts(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a.log"), "one\n")
        storage.append_bytes(at, b"two\n")
        with pytest.raises(StorageError):
            storage.write(at, "three\n", if_version=version_of("one\n"))
        storage.write(at, "four\n", if_version=version_of("one\ntwo\n"))
        storage.append_bytes(at, b"five\n")
        assert storage.read(at) == "four\nfive\n"

    def test_racing_appends_all_land_whole(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = Locator("race/a.log")
        lines = [[f"{thread}:{number}:{'x' * (number * 97)}\n".encode() for number in range(5)] for thread in range(8)]
        start = threading.Barrier(8)

        def append(thread: int) -> None:
            start.wait()
            for line in lines[thread]:
                (storage, other)[thread % 2].append_bytes(at, line)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(append, range(8)))
        found = storage.read_bytes(at).splitlines(keepends=True)
        assert sorted(found) == sorted(line for mine in lines for line in mine)
        for mine in lines:
            assert [line for line in found if line in mine] == mine, "each writer finds its own in the order it wrote"
