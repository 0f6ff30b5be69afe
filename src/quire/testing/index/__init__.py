"""The exam of the index port.

    class TestMine(IndexTests):
        @pytest.fixture
        def index(self, tmp_path):
            with MyIndex(tmp_path / "index") as index:
                yield index

`index` is an empty index. A second fixture makes the exam sharper where it can be given: `other`, another handle on the
same index, as another process would have it.

The exam is one specification in parts: the modules beside this one, from words to the random games.
"""

from __future__ import annotations

from typing import ClassVar

import pytest

from quire.ports.index import Index
from quire.testing.index import tenants
from quire.testing.index.filters import FilterTests
from quire.testing.index.games import play
from quire.testing.index.links import LinkTests
from quire.testing.index.listing import ListTests
from quire.testing.index.near import NearTests
from quire.testing.index.words import WordTests
from quire.testing.index.writing import WriteTests


class IndexTests(WordTests, NearTests, FilterTests, LinkTests, ListTests, WriteTests):
    """What any index promises. Give an `index` fixture and it is all asked of yours."""

    games: ClassVar[int] = 20  # how many random games of 20 moves are played

    @pytest.fixture
    def index(self) -> Index:
        """An empty index. Override."""
        raise NotImplementedError("give this class a fixture named 'index'")

    @pytest.fixture
    def other(self, index: Index) -> Index:
        """A second handle on what `index` holds."""
        return index

    def test_no_answer_tells_what_another_scope_holds(self, index: Index) -> None:
        tenants.play(index, self.games)

    def test_plays_random_games_as_the_model_does(self, index: Index) -> None:
        play(index, self.games)
