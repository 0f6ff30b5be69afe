"""Several processes on one folder: every conditional change counts, and a dead one is in nobody's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.backends.vault import VaultBackend
from quire.errors import Busy
from quire.locator import Locator
from quire.ports.storage import version_of
from tests.backends.counting import count_in_processes

HOLDS = """
import sys, time
from quire.backends.vault import VaultBackend
from quire.backends.local import DeviceLocalBackend
storage = {"vault": VaultBackend, "device-local": DeviceLocalBackend}[sys.argv[1]](sys.argv[2])
with storage._guard.hold():
    print("held", flush=True)
    time.sleep(60)
"""
KINDS: dict[str, type[DeviceLocalBackend]] = {"device-local": DeviceLocalBackend, "vault": VaultBackend}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@contextmanager
def holder(kind: str, root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it is killed."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, kind, str(root)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_eight_processes_count_to_the_exact_sum(root: Path, kind: str) -> None:
    with KINDS[kind](root) as storage:
        assert count_in_processes(storage, {"root": str(root), "lock_timeout": 60}) == 8 * 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_living_holder_is_named_when_the_wait_is_over(root: Path, kind: str) -> None:
    with KINDS[kind](root, lock_timeout=0.2) as storage, holder(kind, root) as process:
        changes: list[Callable[[], object]] = [
            lambda: storage.write(Locator("a"), "x"),
            lambda: storage.write(Locator("a"), "x", if_version=version_of("y")),
            lambda: storage.move(Locator("b"), Locator("c")),
        ]
        for change in changes:
            (root / "b").write_text("b")
            (root / "a").write_text("y")
            with pytest.raises(Busy) as caught:
                change()
            assert f"process {process.pid}" in str(caught.value)
            assert str(root) in str(caught.value)
            assert isinstance(caught.value, TimeoutError)
        assert storage.read(Locator("a")) == "y"  # reading waits for nobody
        assert sorted(at.key for at in storage.list(Locator())) == ["a", "b"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_lock_of_a_killed_holder_is_free_at_once(root: Path, kind: str) -> None:
    with KINDS[kind](root, lock_timeout=30) as storage, holder(kind, root) as process:
        waiting = threading.Thread(target=lambda: storage.write(Locator("a"), "x"))
        waiting.start()
        process.send_signal(signal.SIGKILL)
        process.wait()
        died = time.monotonic()
        waiting.join(30)
        assert time.monotonic() - died < 1
        assert storage.read(Locator("a")) == "x"


@pytest.mark.parametrize("kind", KINDS)
def test_a_suspended_holder_makes_others_wait_and_then_say_so(root: Path, kind: str) -> None:
    with KINDS[kind](root, lock_timeout=0.2) as storage, holder(kind, root) as process:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(Busy):
            storage.write(Locator("a"), "x")
        process.send_signal(signal.SIGCONT)


def test_the_lock_is_a_file_outside_of_the_vault(root: Path) -> None:
    with VaultBackend(root) as storage:
        storage.write(Locator("a"), "x")
        assert not storage.lock_path.startswith(str(root))
        assert os.path.exists(storage.lock_path)
        assert os.listdir(root) == ["a"]


def test_a_forked_child_writes_under_a_record_of_its_own(root: Path) -> None:
    script = f"""
import os
from quire.backends.local import DeviceLocalBackend
from quire.locator import Locator
storage = DeviceLocalBackend({str(root)!r})
storage.write(Locator("parent"), "1")
pid = os.fork()
if pid == 0:
    storage.write(Locator("child"), "2")
    assert len(os.listdir({str(root / ".quire-writers")!r})) == 2
    storage.close()
    os._exit(0)
_, status = os.waitpid(pid, 0)
assert status == 0, status
assert len(os.listdir({str(root / ".quire-writers")!r})) == 1
storage.write(Locator("parent"), "3")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert sorted(os.listdir(root)) == ["child", "parent"]  # the record went with the process, though nobody closed
