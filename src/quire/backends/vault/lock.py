"""One lock for each vault, in a file that lies outside of it."""

from __future__ import annotations

import hashlib
import os
import socket

from quire.backends.local import expanded
from quire.backends.local.guard import Guard, program
from quire.backends.local.handle import FOLDER, Handle
from quire.errors import SelectionError


def state_folder(root: str) -> str:
    """The folder where this machine keeps its lock and records of the vault at `root`, a real path.

    It is keyed by a hash of that path, so that two names of one vault share it. Raises SelectionError where it would
    lie inside the vault (a sync service would carry it to other machines), or cannot be used.
    """
    named = os.environ.get("QUIRE_STATE_DIR") or os.path.join(
        os.environ.get("XDG_STATE_HOME") or "~/.local/state", "quire"
    )
    base = expanded(named)
    if not os.path.isabs(base):
        raise SelectionError(
            "the state folder is not a full path", where=named, remedy="Begin it with /", code="STATE_UNUSABLE"
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


def open_state(state: str) -> Handle:
    """The state folder of a vault, made where it is missing: between two uses anyone may delete it."""
    try:
        try:
            return Handle(state, FOLDER)
        except FileNotFoundError:
            os.makedirs(state, mode=0o700, exist_ok=True)
            return Handle(state, FOLDER)
    except OSError as error:
        raise SelectionError(
            f"the lock of the vault cannot be kept here ({error.strerror})",
            where=state,
            remedy="Set QUIRE_STATE_DIR to a folder that this user may write to",
            code="STATE_UNUSABLE",
        ) from error


class FileGuard(Guard):
    """A lock on a file in the state folder, in which its holder says who it is."""

    def __init__(self, state: str, name: str, timeout: float) -> None:
        super().__init__(name, timeout)
        self._state = state

    def open(self) -> Handle:
        flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        return Handle("lock", flags, 0o600, within=open_state(self._state))

    def holder(self, fd: int) -> str:
        return os.pread(fd, 1000, 0).decode("utf-8", "replace").strip()

    def taken(self, fd: int) -> bool:
        """Who holds a file that was deleted holds nothing: another may lock the new one."""
        held = os.fstat(fd)
        try:
            now = os.stat(os.path.join(self._state, "lock"), follow_symlinks=False)
        except FileNotFoundError:
            return False
        if (held.st_dev, held.st_ino) != (now.st_dev, now.st_ino):
            return False
        pid = os.getpid()
        line = f"process {pid} on {socket.gethostname()} ({program(pid)})\n".encode()
        os.pwrite(fd, line, 0)
        os.ftruncate(fd, len(line))
        return True
