"""One lock for each vault, in a file that lies outside of it."""

from __future__ import annotations

import hashlib
import os
import socket

from quire.backends.local.guard import Guard, program
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


class FileGuard(Guard):
    """A lock on the file at `path`, in which its holder says who it is."""

    def __init__(self, path: str, name: str, timeout: float) -> None:
        super().__init__(name, timeout)
        self.path = path

    def open(self) -> int:
        return os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def holder(self, fd: int) -> str:
        return os.pread(fd, 1000, 0).decode("utf-8", "replace").strip()

    def taken(self, fd: int) -> None:
        pid = os.getpid()
        line = f"process {pid} on {socket.gethostname()} ({program(pid)})\n".encode()
        os.pwrite(fd, line, 0)
        os.ftruncate(fd, len(line))
