"""The one place that knows the time and the zone.

Everything is stored in UTC. The zone decides only which day something happened on, as the person would say it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from quire.errors import InvalidTime

UTC = dt.UTC


class Clock:
    """The time now, and the zone of the person: the one that is named, else that of the system. Raises InvalidTime.

    >>> Clock("Europe/Berlin").day(dt.datetime(2026, 6, 1, 23, 30, tzinfo=dt.UTC))
    datetime.date(2026, 6, 2)
    """

    def __init__(self, zone: str | None = None, *, now: Callable[[], dt.datetime] | None = None) -> None:
        # None asks the system for each moment, so that summer and winter have each their own offset.
        self.zone = _zone(zone) if zone else None
        self._now = now or _utc_now

    def now(self) -> dt.datetime:
        """This moment, in UTC, to the microsecond."""
        return self._now().astimezone(UTC)

    def day(self, moment: dt.datetime) -> dt.date:
        """The day of `moment` where the person lives."""
        return moment.astimezone(self.zone).date()

    def read(self, text: str) -> dt.datetime:
        """A moment as a person writes it: ISO 8601; without an offset it is meant in their zone.

        Raises InvalidTime.
        """
        try:
            moment = dt.datetime.fromisoformat(text.strip())
        except (ValueError, AttributeError, TypeError) as error:
            raise _refused(text) from error
        return self._in_utc(moment, text)

    def moment(self, at: dt.datetime | dt.date | str) -> dt.datetime:
        """A moment however it is given; a date means the beginning of that day. Raises InvalidTime."""
        if isinstance(at, dt.datetime):
            return self._in_utc(at, at)
        return self.read(at.isoformat() if isinstance(at, dt.date) else at)

    def _in_utc(self, moment: dt.datetime, said: object) -> dt.datetime:
        if not 1 < moment.year < dt.MAXYEAR:  # its day would lie outside of the calendar somewhere on earth
            raise _refused(said)
        try:
            if moment.tzinfo is None and self.zone is not None:
                moment = moment.replace(tzinfo=self.zone)
            return moment.astimezone(UTC)
        except (OverflowError, ValueError, OSError) as error:
            raise _refused(said) from error


def stamp(moment: dt.datetime) -> str:
    """How a moment is written into a file: ISO 8601 in UTC, to the second.

    >>> stamp(dt.datetime(2026, 6, 1, 9, 12, 13, tzinfo=dt.UTC))
    '2026-06-01T09:12:13+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _utc_now() -> dt.datetime:
    return dt.datetime.now(UTC)


def _zone(name: str) -> dt.tzinfo:
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError, TypeError, AttributeError) as error:
        remedy = "Use a name such as Europe/Berlin"
        if not zoneinfo.available_timezones():
            remedy += "; this system has no table of zones, which the package tzdata brings"
        raise InvalidTime(f"no time zone is called {name!r}", where="timezone", remedy=remedy) from error


def _refused(said: object) -> InvalidTime:
    return InvalidTime(f"{said!r} is not a time", remedy="Write it as 2026-06-01 or 2026-06-01T09:30")
