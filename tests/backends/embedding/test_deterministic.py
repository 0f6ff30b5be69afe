"""The embedder for tests says that it is one, and is the same everywhere."""

from __future__ import annotations

import pytest

from quire.ports.embedder import Embedder
from quire.testing.embedder import DeterministicEmbedder, EmbedderTests


class TestDeterministicEmbedder(EmbedderTests):
    elsewhere = "from quire.testing.embedder import DeterministicEmbedder; DeterministicEmbedder()"

    @pytest.fixture
    def embedder(self) -> Embedder:
        return DeterministicEmbedder()


def test_says_that_it_is_for_tests() -> None:
    assert DeterministicEmbedder(32).identity.key == "deterministic-for-tests@1/32"


def test_texts_that_share_words_are_near() -> None:
    asked, near, far = DeterministicEmbedder().embed(["red apples", "ripe red apples", "slow boats"], role="query")
    assert asked @ near > asked @ far + 0.2
