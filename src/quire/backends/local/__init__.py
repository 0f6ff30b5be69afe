"""Storage in a folder: plain files that a person can read, edit and put in git."""

from __future__ import annotations

import builtins
import os
import stat
from collections.abc import Callable, Iterator

from quire.backends.local import append, publish, scan
from quire.backends.local.folder import Place, Root, Translated, require_plain
from quire.backends.local.guard import DEFAULT_TIMEOUT, FolderGuard, Guard
from quire.backends.local.handle import Handle, sync
from quire.backends.local.recovery import Swept, sweep
from quire.backends.local.writers import Writers
from quire.errors import IsADirectory, NotADirectory, NotFound, QuireError, SelectionError, Unavailable
from quire.locator import Locator, trusted
from quire.ports.storage import (
    ANY,
    Capabilities,
    IfVersion,
    Info,
    StorageBackend,
    check_kind,
    check_lengths,
    check_move,
    check_version,
    missing,
    payload,
    version_of,
)

_TRIES = 20  # against somebody who removes the folders that are made; each try loses only to their progress


class DeviceLocalBackend(StorageBackend):
    """Files below `root`, which is made if it is missing; `~/.quire` where none is given.

    Conditional writes are safe between threads and processes, and against writers that take no lock. `lock_timeout` is
    how long a change waits for another process before it raises Busy. Raises StorageError where the root cannot be
    made or opened.
    """

    def __init__(self, root: str | os.PathLike[str] | None = None, *, lock_timeout: float = DEFAULT_TIMEOUT) -> None:
        path = expanded(root if root is not None else "~/.quire")
        with Translated(trusted(path)):
            self._root = self._hold(path)
            self._writers, self._guard = self._coordination(lock_timeout)
            self.recovered, self.unrecovered = self._recover()

    def _hold(self, path: str) -> Root:
        """The handle on the root folder, made where it is missing. Raises SelectionError where it cannot serve."""
        if not os.path.isdir(path):
            _make(path)
        require_writable(path)
        return Root(path)

    def _coordination(self, lock_timeout: float) -> tuple[Writers, Guard]:
        """Where this storage keeps what its writers must know of each other."""
        root = self._root
        return Writers(lambda: root.handle), FolderGuard(root, lock_timeout)

    def _recover(self) -> tuple[int, list[tuple[str, str]]]:
        """Put right what writers that died have left: how many files that were, and (path, reason) of those it is not.

        What is not put right is tried again by the next open; it keeps nobody from opening the storage.
        """
        dead = self._writers.take_dead()
        swept = Swept()
        done = False
        try:
            if dead:
                notes = {name: record.noted() for name, record in dead.items()}
                swept = sweep(self._root.handle, notes, self._guard)
                done = not swept.troubles
        finally:
            self._writers.bury(dead, swept=done)
        return swept.count, swept.troubles

    @property
    def root(self) -> str:
        """The real path of the folder. For people and messages; the seam speaks in locators."""
        return self._root.path

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(concurrent_writers=True)

    def read_bytes(self, locator: Locator) -> bytes:
        _refuse_root(locator)
        with Translated(locator), _AbsentBelowFile(locator), self._root.place(locator) as place:
            return place.read()

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        content = payload(locator, content)
        _refuse_root(locator)
        check_kind(locator, if_version)
        if isinstance(if_version, str):  # what was seen has its folders
            with Translated(locator), _AbsentIsConflict(locator, if_version), self._root.place(locator) as place:
                publish.write(place, content, if_version, self._writers, self._guard)
        else:
            self._in_folders(
                locator, lambda place: publish.write(place, content, if_version, self._writers, self._guard)
            )
        return locator

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        content = payload(locator, content)
        _refuse_root(locator)
        self._in_folders(locator, lambda place: append.append(place, content, self._root, self._guard))
        return locator

    def _in_folders(self, locator: Locator, change: Callable[[Place], None]) -> None:
        """Make a change in folders that are made for it, again if somebody removes them, empty, at the same moment."""
        for _ in range(_TRIES):
            with Translated(locator):
                try:
                    with self._root.place(locator, create=True) as place:
                        return change(place)
                except FileNotFoundError as error:
                    if isinstance(error, QuireError):
                        raise
        raise Unavailable("the folder vanishes each time it is made", where=locator.key, remedy="Try again")

    def list(self, locator: Locator) -> list[Locator]:
        with Translated(locator):
            try:
                folder = self._root.open(locator, locator.parts)
            except (FileNotFoundError, NotADirectoryError):
                return []
            prefix = locator.key + "/" if locator.key else ""
            return [trusted(prefix + name) for name in sorted(name.rstrip("/") for name in scan.names(folder.fd))]

    def walk(self, locator: Locator) -> Iterator[Info]:
        with Translated(locator):
            yield from scan.walk(self._root, locator)

    def walk_noting(self, locator: Locator, links: builtins.list[str]) -> Iterator[Info]:
        """As `walk`, and the symbolic links it passes are added to `links`: their paths, with "/" unless of a file."""
        with Translated(locator):
            yield from scan.walk(self._root, locator, links)

    def links(self, locator: Locator) -> builtins.list[str]:
        """The symbolic links right in a folder, as `walk_noting` has them."""
        with Translated(locator):
            return scan.links(self._root, locator)

    def info(self, locator: Locator) -> Info:
        found = self._stat(locator)
        if stat.S_ISDIR(found.st_mode):
            return Info(locator, True, 0, found.st_mtime)
        content = self.read_bytes(locator)
        return Info(locator, False, len(content), found.st_mtime, version_of(content))

    def exists(self, locator: Locator) -> bool:
        try:
            found = self._stat(locator)
        except NotFound:
            return False
        return stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)

    def _stat(self, locator: Locator) -> os.stat_result:
        with Translated(locator), _AbsentBelowFile(locator):
            if not locator.key:
                with self._root.open(locator, ()) as folder:
                    return os.fstat(folder.fd)
            with self._root.place(locator) as place:
                found = place.stat()
        if found is None:
            raise missing(locator)
        return found

    def mkdir(self, locator: Locator) -> Locator:
        if locator.key:
            self._in_folders(trusted(locator.key + "/-"), lambda place: None)
        return locator

    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        _refuse_root(locator)
        with Translated(locator), _AbsentBelowFile(locator), self._root.place(locator) as place:
            publish.delete(place, if_version, self._writers, self._guard)

    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        found = self._stat(source)
        is_dir = stat.S_ISDIR(found.st_mode)
        check_kind(source, if_version)
        if not is_dir:
            require_plain(found, source)
        check_move(source, target, Info(source, is_dir, found.st_size, found.st_mtime), if_version)
        if is_dir and len(target.key) > len(source.key):
            check_lengths(source, target, self.walk(source))

        def move(there: Place) -> None:
            with Translated(source), self._root.place(source) as here:
                publish.move(here, there, if_version, self._guard)

        self._in_folders(target, move)
        return target

    def unreachable(self) -> Iterator[tuple[str, str]]:
        """What lies in the folder and cannot be named through the seam: (path, reason) pairs."""
        with Translated(Locator()):
            yield from scan.unreachable(self._root)

    def close(self) -> None:
        """Calls under way end well; later ones raise Unavailable."""
        self._writers.close()
        self._root.close()


