"""Answers that are lost on the way: each change is in effect once, or its caller is told that nobody knows."""

import asyncio
import time
from collections.abc import Iterator

import asyncpg
import pytest

from quire.backends.postgres import PostgresBackend
from quire.errors import (
    OutcomeUnknown,
    Unavailable,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
from tests.servers.postgres import PostgresServer, Wire

DONE = b"\0\x01\0\0\0\x01\x01C"  # a row of one column that is true, then the end: the answer to a change


@pytest.fixture
def wire(server: PostgresServer) -> Iterator[Wire]:
    wire = Wire(server.port)
    yield wire
    wire.close()


@pytest.fixture
def lossy(wire: Wire, root: str) -> Iterator[PostgresBackend]:
    with PostgresBackend(wire.dsn, root=root, timeout=5) as storage:
        yield storage


def test_increments_are_exact_whatever_is_lost(wire: Wire, lossy: PostgresBackend, storage: PostgresBackend) -> None:
    at = storage.write(Locator("counter"), "0")
    for number in range(30):
        if number % 3 == 1:
            wire.cut(DONE)
        if number % 3 == 2:
            wire.cut(version_of(str(number)).encode())  # the request, so that nothing is done
        lossy.write(at, str(number + 1), if_version=version_of(str(number)))
        assert storage.read(at) == str(number + 1)
        assert wire.pending == 0


def test_a_change_whose_answer_is_lost_has_happened(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend
) -> None:
    at, moved = Locator("folder/a"), Locator("else/where/b")
    for change in (
        lambda: lossy.write(at, "one", if_version=ABSENT),
        lambda: lossy.write(at, "two"),
        lambda: lossy.mkdir(Locator("new/deep")),
        lambda: lossy.move(at, moved),
        lambda: lossy.move(Locator("else"), Locator("folder/within")),
        lambda: lossy.delete(Locator("new/deep")),
    ):
        wire.cut(DONE)
        change()
        assert wire.pending == 0
    assert [(info.locator.key, storage.read(info.locator)) for info in storage.walk(Locator())] == [
        ("folder/within/where/b", "two")
    ]
    assert storage.list(Locator()) == [Locator("folder"), Locator("new")]


def test_a_change_that_never_arrived_is_sent_again(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend, root: str
) -> None:
    wire.cut(b"cut this text")
    at = lossy.write(Locator("a"), "cut this text", if_version=ABSENT)
    assert (storage.read(at), wire.pending) == ("cut this text", 0)
    for verb in (lossy.read, lossy.info, lossy.list, lossy.exists):
        wire.cut(root.encode())
        verb(at)
        assert wire.pending == 0


def test_who_cannot_know_says_so(wire: Wire, lossy: PostgresBackend, storage: PostgresBackend) -> None:
    at = storage.write(Locator("a"), "one")
    wire.cut(DONE, then=lambda: storage.write(at, "three"))
    with pytest.raises(OutcomeUnknown) as caught:
        lossy.write(at, "two", if_version=version_of("one"))
    assert caught.value.where == "a"
    wire.cut(b"a text for anyone")
    with pytest.raises(OutcomeUnknown):
        lossy.write(at, "a text for anyone")  # whether it was there and written over does not show
    wire.cut(DONE, then=lambda: storage.write(at, "new"))
    with pytest.raises(OutcomeUnknown):
        lossy.delete(at)
    assert storage.read(at) == "new"


def test_an_answer_that_does_not_come_is_not_waited_for(wire: Wire, storage: PostgresBackend, root: str) -> None:
    with PostgresBackend(wire.dsn, root=root, timeout=0.5) as hasty:
        at = hasty.write(Locator("a"), "one")
        wire.swallow(DONE)
        hasty.write(at, "two", if_version=version_of("one"))
        assert storage.read(at) == "two"
        wire.swallow(root.encode())
        with pytest.raises(Unavailable):
            hasty.read(at)
        assert hasty.read(at) == "two"


def test_a_lost_statement_cannot_act_later(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend, server: PostgresServer, root: str
) -> None:
    """It waits for a lock as its connection is cut. The call ends; then the lock is freed, and it must not wake."""
    at = storage.write(Locator("a"), "one")

    async def play() -> None:
        holder = await asyncpg.connect(server.dsn)
        try:
            holding = holder.transaction()
            await holding.start()
            await holder.execute("SELECT FROM quire_files WHERE root = $1 AND key = 'a' FOR UPDATE", root)
            call = asyncio.create_task(asyncio.to_thread(lossy.write, at, "late"))
            blocked = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
            deadline = time.monotonic() + 20
            while not await holder.fetchval(blocked, holder.get_server_pid()):
                assert time.monotonic() < deadline
            wire.cut_all()
            with pytest.raises(OutcomeUnknown):
                await call
            assert await holder.fetchval(blocked, holder.get_server_pid()) == 0
            await holding.rollback()
        finally:
            await holder.close()

    asyncio.run(play())
    assert storage.read(at) == "one"


def test_a_statement_that_takes_too_long_is_ended_and_changes_nothing(server: PostgresServer, root: str) -> None:
    async def play(storage: PostgresBackend) -> None:
        holder = await asyncpg.connect(server.dsn)
        try:
            async with holder.transaction():
                await holder.execute("SELECT FROM quire_files WHERE root = $1 FOR UPDATE", root)
                with pytest.raises(Unavailable, match="raise `timeout`"):
                    await asyncio.to_thread(storage.write, Locator("a"), "two")
        finally:
            await holder.close()

    with PostgresBackend(server.dsn, root=root, timeout=0.3) as storage:
        storage.write(Locator("a"), "one")
        asyncio.run(play(storage))
        assert storage.read(Locator("a")) == "one"
