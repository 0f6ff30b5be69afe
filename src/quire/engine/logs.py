"""Logs: entries appended to the file of the day they happened on, under ids that are never issued twice."""

from __future__ import annotations

import datetime as dt
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from quire.clock import stamp
from quire.engine.changes import Edit
from quire.engine.checking import checked_text
from quire.engine.core import Core
from quire.engine.entry import Entry, Status
from quire.engine.issued import Day
from quire.engine.kinds import SCHEMA_VERSION, Kind
from quire.engine.layout import Place
from quire.engine.saving import TRIES, newline_of
from quire.engine.scope import Owner, Scope
from quire.errors import Busy, Conflict, InvalidEntry, MarkdownError, NotFound
from quire.locator import Locator
from quire.markdown.document import Document, Value
from quire.markdown.entries import EntryId, Log
from quire.markdown.entry_id import MOST_ENTRIES
from quire.ports.storage import ABSENT, version_of

_DEVICE = re.compile(r"[a-z][a-z0-9]{0,39}")
_HEADER_BYTES = 80 * 1024  # more than any frontmatter may have
PART_BYTES = 1024 * 1024  # a log that is larger continues in a further part
_BLOCK = 10_000  # ids of one day that a device of a synced root has to itself; who appends more borrows of the next
_MOST_BLOCKS = MOST_ENTRIES // _BLOCK


