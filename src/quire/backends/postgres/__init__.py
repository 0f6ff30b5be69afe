"""Storage in a table of PostgreSQL 12 or newer, for several writers on several machines.

The server keeps the promises: a change is one statement, its conditions and the shape of the tree are checked where the
rows are locked, and what is acknowledged has been flushed to its disk. Needs the extra `quire[postgres]`.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from quire.backends.postgres import statements
from quire.errors import IsADirectory, SelectionError
from quire.locator import Locator, trusted
from quire.ports.storage import (
    ANY,
    MAX_CONTENT_BYTES,
    Capabilities,
    IfVersion,
    Info,
    StorageBackend,
    check_size,
    missing,
    payload,
)

BATCH = 1000
BEYOND = "\U0010ffff" * 64  # after every key: a segment is at most 255 bytes, and this is one more


class PostgresBackend(StorageBackend):
    """The files of one `root` in one `table`; other roots in it are never seen. Thread-safe.

    The table is made if it is not there. `timeout` bounds, in seconds, each statement and each attempt to reconnect: a
    call ends, well or with an error, within about three times as long.

    Raises at construction: ModuleNotFoundError without asyncpg; Unavailable where nothing answers; AccessDenied for a
    wrong password or missing rights; SelectionError, by `code`, for BAD_DSN, BAD_TABLE_NAME, BAD_ROOT, BAD_TIMEOUT,
    NO_DATABASE, NO_SCHEMA, TABLE_MISMATCH, SERVER_TOO_OLD, BAD_ENCODING, and UNSAFE_SERVER where the server is set up
    to lose acknowledged writes (`allow_unsafe=True` takes it as it is).
    """

    def __init__(
        self,
        dsn: str,
        *,
        table: str = "quire_files",
        root: str = "default",
        timeout: float = 10.0,
        allow_unsafe: bool = False,
    ) -> None:
        from quire.backends.postgres import changes, schema, server  # these need asyncpg

        name = schema.quoted(table)
        _check_options(root, timeout)
        self._server = server.Server(dsn, timeout, allow_unsafe=allow_unsafe)
        self._end = weakref.finalize(self, self._server.close)  # one that is forgotten gives its connections back, too
        try:
            self._server.run(self._server.open)
            self._server.run(schema.ensure, self._server, name)
        except BaseException:
            self.close()
            raise
        self._changes = changes.Changes(self._server, name, root)
        self._info_of = changes.info_of

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(concurrent_writers=True)

    def read_bytes(self, locator: Locator) -> bytes:
        rows = self._ask(statements.READ, locator.key, MAX_CONTENT_BYTES)
        if not locator.key or (rows and rows[0]["is_dir"]):
            raise IsADirectory("a folder is here", where=locator.key or "/", remedy="Look into it with list")
        if not rows:
            raise missing(locator)
        check_size(locator, rows[0]["size"])
        return bytes(rows[0]["content"])

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        self._server.run(self._changes.write, locator, payload(locator, content), if_version)
        return locator

    def list(self, locator: Locator) -> list[Locator]:
        return [trusted(row["key"]) for row in self._ask(statements.LIST, locator.key)]

    def info(self, locator: Locator) -> Info:
        row = self._server.run(self._changes.look, locator.key).get(locator.key)
        if row is None:
            raise missing(locator)
        return row.info

    def walk(self, locator: Locator) -> Iterator[Info]:
        """As the seam says, with exact versions. Batch by batch: what changes meanwhile may be seen or not."""
        after, end = (locator.key + "/", locator.key + "0") if locator.key else ("", BEYOND)
        while True:
            rows = self._ask(statements.WALK, after, end, BATCH)
            yield from map(self._info_of, rows)
            if len(rows) < BATCH:
                return
            after = rows[-1]["key"]

    def mkdir(self, locator: Locator) -> Locator:
        self._server.run(self._changes.mkdir, locator)
        return locator

    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        self._server.run(self._changes.delete, locator, if_version)

    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        """As the seam says, and in one step: a folder, too, is wholly in one place or the other."""
        self._server.run(self._changes.move, source, target, if_version)
        return target

    def close(self) -> None:
        """Let calls under way end, then let go of connections and thread. Afterwards each call raises Unavailable."""
        self._end()

    def _ask(self, statement: str, *args: object) -> Sequence[Any]:
        return self._server.run(self._changes.ask, statement, *args)


def _check_options(root: str, timeout: float) -> None:
    try:
        fits = bool(root) and "\0" not in root and len(root.encode()) <= 255
    except (AttributeError, UnicodeEncodeError, TypeError):
        fits = False
    if not fits:
        raise SelectionError(f"{root!r} cannot be the name of a root", remedy="Use a short text", code="BAD_ROOT")
    if not 0 < timeout < 86_400:
        raise SelectionError(f"a timeout of {timeout!r} s", remedy="Use some seconds", code="BAD_TIMEOUT")
