"""Looking at a root around the engine, so that a reader cannot vouch for a writer."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Protocol

from quire import ANY, Capabilities, IfVersion, Info, Locator, Memory, Scope, StorageBackend
from quire.engine.layout import Place, Zone


class _Named(Protocol):
    @property
    def id(self) -> str: ...


def tree(memory: Memory) -> dict[str, bytes]:
    """Every file of the root but the journal's."""
    storage = memory.core.storage
    return {
        info.locator.key: storage.read_bytes(info.locator)
        for info in storage.walk(Locator())
        if not info.locator.key.startswith(".journal/")
    }


def text_at(memory: Memory, key: str) -> str:
    return memory.core.storage.read(Locator(key))


def put(memory: Memory, key: str, text: str) -> None:
    """A person writes a file."""
    memory.core.storage.write(Locator(key), text)


def remove(memory: Memory, key: str) -> None:
    """A person deletes a file."""
    memory.core.storage.delete(Locator(key))


def where(memory: Memory, kind: str, name: str, zone: Zone = Zone.ACTIVE, scope: Scope | None = None) -> str:
    """The path at which this layout keeps such an entry, or such a log."""
    meant = scope or memory.core.scope_for(memory.core.kinds[kind], None)
    return memory.core.layout.place(Place(meant, "" if zone is Zone.ALWAYS else kind, name, zone)).key


def ids(entries: Iterable[_Named]) -> list[str]:
    return [entry.id for entry in entries]


class Watched(StorageBackend):
    """A storage that passes everything on, notes what is read and written, and refuses to read what it is told to."""

    def __init__(self, inner: StorageBackend) -> None:
        self.inner = inner
        self.read_keys: builtins.list[str] = []
        self.written_keys: builtins.list[str] = []
        self.refused: dict[str, Exception] = {}

    @property
    def capabilities(self) -> Capabilities:
        return self.inner.capabilities

    def read_bytes(self, locator: Locator) -> bytes:
        self.read_keys.append(locator.key)
        if locator.key in self.refused:
            raise self.refused[locator.key]
        return self.inner.read_bytes(locator)

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        self.written_keys.append(locator.key)
        return self.inner.write_bytes(locator, content, if_version=if_version)

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        self.written_keys.append(locator.key)
        return self.inner.append_bytes(locator, content)

    def list(self, locator: Locator) -> builtins.list[Locator]:
        return self.inner.list(locator)

    def info(self, locator: Locator) -> Info:
        return self.inner.info(locator)

    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        self.inner.delete(locator, if_version=if_version)

    def walk(self, locator: Locator) -> Iterator[Info]:
        return self.inner.walk(locator)
