"""Sources: what an import reads. A storage, or JSON Lines; both are files with paths to the rest of the import."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.engine.core import Core
from quire.engine.entry import text_of
from quire.engine.kinds import Kind, Shape
from quire.engine.layout import LAYOUTS, Layout, Place, Zone
from quire.engine.records import decode_bytes
from quire.engine.scope import Scope
from quire.errors import AccessDenied, InvalidEntry, InvalidEntryId, InvalidLocatorError, NotFound, QuireError
from quire.locator import Locator
from quire.markdown.document import Document
from quire.markdown.entries import EntryId
from quire.markdown.markers import wrapped
from quire.ports.storage import Info, StorageBackend

_MARKDOWN = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source. `hidden` says that a name on its path begins with a dot."""

    path: str
    mtime: float = 0.0
    hidden: bool = False

    @property
    def is_markdown(self) -> bool:
        return self.path.lower().endswith(_MARKDOWN)

    @property
    def stem(self) -> str:
        name = self.path.rpartition("/")[2]
        return name.rpartition(".")[0] if self.is_markdown else name


@dataclass(slots=True)
class Source:
    """The files, sorted by path, and what of the source cannot be read: (path, reason) pairs."""

    files: Sequence[SourceFile]
    refused: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    layout: Layout | None = None  # where it is known that this is an export of ours

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises what a storage raises."""
        raise NotImplementedError


@dataclass(slots=True)
class Folder(Source):
    """A storage, read file by file."""

    storage: StorageBackend | None = None

    def read(self, path: str) -> bytes:
        assert self.storage is not None
        return self.storage.read_bytes(Locator(path))


@dataclass(slots=True)
class Lines(Source):
    """JSON Lines, held in memory."""

    texts: Mapping[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        return self.texts[path]


def folder(core: Core, storage: StorageBackend) -> Source:
    """What lies in a storage. A part of it that may not be read is refused, and the rest is there.

    Raises InvalidEntry for a part of this very root, as what came in would come in again.
    """
    refused: list[tuple[str, str]] = []
    own = own_folder(core, storage)
    infos = _walk(storage, Locator(), refused)
    files = [
        SourceFile(info.locator.key, info.mtime, _is_hidden(info.locator.key))
        for info in infos
        if own is None or not info.locator.key.startswith(own)
    ]
    # Not every storage has what the seam cannot name; a folder has, and knows the reason.
    unreachable = getattr(storage, "unreachable", None)
    if unreachable is not None:
        known = {path.rstrip("/") for path, _ in refused}
        found = [pair for pair in unreachable() if own is None or not pair[0].startswith(own)]
        refused += [pair for pair in found if not _is_hidden(pair[0]) and pair[0].rstrip("/") not in known]
    left_out = [] if own is None else [(own, "this memory itself")]
    return Folder(files, sorted(refused), left_out, storage=storage)


def own_folder(core: Core, storage: StorageBackend) -> str | None:
    """The part of `storage` in which this memory lies, with a slash at its end; None for none.

    Raises InvalidEntry where `storage` lies within this memory. Only storages that are folders know where they are.
    """
    mine, theirs = getattr(core.storage, "root", None), getattr(storage, "root", None)
    if storage is core.storage:
        mine = theirs = "/"
    if not isinstance(mine, str) or not isinstance(theirs, str):
        return None
    if f"{theirs}/".startswith(f"{mine}/"):
        raise InvalidEntry("this is a part of the memory itself", where=theirs, remedy="Give a folder outside of it")
    return mine[len(theirs) + 1 :] + "/" if mine.startswith(f"{theirs}/") else None


def _walk(storage: StorageBackend, at: Locator, refused: list[tuple[str, str]]) -> list[Info]:
    """Every file below `at`. Where a folder may not be read, the folders beside it are looked at one by one."""
    try:
        return list(storage.walk(at))
    except AccessDenied as error:
        try:
            children = storage.list(at)
        except AccessDenied:
            refused.append((f"{at.key}/", error.what))
            return []
    found = []
    for child in children:
        try:
            info = storage.info(child)
        except NotFound:
            continue  # deleted since the folder was read
        except AccessDenied as error:
            refused.append((child.key, error.what))
            continue
        found += _walk(storage, child, refused) if info.is_dir else [info]
    return found


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def lines(core: Core, given: Iterable[str]) -> Source:
    """The files that JSON Lines describe. A line that cannot be read is refused by its number, and hides no other."""
    reader = _Reader(core)
    for number, line in enumerate(given, 1):
        text = line.strip("\ufeff \t\r\n")
        if text:
            reader.take(number, text)
    texts = reader.texts()
    files = [SourceFile(path, 0.0, _is_hidden(path)) for path in sorted(texts)]
    return Lines(files, reader.refused, layout=reader.layout, texts=texts)


class _Unreadable(Exception):
    """Why a line cannot be brought in."""


class _Reader:
    """Puts the entries of the lines into the files they are from, or would be in."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.layout = core.layout
        self.refused: list[tuple[str, str]] = []
        self._records: list[tuple[int, dict[str, Any]]] = []
        self._files: dict[str, bytes] = {}
        self._logs: dict[str, dict[str, str]] = {}

    def take(self, number: int, text: str) -> None:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.refused.append((f"line {number}", f"it is not JSON: {error}"))
            return
        if isinstance(record, dict):
            self._records.append((number, record))
        else:
            self.refused.append((f"line {number}", "it is no object"))

    def texts(self) -> dict[str, bytes]:
        """The files that all lines make together, in the one layout that most of their paths are of."""
        self.layout = self._most_used()
        for number, record in self._records:
            try:
                if "id" in record:
                    self._take_entry(record)
                else:
                    self._take_file(record)
            except _Unreadable as error:
                self.refused.append((f"line {number}", str(error)))
            except QuireError as error:
                self.refused.append((f"line {number}", error.what))
        return self._files | {path: _log(entries).encode() for path, entries in self._logs.items()}

    def _most_used(self) -> Layout:
        def count(layout: Layout) -> int:
            return sum(_parsed(layout, text_of(record.get("path"))) is not None for _, record in self._records)

        return max((self.core.layout, *_others(self.core)), key=count)

    def _take_file(self, record: Mapping[str, Any]) -> None:
        path, content = record.get("path"), record.get("text", record.get("base64"))
        if not isinstance(path, str) or not isinstance(content, str):
            raise _Unreadable("it has no id, so it is no entry; and no path with a text or base64, so it is no file")
        try:
            raw = content.encode() if "text" in record else decode_bytes({"base64": content})
        except ValueError as error:
            raise _Unreadable(f"its content cannot be read: {error}") from error
        self._put(Locator(path).key, raw)

    def _take_entry(self, record: Mapping[str, Any]) -> None:
        id, body = record["id"], record.get("text")
        if not isinstance(id, str) or not isinstance(body, str):
            raise _Unreadable("an entry has an id and a text, and both are text")
        kind, name = kind_of_id(self.core, id)
        given = text_of(record.get("scope"))
        scope = Scope.parse(given, self.core.scopes[0]) if given else None
        place = _parsed(self.layout, text_of(record.get("path")))
        if place is None or (scope and place.scope != scope) or not _agrees(place, kind, name):
            place = self._place(kind, name, body, scope)
        at = self.layout.place(place).key
        if self.layout.parse(Locator(at)) != place:
            raise _Unreadable(f"{id!r} cannot be the id of an entry")
        if kind.shape is Shape.LOG:
            if self._logs.setdefault(at, {}).setdefault(id, body) != body:
                raise _Unreadable(f"an earlier line has other text for {id}")
        else:
            self._put(at, body.encode())

    def _put(self, path: str, raw: bytes) -> None:
        if self._files.setdefault(path, raw) != raw:
            raise _Unreadable(f"an earlier line has other text for {path}")

    def _place(self, kind: Kind, name: str, body: str, scope: Scope | None) -> Place:
        """Where an entry belongs that does not say it."""
        where = self.core.scope_for(kind, scope)
        if kind.shape in (Shape.LOG, Shape.SINGLE):
            return Place(where, kind.name, name)
        document = Document.parse(body)
        always = document.get("always_load") is True and document.get("kind") == kind.name
        zone = self.layout.zone_of(kind, text_of(document.get("status")) or "active", always)
        return Place(where, "" if zone is Zone.ALWAYS else kind.name, name, zone)


