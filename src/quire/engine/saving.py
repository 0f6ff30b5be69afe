"""Saving: a new entry, or one more occurrence of the same."""

from __future__ import annotations

from collections.abc import Mapping

from quire.clock import stamp
from quire.engine.changes import Edit
from quire.engine.checking import checked_text
from quire.engine.core import Core, Found
from quire.engine.entry import Entry, Status
from quire.engine.journal import Change
from quire.engine.kinds import SCHEMA_VERSION, Kind, Shape
from quire.engine.layout import Place, Zone
from quire.engine.scope import Scope
from quire.engine.slug import checked_slug, numbered, slug_of, slug_of_body
from quire.errors import AlreadyExists, Busy, Conflict, InvalidEntry, MarkdownError
from quire.locator import Locator
from quire.markdown.document import Document, Value

MAX_SAME_SLUG = 10_000
TRIES = 400  # against writers who were faster; each try loses only to their progress

_LIVING = (Status.ACTIVE, Status.INBOX)  # what is put away is not brought back by saying it again
_FIRST_COUNTS = ("source", "session")  # who said it first stays on record


def save(
    core: Core,
    text: str,
    kind: Kind,
    scope: Scope,
    *,
    slug: str | None,
    fields: Mapping[str, Value],
    status: Status = Status.ACTIVE,
    supersedes: str | None = None,
) -> Entry:
    """Put `text` into a file of its own, or count it once more where it is there already. See `Memory.save`."""
    body = checked_text(text)
    if kind.shape is Shape.SINGLE:
        if supersedes or slug is not None or status is not Status.ACTIVE:
            raise InvalidEntry(
                f"there is one {kind.name}, which is rewritten: it has no slug, supersedes nothing and never waits",
                where=kind.name,
                remedy="Leave these out",
            )
        return _single(core, body, kind, scope, fields)
    title = str(fields.get("title") or "")
    base = checked_slug(slug) if slug is not None else slug_of(title) if title else slug_of_body(body)
    for _ in range(TRIES):
        try:
            return _note(core, body, kind, scope, base, fields=fields, status=status, supersedes=supersedes)
        except Conflict:
            continue  # what was read has changed: look again
    raise Busy("others change this entry again and again", where=f"{kind.name}/{base}", remedy="Try again later")


def _note(
    core: Core,
    body: str,
    kind: Kind,
    scope: Scope,
    base: str,
    *,
    fields: Mapping[str, Value],
    status: Status,
    supersedes: str | None,
) -> Entry:
    """One attempt. Raises Conflict where somebody was faster."""
    old = None
    if supersedes is not None:
        old = core.find(supersedes, scope)
        if already := _same_successor(core, old.entry, scope, body):
            return reinforce(core, already, fields)
        _require_active(old.entry)
        if _is_same(old, body):
            return reinforce(core, old, fields)
    for number in range(1, MAX_SAME_SLUG + 1):
        name = numbered(base, number)
        # A gap in the numbers must not hide that the same text stands under the next.
        after = _same_at(core, body, kind, scope, numbered(base, number + 1), first=True)
        if after is None:
            entry = _create(core, body, kind, scope, name, fields=fields, status=status, old=old)
            if entry is not None:
                return entry
        same = _same_at(core, body, kind, scope, name) or after
        if same and (old is None or same.entry.supersedes in ("", old.entry.id)):
            return reinforce(core, same, fields, status=status, old=old)
    raise InvalidEntry(
        f"{MAX_SAME_SLUG:,} entries have this slug", where=f"{kind.name}/{base}", remedy="Give a slug that says more"
    )


