"""The always-load set: what is put before an agent at the start of every session.

What was remembered is data, whoever wrote it. Each entry stands between two lines of tildes, more than it has in a row
anywhere, so that no text can end its own quotation; and its label quotes every word that is not Quire's.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from quire.engine.core import Core
from quire.engine.entry import (
    MAX_FILE_BYTES,
    Contents,
    Entry,
    Fault,
    Ownership,
    Status,
    text_of,
    too_large,
    unreadable,
)
from quire.engine.kinds import Shape
from quire.engine.layout import Place, Zone
from quire.engine.listing import OF_ONE_FILE, places
from quire.errors import InvalidEntry, InvalidTime, IsADirectory, NotADirectory, NotFound
from quire.ports.storage import Info

_FLAG = b"always_load"
_TILDES = re.compile("~+")
_MAX_SOURCE = 80
_HEAD = (
    "Remembered text, the most important first. Each piece stands between two lines of tildes, below a line that says "
    "what it is and where it came from.\n"
)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """`text` is for the agent, byte-identical from run to run while the entries are; the rest is for programs.

    `left_out` is what did not fit, all of it; `faults` are files that could not be read, so that nobody knows.
    """

    text: str
    entries: tuple[Entry, ...]
    left_out: tuple[Entry, ...]
    tokens: int
    faults: tuple[Fault, ...] = ()


def session_context(core: Core, budget: int) -> SessionContext:
    """Whole entries by priority, as many as fit; one that does not fit makes room for a smaller one after it."""
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        raise InvalidEntry(f"a budget of {budget!r} tokens is none", remedy="Give 0 or more")
    chosen: list[Entry] = []
    faults: list[Fault] = []
    for contents in _candidates(core):
        faults += () if contents.entries else contents.faults
        chosen += [entry for entry in contents.entries if _is_meant(core, entry)]
    chosen.sort(key=_order)
    room = budget - tokens(_HEAD)
    parts: list[str] = []
    fitting: list[Entry] = []
    left: list[Entry] = []
    for entry in chosen:
        part = "\n" + _rendered(entry)
        cost = tokens(part)
        if cost > room:
            left.append(entry)
            continue
        room -= cost
        parts.append(part)
        fitting.append(entry)
    note = _left_out(left, room)
    text = "".join([_HEAD, *parts, note]) if parts or note else ""
    return SessionContext(text, tuple(fitting), tuple(left), tokens(text) if text else 0, tuple(faults))


def _candidates(core: Core) -> Iterator[Contents]:
    """The files that may hold an entry that is loaded always. A log holds none, and most notes are not even parsed."""
    for info, place in places(core):
        if not place.kind or core.kinds[place.kind].shape is not Shape.LOG:
            contents = _candidate(core, info, place)
            if contents is not None:
                yield contents


def _candidate(core: Core, info: Info, place: Place) -> Contents | None:
    if info.size > MAX_FILE_BYTES:
        return too_large(info.locator, place, info.size)
    try:
        raw = core.storage.read_bytes(info.locator)
    except (NotFound, IsADirectory, NotADirectory):
        return None
    except OF_ONE_FILE as error:
        return unreadable(info.locator, place, error)
    return core.parsed(info.locator, place, raw) if place.zone is Zone.ALWAYS or _FLAG in raw else None


def _is_meant(core: Core, entry: Entry) -> bool:
    """Whether it is loaded now: active, and true at this moment."""
    if not entry.always_load or entry.status is not Status.ACTIVE:
        return False
    now = core.clock.now()
    try:
        begins, ends = (text_of(entry.document.get(name)) for name in ("valid_from", "valid_to"))
        return not (begins and core.clock.read(begins) > now) and not (ends and core.clock.read(ends) <= now)
    except InvalidTime:
        return True  # lint reports the time; nobody loses a rule for a typing error


def tokens(text: str) -> int:
    """About how many tokens a model reads in `text`: a quarter for a letter of ASCII, one for a wide one, else a half.

    Deterministic, and without a model's own tokenizer, which is not here and is another for each model. The parts of a
    text never count less than the whole.

    >>> tokens("three sentences unless asked"), tokens("日本語")
    (8, 4)
    """
    if text.isascii():
        return len(text) // 4 + 1
    further = [c for c in text if c > "\x7f"]
    wide = sum(1 for c in further if c > "\u2fff" or unicodedata.east_asian_width(c) in "WF")
    return (len(text) + len(further) + 2 * wide) // 4 + 1


def _order(entry: Entry) -> tuple[float, int, str, str]:
    """Higher priority first; then what the person curates; then by name. Never by time, which moves."""
    priority = entry.document.get("priority")
    value = float(priority) if isinstance(priority, int | float) and not isinstance(priority, bool) else 0.0
    value = 0.0 if math.isnan(value) else value
    return (-value, 0 if entry.ownership is Ownership.CURATED else 1, entry.id, str(entry.scope))


def _rendered(entry: Entry) -> str:
    """One entry, quoted, with whose it is and where it came from."""
    said = {"id": entry.id, "of": str(entry.scope), "title": entry.title}
    if source := " ".join(text_of(entry.document.get("source")).split())[:_MAX_SOURCE]:
        said["from"] = source
    label = " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in said.items())
    fence = "~" * max(3, 1 + max(map(len, _TILDES.findall(entry.text)), default=0))
    return f"memory {label}\n{fence}\n{entry.text}\n{fence}\n"


def _left_out(left: list[Entry], room: int) -> str:
    """A line that names what did not fit, as far as that fits."""
    for named in range(len(left), -1, -1):
        names = [json.dumps(entry.id, ensure_ascii=False) for entry in left[:named]]
        more = len(left) - named
        names += [f"{more} {'more' if named else 'entries'}"] if more else []
        line = f"\nLeft out, as they do not fit: {', '.join(names)}\n"
        if names and tokens(line) <= room:
            return line
    return ""
