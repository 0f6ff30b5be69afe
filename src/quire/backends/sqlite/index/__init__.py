"""The default index: one file, our own postings in it, read by numpy. The text stays in the markdown.

Several processes may use one file: one writes at a time, nobody waits to read, and what is written is seen by the next
question of every process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from quire.backends.sqlite.index import graph, listing
from quire.backends.sqlite.index.connection import Connection, new_epoch
from quire.ports.index import (
    BesideHit,
    Filter,
    Index,
    IndexedFile,
    LinkHit,
    NearHit,
    Order,
    Page,
    Ref,
    Stats,
    Stored,
    Waiting,
    WordHit,
)

if TYPE_CHECKING:
    from quire.backends.sqlite.index.nearest import Nearest
    from quire.backends.sqlite.index.store import Store

__all__ = ["SqliteIndex"]

_EMPTIED: Final = ("spaces", "files", "records", "labels", "links", "pieces", "models", "vectors", "segments", "parts")


class SqliteIndex(Index):
    """The index in the file at `path`, which is made with its folders if it is not there.

    Raises IndexDamaged where the file is something else, or of another version; its remedy is to delete it and index
    again. Raises IndexUnavailable where it cannot be reached.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._connection = Connection(path)
        self._opened: tuple[Store, Nearest] | None = None

    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        from quire.backends.sqlite.index.writing import Writer

        try:
            with self._connection.writing() as view:
                Writer(view, self._store).apply(changed, removed)
        except BaseException:
            # What was rolled back may have been read already, and the next change will use its numbers again.
            self._store.forget()
            raise

    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        from quire.backends.sqlite.index.searching import search

        with self._connection.reading() as view:
            return search(view, self._store, terms, filter, limit)

    def _near(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]:
        with self._connection.reading():
            return self._nearest.search(model, vector, filter, limit)

    def _linked(
        self, refs: Sequence[Ref], filter: Filter, hops: int, relations: Sequence[str], limit: int
    ) -> list[LinkHit]:
        with self._connection.reading() as view:
            return graph.linked(view, refs, filter, hops=hops, relations=relations, limit=limit)

    def _beside(self, refs: Sequence[Ref], filter: Filter, distance: int) -> list[BesideHit]:
        with self._connection.reading() as view:
            return graph.beside(view, refs, filter, distance)

    def _records(self, refs: Sequence[Ref]) -> list[Stored]:
        with self._connection.reading() as view:
            return listing.records(view, refs)

    def _browse(self, filter: Filter, order: Order, limit: int, after: tuple[Any, ...] | None) -> Page:
        with self._connection.reading() as view:
            return listing.browse(view, filter, order, limit, after)

    def _put_vectors(self, model: str, vectors: Sequence[tuple[str, Sequence[float]]]) -> int:
        from quire.backends.sqlite.index.vectors import put

        with self._connection.writing() as view:
            return put(view, model, vectors)

    def _missing_vectors(self, model: str, limit: int, after: int) -> list[Waiting]:
        with self._connection.reading() as view:
            return listing.missing(view, model, limit, after)

    def _forget_model(self, model: str) -> None:
        with self._connection.writing() as view:
            view.db.execute("DELETE FROM vectors WHERE model = (SELECT model FROM models WHERE key = ?)", (model,))
            view.db.execute("DELETE FROM models WHERE key = ?", (model,))
            view.db.execute("UPDATE meta SET value = ? WHERE name = 'epoch'", (new_epoch(),))

    def versions(self) -> dict[str, str]:
        with self._connection.reading() as view:
            return dict(view.rows("SELECT key, version FROM files ORDER BY key"))

    def stats(self) -> Stats:
        with self._connection.reading() as view:
            size = sum(os.stat(self.path + end).st_size for end in ("", "-wal") if os.path.exists(self.path + end))
            return listing.stats(view, size)

    def clear(self) -> None:
        with self._connection.writing() as view:
            for table in _EMPTIED:
                view.db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
            view.db.execute("UPDATE meta SET value = ? WHERE name = 'epoch'", (new_epoch(),))

    def close(self) -> None:
        self._connection.close()

    @property
    def _store(self) -> Store:
        return self._open()[0]

    @property
    def _nearest(self) -> Nearest:
        return self._open()[1]

    def _open(self) -> tuple[Store, Nearest]:
        """What needs numpy, loaded with the first question or the first file."""
        if self._opened is None:
            from quire.backends.sqlite.index.nearest import Nearest
            from quire.backends.sqlite.index.store import Store

            self._opened = (Store(self._connection), Nearest(self._connection))
        return self._opened
