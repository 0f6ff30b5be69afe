"""The copies that sync services leave are recognised, listed with the file they belong to, and left alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.backends.vault import VaultBackend
from quire.backends.vault.conflicts import recognise

CERTAIN = {
    "dropbox": [
        "note (Jane Doe's conflicted copy 2026-05-01).md",
        "note (conflicted copy).md",
        "note (Jane's conflicted copy 2026-05-01) (1).md",
        "note (MacBook Pro von Jörg's conflicted copy 2026-05-01).md",
        "note (Case Conflict).md",
        "note (Case Conflict 1).md",
        "note (Unicode Encoding Conflict).md",
    ],
    "google-drive": ["note [Conflict].md", "note [Conflict 2].md", "note[Conflict].md", "note [Conflicted copy].md"],
    "syncthing": ["note.sync-conflict-20260501-123456-ABCDEFG.md", "note.sync-conflict-20260501-123456.md"],
    "obsidian-sync": ["note (Conflicted copy Pixel 8 202605011234).md"],
    "nextcloud": ["note (conflicted copy 2026-05-01 123456).md"],
    "quire": ["note (quire conflict 0123456789ab).md", "note (quire conflict 0123456789ab 2).md"],
}
UNCERTAIN = {
    "google-drive": ["note (1).md", "note (12).md"],
    "icloud": ["note 2.md", "note 11.md"],
    "onedrive": ["note-DESKTOP-1A2B3C4.md", "note-LAPTOP-XYZ-2.md", "note-Janes-MacBook-Pro.md"],
}
ORDINARY = [
    "note.md", "other (1).md", "Chapter 2.md", "note 1.md", "note (draft).md", "note (2026).md", "note-taking.md",
    "a conflicted copy.md", "note-2.md", "(1).md", " 2.md", "note (conflict).md", "sync-conflict.md",
    "note [conflict of interest].md", "note (case conflict resolution).md", "note (space conflict).md",
]  # fmt: skip


@pytest.mark.parametrize(("service", "name"), [(s, name) for s, names in CERTAIN.items() for name in names])
def test_recognises_the_naming_of_each_service(service: str, name: str) -> None:
    assert recognise(name, {"note.md"}) == (service, "note.md", True)
    assert recognise(name, set()) == (service, "note.md", True), "one device changed what another deleted"


@pytest.mark.parametrize(("service", "name"), [(s, name) for s, names in UNCERTAIN.items() for name in names])
def test_a_name_a_person_may_have_chosen_counts_only_beside_its_original(service: str, name: str) -> None:
    assert recognise(name, {"note.md"}) == (service, "note.md", False)
    assert recognise(name, {"another.md"}) is None


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_are_ordinary(name: str) -> None:
    assert recognise(name, {"note.md", "Chapter.md.bak"}) is None


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("note (1) (Jane's conflicted copy 2026-05-01).md", "note (1).md"),
        ("note.sync-conflict-20260501-123456-ABCDEFG (1).md", "note.sync-conflict-20260501-123456-ABCDEFG.md"),
        ("v1.2.sync-conflict-20260501-123456-ABCDEFG.md", "v1.2.md"),
        ("no extension (Case Conflict)", "no extension"),
        ("plain.sync-conflict-20260501-123456-ABCDEFG", "plain"),
        ("Notiz (Jörgs conflicted copy 2026-05-01).md", "Notiz.md"),
    ],
)
def test_belongs_to_the_file_it_was_copied_from(name: str, original: str) -> None:
    found = recognise(name, {original})
    assert found
    assert found[1] == original


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def vault(folder: Path) -> Iterator[VaultBackend]:
    with VaultBackend(folder) as vault:
        yield vault


def test_lists_the_copies_of_the_whole_vault_and_changes_nothing(vault: VaultBackend, folder: Path) -> None:
    for name in (
        "projects/plan.md",
        "projects/plan (Jane's conflicted copy 2026-05-01).md",
        "projects/sub/deep.md",
        "projects/sub.md",
        "projects/sub 2.md",
        "gone.sync-conflict-20260501-123456-ABCDEFG.md",
        "Chapter 2.md",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    found = {copy.locator.key: copy for copy in vault.conflicts()}
    assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before
    assert {(key, copy.original.key, copy.service) for key, copy in found.items()} == {
        ("projects/plan (Jane's conflicted copy 2026-05-01).md", "projects/plan.md", "dropbox"),
        ("projects/sub 2.md", "projects/sub.md", "icloud"),
        ("gone.sync-conflict-20260501-123456-ABCDEFG.md", "gone.md", "syncthing"),
    }
    assert not found["gone.sync-conflict-20260501-123456-ABCDEFG.md"].original_exists
    assert found["projects/plan (Jane's conflicted copy 2026-05-01).md"].original_exists
    for copy in found.values():
        assert vault.read(copy.locator) == copy.locator.key  # readable like any file


def test_declares_that_it_is_synced(vault: VaultBackend) -> None:
    assert vault.conflict_strategy == "whole-file"
    assert (vault.capabilities.sync, vault.capabilities.conflict_files) == (True, True)
