"""A folder held by a handle, and what is in it opened relative to that handle, following no link.

Every step goes through an open descriptor of the folder above, one name at a time, so there is no moment at which a
link swapped in could lead out of the root. Names are NFC in a locator; a file whose name another system wrote in NFD
is found all the same, and keeps its name.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
import weakref

from quire.errors import (
    AccessDenied,
    DirectoryNotEmpty,
    IsADirectory,
    NotADirectory,
    QuireError,
    StorageFailed,
    StorageFull,
    Unavailable,
)
from quire.locator import Locator
from quire.ports.storage import already_exists, check_size, missing, version_of

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking, so that a pipe or a device planted under a file's name cannot hang the call.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20


class Place:
    """One name in one open folder. Everything about a file is asked through this."""

    __slots__ = ("fd", "locator", "name")

    def __init__(self, fd: int, name: str, locator: Locator) -> None:
        self.fd = fd
        self.name = name
        self.locator = locator

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def stat(self) -> os.stat_result | None:
        """The status of what is here, None for nothing. A link is reported as the link it is."""
        return status(self.fd, self.name)

    def read(self, name: str | None = None) -> bytes:
        """The bytes of the regular file here (or under `name` beside it).

        Raises NotFound, IsADirectory, TooLarge, and AccessDenied for links, pipes, devices and files with two names.
        """
        fd = os.open(name or self.name, _FILE, dir_fd=self.fd)
        try:
            found = os.fstat(fd)
            require_plain(found, self.locator)
            check_size(self.locator, found.st_size)
            parts = []
            while part := os.read(fd, max(_CHUNK, found.st_size + 1)):
                parts.append(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)
        finally:
            os.close(fd)

    def version(self) -> str | None:
        """The exact version of what is here; None for nothing. Raises IsADirectory and AccessDenied as `read`."""
        try:
            return version_of(self.read())
        except FileNotFoundError:
            return None


class Root:
    """The handle on a root folder, held from the start so that no later rename can swap the folder underneath."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        self.fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._closing = weakref.finalize(self, os.close, self.fd)
        held = os.fstat(self.fd)
        self._identity = (held.st_dev, held.st_ino)
        # Folders whose own name is known to be on disk; others may have been made a moment ago by someone else.
        self._durable: set[tuple[int, int]] = set()

    def close(self) -> None:
        self._closing()
        self.fd = -1

    def place(self, locator: Locator, *, create: bool = False) -> Place:
        """The folder around `locator`, open until the `with` ends, and the name in it as it stands on disk.

        With `create`, missing folders are made and their names made durable. Raises NotFound or NotADirectory.
        """
        parts = locator.parts
        fd = self.open(locator, parts[:-1], create=create)
        try:
            return Place(fd, _on_disk(fd, parts[-1]), locator)
        except BaseException:
            os.close(fd)
            raise

    def open(self, locator: Locator, parts: tuple[str, ...], *, create: bool = False) -> int:
        """A descriptor of the folder at `parts`, which the caller closes."""
        self._check()
        fd = os.open(".", FOLDER, dir_fd=self.fd)
        try:
            for part in parts:
                below = self._enter(fd, part, locator, create)
                os.close(fd)
                fd = below
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _enter(self, fd: int, part: str, locator: Locator, create: bool) -> int:
        name = _on_disk(fd, part)
        try:
            below = os.open(name, FOLDER, dir_fd=fd)
        except FileNotFoundError:
            if not create:
                raise missing(locator) from None
            try:
                os.mkdir(name, dir_fd=fd)
            except FileExistsError:
                pass  # made by someone else a moment ago: as good as ours
            below = os.open(name, FOLDER, dir_fd=fd)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            found = status(fd, name)
            if found and stat.S_ISLNK(found.st_mode):
                raise _denied(locator, f"{part!r} is a symbolic link, and Quire follows none") from None
            raise NotADirectory(f"{part!r} is a file, so nothing can be below it", where=locator.key) from None
        if create:
            self._settle(fd, below)
        return below

    def _settle(self, fd: int, below: int) -> None:
        """Make the name of a folder durable, once for each process: a file in it is lost with the name."""
        held = os.fstat(below)
        identity = (held.st_dev, held.st_ino)
        if identity not in self._durable:
            try:
                os.fsync(fd)
            except BaseException:
                os.close(below)
                raise
            self._durable.add(identity)

    def _check(self) -> None:
        """Raises Unavailable if the path no longer leads to the folder that is held: writes would go astray."""
        if self.fd < 0:
            raise Unavailable("this storage was closed", where=self.path, remedy="Open it again")
        try:
            now = os.stat(self.path)
        except OSError as error:
            raise Unavailable(
                f"the folder cannot be reached any more ({error.strerror})",
                where=self.path,
                remedy="Bring the folder back (is the drive mounted?) and try again",
            ) from error
        if (now.st_dev, now.st_ino) != self._identity:
            raise Unavailable(
                "another folder was put in the place of the one that is open", where=self.path, remedy="Open it again"
            )


