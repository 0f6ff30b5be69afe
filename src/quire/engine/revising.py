"""Revising: what happens to an entry after it is saved. Every change here is of fields or of the whole; none erases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from quire.clock import stamp
from quire.engine.changes import Edit
from quire.engine.checking import checked_text
from quire.engine.core import Core, Found
from quire.engine.entry import TIMES, Entry, Status, linked, text_of
from quire.engine.kinds import Shape
from quire.engine.layout import Place, Zone
from quire.engine.saving import TRIES, reread
from quire.engine.scope import Scope
from quire.errors import Busy, Conflict, InvalidEntry, InvalidTime, MarkdownError, NotFound
from quire.locator import Locator
from quire.markdown.document import Document, Value
from quire.markdown.entries import Log

T = TypeVar("T")
_CHAIN = ("supersedes", "superseded_by")


def retried(core: Core, id: str, scope: Scope | str | None, attempt: Callable[[Found], T]) -> T:
    """Find the entry and attempt a change of it, again where somebody was faster.

    Raises EntryNotFound, Busy, or InvalidEntry where its file is too broken to be changed safely.
    """
    for _ in range(TRIES):
        found = core.find(id, scope)
        try:
            return attempt(found)
        except (Conflict, NotFound):
            continue
        except MarkdownError as error:
            where = ", ".join(filter(None, (found.entry.id, found.contents.locator.key, error.where)))
            raise InvalidEntry(error.what, where=where, remedy=error.remedy) from error
    raise Busy("others change this entry again and again", where=id, remedy="Try again later")


def attachments(core: Core, found: Found, target: Locator) -> list[Edit]:
    """Copies of what lies in the folder of an entry beside its own file, for the folder of its successor."""
    if core.kinds[found.entry.kind].shape is not Shape.FOLDER:
        return []
    source, to = found.contents.locator.parent, target.parent
    return [
        Edit(to.child(info.locator.key[len(source.key) + 1 :]), None, core.storage.read_bytes(info.locator))
        for info in core.storage.walk(source)
        if info.locator != found.contents.locator
    ]


def written(core: Core, found: Found, document: Document) -> Edit:
    """The edit that gives an entry another document, in its own file or in its log."""
    if core.kinds[found.entry.kind].shape is Shape.LOG:
        return core.rewritten(found, Log.parse(found.contents.text).replace(found.entry.id, document).text)
    return core.rewritten(found, document.text)


def always_after(entry: Entry, document: Document) -> bool:
    """Whether an entry is loaded always once it says this. Where the field stays, so does what its folder says."""
    said = document.get("always_load")
    return entry.always_load if said == entry.document.get("always_load") else said is True


def mark(
    core: Core,
    verb: str,
    id: str,
    scope: Scope | str | None,
    *,
    status: Status,
    fields: Mapping[str, object],
    reason: str = "",
    refuse: Iterable[Status] = (),
) -> Entry:
    """Give an entry another status, and its file the place that goes with it. What it is already is left as it is."""

    def attempt(found: Found) -> Entry:
        entry = found.entry
        if entry.status is status:
            return entry
        if entry.status in refuse:
            raise InvalidEntry(
                f"it is {entry.status}, and cannot be {status} from there", where=entry.id, remedy="Restore it first"
            )
        edit = core.with_fields(found, {**fields, "status": status.value})
        return _changed(core, found, verb, moved(core, found, edit, status), reason)

    return retried(core, id, scope, attempt)


def _changed(core: Core, found: Found, verb: str, edits: list[Edit], reason: str = "") -> Entry:
    core.change(core.intent(verb, found.entry, reason=reason), edits)
    return reread(core, edits[0], found.entry)


def moved(core: Core, found: Found, edit: Edit, status: Status, *, always_load: bool | None = None) -> list[Edit]:
    """`edit`, and where the new status belongs into another zone, the edits that carry the entry there.

    Its id goes along, so that links stay right; where another file has its name there, a person has to choose.
    """
    entry = found.entry
    kind = core.kinds[entry.kind]
    if kind.shape in (Shape.LOG, Shape.SINGLE):
        return [edit]
    always = entry.always_load if always_load is None else always_load
    zone = core.layout.zone_of(kind, status.value, always)
    if status in (Status.SUPERSEDED, Status.DELETED) or zone is found.contents.place.zone:
        return [edit]
    target = core.layout.place(Place(entry.scope, "" if zone is Zone.ALWAYS else kind.name, entry.name, zone))
    if core.storage.exists(target):
        raise InvalidEntry(
            f"it belongs at {target} now, and another file has that name",
            where=f"{entry.id}, {found.contents.locator}",
            remedy="Rename one of the two, then try again",
        )
    carried = [Edit(target, None, edit.after)]
    if kind.shape is Shape.FOLDER:
        copies = attachments(core, found, target)
        source = found.contents.locator.parent
        carried += copies
        carried += [
            Edit(source.child(copy.locator.key[len(target.parent.key) + 1 :]), copy.after, None) for copy in copies
        ]
    return [*carried, Edit(edit.locator, edit.before, None)]


def restore(core: Core, id: str, scope: Scope | str | None, *, reason: str) -> Entry:
    """Give an entry back the life it had. See `Memory.restore`."""

    def attempt(found: Found) -> Entry:
        entry = found.entry
        if entry.status is Status.ACTIVE:
            return entry
        successor = _live(core, entry.superseded_by, entry.scope)
        if entry.status is Status.SUPERSEDED or not successor:
            _require_only_one(core, entry)
        fields: dict[str, object] = {"updated": stamp(core.clock.now()), "deleted_at": None, "deleted_reason": None}
        if successor:
            fields["status"] = Status.SUPERSEDED.value
        else:
            fields |= {"status": Status.ACTIVE.value, "superseded_by": None}
            if _is_over(core, entry):
                fields["valid_to"] = None
        edits = moved(core, found, core.with_fields(found, fields), Status.ACTIVE)
        return _changed(core, found, "restore", edits, reason)

    return retried(core, id, scope, attempt)


def _require_only_one(core: Core, entry: Entry) -> None:
    """Refuse that this entry becomes active where what took its place, or had it before, is there."""
    if successor := _live(core, entry.superseded_by, entry.scope):
        what, which = f"{successor.id} took its place, and two cannot be active", successor
    elif rival := _rival(core, entry):
        before = rival.id == entry.supersedes
        how = "whose place it took, is active again" if before else "which took its place, is active"
        what, which = f"{rival.id}, {how}, and two cannot be", rival
    else:
        return
    raise InvalidEntry(what, where=entry.id, remedy=f"Forget {which.id} first, or evolve it with this text")


def _live(core: Core, id: str, scope: Scope) -> Entry | None:
    """The entry that `superseded_by` names, or where it is deleted the next that is not; None where none is left."""
    seen: set[str] = set()
    while id and id not in seen:
        found = next(iter(core.at(id, scope)), None)
        if found is None or found.entry.status is not Status.DELETED:
            return found.entry if found else None
        seen.add(id)
        id = found.entry.superseded_by
    return None


def _rival(core: Core, entry: Entry) -> Entry | None:
    """The active entry that has the place this one had: one before it, or what superseded one of those since."""
    seen = {entry.id}
    before = next(iter(core.at(entry.supersedes, entry.scope)), None) if entry.supersedes else None
    while before and before.entry.id not in seen:
        at: Entry | None = before.entry
        while at and at.id not in seen:
            if at.status is Status.ACTIVE:
                return at
            seen.add(at.id)
            at = _live(core, at.superseded_by, at.scope)
        id = before.entry.supersedes
        before = next(iter(core.at(id, entry.scope)), None) if id else None
    return None


def _is_over(core: Core, entry: Entry) -> bool:
    until = entry.fields.get("valid_to")
    try:
        return isinstance(until, str) and core.clock.read(until) <= core.clock.now()
    except InvalidTime:
        return False  # lint reports it


def amend(core: Core, id: str, scope: Scope | str | None, verb: str, make: Callable[[Entry], Document]) -> Entry:
    """Give an entry other fields, in place. `make` may raise to refuse."""

    def attempt(found: Found) -> Entry:
        document = make(found.entry)
        if document.text == found.entry.document.text:
            return found.entry
        edit = written(core, found, document.set("updated", stamp(core.clock.now())))
        return _changed(core, found, verb, [edit])

    return retried(core, id, scope, attempt)


def edit(core: Core, id: str, text: str, *, if_version: str | None, scope: Scope | str | None) -> Entry:
    """Give an entry a whole new text, checked before anything is replaced. See `Memory.edit`."""
    document = Document.parse(checked_text(text))
    if document.problems:
        first = document.problems[0]
        raise InvalidEntry(first.what, where=f"{id}, line {first.line}", remedy=first.remedy)
    checked_text(document.body)

    def attempt(found: Found) -> Entry:
        entry = found.entry
        if if_version is not None and entry.version != if_version:
            raise InvalidVersion(entry)
        _check_edited(core, entry, document)
        if document.text == entry.document.text:
            return entry
        change = written(core, found, document)
        after = core.parsed(change.locator, found.contents.place, change.after or b"")
        now = next((each for each in after.entries if each.id == entry.id), None)
        if now is None:
            raise InvalidEntry(
                "with this text it would be another entry", where=entry.id, remedy=f"Keep 'kind: {entry.kind}'"
            )
        if now.status is Status.ACTIVE is not entry.status:
            for each in (entry, now):  # what it said of its chain counts, though this text leaves it out
                _require_only_one(core, each)
        always = always_after(entry, document)
        same_place = (now.status, always) == (entry.status, entry.always_load)
        edits = [change] if same_place else moved(core, found, change, now.status, always_load=always)
        return _changed(core, found, "edit", edits)

    try:
        return retried(core, id, scope, attempt)
    except InvalidVersion as error:
        raise Conflict(
            "somebody changed it while it was edited", where=id, remedy="Edit it again", current=error.entry.version
        ) from None


class InvalidVersion(Exception):  # no Conflict, which would be tried again
    """The file is not at the version that was edited."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.id)
        self.entry = entry


