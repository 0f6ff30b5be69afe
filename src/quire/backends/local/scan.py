"""Looking through folders: what a locator can name, quickly, and what it cannot, with the reason."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator

from quire.backends.local.folder import Root
from quire.locator import RESERVED_PREFIX, Locator, addressable, trusted
from quire.ports.storage import Info


def names(fd: int) -> list[tuple[str, os.DirEntry[str]]]:
    """The (NFC name, entry) pairs of the files and folders in an open folder that a locator can name."""
    found: dict[str, os.DirEntry[str]] = {}
    with os.scandir(fd) as entries:
        for entry in entries:
            name = entry.name
            if addressable(name) and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)):
                key = name if name.isascii() else unicodedata.normalize("NFC", name)
                # The NFC spelling answers where both exist; another is reached only if it is plain NFD.
                if key == name or (key not in found and name == unicodedata.normalize("NFD", key)):
                    found[key] = entry
    return list(found.items())


def walk(root: Root, locator: Locator) -> Iterator[Info]:
    """Every file below `locator`, sorted by key, with a stamp for a version. Nothing there: nothing to yield."""
    try:
        fd = root.open(locator, locator.parts)
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from _walk(fd, locator.key + "/" if locator.key else "")


def _walk(fd: int, prefix: str) -> Iterator[Info]:
    try:
        # A folder sorts as if its name ended in "/", which makes the whole walk come out in order of the keys.
        rows = [
            (name + "/", name, entry) if entry.is_dir(follow_symlinks=False) else (name, name, entry)
            for name, entry in names(fd)
        ]
        rows.sort()
        for sort, name, entry in rows:
            if sort is name:
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # deleted since the folder was read
                if stat.S_ISREG(found.st_mode):
                    yield Info(trusted(prefix + name), False, found.st_size, found.st_mtime, stamp(found))
                continue
            try:
                below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            except (FileNotFoundError, NotADirectoryError):
                continue
            yield from _walk(below, prefix + sort)
    finally:
        os.close(fd)


def stamp(found: os.stat_result) -> str:
    """Changes whenever the file may have: the change time cannot be set back as the modification time can."""
    return f"{found.st_mtime_ns:x}.{found.st_ctime_ns:x}.{found.st_size:x}.{found.st_ino:x}"


def unreachable(root: Root) -> Iterator[tuple[str, str]]:
    """What lies in the root and no locator reaches: (path, reason) pairs, so that nothing is passed over in silence."""
    yield from _unreachable(root.open(Locator(), ()), "")


def _unreachable(fd: int, prefix: str) -> Iterator[tuple[str, str]]:
    try:
        reached = {entry.name for _, entry in names(fd)}
        with os.scandir(fd) as entries:
            rest = [entry for entry in entries if entry.name not in reached]
        for entry in sorted(rest, key=lambda entry: entry.name):
            if not entry.name.startswith(RESERVED_PREFIX):
                yield prefix + entry.name, _reason(entry)
        for key, entry in sorted(names(fd)):
            if entry.is_dir(follow_symlinks=False):
                below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
                yield from _unreachable(below, f"{prefix}{key}/")
            elif entry.stat(follow_symlinks=False).st_nlink > 1:
                yield prefix + key, "a file with another name (a hard link)"
    finally:
        os.close(fd)


def _reason(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "a symbolic link"
    if not addressable(entry.name):
        return "a name that other systems cannot hold or would confuse"
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return "the same name as another, in another Unicode form"
    return "a pipe, a socket or a device"
