"""What is wrong with a log as a whole: ids that lead elsewhere, and a count that would issue one again."""

from __future__ import annotations

from collections.abc import Iterator

from quire.engine.changes import Edit
from quire.engine.core import Core
from quire.engine.entry import Contents
from quire.engine.layout.place import day_of
from quire.engine.lint.survey import Noted, Plan, line_of, noted, sure
from quire.errors import InvalidEntryId
from quire.markdown.entries import EntryId, Log

_COUNT = "entry_count"


def check(core: Core, contents: Contents) -> Iterator[Noted]:
    """All that can be said of one file of a log."""
    yield from _ids(core, contents)
    log = Log.parse(contents.text)
    counted = _counted(log)
    if counted < log.highest:
        yield noted(
            contents.locator,
            line_of(log.document, _COUNT),
            "LOG_COUNT_LOW",
            f"{_COUNT} is {counted}, and the ids go up to {log.highest}",
            f"Write {_COUNT}: {log.highest}",
            scope=contents.place.scope,
            plan=_counting(core, contents, log.highest),
        )


def _ids(core: Core, contents: Contents) -> Iterator[Noted]:
    place = contents.place
    prefix, day = core.kinds[place.kind].schema.ENTRY_ID_PREFIX, day_of(place.name)
    assert day is not None  # or it were no log's place
    expected = EntryId(prefix, day, 1).format()[:-8]
    for entry in contents.entries:
        try:
            said = EntryId.parse(entry.id)
        except InvalidEntryId:
            said = None
        if said is None or (said.prefix, said.date) != (prefix, day):
            yield noted(
                contents.locator,
                entry.line,
                "LOG_ID_MISPLACED",
                f"the id {entry.id!r} is not of this log, so that nothing finds it here",
                f"Give it one that begins with {expected}, or move it to the log it belongs to",
                id=entry.id,
                scope=place.scope,
            )


def _counted(log: Log) -> int:
    count = log.document.get(_COUNT)
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def _counting(core: Core, contents: Contents, highest: int) -> Plan | None:
    """The plan that corrects the count; None where the header is too broken to be changed."""

    def make(core: Core, contents: Contents, raw: bytes) -> Edit | None:
        now = Log.parse(contents.text)
        if _counted(now) >= now.highest:
            return None
        return Edit(contents.locator, raw, now.with_header({_COUNT: now.highest}).text.encode())

    return sure(core, contents, Plan(contents.locator, "", f"{_COUNT} is {highest} now", make))
