"""The journal: the bytes before each change that Quire makes, and who asked.

It is truth of its own kind: no memory is in it alone, but what was overwritten is. One line of JSON is one record; each
process appends to files of its own, so that no two writers share one. `docs/reference/format.md` specifies it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from quire.clock import Clock
from quire.engine.records import Change, Step, Void, decode_bytes, line_of, read_line
from quire.errors import Conflict, InvalidEntry, NotFound
from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of

__all__ = ["Actor", "Change", "Journal", "Step", "Unreadable", "decode_bytes"]

ROLL_BYTES = 256 * 1024  # a storage that cannot append rewrites the file each time, so that none may grow for ever
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
Remake: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_VOIDED = re.compile(rb'\{"void": ?"([0-9T]+-[0-9a-f]{8})"\}')


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks: the way in, the person's or program's session, and the run whose changes can be taken back together."""

    name: str = "python"
    run: str = ""
    session: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", self.run or secrets.token_hex(6))
        if not _RUN.fullmatch(self.run):
            raise InvalidEntry(
                f"{self.run!r} cannot name a run", remedy="Use up to 64 letters, digits, hyphens and underscores"
            )


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line of the journal that is no record: the change it told of cannot be taken back. The others can."""

    locator: Locator
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.locator}:{self.line}: {self.what}. Restore the line from a backup, or delete it"


class Journal:
    """Records in `.journal/<day>/<run>.<process>.<part>.jsonl` of a storage.

    Ids sort in the order in which one process gave them, whatever its clock does; between processes the order is that
    of their clocks, but that an undoing always comes after what it undoes.
    """

    def __init__(self, storage: StorageBackend, clock: Clock, at: Locator | None = None) -> None:
        self.storage = storage
        self.at = at if at is not None else Locator(".journal")
        self._clock = clock
        self._lock = threading.Lock()
        self._file: tuple[str, int, int] = ("", 0, 0)  # what its name begins with, the part, the bytes in it
        self._last = ""
        self._torn: set[Locator] = set()  # the files whose last line may not be whole

    # Writing

    def new_id(self, *, after: str = "") -> tuple[str, str]:
        """An id for the next change, later than `after` and than any given here before; and the time."""
        with self._lock:
            now = self._clock.now()
            moment = now.strftime("%Y%m%dT%H%M%S%f")
            for known in (self._last, after):
                if known and moment <= known.partition("-")[0]:
                    moment = _next(known) or moment
            self._last = moment
        return f"{moment}-{secrets.token_hex(4)}", now.isoformat(timespec="microseconds")

    def append(self, change: Change) -> None:
        """Keep a record, durably. Raises what the storage raises."""
        line = line_of(change)
        with self._lock:
            # A torn tail can only be a dead process's, and this one never appends to another's file.
            stem = f"{day_of(change.id)}/{change.run}.{_process()}"
            known, part, size = self._file
            if stem != known:
                part, size = 1, 0
            elif size > ROLL_BYTES:
                part, size = part + 1, 0
            self._file = (stem, part, size + len(line))
            self._add(self.at.child(f"{stem}.{part}.jsonl"), line)

    def void(self, change: Change) -> None:
        """Say of a change that it did not happen."""
        at = self.at.child(f"{day_of(change.id)}/{change.run}.{_process()}.void.jsonl")
        with self._lock:
            self._add(at, line_of(Void(change.id)))

    def _add(self, at: Locator, line: bytes) -> None:
        """Append a line; on a line of its own, where one that failed may have left a part."""
        try:
            self.storage.append_bytes(at, b"\n" + line if at in self._torn else line)
        except BaseException:
            self._torn.add(at)
            raise
        self._torn.discard(at)

    # Reading

    def newest_first(self, down_to: str = "") -> Iterator[Change]:
        """Every record down to the id `down_to`, the newest first, one day held at a time."""
        for day in reversed(self._days(down_to)):
            yield from sorted((c for c in self._of_day(day) if c.id >= down_to), key=_by_id, reverse=True)

    def oldest_first(self, since: str = "") -> Iterator[Change]:
        """Every record from the id `since` on, the oldest first."""
        for day in self._days(since):
            yield from sorted((c for c in self._of_day(day) if c.id >= since), key=_by_id)

    def find(self, id: str) -> Change | None:
        """The change with exactly this id, unless it did not happen."""
        found = self._of_day(self.at.child(day_of(id))) if _DAY.fullmatch(day_of(id)) else iter(())
        return next((change for change in found if change.id == id), None)

    def beginning_with(self, prefix: str) -> list[Change]:
        """The changes whose ids begin with `prefix`, the newest first."""
        days = (day for day in reversed(self._days()) if day.name.replace("-", "").startswith(prefix[:8]))
        found = (change for day in days for change in self._of_day(day) if change.id.startswith(prefix))
        return sorted(found, key=_by_id, reverse=True)

    def mentioning(self, word: str, since: str) -> Iterator[Change]:
        """The changes since the day of the id `since` in whose record `word` stands, those that did not happen, too."""
        for day in self._days(since[:8]):
            for _, lines in self._lines(day):
                for line in lines:
                    try:
                        record = read_line(line) if word.encode() in line else None
                    except ValueError:
                        continue
                    if isinstance(record, Change):
                        yield record

    def voided(self) -> set[str]:
        """The ids of the changes that did not happen."""
        found: set[str] = set()
        for day in self._days():
            for _, lines in self._lines(day):
                found.update(hit[1].decode() for line in lines if (hit := _VOIDED.fullmatch(line)))
        return found

    def first_of(self, run: str) -> str:
        """An id that none of this run comes before; empty where there is no record of it. Reads names only."""
        for day in self._days():
            if any(file.name.partition(".")[0] == run for file in self.storage.list(day)):
                return day.name.replace("-", "")
        return ""

    def unreadable(self) -> Iterator[Unreadable]:
        """The lines that are no records. A line that a crash has left without its end is not among them."""
        for day in self._days():
            for file, lines in self._lines(day):
                for number, line in enumerate(lines, 1):
                    try:
                        _ = line and read_line(line)
                    except ValueError as error:
                        if number < len(lines):
                            yield Unreadable(file, number, f"this record cannot be read: {error}")

    def _days(self, since: str = "") -> list[Locator]:
        first = day_of(since)[: len(since) + 2] if since else ""
        return [found for found in self.storage.list(self.at) if _DAY.fullmatch(found.name) and found.name >= first]

    def _of_day(self, day: Locator) -> Iterator[Change]:
        void: set[str] = set()
        seen: dict[str, Change] = {}
        for _, lines in self._lines(day):
            for line in lines:
                try:
                    record = read_line(line)
                except ValueError:
                    continue  # torn, or nobody's: `unreadable` reports it
                if isinstance(record, Void):
                    void.add(record.id)
                else:
                    seen.setdefault(record.id, record)  # whoever finished another's change may have recorded it, too
        yield from (change for change in seen.values() if change.id not in void)

    def _lines(self, day: Locator) -> Iterator[tuple[Locator, list[bytes]]]:
        for file in self.storage.list(day):
            try:
                yield file, self.storage.read_bytes(file).split(b"\n")
            except NotFound:
                continue  # somebody deletes old days

    # Erasing

    def rewrite(self, make: Remake, mention: tuple[bytes, ...]) -> None:
        """Give each record in whose line one of `mention` stands another content, for purge. The rest stays."""
        for day in self._days():
            for file in self.storage.list(day):
                self._rewrite(file, make, mention)

    def _rewrite(self, file: Locator, make: Remake, mention: tuple[bytes, ...]) -> None:
        while True:
            try:
                raw = self.storage.read_bytes(file)
            except NotFound:
                return  # somebody deletes old days
            lines = raw.split(b"\n")
            kept = [_remade(line, make) if any(word in line for word in mention) else line for line in lines]
            if kept == lines:
                return
            try:
                self.storage.write_bytes(file, b"\n".join(kept), if_version=version_of(raw))
            except Conflict:
                continue  # its owner has appended meanwhile
            return


_token = (0, "")


def _process() -> str:
    """What names the files of this process: two of one run never append to one file, a fork and its parent neither."""
    global _token  # noqa: PLW0603 - one for the whole process is what it is
    if _token[0] != os.getpid():
        _token = (os.getpid(), secrets.token_hex(4))
    return _token[1]


def day_of(id: str) -> str:
    """The folder of a change's record, from its id: the day in UTC."""
    return f"{id[:4]}-{id[4:6]}-{id[6:8]}"


def _by_id(change: Change) -> str:
    return change.id


def _moment(id: str) -> dt.datetime:
    return dt.datetime.strptime(id.partition("-")[0], "%Y%m%dT%H%M%S%f").replace(tzinfo=dt.UTC)


def _next(id: str) -> str:
    """The moment after that of an id, so that ids stay in order when the clock stands or steps back."""
    if not id:
        return ""
    try:
        return (_moment(id) + dt.timedelta(microseconds=1)).strftime("%Y%m%dT%H%M%S%f")
    except (ValueError, OverflowError):
        return ""  # no calendar has that day


def _remade(line: bytes, make: Remake) -> bytes:
    try:
        _ = read_line(line)
    except ValueError:
        return b""  # it mentions what is purged, and cannot be read: nothing of it may stay
    return line_of(make(json.loads(line))).removesuffix(b"\n")
