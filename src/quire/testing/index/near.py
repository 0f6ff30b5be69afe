"""What is promised of the channel of meaning."""

from __future__ import annotations

import math
import random

import pytest

from quire.errors import InvalidRequest
from quire.ports.index import Index, Ref
from quire.testing.index.making import ELSEWHERE, HERE, asked, entry, file, fill, ids, within

MODEL = "a model/4"
POINTS = {"north": [0, 1, 0, 0], "east": [1, 0, 0, 0], "northeast": [1, 1, 0, 0], "up": [0, 0, 1, 0]}


def placed(index: Index) -> None:
    fill(index, *(entry(name, name, pieces=[(f"h {name}", "")]) for name in POINTS))
    assert index.put_vectors(MODEL, [(f"h {name}", vector) for name, vector in POINTS.items()]) == len(POINTS)


class NearTests:
    """Part of `IndexTests`."""

    def test_the_nearest_comes_first_with_its_cosine(self, index: Index) -> None:
        placed(index)
        hits = index.near(MODEL, [0.1, 2.0, 0, 0], within())
        assert ids(hits)[:2] == ["north", "northeast"]
        assert hits[0].cosine == pytest.approx(2 / math.hypot(0.1, 2), abs=1e-3)
        assert hits[-1].cosine == pytest.approx(0, abs=1e-3)
        assert ids(index.near(MODEL, [0, 1, 0, 0], within(), limit=1)) == ["north"]

    def test_the_length_of_a_vector_means_nothing(self, index: Index) -> None:
        fill(index, entry("a", pieces=[("h", "")]))
        index.put_vectors(MODEL, [("h", [3e4, 4e4, 0, 0])])
        assert index.near(MODEL, [3e-4, 4e-4, 0, 0], within())[0].cosine == pytest.approx(1, abs=1e-3)

    def test_an_entry_is_found_by_its_best_piece(self, index: Index) -> None:
        fill(
            index,
            entry("long", pieces=[("h east", ""), ("h north", ""), ("h up", "")]),
            entry("b", pieces=[("h up", "")]),
        )
        index.put_vectors(MODEL, [(f"h {name}", POINTS[name]) for name in ("east", "north", "up")])
        hits = index.near(MODEL, POINTS["north"], within())
        assert (hits[0].ref.id, hits[0].piece) == ("long", 1)
        assert ids(hits) == ["long", "b"]

    def test_what_waits_for_its_vector_is_found_by_its_words(self, index: Index) -> None:
        fill(index, entry("a", "fox", pieces=[("h1", ""), ("h2", "")]))
        assert index.near(MODEL, [1, 0, 0, 0], within()) == []
        assert ids(asked(index, "fox")) == ["a"]
        waiting = index.missing_vectors(MODEL)
        assert [(one.hash, one.ref, one.key, one.piece, one.start, one.end) for one in waiting] == [
            ("h1", Ref(HERE, "a"), f"{HERE}/a.md", 0, 0, 1),
            ("h2", Ref(HERE, "a"), f"{HERE}/a.md", 1, 1, 2),
        ]
        assert index.missing_vectors(MODEL, 1) == waiting[:1]
        assert index.missing_vectors(MODEL, after=waiting[0].cursor) == waiting[1:]
        index.put_vectors(MODEL, [("h1", [1, 0, 0, 0])])
        assert index.missing_vectors(MODEL) == waiting[1:]
        assert ids(index.near(MODEL, [1, 0, 0, 0], within())) == ["a"]
        assert dict(index.stats().waiting) == {MODEL: 1}

    def test_hashes_come_back_as_they_were_given(self, index: Index) -> None:
        names = ["ab" * 32, "AB" * 32, "abc", "not hexadecimal", "é"]
        fill(index, *(entry(f"n{place}", pieces=[(name, "")]) for place, name in enumerate(names)))
        assert [one.hash for one in index.missing_vectors(MODEL)] == names
        assert index.put_vectors(MODEL, [(name, [1, 0]) for name in names]) == len(names)
        assert index.missing_vectors(MODEL) == []

    def test_equal_text_has_one_vector(self, index: Index) -> None:
        fill(index, entry("a", pieces=[("h", "")]), entry("b", pieces=[("h", "")]))
        assert index.put_vectors(MODEL, [("h", [1, 0, 0, 0])]) == 1
        assert ids(index.near(MODEL, [1, 0, 0, 0], within())) == ["a", "b"]
        assert dict(index.stats().vectors) == {MODEL: 1}

    def test_a_vector_of_no_piece_is_dropped(self, index: Index) -> None:
        placed(index)
        assert index.put_vectors(MODEL, [("unknown", [1, 0, 0, 0])]) == 0
        assert dict(index.stats().vectors) == {MODEL: 4}

    def test_a_vector_may_be_given_anew(self, index: Index) -> None:
        placed(index)
        index.near(MODEL, POINTS["up"], within())
        index.put_vectors(MODEL, [("h north", POINTS["up"])])
        assert ids(index.near(MODEL, POINTS["up"], within(), limit=2)) == ["north", "up"]

    def test_what_is_unchanged_keeps_its_vector_and_what_is_gone_loses_it(self, index: Index) -> None:
        one, two = entry("a", "fox", pieces=[("h1", "")]), entry("b", "hen", pieces=[("h2", "")])
        index.apply([file("log.md", one, two)])
        index.put_vectors(MODEL, [("h1", [1, 0, 0, 0]), ("h2", [0, 1, 0, 0])])
        index.apply([file("log.md", one, entry("b", "cow", pieces=[("h3", "")]), version="2")])
        assert [waiting.hash for waiting in index.missing_vectors(MODEL)] == ["h3"]
        assert ids(index.near(MODEL, [1, 1, 0, 0], within())) == ["a"]
        index.apply([file("log.md", one, two, version="3")])
        assert [waiting.hash for waiting in index.missing_vectors(MODEL)] == ["h2"]

    def test_a_file_that_moves_keeps_its_vectors(self, index: Index) -> None:
        index.apply([file("old.md", entry("a", pieces=[("h", "")]))])
        index.put_vectors(MODEL, [("h", [1, 0, 0, 0])])
        index.apply([file("new.md", entry("a", pieces=[("h", "")]))], ["old.md"])
        assert [(hit.ref.id, hit.key) for hit in index.near(MODEL, [1, 0, 0, 0], within())] == [("a", "new.md")]

    def test_models_do_not_mix(self, index: Index) -> None:
        placed(index)
        index.put_vectors("another/2", [("h up", [1, 0])])
        assert ids(index.near("another/2", [1, 0], within())) == ["up"]
        assert len(index.near(MODEL, [1, 0, 0, 0], within())) == 4
        assert index.near("unknown", [1, 0], within()) == []
        index.forget_model(MODEL)
        assert index.near(MODEL, [1, 0, 0, 0], within()) == []
        assert dict(index.stats().vectors) == {"another/2": 1}
        index.put_vectors(MODEL, [("h up", [1, 0, 0])])  # a model that is forgotten may come back with another length
        assert ids(index.near(MODEL, [1, 0, 0], within())) == ["up"]

    def test_pieces_of_another_scope_are_not_compared(self, index: Index) -> None:
        fill(index, entry("mine", pieces=[("h", "")]), entry("theirs", scope=ELSEWHERE, pieces=[("h", "")]))
        index.put_vectors(MODEL, [("h", [1, 0])])
        assert ids(index.near(MODEL, [1, 0], within())) == ["mine"]
        assert ids(index.near(MODEL, [1, 0], within(ELSEWHERE))) == ["theirs"]

    def test_the_filter_is_asked_before_the_limit(self, index: Index) -> None:
        chance = random.Random(7)
        names = [f"n{i:03}" for i in range(400)]
        fill(index, *(entry(name, kind="rare" if name == "n399" else "fix", pieces=[(name, "")]) for name in names))
        vectors = [(name, [1.0, chance.random() * 0.1]) for name in names[:-1]]
        index.put_vectors(MODEL, [*vectors, ("n399", [-1.0, 0.0])])
        assert ids(index.near(MODEL, [1, 0], within(kinds=("rare",)), limit=1)) == ["n399"]
        assert "n399" not in ids(index.near(MODEL, [1, 0], within(kinds=("fix",)), limit=400))

    def test_refuses_vectors_that_are_none(self, index: Index) -> None:
        placed(index)
        for wrong in ([0.0, 0, 0, 0], [math.nan, 0, 0, 1], [math.inf, 0, 0, 1], [], [1.0, 2.0], [1.0] * 5_000):
            with pytest.raises(InvalidRequest):
                index.put_vectors(MODEL, [("h up", wrong)])
            with pytest.raises(InvalidRequest):
                index.near(MODEL, wrong, within())
        assert dict(index.stats().vectors) == {MODEL: 4}
