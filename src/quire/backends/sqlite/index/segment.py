"""A segment: the words of some entries as sorted arrays, never changed once written.

`ids` ascend; an entry's place in them is its number in `docs`. The entries that have the term `terms[i]` are
`docs[ends[i-1]:ends[i]]`, ascending, and `counts` says how often each has it. A term is a hash of 64 bits.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire.errors import IndexDamaged

Array: TypeAlias = NDArray[Any]
CHUNK: Final = 8_192  # numbers in one part of a long array
TYPES: Final[Mapping[str, str]] = {
    "ids": "<i8", "lengths": "<i4", "terms": "<i8", "ends": "<i8", "docs": "<i4", "counts": "<u2",
}  # fmt: skip
COLUMNS: Final = tuple(TYPES)
MAX_COUNT: Final = 65_535
_IN_HEAD: Final = 4_096  # numbers; a longer array is kept in parts
_REMEMBERED: Final = 300_000


class _Hashes(dict[str, int]):
    """Terms as 64 bits, the same in every process; each is worked out once."""

    def __missing__(self, term: str) -> int:
        digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        known = self[term] = int.from_bytes(digest, "little", signed=True)
        return known


_hashes = _Hashes()


def hashed(term: str) -> int:
    """The term as 64 bits."""
    return _hashes[term]


@dataclass(frozen=True, slots=True)
class Segment:
    """The six arrays, all in memory: what is built, merged and written."""

    ids: Array
    lengths: Array
    terms: Array
    ends: Array
    docs: Array
    counts: Array


def build(ids: Sequence[int], lengths: Sequence[int], counted: Sequence[Mapping[str, int]]) -> Segment:
    """A segment of entries whose `ids` ascend."""
    sizes = np.fromiter(map(len, counted), np.int64, len(counted))
    total = int(sizes.sum())
    if len(_hashes) > _REMEMBERED:
        _hashes.clear()
    terms = np.fromiter(map(_hashes.__getitem__, chain.from_iterable(counted)), np.int64, total)
    counts = np.fromiter(chain.from_iterable(said.values() for said in counted), np.int64, total)
    counts = counts.clip(0, MAX_COUNT).astype(np.uint16)
    docs = np.repeat(np.arange(len(ids), dtype=np.int32), sizes)
    return _sorted(np.array(ids, np.int64), np.array(lengths, np.int32), terms, docs, counts)


def merge(segments: Sequence[tuple[Segment, Array]]) -> Segment:
    """One segment of all entries of several that live; each comes with the places of its dead."""
    ids = np.concatenate([segment.ids for segment, _ in segments])
    alive = np.concatenate([living(len(segment.ids), dead) for segment, dead in segments])
    order = np.argsort(ids[alive], kind="stable")
    place = np.full(len(ids), -1, np.int32)
    place[np.flatnonzero(alive)[order]] = np.arange(len(order), dtype=np.int32)
    starts = np.cumsum([0, *(len(segment.ids) for segment, _ in segments)])
    docs = np.concatenate([place[starts[i] + segment.docs] for i, (segment, _) in enumerate(segments)])
    terms = np.concatenate([np.repeat(segment.terms, np.diff(segment.ends, prepend=0)) for segment, _ in segments])
    counts = np.concatenate([segment.counts for segment, _ in segments])
    lengths = np.concatenate([segment.lengths for segment, _ in segments])
    kept = docs >= 0
    return _sorted(ids[alive][order], lengths[alive][order], terms[kept], docs[kept], counts[kept])


def living(number: int, dead: Array) -> Array:
    alive = np.ones(number, bool)
    alive[dead] = False
    return alive


def _sorted(ids: Array, lengths: Array, terms: Array, docs: Array, counts: Array) -> Segment:
    unique, rank = np.unique(terms, return_inverse=True)
    bits = max(len(ids) - 1, 1).bit_length()
    if max(len(unique) - 1, 1).bit_length() + bits + 16 <= 64:
        # Term, entry and count in one number: sorting numbers is several times as fast as sorting by two keys.
        keys = (rank.astype(np.uint64) << np.uint64(bits) | docs.astype(np.uint64)) << np.uint64(16)
        keys |= counts.astype(np.uint64)
        keys.sort()
        counts = (keys & np.uint64(0xFFFF)).astype(np.uint16)
        docs = ((keys >> np.uint64(16)) & np.uint64((1 << bits) - 1)).astype(np.int32)
    else:
        order = np.lexsort((docs, rank))
        docs, counts = docs[order], counts[order]
    ends = np.cumsum(np.bincount(rank, minlength=len(unique))).astype(np.int64)
    return Segment(ids, lengths, unique, ends, docs, counts)


def part_number(segment: int, column: str, chunk: int) -> int:
    """The key of one part: the parts of an array follow one another."""
    return (segment << 28) | (COLUMNS.index(column) << 24) | chunk


def written(number: int, segment: Segment) -> tuple[bytes, list[tuple[int, bytes]]]:
    """A segment as the head that its row has and the parts that stand apart."""
    head = [struct.pack("<6q", *(len(getattr(segment, column)) for column in COLUMNS))]
    parts = []
    for column, type in TYPES.items():
        array = np.ascontiguousarray(getattr(segment, column), type)
        if len(array) <= _IN_HEAD:
            head.append(array.tobytes())
            continue
        for chunk, start in enumerate(range(0, len(array), CHUNK)):
            parts.append((part_number(number, column, chunk), sealed(array[start : start + CHUNK].tobytes())))
    return sealed(b"".join(head)), parts


def sealed(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little") + data


def unsealed(data: bytes) -> memoryview:
    """The bytes without their sum. Raises IndexDamaged if they are not what was written."""
    body = memoryview(data)[4:]
    if zlib.crc32(body) != int.from_bytes(data[:4], "little"):
        raise IndexDamaged("a part of the index is not as it was written", remedy="Index again")
    return body


class Held:
    """A written segment, whose arrays are read when they are asked for. Its rows never change, so it may be kept."""

    def __init__(self, number: int, head: bytes, read: Callable[[int, int], list[bytes]]) -> None:
        self.number = number
        body = unsealed(head)
        self._sizes = dict(zip(COLUMNS, struct.unpack_from("<6q", body), strict=True))
        self._read = read
        self._whole: dict[str, Array] = {}
        at = 48
        for column, type in TYPES.items():
            if self._sizes[column] <= _IN_HEAD:
                self._whole[column] = np.frombuffer(body, type, self._sizes[column], at)
                at += self._whole[column].nbytes

    def __len__(self) -> int:
        return int(self._sizes["ids"])

    def column(self, name: str) -> Array:
        """A whole array, which is kept."""
        if name not in self._whole:
            self._whole[name] = self._slice(name, 0, self._sizes[name])
        return self._whole[name]

    def postings(self, term: int) -> tuple[Array, Array]:
        """The places of the entries that have a term, and how often they do."""
        terms = self.column("terms")
        at = int(np.searchsorted(terms, term))
        if at == len(terms) or terms[at] != term:
            return np.empty(0, np.int32), np.empty(0, np.uint16)
        ends = self.column("ends")
        start, end = int(ends[at - 1]) if at else 0, int(ends[at])
        return self._slice("docs", start, end), self._slice("counts", start, end)

    def loaded(self) -> Segment:
        """All of it, read for a merge and not kept."""
        kept = self._whole
        return Segment(
            *(kept[name] if name in kept else self._slice(name, 0, size) for name, size in self._sizes.items())
        )

    def _slice(self, name: str, start: int, end: int) -> Array:
        if name in self._whole:
            return self._whole[name][start:end]
        first, last = start // CHUNK, (max(end, start + 1) - 1) // CHUNK
        data = self._read(part_number(self.number, name, first), part_number(self.number, name, last))
        if len(data) != last - first + 1:
            raise IndexDamaged("a part of the index is missing", remedy="Index again")
        parts = [np.frombuffer(unsealed(part), TYPES[name]) for part in data]
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return whole[start - first * CHUNK : end - first * CHUNK]