def expanded(path: str | os.PathLike[str]) -> str:
    """`path` with `~` as the home folder. Raises SelectionError where there is no home, or the path cannot be one."""
    text = os.path.expanduser(os.fspath(path))
    if not isinstance(text, str) or not text or "\0" in text:
        raise SelectionError(f"{path!r} is not a path", where="root", remedy="Give a folder", code="FOLDER_MISSING")
    if text.startswith("~"):
        raise SelectionError(
            "this user has no home folder", where=text, remedy="Set HOME, or name the folder in full", code="NO_HOME"
        )
    return text


def _make(path: str) -> None:
    """Make the root and its parents, durably. A root of our own choosing is private to the user."""
    parent = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(parent, exist_ok=True)
        os.mkdir(path, 0o700)
    except OSError as error:
        what = "a file has this name" if os.path.lexists(path) else f"it cannot be made ({error.strerror})"
        raise SelectionError(
            f"the folder does not exist, and {what}",
            where=path,
            remedy="Give another folder, or make this one yourself",
            code="FOLDER_MISSING",
        ) from error
    with Handle(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) as folder:
        sync(folder.fd)


def require_writable(path: str) -> None:
    """Raises SelectionError if this user may not write here, or the file system is read-only."""
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise SelectionError(
            "the folder cannot be written to",
            where=path,
            remedy="Check its owner and mode, and whether the file system is mounted read-only",
            code="FOLDER_NOT_WRITABLE",
        )


def _refuse_root(locator: Locator) -> None:
    if not locator.key:
        raise IsADirectory("the root is a folder", where="/", remedy="Name a file in it")


class _AbsentBelowFile:
    """Asking for something below a file finds nothing; only a write needs to know why."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, NotADirectory):
            raise missing(self._locator) from error


class _AbsentIsConflict:
    """A version of something whose folder is not there was seen before somebody took it away."""

    def __init__(self, locator: Locator, if_version: IfVersion) -> None:
        self._locator = locator
        self._if_version = if_version

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FileNotFoundError):
            check_version(self._locator, self._if_version, None)
