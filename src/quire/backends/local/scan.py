"""Looking through folders: what a locator can name, quickly, and what it cannot, with the reason."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator

from quire.backends.local.folder import Root, status
from quire.backends.local.handle import FOLDER, Handle
from quire.errors import AccessDenied
from quire.locator import MAX_KEY_BYTES, MAX_SEGMENT_BYTES, RESERVED_PREFIX, Locator, addressable, plain
from quire.ports.storage import Info, file_info


def names(fd: int, linked: list[str] | None = None) -> dict[str, os.DirEntry[str]]:
    """What a locator can name in an open folder, files and folders, by NFC name; a folder's ends in "/".

    Sorted by these names, a walk comes out in the order of whole keys. Symbolic links are added to `linked`, one that
    does not lead to a file, so far as can be told, with a "/".
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
                if composed != name and (name != unicodedata.normalize("NFD", composed) or status(fd, composed)):
                    continue
                name = composed
            if entry.is_file(follow_symlinks=False):
                found[name] = entry
            elif entry.is_dir(follow_symlinks=False):
                found[name + "/"] = entry
            elif linked is not None and entry.is_symlink():
                linked.append(name if _leads_to_file(entry) else name + "/")
    return found


def _leads_to_file(link: os.DirEntry[str]) -> bool:
    try:
        return link.is_file()
    except OSError:
        return False  # where it leads is not there, or may not be looked at


def walk(root: Root, locator: Locator, links: list[str] | None = None) -> Iterator[Info]:
    """Every file below `locator`, sorted by key, with a stamp for a version. Nothing there: nothing to yield.

    Symbolic links, as `names` has them, are added to `links` before any file that comes after them is given. Raises
    AccessDenied at a folder that may not be read: a part of what there is would pass for all of it.
    """
    try:
        folder = root.open(locator, locator.parts)
    except (FileNotFoundError, NotADirectoryError):
        return
    prefix = locator.key + "/" if locator.key else ""
    found = _look(folder, prefix, links)
    # A stack of the folders on the way down, each with what is left to visit in it: deep trees are no deep recursion.
    stack = [(folder, prefix, found, iter(sorted(found)))]
    while stack:
        folder, prefix, found, rest = stack[-1]
        for name in rest:
            if name[-1] == "/":
                if (below := _enter(folder, prefix + name, found[name].name)) is not None:
                    inner = _look(below, prefix + name, links)
                    stack.append((below, prefix + name, inner, iter(sorted(inner))))
                    break
                continue
            try:
                seen = found[name].stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # deleted since the folder was read
            # The change time is in the stamp because, unlike the modification time, nobody can set it back.
            stamp = f"{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"
            yield file_info(prefix + name, seen.st_size, seen.st_mtime, stamp)
        else:
            stack.pop()


def _look(folder: Handle, prefix: str, links: list[str] | None) -> dict[str, os.DirEntry[str]]:
    linked: list[str] | None = None if links is None else []
    found = names(folder.fd, linked)
    if links is not None and linked:
        links += [prefix + name for name in linked if len((prefix + name).encode()) <= MAX_KEY_BYTES]
    return _within_reach(prefix, found)


def links(root: Root, locator: Locator) -> list[str]:
    """The symbolic links right in a folder, as `walk` has them."""
    found: list[str] = []
    prefix = locator.key + "/" if locator.key else ""
    _look(root.open(locator, locator.parts), prefix, found)
    return sorted(found)


def _within_reach(prefix: str, found: dict[str, os.DirEntry[str]]) -> dict[str, os.DirEntry[str]]:
    """Without what lies so deep that no key reaches it."""
    room = MAX_KEY_BYTES - len(prefix.encode())
    if room > MAX_SEGMENT_BYTES:
        return found
    return {name: entry for name, entry in found.items() if len(name.rstrip("/").encode()) <= room}


def _enter(folder: Handle, path: str, on_disk: str) -> Handle | None:
    """The folder below; None if it has gone, or was replaced by a file or a link, since it was listed."""
    try:
        return Handle(on_disk, FOLDER, within=folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise AccessDenied(
            "this folder may not be read", where=path, remedy="Check its owner and mode, or move it elsewhere"
        ) from error


def unreachable(root: Root) -> Iterator[tuple[str, str]]:
    """What lies in the root and no locator reaches: (path, reason) pairs, so that nothing is passed over in silence."""
    folders = [(root.open(Locator(), ()), "")]
    while folders:
        folder, prefix = folders.pop()
        found = names(folder.fd)
        reached = {entry.name for entry in found.values()}
        with os.scandir(folder.fd) as entries:
            rest = [entry for entry in entries if entry.name not in reached]
        for entry in sorted(rest, key=lambda entry: entry.name):
            if not entry.name.startswith(RESERVED_PREFIX):
                yield prefix + entry.name, _reason(entry)
        for key, entry in sorted(found.items()):
            if len((prefix + key).rstrip("/").encode()) > MAX_KEY_BYTES:
                yield prefix + key, f"a path of more than {MAX_KEY_BYTES} bytes"
            elif key[-1] == "/":
                try:
                    folders.append((Handle(entry.name, FOLDER, within=folder), prefix + key))
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except PermissionError:
                    yield prefix + key, "a folder that may not be read"
            elif (seen := status(folder.fd, entry.name)) and stat.S_ISREG(seen.st_mode) and seen.st_nlink > 1:
                yield prefix + key, "a file with another name (a hard link)"


def _reason(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "a symbolic link"
    if not addressable(entry.name):
        return "a name that other systems cannot hold or would confuse"
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return "the same name as another, in another Unicode form"
    return "a pipe, a socket or a device"
