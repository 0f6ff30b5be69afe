from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.testing import StorageBackendTests


class TestDeviceLocal(StorageBackendTests):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[DeviceLocalBackend]:
        with DeviceLocalBackend(tmp_path / "root") as storage:
            yield storage

    @pytest.fixture
    def other(self, storage: DeviceLocalBackend) -> Iterator[DeviceLocalBackend]:
        with DeviceLocalBackend(storage.root) as other:
            yield other

    @pytest.fixture
    def peek(self, storage: DeviceLocalBackend) -> Callable[[str], bytes]:
        return lambda key: (Path(storage.root) / key).read_bytes()
