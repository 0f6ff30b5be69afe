"""Locks that the kernel frees when their holder dies.

A lock keeps Quire's processes out of each other's way; it is not what protects a text. That is the exchange in
`publish`, which also sees writers that know nothing of the lock.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from quire.errors import Busy

Guard: TypeAlias = Callable[[], AbstractContextManager[None]]

DEFAULT_TIMEOUT = 5.0


def folder_guard(root_fd: int, name: str, timeout: float) -> Guard:
    """A lock on the folder itself: no file anywhere, and two names of one folder share it."""

    @contextmanager
    def hold() -> Iterator[None]:
        # A lock belongs to an open file, so each holder opens the folder anew; threads exclude each other too.
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root_fd)
        try:
            acquire(fd, timeout, name, lambda: _holder_of(fd))
            yield
        finally:
            release(fd)

    return hold


def acquire(fd: int, timeout: float, name: str, holder: Callable[[], str]) -> None:
    """Take the exclusive lock of `fd`, waiting up to `timeout` seconds. Raises Busy, naming the holder."""
    deadline = time.monotonic() + timeout
    pause = 0.0002
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Busy(
                    f"{holder() or 'another process'} has held the lock for more than {timeout:g} s",
                    where=name,
                    remedy="Try again; if that process hangs, end it, and the lock is free at once",
                ) from None
        time.sleep(min(left, pause * random.uniform(0.5, 1.5)))  # noqa: S311 - spreads the waiters, nothing secret
        pause = min(pause * 1.5, 0.01)


def release(fd: int) -> None:
    """Free the lock and close. Freed by name, as a forked child may hold a copy of the descriptor."""
    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    finally:
        os.close(fd)


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
