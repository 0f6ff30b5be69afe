"""The cache of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from quire.backends.embedding.cached import CachedEmbedder
from quire.errors import EmbedderUnavailable
from quire.ports.embedder import Embedder, Progress, Role
from quire.testing.embedder import DeterministicEmbedder, EmbedderTests

if TYPE_CHECKING:
    from quire.ports.embedder import Vectors


class Counted(DeterministicEmbedder):
    """Keeps what it was asked; `fails` makes it unavailable."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []
        self.fails = False
        self.closed = False

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        self.asked.append(tuple(texts))
        if self.fails:
            raise EmbedderUnavailable("no")
        return super()._vectors(texts, role, progress)

    def close(self) -> None:
        self.closed = True


class TestCachedEmbedder(EmbedderTests):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CachedEmbedder(DeterministicEmbedder(), 100)


@pytest.fixture
def inner() -> Counted:
    return Counted()


@pytest.fixture
def cached(inner: Counted) -> CachedEmbedder:
    return CachedEmbedder(inner, 2)


def test_a_text_is_embedded_once(inner: Counted, cached: CachedEmbedder) -> None:
    first = cached.embed(["a", "b", "a"], role="query")
    again = cached.embed(["b", "a"], role="query")
    assert inner.asked == [("a", "b")]
    assert again.tobytes() == first[[1, 0]].tobytes()
    assert first[0].tobytes() == first[2].tobytes()


def test_a_question_is_not_an_answer(inner: Counted, cached: CachedEmbedder) -> None:
    cached.embed(["a"], role="query")
    cached.embed(["a"], role="passage")
    assert len(inner.asked) == 2


def test_the_one_that_was_not_asked_for_longest_goes(inner: Counted, cached: CachedEmbedder) -> None:
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.embed([text], role="query")
    assert inner.asked == [("a",), ("b",), ("c",), ("b",)]


def test_more_than_there_is_room_for_is_answered_all_the_same(inner: Counted, cached: CachedEmbedder) -> None:
    assert cached.embed(list("abcdef"), role="query").shape == (6, 64)
    cached.embed(["f", "e"], role="query")
    assert len(inner.asked) == 1


def test_a_failure_is_not_remembered(inner: Counted, cached: CachedEmbedder) -> None:
    inner.fails = True
    with pytest.raises(EmbedderUnavailable):
        cached.embed(["a"], role="query")
    inner.fails = False
    assert cached.embed(["a"], role="query").shape == (1, 64)


def test_who_changes_a_vector_changes_it_for_nobody_else(cached: CachedEmbedder) -> None:
    first = cached.embed(["a"], role="query")
    kept = first.tobytes()
    first[:] = 0
    assert cached.embed(["a"], role="query").tobytes() == kept


def test_closing_closes_what_it_wraps(inner: Counted, cached: CachedEmbedder) -> None:
    cached.close()
    assert inner.closed


def test_a_cache_without_room_is_refused(inner: Counted) -> None:
    with pytest.raises(ValueError, match="at least one"):
        CachedEmbedder(inner, 0)
