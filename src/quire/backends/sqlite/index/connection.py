"""The file: opened, checked, created; its failures in our words; transactions that other processes wait for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import apsw

from quire.backends.sqlite.index.schema import APPLICATION, TABLES, VERSION
from quire.errors import IndexDamaged, IndexFailed, IndexUnavailable, InvalidRequest

REBUILD: Final = "Delete the folder of the index and index again; the markdown has everything"
_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.MismatchError, UnicodeDecodeError)
_WAIT_MS: Final = 10_000


class Connection:
    """One file of SQLite in WAL: one writes at a time, nobody waits to read. One lock for the threads of a process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._db: apsw.Connection | None = None
        self._identity = (0, 0)
        with self.guarded():
            self._open()

    def _open(self) -> None:
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        self._check_whole()
        db = apsw.Connection(self.path)
        try:
            db.set_busy_timeout(_WAIT_MS)
            self._prepare(db)
            found = os.stat(self.path)
        except BaseException:
            db.close()
            raise
        self._identity = (found.st_dev, found.st_ino)
        self._db = db

    def _check_whole(self) -> None:
        """A file that was cut is noticed at once, not when the part that is missing is asked for."""
        try:
            with open(self.path, "rb") as file:
                head = file.read(100)
                size = file.seek(0, os.SEEK_END)
            waiting = os.path.exists(self.path + "-wal") and os.path.getsize(self.path + "-wal") > 0
        except FileNotFoundError:
            return
        page = int.from_bytes(head[16:18], "big")
        pages = int.from_bytes(head[28:32], "big")
        if size and not waiting and (len(head) < 100 or size < pages * (65_536 if page == 1 else page)):
            raise IndexDamaged("the file of the index is cut short", where=self.path, remedy=REBUILD)

    def _prepare(self, db: apsw.Connection) -> None:
        if db.pragma("application_id") == 0 and not db.pragma("page_count"):
            db.pragma("page_size", 8192)
            db.execute("BEGIN IMMEDIATE")
            if not db.execute("SELECT count(*) FROM sqlite_schema").get:  # else another process has just done it
                db.execute(TABLES)
                db.execute(
                    "INSERT INTO meta VALUES ('epoch', ?), ('generation', 0), ('next', 1), ('segment', 1)",
                    (new_epoch(),),
                )
                db.pragma("application_id", APPLICATION)
                db.pragma("user_version", VERSION)
            db.execute("COMMIT")
        if db.pragma("application_id") != APPLICATION:
            raise IndexDamaged("this is not an index of Quire", where=self.path, remedy=REBUILD)
        if (version := db.pragma("user_version")) != VERSION:
            what = f"the index is of version {version}, and this is for version {VERSION}"
            raise IndexDamaged(what, where=self.path, remedy=REBUILD)
        _make_wal(db)
        db.pragma("synchronous", 1)  # after a power cut the last changes may be missing, and reconciliation sees it
        db.pragma("cache_size", -16_000)

    @property
    def db(self) -> apsw.Connection:
        if self._db is None:
            raise IndexUnavailable("the index is closed", where=self.path, remedy="Open it again")
        return self._db

    def rows(self, statement: str, values: Any = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self.db.execute(statement, values))

    def get(self, statement: str, values: Any = ()) -> Any:
        """The only value or row of the answer, None where there is none."""
        return self.db.execute(statement, values).get

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One view of the index, whatever others write meanwhile."""
        with self.lock, self.guarded():
            self._check_there()
            self.db.execute("BEGIN")
            try:
                yield self
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One step: all of it happens, or nothing. Waits ten seconds for another that writes."""
        with self.lock, self.guarded():
            self._check_there()
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self.db.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation'")
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    def _check_there(self) -> None:
        assert self.db
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._identity:
            raise IndexDamaged(
                "the file of the index was taken away while it was open", where=self.path, remedy=REBUILD
            )

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """The failures of SQLite and of the disk, in our words."""
        try:
            yield
        except IndexFailed:
            raise
        except UnicodeEncodeError as error:
            what = f"a text has a lone surrogate ({error.reason})"
            raise InvalidRequest(what, where=self.path, remedy="Give text that can be written as UTF-8") from error
        except _DAMAGE as error:
            raise IndexDamaged(f"the index is damaged ({error})", where=self.path, remedy=REBUILD) from error
        except (apsw.BusyError, apsw.LockedError) as error:
            what = "another process has been writing the index for ten seconds"
            raise IndexUnavailable(what, where=self.path, remedy="Try again") from error
        except apsw.FullError as error:
            what = "the disk is full; what was indexed is still found"
            raise IndexUnavailable(what, where=self.path, remedy="Make room, then try again") from error
        except (apsw.Error, OSError) as error:
            what = f"the index cannot be reached ({error})"
            raise IndexUnavailable(what, where=self.path, remedy="Check the folder and its rights") from error

    def close(self) -> None:
        with self.lock:
            if self._db is not None:
                self._db.close()
                self._db = None


def _make_wal(db: apsw.Connection) -> None:
    """Two processes that open a new index at once refuse each other this; the busy timeout does not cover it."""
    for pause in (0.01, 0.05, 0.2, 0.5, 1.0):
        try:
            db.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            time.sleep(pause)
    db.pragma("journal_mode", "wal")


def new_epoch() -> str:
    """A name for the life of an index, so that nothing remembered of one is taken for another's."""
    return os.urandom(8).hex()
