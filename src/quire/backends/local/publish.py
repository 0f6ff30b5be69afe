"""How a change becomes visible: whole, durable, and only if nobody wrote in between.

A new text is written to a temporary file beside its target, made durable, and renamed. A conditional write *exchanges*
the two names and then looks at what came out. If that is not the text that was expected, a writer that knows nothing of
our lock (an editor, a sync client, another machine) was faster: the names are exchanged back and the caller gets
Conflict. Should a third writer have come even then, its text is kept as a conflict file. So no text that somebody was
promised is ever removed unseen.

An interrupt may strike between any two steps. What it leaves, the next open of the storage puts right.
"""

from __future__ import annotations

import contextlib
import os
import stat

from quire.backends.local import rename
from quire.backends.local.folder import Place, require_plain
from quire.backends.local.guard import Guard
from quire.backends.local.handle import Handle, sync
from quire.backends.local.writers import Stage, Temporary, Writers
from quire.errors import AlreadyExists, Conflict, OutcomeUnknown, StorageError
from quire.locator import MAX_SEGMENT_BYTES
from quire.ports.storage import ABSENT, ANY, IfVersion, already_exists, check_version, missing, version_of


def write(place: Place, content: bytes, if_version: IfVersion, writers: Writers, guard: Guard) -> None:
    """Put `content` at `place`. Raises Conflict, StorageError with the old content intact, or OutcomeUnknown."""
    found = place.stat()
    if found is not None:
        require_kind(found, place)
    if if_version is not ANY:
        check_version(place.locator, if_version, place.version())  # before the expense; repeated under the lock
    staged = writers.temporary(Stage.WRITING)
    try:
        _stage(place, staged, content, found)
        with guard.hold():
            if if_version is ANY:
                os.rename(staged.name, place.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
            elif if_version is ABSENT:
                take(place.fd, staged.name, place)
            else:
                check_version(place.locator, if_version, place.version())
                loaded = writers.temporary(Stage.EXCHANGING, base=str(if_version), new=version_of(content))
                _exchange(place, staged, loaded, str(if_version))
    except BaseException:
        _discard(place, staged)
        raise
    settle(place)


def delete(place: Place, if_version: IfVersion, writers: Writers, guard: Guard) -> None:
    """Remove the file or the empty folder at `place`. Raises NotFound, Conflict, StorageError, or OutcomeUnknown."""
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
            _take_out(place, writers.temporary(Stage.DELETING, base=str(if_version)), str(if_version))
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
    raise _taken(target)


def _taken(target: Place) -> AlreadyExists:
    """The error for a name that is taken, with the version where what is there can be read."""
    try:
        return already_exists(target.locator, target.version())
    except (OSError, StorageError):
        return already_exists(target.locator, None)


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


def require_kind(found: os.stat_result, place: Place) -> None:
    """Raises where a write would replace a folder, a link, a pipe. A hard link is fine."""
    if not stat.S_ISREG(found.st_mode):
        require_plain(found, place.locator)


def _stage(place: Place, staged: Temporary, content: bytes, old: os.stat_result | None) -> None:
    """Put `content` into a durable temporary file beside the target, with the mode a plain open would leave."""
    with place.create(staged.name) as file:
        if old is not None:
            _inherit(place, file, old)
        view = memoryview(content)
        while view:
            view = view[os.write(file.fd, view) :]
        sync(file.fd)


def _inherit(place: Place, file: Handle, old: os.stat_result) -> None:
    """Mode, owner and extended attributes stay with the name, as they would if the file were changed in place.

    Owner and attributes only as far as this user may set them: a text is not refused for their sake.
    """
    new = os.fstat(file.fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(file.fd, old.st_uid, old.st_gid)
    os.fchmod(file.fd, stat.S_IMODE(old.st_mode))  # last, as a change of owner drops some bits
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError), place.open() as source:
            for name in os.listxattr(source.fd):
                with contextlib.suppress(OSError):
                    os.setxattr(file.fd, name, os.getxattr(source.fd, name))


def _discard(place: Place, ours: Temporary) -> None:
    """Remove a temporary file that holds nothing but our own text, or leave that to the next open."""
    try:
        os.unlink(ours.name, dir_fd=place.fd)
    except FileNotFoundError:
        pass
    except BaseException as error:
        ours.leave_work()
        if not isinstance(error, OSError):
            raise


def _exchange(place: Place, staged: Temporary, loaded: Temporary, base: str) -> None:
    """Exchange the staged file with the target and look at what came out. Raises Conflict with nothing changed."""
    try:
        loaded.note(place.name)
        os.rename(staged.name, loaded.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
        try:
            rename.exchange(loaded.name, place.name, place.fd)
        except rename.Unsupported:
            os.rename(loaded.name, place.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
            return
        except OSError as error:
            # The kernel's own word that nothing was exchanged; an interrupt says no such thing.
            _discard(place, loaded)
            raise _NothingHappened(error) from error
        out = version_of(place.read(loaded.name))
        if out == base:
            _discard(place, loaded)
            return
        give_back(place, loaded)
    except _NothingHappened as refused:
        if isinstance(refused.error, FileNotFoundError):
            check_version(place.locator, base, None)
        raise refused.error from None
    except BaseException as error:
        raise _unfinished(place, loaded, error) from error
    check_version(place.locator, base, out)


class _NothingHappened(Exception):
    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.error = error


def _unfinished(place: Place, left: Temporary, error: BaseException) -> BaseException:
    """What to raise once names were exchanged and the rest failed: the next open of the storage finishes the work."""
    left.leave_work()
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


def _take_out(place: Place, out: Temporary, base: str) -> None:
    """Take the target out of the way, look at it, and only then remove it."""
    try:
        out.note(place.name)
        os.rename(place.name, out.name, src_dir_fd=place.fd, dst_dir_fd=place.fd)
        version = version_of(place.read(out.name))
        if version == base:
            _discard(place, out)
            return
        put_back(place, out)
    except BaseException as error:
        if isinstance(error, OSError) and place.beside(out.name).stat() is None:
            raise  # it never left its place
        raise _unfinished(place, out, error) from error
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
    text = place.read(name)
    stem, extension = os.path.splitext(place.name)
    number = 1
    while True:
        again = f" {number}" if number > 1 else ""
        mark = f" (quire conflict {version_of(text)[:12]}{again}){extension}"
        cut = stem.encode()[: MAX_SEGMENT_BYTES - len(mark.encode())].decode(errors="ignore")
        copy = place.beside(cut + mark)
        try:
            take(place.fd, name, copy)
            break
        except Conflict as taken:
            if taken.current == version_of(text):
                os.unlink(name, dir_fd=place.fd)
                break
        number += 1  # a person has edited the copy that was kept before
    sync(place.fd)
