import pytest

from quire.backends.ram_index import RamIndex
from quire.testing import IndexTests


class TestRamIndex(IndexTests):
    games = 5

    @pytest.fixture
    def index(self) -> RamIndex:
        return RamIndex()
