"""The index port: what can be thrown away and built again. It answers by words, by meaning, by links and by neighbours.

The caller gives it records whose words are split already, a file at a time; it keeps no text. Every question carries a
filter, and a filter names the scopes it may read: what is in another scope is never read, and moves no score.

The base class checks what it is given, so that every backend refuses alike; a backend writes the verbs that begin with
an underscore.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

from quire.ports import request

MAX_LIMIT: Final = request.MAX_LIMIT

Scalar: TypeAlias = str | int | float | bool
Span: TypeAlias = tuple[float | None, float | None]  # from, and up to but not with; None is open
Moment: TypeAlias = Literal["created", "updated", "when"]
Order: TypeAlias = Literal["newest", "oldest", "updated", "id"]


class Ref(NamedTuple):
    """Which entry: its scope as text, and its id."""

    scope: str
    id: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link out of an entry, resolved by the caller to the entry it means."""

    relation: str
    target: Ref


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of the body with a vector of its own. `hash` names the text that is embedded: equal text, equal vector.

    `words` are needed where an entry has several pieces; an entry of one piece is found by its own words.
    """

    start: int
    end: int
    hash: str
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one entry. Times are seconds since the epoch; `words` are by field of `scoring.WEIGHTS`."""

    scope: str
    id: str
    kind: str
    status: str = "active"
    line: int = 1
    title: str = ""
    tags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    created: float | None = None
    updated: float | None = None
    when: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    speaker: str = ""
    session: str = ""
    turn: int = 0  # its order within the session
    scalars: Mapping[str, Scalar] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    links: tuple[Link, ...] = ()

    @property
    def ref(self) -> Ref:
        return Ref(self.scope, self.id)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """All that one file holds: its key, the sha256 of its bytes, and a record for each entry in it."""

    key: str
    version: str
    records: Sequence[Record] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """What may be answered. Empty means any, but for `scopes`, which must name at least one.

    `tags` and `flags` must all be there, none of `without` may be. Each scalar must have one of the values given. A
    record without a time is outside of every span of it. `as_of` keeps what was valid then.
    """

    scopes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    times: Mapping[Moment, Span] = field(default_factory=dict)
    as_of: float | None = None
    scalars: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    excluded: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class WordHit:
    """Found by words. `score` is of the whole entry, `piece_score` of its best piece, number `piece`.

    `coverage` is how much of the question's worth it meets, `rarest` the term it meets that the fewest have, and
    `rarity` what that one is worth.
    """

    ref: Ref
    key: str
    score: float
    piece_score: float
    piece: int
    coverage: float
    rarest: str
    rarity: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NearHit:
    """Found by meaning: the cosine of its nearest piece, number `piece`."""

    ref: Ref
    key: str
    cosine: float
    piece: int


@dataclass(frozen=True, slots=True)
class LinkHit:
    """Found by links: in how few hops, and the last of them: from `source`, by `relation`, along the link or not."""

    ref: Ref
    key: str
    hops: int
    source: Ref
    relation: str
    along: bool


