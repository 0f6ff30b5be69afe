"""The clock: moments in UTC, days where the person lives."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.clock import UTC, Clock, stamp
from quire.errors import InvalidTime


@pytest.fixture
def system_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set the zone of the system, as TZ does."""

    def choose(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


def test_a_day_is_that_of_the_person() -> None:
    moment = dt.datetime(2026, 6, 1, 23, 30, tzinfo=UTC)
    assert Clock("Europe/Berlin").day(moment) == dt.date(2026, 6, 2)
    assert Clock("America/New_York").day(moment) == dt.date(2026, 6, 1)


def test_a_time_without_an_offset_is_meant_where_the_person_lives() -> None:
    clock = Clock("Europe/Berlin")
    assert stamp(clock.read("2026-06-01T09:30")) == "2026-06-01T07:30:00+00:00"
    assert stamp(clock.read("2026-01-15")) == "2026-01-14T23:00:00+00:00"
    assert stamp(clock.read(" 2026-06-01T09:30:00-05:00 ")) == "2026-06-01T14:30:00+00:00"


def test_a_moment_may_be_given_as_text_a_date_or_a_datetime() -> None:
    clock = Clock("Europe/Berlin")
    noon = dt.datetime(2026, 6, 1, 10, tzinfo=UTC)
    assert clock.moment("2026-06-01T12:00") == noon
    assert clock.moment(dt.datetime(2026, 6, 1, 12)) == noon  # noqa: DTZ001 - meant in the person's zone
    assert clock.moment(noon) == noon
    assert clock.day(clock.moment(dt.date(2026, 6, 1))) == dt.date(2026, 6, 1)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "2026-02-30", "12:30", "2026", "0001-01-01", "9999-12-31"]
)
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidTime, match="2026-06-01T09:30"):
        Clock("Pacific/Kiritimati").read(text)


@pytest.mark.parametrize("at", [5, None, dt.time(9, 30), ["2026-06-01"]])
def test_what_is_not_even_text_is_refused(at: object) -> None:
    with pytest.raises(InvalidTime):
        Clock("UTC").moment(at)  # type: ignore[arg-type]


@given(st.datetimes(timezones=st.timezones()) | st.datetimes())
def test_every_moment_has_a_stamp_and_a_day_or_is_refused(moment: dt.datetime) -> None:
    clock = Clock("Asia/Kathmandu")
    try:
        read = clock.moment(moment)
    except InvalidTime:
        assert not 1 < moment.year < 9999
        return
    assert clock.read(stamp(read)) == read.replace(microsecond=0)
    assert abs(clock.day(read) - read.date()) <= dt.timedelta(days=1)


def test_an_unknown_zone_is_refused() -> None:
    for name in ("Mars/Olympus", "../../etc/passwd", "Europe", "a\0b"):
        with pytest.raises(InvalidTime, match="Use a name such as Europe/Berlin"):
            Clock(name)


def test_without_a_name_it_is_the_zone_of_the_system_summer_and_winter(system_zone: Callable[[str], None]) -> None:
    system_zone("Europe/Berlin")
    clock = Clock()
    assert stamp(clock.read("2026-01-15T09:00")) == "2026-01-15T08:00:00+00:00"
    assert stamp(clock.read("2026-06-15T09:00")) == "2026-06-15T07:00:00+00:00"
    assert clock.day(dt.datetime(2026, 1, 14, 22, 30, tzinfo=UTC)) == dt.date(2026, 1, 14)
    assert clock.day(dt.datetime(2026, 6, 14, 22, 30, tzinfo=UTC)) == dt.date(2026, 6, 15)


def test_a_zone_that_the_system_spells_as_a_rule_is_understood(system_zone: Callable[[str], None]) -> None:
    system_zone("CET-1CEST,M3.5.0,M10.5.0/3")
    assert stamp(Clock().read("2026-06-15T09:00")) == "2026-06-15T07:00:00+00:00"


def test_now_is_in_utc() -> None:
    east = dt.timezone(dt.timedelta(hours=9))
    clock = Clock("UTC", now=lambda: dt.datetime(2026, 6, 1, 9, tzinfo=east))
    assert clock.now() == dt.datetime(2026, 6, 1, tzinfo=UTC)
    assert clock.now().tzinfo is UTC
    assert abs(Clock().now() - dt.datetime.now(UTC)) < dt.timedelta(minutes=1)
