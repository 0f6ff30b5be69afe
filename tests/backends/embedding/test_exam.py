"""Embedders that each break one promise fail the question about it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from quire.errors import EmbedderRefused
from quire.ports.embedder import Embedder, Progress, Role
from quire.testing.embedder import DeterministicEmbedder, EmbedderTests

if TYPE_CHECKING:
    from quire.ports.embedder import Vectors


class Broken(DeterministicEmbedder):
    """Vectors as they should be, and `spoil` after them."""

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        return self.spoil(super()._vectors(texts, role, progress))

    def spoil(self, vectors: Vectors) -> Vectors:
        return vectors


class LosesTheOrder(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        return vectors[::-1].copy()


class LooksAtItsNeighbours(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        return vectors + vectors.mean(0)  # type: ignore[no-any-return]


class IsNeverTheSame(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        vectors[0, 0] += random.random()
        return vectors


class KnowsOneVector(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        vectors[:] = 1
        return vectors


class LosesTheLast(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        return vectors[:-1]


class GivesNothing(Broken):
    def spoil(self, vectors: Vectors) -> Vectors:
        return vectors * 0


class SaysNothing(DeterministicEmbedder):
    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        return super()._vectors(texts, role, lambda _: None)


EXAM = EmbedderTests()
CASES: list[tuple[type[Embedder], Callable[..., Any]]] = [
    (LosesTheOrder, EXAM.test_keeps_the_order),
    (LooksAtItsNeighbours, EXAM.test_the_texts_beside_it_do_not_move_a_vector),
    (IsNeverTheSame, lambda embedder: EXAM.test_the_same_text_has_the_same_vector_bit_for_bit(embedder, "query")),
    (KnowsOneVector, EXAM.test_different_texts_have_different_vectors),
    (LosesTheLast, lambda embedder: EXAM.test_gives_one_vector_of_unit_length_for_each_text(embedder, "query")),
    (GivesNothing, lambda embedder: EXAM.test_any_text_has_a_vector(embedder, "", "query")),
    (SaysNothing, EXAM.test_tells_of_progress),
]


@pytest.mark.parametrize(("broken", "question"), CASES, ids=[case[0].__name__ for case in CASES])
def test_a_broken_promise_is_noticed(broken: type[Embedder], question: Callable[[Embedder], Any]) -> None:
    question(DeterministicEmbedder())
    with pytest.raises((AssertionError, IndexError, EmbedderRefused)):
        question(broken())
