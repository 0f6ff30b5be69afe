"""Open descriptors that close themselves.

An interrupt can strike between any two steps of a call. A bare descriptor number would then stay open, and a lock on
it held, for as long as the process lives; a number that was closed twice may be somebody else's by then. A handle is
closed once: when its `with` ends, or when nobody refers to it any more.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import weakref

from quire.backends.local import beneath

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Handle:
    """One open descriptor. Whoever works with `fd` keeps a reference to the handle meanwhile."""

    __slots__ = ("__weakref__", "fd")

    def __init__(self, path: str, flags: int, mode: int = 0o777, *, within: Handle | None = None) -> None:
        self.fd = -1
        self.fd = os.open(path, flags, mode, dir_fd=within.fd if within else None)

    @classmethod
    def below(cls, path: str, flags: int, within: Handle) -> Handle | None:
        """What is at a path of several names, with no link on the way; None where that cannot be told in one step.

        Raises FileNotFoundError where nothing is there under any spelling.
        """
        handle = cls.__new__(cls)
        handle.fd = -1
        handle.fd = beneath.opened(path, flags, within.fd)
        if handle.fd == -errno.ENOENT and path.isascii():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return handle if handle.fd >= 0 else None

    def close(self) -> None:
        """Close it; twice is fine. What was written was made durable before, so a failure to close says nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            with contextlib.suppress(OSError):
                os.close(fd)

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# Handles with a lock on them. A forked child inherits copies, which would keep the lock of a parent that has died.
LOCKED: weakref.WeakSet[Handle] = weakref.WeakSet()


def _close_in_child() -> None:
    for handle in list(LOCKED):
        handle.close()


os.register_at_fork(after_in_child=_close_in_child)


def sync(fd: int) -> None:
    """fsync that reaches the disk: on macOS plain fsync stops at the drive's cache."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fsync(fd)


def sync_data(fd: int) -> None:
    """As `sync`, for the content and its size alone: the times of a file need not wait for the disk."""
    if hasattr(os, "fdatasync") and not hasattr(fcntl, "F_FULLFSYNC"):
        os.fdatasync(fd)
    else:
        sync(fd)
