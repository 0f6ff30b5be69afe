"""One local model for all tests of a process: opening it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quire.backends.embedding.local import LocalEmbedder
from tests.backends.embedding.serving import EmbeddingServer, serving


@pytest.fixture(scope="session")
def local() -> Iterator[LocalEmbedder]:
    with LocalEmbedder() as embedder:
        yield embedder


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as server:
        yield server
