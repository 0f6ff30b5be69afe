"""Who is writing, and the names of their temporary files.

Each backend that writes keeps one record, locked for as long as it lives. The names of its temporary files carry the
record's id, so whoever opens the root next knows by the lock, and by no clock, which of them a dead writer left.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from quire.backends.local.handle import FOLDER, LOCKED, Handle, sync
from quire.errors import Unavailable
from quire.locator import RESERVED_PREFIX

_RECORD = re.compile(r"[0-9a-f]{16}")
_TRIES = 20  # of making a record while others sweep and tidy up; each try loses only to somebody's progress


class Stage(Enum):
    """How far a write had come when its temporary file got its name."""

    WRITING = "w"  # ours alone, perhaps half written
    EXCHANGING = "x"  # written; after the exchange this name holds what was at the target
    DELETING = "d"  # what was at the target, taken out of the way to be looked at


@dataclass(frozen=True)
class Temporary:
    """What the name of a temporary file says. It keeps the record of its writer alive for as long as it is in use."""

    stage: Stage
    writer: str
    unique: str
    base: str = ""  # start of the version that is expected to come out
    new: str = ""  # start of the version that goes in
    record: _Record | None = field(default=None, compare=False, repr=False)

    def note(self, target: str) -> None:
        """Say, for a sweep, whose name a text is about to be taken from."""
        assert self.record
        self.record.note(target)

    def leave_work(self) -> None:
        """This file could not be cleared away: the next open of the storage is to look at it."""
        if self.record:
            self.record.leave_work()

    @cached_property
    def name(self) -> str:
        return RESERVED_PREFIX + "-".join((self.stage.value, self.writer, self.unique, self.base[:32], self.new[:32]))

    @classmethod
    def parse(cls, name: str) -> Temporary | None:
        """The parts of such a name, or None for any other."""
        if not name.startswith(RESERVED_PREFIX):
            return None
        fields = name[len(RESERVED_PREFIX) :].split("-")
        if len(fields) != 5 or fields[0] not in {stage.value for stage in Stage}:
            return None
        stage, writer, unique, base, new = fields
        return cls(Stage(stage), writer, unique, base, new)


class _Record:
    """A file that is locked while its writer lives. It may outlive it, with work for a sweep.

    It holds the name of the target whose text is being exchanged or taken out; the lock of the storage sees to it that
    this is one at a time.
    """

    def __init__(self, handle: Handle, base: Handle, folder: str, name: str) -> None:
        self.pid = os.getpid()
        self.name = name
        self._handle = handle
        self._state = _State(handle, base, f"{folder}/{name}")
        LOCKED.add(handle)
        self._ending = weakref.finalize(self, self._state.end)

    def note(self, target: str) -> None:
        """Say whose name a text is about to be taken from."""
        line = os.fsencode(target)
        os.ftruncate(self._handle.fd, len(line))
        os.pwrite(self._handle.fd, line, 0)

    def noted(self) -> str:
        """The name that was said last; empty if none was, or it did not reach the disk."""
        return os.fsdecode(os.pread(self._handle.fd, 255, 0).rstrip(b"\0"))

    def leave_work(self) -> None:
        self._state.leaves_work = True

    def end(self) -> None:
        """Let go of the lock, and remove the record unless a sweep needs it."""
        self._ending()


@dataclass
class _State:
    """What the end of a record needs, also at the exit of the process, when the record itself may have gone."""

    handle: Handle
    base: Handle
    path: str
    leaves_work: bool = False
    pid: int = field(default_factory=os.getpid)

    def end(self) -> None:
        """Let go. In a forked child the record is the parent's business."""
        if self.pid == os.getpid() and not self.leaves_work:
            # Should the disk refuse, the record stays, and the next open looks around and finds nothing to do.
            with contextlib.suppress(OSError):
                os.unlink(self.path, dir_fd=self.base.fd)
                os.rmdir(os.path.dirname(self.path), dir_fd=self.base.fd)  # refused while others have records in it
        self.handle.close()


class Writers:
    """The records of the living, in `folder` below what `base` opens."""

    def __init__(self, base: Callable[[], Handle], folder: str = RESERVED_PREFIX + "writers") -> None:
        self._base = base
        self._folder = folder
        self._mine: _Record | None = None
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._closed = False

    def temporary(self, stage: Stage, *, base: str = "", new: str = "") -> Temporary:
        """A name that no other writer, alive or dead, has used. Raises Unavailable where no record can be made."""
        record = self._record()
        return Temporary(stage, record.name, f"{next(self._numbers):x}", base, new, record)

    def _record(self) -> _Record:
        mine = self._mine
        if mine is not None and mine.pid == os.getpid():
            return mine
        with self._lock:
            if self._closed:
                raise Unavailable("this storage was closed", where=self._folder, remedy="Open it again")
            for _ in range(_TRIES):
                if self._mine is None or self._mine.pid != os.getpid():  # a forked child makes its own
                    self._mine = self._make_record()
                if self._mine is not None:
                    return self._mine
        raise Unavailable(
            "the record of this writer cannot be kept, as its folder vanishes each time it is made",
            where=self._folder,
            remedy="See what removes it, then try again",
        )

    def _make_record(self) -> _Record | None:
        """A record, locked and durable before any temporary file relies on it; None if a sweep got in between."""
        base = self._base()
        try:
            with self._open(base, create=True) as folder:
                name = secrets.token_hex(8)
                handle = Handle(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600, within=folder)
                record = _Record(handle, base, self._folder, name)
                try:
                    if _locked(handle.fd) and os.fstat(handle.fd).st_nlink:
                        sync(folder.fd)
                        return record
                    record.end()
                except BaseException:
                    record.end()
                    raise
        except FileNotFoundError:
            pass  # the folder was removed as empty between making it and this
        return None

    def close(self) -> None:
        """Let go of the record, once no temporary file is in use any more. Calling it twice is fine."""
        with self._lock:
            self._closed = True
            self._mine = None

    def take_dead(self) -> dict[str, _Record]:
        """The records whose writer has died, locked by us until they are buried."""
        base = self._base()
        try:
            folder = self._open(base, create=False)
        except FileNotFoundError:
            return {}
        dead = {}
        with folder:
            names = os.listdir(folder.fd)
            if not names:
                with contextlib.suppress(OSError):  # a writer that died early left it, or one is about to use it
                    os.rmdir(self._folder, dir_fd=base.fd)
            for name in filter(_RECORD.fullmatch, names):
                try:
                    handle = Handle(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, within=folder)
                except FileNotFoundError:
                    continue
                if _locked(handle.fd):
                    dead[name] = _Record(handle, base, self._folder, name)
        return dead

    def bury(self, dead: dict[str, _Record], *, swept: bool) -> None:
        """Let go of dead records, and remove them if what they left was swept."""
        for record in dead.values():
            if not swept:
                record.leave_work()
            record.end()

    def _open(self, base: Handle, *, create: bool) -> Handle:
        try:
            return Handle(self._folder, FOLDER, within=base)
        except FileNotFoundError:
            if not create:
                raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder, 0o700, dir_fd=base.fd)
        try:
            sync(base.fd)
            return Handle(self._folder, FOLDER, within=base)
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(self._folder, dir_fd=base.fd)
            raise


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