def status(fd: int, name: str) -> os.stat_result | None:
    """lstat relative to an open folder; None for nothing."""
    try:
        return os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def require_plain(found: os.stat_result, locator: Locator) -> None:
    """Raises unless this is a regular file with one name."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectory("a folder is here", where=locator.key or "/", remedy="Look into it with list")
    if stat.S_ISLNK(found.st_mode):
        raise _denied(locator, "this is a symbolic link, and Quire follows none")
    if not stat.S_ISREG(found.st_mode):
        raise _denied(locator, "this is a pipe, a socket or a device, not a file")
    if found.st_nlink > 1:
        raise _denied(locator, "this file has another name, which may lie outside of the root (a hard link)")


def _denied(locator: Locator, what: str) -> AccessDenied:
    return AccessDenied(what, where=locator.key, remedy="Put a copy of the file here in its place")


def _on_disk(fd: int, name: str) -> str:
    """The spelling of an NFC name in this folder: as it is, or in NFD where only that exists."""
    if name.isascii():
        return name
    decomposed = unicodedata.normalize("NFD", name)
    if decomposed == name or status(fd, name) is not None or status(fd, decomposed) is None:
        return name
    return decomposed


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_AWAY = {errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.ENODEV, errno.EHOSTDOWN, errno.EMFILE, errno.ENFILE}


class Translated:
    """What the system refuses inside the `with`, as an error of our tree that names the cause and the file."""

    __slots__ = ("_locator",)

    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, QuireError):
            raise _ours(error, self._locator) from error


def _ours(error: OSError, locator: Locator) -> QuireError:
    where = locator.key or "/"
    what = f"{error.strerror or error} ({errno.errorcode.get(error.errno or 0, error.errno)})"
    match error.errno:
        case errno.ENOENT:
            return missing(locator)
        case errno.EISDIR:
            return IsADirectory("a folder is here", where=where, remedy="Name a file in it")
        case errno.ENOTDIR:
            return NotADirectory("a file stands where a folder is needed", where=where)
        case errno.ENOTEMPTY:
            return DirectoryNotEmpty("the folder is not empty", where=where)
        case errno.EEXIST:
            return already_exists(locator, None)
        case errno.ELOOP:
            return _denied(locator, "this is a symbolic link, and Quire follows none")
        case errno.ENXIO:
            return _denied(locator, "this is a pipe, a socket or a device, not a file")
        case number if number in _FULL:
            return StorageFull(what, where=where, remedy="Nothing was changed. Make room, then try again")
        case number if number in _DENIED:
            return AccessDenied(what, where=where, remedy="Check the owner and the mode of the file and its folder")
        case number if number in _AWAY:
            return Unavailable(what, where=where, remedy="Nothing was changed. Try again")
        case _:
            return StorageFailed(what, where=where, remedy="Nothing was changed. Check the disk, then try again")
