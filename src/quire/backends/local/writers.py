"""Who is writing, and the names of their temporary files.

Each backend that writes keeps one empty record, locked for as long as it lives. The names of its temporary files carry
the record's id, so whoever opens the root next knows by the lock, and by no clock, which of them a dead writer left.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import re
import secrets
import weakref
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from quire.locator import RESERVED_PREFIX

_RECORD = re.compile(r"[0-9a-f]{16}")


class Stage(Enum):
    """How far a write had come when its temporary file got its name."""

    WRITING = "w"  # ours alone, perhaps half written
    EXCHANGING = "x"  # written; after the exchange this name holds what was at the target
    DELETING = "d"  # what was at the target, taken out of the way to be looked at


@dataclass(frozen=True)
class Temporary:
    """What the name of a temporary file says."""

    stage: Stage
    writer: str
    unique: str
    target: str = ""  # hash of the target's name
    base: str = ""  # start of the version that is expected to come out
    new: str = ""  # start of the version that goes in

    @cached_property
    def name(self) -> str:
        return RESERVED_PREFIX + "-".join(
            (self.stage.value, self.writer, self.unique, self.target, self.base[:32], self.new[:32])
        )

    @classmethod
    def parse(cls, name: str) -> Temporary | None:
        """The parts of such a name, or None for any other."""
        if not name.startswith(RESERVED_PREFIX):
            return None
        fields = name[len(RESERVED_PREFIX) :].split("-")
        if len(fields) != 6 or fields[0] not in {stage.value for stage in Stage}:
            return None
        return cls(Stage(fields[0]), *fields[1:])


class Writers:
    """The records of the living, in `folder` below `base_fd`."""

    def __init__(self, base_fd: int, folder: str = RESERVED_PREFIX + "writers") -> None:
        self._base_fd = os.dup(base_fd)
        self._closing = weakref.finalize(self, os.close, self._base_fd)
        self._folder = folder
        self._mine: tuple[int, str] | None = None  # (process, record id): a forked child makes its own
        self._finalizer: weakref.finalize[..., Writers] | None = None
        self._numbers = itertools.count()
        self.leaves_work = False

    def temporary(self, stage: Stage, *, target: str = "", base: str = "", new: str = "") -> Temporary:
        """A name that no other writer, alive or dead, has used."""
        return Temporary(stage, self._id(), f"{next(self._numbers):x}", target, base, new)

    def _id(self) -> str:
        if self._mine is None or self._mine[0] != os.getpid():
            while not (made := self._record()):
                pass
            self._mine = made
        return self._mine[1]

    def _record(self) -> tuple[int, str] | None:
        """Make and lock a record, durable before any temporary file relies on it; None if a sweep got in between."""
        folder = self._open(create=True)
        try:
            name = secrets.token_hex(8)
            fd = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=folder)
            try:
                if not _locked(fd) or os.fstat(fd).st_nlink == 0:
                    os.close(fd)
                    return None
                os.fsync(folder)
            except BaseException:
                os.close(fd)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
                raise
        except FileNotFoundError:
            return None  # the folder was removed as empty between opening it and this; once more
        finally:
            os.close(folder)
        if self._finalizer:
            self._finalizer.detach()
        self._finalizer = weakref.finalize(self, _drop, os.getpid(), fd, os.dup(self._base_fd), self._folder, name)
        return os.getpid(), name

    def close(self) -> None:
        """Take the record away, unless work was left for a sweep: then the lock alone goes, and the record stays."""
        if self._finalizer and self._finalizer.alive:
            if self.leaves_work:
                found = self._finalizer.detach()
                if found:
                    _, _, (_, fd, base_fd, *_), _ = found
                    os.close(fd)
                    os.close(base_fd)
            else:
                self._finalizer()
        self._mine = None
        self._closing()

    def take_dead(self) -> dict[str, int]:
        """The records whose writer has died, with descriptors that hold their locks, for `bury`."""
        try:
            folder = self._open(create=False)
        except FileNotFoundError:
            return {}
        dead = {}
        try:
            for name in os.listdir(folder):
                if not _RECORD.fullmatch(name):
                    continue
                try:
                    fd = os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=folder)
                except FileNotFoundError:
                    continue
                if _locked(fd):
                    dead[name] = fd
                else:
                    os.close(fd)
        finally:
            os.close(folder)
        return dead

    def bury(self, dead: dict[str, int], *, swept: bool) -> None:
        """Let go of dead records, and remove them if what they left was swept."""
        for name, fd in dead.items():
            if swept:
                _drop(os.getpid(), fd, os.dup(self._base_fd), self._folder, name)
            else:
                os.close(fd)

    def _open(self, *, create: bool) -> int:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._folder, flags, dir_fd=self._base_fd)
        except FileNotFoundError:
            if not create:
                raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder, 0o700, dir_fd=self._base_fd)
        os.fsync(self._base_fd)
        return os.open(self._folder, flags, dir_fd=self._base_fd)


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _drop(pid: int, fd: int, base_fd: int, folder: str, name: str) -> None:
    """Remove a record, and the folder of records with the last one. A forked child only closes its copies."""
    try:
        if pid == os.getpid():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{folder}/{name}", dir_fd=base_fd)
            with contextlib.suppress(OSError):  # others still write
                os.rmdir(folder, dir_fd=base_fd)
    finally:
        os.close(fd)
        os.close(base_fd)