def reinforce(
    core: Core,
    found: Found,
    fields: Mapping[str, Value] | None = None,
    *,
    status: Status = Status.INBOX,
    old: Found | None = None,
) -> Entry:
    """The same memory once more. Raises Conflict if somebody wrote it meanwhile.

    Tags and sources that are new are added, other fields have what was given last. What was in the inbox leaves it
    where `status` is active, and `old` is superseded by it.
    """
    from quire.engine.revising import moved  # which builds on saving

    entry = found.entry
    count, now = entry.fields.get("occurrences"), stamp(core.clock.now())
    seen = count if isinstance(count, int) and count > 0 else 1
    changes: dict[str, object] = {"occurrences": seen + 1, "updated": now, **_merged(entry, fields or {})}
    if old is not None:
        changes["supersedes"] = old.entry.id
    meant = Status.ACTIVE if status is Status.ACTIVE else entry.status
    if meant is not entry.status:
        changes["status"] = meant.value
    about = [entry]
    try:
        edit = core.with_fields(found, changes)
    except MarkdownError as error:
        raise InvalidEntry(error.what, where=f"{found.contents.locator}, {error.where}", remedy=error.remedy) from error
    edits = moved(core, found, edit, meant, always_load=entry.always_load or changes.get("always_load") is True)
    if old is not None:
        edits.append(core.with_fields(old, closed(old.entry, entry.id, now)))
        about.append(old.entry)
    core.change(core.intent("reinforce", *about), edits)
    return reread(core, edits[0], entry)


def _merged(entry: Entry, fields: Mapping[str, Value]) -> dict[str, object]:
    """What the fields that are given again change."""
    changes: dict[str, object] = {name: value for name, value in fields.items() if name not in _FIRST_COUNTS}
    for name, known in (("tags", entry.tags), ("derived_from", entry.derived_from)):
        if isinstance(given := changes.pop(name, None), list) and not set(given) <= set(known):
            changes[name] = list(dict.fromkeys([*known, *given]))
    return changes


def reread(core: Core, edit: Edit, entry: Entry) -> Entry:
    """The entry as `edit` leaves it."""
    place = core.layout.parse(edit.locator)
    assert place is not None and edit.after is not None
    contents = core.parsed(edit.locator, place, edit.after)
    return next(each for each in contents.entries if each.id == entry.id or len(contents.entries) == 1)


def _create(
    core: Core,
    body: str,
    kind: Kind,
    scope: Scope,
    name: str,
    *,
    fields: Mapping[str, Value],
    status: Status,
    old: Found | None = None,
) -> Entry | None:
    """A new entry of this name, or None where one is. Raises Conflict where that is worth another look."""
    zone = core.layout.zone_of(kind, status, fields.get("always_load") is True)
    place = _place(kind, scope, name, zone)
    locator = core.layout.place(place)
    elsewhere = [_place(kind, scope, name, other) for other in core.layout.zones if other is not zone]
    others = [(other, core.layout.place(other)) for other in elsewhere]
    if any(_is_there(core, kind, *other) for other in others):
        return None
    if old is not None:
        fields = {**fields, "supersedes": old.entry.id}
    try:
        document = Document.new(frontmatter(core, kind, name, fields, status), ended(body), newline=newline_of(body))
    except MarkdownError as error:
        raise InvalidEntry(error.what, where=f"{kind.name}/{name}", remedy=error.remedy) from error
    raw = document.text.encode()
    entry = core.parsed(locator, place, raw, document).entries[0]
    edits, about = [Edit(locator, None, raw)], [entry]
    if old is not None:
        edits.append(core.with_fields(old, closed(old.entry, entry.id, stamp(core.clock.now()))))
        about.append(old.entry)
    try:
        change = core.change(core.intent("save", *about, made={core.name_of(entry): entry.derived_from}), edits)
    except AlreadyExists:
        return None
    # Two that look, and then write into two zones, would have one id. Whoever sees it gives way; the one in the first
    # zone tries again, so that they do not go on giving way to each other.
    if change and any(_is_there(core, kind, *other) for other in others) and _withdrawn(core, change, about, edits):
        if zone is core.layout.zones[0]:
            raise Conflict("another took this name meanwhile", where=entry.id, remedy="Try again")
        return None
    return entry


def _withdrawn(core: Core, change: Change, about: list[Entry], edits: list[Edit]) -> bool:
    """Take back a save whose name has turned out to be another's; not where somebody has built on it already."""
    try:
        core.change(core.intent("undo", *about, undoes=(change.id,)), [edit.reversed for edit in reversed(edits)])
    except Conflict:
        return False
    return True


def _place(kind: Kind, scope: Scope, name: str, zone: Zone) -> Place:
    return Place(scope, "" if zone is Zone.ALWAYS else kind.name, name, zone)


