"""Looking through folders: what a locator can name, quickly, and what it cannot, with the reason."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator

from quire.backends.local.folder import FOLDER, Root, status
from quire.locator import RESERVED_PREFIX, Locator, addressable, plain
from quire.ports.storage import Info, file_info


def names(fd: int) -> dict[str, os.DirEntry[str]]:
    """What a locator can name in an open folder, files and folders, by NFC name; a folder's ends in "/".

    Sorted by these names, a walk comes out in the order of whole keys.
    """
    found: dict[str, os.DirEntry[str]] = {}
    with os.scandir(fd) as entries:
        for entry in entries:
            name = entry.name
            if not plain(name):
                if not addressable(name):
                    continue
                composed = unicodedata.normalize("NFC", name)
                # The NFC spelling answers where both exist; another is reached only if it is plain NFD.
                if composed != name and (name != unicodedata.normalize("NFD", composed) or _stands(fd, composed)):
                    continue
                name = composed
            if entry.is_file(follow_symlinks=False):
                found[name] = entry
            elif entry.is_dir(follow_symlinks=False):
                found[name + "/"] = entry
    return found


def _stands(fd: int, name: str) -> bool:
    return status(fd, name) is not None


def walk(root: Root, locator: Locator) -> Iterator[Info]:
    """Every file below `locator`, sorted by key, with a stamp for a version. Nothing there: nothing to yield."""
    try:
        fd = root.open(locator, locator.parts)
    except (FileNotFoundError, NotADirectoryError):
        return iter(())
    return _walk(fd, locator.key + "/" if locator.key else "")


def _walk(fd: int, prefix: str) -> Iterator[Info]:
    try:
        found = names(fd)
        for name in sorted(found):
            entry = found[name]
            if name[-1] == "/":
                try:
                    below = os.open(entry.name, FOLDER, dir_fd=fd)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # gone, or replaced by a file or a link, since the folder was read
                yield from _walk(below, prefix + name)
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            # The change time is part of the stamp because, unlike the modification time, nobody can set it back.
            stamp = f"{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"
            yield file_info(prefix + name, seen.st_size, seen.st_mtime, stamp)
    finally:
        os.close(fd)


def unreachable(root: Root) -> Iterator[tuple[str, str]]:
    """What lies in the root and no locator reaches: (path, reason) pairs, so that nothing is passed over in silence."""
    yield from _unreachable(root.open(Locator(), ()), "")


def _unreachable(fd: int, prefix: str) -> Iterator[tuple[str, str]]:
    try:
        found = names(fd)
        reached = {entry.name for entry in found.values()}
        with os.scandir(fd) as entries:
            rest = [entry for entry in entries if entry.name not in reached]
        for entry in sorted(rest, key=lambda entry: entry.name):
            if not entry.name.startswith(RESERVED_PREFIX):
                yield prefix + entry.name, _reason(entry)
        for key, entry in sorted(found.items()):
            if key[-1] == "/":
                yield from _unreachable(os.open(entry.name, FOLDER, dir_fd=fd), prefix + key)
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
