"""Adding to the end of a file, for logs: one fsync of what is new, where a write would make the whole anew.

The file is opened and written under the lock, so no rename of ours takes the name away in between and a condition of
ours sees all of an append or nothing. The disk is waited for outside of it: others may add meanwhile, and then the
kernel makes what came together durable together.
"""

from __future__ import annotations

import os

from quire.backends.local.folder import Place, Root, require_plain, same_file
from quire.backends.local.guard import Guard
from quire.backends.local.handle import Handle, sync_data
from quire.errors import OutcomeUnknown, Unavailable
from quire.ports.storage import check_size

_TRIES = 20  # against writers that take no lock and replace the file; each try loses only to their progress


def append(place: Place, content: bytes, root: Root, guard: Guard) -> None:
    """Add `content` at the end. Raises StorageError with the old content intact, or OutcomeUnknown."""
    with guard.hold():
        file = _add(place, content)
    try:
        sync_data(file.fd)
        root.settle(place, file)
    except OSError as error:
        raise OutcomeUnknown(
            f"it was added, but the disk did not confirm it ({error.strerror})",
            where=place.locator.key,
            remedy="Read the end before you add it again",
        ) from error


def _add(place: Place, content: bytes) -> Handle:
    """The file, with `content` at its end, and still under its name then."""
    for _ in range(_TRIES):
        found = place.stat()
        if found is not None:
            require_plain(found, place.locator)
        try:
            file = place.open_end(new=found is None)
        except FileExistsError:
            continue  # made since the look
        except FileNotFoundError:
            if found is None:
                raise  # the folder itself has gone
            continue
        before = os.fstat(file.fd)
        require_plain(before, place.locator)
        check_size(place.locator, before.st_size + len(content))
        _write(place, file, content, before.st_size, new=found is None)
        if _is_at(place, file):
            return file
    raise Unavailable("the file is replaced each time it is opened", where=place.locator.key, remedy="Try again")


def _write(place: Place, file: Handle, content: bytes, size: int, *, new: bool) -> None:
    done = 0
    try:
        while done < len(content):
            done += os.write(file.fd, memoryview(content)[done:])
    except BaseException as error:
        if not _taken_back(place, file, size, done, new=new) and isinstance(error, OSError):
            raise OutcomeUnknown(
                f"it could not be added ({error.strerror}), nor what was begun be taken back",
                where=place.locator.key,
                remedy="Part of it may stand at the end; look before you add it again",
            ) from error
        raise


def _taken_back(place: Place, file: Handle, size: int, done: int, *, new: bool) -> bool:
    """Cut off what was begun: whether the file is as it was. What a stranger added behind it is not ours to cut."""
    try:
        if os.fstat(file.fd).st_size != size + done:
            return False
        if done:
            os.ftruncate(file.fd, size)
        if new and _is_at(place, file):
            os.unlink(place.name, dir_fd=place.fd)
    except OSError:
        return False
    return True


def _is_at(place: Place, file: Handle) -> bool:
    """Whether the name still leads to this file, and not to one that somebody put in its place."""
    now = place.stat()
    return now is not None and same_file(now, os.fstat(file.fd))
