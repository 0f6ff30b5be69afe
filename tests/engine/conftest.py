"""A memory in dictionaries whose clock stands, and moves when a test says so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

import quire
from quire import Memory


class Time:
    """Noon of the first of June 2026 in UTC, until it is moved."""

    def __init__(self) -> None:
        self.moment = dt.datetime(2026, 6, 1, 12, 0, 0, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.moment

    def forward(self, **amount: float) -> None:
        self.moment += dt.timedelta(**amount)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture(params=["root", "vault"])
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def memory(time: Time, layout: str) -> Iterator[Memory]:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as opened:
        yield opened
