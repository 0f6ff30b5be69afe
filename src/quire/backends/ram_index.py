"""An index in memory that looks at everything each time: the reference that the other indexes are held against."""

from __future__ import annotations

import itertools
import json
import math
import struct
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.errors import InvalidRequest
from quire.ports import scoring
from quire.ports.index import (
    BesideHit,
    Filter,
    Index,
    IndexedFile,
    LinkHit,
    NearHit,
    Order,
    Page,
    Record,
    Ref,
    Stats,
    Stored,
    Waiting,
    WordHit,
    scalar_key,
    sort_time,
)


@dataclass(slots=True)
class _Held:
    key: str
    record: Record
    numbers: list[int]  # of its pieces, in the order they came


class RamIndex(Index):
    """Plain lists, read from end to end. Slow beyond some thousand entries; gone with the process."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, list[_Held]]] = {}
        self._vectors: dict[tuple[str, str], bytes] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    def versions(self) -> dict[str, str]:
        with self._lock:
            return {key: self._files[key][0] for key in sorted(self._files)}

    def stats(self) -> Stats:
        with self._lock:
            held = list(self._all())
            hashes = self._hashes()
            vectors = Counter(model for model, _ in self._vectors)
            return Stats(
                files=len(self._files),
                entries=len(held),
                pieces=sum(len(one.record.pieces) for one in held),
                vectors=dict(sorted(vectors.items())),
                waiting={model: len(hashes) - count for model, count in sorted(vectors.items())},
                bytes=0,
            )

    def clear(self) -> None:
        with self._lock:
            self._files.clear()
            self._vectors.clear()

    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        with self._lock:
            for key in removed:
                if key not in {file.key for file in changed}:
                    self._files.pop(key, None)
            for file in changed:
                before = {one.record.ref: one for one in self._files.get(file.key, ("", []))[1]}
                self._files[file.key] = (
                    file.version,
                    [self._held(file.key, record, before) for record in file.records],
                )
            hashes = self._hashes()
            self._vectors = {name: vector for name, vector in self._vectors.items() if name[1] in hashes}

    def _held(self, key: str, record: Record, before: Mapping[Ref, _Held]) -> _Held:
        old = before.get(record.ref)
        if old is not None and replace(old.record, line=record.line) == record:
            return _Held(key, record, old.numbers)
        return _Held(key, record, [next(self._numbers) for _ in record.pieces])

    def _all(self) -> Iterator[_Held]:
        for _, held in self._files.values():
            yield from held

    def _hashes(self) -> set[str]:
        return {piece.hash for one in self._all() for piece in one.record.pieces}

    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        with self._lock:
            asked = [one for one in self._all() if one.record.scope in filter.scopes]
        weighed = [scoring.weighed(one.record.words) for one in asked]
        pieces = [_pieces(one.record, *counted) for one, counted in zip(asked, weighed, strict=True)]
        average = scoring.mean(sum(length for _, length in weighed), len(weighed))
        lengths = [length for several in pieces for _, length in several]
        piece_average = scoring.mean(sum(lengths), len(lengths))
        rarity = {term: scoring.rarity(len(asked), sum(term in counts for counts, _ in weighed)) for term in terms}
        worth = {term: weight * rarity[term] for term, weight in terms.items()}
        hits = []
        for one, (counts, length), several in zip(asked, weighed, pieces, strict=True):
            met = tuple(term for term in terms if term in counts)
            if not met or not passes(one.record, filter):
                continue
            scores = [_score(worth, piece, size, piece_average) for piece, size in several]
            best = max(range(len(scores)), key=lambda number: (scores[number], -number))
            rarest = max(met, key=lambda term: rarity[term])
            hits.append(
                WordHit(
                    one.record.ref, one.key, _score(worth, counts, length, average), scores[best], best,
                    scoring.coverage(worth, met), rarest, rarity[rarest], met,
                )
            )  # fmt: skip
        hits.sort(key=lambda hit: (-hit.score, hit.ref, hit.key))
        return hits[:limit]

    def _near(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]:
        with self._lock:
            self._check_dimension(model, len(vector))
            wanted = unpacked(packed(vector))
            hits = []
            for one in self._all():
                found = [
                    (round(_cosine(wanted, unpacked(held)), 6), -number)
                    for number, piece in enumerate(one.record.pieces)
                    if (held := self._vectors.get((model, piece.hash))) is not None
                ]
                if found and passes(one.record, filter):
                    cosine, number = max(found)
                    hits.append(NearHit(one.record.ref, one.key, cosine, -number))
        hits.sort(key=lambda hit: (-hit.cosine, hit.ref, hit.key))
        return hits[:limit]

    def _linked(
        self, refs: Sequence[Ref], filter: Filter, hops: int, relations: Sequence[str], limit: int
    ) -> list[LinkHit]:
        with self._lock:
            scoped = [one for one in self._all() if one.record.scope in filter.scopes]
        passing = {(one.record.ref, one.key) for one in scoped if passes(one.record, filter)}
        seen = set(refs)
        edge = {ref for ref in refs if ref.scope in filter.scopes}
        hits: list[LinkHit] = []
        for hop in range(1, hops + 1):
            steps: dict[Ref, tuple[Ref, str, bool]] = {}
            for one in scoped:
                source = one.record.ref
                for link in one.record.links:
                    if relations and link.relation not in relations:
                        continue
                    may_leave = hop == 1 or (source, one.key) in passing
                    for here, there, along in ((source, link.target, True), (link.target, source, False)):
                        if (
                            here in edge
                            and there not in seen
                            and (may_leave if along else (source, one.key) in passing)
                        ):
                            step = (here, link.relation, along)
                            steps[there] = min(steps.get(there, step), step)
            found = [one for one in scoped if one.record.ref in steps and (one.record.ref, one.key) in passing]
            hits += sorted(
                (LinkHit(one.record.ref, one.key, hop, *steps[one.record.ref]) for one in found),
                key=lambda hit: (hit.ref, hit.key),
            )
            edge = {one.record.ref for one in found}
            seen |= edge
        return hits[:limit]

    def _beside(self, refs: Sequence[Ref], filter: Filter, distance: int) -> list[BesideHit]:
        with self._lock:
            scoped = [one for one in self._all() if one.record.scope in filter.scopes and one.record.session]
        passing = sorted((one for one in scoped if passes(one.record, filter)), key=_turn)
        hits = []
        for ref in dict.fromkeys(refs):
            for one in sorted((one for one in scoped if one.record.ref == ref), key=_turn):
                row = [
                    other for other in passing
                    if (other.record.scope, other.record.session) == (one.record.scope, one.record.session)
                    and _turn(other) != _turn(one)
                ]  # fmt: skip
                place = bisect_left(row, _turn(one), key=_turn)
                for at in range(max(0, place - distance), min(len(row), place + distance)):
                    away = at - place + (at >= place)
                    hits.append(BesideHit(row[at].record.ref, row[at].key, ref, away))
        return hits

    def _records(self, refs: Sequence[Ref]) -> list[Stored]:
        with self._lock:
            known: dict[Ref, list[_Held]] = {}
            for one in self._all():
                known.setdefault(one.record.ref, []).append(one)
            return [
                self._stored(one) for ref in dict.fromkeys(refs)
                for one in sorted(known.get(ref, []), key=lambda held: held.key)
            ]  # fmt: skip

    def _stored(self, one: _Held) -> Stored:
        pieces = tuple(replace(piece, words=()) for piece in one.record.pieces)
        return Stored(one.key, self._files[one.key][0], replace(one.record, words={}, pieces=pieces))

    def _browse(self, filter: Filter, order: Order, limit: int, after: tuple[Any, ...] | None) -> Page:
        def place(one: _Held) -> tuple[Any, ...]:
            return (None if order == "id" else sort_time(one.record, order), *one.record.ref, one.key)

        def by(at: tuple[Any, ...]) -> tuple[Any, ...]:
            time = at[0] if order == "oldest" or at[0] is None else -at[0]
            return (time is None, time or 0.0, *at[1:])

        with self._lock:
            found = [one for one in self._all() if passes(one.record, filter)]
            found = sorted(
                (one for one in found if after is None or by(place(one)) > by(after)), key=lambda one: by(place(one))
            )
            part = found[:limit]
            last = json.dumps(place(part[-1])) if len(found) > limit else ""
            return Page(tuple(self._stored(one) for one in part), last)

    def _put_vectors(self, model: str, vectors: Sequence[tuple[str, Sequence[float]]]) -> int:
        with self._lock:
            hashes = self._hashes()
            ready = {}
            for name, vector in vectors:
                self._check_dimension(model, len(vector))
                if len(vector) != len(vectors[0][1]):
                    raise other_dimension(model, len(vectors[0][1]), len(vector))
                ready[model, name] = packed(vector)
            kept = {name: vector for name, vector in ready.items() if name[1] in hashes}
            self._vectors.update(kept)
            return len(kept)

    def _check_dimension(self, model: str, given: int) -> None:
        for (name, _), held in self._vectors.items():
            if name == model and len(held) != 2 * given:
                raise other_dimension(model, len(held) // 2, given)

    def _missing_vectors(self, model: str, limit: int, after: int) -> list[Waiting]:
        with self._lock:
            found = [
                Waiting(piece.hash, one.record.ref, one.key, number, piece.start, piece.end, cursor)
                for one in self._all()
                for number, (piece, cursor) in enumerate(zip(one.record.pieces, one.numbers, strict=True))
                if cursor > after and (model, piece.hash) not in self._vectors
            ]
        return sorted(found, key=lambda waiting: waiting.cursor)[:limit]

    def _forget_model(self, model: str) -> None:
        with self._lock:
            self._vectors = {name: vector for name, vector in self._vectors.items() if name[0] != model}


def passes(record: Record, filter: Filter) -> bool:
    """Whether the filter lets a record through."""
    named = ((filter.kinds, record.kind), (filter.statuses, record.status), (filter.speakers, record.speaker))
    if record.scope not in filter.scopes or any(wanted and given not in wanted for wanted, given in named):
        return False
    if filter.sessions and record.session not in filter.sessions:
        return False
    if record.ref in filter.excluded or not set(filter.tags) <= set(record.tags):
        return False
    if not set(filter.flags) <= set(record.flags) or set(filter.without) & set(record.flags):
        return False
    for moment, (start, end) in filter.times.items():
        time = getattr(record, moment)
        if time is None or (start is not None and time < start) or (end is not None and time >= end):
            return False
    if filter.as_of is not None:
        if record.valid_from is not None and record.valid_from > filter.as_of:
            return False
        if record.valid_to is not None and record.valid_to <= filter.as_of:
            return False
    return all(
        name in record.scalars and scalar_key(record.scalars[name]) in {scalar_key(value) for value in values}
        for name, values in filter.scalars.items()
    )


def packed(vector: Sequence[float]) -> bytes:
    """The vector at length one in half precision, as all indexes keep it. Raises InvalidRequest where it has none."""
    size = math.sqrt(math.fsum(float(x) * float(x) for x in vector))
    if not (math.isfinite(size) and size > 0):
        raise InvalidRequest("a vector is zero or not finite", remedy="Embed the text again")
    return struct.pack(f"<{len(vector)}e", *(float(x) / size for x in vector))


def unpacked(held: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(held) // 2}e", held)


def other_dimension(model: str, held: int, given: int) -> InvalidRequest:
    return InvalidRequest(
        f"the model {model!r} has vectors of {held} numbers, not {given}", remedy="Give another model another key"
    )


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    sizes = math.sqrt(math.fsum(x * x for x in one)) * math.sqrt(math.fsum(x * x for x in other))
    return math.fsum(x * y for x, y in zip(one, other, strict=True)) / sizes


def _pieces(record: Record, counts: dict[str, int], length: int) -> list[tuple[dict[str, int], int]]:
    """The counts and the length of each piece; an entry of one piece, or of none, is its own."""
    if len(record.pieces) < 2:
        return [(counts, length)]
    return [(dict(Counter(piece.words)), len(piece.words)) for piece in record.pieces]


def _score(worth: Mapping[str, float], counts: Mapping[str, int], length: int, average: float) -> float:
    total = 0.0
    for term, value in worth.items():
        if count := counts.get(term):
            total += value * scoring.share(count, length, average)
    return total


def _turn(one: _Held) -> tuple[int, str, str]:
    return (one.record.turn, one.record.id, one.key)
