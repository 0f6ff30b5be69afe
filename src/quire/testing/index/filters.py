"""What is promised of filters: they are asked inside, in every channel, and a scope that is not named is never read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from quire.errors import InvalidRequest
from quire.ports.index import Filter, Index, Ref
from quire.testing.index.making import ELSEWHERE, HERE, asked, entry, fill, ids, within

RECORDS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "idea": {"kind": "idea"},
    "inbox": {"status": "inbox"},
    "red": {"tags": ("red",)},
    "both": {"tags": ("red", "large", "red")},
    "loaded": {"flags": ("always_load",)},
    "talk": {"speaker": "Ada", "session": "s1", "turn": 1},
    "early": {"created": 100.0, "when": 100.0, "updated": 100.0},
    "late": {"created": 200.0, "when": 300.0, "updated": 400.0},
    "past": {"valid_from": 10.0, "valid_to": 20.0},
    "future": {"valid_from": 30.0},
    "one": {"scalars": {"level": 1, "team": "core"}},
    "true": {"scalars": {"level": True, "team": "1"}},
}
ALL = set(RECORDS)
CASES: Mapping[str, tuple[Mapping[str, Any], set[str]]] = {
    "nothing": ({}, ALL),
    "a kind": ({"kinds": ("idea",)}, {"idea"}),
    "kinds": ({"kinds": ("idea", "fix")}, ALL),
    "a status": ({"statuses": ("inbox",)}, {"inbox"}),
    "a tag": ({"tags": ("red",)}, {"red", "both"}),
    "all tags": ({"tags": ("red", "large")}, {"both"}),
    "no such tag": ({"tags": ("re",)}, set()),
    "a flag": ({"flags": ("always_load",)}, {"loaded"}),
    "without": ({"without": ("always_load",)}, ALL - {"loaded"}),
    "a speaker": ({"speakers": ("Ada",)}, {"talk"}),
    "a session": ({"sessions": ("s1", "s2")}, {"talk"}),
    "from": ({"times": {"created": (200.0, None)}}, {"late"}),
    "up to": ({"times": {"created": (None, 200.0)}}, {"early"}),
    "when": ({"times": {"when": (100.0, 301.0)}}, {"early", "late"}),
    "two times": ({"times": {"when": (None, None), "updated": (200.0, None)}}, {"late"}),
    "then": ({"as_of": 10.0}, ALL - {"future"}),
    "at the end": ({"as_of": 20.0}, ALL - {"future", "past"}),
    "later": ({"as_of": 30.0}, ALL - {"past"}),
    "a value": ({"scalars": {"level": (1.0,)}}, {"one"}),
    "truth is no number": ({"scalars": {"level": (True,)}}, {"true"}),
    "text is no number": ({"scalars": {"team": (1, "core")}}, {"one"}),
    "any of no values": ({"scalars": {"level": ()}}, set()),
    "two values": ({"scalars": {"level": (1, True), "team": ("1",)}}, {"true"}),
    "excluded": ({"excluded": (Ref(HERE, "idea"), Ref(ELSEWHERE, "plain"))}, ALL - {"idea"}),
    "together": ({"kinds": ("fix",), "tags": ("red",), "excluded": (Ref(HERE, "red"),)}, {"both"}),
    "hostile": ({"kinds": ("fix' OR '1'='1",), "tags": ('"', "%")}, set()),
}


def everything(index: Index) -> None:
    records = {name: {"kind": "fix", **more} for name, more in RECORDS.items()}
    fill(
        index,
        *(
            entry(name, "fox", pieces=[(f"h {name}", "")], links=[("see", "hub")], **more)
            for name, more in records.items()
        ),
    )
    index.put_vectors("m", [(f"h {name}", [1, 0]) for name in records])


CHANNELS: Mapping[str, Callable[[Index, Filter], list[Any]]] = {
    "words": lambda index, within_it: index.words({"fox": 1.0}, within_it),
    "near": lambda index, within_it: index.near("m", [1, 0], within_it),
    "linked": lambda index, within_it: index.linked([Ref(HERE, "hub")], within_it),
    "browse": lambda index, within_it: [stored.record for stored in index.browse(within_it).entries],
}


class FilterTests:
    """Part of `IndexTests`."""

    @pytest.mark.parametrize("channel", CHANNELS)
    def test_every_filter_holds_in_every_channel(self, index: Index, channel: str) -> None:
        everything(index)
        for name, (more, expected) in CASES.items():
            found = CHANNELS[channel](index, within(**more))
            assert {hit.ref.id for hit in found} == expected, name
            assert len(found) == len(expected), name

    @pytest.mark.parametrize("channel", CHANNELS)
    def test_a_filter_without_a_scope_is_refused(self, index: Index, channel: str) -> None:
        everything(index)
        with pytest.raises(InvalidRequest):
            CHANNELS[channel](index, Filter(()))
        assert CHANNELS[channel](index, within("nobody's")) == []

    def test_a_filter_on_the_neighbours(self, index: Index) -> None:
        fill(index, *(entry(f"n{i}", session="s", turn=i, kind="idea" if i == 2 else "fix") for i in range(5)))
        hits = index.beside([Ref(HERE, "n1")], within(kinds=("fix",)), distance=2)
        assert [(hit.ref.id, hit.distance) for hit in hits] == [("n0", -1), ("n3", 1), ("n4", 2)]

    def test_what_is_rare_behind_the_filter_is_found_among_thousands(self, index: Index) -> None:
        fill(
            index,
            *(entry(f"n{i:04}", "fox fox fox hen") for i in range(2_990)),
            *(entry(f"n{i:04}", "fox hen", kind="idea") for i in range(2_990, 3_000)),
        )
        hits = asked(index, "fox", within(kinds=("idea",)), limit=5)
        assert ids(hits) == [f"n{i:04}" for i in range(2_990, 2_995)]

    def test_no_score_is_moved_by_what_another_scope_holds(self, index: Index) -> None:
        mine = [entry("a", "fox den", pieces=[("h1", ""), ("h2", "fox")]), entry("b", "fox fox hen hen hen")]
        fill(index, *mine)
        index.put_vectors("m", [("h1", [1, 0])])
        before = (asked(index, "fox hen den"), index.near("m", [1, 0], within()))
        theirs = [
            entry(f"x{i}", "fox hen " * i, scope=ELSEWHERE, pieces=[("h1", ""), ("h2", "hen")]) for i in range(50)
        ]
        fill(index, *theirs)
        assert (asked(index, "fox hen den"), index.near("m", [1, 0], within())) == before
        assert {hit.ref.scope for hit in asked(index, "fox", within(HERE, ELSEWHERE))} == {HERE, ELSEWHERE}

    def test_a_scope_is_not_the_beginning_of_another(self, index: Index) -> None:
        fill(index, entry("a", "fox", scope="t"), entry("b", "fox", scope="t/u"), entry("c", "fox", scope="T"))
        assert ids(asked(index, "fox", within("t"))) == ["a"]
