import pytest

from quire.backends.ram import RamBackend
from quire.testing import StorageBackendTests


class TestRam(StorageBackendTests):
    games = 100

    @pytest.fixture
    def storage(self) -> RamBackend:
        return RamBackend()
