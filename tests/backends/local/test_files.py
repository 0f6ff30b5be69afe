"""What a person finds on disk: plain files, with the modes and the names they would expect."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend, beneath
from quire.errors import Conflict, StorageError, Unavailable
from quire.locator import Locator
from quire.ports.storage import version_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def storage(root: Path) -> Iterator[DeviceLocalBackend]:
    with DeviceLocalBackend(root) as storage:
        yield storage


def test_lives_in_the_home_folder_unless_told_otherwise(home: Path) -> None:
    with DeviceLocalBackend() as storage:
        storage.write(Locator("a.md"), "x")
    assert (home / ".quire" / "a.md").read_text() == "x"
    assert (home / ".quire").stat().st_mode & 0o777 == 0o700


def test_a_tilde_is_the_home_folder(home: Path) -> None:
    with DeviceLocalBackend("~/notes") as storage:
        assert storage.root == str(home / "notes")


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_a_plain_open_would_give(storage: DeviceLocalBackend, root: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        storage.write(Locator("folder/a.md"), "x")
        (root / "plain").write_text("x")
        (root / "plain-folder").mkdir()
    finally:
        os.umask(before)
    assert (root / "folder/a.md").stat().st_mode == (root / "plain").stat().st_mode
    assert (root / "folder").stat().st_mode == (root / "plain-folder").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_a_changed_file_keeps_its_mode(storage: DeviceLocalBackend, root: Path, mode: int) -> None:
    at = storage.write(Locator("a.md"), "x")
    (root / "a.md").chmod(mode)
    storage.write(at, "y")
    storage.write(at, "z", if_version=version_of("y"))
    assert (root / "a.md").stat().st_mode & 0o7777 == mode


def test_a_name_that_another_system_wrote_decomposed_is_found_and_kept(storage: DeviceLocalBackend, root: Path) -> None:
    composed = "Ünïcödé.md"
    decomposed = unicodedata.normalize("NFD", composed)
    (root / decomposed).write_text("from a Mac")
    at = Locator(composed)
    assert storage.read(at) == "from a Mac"
    assert storage.list(Locator()) == [at]
    storage.write(at, "changed")
    storage.write(at, "again", if_version=version_of("changed"))
    assert [path.name for path in root.iterdir() if not path.name.startswith(".quire-")] == [decomposed]
    storage.move(at, Locator("é.md"))
    assert storage.read(Locator("é.md")) == "again"


def test_of_two_spellings_the_composed_one_answers_and_the_other_is_reported(
    storage: DeviceLocalBackend, root: Path
) -> None:
    (root / unicodedata.normalize("NFD", "é.md")).write_text("decomposed")
    (root / "é.md").write_text("composed")
    assert storage.read(Locator("é.md")) == "composed"
    assert len(storage.list(Locator())) == len(list(storage.walk(Locator()))) == 1
    assert [why for _, why in storage.unreachable()] == ["the same name as another, in another Unicode form"]


def test_links_are_noted_by_who_asks_before_anything_that_comes_after_them(
    storage: DeviceLocalBackend, root: Path, tmp_path: Path
) -> None:
    storage.write(Locator("a/b.md"), "x")
    storage.write(Locator("a/d.md"), "x")
    (tmp_path / "file.md").write_text("x")
    (tmp_path / "folder").mkdir()
    (root / "a/c.md").symlink_to(tmp_path / "file.md")
    (root / "a/e").symlink_to(tmp_path / "folder")
    (root / "a/f").symlink_to(root / "a/f")  # round and round
    (root / "top").symlink_to(tmp_path / "gone")
    links: list[str] = []
    seen = []
    for info in storage.walk_noting(Locator(), links):
        seen.append((info.locator.key, {"a/c.md"} <= {*links}))
    assert seen == [("a/b.md", True), ("a/d.md", True)]
    assert sorted(links) == ["a/c.md", "a/e/", "a/f/", "top/"]
    assert storage.links(Locator()) == ["top/"]
    assert [info.locator.key for info in storage.walk(Locator())] == ["a/b.md", "a/d.md"]


def test_a_name_that_fits_only_composed_is_a_name(storage: DeviceLocalBackend) -> None:
    at = storage.write(Locator("ä" * 127), "text")  # 254 bytes; decomposed they would be 381
    assert storage.read(at) == "text"


def test_an_edit_by_hand_is_seen_at_once(storage: DeviceLocalBackend, root: Path) -> None:
    at = storage.write(Locator("a.md"), "before")
    [before] = storage.walk(Locator())
    (root / "a.md").write_text("edited")
    os.utime(root / "a.md", (before.mtime, before.mtime))  # as a sync client does
    [after] = storage.walk(Locator())
    assert storage.read(at) == "edited"
    assert after.version != before.version
    with pytest.raises(Conflict):
        storage.write(at, "mine", if_version=version_of("before"))
    assert storage.read(at) == "edited"


def test_a_stamp_of_walk_is_no_precondition_and_says_so(storage: DeviceLocalBackend) -> None:
    at = storage.write(Locator("a.md"), "x")
    [seen] = storage.walk(Locator())
    with pytest.raises(Conflict, match="ask info for the exact one"):
        storage.write(at, "y", if_version=seen.version)


def test_dot_files_of_the_person_are_files_like_any_other(storage: DeviceLocalBackend, root: Path) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "app.json").write_text("{}")
    assert [info.locator.key for info in storage.walk(Locator())] == [".obsidian/app.json"]


def test_our_own_files_are_no_one_elses_business(storage: DeviceLocalBackend, root: Path) -> None:
    storage.write(Locator("a.md"), "x")
    assert (root / ".quire-writers").is_dir()
    assert storage.list(Locator()) == [Locator("a.md")]
    assert [info.locator.key for info in storage.walk(Locator())] == ["a.md"]
    assert list(storage.unreachable()) == []
    storage.close()
    assert not (root / ".quire-writers").exists()


def test_a_closed_storage_says_so(storage: DeviceLocalBackend) -> None:
    storage.close()
    for verb in (lambda: storage.read(Locator("a")), lambda: storage.write(Locator("a"), "x")):
        with pytest.raises(Unavailable, match="closed"):
            verb()


@pytest.mark.parametrize("one_step", [True, False])
def test_a_folder_that_was_replaced_is_made_durable_anew(
    storage: DeviceLocalBackend, root: Path, one_step: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def noted(fd: int) -> None:
        synced.append(os.fstat(fd).st_ino)
        fsync(fd)

    monkeypatch.setattr(os, "fsync", noted)
    if not one_step:
        monkeypatch.setattr(beneath, "opened", lambda path, flags, within: -errno.ENOSYS)
    storage.write(Locator("a/b/one.md"), "text")
    storage.write(Locator("a/b/two.md"), "text")
    (root / "a").rename(root / "old")
    (root / "a").mkdir()
    (root / "old" / "b").rename(root / "a" / "b")
    synced.clear()
    storage.write(Locator("a/b/three.md"), "text")
    assert {root.stat().st_ino, (root / "a").stat().st_ino, (root / "a" / "b").stat().st_ino} <= set(synced)


def test_where_one_step_is_not_to_be_had_the_walk_gives_the_same(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.write(Locator("a/b/one.md"), "text")
    (root / "link").symlink_to(root / "a")

    def seen() -> list[object]:
        found: list[object] = [storage.read(Locator("a/b/one.md")), storage.list(Locator("a/b"))]
        found += [storage.exists(Locator(key)) for key in ("a/b/one.md", "a/c/one.md", "a/b/one.md/below")]
        for key in ("link/b/one.md", "a/c/one.md", "a/b/one.md/below"):
            with pytest.raises(StorageError) as refused:
                storage.read(Locator(key))
            found.append(str(refused.value))
        return found

    in_one_step = seen()
    monkeypatch.setattr(beneath, "opened", lambda path, flags, within: -errno.ENOSYS)
    assert seen() == in_one_step
