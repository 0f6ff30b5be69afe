"""Evolving: a new entry in place of an old one, which is superseded. Both, or neither."""

from __future__ import annotations

import re
from collections.abc import Mapping

from quire.clock import stamp
from quire.engine import logs
from quire.engine.changes import Edit
from quire.engine.checking import checked_sources, checked_text
from quire.engine.core import Core, Found
from quire.engine.entry import Entry, Status, words
from quire.engine.kinds import Kind, Shape
from quire.engine.layout import Place, Zone
from quire.engine.revising import always_after, attachments, retried
from quire.engine.saving import MAX_SAME_SLUG, closed, ended, reread
from quire.engine.scope import Scope
from quire.engine.slug import numbered
from quire.errors import AlreadyExists, Conflict, InvalidEntry
from quire.markdown.document import Document, Value
from quire.markdown.entries import EntryId

_GIVEN_BY_THE_VERB = frozenset(
    {"kind", "slug", "status", "created", "updated", "schema_version", "supersedes", "superseded_by", "deleted_at",
     "deleted_reason", "occurrences", "reason"}
)  # fmt: skip
_NOT_INHERITED = ("superseded_by", "valid_to", "deleted_at", "deleted_reason", "occurrences")


def evolve(
    core: Core, id: str, text: str, *, reason: str, scope: Scope | str | None, fields: Mapping[str, Value]
) -> Entry:
    """See `Memory.evolve`. `fields` are those that change: None takes one away."""
    body = checked_text(text)

    def attempt(old: Found) -> Entry:
        entry = old.entry
        if entry.status is not Status.ACTIVE:
            raise _refused(entry)
        kind = core.kinds[entry.kind]
        changes = _checked(core, kind, entry, fields)
        if kind.shape is Shape.SINGLE:
            return _in_place(core, old, body, reason, changes)
        now = stamp(core.clock.now())
        document = _changed(entry.document, dict.fromkeys(_NOT_INHERITED))
        document = _changed(document, {**_successor(entry, now, reason), **changes})
        make = _in_log if kind.shape is Shape.LOG else _in_file
        return make(core, old, document, body=body, reason=reason, now=now)

    return retried(core, id, scope, attempt)


def _refused(entry: Entry) -> InvalidEntry:
    if entry.superseded_by and entry.status is Status.SUPERSEDED:
        after, remedy = f"; {entry.superseded_by} took its place", f"Evolve {entry.superseded_by}"
    else:
        after, remedy = "", "Restore it first"
    return InvalidEntry(
        f"only an active entry evolves, and this one is {entry.status}{after}", where=entry.id, remedy=remedy
    )


def _checked(core: Core, kind: Kind, entry: Entry, fields: Mapping[str, Value]) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for name, value in fields.items():
        if name in _GIVEN_BY_THE_VERB:
            raise InvalidEntry(
                f"the field {name!r} is not for callers to give this way", where=entry.id, remedy="Leave it out"
            )
        if value is not None and (objection := kind.schema.objection(name, value)):
            raise InvalidEntry(objection, where=f"{entry.id}, field {name}", remedy="Correct the value")
        result[name] = _in_form(core, entry, name, value)
    return result


def _in_form(core: Core, entry: Entry, name: str, value: Value) -> Value:
    """A value as saving would write it. Raises InvalidTime, EntryNotFound."""
    if name in ("valid_from", "valid_to", "timestamp") and value is not None:
        return stamp(core.clock.read(str(value)))
    if name == "derived_from" and value is not None:
        return checked_sources(core, words(value), entry.scope)
    return value


def _successor(entry: Entry, now: str, reason: str) -> dict[str, Value]:
    changes: dict[str, Value] = {"status": "active", "created": now, "updated": now, "supersedes": entry.id}
    if "valid_from" in entry.fields or "valid_to" in entry.fields:
        changes["valid_from"] = now
    changes["reason"] = reason or None
    return changes


