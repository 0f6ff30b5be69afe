"""What a writer that died left behind: finished, undone, or kept, and never removed unseen."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from quire.backends.local.folder import FOLDER, Place
from quire.backends.local.publish import give_back, keep, name_hash, put_back
from quire.backends.local.writers import Stage, Temporary
from quire.locator import RESERVED_PREFIX, Locator
from quire.ports.storage import version_of


def sweep(root_fd: int, dead: Collection[str]) -> int:
    """Look through the whole root for temporary files of the writers in `dead`. Returns how many there were."""
    count = 0
    for fd, names in _folders(root_fd):
        for name in names:
            left = Temporary.parse(name)
            if left and left.writer in dead:
                _recover(fd, left, names)
                count += 1
    return count


def _recover(fd: int, left: Temporary, names: list[str]) -> None:
    # A text whose target has gone from the folder meanwhile has no name to return to but this one.
    target = next((name for name in names if name_hash(name) == left.target), "recovered.md")
    place = Place(fd, target, Locator())
    if left.stage is Stage.WRITING:
        os.unlink(left.name, dir_fd=fd)
        return
    version = version_of(place.read(left.name))
    ours = [start for start in (left.base, left.new) if start]
    if any(version.startswith(start) for start in ours):
        os.unlink(left.name, dir_fd=fd)
    elif target == "recovered.md":
        keep(place, left.name)
    elif left.stage is Stage.EXCHANGING:
        give_back(place, left)
    else:
        put_back(place, left)


def _folders(fd: int) -> Iterator[tuple[int, list[str]]]:
    """Each folder below `fd`, open, with the names in it."""
    names, folders = [], []
    with os.scandir(fd) as entries:
        for entry in entries:
            names.append(entry.name)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(RESERVED_PREFIX):
                folders.append(entry.name)
    yield fd, names
    for name in folders:
        try:
            below = os.open(name, FOLDER, dir_fd=fd)
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone or replaced since it was listed
        try:
            yield from _folders(below)
        finally:
            os.close(below)
