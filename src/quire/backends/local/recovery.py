"""What a writer that died left behind: finished, undone, or kept, and never removed unseen."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from quire.backends.local.folder import Place
from quire.backends.local.guard import Guard
from quire.backends.local.handle import FOLDER, Handle
from quire.backends.local.publish import give_back, keep, put_back
from quire.backends.local.writers import Stage, Temporary
from quire.errors import StorageError
from quire.locator import RESERVED_PREFIX, trusted
from quire.ports.storage import version_of


@dataclass
class Swept:
    """How many leftovers were put right, and which could not be: (path, reason)."""

    count: int = 0
    troubles: list[tuple[str, str]] = field(default_factory=list)


def sweep(root: Handle, dead: Mapping[str, str], guard: Guard) -> Swept:
    """Look through the whole root for temporary files of the writers in `dead`, which maps each to the name it noted.

    A folder or a leftover that makes trouble is passed over and reported; it keeps nobody from opening the storage.
    """
    swept = Swept()
    for folder, path, name in _leftovers(root, "", swept):
        left = Temporary.parse(name)
        if left and left.writer in dead:
            try:
                _recover(folder, path, left, dead[left.writer], guard)
                swept.count += 1
            except (OSError, StorageError) as error:
                swept.troubles.append((path + name, str(error)))
    return swept


def _recover(folder: Handle, path: str, left: Temporary, target: str, guard: Guard) -> None:
    if left.stage is Stage.WRITING:
        os.unlink(left.name, dir_fd=folder.fd)
        return
    # A name that did not reach the disk is lost with the power; the text is not.
    place = Place(folder, target or "recovered.md", trusted(path + (target or left.name)), [])
    with guard.hold():
        version = version_of(place.read(left.name))
        if any(version.startswith(start) for start in (left.base, left.new) if start):
            os.unlink(left.name, dir_fd=folder.fd)
        elif not target:
            keep(place, left.name)
        elif left.stage is Stage.EXCHANGING:
            give_back(place, left)
        else:
            put_back(place, left)


def _leftovers(folder: Handle, path: str, swept: Swept) -> Iterator[tuple[Handle, str, str]]:
    """Each name in or below `folder` that begins as temporary names do, with its folder, open."""
    folders = [(folder, path)]
    while folders:
        here, path = folders.pop()
        with os.scandir(here.fd) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_dir in found:
            if name.startswith(RESERVED_PREFIX):
                if not is_dir:
                    yield here, path, name
            elif is_dir:
                try:
                    folders.append((Handle(name, FOLDER, within=here), f"{path}{name}/"))
                except (FileNotFoundError, NotADirectoryError):
                    continue  # gone or replaced since it was listed
                except OSError as error:
                    swept.troubles.append((path + name, str(error)))