def _log(entries: Mapping[str, str]) -> str:
    return "".join(wrapped(id, text, "\n") + "\n" for id, text in entries.items())


def _others(core: Core) -> list[Layout]:
    return [layout(core.kinds) for name, layout in LAYOUTS.items() if name != core.layout.name]


def _parsed(layout: Layout, path: str) -> Place | None:
    try:
        return layout.parse(Locator(path)) if path else None
    except InvalidLocatorError:
        return None


def _agrees(place: Place, kind: Kind, name: str) -> bool:
    if kind.shape is Shape.LOG:
        return place.kind == kind.name and place.name[:10] == name
    return place.kind in ("", kind.name) and place.name == name


def kind_of_id(core: Core, id: str) -> tuple[Kind, str]:
    """The kind that an id says, and the slug, the day, or nothing. Raises InvalidEntry, or InvalidEntryId."""
    kind, slash, slug = id.partition("/")
    if slash and core.kinds[kind].shape in (Shape.NOTE, Shape.FOLDER):
        return core.kinds[kind], slug
    if id in core.kinds and core.kinds[id].shape is Shape.SINGLE:
        return core.kinds[id], ""
    parsed = EntryId.parse(id)
    for log in core.kinds.of_shape(Shape.LOG):
        if parsed.prefix == log.schema.ENTRY_ID_PREFIX:
            return log, parsed.date.isoformat()
    raise InvalidEntryId(f"no kind of log has entries that begin with {parsed.prefix!r}", where=id)
