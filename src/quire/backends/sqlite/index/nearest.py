"""The channel of meaning: vectors in half precision, compared exactly; where they are many, the likely ones first.

The likely ones are those whose signs, around the mean of all, agree most with those of the question: 48 bytes for 384
numbers, compared a word at a time. The best of them are read and compared exactly.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.filters import Asked, asked
from quire.backends.sqlite.index.kept import Kept
from quire.backends.sqlite.index.searching import allowed_ids
from quire.backends.sqlite.index.segment import Array
from quire.backends.sqlite.index.vectors import check_dimensions, model_number, packed, unpacked
from quire.ports.index import Filter, NearHit, Ref

LIKELY: Final = 2_000  # candidates by their signs that are compared exactly, at the least
_AT_ONCE: Final = 10_000  # rows that are read before they are put into arrays
_ONE_OF: Final = 100  # pieces of a space are likely, where that is more
_ALIKE: Final = 1e-6  # what rounding may move a cosine by


def _falling(cosines: Array, number: int) -> Array:
    """The places of the largest `number`, and of all that are as large, from the largest down."""
    if number >= len(cosines):
        return np.argsort(-cosines, kind="stable")
    bar = np.partition(cosines, len(cosines) - number)[len(cosines) - number]
    best = np.flatnonzero(cosines >= bar - 2 * _ALIKE)
    order: Array = best[np.argsort(-cosines[best], kind="stable")]
    return order


class Nearest:
    """What has been read of the vectors, and kept up with what is written, by any process."""

    def __init__(self, view: Connection) -> None:
        self._view = view
        self._kept: dict[tuple[int, int], Kept] = {}
        self._generation: tuple[str, int] = ("", -1)

    def forget(self) -> None:
        self._kept.clear()

    def search(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]:
        wanted = unpacked(packed(np.array([vector], np.float64)).tobytes(), len(vector))[0]
        ready = asked(self._view, filter)
        number = model_number(self._view, model)
        if number is None or not ready.known:
            return []
        check_dimensions(self._view, model, len(vector))
        self._catch_up()
        held = [space for at in ready.known if len(space := self._space(at, number, len(vector)))]
        largest = max((len(space) for space in held), default=0)
        for likely in (max(LIKELY, 40 * limit, largest // _ONE_OF), 0):
            enough, hits = self._among(held, wanted, ready, limit, likely)
            if enough or not likely:
                return hits
        raise AssertionError("the last pass is always complete")

    def _among(
        self, held: Sequence[Kept], wanted: Array, ready: Asked, limit: int, likely: int
    ) -> tuple[bool, list[NearHit]]:
        """The best among the likely, or among all that the filter lets through if `likely` is 0."""
        allowed = None if likely else allowed_ids(self._view, ready)
        records, numbers, cosines = [], [], []
        whole = True
        for space in held:
            names = space.names.rows
            if allowed is not None:
                places = np.flatnonzero(np.isin(names[:, 1], allowed))
            elif space.exact is None:
                places = space.likely(wanted, likely)
                whole = whole and len(places) == len(space)
            else:
                places = np.arange(len(space))
            records.append(names[places, 1])
            numbers.append(names[places, 2])
            cosines.append(self._cosines(space, places, wanted))
        if not records:
            return True, []
        found = (np.concatenate(records), np.concatenate(numbers), np.concatenate(cosines))
        hits, all_seen = self._hits(found, ready, limit, filtered=allowed is not None)
        return len(hits) >= limit or (whole and all_seen), hits[:limit]

    def _hits(
        self, found: tuple[Array, Array, Array], ready: Asked, limit: int, *, filtered: bool
    ) -> tuple[list[NearHit], bool]:
        """The best that pass, and whether all were looked at. Where all pass, it is gone on until there are enough."""
        records, numbers, cosines = found
        order = _falling(cosines, 8 * limit + 500)
        falling = -cosines[order]
        stop, step = 0, 2 * limit + 32
        hits: list[NearHit] = []
        while stop < len(order):
            bar = falling[min(stop + step, len(order)) - 1] + 2 * _ALIKE
            stop, step = int(np.searchsorted(falling, bar, side="right")), step * 8  # with all that are as near
            first = order[:stop]
            nearest = (records[first].tolist(), numbers[first].tolist(), np.round(cosines[first], 6).tolist())
            hits = self._passing(list(zip(*nearest, strict=True)), ready)
            if len(hits) >= limit or not filtered:
                break
            if stop == len(order) < len(cosines):
                order = np.argsort(-cosines, kind="stable")
                falling = -cosines[order]
        return hits, stop == len(cosines)

    def _passing(self, rows: Sequence[tuple[int, int, float]], ready: Asked) -> list[NearHit]:
        best: dict[int, tuple[float, int]] = {}
        for record, number, cosine in rows:
            best[record] = max(best.get(record, (-2.0, 0)), (cosine, -number))
        found = self._view.rows(
            "SELECT r.record, s.scope, r.id, f.key FROM json_each(?) j "  # noqa: S608 - conditions of ours
            "CROSS JOIN records r ON r.record = j.value "  # in this order: no other is looked at
            "JOIN spaces s ON s.space = r.space JOIN files f ON f.file = r.file "
            f"WHERE {ready.where}",
            (json.dumps(list(best)), *ready.values),
        )
        hits = [NearHit(Ref(scope, id), key, best[record][0], -best[record][1]) for record, scope, id, key in found]
        return sorted(hits, key=lambda hit: (-hit.cosine, hit.ref, hit.key))

    def _cosines(self, space: Kept, places: Array, wanted: Array) -> Array:
        if space.exact is not None:
            vectors = space.exact.rows
            vectors = vectors if len(places) == len(space) else vectors[places]
        elif space.stored is not None:
            vectors = space.stored.rows[places].astype(np.float32)
            vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        else:
            vectors = self._read(space, space.names.rows[places, 3], wanted)
        cosines: Array = (vectors @ wanted).astype(np.float64)
        return cosines

    def _read(self, space: Kept, wanted_rows: Array, wanted: Array) -> Array:
        """Vectors from the file. One that went with its entry comes last, and is dropped further on."""
        rows = list(
            self._view.rows(
                "SELECT v.vector, v.held FROM json_each(?) j CROSS JOIN vectors v ON v.vector = j.value "
                "ORDER BY v.vector",
                (json.dumps(np.unique(wanted_rows).tolist()),),
            )
        )
        known = np.array([-1, *(row[0] for row in rows)], np.int64)
        vectors = np.vstack([-wanted[None, :], unpacked(b"".join(row[1] for row in rows), space.dimensions)])
        at = np.searchsorted(known, wanted_rows).clip(0, len(known) - 1)
        at[known[at] != wanted_rows] = 0
        found: Array = vectors[at]
        return found

    def _catch_up(self) -> None:
        """Drop what was kept if the index has been cleared; bring it up to what has been written since."""
        epoch = self._view.get("SELECT value FROM meta WHERE name = 'epoch'")
        generation = self._view.get("SELECT value FROM meta WHERE name = 'generation'")
        if epoch != self._generation[0]:
            self._kept.clear()
        elif generation != self._generation[1]:
            for (space, model), held in list(self._kept.items()):
                live = self._view.get("SELECT pieces FROM spaces WHERE space = ?", (space,))
                if len(held) > 1_000 + live * 3 // 2:  # more and more of what is kept is gone
                    del self._kept[space, model]
                else:
                    self._load(space, model, held)
        self._generation = (epoch, generation)

    def _space(self, space: int, model: int, dimensions: int) -> Kept:
        held = self._kept.get((space, model))
        if held is None:
            held = self._kept[space, model] = Kept(dimensions)
            self._load(space, model, held)
        return held

    def _load(self, space: int, model: int, held: Kept) -> None:
        """The pieces of vectors that are new, then the vectors of pieces that are new."""
        columns = "p.piece, p.record, p.number, v.vector, v.held"
        of_vectors = (
            f"SELECT {columns} FROM vectors v CROSS JOIN pieces p ON p.hash = v.hash "  # noqa: S608 - columns of ours
            "WHERE v.vector >= ? AND v.model = ? AND p.space = ?"
        )
        of_pieces = (
            f"SELECT {columns} FROM pieces p CROSS JOIN vectors v ON v.hash = p.hash "  # noqa: S608 - columns of ours
            "WHERE p.piece >= ? AND v.model = ? AND p.space = ?"
        )
        seen, held.seen = held.seen, self._view.get("SELECT value FROM meta WHERE name = 'next'")
        for statement in (of_vectors, of_pieces) if seen else (of_vectors,):
            rows = self._view.rows(statement, (seen, model, space))
            while part := list(islice(rows, _AT_ONCE)):
                held.add(part, fresh=not seen)
