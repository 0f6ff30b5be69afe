"""Nothing outside of the root is read or written, whatever the key says and whoever swaps links meanwhile."""

from __future__ import annotations

import ctypes
import os
import random
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.errors import AccessDenied, InvalidLocatorError, NotADirectory, NotFound, QuireError, Unavailable
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
from tests.budget import budget

pytestmark = pytest.mark.torture

SECRET = "outside: nobody may read this"
PIECES = [
    "..", ".", "", "/", "//", "\\", "a", "b", "outside", "secret.md", "root", "~", "~root", "C:", "c:", "\0", "\n",
    "\r", "\x1b", "%2e%2e", "%2f", "..;", "...", ". .", " ", "CON", "nul.md", "com1", "LPT9", "conin$", "é", "e\u0301",
    "\u2024\u2024", "\uff0e\uff0e", "\uff0f", "\u2215", "\u202e", "\u200b", "\ufeff", "\ud800", "-rf", "*", "?",
    "$(id)", "`id`", ";", "&", "file://", "http://x", "proc/self/root", "dev/null", "etc/passwd", ".git", ".quire-w",
    "x" * 255, "x" * 256, "é" * 127, "\U0001f9f5", "a.md", "a.md.", "a ", ".hidden", "link", "loop", "pipe",
]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder where fsync costs nothing, as this is not about the disk."""
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        yield Path(folder)


def outside(base: Path) -> dict[str, str]:
    """Everything beside the root, with content: what must never change."""
    return {
        str(path.relative_to(base)): path.read_text() if path.is_file() else "folder"
        for path in base.rglob("*")
        if "root" not in path.relative_to(base).parts[:1]
    }


def test_generated_keys_stay_in_the_root(memory: Path) -> None:
    chance = random.Random(seed := random.SystemRandom().getrandbits(32))
    (memory / "outside").mkdir()
    (memory / "outside" / "secret.md").write_text(SECRET)
    root = memory / "root"
    root.mkdir()
    (root / "link").symlink_to(memory / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe")
    before = outside(memory)
    accepted = refused = 0
    with DeviceLocalBackend(root) as storage:
        for number in range(budget(100_000, 1_000_000)):
            key = chance.choice(["", "/"]).join(chance.choices(PIECES, k=chance.randint(1, 6)))
            try:
                at = Locator(key)
            except InvalidLocatorError:
                refused += 1
                continue
            accepted += 1
            assert ".." not in at.parts and not at.key.startswith("/"), (seed, key)
            assert Locator(at.key) == at == Locator(unicodedata.normalize("NFD", at.key)), (seed, key)
            try:
                assert not storage.exists(at) or SECRET not in (storage.list(at) or storage.read(at)), (seed, key)
                if number % 16 == 0:
                    storage.write(at, "x", if_version=ABSENT if number % 32 else version_of("x"))
                if number % 64 == 0:
                    storage.move(at, Locator(f"moved/{number}"))
            except QuireError:
                pass  # refused, in our own words: what is asked here is only where it reads and writes
        assert outside(memory) == before, f"seed {seed}"
        assert accepted > 1000 and refused > 1000
        reached = {info.locator for info in storage.walk(Locator())}
        assert all(Path(root, at.key).resolve().is_relative_to(root.resolve()) for at in reached)
        assert not any(at.parts[0] in ("link", "loop", "pipe") for at in reached)


def test_links_pipes_and_other_names_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(SECRET)
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / "file-link.md").symlink_to(tmp_path / "secret.md")
    (root / "dangling.md").symlink_to(tmp_path / "nothing.md")
    (root / "folder-link").symlink_to(tmp_path / "outside")
    (root / "inner-link").symlink_to(root / "folder")
    (root / "hard.md").hardlink_to(tmp_path / "secret.md")
    (root / "bad\\name").write_text("x")
    (root / "trailing.").write_text("x")
    os.mkfifo(root / "pipe")
    with DeviceLocalBackend(root) as storage:
        for name in ("file-link.md", "dangling.md", "pipe", "hard.md"):
            with pytest.raises(AccessDenied):
                storage.read(Locator(name))
            with pytest.raises(AccessDenied):
                storage.write(Locator(name), "x", if_version=version_of(SECRET))
        for name in ("file-link.md", "dangling.md", "pipe", "folder-link"):
            with pytest.raises((AccessDenied, NotADirectory)):
                storage.write(Locator(name), "x")
            assert not storage.exists(Locator(name))
        with pytest.raises((AccessDenied, NotFound)):
            storage.read(Locator("folder-link/secret.md"))
        with pytest.raises(AccessDenied):
            storage.write(Locator("folder-link/new.md"), "x")
        with pytest.raises(AccessDenied):
            storage.mkdir(Locator("folder-link/new"))
        assert [at.key for at in storage.list(Locator())] == ["hard.md"]
        reasons = dict(storage.unreachable())
    assert (tmp_path / "secret.md").read_text() == SECRET
    assert os.listdir(tmp_path / "outside") == []
    assert set(reasons) == {path.name for path in root.iterdir()}
    assert "symbolic link" in reasons["file-link.md"]
    assert "hard link" in reasons["hard.md"]
    assert "pipe" in reasons["pipe"]


def test_a_link_swapped_in_during_the_call_leads_nowhere(tmp_path: Path) -> None:
    """One thread exchanges a folder and a link, and a file and a link, without pause; the verbs run meanwhile."""
    base, root, away = tmp_path, tmp_path / "root", tmp_path / "outside"
    for folder in (root / "folder", away):
        folder.mkdir(parents=True)
        for name in ("a.md", "b.md", "swap.md"):
            (folder / name).write_text("inside" if folder != away else SECRET)
    (base / "to-folder").symlink_to(away)
    (base / "to-file").symlink_to(away / "a.md")
    before = {path.name: path.read_text() for path in away.iterdir()}
    libc = ctypes.CDLL(None, use_errno=True)
    stop = threading.Event()

    def swap(one: Path, other: Path) -> None:
        while not stop.is_set():
            libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2)

    threads = [
        threading.Thread(target=swap, args=(base / "to-folder", root / "folder")),
        threading.Thread(target=swap, args=(base / "to-file", root / "top.md")),
    ]
    (root / "top.md").write_text("inside")
    outcomes: dict[str, int] = {}
    with DeviceLocalBackend(root) as storage:
        for thread in threads:
            thread.start()
        try:
            until = time.monotonic() + budget(4, 600)
            while time.monotonic() < until:
                attempts: list[tuple[str, Callable[[], object]]] = [
                    ("read", lambda: storage.read(Locator("folder/a.md"))),
                    ("read", lambda: storage.read(Locator("top.md"))),
                    ("walk", lambda: "".join(info.locator.key for info in storage.walk(Locator()))),
                    ("list", lambda: str(storage.list(Locator("folder")))),
                    ("write", lambda: storage.write(Locator("folder/b.md"), "inside").key),
                    ("write", lambda: storage.write(Locator("top.md"), "inside").key),
                    ("write", lambda: storage.write(Locator("folder/new/deep.md"), "inside").key),
                    ("move", lambda: storage.move(Locator("folder/b.md"), Locator("folder/c.md")).key),
                    ("delete", lambda: storage.delete(Locator("folder/c.md"), if_version=version_of("inside"))),
                ]
                for name, verb in attempts:
                    try:
                        result = verb()
                        assert SECRET not in str(result)
                        outcomes[f"{name} done"] = outcomes.get(f"{name} done", 0) + 1
                    except QuireError as error:
                        outcomes[f"{name} {error.code}"] = outcomes.get(f"{name} {error.code}", 0) + 1
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    print(outcomes)
    assert {path.name: path.read_text() for path in away.iterdir()} == before
    assert outcomes["read done"] and outcomes["write done"]
    assert any(count for outcome, count in outcomes.items() if "PERMISSION" in outcome or "NOT_FOUND" in outcome)


def test_a_root_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with DeviceLocalBackend(root) as storage:
        storage.write(Locator("a"), "x")
        root.rename(tmp_path / "moved")
        with pytest.raises(Unavailable):
            storage.read(Locator("a"))
        root.mkdir()
        verbs: list[Callable[[], object]] = [
            lambda: storage.write(Locator("a"), "y"),
            lambda: storage.list(Locator()),
        ]
        for verb in verbs:
            with pytest.raises(Unavailable):
                verb()
    assert os.listdir(root) == []
    assert (tmp_path / "moved" / "a").read_text() == "x"
