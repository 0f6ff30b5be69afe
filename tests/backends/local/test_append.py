"""Appends on a folder: cheap, beside writers that replace the file, and never into a file that has lost its name."""

from __future__ import annotations

import os
import random
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.backends.local import append as module
from quire.backends.local.folder import Place
from quire.backends.ram import RamBackend
from quire.backends.vault import VaultBackend
from quire.errors import AccessDenied, Busy, Conflict, OutcomeUnknown, StorageFull, TooLarge, Unavailable
from quire.locator import Locator
from quire.ports import storage as port
from quire.ports.storage import IfVersion, StorageBackend, version_of
from tests.backends.appending import AT, start, whole
from tests.budget import budget

A = Locator("a.log")
KINDS: dict[str, type[DeviceLocalBackend]] = {"device-local": DeviceLocalBackend, "vault": VaultBackend}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def storage(root: Path) -> Iterator[DeviceLocalBackend]:
    with DeviceLocalBackend(root) as storage:
        yield storage


@pytest.fixture
def when(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], object]], None]:
    """Let something happen, once, right before a system call."""

    def plan(call: str, happens: Callable[[], object]) -> None:
        real, waiting = getattr(os, call), [happens]

        def then(*arguments: object, **keywords: object) -> object:
            if waiting:
                waiting.pop()()
            return real(*arguments, **keywords)

        monkeypatch.setattr(os, call, then)

    return plan


@pytest.mark.parametrize("kind", KINDS)
def test_what_eight_processes_append_is_all_there_once_and_whole(root: Path, kind: str) -> None:
    with KINDS[kind](root) as storage:
        running = [start(storage, {"root": str(root), "lock_timeout": 60}, f"w{number}", 200) for number in range(8)]
        for process in running:
            _, errors = process.communicate(timeout=300)
            assert process.returncode == 0, errors[-2000:]
        found = whole(storage.read_bytes(AT))
        assert len(storage.read_bytes(AT).splitlines()) == 2 * len(found) == 2 * 8 * 200
        for number in range(8):
            assert [n for writer, n in found if writer == f"w{number}"] == list(range(200))


@pytest.mark.torture
def test_acknowledged_appends_survive_kills_at_random_moments(root: Path) -> None:
    chance = random.Random(seed := random.SystemRandom().getrandbits(32))
    promised: dict[str, int] = {}
    with DeviceLocalBackend(root) as storage:
        for life in range(budget(15, 250)):
            running = {f"{life}.{n}": start(storage, {"root": str(root)}, f"{life}.{n}", 100_000) for n in range(4)}
            for writer, process in running.items():
                with process:
                    assert process.stdout
                    told = [process.stdout.readline() for _ in range(chance.randint(1, 20))]
                    process.send_signal(signal.SIGKILL)
                    told += [line for line in process.stdout if line.endswith("\n")]
                    promised[writer] = int(told[-1])
        found = whole(storage.read_bytes(AT))
        for writer, last in promised.items():
            mine = [number for name, number in found if name == writer]
            assert mine in (list(range(last + 1)), list(range(last + 2))), f"seed {seed}, {writer}: {last}, {mine[-3:]}"
    print(f"{len(promised)} kills, {len(found)} records, seed {seed}")


def test_a_new_log_has_the_mode_of_a_new_file_and_an_old_one_keeps_its_own(
    storage: DeviceLocalBackend, root: Path
) -> None:
    storage.append_bytes(A, b"x")
    (root / "plain").write_text("x")
    assert (root / "a.log").stat().st_mode == (root / "plain").stat().st_mode
    (root / "a.log").chmod(0o600)
    storage.append_bytes(A, b"y")
    assert (root / "a.log").stat().st_mode & 0o7777 == 0o600
    assert (root / "a.log").read_bytes() == b"xy"


def test_an_append_makes_nothing_beside_the_file(storage: DeviceLocalBackend, root: Path) -> None:
    storage.append_bytes(A, b"x")
    assert os.listdir(root) == ["a.log"]


