"""Filling sources and reading results."""

from __future__ import annotations

from collections.abc import Mapping

from quire import Entry, Locator, Memory, StorageBackend
from quire.engine.transfer import Imported


def fill(storage: StorageBackend, files: Mapping[str, str | bytes]) -> StorageBackend:
    for key, content in files.items():
        storage.write_bytes(Locator(key), content.encode() if isinstance(content, str) else content)
    return storage


def everything(storage: StorageBackend) -> dict[str, bytes]:
    return {info.locator.key: storage.read_bytes(info.locator) for info in storage.walk(Locator())}


def outcomes(result: Imported) -> dict[str, str]:
    """What became of each path."""
    return {item.path: item.outcome.value for item in result.items}


def reason(result: Imported, path: str) -> str:
    [item] = [item for item in result.items if item.path == path]
    return item.reason


def entry_of(memory: Memory, result: Imported, path: str) -> Entry:
    """The entry that the file at `path` became."""
    [item] = [item for item in result.items if item.path == path]
    assert item.scope
    return memory.get(item.entry, scope=item.scope)