@dataclass(frozen=True, slots=True)
class BesideHit:
    """Found beside another of its session: `distance` is -1 for the one before it, 1 for the one after."""

    ref: Ref
    key: str
    of: Ref
    distance: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What is shown of an entry without opening its file. `record` has no words; its pieces and links have all else."""

    key: str
    version: str
    record: Record


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list. `after` is what to ask the next part with, empty at the end."""

    entries: tuple[Stored, ...]
    after: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A piece whose vector is missing. `cursor` is what to continue after."""

    hash: str
    ref: Ref
    key: str
    piece: int
    start: int
    end: int
    cursor: int


@dataclass(frozen=True, slots=True)
class Stats:
    """How much is held; vectors, and distinct pieces that wait for theirs, by model."""

    files: int
    entries: int
    pieces: int
    vectors: Mapping[str, int]
    waiting: Mapping[str, int]
    bytes: int


class Index(ABC):
    """An index. Instances may be used from several threads. Scores are ordered by score, then scope, id and key.

    Raises InvalidRequest for what is outside of the limits, IndexUnavailable where it does not answer (retry),
    IndexDamaged where it must be built anew.
    """

    def apply(self, changed: Sequence[IndexedFile], removed: Sequence[str] = ()) -> None:
        """Take away the files `removed`, then let `changed` replace what was known of them: all in one step.

        Doing it again changes nothing. What is the same in the new version keeps its vectors and costs no work.
        """
        request.check_files(changed, removed)
        if changed or removed:
            self._apply(changed, removed)

    def words(self, terms: Mapping[str, float], filter: Filter, limit: int = 50) -> list[WordHit]:
        """The entries that have any of `terms`, best first. The number of a term multiplies its worth."""
        request.check_terms(terms)
        request.check_filter(filter)
        return self._words(terms, filter, request.checked_limit(limit)) if terms else []

    def near(self, model: str, vector: Sequence[float], filter: Filter, limit: int = 50) -> list[NearHit]:
        """The entries whose pieces are nearest to `vector`, by cosine, best first. It is exact up to 20,000 pieces.

        Beyond, a backend may miss one in a hundred of the nearest.
        """
        request.check_model(model)
        request.check_vector(vector)
        request.check_filter(filter)
        return self._near(model, vector, filter, request.checked_limit(limit))

    def linked(
        self, refs: Sequence[Ref], filter: Filter, *, hops: int = 1, relations: Sequence[str] = (), limit: int = 200
    ) -> list[LinkHit]:
        """What is linked with `refs` in either direction, the fewest hops first, without `refs` themselves.

        What the filter keeps out is not walked through either.
        """
        request.check_refs(refs)
        request.check_filter(filter)
        request.check_hops(hops)
        return self._linked(refs, filter, hops, relations, request.checked_limit(limit))

    def beside(self, refs: Sequence[Ref], filter: Filter, *, distance: int = 1) -> list[BesideHit]:
        """What stands beside `refs` in their sessions, up to `distance` away, counting only what passes the filter."""
        request.check_refs(refs)
        request.check_filter(filter)
        request.check_distance(distance)
        return self._beside(refs, filter, distance)

    def records(self, refs: Sequence[Ref]) -> list[Stored]:
        """What is stored of `refs`, in their order; nothing for one that is unknown, several for a shared id."""
        request.check_refs(refs)
        return self._records(refs)

    def browse(self, filter: Filter, *, order: Order = "newest", limit: int = 50, after: str = "") -> Page:
        """All that passes the filter, in parts. What has no time comes last."""
        request.check_filter(filter)
        request.check_order(order)
        return self._browse(filter, order, request.checked_limit(limit), request.checked_after(after))

    def put_vectors(self, model: str, vectors: Sequence[tuple[str, Sequence[float] | Any]]) -> int:
        """Keep the vectors of pieces by their hash; how many were of a piece that is known. Others are dropped.

        A vector may be any sequence of numbers, an array of numpy among them. Its length is of no meaning.
        """
        request.check_model(model)
        request.check_vectors(vectors)
        return self._put_vectors(model, vectors) if vectors else 0

    def missing_vectors(self, model: str, limit: int = 1000, *, after: int = 0) -> list[Waiting]:
        """Pieces without a vector of `model`, the oldest first; continue after the last one's cursor."""
        request.check_model(model)
        return self._missing_vectors(model, request.checked_limit(limit), after)

    def forget_model(self, model: str) -> None:
        """Drop the vectors of one model."""
        request.check_model(model)
        self._forget_model(model)

    @abstractmethod
    def versions(self) -> dict[str, str]:
        """The version of each file that is known, sorted by key."""

    @abstractmethod
    def stats(self) -> Stats:
        """How much is held, and what waits."""

    @abstractmethod
    def clear(self) -> None:
        """Forget everything."""

    @abstractmethod
    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None: ...

    @abstractmethod
    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]: ...

    @abstractmethod
    def _near(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]: ...

    @abstractmethod
    def _linked(
        self, refs: Sequence[Ref], filter: Filter, hops: int, relations: Sequence[str], limit: int
    ) -> list[LinkHit]: ...

    @abstractmethod
    def _beside(self, refs: Sequence[Ref], filter: Filter, distance: int) -> list[BesideHit]: ...

    @abstractmethod
    def _records(self, refs: Sequence[Ref]) -> list[Stored]: ...

    @abstractmethod
    def _browse(self, filter: Filter, order: Order, limit: int, after: tuple[Any, ...] | None) -> Page: ...

    @abstractmethod
    def _put_vectors(self, model: str, vectors: Sequence[tuple[str, Sequence[float]]]) -> int: ...

    @abstractmethod
    def _missing_vectors(self, model: str, limit: int, after: int) -> list[Waiting]: ...

    @abstractmethod
    def _forget_model(self, model: str) -> None: ...

    def close(self) -> None:
        """Let go of files and connections. Calling it twice is fine; a closed index may not be used."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def sort_time(record: Record, order: Order) -> float | None:
    """The time by which `browse` orders a record: when it happened, else when it was recorded; or its last change."""
    if order == "updated":
        return record.updated if record.updated is not None else record.created
    return record.when if record.when is not None else record.created


def scalar_key(value: Scalar) -> str:
    """A declared value as the text it is compared by: 1 and 1.0 are equal, 1, true and "1" are not.

    >>> scalar_key(1) == scalar_key(1.0), scalar_key(True), scalar_key("1")
    (True, 'b:true', 's:1')
    """
    if isinstance(value, bool):
        return f"b:{str(value).lower()}"
    return f"s:{value}" if isinstance(value, str) else f"n:{float(value)!r}"
