"""Random games: whatever is done to an index, it answers as the one in memory does that looks at everything."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from quire.backends.ram_index import RamIndex
from quire.errors import InvalidRequest
from quire.ports.index import Filter, Index, IndexedFile, Link, Piece, Record, Ref

SCOPES = ("app/p/agent:a", "app/p/user:b", "app/q/shared")
VOCABULARY = ("fox", "hen", "cow", "東京", "v1.9", "e2big", "owl")
TIMES = st.sampled_from([None, 0.0, 1.0, 2.5, -1.0])
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=6)
IDS = st.sampled_from(["a", "b", "ä", "fix/c"])
HASHES = st.sampled_from(["aa", "bb", "cc", "x"])
REFS = st.builds(Ref, st.sampled_from(SCOPES), IDS)
RECORDS = st.builds(
    Record,
    scope=st.sampled_from(SCOPES),
    id=IDS,
    kind=st.sampled_from(["fix", "idea"]),
    status=st.sampled_from(["active", "active", "deleted"]),
    line=st.integers(1, 3),
    title=st.sampled_from(["", "t"]),
    tags=st.lists(st.sampled_from(["red", "large"]), max_size=2).map(tuple),
    created=TIMES,
    when=TIMES,
    valid_from=TIMES,
    valid_to=TIMES,
    session=st.sampled_from(["", "s"]),
    turn=st.integers(0, 3),
    scalars=st.dictionaries(st.just("level"), st.sampled_from([1, True, "1", 2.5]), max_size=1),
    words=st.fixed_dictionaries({"body": WORDS}, optional={"title": WORDS, "speaker": WORDS}),
    pieces=st.lists(st.builds(Piece, st.just(0), st.integers(1, 2), HASHES, WORDS), max_size=3).map(tuple),
    links=st.lists(st.builds(Link, st.sampled_from(["see", "from"]), REFS), max_size=2, unique=True).map(tuple),
)
KEYS = st.sampled_from(["1.md", "2.md", "3.md", "é.md"])
FILES = st.builds(
    IndexedFile,
    KEYS,
    st.sampled_from(["v1", "v2"]),
    st.lists(RECORDS, max_size=3, unique_by=lambda record: record.ref),
)
FILTERS = st.builds(
    Filter,
    scopes=st.lists(st.sampled_from([*SCOPES, "nobody"]), min_size=1, max_size=3, unique=True).map(tuple),
    kinds=st.sampled_from([(), (), ("fix",)]),
    statuses=st.sampled_from([(), ("active",)]),
    tags=st.sampled_from([(), (), ("red",)]),
    as_of=st.sampled_from([None, None, 1.0]),
    times=st.sampled_from([{}, {}, {"created": (0.0, 2.0)}]),
    scalars=st.sampled_from([{}, {}, {"level": (1,)}]),
    excluded=st.lists(REFS, max_size=1).map(tuple),
)
NUMBERS = st.sampled_from([-1.0, 0.5, 2.0])
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
LIMITS = st.sampled_from([1, 2, 50])


def play(index: Index, games: int) -> None:
    """Play `games` games of 20 moves, each from an empty index. Fails with the shortest game that differs."""

    class Game(IndexGame):
        def __init__(self) -> None:
            index.clear()
            super().__init__(index)

    run_state_machine_as_test(
        Game,
        settings=settings(
            max_examples=games,
            stateful_step_count=20,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )


class IndexGame(RuleBasedStateMachine):
    """One game: each move is made on both sides, and both must answer the same."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self.sides: tuple[Index, Index] = (index, RamIndex())

    @rule(
        changed=st.lists(FILES, max_size=4, unique_by=lambda file: file.key),
        removed=st.lists(KEYS, max_size=2),
    )
    def apply(self, changed: list[IndexedFile], removed: list[str]) -> None:
        for side in self.sides:
            side.apply(changed, removed)

    @rule(vectors=st.lists(st.tuples(HASHES, VECTORS), max_size=3, unique_by=lambda pair: pair[0]))
    def put_vectors(self, vectors: list[tuple[str, tuple[float, ...]]]) -> None:
        self.same("put_vectors", "m", vectors)

    @rule()
    def forget_model(self) -> None:
        self.same("forget_model", "m")

    @rule(
        terms=st.dictionaries(st.sampled_from([*VOCABULARY, "none"]), st.sampled_from([1.0, 0.5, 3.0]), max_size=4),
        filter=FILTERS,
        limit=LIMITS,
    )
    def words(self, terms: dict[str, float], filter: Filter, limit: int) -> None:
        self.same("words", terms, filter, limit)

    @rule(vector=VECTORS, filter=FILTERS, limit=LIMITS)
    def near(self, vector: tuple[float, ...], filter: Filter, limit: int) -> None:
        # Cosines that differ by less than rounding may stand in either order, so the places are compared by cosine.
        real, model = (side.near("m", vector, filter, 50) for side in self.sides)
        assert {hit.ref: round(hit.cosine, 3) for hit in real} == {hit.ref: round(hit.cosine, 3) for hit in model}
        assert [round(hit.cosine, 3) for hit in real] == [round(hit.cosine, 3) for hit in model]
        assert self.sides[0].near("m", vector, filter, limit) == real[:limit]

    @rule(refs=st.lists(REFS, max_size=3), filter=FILTERS, hops=st.integers(1, 3), limit=LIMITS)
    def linked(self, refs: list[Ref], filter: Filter, hops: int, limit: int) -> None:
        self.same("linked", refs, filter, hops=hops, limit=limit)

    @rule(refs=st.lists(REFS, max_size=3), filter=FILTERS, distance=st.integers(1, 2))
    def beside(self, refs: list[Ref], filter: Filter, distance: int) -> None:
        self.same("beside", refs, filter, distance=distance)

    @rule(refs=st.lists(REFS, max_size=3))
    def records(self, refs: list[Ref]) -> None:
        self.same("records", refs)

    @rule(filter=FILTERS, order=st.sampled_from(["newest", "oldest", "updated", "id"]), limit=LIMITS)
    def browse(self, filter: Filter, order: Any, limit: int) -> None:
        page = self.same("browse", filter, order=order, limit=limit)
        if page.after:
            self.same("browse", filter, order=order, limit=limit, after=page.after)

    @rule()
    def count(self) -> None:
        self.same("versions")
        real, model = (side.stats() for side in self.sides)
        for name in ("files", "entries", "pieces", "vectors", "waiting"):
            assert getattr(real, name) == getattr(model, name), name
        waiting = [
            {(one.hash, one.ref, one.key, one.piece) for one in side.missing_vectors("m")} for side in self.sides
        ]
        assert waiting[0] == waiting[1]

    def same(self, verb: str, *given: Any, **named: Any) -> Any:
        """Ask both sides; what the model answers."""
        real, model = (self.outcome(side, verb, *given, **named) for side in self.sides)
        assert real == model, f"{verb} answers {real!r}, the model {model!r}"
        return model

    def outcome(self, side: Index, verb: str, *given: Any, **named: Any) -> Any:
        try:
            return getattr(side, verb)(*given, **named)
        except InvalidRequest:
            return InvalidRequest
