"""How a change becomes visible: whole, durable, and only if nobody wrote in between.

A new text is written to a temporary file beside its target, made durable, and renamed. A conditional write *exchanges*
the two names and then looks at what came out. If that is not the text that was expected, a writer that knows nothing of
our lock (an editor, a sync client, another machine) was faster: the names are exchanged back and the caller gets
Conflict. Should a third writer have come even then, its text is kept as a conflict file. So no text that somebody was
promised is ever removed unseen.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys

from quire.backends.local import rename
from quire.backends.local.folder import Place, require_plain, status
from quire.backends.local.guard import Guard
from quire.backends.local.writers import Stage, Temporary, Writers
from quire.errors import Conflict, OutcomeUnknown
from quire.locator import MAX_SEGMENT_BYTES
from quire.ports.storage import ABSENT, ANY, IfVersion, already_exists, check_version, missing, version_of


def write(place: Place, content: bytes, if_version: IfVersion, writers: Writers, guard: Guard) -> None:
    """Put `content` at `place`. Raises Conflict, StorageError with the old content intact, or OutcomeUnknown."""
    found = place.stat()
    if found is not None:
        require_kind(found, place)
    if if_version is not ANY:
        check_version(place.locator, if_version, place.version())  # before the expense; repeated under the lock
    staged = _stage(place, content, writers, found)
    try:
        with guard.hold():
            if if_version is ANY:
                os.rename(staged.name, place.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
            elif if_version is ABSENT:
                take(place.fd, staged.name, place)
            else:
                check_version(place.locator, if_version, place.version())
                staged = _exchange(place, staged, str(if_version), version_of(content), writers)
    except BaseException:
        # Only what is surely ours goes: once two names were exchanged, the other text may lie under this name.
        if staged.stage is Stage.WRITING:
            _discard(place.fd, staged.name)
        raise
    settle(place)


def delete(place: Place, if_version: IfVersion, writers: Writers, guard: Guard) -> None:
    """Remove the file at `place`. Raises NotFound, Conflict, StorageError, or OutcomeUnknown."""
    with guard.hold():
        found = place.stat()
        if found is None:
            raise missing(place.locator)
        if stat.S_ISDIR(found.st_mode):
            check_version(place.locator, if_version, "")
            os.rmdir(place.name, dir_fd=place.fd)
        elif if_version is ANY:
            require_kind(found, place)
            os.unlink(place.name, dir_fd=place.fd)
        else:
            check_version(place.locator, if_version, place.version())
            _take_out(place, str(if_version), writers)
    settle(place)


def move(source: Place, target: Place, if_version: IfVersion, guard: Guard) -> None:
    """Rename; never overwrites. Raises NotFound, AlreadyExists, Conflict, StorageError, or OutcomeUnknown."""
    with guard.hold():
        found = source.stat()
        if found is None:
            raise missing(source.locator)
        if not stat.S_ISDIR(found.st_mode):
            require_plain(found, source.locator)
            if if_version is not ANY:
                check_version(source.locator, if_version, source.version())
        take(source.fd, source.name, target)
        if if_version is not ANY and target.version() != if_version:
            try:
                take(target.fd, target.name, source)
            except Conflict:
                keep(target, target.name)
            raise Conflict("someone wrote while it was moved", where=source.locator.key, remedy="Read it, then retry")
    settle(target)
    settle(source)


def take(source_fd: int, source: str, target: Place) -> None:
    """Rename `source` to the name of `target`, which must be free. Raises AlreadyExists."""
    try:
        rename.noreplace(source, target.name, source_fd, target.fd)
        return
    except FileExistsError:
        pass
    except rename.Unsupported:
        if target.stat() is None:  # the lock is all there is on such a file system
            os.rename(source, target.name, src_dir_fd=source_fd, dst_dir_fd=target.fd)
            return
    found = target.stat()
    if found is not None and not stat.S_ISDIR(found.st_mode):
        require_kind(found, target)
        raise already_exists(target.locator, target.version())
    raise already_exists(target.locator, None)


def settle(place: Place) -> None:
    """Make a change of names durable. What fails here has happened already, perhaps not for good."""
    try:
        sync(place.fd)
    except OSError as error:
        raise OutcomeUnknown(
            f"the change was made, but the disk did not confirm it ({error.strerror})",
            where=place.locator.key,
            remedy="Read it back before you rely on it; writing the same again is safe",
        ) from error


def sync(fd: int) -> None:
    """fsync that reaches the disk: on macOS plain fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fsync(fd)


