"""Storage in memory: the reference that the other backends are held against."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, insort

from quire.errors import IsADirectory
from quire.locator import Locator
from quire.ports.storage import (
    ANY,
    Capabilities,
    IfVersion,
    Info,
    StorageBackend,
    already_exists,
    any_below,
    below,
    check_lengths,
    check_move,
    check_place,
    check_size,
    check_version,
    children,
    missing,
    payload,
    removable,
    version_of,
)


class RamBackend(StorageBackend):
    """Dictionaries behind one lock. Thread-safe; gone with the process, and not shared with another."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, float]] = {}
        self._keys: list[str] = []  # the same keys, sorted, so that folders are slices
        self._lock = threading.RLock()

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def read_bytes(self, locator: Locator) -> bytes:
        with self._lock:
            if self.info(locator).is_dir:
                raise IsADirectory("a folder is here", where=locator.key or "/", remedy="Look into it with list")
            return self._files[locator.key][0]

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        content = payload(locator, content)
        with self._lock:
            check_place(self, locator)
            check_version(locator, if_version, self._version(locator))
            self._put(locator.key, content)
        return locator

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        content = payload(locator, content)
        with self._lock:
            check_place(self, locator)
            held, _ = self._files.get(locator.key, (b"", 0.0))
            check_size(locator, len(held) + len(content))
            self._put(locator.key, held + content)
        return locator

    def list(self, locator: Locator) -> list[Locator]:
        with self._lock:
            return children(self._keys, locator)

    def info(self, locator: Locator) -> Info:
        with self._lock:
            if locator.key in self._files:
                content, mtime = self._files[locator.key]
                return Info(locator, False, len(content), mtime, version_of(content))
            if locator.key and not any_below(self._keys, locator):
                raise missing(locator)
            return Info(locator, True, 0, 0.0)

    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        with self._lock:
            gone = removable(self._keys, locator)
            check_version(locator, if_version, self._version(locator) or "")
            self._drop(gone.key)

    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        with self._lock:
            seen = self.info(source)
            check_move(source, target, seen, if_version)
            if self.exists(target):
                raise already_exists(target, self._version(target))
            check_place(self, target)
            check_version(source, if_version, seen.version)
            moving = list(below(self._keys, source)) if seen.is_dir else [source.key]
            check_lengths(source, target, self.walk(source))
            for key in moving:
                content, _ = self._files[key]
                self._drop(key)
                self._put(target.key + key[len(source.key) :], content)
        return target

    def exists(self, locator: Locator) -> bool:
        with self._lock:
            return not locator.key or locator.key in self._files or any_below(self._keys, locator)

    def _version(self, locator: Locator) -> str | None:
        held = self._files.get(locator.key)
        return version_of(held[0]) if held else None

    def _put(self, key: str, content: bytes) -> None:
        if key not in self._files:
            insort(self._keys, key)
        self._files[key] = (content, time.time())

    def _drop(self, key: str) -> None:
        del self._files[key]
        del self._keys[bisect_left(self._keys, key)]
