"""Dressing: the fields that a note from elsewhere needs to be an entry. What it has is never touched."""

from __future__ import annotations

import datetime as dt
import re

from quire.clock import Clock, stamp
from quire.engine.entry import text_of
from quire.engine.kinds import Kind, Kinds, Shape
from quire.engine.scope import Scope
from quire.engine.transfer.flavours import Flavour
from quire.errors import InvalidTime
from quire.markdown.document import Document, Value

# Where programs keep the time a note was made, the surest first.
_TIMES = ("created", "created_at", "created-at", "date_created", "date-created", "creation_date", "dateCreated", "date")
_HEADING = re.compile(r"^(#{1,6})[ \t]+\S")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_DATE = re.compile(r"\d{4}-\d{2}")
_TOP = 4000  # characters in which a title is looked for, as an entry does


def kind_of(document: Document, flavour: Flavour, kinds: Kinds, scope: Scope, given: Kind) -> Kind:
    """The kind that a note says itself, by its `kind`, or by its `type` in the words of its flavour; else `given`."""
    nested = document.get("metadata")
    said = text_of(document.get("type")) or text_of(nested.get("type") if isinstance(nested, dict) else None)
    for name in (text_of(document.get("kind")), flavour.types.get(said.lower(), "")):
        if name in kinds and kinds[name].shape is Shape.NOTE and scope.owner in kinds[name].schema.OWNERS:
            return kinds[name]
    return given


def dressed(
    document: Document,
    *,
    clock: Clock,
    flavour: Flavour,
    kind: Kind,
    stem: str,
    name: str,
    mtime: float,
    source: str,
    created: str = "",
) -> Document:
    """`document` with the fields it lacks. `created` is what an earlier import has written, if there was one.

    Raises MarkdownError where its frontmatter cannot be changed safely.
    """
    lacking: dict[str, Value] = {}
    if flavour.fields and "kind" not in document.fields:
        lacking["kind"] = kind.name
    if "title" not in document.fields and not flavour.tree:
        title = text_of(document.get(flavour.title)) or _title(document, stem, name)
        if title:
            lacking["title"] = title
    lacking |= _time(document, clock, mtime, created)
    if not text_of(document.get("source")) and "source" not in document.fields:
        lacking["source"] = source
    return document.update(lacking)


def _title(document: Document, stem: str, name: str) -> str:
    """The title that the file's name says better than an entry of this name would; empty where it does not.

    A note that begins with a heading of the first rank says its title itself. One whose first heading is a lesser one,
    or stands in code, would be called after a part of it.
    """
    heading = _first_heading(document.body[:_TOP])
    if heading == 1:
        return ""
    # Hyphens stand for spaces where there are none, but not in a date.
    said = stem if " " in stem or _DATE.search(stem) else stem.replace("-", " ")
    return said if heading or name.replace("-", " ") != said else ""


def _first_heading(text: str) -> int:
    """The rank of the first heading; 7 for a line of code that looks like one and comes before it; 0 for none."""
    fence = ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        if opened and not fence:
            fence = opened[1]
        elif fence and line.strip().startswith(fence):
            fence = ""
        elif found := _HEADING.match(line):
            return 7 if fence else len(found[1])
    return 0


def _time(document: Document, clock: Clock, mtime: float, created: str) -> dict[str, Value]:
    """When it was made: in its own words where they can be read, else when its file was last written."""
    if "created" in document.fields:
        value = document.get("created")
        if isinstance(value, str) or "timestamp" in document.fields:
            return {}
        moment = _moment(value, clock)  # a count of seconds is no time to the rest of us
        return {"timestamp": moment} if moment else {}
    for name in _TIMES:
        if moment := _moment(document.get(name), clock):
            return {"created": moment}
    return {"created": created or stamp(_written(mtime, clock))}


def _moment(value: Value, clock: Clock) -> str:
    """A time as text that `Clock.read` takes; empty if it cannot be read as one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value >= 1e11 else value  # milliseconds, as programs count them
        if 1e8 <= seconds <= 1e10:
            return stamp(dt.datetime.fromtimestamp(seconds, dt.UTC))
        value = str(value)
    if not isinstance(value, str):
        return ""
    try:
        clock.read(value)
    except InvalidTime:
        return ""
    return value.strip()


def _written(mtime: float, clock: Clock) -> dt.datetime:
    try:
        return dt.datetime.fromtimestamp(mtime, dt.UTC) if mtime > 0 else clock.now()
    except (ValueError, OverflowError, OSError):
        return clock.now()