def require_kind(found: os.stat_result, place: Place) -> None:
    """Raises where a write would replace a folder, a link, a pipe. A hard link is fine."""
    if not stat.S_ISREG(found.st_mode):
        require_plain(found, place.locator)


def _stage(place: Place, content: bytes, writers: Writers, old: os.stat_result | None) -> Temporary:
    """A durable temporary file with `content`, beside the target, with the mode a plain open would leave."""
    staged = writers.temporary(Stage.WRITING)
    fd = os.open(
        staged.name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=place.fd
    )
    try:
        try:
            if old is not None:
                os.fchmod(fd, stat.S_IMODE(old.st_mode))
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            sync(fd)
        finally:
            os.close(fd)
    except BaseException:
        _discard(place.fd, staged.name)
        raise
    return staged


def _clear(place: Place, looked_at: Temporary, writers: Writers) -> None:
    """Remove a text that was replaced or deleted as asked. The change stands even if the disk refuses this."""
    try:
        os.unlink(looked_at.name, dir_fd=place.fd)
    except OSError:
        writers.leave_work()


def _discard(fd: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=fd)


def _exchange(place: Place, staged: Temporary, base: str, new: str, writers: Writers) -> Temporary:
    """Exchange the staged file with the target and look at what came out. Raises Conflict with nothing changed."""
    loaded = writers.temporary(Stage.EXCHANGING, target=name_hash(place.name), base=base, new=new)
    os.rename(staged.name, loaded.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
    try:
        rename.exchange(loaded.name, place.name, place.fd)
    except rename.Unsupported:
        os.rename(loaded.name, place.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
        return loaded
    except BaseException as error:
        _discard(place.fd, loaded.name)
        if isinstance(error, FileNotFoundError):
            check_version(place.locator, base, None)
        raise
    try:
        out = version_of(place.read(loaded.name))
        if out == base:
            _clear(place, loaded, writers)
            return loaded
        give_back(place, loaded)
    except BaseException as error:
        raise _unfinished(place, writers, error) from error
    check_version(place.locator, base, out)
    raise AssertionError("unreachable: out differs from base")


def _unfinished(place: Place, writers: Writers, error: BaseException) -> BaseException:
    """What to raise once names were exchanged and the rest failed: the next open of the storage finishes the work."""
    writers.leave_work()
    if not isinstance(error, Exception):
        return error
    return OutcomeUnknown(
        f"names were exchanged, but what came out could not be checked ({error})",
        where=place.locator.key,
        remedy="Open the storage again, which finishes it, and read; nothing was removed",
    )


def give_back(place: Place, loaded: Temporary) -> None:
    """Undo an exchange that brought out another writer's text; that text ends under its name or as a conflict file."""
    current = place.version()
    if current is None:
        put_back(place, loaded)
        return
    if current.startswith(loaded.new):
        rename.exchange(loaded.name, place.name, place.fd)
        if version_of(place.read(loaded.name)).startswith(loaded.new):
            sync(place.fd)
            os.unlink(loaded.name, dir_fd=place.fd)
            return
    keep(place, loaded.name)


def _take_out(place: Place, base: str, writers: Writers) -> None:
    """Take the target out of the way, look at it, and only then remove it."""
    out = writers.temporary(Stage.DELETING, target=name_hash(place.name), base=base)
    os.rename(place.name, out.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
    try:
        version = version_of(place.read(out.name))
        if version == base:
            _clear(place, out, writers)
            return
        put_back(place, out)
    except BaseException as error:
        raise _unfinished(place, writers, error) from error
    check_version(place.locator, base, version)


def put_back(place: Place, out: Temporary) -> None:
    """Return a text that was taken out to its name; beside it, if the name was taken meanwhile."""
    try:
        take(place.fd, out.name, place)
        sync(place.fd)
    except Conflict:
        keep(place, out.name)


def keep(place: Place, name: str) -> None:
    """Keep the text under `name` as a conflict file of `place`; the same text kept twice is one file."""
    version = version_of(place.read(name))
    stem, extension = os.path.splitext(place.name)
    mark = f" (quire conflict {version[:12]}){extension}"
    stem = stem.encode()[: MAX_SEGMENT_BYTES - len(mark.encode())].decode(errors="ignore")
    try:
        take(place.fd, name, Place(place.fd, stem + mark, place.locator))
    except Conflict:
        os.unlink(name, dir_fd=place.fd)
    sync(place.fd)


def name_hash(name: str) -> str:
    """What a temporary name remembers of its target, short enough for any target's name."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:16]


def exists(place: Place) -> bool:
    """Whether a file or a folder is here; a link or a device is neither."""
    found = status(place.fd, place.name)
    return found is not None and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))
