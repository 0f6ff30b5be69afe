"""Files to rows and segments, in one transaction. A record that is the same as before is left alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.keys import hash_key, labels, read_extra
from quire.backends.sqlite.index.segment import Array, hashed, sealed, unsealed
from quire.backends.sqlite.index.store import Store
from quire.ports import scoring
from quire.ports.index import IndexedFile, Piece, Record

_BATCH = 20_000  # entries of one segment, so that building one takes bounded memory

_AT_ONCE = 5_000  # entries that any change may write anew; more for a change of many
_PER_CHANGE = 100


@dataclass(slots=True)
class _Space:
    """What changes in one space."""

    number: int
    ids: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    counted: list[Mapping[str, int]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0, 0, 0, 0])  # entries, length, pieces, their length

    def count(self, sign: int, length: int, pieces: Sequence[int]) -> None:
        """An entry comes or goes. One of a single piece, or none, is its own piece."""
        several = pieces if len(pieces) > 1 else [length]
        for place, value in enumerate((1, length, len(several), sum(several))):
            self.sums[place] += sign * value


class Writer:
    """One call of apply."""

    def __init__(self, view: Connection, store: Store) -> None:
        self._view = view
        self._store = store
        self._spaces: dict[str, _Space] = {}
        self._by_number: dict[int, _Space] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {"records": [], "labels": [], "links": [], "pieces": []}
        self._hashes: set[str | bytes] = set()  # of pieces that went
        self._next: int = view.get("SELECT value FROM meta WHERE name = 'next'")

    def apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        keys = {file.key for file in changed}
        for key in dict.fromkeys(removed):
            if key not in keys:
                self._remove(key)
        for file in changed:
            self._put(file)
        self._insert()
        for space in self._spaces.values():
            if space.gone:
                self._store.mark(space.number, space.gone)
            for start in range(0, len(space.ids), _BATCH):
                part = slice(start, start + _BATCH)
                self._store.add(space.number, space.ids[part], space.lengths[part], space.counted[part])
            if space.gone or space.ids:
                self._sum_up(space)
                self._store.tend(space.number, max(_AT_ONCE, _PER_CHANGE * (len(space.ids) + len(space.gone))))
        self._drop_vectors()
        self._view.db.execute("UPDATE meta SET value = ? WHERE name = 'next'", (self._next,))

    def _remove(self, key: str) -> None:
        number = self._view.get("SELECT file FROM files WHERE key = ?", (key,))
        if number is not None:
            self._delete(self._view.rows("SELECT record FROM records WHERE file = ?", (number,)))
            self._view.db.execute("DELETE FROM files WHERE file = ?", (number,))

    def _put(self, file: IndexedFile) -> None:
        known = self._view.get("SELECT file, version FROM files WHERE key = ?", (file.key,))
        before: dict[tuple[int, str], tuple[int, bytes, int]] = {}
        if known is None:
            number = self._take()
            self._view.db.execute("INSERT INTO files VALUES (?, ?, ?)", (number, file.key, file.version))
        else:
            number = known[0]
            if known[1] != file.version:
                self._view.db.execute("UPDATE files SET version = ? WHERE file = ?", (file.version, number))
            rows = self._view.rows("SELECT space, id, record, print, line FROM records WHERE file = ?", (number,))
            before = {(space, id): (record, seal, line) for space, id, record, seal, line in rows}
        for record in file.records:
            space = self._space(record.scope)
            seal = _print(record)
            old = before.pop((space.number, record.id), None)
            if old is not None and old[1] == seal:
                if old[2] != record.line:
                    self._view.db.execute("UPDATE records SET line = ? WHERE record = ?", (record.line, old[0]))
                continue
            if old is not None:
                self._delete([(old[0],)])
            self._add(space, number, record, seal)
        self._delete((record,) for record, _, _ in before.values())

    def _add(self, space: _Space, file: int, record: Record, seal: bytes) -> None:
        number = self._take()
        counts, length = scoring.weighed(record.words)
        several = len(record.pieces) > 1
        space.ids.append(number)
        space.lengths.append(length)
        space.counted.append(counts)
        space.count(1, length, [len(piece.words) for piece in record.pieces])
        links = [[link.relation, *link.target] for link in record.links]
        extra = {"tags": record.tags, "flags": record.flags, "scalars": dict(record.scalars), "links": links}
        self._rows["records"].append(
            (
                number, space.number, record.id, file, record.line, record.kind, record.status, record.title,
                record.created, record.updated, record.when, record.valid_from, record.valid_to, record.speaker,
                record.session, record.turn, json.dumps({k: v for k, v in extra.items() if v}), seal, length, several,
            )
        )  # fmt: skip
        self._rows["labels"] += [(space.number, label, number) for label in labels(extra)]
        for link in record.links:
            target = self._space(link.target.scope)
            self._rows["links"].append((number, target.number, link.target.id, link.relation))
        for place, piece in enumerate(record.pieces):
            words = _said(piece) if several else None
            self._rows["pieces"].append(
                (
                    self._take(),
                    number,
                    space.number,
                    place,
                    piece.start,
                    piece.end,
                    hash_key(piece.hash),
                    len(piece.words),
                    words,
                )
            )

    def _insert(self) -> None:
        run = self._view.db.executemany
        run("INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", self._rows["records"])
        run("INSERT OR IGNORE INTO labels VALUES (?,?,?)", self._rows["labels"])
        run("INSERT OR IGNORE INTO links VALUES (?,?,?,?)", self._rows["links"])
        run("INSERT INTO pieces VALUES (?,?,?,?,?,?,?,?,?)", self._rows["pieces"])

    def _delete(self, records: Iterable[tuple[Any, ...]]) -> None:
        for (number,) in list(records):
            number_of_space, length, extra = self._view.get(
                "SELECT space, length, extra FROM records WHERE record = ?", (number,)
            )
            space = self._numbered(number_of_space)
            pieces = list(self._view.rows("SELECT length, hash FROM pieces WHERE record = ?", (number,)))
            space.gone.append(number)
            space.count(-1, length, [size for size, _ in pieces])
            self._hashes |= {name for _, name in pieces}
            for label in labels(read_extra(extra)):
                self._view.db.execute(
                    "DELETE FROM labels WHERE (space, label, record) = (?, ?, ?)", (space.number, label, number)
                )
            for table in ("links", "pieces", "records"):
                self._view.db.execute(f"DELETE FROM {table} WHERE record = ?", (number,))  # noqa: S608 - names of ours

    def _drop_vectors(self) -> None:
        self._view.db.executemany(
            "DELETE FROM vectors WHERE model IN (SELECT model FROM models) AND hash = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM pieces WHERE hash = ?1)",
            [(name,) for name in self._hashes],
        )

    def _sum_up(self, space: _Space) -> None:
        self._view.db.execute(
            "UPDATE spaces SET entries = entries + ?, length = length + ?, pieces = pieces + ?, "
            "piece_length = piece_length + ? WHERE space = ?",
            (*space.sums, space.number),
        )

    def _space(self, scope: str) -> _Space:
        known = self._spaces.get(scope)
        if known is None:
            number = self._view.get("SELECT space FROM spaces WHERE scope = ?", (scope,))
            if number is None:
                number = self._take()
                self._view.db.execute("INSERT INTO spaces (space, scope) VALUES (?, ?)", (number, scope))
            known = self._spaces[scope] = self._by_number[number] = _Space(number)
        return known

    def _numbered(self, number: int) -> _Space:
        if number not in self._by_number:
            self._space(self._view.get("SELECT scope FROM spaces WHERE space = ?", (number,)))
        return self._by_number[number]

    def _take(self) -> int:
        """A number that is nobody's yet, and never will be again."""
        self._next += 1
        return self._next - 1


def _said(piece: Piece) -> bytes:
    """The counts of a piece's words."""
    counts = Counter(piece.words)
    return sealed(_np().array([(hashed(term), count) for term, count in counts.items()], "<i8").tobytes())


def piece_counts(held: bytes) -> dict[int, int]:
    """The counts of a piece's words, by hash."""
    pairs: Array = _np().frombuffer(unsealed(held), "<i8").reshape(-1, 2)
    return dict(pairs.tolist())


def _np() -> Any:
    import numpy

    return numpy


def _print(record: Record) -> bytes:
    """What tells a record from another version of it, but for its line."""
    words = [(name, " ".join(said)) for name, said in sorted(record.words.items())]
    rest = (
        record.kind, record.status, record.title, record.tags, record.flags, record.created, record.updated,
        record.when, record.valid_from, record.valid_to, record.speaker, record.session, record.turn,
        sorted(record.scalars.items()), [(link.relation, *link.target) for link in record.links],
        [(piece.start, piece.end, piece.hash, " ".join(piece.words)) for piece in record.pieces],
    )  # fmt: skip
    return blake2b(repr((words, rest)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