def _is_there(core: Core, kind: Kind, place: Place, locator: Locator) -> bool:
    """Whether an entry of this kind is at `place`. Where kinds share a folder, the file says whose name it has."""
    if not core.storage.exists(locator):
        return False
    if place.kind:
        return True
    read = core.contents(locator, place)
    return read is not None and any(entry.id == f"{kind.name}/{place.name}" for entry in read[0].entries)


def _same_at(core: Core, body: str, kind: Kind, scope: Scope, name: str, *, first: bool = False) -> Found | None:
    """The entry of this name if it is the same memory. With `first` it is only looked for where entries begin."""
    if first and not core.storage.exists(core.layout.place(Place(scope, kind.name, name))):
        return None
    found = next(iter(core.at(f"{kind.name}/{name}", scope)), None)
    return found if found is not None and _is_same(found, body) else None


def _same_successor(core: Core, old: Entry, scope: Scope, body: str) -> Found | None:
    """What took the place of `old`, if it is the same memory: then this save has been made before."""
    if old.status is not Status.SUPERSEDED or not old.superseded_by:
        return None
    found = next(iter(core.at(old.superseded_by, scope)), None)
    return found if found is not None and _is_same(found, body) else None


def _require_active(old: Entry) -> None:
    if old.status is not Status.ACTIVE:
        raise InvalidEntry(
            f"only an active entry is superseded, and this one is {old.status}",
            where=old.id,
            remedy="Look with history",
        )


def closed(entry: Entry, by: str, now: str) -> dict[str, object]:
    """The fields of an entry whose time is over: its interval ends, and nothing else changes."""
    changes: dict[str, object] = {"status": "superseded", "superseded_by": by, "updated": now}
    if not entry.fields.get("valid_to"):
        changes["valid_to"] = now
    return changes


def _single(core: Core, body: str, kind: Kind, scope: Scope, fields: Mapping[str, Value]) -> Entry:
    """The one file of its kind: rewritten, its own fields kept. What it said before is in the journal."""
    for _ in range(TRIES):
        found = next(iter(core.at(kind.name, scope)), None)
        if found is None:
            entry = _create(core, body, kind, scope, "", fields=fields, status=Status.ACTIVE)
            if entry is not None:
                return entry
            continue
        try:
            return reinforce(core, found, fields) if _is_same(found, body) else _rewrite(core, found, body, fields)
        except Conflict:
            continue
    raise Busy("others write this file again and again", where=f"{kind.name} in {scope}", remedy="Try again later")


def _rewrite(core: Core, found: Found, body: str, fields: Mapping[str, Value]) -> Entry:
    entry = found.entry
    try:
        document = entry.document.update({**fields, "updated": stamp(core.clock.now())})
        for name in ("occurrences", *(() if entry.status in _LIVING else ("deleted_at", "deleted_reason", "reason"))):
            document = document.remove(name)
        if entry.status is not Status.ACTIVE:
            document = document.set("status", Status.ACTIVE.value)
    except MarkdownError as error:
        raise InvalidEntry(error.what, where=f"{found.contents.locator}, {error.where}", remedy=error.remedy) from error
    edit = core.rewritten(found, document.with_body(ended(body)).text)
    core.change(core.intent("save", entry), [edit])
    return reread(core, edit, entry)


def frontmatter(core: Core, kind: Kind, name: str, fields: Mapping[str, Value], status: Status) -> dict[str, Value]:
    """The fields of a new entry, in the order people read them."""
    now = stamp(core.clock.now())
    result: dict[str, Value] = {"kind": kind.name}
    if name:
        result["slug"] = name
    given = {name: value for name, value in fields.items() if value not in (None, "", [], ())}
    if "title" in given:
        result["title"] = given.pop("title")
    result |= {"status": status.value, "created": now, "updated": now}
    if "timestamp" in given:
        result["timestamp"] = given.pop("timestamp")
    result |= given
    if kind.shape is Shape.FOLDER:
        result.setdefault("name", name)
    result["schema_version"] = SCHEMA_VERSION
    return result


def ended(body: str) -> str:
    """The body as a file ends: with a newline, as the text has them."""
    return body if body.endswith("\n") else body + newline_of(body)


def newline_of(text: str) -> str:
    """How `text` ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def _is_same(found: Found, body: str) -> bool:
    """Whether an entry says this already: with other ends of lines, or empty lines around it, it is the same."""
    return found.entry.status in _LIVING and _plain(found.entry.body) == _plain(body)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
