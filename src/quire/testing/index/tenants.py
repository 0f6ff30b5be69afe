"""What is promised between tenants: whatever another scope holds, a question answers as if it were not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.ports.index import Filter, Index, IndexedFile, Record, Ref
from quire.testing.index.games import HASHES, RECORDS, VECTORS, VOCABULARY

MINE, THEIRS = "app/p/user:alice", "app/p/user:bob"
EMBEDDED = st.lists(st.tuples(HASHES, VECTORS), max_size=3, unique_by=lambda pair: pair[0])
HELD = st.lists(RECORDS, min_size=1, max_size=4, unique_by=lambda record: record.id)


def files(prefix: str, scope: str, records: list[Record]) -> list[IndexedFile]:
    moved = [replace(record, scope=scope) for record in records]
    return [IndexedFile(f"{prefix}{place}.md", "1", [record]) for place, record in enumerate(moved)]


def answers(index: Index) -> list[Any]:
    """What every channel says to someone who may read one scope."""
    filter = Filter((MINE,))
    every = [Ref(scope, id) for scope in (MINE, THEIRS) for id in ("a", "b", "ä", "fix/c")]
    return [
        index.words(dict.fromkeys(VOCABULARY, 1.0), filter),
        index.near("m", (1.0, 0.5, -1.0), filter),
        index.linked(every, filter, hops=3),
        index.beside(every, filter, distance=2),
        index.browse(filter).entries,
    ]


def play(index: Index, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(mine=HELD, theirs=HELD, vectors=EMBEDDED)
    def alone_or_not(mine: list[Record], theirs: list[Record], vectors: list[tuple[str, tuple[float, ...]]]) -> None:
        index.clear()
        index.apply(files("mine", MINE, mine))
        if vectors:
            index.put_vectors("m", vectors)
        alone = answers(index)
        index.apply(files("theirs", THEIRS, theirs))
        assert answers(index) == alone
        assert index.words(dict.fromkeys(VOCABULARY, 1.0), Filter((THEIRS,))) or not any(
            set(said) & set(VOCABULARY) for record in theirs for said in record.words.values()
        )

    alone_or_not()
