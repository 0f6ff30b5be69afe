"""Acknowledged changes survive the loss of power, on the worst disk that POSIX allows."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.locator import Locator
from tests.backends.local.killing import Change, Files, apply, choose, is_whole, make, summary
from tests.backends.local.powerloss import File, Folder, Recorder
from tests.budget import budget

pytestmark = pytest.mark.torture
CRASHES = budget(2_000, 20_000)


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder in memory, as the disk here is the one that is played."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


def test_acknowledged_changes_survive_power_cuts(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed := random.SystemRandom().getrandbits(32))
    root, woken = base / "root", base / "woken"
    root.mkdir()
    files: Files = {}
    flying: Change | None = None
    crashes: dict[str, int] = {}

    def cut() -> None:
        if chance.random() < 0.5:
            return
        mode = recorder.disk.after_power_loss(chance, woken)
        crashes[mode] = crashes.get(mode, 0) + 1
        try:
            with DeviceLocalBackend(woken) as storage:
                found = {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator())}
            told = f"seed {seed}, {mode}, {flying}: found {summary(found)}, promised {summary(files)}"
            assert all(is_whole(content) for content in found.values()), f"torn: {told}"
            assert found in allowed(files, flying), told
            assert not list(woken.rglob(".quire-*")), f"litter: {told}"
        finally:
            shutil.rmtree(woken)

    recorder = Recorder(root, cut)
    with recorder.recording(monkeypatch), DeviceLocalBackend(root) as storage:
        number = 0
        while sum(crashes.values()) < CRASHES:
            flying = choose(chance, "", files, number)
            make(storage, files, flying)
            files, flying = apply(files, flying), None
            with recorder.paused():
                cut()  # power may go at the very moment the caller has been told
            number += 1
    print(f"{crashes}, {number} changes, seed {seed}")
    assert min(crashes.values()) > CRASHES // 10
    assert names(recorder.disk.root) >= set(files), "the model heard of every change"


def test_acknowledged_appends_survive_power_cuts(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed := random.SystemRandom().getrandbits(32))
    root, woken = base / "root", base / "woken"
    root.mkdir()
    promised: dict[str, bytes] = {}
    key, flying = "", b""
    crashes = 0

    def cut() -> None:
        nonlocal crashes
        if chance.random() < 0.5:
            return
        crashes += 1
        mode = recorder.disk.after_power_loss(chance, woken)
        try:
            with DeviceLocalBackend(woken) as storage:
                found = {info.locator.key: storage.read_bytes(info.locator) for info in storage.walk(Locator())}
            told = f"seed {seed}, {mode}, {key}: found {found}, promised {promised}"
            tail = found.pop(key, b"")
            assert found == {other: content for other, content in promised.items() if other != key}, told
            assert tail.startswith(promised.get(key, b"")), told
            assert len(tail) <= len(promised.get(key, b"") + flying), told
        finally:
            shutil.rmtree(woken)

    recorder = Recorder(root, cut)
    with recorder.recording(monkeypatch), DeviceLocalBackend(root) as storage:
        while crashes < CRASHES // 4:
            key = f"logs/{chance.randrange(1 + crashes // 50)}.log"
            flying = b"x" * chance.randrange(200) + b"\n"
            storage.append_bytes(Locator(key), flying)
            promised[key], flying = promised.get(key, b"") + flying, b""
            with recorder.paused():
                cut()  # power may go at the very moment the caller has been told


def test_an_append_to_a_file_that_a_stranger_just_made_keeps_its_name_too(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = base / "root"
    root.mkdir()
    recorder = Recorder(root, lambda: None)
    with recorder.recording(monkeypatch), DeviceLocalBackend(root) as storage:
        folder = os.open(root, os.O_RDONLY)
        os.close(os.open("a.log", os.O_CREAT | os.O_WRONLY, dir_fd=folder))  # and the folder is never synced
        os.close(folder)
        storage.append_bytes(Locator("a.log"), b"acknowledged")
    for seed in range(50):
        recorder.disk.after_power_loss(random.Random(seed), base / "woken")
        assert (base / "woken" / "a.log").read_bytes() == b"acknowledged"
        shutil.rmtree(base / "woken")


def allowed(files: Files, flying: Change | None) -> list[Files]:
    """What may be found: all that was acknowledged, with the change in flight or without it."""
    if flying is None:
        return [files]
    after = apply(files, flying)
    both = [{**files, **after}] if flying[0] == "move" else []  # the new name is on disk, the old one still
    return [files, after, *both]


def names(folder: Folder, prefix: str = "") -> set[str]:
    found = set()
    for name, node in folder.names.items():
        found |= {prefix + name} if isinstance(node, File) else names(node, f"{prefix}{name}/")
    return found


def test_the_played_disk_forgets_what_was_not_made_durable(base: Path) -> None:
    """The examiner is examined: a writer without fsync loses, and one without fsync of the folder loses too."""
    for fsync_file, fsync_folder, lost in ((False, True, "content"), (True, False, "name"), (True, True, None)):
        recorder = Recorder(base, lambda: None)
        disk, made = recorder.disk, File()
        disk.step((disk.root, "a.tmp", made))
        made.content = b"acknowledged"
        if fsync_file:
            disk.fsync(made)
        disk.step((disk.root, "a.tmp", None), (disk.root, "a.md", made))
        if fsync_folder:
            disk.fsync(disk.root)
        woken = [wake(disk_state=recorder, base=base, seed=seed) for seed in range(50)]
        if lost is None:
            assert woken == [b"acknowledged"] * 50
        elif lost == "name":
            assert None in woken
        else:
            assert b"" in woken


def wake(disk_state: Recorder, base: Path, seed: int) -> bytes | None:
    into = base / "woken"
    disk_state.disk.after_power_loss(random.Random(seed), into)
    try:
        return (into / "a.md").read_bytes() if (into / "a.md").exists() else None
    finally:
        shutil.rmtree(into)
