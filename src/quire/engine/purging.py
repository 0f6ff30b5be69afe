"""Purging: the one verb that erases. A tombstone without text stays in the journal."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field, replace
from typing import Any

from quire.engine import contents
from quire.engine.changes import Edit
from quire.engine.core import Core, Found
from quire.engine.entry import Entry
from quire.engine.journal import Change
from quire.engine.kinds import Shape
from quire.engine.records import decode_bytes
from quire.engine.revising import retried
from quire.engine.scope import Scope
from quire.errors import NotAllowed
from quire.locator import Locator
from quire.markdown.entries import Log

_MOVES = ("rename", "archive", "restore", "retag", "edit", "undo", "lint-fix")  # verbs that can give it another path


def purge(core: Core, id: str, *, yes: bool, scope: Scope | str | None) -> None:
    """Erase an entry, its files, and its text in the journal, where also the words of its name go: they are its text.

    It erases one entry. What others say of it stays theirs: the links to it, its successor's `supersedes`, what was
    derived from it, a copy that a sync service made. The map of contents is made anew.
    """
    if not yes:
        raise NotAllowed(
            "purging erases for good, and cannot be undone",
            where=id,
            remedy="Say yes=True (--yes) if that is meant; forget keeps the file",
        )

    core.changes.recover()  # what is half done has its text in a plan, and perhaps in two places
    entry = core.find(id, scope).entry
    while core.exists(entry.id, entry.scope):  # a person, or a sync service, may have put it into two places
        _purge_one(core, entry)
    if core.storage.exists(core.layout.contents(entry.scope)):
        contents.write(core, entry.scope)


def _purge_one(core: Core, entry: Entry) -> None:
    traces = _traces(core, entry)

    def attempt(found: Found) -> None:
        # The journal first: whoever dies after it finds the entry still there, and purges again.
        _erase_traces(core, traces, found)
        intent = replace(core.intent("purge", found.entry), entries=(traces.tombstone,))
        core.erase(intent, _edits(core, found))
        _erase_traces(core, traces, found)  # what others changed of it in between

    retried(core, entry.id, entry.scope, attempt)


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


@dataclass
class _Traces:
    """Where the journal has something of an entry: the steps, by change, and the names it had over time."""

    entry: Entry
    shape: Shape
    tombstone: str
    names: set[str]
    steps: dict[str, set[str]] = field(default_factory=dict)
    known: str = ""  # the newest change that was looked at

    @property
    def is_log(self) -> bool:
        return self.shape is Shape.LOG

    @property
    def mention(self) -> tuple[bytes, ...]:
        """What stands in each line that has to do with it."""
        words = {path for paths in self.steps.values() for path in paths} | self.names
        return tuple(json.dumps(word, ensure_ascii=False)[1:-1].encode() for word in words)

    def without(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record that says nothing of the entry any more."""
        paths = self.steps.get(record.get("id", ""), set())
        touched = [step for step in record.get("steps", ()) if step["path"] in paths and self._holds(step)]
        named = self.names & {*record.get("entries", ()), *record.get("made", ())}
        if touched or named:
            for name in ("reason", "request"):
                record.pop(name, None)
        for step in touched:
            self._clear(step)
        self._rename(record)
        return record

    def _holds(self, step: dict[str, Any]) -> bool:
        return not self.is_log or any(self._is_its(hunk) for hunk in step.get("hunks", ()))

    def _is_its(self, hunk: list[Any]) -> bool:
        marker = f"<!-- entry:{self.entry.id} -->".encode()
        return any(marker in decode_bytes(text) for text in hunk[1:3])

    def _clear(self, step: dict[str, Any]) -> None:
        step |= {"before": None, "after": None, "purged": True}
        if self.is_log:
            step["hunks"] = [hunk for hunk in step["hunks"] if not self._is_its(hunk)]
            return
        step["path"] = ""
        step.pop("hunks", None)

    def _rename(self, record: dict[str, Any]) -> None:
        def put(name: str) -> str:
            return self.tombstone if name in self.names else name

        if "entries" in record:
            record["entries"] = [put(name) for name in record["entries"]]
        if "made" in record:
            record["made"] = {put(name): [put(each) for each in ids] for name, ids in record["made"].items()}


def _traces(core: Core, entry: Entry) -> _Traces:
    shape = core.kinds[entry.kind].shape
    kept = shape in (Shape.LOG, Shape.SINGLE)  # the id of these says nothing of the text, and stays taken
    name = core.name_of(entry) if kept else f"{entry.scope} {entry.kind}/purged-{secrets.token_hex(4)}"
    return _Traces(entry, shape, name, {core.name_of(entry)})


def _erase_traces(core: Core, traces: _Traces, found: Found) -> None:
    known = next(core.journal.newest_first(traces.known), None)
    _follow(core, traces, found)
    core.journal.rewrite(traces.without, traces.mention)
    traces.known = known.id if known else ""


def _follow(core: Core, traces: _Traces, found: Found) -> None:
    """Go back through the journal from the place where the entry is to those it had before."""
    entry, folder = traces.entry, traces.shape is Shape.FOLDER
    at = {found.contents.locator}
    for change in core.journal.newest_first(traces.known):
        touched = _touched(change, at, folder)
        if not touched:
            continue
        traces.steps.setdefault(change.id, set()).update(touched)
        came = {step.path for step in change.steps if step.before is None and step.after is not None}
        if traces.is_log or not any(here.key in came for here in at):
            continue
        if change.verb not in _MOVES:
            break  # it was made here; what was at this path before is another
        at = _left(core, change, traces) or at
        traces.steps[change.id].update(_touched(change, at, folder))
        traces.names |= {
            f"{entry.scope} {entry.kind}/{place.name}" for here in at if (place := core.layout.parse(here))
        }


def _touched(change: Change, at: set[Locator], folder: bool) -> set[str]:
    """The paths of this change that are those of the entry."""
    roots = tuple(f"{here.parent.key}/" if folder else here.key for here in at)
    return {s.path for s in change.steps if not s.storage and (s.path.startswith(roots) if folder else s.path in roots)}


def _left(core: Core, change: Change, traces: _Traces) -> set[Locator]:
    """The places this change took the entry from. Where an undoing moved several, those of the others are with them."""
    entry = traces.entry
    left: dict[Locator, str] = {}
    for step in change.steps:
        if step.after is None and step.before is not None and not step.storage:
            place = core.layout.parse(Locator(step.path))
            if place and place.scope == entry.scope and place.kind in ("", entry.kind):
                left[Locator(step.path)] = place.name
    same = {here for here, name in left.items() if f"{entry.scope} {entry.kind}/{name}" in traces.names}
    return same or set(left)
