"""The segments of a space: listed, read, marked, and merged as they grow, eight of a size into one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.segment import (
    Array,
    Held,
    Segment,
    build,
    merge,
    part_number,
    written,
)

_OF_A_SIZE: Final = 8
_TOO_MANY: Final = 32
_SMALLEST: Final = 64  # entries; below, segments are of one size
_LARGEST: Final = 2_000_000  # entries; such a segment is merged no more, but for its dead
_KEPT_SEGMENTS: Final = 256
_KEPT_BYTES: Final = 64 * 1024 * 1024  # of postings that were read


class Row(NamedTuple):
    """A segment as its row says: how many of its entries live, between which ids, and the places of the dead."""

    segment: int
    entries: int
    first: int
    last: int
    dead: Array


class Store:
    """The segments in one file. What it has read of them it keeps: a segment never changes, only its dead do."""

    def __init__(self, view: Connection) -> None:
        self._view = view
        self._kept: OrderedDict[int, Held] = OrderedDict()
        self._postings: OrderedDict[tuple[int, int], tuple[Array, Array]] = OrderedDict()
        self._bytes = 0
        self._epoch = ""

    def rows(self, space: int) -> list[Row]:
        epoch = self._view.get("SELECT value FROM meta WHERE name = 'epoch'")
        if epoch != self._epoch:
            self.forget()
            self._epoch = epoch
        found = self._view.rows(
            "SELECT segment, entries, first, last, dead FROM segments WHERE space = ? ORDER BY segment", (space,)
        )
        return [
            Row(segment, entries, first, last, np.frombuffer(dead, "<i4"))
            for segment, entries, first, last, dead in found
        ]

    def held(self, segment: int) -> Held:
        known = self._kept.get(segment)
        if known is None:
            head = self._view.get("SELECT head FROM segments WHERE segment = ?", (segment,))
            known = self._kept[segment] = Held(segment, head, self._parts)
            while len(self._kept) > _KEPT_SEGMENTS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(segment)
        return known

    def postings(self, held: Held, term: int) -> tuple[Array, Array]:
        key = (held.number, term)
        known = self._postings.get(key)
        if known is None:
            known = self._postings[key] = held.postings(term)
            self._bytes += known[0].nbytes + known[1].nbytes + 200
            while self._bytes > _KEPT_BYTES and len(self._postings) > 1:
                _, (docs, counts) = self._postings.popitem(last=False)
                self._bytes -= docs.nbytes + counts.nbytes + 200
        self._postings.move_to_end(key)
        return known

    def forget(self) -> None:
        """Drop all that was read."""
        self._kept.clear()
        self._postings.clear()
        self._bytes = 0

    def _parts(self, first: int, last: int) -> list[bytes]:
        rows = self._view.rows("SELECT data FROM parts WHERE part BETWEEN ? AND ? ORDER BY part", (first, last))
        return [row[0] for row in rows]

    # Below, only within a writing transaction.

    def add(self, space: int, ids: Sequence[int], lengths: Sequence[int], counted: Sequence[Mapping[str, int]]) -> None:
        self._write(space, build(ids, lengths, counted))

    def mark(self, space: int, gone: Sequence[int]) -> None:
        """The entries `gone` are dead."""
        wanted = np.array(sorted(gone), np.int64)
        for row in self.rows(space):
            near = wanted[(wanted >= row.first) & (wanted <= row.last)]
            if not len(near):
                continue
            ids = self.held(row.segment).column("ids")
            at = np.searchsorted(ids, near)
            places = at[ids[at] == near].astype("<i4")
            if len(places):
                dead = np.sort(np.concatenate([row.dead, places])).astype("<i4")
                self._view.db.execute(
                    "UPDATE segments SET dead = ?, entries = ? WHERE segment = ?",
                    (dead.tobytes(), len(ids) - len(dead), row.segment),
                )

    def tend(self, space: int, budget: int) -> None:
        """Merge what has come to be many of a size, and write anew what has many dead.

        At most `budget` entries at a time, so that a small change waits for no large one; what is put off is done by a
        larger change, or when it has grown to be too much.
        """
        while (rows := self._due(space, budget)) is not None:
            merged = merge([(self.held(row.segment).loaded(), row.dead) for row in rows])
            for row in rows:
                self._drop(row)
            self._write(space, merged)

    def _due(self, space: int, budget: int) -> list[Row] | None:
        sizes: dict[int, list[Row]] = {}
        for row in self.rows(space):
            size = row.entries + len(row.dead)
            if not row.entries:
                self._drop(row)
            elif len(row.dead) * 3 > row.entries and size > 4 and (size <= budget or len(row.dead) > row.entries):
                return [row]
            elif row.entries < _LARGEST:
                sizes.setdefault(_size(row.entries), []).append(row)
        for _, rows in sorted(sizes.items()):
            if len(rows) >= _OF_A_SIZE and (sum(row.entries for row in rows) <= budget or len(rows) >= _TOO_MANY):
                return rows
        return None

    def _write(self, space: int, segment: Segment) -> None:
        number = self._view.get("SELECT value FROM meta WHERE name = 'segment'")
        self._view.db.execute("UPDATE meta SET value = value + 1 WHERE name = 'segment'")
        head, parts = written(number, segment)
        self._view.db.execute(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, x'', ?)",
            (number, space, len(segment.ids), int(segment.ids[0]), int(segment.ids[-1]), head),
        )
        self._view.db.executemany("INSERT INTO parts VALUES (?, ?)", parts)

    def _drop(self, row: Row) -> None:
        self._view.db.execute("DELETE FROM segments WHERE segment = ?", (row.segment,))
        self._view.db.execute(
            "DELETE FROM parts WHERE part BETWEEN ? AND ?",
            (part_number(row.segment, "ids", 0), part_number(row.segment + 1, "ids", 0) - 1),
        )


def _size(entries: int) -> int:
    size = 0
    while entries >= _SMALLEST:
        entries //= _OF_A_SIZE
        size += 1
    return size
