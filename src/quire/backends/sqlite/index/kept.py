"""The vectors of one space and model in memory, as they were last seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from quire.backends.sqlite.index.segment import Array
from quire.backends.sqlite.index.vectors import unpacked
from quire.errors import IndexDamaged

EXACT_UP_TO: Final = 20_000  # pieces of one space that are all compared exactly
STORED_UP_TO: Final = 250_000  # pieces of one space whose vectors are kept in memory as they are stored


class _Growing:
    """Rows that are added at the end, in an array with room for more, so that one more does not copy all."""

    def __init__(self, width: int, type: str) -> None:
        self._room = np.empty((16, width), type)
        self._number = 0

    @property
    def rows(self) -> Array:
        return self._room[: self._number]

    def add(self, rows: Array) -> None:
        need = self._number + len(rows)
        if need > len(self._room):
            room = np.empty((max(need, 2 * len(self._room)), self._room.shape[1]), self._room.dtype)
            room[: self._number] = self.rows
            self._room = room
        self._room[self._number : need] = rows
        self._number = need

    def keep(self, kept: Array) -> None:
        rows = self.rows[kept]
        self._room[: len(rows)] = rows
        self._number = len(rows)


class Kept:
    """The vectors of one space and model as they were last seen.

    Few are kept as they are compared. Many are kept by their signs, and beside these as they are stored; of very many
    only the signs, and the likely ones are read from the file.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.seen = 0  # numbers below this have been read
        self.names = _Growing(4, "<i8")  # of piece, record, place of the piece in it, vector
        self.exact: _Growing | None = _Growing(dimensions, "<f4")
        self.stored: _Growing | None = _Growing(dimensions, "<f2")
        self.mean = np.zeros(dimensions, np.float32)
        self.signs = _Growing(-(-dimensions // 64), "<u8")
        self._across: Array | None = None

    def __len__(self) -> int:
        return len(self.names.rows)

    def add(self, rows: Sequence[tuple[int, int, int, int, bytes]], *, fresh: bool) -> None:
        """Add vectors; where they are not `fresh`, one that is new for a piece takes the place of the old one."""
        if any(len(row[4]) != 2 * self.dimensions for row in rows):
            raise IndexDamaged("a vector is not of its model's length", remedy="Index again")
        names = np.array([row[:4] for row in rows], np.int64)
        vectors = unpacked(b"".join(row[4] for row in rows), self.dimensions)
        kept = np.ones(len(self), bool) if fresh else ~np.isin(self.names.rows[:, 0], names[:, 0])
        arrays = [array for array in (self.names, self.exact, self.stored, self.signs) if array is not None]
        if not kept.all():
            for array in arrays:
                if len(array.rows):
                    array.keep(kept)
        self.names.add(names)
        self._across = None
        if self.exact is not None:
            self.exact.add(vectors)
            if len(self) <= EXACT_UP_TO:
                return
            vectors, self.exact = self.exact.rows, None
            self.mean = vectors.mean(axis=0)
        self.signs.add(self._sign(vectors))
        if self.stored is not None:
            self.stored.add(vectors.astype("<f2"))
            if len(self) > STORED_UP_TO:
                self.stored = None

    def _sign(self, vectors: Array) -> Array:
        bits = np.packbits(vectors > self.mean, axis=1)
        return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view("<u8")

    def likely(self, vector: Array, number: int) -> Array:
        """The places of those whose signs agree most with the vector's."""
        if number >= len(self):
            return np.arange(len(self))
        if self._across is None:
            self._across = np.ascontiguousarray(self.signs.rows.T)
        far = np.zeros(len(self), np.uint16)
        for word, wanted in zip(self._across, self._sign(vector[None, :])[0], strict=True):
            far += np.bitwise_count(word ^ wanted)
        places: Array = np.argpartition(far, number)[:number]
        return places