def test_nothing_is_appended_to_a_link_a_pipe_a_device_or_a_file_with_two_names(
    storage: DeviceLocalBackend, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("outside")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "dangling").symlink_to(tmp_path / "absent")
    os.link(tmp_path / "outside", root / "hard")
    os.mkfifo(root / "pipe")
    os.mknod(root / "null", 0o666 | 0o020000, os.makedev(1, 3)) if os.geteuid() == 0 else os.mkfifo(root / "null")
    reader = os.open(root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        for name in ("link", "dangling", "hard", "pipe", "null"):
            with pytest.raises(AccessDenied):
                storage.append_bytes(Locator(name), b"x")
    finally:
        os.close(reader)
    assert (tmp_path / "outside").read_text() == "outside"
    assert not (tmp_path / "absent").exists()


def test_a_link_swapped_in_during_the_call_is_not_followed(
    storage: DeviceLocalBackend, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").write_text("outside")
    storage.append_bytes(A, b"x")
    look = Place.stat

    def look_and_swap(place: Place) -> os.stat_result | None:
        seen = look(place)
        (root / "a.log").unlink()
        (root / "a.log").symlink_to(tmp_path / "outside")
        return seen

    monkeypatch.setattr(Place, "stat", look_and_swap)
    with pytest.raises(AccessDenied):
        storage.append_bytes(A, b"y")
    assert (tmp_path / "outside").read_text() == "outside"


def test_a_file_that_was_replaced_meanwhile_gets_the_append_under_its_name(
    storage: DeviceLocalBackend, root: Path, when: Callable[[str, Callable[[], object]], None]
) -> None:
    storage.append_bytes(A, b"old\n")

    def an_editor_saves() -> None:
        (root / "new").write_bytes(b"edited\n")
        (root / "new").rename(root / "a.log")

    when("write", an_editor_saves)
    storage.append_bytes(A, b"added\n")
    assert storage.read(A) == "edited\nadded\n"


def test_a_file_that_was_removed_meanwhile_is_made_again(
    storage: DeviceLocalBackend, root: Path, when: Callable[[str, Callable[[], object]], None]
) -> None:
    storage.append_bytes(A, b"old\n")
    when("write", (root / "a.log").unlink)
    storage.append_bytes(A, b"added\n")
    assert storage.read(A) == "added\n"


def test_one_that_is_replaced_without_end_is_given_up(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.append_bytes(A, b"old\n")
    monkeypatch.setattr(module, "_is_at", lambda place, file: False)
    with pytest.raises(Unavailable):
        storage.append_bytes(A, b"added\n")


def test_an_append_that_is_cut_short_leaves_the_old_bytes(storage: DeviceLocalBackend, root: Path) -> None:
    storage.append_bytes(A, b"old\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        for at in (A, Locator("folder/new.log")):
            with pytest.raises(StorageFull):
                storage.append_bytes(at, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert storage.read(A) == "old\n"
    assert os.listdir(root) == ["a.log"]
    storage.append_bytes(A, b"new\n")
    assert storage.read(A) == "old\nnew\n"


def test_what_cannot_be_taken_back_is_said(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.append_bytes(A, b"old\n")
    real = os.write

    def half_and_a_stranger(fd: int, content: bytes) -> int:
        if len(content) < 10:
            with open(root / "a.log", "ab") as stranger:
                stranger.write(b"stranger\n")
            raise OSError(5, "Input/output error")
        return real(fd, content[:5])

    monkeypatch.setattr(os, "write", half_and_a_stranger)
    with pytest.raises(OutcomeUnknown):
        storage.append_bytes(A, b"0123456789")
    assert storage.read(A) == "old\n01234stranger\n"


@pytest.mark.parametrize("call", ["fdatasync", "fsync"])
def test_a_disk_that_does_not_confirm_leaves_it_open(
    storage: DeviceLocalBackend, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def refuse(fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(OutcomeUnknown) as caught:
            storage.append_bytes(A, b"x")
    assert "a.log" in str(caught.value)
    storage.append_bytes(A, b"y")
    assert storage.read(A) == "xy"


def test_the_size_that_would_result_is_what_is_limited(
    storage: DeviceLocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "MAX_CONTENT_BYTES", 10)
    for one in (storage, RamBackend(), ByDefault()):
        one.append_bytes(A, b"12345")
        with pytest.raises(TooLarge):
            one.append_bytes(A, b"678901")
        one.append_bytes(A, b"67890")
        assert one.read(A) == "1234567890"


class ByDefault(RamBackend):
    """As a backend that leaves the verb to the base class."""

    losses = 0

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        return StorageBackend.append_bytes(self, locator, content)

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = port.ANY) -> Locator:
        if self.losses and if_version is not port.ANY:
            self.losses -= 1
            raise Conflict("another was faster", where=locator.key)
        return super().write_bytes(locator, content, if_version=if_version)


def test_the_default_tries_again_where_others_are_faster_and_gives_up_at_last() -> None:
    storage = ByDefault()
    storage.losses = 50
    storage.append_bytes(A, b"x")
    assert storage.read(A) == "x"
    storage.losses = 1_000_000
    with pytest.raises(Busy):
        storage.append_bytes(A, b"y")
    assert storage.info(A).version == version_of("x")
