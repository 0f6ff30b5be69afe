"""The names of log entries: `<prefix>_<YYYYMMDD>_<NNNNNNNN>`."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Final

from quire.errors import InvalidEntryId

MOST_ENTRIES: Final = 99_999_999  # of one prefix on one day
_PREFIX = re.compile(r"[a-z][a-z0-9_]{0,99}")
_ID = re.compile(r"([a-z][a-z0-9_]{0,99})_([0-9]{4})([0-9]{2})([0-9]{2})_([0-9]{8})")
_REMEDY = "An id is '<prefix>_<YYYYMMDD>_<NNNNNNNN>', as in 'ep_20260601_00000001'"


@dataclass(frozen=True, slots=True, order=True)
class EntryId:
    """A kind's prefix, the day of the log, and the number in it. Raises InvalidEntryId for what has no such name.

    >>> EntryId.parse("ep_20260601_00000007")
    EntryId(prefix='ep', date=datetime.date(2026, 6, 1), sequence=7)
    """

    prefix: str
    date: datetime.date
    sequence: int

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise InvalidEntryId(f"{self.prefix!r} is not the prefix of an entry id", remedy=_REMEDY)
        if not 1 <= self.sequence <= MOST_ENTRIES:
            raise InvalidEntryId(f"an entry cannot have the number {self.sequence}", remedy=f"1 to {MOST_ENTRIES:,}")

    @classmethod
    def parse(cls, text: str) -> EntryId:
        """Read an id. Raises InvalidEntryId, also for a day that no calendar has."""
        match = _ID.fullmatch(text)
        if not match:
            raise InvalidEntryId(f"{text[:200]!r} is not an entry id", remedy=_REMEDY)
        prefix, year, month, day, number = match.groups()
        try:
            date = datetime.date(int(year), int(month), int(day))
        except ValueError as error:
            raise InvalidEntryId(f"{text[:200]!r} is not an entry id: {error}", remedy=_REMEDY) from error
        return cls(prefix, date, int(number))

    def format(self) -> str:
        """The id as it is written; `parse` reads it back."""
        date = self.date
        return f"{self.prefix}_{date.year:04}{date.month:02}{date.day:02}_{self.sequence:08}"

    def __str__(self) -> str:
        return self.format()

    @classmethod
    def next_for(cls, prefix: str, date: datetime.date, current_count: int) -> EntryId:
        """The id after `current_count` others. Raises InvalidEntryId when the numbers of the day are used up.

        >>> str(EntryId.next_for("ep", datetime.date(2026, 6, 1), 6))
        'ep_20260601_00000007'
        """
        return cls(prefix, date, current_count + 1)