def _check_edited(core: Core, entry: Entry, document: Document) -> None:
    """Refuse what a file says of itself against its own place, and values that cannot be.

    A time, or a place in a chain, that was there before is for lint to report: it keeps nobody from editing the text.
    """
    schema = core.kinds[entry.kind].schema
    for name, value in document.fields.items():
        if reason := schema.objection(name, value):
            raise InvalidEntry(reason, where=f"{entry.id}, field {name}", remedy="Correct the value")
    for name in (*TIMES, *_CHAIN):
        value = document.get(name)
        if value not in (None, entry.document.get(name)):
            _check_brought(core, entry, name, value)
    said = document.get("status", "active")
    if said not in tuple(Status):
        raise InvalidEntry(f"the status {said!r} is none of {', '.join(Status)}", where=entry.id, remedy="Correct it")
    for name, now, remedy in (
        ("kind", entry.kind, "Save it as another kind, and forget this one"),
        ("slug", entry.name, "Change it with rename, which sees to the links"),
    ):
        given = document.get(name)
        if given not in (None, now, entry.document.get(name)):
            raise InvalidEntry(f"its {name} is {now!r}, and cannot become {given!r} so", where=entry.id, remedy=remedy)


def _check_brought(core: Core, entry: Entry, name: str, value: Value) -> None:
    """Refuse a time that is none, and a chain of one."""
    where = f"{entry.id}, field {name}"
    if name in _CHAIN:
        if linked(value) == entry.id:
            raise InvalidEntry(
                "an entry cannot take its own place", where=where, remedy="Name another entry, or remove this line"
            )
        return
    try:
        core.clock.read(text_of(value))
    except InvalidTime as error:
        raise InvalidEntry(error.what, where=where, remedy=error.remedy) from error
