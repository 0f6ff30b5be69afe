"""Purging: the one verb that erases. A tombstone without text stays in the journal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from quire.engine import contents
from quire.engine.changes import Edit, Intent
from quire.engine.core import Core, Found
from quire.engine.entry import Ownership
from quire.engine.kinds import Kind, Shape
from quire.engine.revising import retried
from quire.engine.scope import Owner, Scope
from quire.engine.traces import LogTraces, NoteTraces, Traces
from quire.errors import EntryNotFound, InvalidEntryId, NotAllowed
from quire.locator import Locator
from quire.markdown.entries import EntryId, Log


def purge(core: Core, id: str, *, yes: bool, scope: Scope | str | None) -> None:
    """Erase an entry, its files, and its text in the journal, where also the words of its name go: they are its text.

    What the journal alone has is erased too: of every entry that was ever called so, unless it lives on under another
    name. What others say of it stays theirs: the links to it, its successor's `supersedes`, what was derived from it,
    a copy that a sync service made. The map of contents is made anew. Raises EntryNotFound where there is neither.
    """
    if not yes:
        raise NotAllowed(
            "purging erases for good, and cannot be undone",
            where=id,
            remedy="Say yes=True (--yes) if that is meant; forget keeps the file",
        )

    core.changes.recover()  # what is half done has its text in a plan, and perhaps in two places
    traces = _meant(core, id, scope)
    intent = Intent("purge", (traces.tombstone,), tier=_tier(traces.scope))

    def attempt(found: Found) -> None:
        # The journal first: whoever dies after it finds the entry still there, and purges again.
        traces.erase()
        core.erase(intent, _edits(core, found))

    was_there = False
    while core.exists(traces.id, traces.scope):  # a person, or a sync service, may have put it into two places
        was_there = True
        retried(core, traces.id, traces.scope, attempt)
    rest = list(_left_behind(core, traces))
    if rest:
        core.erase(intent, rest)
    traces.erase()  # and what others changed of it in between
    if not was_there and not rest:
        core.changes.note(intent)
    if core.storage.exists(core.layout.contents(traces.scope)):
        contents.write(core, traces.scope)


def _meant(core: Core, id: str, scope: Scope | str | None) -> Traces:
    """What there is of the entry, in the first scope that has it, else in the first of which the journal has its text.

    Raises EntryNotFound where there is nothing of it.
    """
    try:
        entry = core.find(id, scope).entry
    except EntryNotFound:
        id = unicodedata.normalize("NFC", id.strip())
        kind = _kind_of(core, id)
        for each in (core.scope(scope),) if scope is not None else core.scopes:
            if kind and (traces := _traces(core, kind, id, each)).any():
                return traces
        raise
    return _traces(core, core.kinds[entry.kind], entry.id, entry.scope)


def _traces(core: Core, kind: Kind, id: str, scope: Scope) -> Traces:
    if kind.shape is Shape.LOG:
        return LogTraces(core, kind, id, scope)
    return NoteTraces(core, kind, id, scope)


def _kind_of(core: Core, id: str) -> Kind | None:
    """The kind of the entries that have such an id."""
    name, slash, _ = id.partition("/")
    shapes = (Shape.NOTE, Shape.FOLDER) if slash else (Shape.SINGLE,)
    if name in core.kinds:
        return core.kinds[name] if core.kinds[name].shape in shapes else None
    try:
        prefix = EntryId.parse(id).prefix
    except InvalidEntryId:
        return None
    return next((kind for kind in core.kinds.of_shape(Shape.LOG) if prefix == kind.schema.ENTRY_ID_PREFIX), None)


def _tier(scope: Scope) -> str:
    return Ownership.CURATED.value if scope.owner is Owner.SHARED else ""


def _edits(core: Core, found: Found) -> list[Edit]:
    shape = core.kinds[found.entry.kind].shape
    at = found.contents.locator
    if shape is Shape.LOG:
        return [core.rewritten(found, Log.parse(found.contents.text).remove(found.entry.id).text)]
    edits = [Edit(at, found.raw, None)]
    if shape is Shape.FOLDER:
        edits += [
            Edit(info.locator, core.storage.read_bytes(info.locator), None)
            for info in core.storage.walk(at.parent)
            if info.locator != at
        ]
    return edits


def _left_behind(core: Core, traces: Traces) -> Iterator[Edit]:
    """What still lies in the folders of an entry whose own file is gone."""
    if traces.kind.shape is not Shape.FOLDER:
        return
    for home in map(Locator, sorted(traces.homes)):
        if not core.storage.exists(home):
            for info in core.storage.walk(home.parent):
                yield Edit(info.locator, core.storage.read_bytes(info.locator), None)
