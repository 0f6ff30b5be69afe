"""The channel of words: what `ports.scoring` says, over the segments of the spaces that are asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.filters import Asked, asked
from quire.backends.sqlite.index.segment import Array, Held, hashed, living
from quire.backends.sqlite.index.store import Store
from quire.backends.sqlite.index.writing import piece_counts
from quire.ports import scoring
from quire.ports.index import Filter, Ref, WordHit

_SPARE = 32  # candidates beyond the limit, for those that the filter takes away


@dataclass(slots=True)
class _Part:
    """One segment in a search: its postings of each term, without the dead."""

    held: Held
    postings: list[tuple[Array, Array]]
    scores: Array | None = None


@dataclass(slots=True)
class _Found:
    """A candidate that the filter lets through."""

    record: int
    ref: Ref
    key: str
    length: int
    several: bool
    score: float = 0.0


def search(view: Connection, store: Store, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
    ready = asked(view, filter)
    totals = view.get(
        "SELECT total(entries), total(length), total(pieces), total(piece_length) FROM spaces "  # noqa: S608 - numbers
        f"WHERE space IN ({','.join(map(str, ready.known)) or 'NULL'})"
    )
    entries, length, pieces, piece_length = map(int, totals)
    if not entries:
        return []
    hashes = [hashed(term) for term in terms]
    parts = [_part(store, row.segment, row.dead, hashes) for space in ready.known for row in store.rows(space)]
    rarity = {
        term: scoring.rarity(entries, sum(len(part.postings[number][0]) for part in parts))
        for number, term in enumerate(terms)
    }
    worth = {term: weight * rarity[term] for term, weight in terms.items()}
    average = scoring.mean(length, entries)
    for part in parts:
        part.scores = _scored(part, list(worth.values()), average)
    found = _best(view, parts, ready, limit)
    counts = _counts(parts, list(terms), [one.record for one in found])
    evidence = _Evidence(view, rarity, worth, average=scoring.mean(piece_length, pieces))
    return [evidence.of(one, counts[one.record]) for one in found]


def _part(store: Store, segment: int, dead: Array, hashes: Sequence[int]) -> _Part:
    held = store.held(segment)
    postings = [store.postings(held, term) for term in hashes]
    if len(dead):
        alive = living(len(held), dead)
        kept = [alive[docs] for docs, _ in postings]
        postings = [(docs[keep], counts[keep]) for (docs, counts), keep in zip(postings, kept, strict=True)]
    return _Part(held, postings)


def _scored(part: _Part, worth: Sequence[float], average: float) -> Array:
    """The score of each entry of a segment: `scoring.share`, for many at a time, term by term as they are asked."""
    scores = np.zeros(len(part.held))
    lengths = part.held.column("lengths")
    for value, (docs, counts) in zip(worth, part.postings, strict=True):
        if len(docs):
            said = counts.astype(np.float64)
            weight = scoring.K1 * (1.0 - scoring.B + scoring.B * (lengths[docs] / average))
            scores[docs] += value * (said * (scoring.K1 + 1.0) / (said + weight))
    return scores


def _best(view: Connection, parts: Sequence[_Part], ready: Asked, limit: int) -> list[_Found]:
    """The best that the filter lets through. First it is asked about the best of all, and only then about all."""
    ids, scores = _matched(parts)
    for wanted in (limit + _SPARE, len(ids)):
        if wanted < len(ids):
            bar = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
            best = np.flatnonzero(scores >= bar)
            if len(best) > 8 * wanted:
                continue  # so many are alike that asking about each is no shortcut
            found = _rows(view, ids[best], ready)
        elif len(ids) <= 4 * (limit + _SPARE):
            best, found = np.arange(len(ids)), _rows(view, ids, ready)
        else:
            best, found = _allowed(view, ids, scores, ready, limit)
        of = dict(zip(ids[best].tolist(), scores[best].tolist(), strict=True))
        for one in found:
            one.score = of[one.record]
        if len(found) >= limit or wanted >= len(ids):
            return sorted(found, key=lambda one: (-one.score, one.ref, one.key))[:limit]
    raise AssertionError("the last pass is always complete")


def _matched(parts: Sequence[_Part]) -> tuple[Array, Array]:
    ids, scores = [np.empty(0, np.int64)], [np.empty(0)]
    for part in parts:
        assert part.scores is not None
        places = np.flatnonzero(part.scores)
        ids.append(part.held.column("ids")[places])
        scores.append(part.scores[places])
    return np.concatenate(ids), np.concatenate(scores)


def _allowed(view: Connection, ids: Array, scores: Array, ready: Asked, limit: int) -> tuple[Array, list[_Found]]:
    """The best of what the filter lets through, found by asking it for all of that."""
    allowed = allowed_ids(view, ready)
    kept = np.flatnonzero(np.isin(ids, allowed))
    if limit < len(kept):
        bar = np.partition(scores[kept], len(kept) - limit)[len(kept) - limit]
        kept = kept[scores[kept] >= bar]
    return kept, _rows(view, ids[kept], ready)


def allowed_ids(view: Connection, ready: Asked) -> Array:
    """All records that the filter lets through."""
    rows = view.rows(f"SELECT r.record FROM records r WHERE {ready.where}", ready.values)  # noqa: S608 - conditions of ours
    return np.fromiter((row[0] for row in rows), np.int64)


def _rows(view: Connection, ids: Array, ready: Asked) -> list[_Found]:
    rows = view.rows(
        "SELECT r.record, s.scope, r.id, f.key, r.length, r.several FROM json_each(?) j "  # noqa: S608 - conditions of ours
        "CROSS JOIN records r ON r.record = j.value "  # in this order: no other is looked at
        "JOIN spaces s ON s.space = r.space JOIN files f ON f.file = r.file "
        f"WHERE {ready.where}",
        (json.dumps(ids.tolist()), *ready.values),
    )
    return [
        _Found(record, Ref(scope, id), key, length, bool(several)) for record, scope, id, key, length, several in rows
    ]


def _counts(parts: Sequence[_Part], terms: Sequence[str], records: Sequence[int]) -> dict[int, dict[str, int]]:
    """How often each of these records has each of the terms that it has."""
    found: dict[int, dict[str, int]] = {record: {} for record in records}
    wanted = np.array(sorted(records), np.int64)
    for part in parts:
        ids = part.held.column("ids")
        places = np.searchsorted(ids, wanted).clip(0, len(ids) - 1)
        own = ids[places] == wanted
        places, mine = places[own], wanted[own]
        if not len(places):
            continue
        for term, (docs, counts) in zip(terms, part.postings, strict=True):
            if len(docs):
                at = np.searchsorted(docs, places).clip(0, len(docs) - 1)
                has = docs[at] == places
                for record, count in zip(mine[has].tolist(), counts[at[has]].tolist(), strict=True):
                    found[record][term] = count
    return found


class _Evidence:
    """What speaks for each hit: which terms it has, and how well its best piece does."""

    def __init__(
        self, view: Connection, rarity: Mapping[str, float], worth: Mapping[str, float], *, average: float
    ) -> None:
        self._view, self._terms = view, {hashed(term): term for term in worth}
        self._rarity, self._worth, self._average = rarity, worth, average

    def of(self, found: _Found, counts: Mapping[str, int]) -> WordHit:
        met = tuple(term for term in self._worth if term in counts)
        piece, score = 0, -1.0
        for number, (said, length) in enumerate(self._pieces(found, counts)):
            own = self._score(said, length)
            if own > score:
                piece, score = number, own
        rarest = max(met, key=self._rarity.__getitem__)
        return WordHit(
            found.ref, found.key, found.score, score, piece,
            scoring.coverage(self._worth, met), rarest, self._rarity[rarest], met,
        )  # fmt: skip

    def _pieces(self, found: _Found, counts: Mapping[str, int]) -> list[tuple[Mapping[str, int], int]]:
        if not found.several:
            return [(counts, found.length)]
        rows = self._view.rows("SELECT words, length FROM pieces WHERE record = ? ORDER BY number", (found.record,))
        pieces: list[tuple[Mapping[str, int], int]] = []
        for words, length in rows:
            said = piece_counts(words)
            pieces.append(({self._terms[name]: count for name, count in said.items() if name in self._terms}, length))
        return pieces

    def _score(self, counts: Mapping[str, int], length: int) -> float:
        total = 0.0
        for term, value in self._worth.items():
            if count := counts.get(term):
                total += value * scoring.share(count, length, self._average)
        return total
