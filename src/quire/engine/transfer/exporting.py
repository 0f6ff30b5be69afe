"""Exporting: entries as the plain files they are, or as lines of JSON. Reads only; what is there is not overwritten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from quire.engine.core import Core
from quire.engine.entry import Contents, Entry, Status
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.engine.listing import statuses
from quire.engine.records import encode_bytes
from quire.engine.scope import Scope
from quire.engine.transfer.report import FATAL, Exported, Item, Outcome, Progress
from quire.engine.transfer.source import own_folder
from quire.errors import AlreadyExists, NotFound, QuireError
from quire.locator import Locator
from quire.markdown.document import Document
from quire.markdown.entries import Log
from quire.ports.storage import ABSENT, StorageBackend


def export_to(
    core: Core,
    target: StorageBackend,
    *,
    scope: Scope | str | None,
    everywhere: bool,
    status: str | Iterable[str] | None,
    progress: Progress | None,
) -> Exported:
    """Write what is meant to `target`, at the paths that it has here. See `Memory.export_to`."""
    _ = own_folder(core, target)  # an export into the memory would be part of the next one
    selected = Selection.of(core, scope, everywhere, status)
    files = list(selected.files())
    items = []
    for number, (at, place) in enumerate(files, 1):
        try:
            item = _exported(selected, target, at, place)
        except FATAL:
            raise
        except QuireError as error:
            item = Item(at.key, Outcome.REFUSED, str(error), at=at.key)
        if item is not None:
            items.append(item)
        if progress is not None:
            progress(number, len(files), at.key)
    return Exported(tuple(items))


def _exported(selected: Selection, target: StorageBackend, at: Locator, place: Place | None) -> Item | None:
    try:
        raw = selected.bytes_of(at, place)
    except NotFound:
        return None  # removed since the walk
    if raw is None:
        return None
    scope = place.scope if place else None
    try:
        target.write_bytes(at, raw, if_version=ABSENT)
    except AlreadyExists:
        if target.read_bytes(at) == raw:
            return Item(at.key, Outcome.SAME, scope=scope, at=at.key)
        return Item(
            at.key, Outcome.CONFLICT, "a file that says something else is there; it stays", scope=scope, at=at.key
        )
    return Item(at.key, Outcome.NEW, scope=scope, at=at.key)


def export_lines(
    core: Core, *, scope: Scope | str | None, everywhere: bool, status: str | Iterable[str] | None
) -> Iterator[str]:
    """What is meant as lines of JSON, each with its newline. See `Memory.export_lines`."""
    selected = Selection.of(core, scope, everywhere, status)
    return (json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(core, selected))


def _lines(core: Core, selected: Selection) -> Iterator[dict[str, str]]:
    for at, place in selected.files():
        read = core.contents(at, place) if place else None
        if read and not any(fault.code == "NOT_UTF8" for fault in read[0].faults):
            yield from (_line(entry) for entry in read[0].entries if selected.has(entry))
        elif selected.statuses is None:
            try:
                content = encode_bytes(core.storage.read_bytes(at))
            except NotFound:
                continue  # removed since the walk
            yield {"path": at.key, **({"text": content} if isinstance(content, str) else content)}


def _line(entry: Entry) -> dict[str, str]:
    return {
        "scope": str(entry.scope),
        "id": entry.id,
        "kind": entry.kind,
        "status": entry.status.value,
        "path": entry.locator.key,
        "text": entry.document.text,
    }


@dataclass
class Selection:
    """Which entries are meant. Files that are none go along, unless entries of some status are asked for."""

    core: Core
    scopes: frozenset[Scope] | None  # None: all there are
    statuses: frozenset[Status] | None  # None: whatever they are

    @classmethod
    def of(
        cls, core: Core, scope: Scope | str | None, everywhere: bool, status: str | Iterable[str] | None
    ) -> Selection:
        """What the arguments of an export mean. Raises InvalidScope, or InvalidEntry for no status."""
        scopes = core.scopes if scope is None else (core.scope(scope),)
        chosen = None if status is None else frozenset(statuses(status))
        return cls(core, None if everywhere else frozenset(scopes), chosen)

    def files(self) -> Iterator[tuple[Locator, Place | None]]:
        """The files that hold what is meant, sorted by key."""
        for at, place in self._all:
            if place is not None:
                if self.scopes is None or place.scope in self.scopes:
                    yield at, place
            elif self.statuses is None and self._goes_along(at):
                yield at, None

    def has(self, entry: Entry) -> bool:
        return self.statuses is None or entry.status in self.statuses

    def bytes_of(self, at: Locator, place: Place | None) -> bytes | None:
        """The file as it is exported: a log only with the entries that are meant; None where nothing of it is."""
        if place is None or self.statuses is None:
            return self.core.storage.read_bytes(at)
        read = self.core.contents(at, place)
        if read is None or not any(map(self.has, read[0].entries)):
            return None
        contents, raw = read
        if place.kind and self.core.kinds[place.kind].shape is Shape.LOG:
            return self._thinned(contents)
        return raw

    def _thinned(self, contents: Contents) -> bytes:
        log = Log.parse(contents.text)
        for entry in contents.entries:
            if not self.has(entry):
                log = log.remove(entry.id)
        return log.text.encode()

    @cached_property
    def _all(self) -> list[tuple[Locator, Place | None]]:
        infos = self.core.storage.walk(Locator())
        return [(info.locator, self.core.layout.parse(info.locator)) for info in infos]

    @cached_property
    def _owners(self) -> dict[str, Scope]:
        """The folders of all scopes that there are, with whose they are."""
        scopes = {*self.core.scopes, *(self.scopes or ()), *(place.scope for _, place in self._all if place)}
        return {"/".join(self.core.layout.base(scope)): scope for scope in scopes}

    def _goes_along(self, at: Locator) -> bool:
        """Whether a file that is no entry belongs to a scope that is meant: the folder around it that has an owner."""
        if any(part.startswith(".") for part in at.parts) or self._is_map(at):
            return False
        if self.scopes is None:
            return True
        around = at.parent
        while around.key and around.key not in self._owners:
            around = around.parent
        return self._owners.get(around.key) in self.scopes

    def _is_map(self, at: Locator) -> bool:
        """Whether this is a map of contents, which is made anew where it is wanted."""
        if at.name != "_index.md":
            return False
        text = self.core.storage.read_bytes(at).decode("utf-8", "replace")
        return Document.parse(text).get("generated") is True
