"""What the port refuses, and how it scores, whatever the backend."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.backends.ram_index import RamIndex
from quire.errors import IndexDamaged, IndexFailed, IndexUnavailable, InvalidRequest
from quire.ports import request, scoring
from quire.ports.index import Filter, IndexedFile, Record, Ref, scalar_key

COUNT = st.integers(1, 100_000)


@given(entries=st.integers(1, 10**7), having=st.integers(0, 10**7))
def test_meeting_a_word_is_always_worth_something(entries: int, having: int) -> None:
    assert scoring.rarity(entries, min(having, entries)) > 0


@given(entries=st.integers(2, 10**6), having=st.integers(0, 10**6 - 1))
def test_a_rarer_word_is_worth_more(entries: int, having: int) -> None:
    having = min(having, entries - 1)
    assert scoring.rarity(entries, having) > scoring.rarity(entries, having + 1)


@given(count=COUNT, length=COUNT, average=st.floats(0.5, 10_000))
def test_saying_it_again_counts_less_and_less_and_length_is_held_against_it(
    count: int, length: int, average: float
) -> None:
    share = scoring.share(count, length, average)
    assert 0 < share < scoring.K1 + 1
    assert scoring.share(count + 1, length, average) > share
    assert scoring.share(count, length + 1, average) < share


def test_a_title_weighs_more_than_the_body() -> None:
    assert scoring.weighed({"title": ["a", "b"], "body": ["a"]}) == ({"a": 3, "b": 2}, 5)
    assert scoring.weighed({}) == ({}, 0)


def test_coverage_is_the_share_of_the_worth_that_is_met() -> None:
    worth = {"rare": 3.0, "common": 1.0}
    assert scoring.coverage(worth, ["rare"]) == 0.75
    assert scoring.coverage(worth, ["rare", "common"]) == 1.0
    assert scoring.coverage(worth, []) == scoring.coverage({}, []) == 0.0


def test_values_are_compared_by_what_they_are() -> None:
    keys = [scalar_key(value) for value in (1, True, "1", "true", 1.5, "1.5", "", False, 0)]
    assert len(set(keys)) == len(keys)
    assert scalar_key(2) == scalar_key(2.0)


def test_the_errors_are_of_one_family() -> None:
    assert issubclass(InvalidRequest, ValueError)
    assert issubclass(IndexUnavailable, ConnectionError)
    assert all(issubclass(error, IndexFailed) for error in (InvalidRequest, IndexUnavailable, IndexDamaged))


def test_each_limit_has_its_refusal() -> None:
    index = RamIndex()
    here = Filter(("s",))
    many = [Ref("s", str(i)) for i in range(request.MAX_REFS + 1)]
    refused: dict[str, Callable[[], object]] = {
        "limit 0": lambda: index.words({"a": 1.0}, here, 0),
        "257 terms": lambda: index.words({str(i): 1.0 for i in range(257)}, here),
        "nan": lambda: index.words({"a": math.nan}, here),
        "no scope": lambda: index.browse(Filter(())),
        "257 scopes": lambda: index.browse(Filter(tuple(map(str, range(257))))),
        "10,001 entries|10001 entries": lambda: index.records(many),
        "excluded": lambda: index.browse(Filter(("s",), excluded=tuple(many))),
        "no time": lambda: index.browse(Filter(("s",), times={"birth": (None, None)})),  # type: ignore[dict-item]
        "no name": lambda: index.near("", [1.0], here),
        "vector of 0": lambda: index.near("m", [], here),
        "given twice": lambda: index.apply([IndexedFile("a", "1"), IndexedFile("a", "2")]),
        "no key": lambda: index.apply([IndexedFile("", "1")]),
        "no kind": lambda: index.apply([IndexedFile("a", "1", [Record("s", "a", "")])]),
        "no field": lambda: index.apply([IndexedFile("a", "1", [Record("s", "a", "fix", words={"x": ["y"]})])]),
        "one id": lambda: index.apply([IndexedFile("a", "1", [Record("s", "a", "fix"), Record("s", "a", "idea")])]),
        "where a page ended": lambda: index.browse(here, after="{}"),
    }
    for said, verb in refused.items():
        with pytest.raises(InvalidRequest, match=said):
            verb()
    assert index.versions() == {}


def test_no_verb_touches_anything_for_nothing() -> None:
    index = RamIndex()
    index.apply([])
    assert index.words({}, Filter(("s",))) == []
    assert index.put_vectors("m", []) == 0
    assert index.records([]) == []


def test_the_port_loads_no_numpy() -> None:
    script = "import sys, quire.ports.index, quire.ports.scoring; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
