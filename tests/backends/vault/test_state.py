"""What a vault needs besides its text lies outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quire.backends.vault import VaultBackend
from quire.errors import SelectionError
from quire.locator import Locator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


def test_a_missing_vault_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(SelectionError) as caught:
        VaultBackend(tmp_path / "not-mounted")
    assert caught.value.code == "FOLDER_MISSING"
    assert not (tmp_path / "not-mounted").exists()


def test_nothing_but_text_is_ever_in_the_vault(folder: Path, home: Path) -> None:
    with VaultBackend(folder) as vault:
        vault.write(Locator("a/b.md"), "x")
        assert [path.name for path in folder.rglob("*") if path.is_file()] == ["b.md"]
        assert not any(path.name.startswith(".") for path in folder.rglob("*"))
        assert vault.lock_path.startswith(str(home / ".local/state/quire/vaults"))


def test_two_names_of_one_vault_share_a_lock(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    with VaultBackend(folder) as one, VaultBackend(tmp_path / "alias") as other:
        assert one.lock_path == other.lock_path
        assert one.root == other.root == str(folder)


def test_two_vaults_have_two_locks(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    with VaultBackend(folder) as one, VaultBackend(tmp_path / "second") as other:
        assert one.lock_path != other.lock_path


def test_state_inside_the_vault_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for inside in (folder, folder / "state"):
        monkeypatch.setenv("QUIRE_STATE_DIR", str(inside))
        with pytest.raises(SelectionError) as caught:
            VaultBackend(folder)
        assert caught.value.code == "STATE_IN_VAULT"
        assert "QUIRE_STATE_DIR" in str(caught.value)
    assert os.listdir(folder) == []


def test_the_temporary_files_of_another_machine_are_left_alone(folder: Path) -> None:
    synced = folder / ".quire-w-0123456789abcdef-0---"
    synced.write_text("half of something another machine is writ")
    with VaultBackend(folder) as vault:
        vault.write(Locator("a"), "x")
        assert vault.list(Locator()) == [Locator("a")]
    assert synced.exists()