def append(
    core: Core,
    text: str,
    kind: Kind,
    scope: Scope,
    *,
    at: dt.datetime,
    fields: Mapping[str, Value],
    status: Status = Status.ACTIVE,
) -> Entry:
    """One more entry in the log of the day of `at`. Raises Busy if others are faster again and again."""
    body = checked_text(text)
    own: dict[str, Value] = {"status": status.value, "timestamp": stamp(at), "created": stamp(core.clock.now())}
    try:
        document = Document.new({**own, **fields}, body, newline=newline_of(body))
    except MarkdownError as error:
        raise InvalidEntry(error.what, where=kind.name, remedy=error.remedy) from error
    for _ in range(TRIES):
        slot = next_slot(core, kind, scope, core.clock.day(at))
        entry, edit = appended(core, slot, document)
        made = {core.name_of(entry): entry.derived_from}
        try:
            core.change(core.intent("append", entry, made=made), [edit])
        except Conflict:
            continue
        return entry
    raise Busy("others append to this log again and again", where=f"{kind.name} in {scope}", remedy="Try again later")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the next entry of a day goes, and under which id."""

    kind: Kind
    scope: Scope
    day: dt.date
    id: EntryId
    locator: Locator
    raw: bytes | None
    log: Day


def next_slot(core: Core, kind: Kind, scope: Scope, day: dt.date) -> Slot:
    """The place for one more entry. It is only taken by the conditional write of the edit that `appended` makes."""
    part = _current_part(core, kind, scope, day)
    entry_id = EntryId.next_for(kind.schema.ENTRY_ID_PREFIX, day, part.issued)
    return Slot(kind, scope, day, entry_id, part.locator, part.raw, part.log)


def appended(core: Core, slot: Slot, document: Document, *, onto: str | None = None) -> tuple[Entry, Edit]:
    """The edit that adds `document` in `slot`, to `onto` where the log changes in the same edit, and its entry."""
    if onto is not None:
        log = Log.parse(onto)
    elif slot.raw is not None:
        log = Log.parse(slot.raw.decode("utf-8"))
    else:
        log = new_log(slot.kind, slot.scope, slot.day)
    core.issued.keep(slot.log, slot.id.sequence)
    id, now = slot.id.format(), stamp(core.clock.now())
    log = log.append(id, document).with_header({"entry_count": slot.id.sequence, "last_appended_at": now})
    raw = log.text.encode()
    place = core.layout.parse(slot.locator)
    assert place is not None
    status = Status(str(document.get("status") or Status.ACTIVE))
    line = log.text.count("\n", 0, log.text.rfind(f"<!-- entry:{id} -->")) + 1
    entry = Entry(id, slot.scope, slot.kind.name, status, slot.locator, version_of(raw), document, place.name, line)
    return entry, Edit(slot.locator, slot.raw, raw, keep=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """The file an append goes to, what it holds, and the highest number of this day that is known to be issued."""

    locator: Locator
    raw: bytes | None
    issued: int
    log: Day


def _current_part(core: Core, kind: Kind, scope: Scope, day: dt.date) -> _Part:
    """The last part; a further one where that is large enough, or too broken to be added to."""
    device, first = _device(core)
    stem = day.isoformat() + (f".{device}" if device else "")
    number = 1
    while core.storage.exists(_part(core, kind, scope, stem, number + 1)):
        number += 1
    locator = _part(core, kind, scope, stem, number)
    log = Day(
        _part(core, kind, scope, stem, 1), scope, f"{kind.schema.ENTRY_ID_PREFIX}_{day.isoformat().replace('-', '')}_"
    )
    try:
        raw = core.storage.read_bytes(locator)
    except NotFound:
        return _Part(locator, None, max(first, core.issued.highest(log)), log)
    issued = max(first, core.issued.highest(log), _highest(raw, log.prefix), counted(raw))
    if len(raw) > PART_BYTES or not _takes_more(raw):
        return _Part(_part(core, kind, scope, stem, number + 1), None, issued, log)
    return _Part(locator, raw, issued, log)


def _highest(raw: bytes, prefix: str) -> int:
    """The highest number among the markers, whatever state their entries are in."""
    # Beginning with what is literal, which is many times faster to look for than the beginning of a line.
    numbers = re.compile(rb"\n<!-- /?entry:" + prefix.encode() + rb"(\d{8})(?!\d)").findall(b"\n" + raw)
    return int(max(numbers, default=b"0"))  # all of one length, so that their order is that of the numbers


def _takes_more(raw: bytes) -> bool:
    """Whether the file is text whose header can be changed safely. What a person broke they will want to mend first."""
    try:
        document = Document.parse(raw.decode("utf-8"))
        if document.problems:
            document.set("entry_count", MOST_ENTRIES)
    except (UnicodeDecodeError, MarkdownError):
        return False
    return True


def _part(core: Core, kind: Kind, scope: Scope, stem: str, number: int) -> Locator:
    return core.layout.place(Place(scope, kind.name, stem if number == 1 else f"{stem}.{number}"))


def counted(raw: bytes) -> int:
    """What the header says was issued; entries may have been taken out by hand."""
    count = Document.parse(raw[:_HEADER_BYTES].decode("utf-8", "ignore")).get("entry_count")
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 < count < MOST_ENTRIES else 0


def new_log(kind: Kind, scope: Scope, day: dt.date) -> Log:
    schema = kind.schema
    owner: dict[str, Value] = {}
    if scope.owner is not Owner.SHARED:
        owner = {f"{scope.owner.value}_id": scope.id, "track": scope.owner.value}
    name = f"{kind.name}_daily"
    header: dict[str, Value] = {
        "id": f"{schema.FILE_PREFIX}_log_{scope.id or scope.owner.value}_{day.isoformat()}",
        "type": name,
        "file_type": name,
        "schema_version": SCHEMA_VERSION,
        **owner,
        "date": day.isoformat(),
        "entry_count": 0,
        "last_appended_at": "",
    }
    return Log.parse(Document.new(header, "").text)


def keep_issued(core: Core, kind: Kind, scope: Scope, name: str, sequence: int) -> None:
    """See to it that the id of an entry that is withdrawn is not given to another."""
    day, *rest = name.split(".")
    stem = ".".join([day, *(word for word in rest if not word.isdecimal())])
    prefix = f"{kind.schema.ENTRY_ID_PREFIX}_{day.replace('-', '')}_"
    core.issued.note(Day(_part(core, kind, scope, stem, 1), scope, prefix), sequence)


def _device(core: Core) -> tuple[str, int]:
    """This device's part of a log and the first number of its ids, where the root is synced; else neither.

    Two machines that are offline append to files of their own, under ids of their own.
    """
    if not core.storage.capabilities.sync:
        return "", 0
    at = core.journal.at.child("device.json")
    while True:
        raw: bytes | None = None
        try:
            raw = core.journal.storage.read_bytes(at)
            known = json.loads(raw)
            name, block = str(known["name"]), int(known["block"])
            if _DEVICE.fullmatch(name) and 0 < block < _MOST_BLOCKS:
                return name, block * _BLOCK
        except NotFound:
            pass
        except (ValueError, KeyError, TypeError):
            pass  # nobody's name any more: this device takes a new one, and its old parts stay what they are
        made = {"name": f"d{secrets.token_hex(3)}", "block": secrets.randbelow(_MOST_BLOCKS - 1) + 1}
        try:
            core.journal.storage.write_bytes(
                at, json.dumps(made).encode(), if_version=ABSENT if raw is None else version_of(raw)
            )
        except Conflict:
            continue
