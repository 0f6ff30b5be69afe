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
import threading
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


class _Record:
    """An empty file that is locked while its writer lives. It may outlive it, with work for a sweep."""

    def __init__(self, fd: int, base_fd: int, folder: str, name: str) -> None:
        self.pid = os.getpid()
        self.name = name
        self.leaves_work = False
        self._fd = fd
        self._base_fd = os.dup(base_fd)
        self._folder = folder

    def end(self) -> None:
        """Let go of the lock, and remove the record unless a sweep needs it. A forked child only closes its copies."""
        try:
            if self.pid == os.getpid() and not self.leaves_work:
                # Should the disk refuse, the record stays, and the next open looks around and finds nothing to do.
                with contextlib.suppress(OSError):
                    os.unlink(f"{self._folder}/{self.name}", dir_fd=self._base_fd)
                    os.rmdir(self._folder, dir_fd=self._base_fd)  # refused while others have records in it
        finally:
            os.close(self._fd)
            os.close(self._base_fd)


class Writers:
    """The records of the living, in `folder` below `base_fd`."""

    def __init__(self, base_fd: int, folder: str = RESERVED_PREFIX + "writers") -> None:
        self._base_fd = os.dup(base_fd)
        self._closing = weakref.finalize(self, os.close, self._base_fd)
        self._folder = folder
        self._mine: _Record | None = None
        self._ending: weakref.finalize[..., Writers] | None = None
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def temporary(self, stage: Stage, *, target: str = "", base: str = "", new: str = "") -> Temporary:
        """A name that no other writer, alive or dead, has used."""
        return Temporary(stage, self._record().name, f"{next(self._numbers):x}", target, base, new)

    def leave_work(self) -> None:
        """Something of ours could not be cleared away: the next open of this storage is to look for it."""
        self._record().leaves_work = True

    def _record(self) -> _Record:
        mine = self._mine
        if mine is not None and mine.pid == os.getpid():
            return mine
        with self._lock:
            while self._mine is None or self._mine.pid != os.getpid():  # a forked child makes its own
                self._mine = self._make_record()
            return self._mine

    def _make_record(self) -> _Record | None:
        """A record, locked and durable before any temporary file relies on it; None if a sweep got in between."""
        try:
            folder = self._open(create=True)
        except FileNotFoundError:
            return None  # removed as empty between making and opening it; once more
        try:
            name = secrets.token_hex(8)
            fd = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=folder)
            record = _Record(fd, self._base_fd, self._folder, name)
            try:
                if not _locked(fd) or os.fstat(fd).st_nlink == 0:
                    record.end()
                    return None
                os.fsync(folder)
            except BaseException:
                record.end()
                raise
        except FileNotFoundError:
            return None
        finally:
            os.close(folder)
        if self._ending:
            self._ending.detach()
        self._ending = weakref.finalize(self, record.end)
        return record

    def close(self) -> None:
        """Let go of the record and the folder. Calling it twice is fine."""
        if self._ending:
            self._ending()
        self._mine = None
        self._closing()

    def take_dead(self) -> dict[str, _Record]:
        """The records whose writer has died, locked by us until they are buried."""
        try:
            folder = self._open(create=False)
        except FileNotFoundError:
            return {}
        dead = {}
        try:
            names = os.listdir(folder)
            if not names:
                with contextlib.suppress(OSError):  # a writer that died early left it, or one is about to use it
                    os.rmdir(self._folder, dir_fd=self._base_fd)
            for name in names:
                if not _RECORD.fullmatch(name):
                    continue
                try:
                    fd = os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=folder)
                except FileNotFoundError:
                    continue
                if _locked(fd):
                    dead[name] = _Record(fd, self._base_fd, self._folder, name)
                else:
                    os.close(fd)
        finally:
            os.close(folder)
        return dead

    def bury(self, dead: dict[str, _Record], *, swept: bool) -> None:
        """Let go of dead records, and remove them if what they left was swept."""
        for record in dead.values():
            record.leaves_work = not swept
            record.end()

    def _open(self, *, create: bool) -> int:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._folder, flags, dir_fd=self._base_fd)
        except FileNotFoundError:
            if not create:
                raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder, 0o700, dir_fd=self._base_fd)
        try:
            os.fsync(self._base_fd)
            return os.open(self._folder, flags, dir_fd=self._base_fd)
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(self._folder, dir_fd=self._base_fd)
            raise


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
