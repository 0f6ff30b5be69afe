"""Each system call a change needs, failing in turn: the old text is intact, the error is ours, the next change works.

strace makes the kernel refuse the calls of a real process. `-P` limits it to our folders; temporary files have names
nobody knows beforehand, so their `fsync` and `write` are caught without it: the interpreter itself makes no such calls
before the change is done.
"""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend
from quire.errors import QuireError, StorageError, StorageFull
from quire.locator import Locator
from tests.budget import budget

pytestmark = pytest.mark.torture

CHANGE = """
import json, sys, traceback
from quire.backends.local import DeviceLocalBackend
from quire.errors import QuireError
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
import quire.backends.local.rename as rename
rename._function()
a, b = Locator("notes/a.md"), Locator("new/folder/b.md")
changes = {
    "write": lambda s: s.write(a, "new"),
    "create": lambda s: s.write(b, "new", if_version=ABSENT),
    "replace": lambda s: s.write(a, "new", if_version=version_of("old")),
    "delete": lambda s: s.delete(a, if_version=version_of("old")),
    "move": lambda s: s.move(a, b),
    "append": lambda s: s.append_bytes(a, b" and new"),
    "begin": lambda s: s.append_bytes(b, b"new"),
}
try:
    storage = DeviceLocalBackend(sys.argv[1])
    sys.stdout.flush()
    changes[sys.argv[2]](storage)
    outcome = "done"
except QuireError as error:
    outcome = [error.code, str(error)]
except BaseException:
    outcome = ["NOT_OURS", traceback.format_exc()]
json.dump(outcome, open(sys.argv[3], "w"))
"""

CALLS = {
    "fsync": False,
    "fdatasync": False,
    "write": False,
    "openat": True,
    "renameat": True,
    "renameat2": True,
    "unlinkat": True,
    "mkdirat": True,
    "fchmod": False,
}
ERRORS = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "ENOMEM"][: budget(2, 7)]
BEFORE = {"notes/a.md": "old"}
AFTER = {
    "write": {"notes/a.md": "new"},
    "create": {"notes/a.md": "old", "new/folder/b.md": "new"},
    "replace": {"notes/a.md": "new"},
    "delete": {},
    "move": {"new/folder/b.md": "old"},
    "append": {"notes/a.md": "old and new"},
    "begin": {"notes/a.md": "old", "new/folder/b.md": "new"},
}
MOST = 40  # times one call can come in one change


def files(root: Path) -> dict[str, str]:
    """What lies in the folder, read around the backend."""
    return {
        str(path.relative_to(root)): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and ".quire-" not in str(path)
    }


def inject(tmp_path: Path, verb: str, call: str, error: str, when: int) -> tuple[bool, object, Path]:
    """Make one change in a process whose `when`-th such call fails: (whether it came to that, outcome, root)."""
    strace = shutil.which("strace")
    assert strace, "strace is not installed; `make test` installs it"
    root = tmp_path / f"{verb}-{call}-{error}-{when}"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "a.md").write_text("old")
    trace, outcome = tmp_path / "trace", tmp_path / "outcome"
    outcome.unlink(missing_ok=True)
    below = ["", "/notes", "/notes/a.md", "/.quire-writers", "/new", "/new/folder"]
    limits = [word for part in below for word in ("-P", f"{root}{part}")] if CALLS[call] else []
    injection = ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]
    change = [sys.executable, "-c", CHANGE, str(root), verb, str(outcome)]
    subprocess.run(
        [strace, "-f", "-qq", "-o", str(trace), *limits, *injection, *change],
        check=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    hit = "INJECTED" in trace.read_text()
    return hit, json.loads(outcome.read_text()), root


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("verb", AFTER)
def test_every_call_may_fail(tmp_path: Path, verb: str, call: str) -> None:
    refused = 0
    for error in ERRORS:
        for when in range(1, MOST):
            hit, outcome, root = inject(tmp_path, verb, call, error, when)
            if not hit:
                assert outcome == "done"
                break
            judge(verb, outcome, root, f"{call} {error} #{when}")
            refused += outcome != "done"
        else:
            pytest.fail(f"{verb} makes {MOST} calls of {call} or more")
    needed = {
        ("write", "fsync"),
        ("create", "renameat2"),
        ("replace", "renameat2"),
        ("delete", "renameat"),
        ("append", "fdatasync"),
        ("append", "write"),
        ("begin", "fsync"),
    }
    assert refused or (verb, call) not in needed


def judge(verb: str, outcome: object, root: Path, fault: str) -> None:
    """The outcome that was told is the one on disk, before and after the next open, which also leaves no litter."""
    if outcome == "done":
        allowed = [AFTER[verb]]
    else:
        assert isinstance(outcome, list)
        code, message = outcome
        assert code not in ("NOT_OURS", "STORAGE_ERROR"), f"{fault}: {message}"
        allowed = [BEFORE, AFTER[verb]] if code == "OUTCOME_UNKNOWN" else [BEFORE]
    assert files(root) in allowed or (outcome != "done" and code == "OUTCOME_UNKNOWN"), f"{fault}: {outcome}"
    with DeviceLocalBackend(root) as storage:
        found = {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator())}
        assert found in allowed, f"{fault}: {outcome} but {found}"
        storage.write(Locator("next.md"), "works")
    assert not list(root.rglob(".quire-*")), fault


def test_a_write_that_is_cut_short_by_a_limit_keeps_the_old_text(tmp_path: Path) -> None:
    root = tmp_path / "root"
    at = Locator("a.md")
    with DeviceLocalBackend(root) as storage:
        storage.write(at, "old")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(StorageFull) as caught:
                storage.write(at, "x" * 100_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)
        assert isinstance(caught.value, StorageError | QuireError)
        assert "a.md" in str(caught.value)
        assert storage.read(at) == "old"
        assert [path.name for path in root.iterdir() if not path.name.startswith(".quire-writers")] == ["a.md"]
        storage.write(at, "new")
        assert storage.read(at) == "new"
