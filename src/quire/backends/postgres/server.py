"""The asynchronous side: a private event loop in a thread of its own, and the few connections it holds.

The seam is synchronous; `Server.run` hops over. The pool is our own, because what matters here is what the driver's
does not say: whether a statement was refused (nothing happened) or its answer lost (who knows), and whose it was.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import asyncpg

from quire.backends.postgres import statements
from quire.backends.postgres.failures import TRY_AGAIN, Address, BrokenRule, unreachable
from quire.errors import OutcomeUnknown, QuireError, SelectionError, Unavailable

CONNECTIONS = 4  # one process; commits of several are flushed together
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Session:
    """A connection, and what the server knows it by: process ids come round again, start times do not."""

    connection: Any
    pid: int
    started: datetime


class Lost(Exception):
    """The answer to a statement was lost; what it did is unknown until its session is fenced off and one looks."""

    def __init__(self, session: Session, said: str) -> None:
        super().__init__(said)
        self.session = session


class Server:
    """Statements, sent over a few connections. Thread-safe; of no use in a forked child, and says so.

    The server ends a statement after `timeout`; it is given up as lost a little later.
    """

    def __init__(self, dsn: str, timeout: float, *, allow_unsafe: bool) -> None:
        self.address = Address(dsn)
        self.timeout = timeout
        self._dsn, self._allow_unsafe = dsn, allow_unsafe
        self._idle: list[Session] = []
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._lock, self._closed, self._pid = threading.Lock(), False, os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, name="quire-postgres", daemon=True)
        self._thread.start()

    # From the threads of the callers

    def run(self, work: Callable[..., Coroutine[Any, Any, T]], *args: object) -> T:
        """The result of `work(*args)` on the loop. Raises Unavailable when closed or forked, and what `work` raises."""
        if self._pid != os.getpid():
            raise self._unusable("this backend was opened before a fork", "Open another one in the child")
        with self._lock:
            if self._closed:
                raise self._unusable("this backend is closed", "Open another one")
            future = asyncio.run_coroutine_threadsafe(work(*args), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError as error:
            raise OutcomeUnknown("closed while the call was under way", where=self.address.place) from error
        except BaseException:
            future.cancel()  # an interrupt in this thread, or an error of the work, which is then over anyway
            raise

    def close(self) -> None:
        """Let calls under way end, for `timeout` at most, then drop the connections. In a forked child: nothing."""
        if self._pid != os.getpid():
            return
        with self._lock:
            first, self._closed = not self._closed, True
        if first:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _unusable(self, what: str, remedy: str) -> Unavailable:
        return Unavailable(what, where=self.address.place, remedy=remedy)

    def _turn(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            _, late = await asyncio.wait(others, timeout=self.timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        # A connection that cannot say goodbye is cut by the driver, and that is all we want of it.
        await asyncio.gather(*(held.connection.close(timeout=1) for held in self._idle), return_exceptions=True)
        await asyncio.sleep(0)  # the transports are told of their end in the next turn
        self._loop.stop()

    # On the loop

    def deadline(self) -> float:
        """The moment, on the clock of the loop, after which a call that begins now tries nothing new."""
        return self._loop.time() + self.timeout

    def past(self, deadline: float) -> bool:
        return self._loop.time() >= deadline

    async def open(self) -> None:
        """The first connection. A server that cannot be reached is not waited for, one that starts up is."""
        async with self.session(self.deadline(), patient=False):
            pass

    async def ask(self, sql: str, *args: object) -> list[Any]:
        """The rows of a statement that changes nothing: sent again after a lost answer. Raises Unavailable."""
        deadline = self.deadline()
        while True:
            try:
                return await self.fetch(deadline, sql, *args)
            except Lost as lost:
                if self.past(deadline):
                    raise unreachable(self.address.place, str(lost)) from lost

    async def fetch(self, deadline: float, sql: str, *args: object) -> list[Any]:
        """The rows of one statement. Raises Lost, BrokenRule, or an error of ours, after which nothing happened."""
        while True:
            try:
                async with self.session(deadline) as session:
                    rows: list[Any] = await session.connection.fetch(sql, *args, timeout=self._patience)
                    return rows
            except Unavailable as error:
                if getattr(error.__cause__, "sqlstate", "") not in TRY_AGAIN or self.past(deadline):
                    raise

    async def fence(self, lost: Session, deadline: float) -> None:
        """Make sure that nothing of a lost session can still take effect. Raises what `ask` raises, or Unavailable."""
        pause = FIRST_PAUSE
        while await self.ask(statements.END_SESSION, lost.pid, lost.started):
            if self.past(deadline):
                raise unreachable(self.address.place, f"session {lost.pid} does not end")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    @property
    def _patience(self) -> float:
        """How long an answer is waited for: longer than the server gives the statement, so its word comes first."""
        return self.timeout * 1.25

    @asynccontextmanager
    async def session(self, deadline: float, *, patient: bool = True) -> AsyncIterator[Session]:
        """A connection for this block. It goes back unless it was lost, which raises Lost in place of the error."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._free.acquire()
        except TimeoutError as error:
            raise self._unusable(f"all {CONNECTIONS} connections are busy", "Try again, or raise `timeout`") from error
        try:
            session = await self._take(deadline, patient=patient)
            try:
                yield session
            except (QuireError, BrokenRule):
                raise
            except BaseException as error:
                if self._answered(session, error):
                    raise self._meaning(error) from error
                session.connection.terminate()
                if isinstance(error, Exception):
                    raise Lost(session, self.address.scrub(str(error)) or type(error).__name__) from error
                raise
            finally:
                if not session.connection.is_closed():
                    self._idle.append(session)
        finally:
            self._free.release()

    def _answered(self, session: Session, error: BaseException) -> bool:
        """Whether `error` is the server's own answer to the statement, and it stays to talk."""
        if not isinstance(error, asyncpg.PostgresError) or session.connection.is_closed():
            return False
        fatal = getattr(error, "severity_en", None) in ("FATAL", "PANIC")
        return not fatal and not str(error.sqlstate).startswith("08")

    def _meaning(self, error: BaseException) -> Exception:
        if getattr(error, "sqlstate", "") in TRY_AGAIN:
            return self._unusable("the statement gave way to another", "Try again")
        return self.address.failure(error, self.timeout)

    async def _take(self, deadline: float, *, patient: bool) -> Session:
        """An idle connection, or a new one. Raises an error of ours once the deadline has passed; nothing was sent."""
        while self._idle:
            session = self._idle.pop()
            if not session.connection.is_closed():
                return session
        pause = FIRST_PAUSE
        while True:
            try:
                return await self._connect(max(deadline - self._loop.time(), LONGEST_PAUSE))
            except QuireError:
                raise
            except asyncpg.ClientConfigurationError as error:
                raise self._refused("BAD_DSN", self.address.scrub(str(error)), "Correct the DSN") from error
            except Exception as error:
                failure = self.address.failure(error, self.timeout)
                starting = patient or not isinstance(error, OSError)  # a timeout is an OSError too
                if not isinstance(failure, Unavailable) or not starting or self.past(deadline - pause):
                    raise failure from error
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _connect(self, patience: float) -> Session:
        """A new connection to a server that keeps what it acknowledges. Raises SelectionError where it does not."""
        connection = await asyncpg.connect(
            self._dsn,
            timeout=patience,
            server_settings={
                "application_name": "quire",
                "synchronous_commit": "on",
                "default_transaction_isolation": "read committed",
                "statement_timeout": str(max(1, int(self.timeout * 1000))),
            },
        )
        try:
            greeting = await connection.fetchrow(statements.GREETING, timeout=patience)
            self._check(greeting)
            return Session(connection, connection.get_server_pid(), greeting["started"])
        except BaseException:
            connection.terminate()
            raise

    def _check(self, greeting: Any) -> None:
        if greeting["version"] < 120000:
            raise self._refused("SERVER_TOO_OLD", "the server is older than PostgreSQL 12", "Use a newer server")
        if greeting["encoding"] != "UTF8":
            what = f"the database is encoded as {greeting['encoding']}, not UTF8"
            raise self._refused("BAD_ENCODING", what, "Create one with ENCODING 'UTF8' TEMPLATE template0")
        for setting in ("fsync", "full_page_writes"):
            if greeting[setting] != "on" and not self._allow_unsafe:
                what = f"the server runs with {setting} = {greeting[setting]}, and loses acknowledged writes in a crash"
                remedy = f"Set {setting} = on in postgresql.conf and reload, or accept the loss with allow_unsafe=True"
                raise self._refused("UNSAFE_SERVER", what, remedy)

    def _refused(self, code: str, what: str, remedy: str) -> SelectionError:
        return SelectionError(what, where=self.address.place, remedy=remedy, code=code)
