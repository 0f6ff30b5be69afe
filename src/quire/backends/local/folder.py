"""A folder held by a handle, and what is in it opened relative to that handle, following no link.

Every step goes through an open descriptor of the folder above, one name at a time, so there is no moment at which a
link swapped in could lead out of the root. Names are NFC in a locator; a file whose name another system wrote in NFD
is found all the same, and keeps its name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import unicodedata

from quire.backends.local.handle import FOLDER, Handle, sync
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
from quire.locator import MAX_SEGMENT_BYTES, Locator
from quire.ports.storage import already_exists, check_size, missing, version_of

# Non-blocking, so that a pipe or a device planted under a file's name cannot hang the call.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_ADD = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20
_KEPT_OPEN = 64


class Place:
    """One name in one open folder. Everything about a file is asked through this; `with` closes the folder."""

    __slots__ = ("_folder", "_made", "fd", "locator", "name")

    def __init__(self, folder: Handle, name: str, locator: Locator, made: list[tuple[Handle, str]]) -> None:
        self._folder = folder
        self.fd = folder.fd
        self.name = name
        self.locator = locator
        self._made = made

    def __enter__(self) -> Place:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            unmake(self._made)
        self._folder.close()

    def beside(self, name: str) -> Place:
        """Another name in the same folder. It lives as long as this place."""
        return Place(self._folder, name, self.locator, [])

    def open(self) -> Handle:
        """The file here, to be read."""
        return Handle(self.name, _FILE, within=self._folder)

    def create(self, name: str) -> Handle:
        """A new file under `name` beside this one, to be written."""
        return Handle(name, _NEW, 0o666, within=self._folder)

    def open_end(self, *, new: bool) -> Handle:
        """The file here, to be added to; a new one, if there is to be none yet."""
        return Handle(self.name, _ADD | (os.O_CREAT | os.O_EXCL if new else 0), 0o666, within=self._folder)

    def stat(self) -> os.stat_result | None:
        """The status of what is here, None for nothing. A link is reported as the link it is."""
        return status(self.fd, self.name)

    def read(self, name: str | None = None) -> bytes:
        """The bytes of the regular file here (or under `name` beside it).

        Raises NotFound, IsADirectory, TooLarge, and AccessDenied for links, pipes, devices and files with two names.
        """
        with Handle(name or self.name, _FILE, within=self._folder) as file:
            found = os.fstat(file.fd)
            require_plain(found, self.locator)
            check_size(self.locator, found.st_size)
            parts = []
            while part := os.read(file.fd, max(_CHUNK, found.st_size + 1)):
                parts.append(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)

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
        self._held: Handle | None = Handle(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        found = os.fstat(self._held.fd)
        self._identity = (found.st_dev, found.st_ino)
        # What stands at a name that is known to be on disk, by the folder and the name. It is kept open, as the number
        # of a file that was removed may be given to the next that is made.
        self._durable: dict[tuple[int, int, str], Handle] = {}
        # Paths whose every name is known to be on disk: what stood at each of them, held open for the same reason.
        self._paths: dict[tuple[str, ...], list[tuple[Handle, int, int]]] = {}

    @property
    def handle(self) -> Handle:
        """The root. Whoever works with it keeps the reference, so that `close` pulls nothing away underneath.

        Raises Unavailable if it was closed.
        """
        held = self._held
        if held is None:
            raise Unavailable("this storage was closed", where=self.path, remedy="Open it again")
        return held

    def close(self) -> None:
        self._held = None
        self._durable.clear()
        self._paths.clear()

    def place(self, locator: Locator, *, create: bool = False) -> Place:
        """The folder around `locator`, open until the `with` ends, and the name in it as it stands on disk.

        With `create`, missing folders are made and their names made durable; they go again if the `with` ends with an
        error. Raises NotFound or NotADirectory.
        """
        parts = locator.parts
        made: list[tuple[Handle, str]] = []
        folder = self.open(locator, parts[:-1], made if create else None)
        return Place(folder, _on_disk(folder.fd, parts[-1]), locator, made)

    def open(self, locator: Locator, parts: tuple[str, ...], made: list[tuple[Handle, str]] | None = None) -> Handle:
        """The folder at `parts`. With a list for what is `made`, missing folders are."""
        self._check()
        if parts and (made is None or self._is_durable_path(parts)):
            try:
                found = Handle.below("/".join(parts), FOLDER, self.handle)
            except FileNotFoundError:
                if made is None:
                    raise missing(locator) from None
                found = None
            if found is not None:
                return found
        folder = Handle(".", FOLDER, within=self.handle)
        held: list[tuple[Handle, int, int]] = []
        try:
            for part in parts:
                above, folder = folder, self._enter(folder, part, locator, made)
                if made is not None and (known := self._durable.get(_name_of(above, part))):
                    held.append((known, *_identity(os.fstat(known.fd))))
        except BaseException:
            unmake(made or [])
            raise
        if made is not None and len(held) == len(parts):
            if len(self._paths) >= _KEPT_OPEN // 4:
                self._paths.clear()
            self._paths[parts] = held
        return folder

    def _is_durable_path(self, parts: tuple[str, ...]) -> bool:
        """Whether the same folders stand at these names as when all of the names were made durable."""
        path = ""
        for part, (_, *identity) in zip(parts, self._paths.get(parts, ()), strict=False):
            path = f"{path}/{part}" if path else part
            now = status(self.handle.fd, path)
            if now is None or [*_identity(now)] != identity:
                return False
        return parts in self._paths

    def _enter(self, folder: Handle, part: str, locator: Locator, made: list[tuple[Handle, str]] | None) -> Handle:
        name = _on_disk(folder.fd, part)
        new = False
        try:
            below = Handle(name, FOLDER, within=folder)
        except FileNotFoundError:
            if made is None:
                raise missing(locator) from None
            with contextlib.suppress(FileExistsError):  # made by someone else a moment ago: as good as ours
                os.mkdir(name, dir_fd=folder.fd)
                made.append((folder, name))
                new = True
            below = Handle(name, FOLDER, within=folder)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            found = status(folder.fd, name)
            if found and stat.S_ISLNK(found.st_mode):
                raise _denied(locator, f"{part!r} is a symbolic link, and Quire follows none") from None
            raise NotADirectory(f"{part!r} is a file, so nothing can be below it", where=locator.key) from None
        if made is not None and (new or not self._is_durable(folder, name, below)):
            # A handle of its own, as `below` closes with the place.
            self._make_durable(folder, name, Handle(name, FOLDER, within=folder))
        return below

    def settle(self, place: Place, file: Handle) -> None:
        """Make sure that the name of `file` at `place` is on disk, too; this process did so before, or does it now."""
        if not self._is_durable(place._folder, place.name, file):
            self._make_durable(place._folder, place.name, file)

    def _is_durable(self, folder: Handle, name: str, held: Handle) -> bool:
        known = self._durable.get(_name_of(folder, name))
        return known is not None and same_file(os.fstat(known.fd), os.fstat(held.fd))

    def _make_durable(self, folder: Handle, name: str, held: Handle) -> None:
        """Make the name of what is `held` durable, once for each process: a file is lost with a name above it."""
        sync(folder.fd)
        if len(self._durable) >= _KEPT_OPEN:
            self._durable.clear()
        self._durable[_name_of(folder, name)] = held

    def _check(self) -> None:
        """Raises Unavailable if the path no longer leads to the folder that is held: writes would go astray."""
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


def unmake(made: list[tuple[Handle, str]]) -> None:
    """Take away folders that a change made and did not come to use. One that others use by now stays."""
    for folder, name in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=folder.fd)
    made.clear()


def _name_of(folder: Handle, name: str) -> tuple[int, int, str]:
    found = os.fstat(folder.fd)
    return found.st_dev, found.st_ino, name


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether both are of one file."""
    return _identity(one) == _identity(other)


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
    if decomposed == name or len(decomposed.encode()) > MAX_SEGMENT_BYTES:
        return name  # in NFD no file could have it
    if status(fd, name) is not None or status(fd, decomposed) is None:
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
