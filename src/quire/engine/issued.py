"""Issued: which numbers of a log are taken, whatever becomes of its file.

A person may delete entries or the whole file, and an editor may save the text it read an hour ago, so that a log does
not know its own past. The journal has the record of every append, and is asked before each: a note beside it says up to
which day that has been done, and with what answer, and what has not grown since is not read again.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.clock import Clock
from quire.engine.journal import Journal
from quire.engine.scope import Scope
from quire.errors import NotFound
from quire.locator import Locator
from quire.ports.storage import version_of

_FOLDER = "issued"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OVERLAP = dt.timedelta(days=1)  # for processes whose clocks differ, and for midnight


@dataclass(frozen=True, slots=True)
class Day:
    """The log of one day, all its parts: where it begins, and what the ids in it begin with."""

    first: Locator
    scope: Scope
    prefix: str  # "ep_20260601_"


@dataclass(slots=True)
class _Known:
    """What this process knows of one log: the highest number, and how large the files of the journal were then."""

    number: int = 0
    looked_at: dict[str, int] = field(default_factory=dict)


class Issued:
    """The numbers that were issued in the logs of one root. Safe to use from several threads: it only ever grows."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._known: dict[Locator, _Known] = {}
        self._lock = threading.Lock()

    def highest(self, day: Day) -> int:
        """The highest number that is known to be issued, by whatever process. 0 for a log that is new here."""
        with self._lock:
            known = self._known.setdefault(day.first, _Known())
            yesterday = (self._clock.now().date() - _OVERLAP).isoformat()
            since, number = self._noted(day)
            if since is None:
                self._note(day, known.number, yesterday)
                return known.number
            # What was noted by a clock that was ahead says nothing of the days until then.
            looked = self._in_journal(day, since if since <= yesterday else "", known)
            known.number = max(known.number, number, looked)
            if since != yesterday:
                self._note(day, known.number, yesterday)
            return known.number

    def keep(self, day: Day, number: int) -> None:
        """Remember, in this process, that `number` is about to be issued."""
        with self._lock:
            known = self._known.setdefault(day.first, _Known())
            known.number = max(known.number, number)

    def note(self, day: Day, number: int) -> None:
        """Write down that `number` is issued, of an entry whose record may go."""
        with self._lock:
            since, before = self._noted(day)
            if since is None or number > before:
                yesterday = (self._clock.now().date() - _OVERLAP).isoformat()
                self._note(day, max(number, before), yesterday if since is None else since)

    # The note: the number, and the day of the journal from which on it does not say

    def _at(self, day: Day) -> Locator:
        return self._journal.at.child(_FOLDER, f"{version_of(day.first.key)[:32]}.json")

    def _noted(self, day: Day) -> tuple[str | None, int]:
        """The day and the number; no day where nothing is noted. What cannot be read says nothing sure."""
        try:
            noted = json.loads(self._journal.storage.read_bytes(self._at(day)))
            since, number = noted["since"], noted["issued"]
        except NotFound:
            return None, 0
        except (ValueError, KeyError, TypeError):
            return "", 0
        return (since, number) if isinstance(since, str) and isinstance(number, int) else ("", 0)

    def _note(self, day: Day, number: int, since: str) -> None:
        noted = {"path": day.first.key, "issued": number, "since": since}
        self._journal.storage.write_bytes(self._at(day), json.dumps(noted, ensure_ascii=False).encode())

    # The journal

    def _in_journal(self, day: Day, since: str, known: _Known) -> int:
        """The highest number in the records from the day `since` on. Only lines that name one are read."""
        name = f"{day.scope} {day.prefix}"
        wanted = re.compile(re.escape(json.dumps(name, ensure_ascii=False)[:-1].encode()) + rb'(\d{8})"')
        highest = known.number
        for file, size in self._files(since):
            seen = known.looked_at.get(file.key, 0)
            if seen == size:
                continue
            try:
                raw = self._journal.storage.read_bytes(file)
            except NotFound:
                continue  # purged meanwhile
            known.looked_at[file.key] = raw.rfind(b"\n") + 1
            start = seen if seen < len(raw) else 0  # it only grows, unless it was purged
            for number, at in sorted(((int(hit[1]), hit.start()) for hit in wanted.finditer(raw, start)), reverse=True):
                if number <= highest:
                    break
                if _is_about(raw, at, f"{name}{number:08}"):
                    highest = number
        return highest

    def _files(self, since: str) -> Iterator[tuple[Locator, int]]:
        for folder in self._journal.storage.list(self._journal.at):
            if _DAY.fullmatch(folder.name) and folder.name >= since:
                for info in self._journal.storage.walk(folder):
                    yield info.locator, info.size


def _is_about(raw: bytes, at: int, name: str) -> bool:
    """Whether the record around `at` is about the entry of this name, and does not only quote it."""
    start, end = raw.rfind(b"\n", 0, at) + 1, raw.find(b"\n", at)
    try:
        return name in json.loads(raw[start : None if end < 0 else end])["entries"]
    except (ValueError, KeyError, TypeError):
        return False  # torn, or nobody's
