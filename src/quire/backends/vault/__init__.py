"""Storage in a folder that something else syncs: Obsidian, Dropbox, Drive, iCloud, OneDrive, Syncthing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from quire.backends.local import DeviceLocalBackend, require_writable
from quire.backends.local.folder import Root
from quire.backends.local.guard import DEFAULT_TIMEOUT, Guard
from quire.backends.local.writers import Writers
from quire.backends.vault.conflicts import ConflictCopy, recognise
from quire.backends.vault.lock import FileGuard, open_state, state_folder
from quire.errors import SelectionError
from quire.locator import Locator
from quire.ports.storage import Capabilities


class VaultBackend(DeviceLocalBackend):
    """The folder backend for a folder with other writers: a sync service, an editor, another machine.

    Nothing but the person's text is ever placed in it: the lock and the records of writers live in a state folder
    (`QUIRE_STATE_DIR`, else `$XDG_STATE_HOME/quire`). The folder must exist, as an absent vault is most often a drive
    that is not mounted, and a new one in its place would be filled and then hidden.
    """

    def __init__(self, root: str | os.PathLike[str], *, lock_timeout: float = DEFAULT_TIMEOUT) -> None:
        super().__init__(root, lock_timeout=lock_timeout)

    def _hold(self, path: str) -> Root:
        if not os.path.isdir(path):
            raise SelectionError(
                "this vault is not a folder" if os.path.lexists(path) else "this vault does not exist",
                where=path,
                remedy="Give the folder of an existing vault (is the drive mounted?), or make the folder first",
                code="FOLDER_MISSING",
            )
        require_writable(path)
        return Root(path)

    def _coordination(self, lock_timeout: float) -> tuple[Writers, Guard]:
        state = self.state = state_folder(self._root.path)
        self.lock_path = os.path.join(state, "lock")
        open_state(state)
        return Writers(lambda: open_state(state), "writers"), FileGuard(state, self._root.path, lock_timeout)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(concurrent_writers=True, conflict_files=True, sync=True)

    @property
    def conflict_strategy(self) -> str:
        return "whole-file"

    def conflicts(self) -> Iterator[ConflictCopy]:
        """The conflict copies in the vault, each with the file it belongs to. Reads names only, and changes nothing."""
        folders: dict[Locator, set[str]] = {}
        for info in self.walk(Locator()):
            folders.setdefault(info.locator.parent, set()).add(info.locator.name)
        for folder, names in folders.items():
            for name in sorted(names):
                if found := recognise(name, names):
                    service, original, certain = found
                    yield ConflictCopy(folder.child(name), folder.child(original), service, certain, original in names)
