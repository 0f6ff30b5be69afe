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

from quire.errors import Busy

DEFAULT_TIMEOUT = 5.0


class Guard(ABC):
    """A lock that threads and processes hold one at a time; `with guard.hold():`."""

    def __init__(self, name: str, timeout: float) -> None:
        self.name = name
        self.timeout = timeout

    @abstractmethod
    def open(self) -> int:
        """A new descriptor of what is locked: a lock belongs to an open file, so each holder opens it anew."""

    @abstractmethod
    def holder(self, fd: int) -> str:
        """Who holds the lock, in words; empty where nobody can say."""

    def taken(self, fd: int) -> None:
        """Called with the lock held, before the work begins."""

    def hold(self) -> _Held:
        return _Held(self)


class _Held:
    __slots__ = ("_fd", "_guard")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def __enter__(self) -> None:
        self._fd = self._guard.open()
        try:
            acquire(self._fd, self._guard)
            self._guard.taken(self._fd)
        except BaseException:
            os.close(self._fd)
            raise

    def __exit__(self, *_: object) -> None:
        try:
            # By name and not by closing alone, as a child forked meanwhile holds a copy of the descriptor.
            fcntl.flock(self._fd, fcntl.LOCK_UN)
        finally:
            os.close(self._fd)


class FolderGuard(Guard):
    """A lock on a folder itself: no file anywhere, and two names of one folder share it."""

    def __init__(self, root_fd: int, name: str, timeout: float) -> None:
        super().__init__(name, timeout)
        self._root_fd = root_fd

    def open(self) -> int:
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._root_fd)

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
