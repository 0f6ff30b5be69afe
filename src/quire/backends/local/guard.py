"""Locks that the kernel frees when their holder dies.

A lock keeps Quire's processes out of each other's way; it is not what protects a text. That is the exchange in
`publish`, which also sees writers that know nothing of the lock.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from abc import ABC, abstractmethod

from quire.backends.local.folder import Root
from quire.backends.local.handle import FOLDER, LOCKED, Handle
from quire.errors import Busy

DEFAULT_TIMEOUT = 5.0


class Guard(ABC):
    """A lock that threads and processes hold one at a time; `with guard.hold():`."""

    def __init__(self, name: str, timeout: float) -> None:
        self.name = name
        self.timeout = timeout

    @abstractmethod
    def open(self) -> Handle:
        """What is locked, opened anew: a lock belongs to an open file, so each holder has its own."""

    @abstractmethod
    def holder(self, fd: int) -> str:
        """Who holds the lock, in words; empty where nobody can say."""

    def taken(self, fd: int) -> bool:
        """Called with the lock held, before the work begins; False if what was locked is not the lock any more."""
        return True

    def hold(self) -> _Held:
        return _Held(self)


class _Held:
    __slots__ = ("_guard", "_handle")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def __enter__(self) -> None:
        while True:
            self._handle = self._guard.open()
            LOCKED.add(self._handle)
            acquire(self._handle.fd, self._guard)
            if self._guard.taken(self._handle.fd):
                return

    def __exit__(self, *_: object) -> None:
        # By name and not by closing alone: where an interrupt cuts this short, the handle still closes itself.
        fcntl.flock(self._handle.fd, fcntl.LOCK_UN)
        self._handle.close()


class FolderGuard(Guard):
    """A lock on a folder itself: no file anywhere, and two names of one folder share it."""

    def __init__(self, root: Root, timeout: float) -> None:
        super().__init__(root.path, timeout)
        self._root = root

    def open(self) -> Handle:
        return Handle(".", FOLDER, within=self._root.handle)

    def holder(self, fd: int) -> str:
        return _holder_of(fd)


def acquire(fd: int, guard: Guard) -> None:
    """Take the exclusive lock of `fd`, waiting for as long as the guard says. Raises Busy, naming the holder."""
    deadline = 0.0
    pause = 0.0002
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            now = time.monotonic()
            deadline = deadline or now + guard.timeout
            if now >= deadline:
                raise Busy(
                    f"{guard.holder(fd) or 'another process'} has held the lock for more than {guard.timeout:g} s",
                    where=guard.name,
                    remedy="Try again; if that process hangs, end it, and the lock is free at once",
                ) from None
        time.sleep(min(deadline - now, pause * random.uniform(0.5, 1.5)))  # noqa: S311 - spreads the waiters
        pause = min(pause * 1.5, 0.01)


def _holder_of(fd: int) -> str:
    """Who holds the lock of `fd`, from the kernel's table where there is one; empty where nobody can say."""
    held = os.fstat(fd)
    wanted = f"{os.major(held.st_dev):02x}:{os.minor(held.st_dev):02x}:{held.st_ino}"
    try:
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:
        return ""
    pids = [row[4] for row in rows if row[1] == "FLOCK" and row[5] == wanted]
    return f"process {pids[0]} ({program(int(pids[0]))})" if pids else ""


def program(pid: int) -> str:
    """The command line of a process, cut short; `"?"` where the system does not tell."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(200).replace(b"\0", b" ").decode("utf-8", "replace").strip() or "?"
    except OSError:
        return "?"
