"""One lock for each vault, in a file that lies outside of it."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from quire.backends.local.guard import Guard, acquire, program, release
from quire.errors import SelectionError


def state_folder(root: str) -> str:
    """The folder where this machine keeps its lock and records of the vault at `root`, a real path.

    It is keyed by a hash of that path, so that two names of one vault share it. Raises SelectionError where it would
    lie inside the vault: a sync service would carry it to other machines.
    """
    base = os.environ.get("QUIRE_STATE_DIR") or os.path.join(
        os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "quire"
    )
    base = os.path.realpath(base)
    if base == root or base.startswith(root.rstrip("/") + "/"):
        raise SelectionError(
            f"the lock would lie inside the vault, in {base}",
            where=root,
            remedy="Set QUIRE_STATE_DIR to a folder that is not synced",
            code="STATE_IN_VAULT",
        )
    return os.path.join(base, "vaults", hashlib.sha256(os.fsencode(root)).hexdigest()[:32])


def file_guard(path: str, name: str, timeout: float) -> Guard:
    """A lock on the file at `path`, which says in words who holds it."""

    @contextmanager
    def hold() -> Iterator[None]:
        fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            acquire(fd, timeout, name, lambda: os.pread(fd, 1000, 0).decode("utf-8", "replace").strip())
            os.ftruncate(fd, 0)
            os.pwrite(fd, _myself(), 0)
            yield
        finally:
            release(fd)

    return hold


def _myself() -> bytes:
    pid = os.getpid()
    return f"process {pid} on {socket.gethostname()} ({program(pid)})\n".encode()
