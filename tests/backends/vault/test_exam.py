from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.backends.vault import VaultBackend
from quire.testing import StorageBackendTests


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


class TestVault(StorageBackendTests):
    @pytest.fixture
    def storage(self, folder: Path) -> Iterator[VaultBackend]:
        with VaultBackend(folder) as storage:
            yield storage

    @pytest.fixture
    def other(self, storage: VaultBackend) -> Iterator[VaultBackend]:
        with VaultBackend(storage.root) as other:
            yield other

    @pytest.fixture
    def peek(self, folder: Path) -> Callable[[str], bytes]:
        return lambda key: (folder / key).read_bytes()