def _changed(document: Document, changes: Mapping[str, Value]) -> Document:
    for name, value in changes.items():
        document = document.remove(name) if value is None else document.set(name, value)
    return document


def _closing(old: Found, new: Document, new_id: str, now: str) -> dict[str, object]:
    """What the old entry says now. Where the new one says since when it is true, the old one was until then."""
    changes = closed(old.entry, new_id, now)
    since = new.get("valid_from")
    if "valid_to" in changes and isinstance(since, str) and since:
        changes["valid_to"] = since
    return changes


def _in_file(core: Core, old: Found, document: Document, *, body: str, reason: str, now: str) -> Entry:
    entry = old.entry
    kind = core.kinds[entry.kind]
    zone = core.layout.zone_of(kind, "active", always_after(entry, document))
    base = _base_slug(entry)
    for number in range(2, MAX_SAME_SLUG + 1):
        name = numbered(base, number)
        new_id = f"{entry.kind}/{name}"
        if core.exists(new_id, entry.scope):
            continue
        made = document.set("slug", name).with_body(ended(body))
        if kind.shape is Shape.FOLDER and entry.fields.get("name") == entry.name:
            made = made.set("name", name)
        place = Place(entry.scope, "" if zone is Zone.ALWAYS else entry.kind, name, zone)
        locator = core.layout.place(place)
        edit = Edit(locator, None, made.text.encode())
        flip = core.with_fields(old, _closing(old, made, new_id, now))
        new = core.parsed(locator, place, edit.after or b"").entries[0]
        try:
            _record(core, new, entry, reason, [edit, *attachments(core, old, locator), flip])
        except AlreadyExists:
            continue  # another took the name between the look and the write
        return new
    raise InvalidEntry(f"{MAX_SAME_SLUG:,} entries have this slug", where=entry.id, remedy="Save it under another")


def _in_log(core: Core, old: Found, document: Document, *, body: str, reason: str, now: str) -> Entry:
    """Into the log of the day the old one is in, unless the time of what happened is what changes."""
    entry = old.entry
    when = document.get("timestamp")
    day = EntryId.parse(entry.id).date
    if when != entry.fields.get("timestamp"):
        day = core.clock.day(core.clock.read(str(when)))
    slot = logs.next_slot(core, core.kinds[entry.kind], entry.scope, day)
    flip = core.with_fields(old, _closing(old, document, slot.id.format(), now))
    made = document.with_body(body)
    if slot.locator == flip.locator:
        if slot.raw != flip.before:
            raise Conflict("somebody appended meanwhile", where=entry.id, remedy="Read it again, then retry")
        new, edit = logs.appended(core, slot, made, onto=(flip.after or b"").decode())
        _record(core, new, entry, reason, [edit])
        return new
    new, edit = logs.appended(core, slot, made)
    _record(core, new, entry, reason, [edit, flip])
    return new


def _in_place(core: Core, old: Found, body: str, reason: str, changes: Mapping[str, Value]) -> Entry:
    """A kind of which there is one has no second file: it is rewritten, and the journal keeps what it said."""
    document = _changed(old.entry.document, {**changes, "reason": reason or None}).with_body(ended(body))
    if document == old.entry.document:
        return old.entry
    edit = core.rewritten(old, document.set("updated", stamp(core.clock.now())).text)
    core.change(core.intent("evolve", old.entry, reason=reason), [edit])
    return reread(core, edit, old.entry)


def _record(core: Core, new: Entry, old: Entry, reason: str, edits: list[Edit]) -> None:
    made = {core.name_of(new): new.derived_from}
    core.change(core.intent("evolve", new, old, reason=reason, made=made), edits)


def _base_slug(entry: Entry) -> str:
    """The slug before its number, where the number is one of ours: what it supersedes says so."""
    base, hyphen, number = entry.name.rpartition("-")
    ours = re.fullmatch(re.escape(f"{entry.kind}/{base}") + r"(-\d+)?", entry.supersedes)
    return base if hyphen and number.isdecimal() and ours else entry.name
