"""A bucket as storage: each locator is one object, and each change is one conditional request.

An object store has no folders. One exists where something lies below it, or where `mkdir` left its mark.
"""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Iterator

from quire.backends.s3.failures import Outcome
from quire.backends.s3.objects import Objects, Patience, Seen, same
from quire.backends.s3.place import Door, parse
from quire.backends.s3.probe import Probe
from quire.errors import (
    DirectoryNotEmpty,
    IsADirectory,
    NotADirectory,
    OutcomeUnknown,
    StorageError,
    TooLarge,
    Unavailable,
)
from quire.locator import MAX_KEY_BYTES, Locator, addressable, trusted
from quire.ports.storage import (
    ANY,
    Capabilities,
    IfVersion,
    Info,
    StorageBackend,
    check_kind,
    check_version,
    keep_of,
    missing,
    payload,
)

_FOLDER_SECONDS = 1.0  # how long a folder that was just used is taken to be one still
_FOLDERS = 1024


class S3Backend(StorageBackend):
    """Text and bytes in a bucket, under `s3://bucket/prefix`.

    What is None comes from the AWS_* variables. `timeout` bounds the retries of a call, half of it one request; a large
    file on a slow line needs more. Opening makes one request: SelectionError for a bad url or option, NotFound for a
    missing bucket, AccessDenied for wrong keys, Unavailable where nothing answers.
    """

    def __init__(
        self,
        url: str,
        *,
        endpoint: str | None = None,
        region: str | None = None,
        access_key: str | None = None,
        secret_key: str | None = None,
        timeout: float = 30.0,
    ) -> None:
        place = parse(url)
        door = Door(
            place, endpoint=endpoint, region=region, access_key=access_key, secret_key=secret_key, patience=timeout / 2
        )  # fmt: skip
        self._prefix = place.prefix + "/" if place.prefix else ""
        self._timeout = timeout
        self._objects = Objects(door, timeout)
        self._probe = Probe(self._objects, place.prefix, timeout)
        self._folders: dict[str, float] = {}  # key to when it was last known to be a folder
        self._objects.check()

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(concurrent_writers=True)

    # Looking

    def read_bytes(self, locator: Locator) -> bytes:
        content = self._objects.fetch(self._key(locator)) if self._can_be(locator) else None
        if content is None:
            if self._is_folder(locator):
                raise IsADirectory("a folder is here", where=locator.key or "/", remedy="Look into it with list")
            raise missing(locator)
        return content

    def info(self, locator: Locator) -> Info:
        held = self._objects.digest(self._key(locator)) if self._can_be(locator) else None
        if held is not None:
            seen, version = held
            return Info(locator, False, seen.size, seen.mtime, version)
        if self._is_folder(locator):
            return Info(locator, True, 0, 0.0)
        raise missing(locator)

    def exists(self, locator: Locator) -> bool:
        return self._head(locator) is not None or self._is_folder(locator)

    def list(self, locator: Locator) -> list[Locator]:
        if locator.key and not self._can_be(locator):
            return []
        found = self._objects.names_in(self._key(locator).rstrip("/"))
        return [trusted(key) for key in sorted(self._ours(found)) if key.rpartition("/")[0] == locator.key]

    def walk(self, locator: Locator) -> Iterator[Info]:
        """Every file below, sorted. The server's order is its own, so all are gathered before the first is given."""
        if locator.key and not self._can_be(locator):
            return
        start = locator.key + "/" if locator.key else ""
        found = dict(self._objects.all_below(self._key(locator).rstrip("/")))
        for key in sorted(self._ours(set(found))):
            seen = found[self._prefix + key]
            # An empty object may be another tool's mark of a folder, "name/", which obstore reports without the slash.
            if not key.startswith(start) or (not seen.size and self._head(trusted(key)) is None):
                continue
            yield Info(trusted(key), False, seen.size, seen.mtime, f"etag:{seen.etag}")

    # Changing

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        content = payload(locator, content)
        self._check_request(locator, if_version)
        self._probe.check()
        write_id, lost, patience = secrets.token_hex(16), False, Patience(self._timeout)
        over = self._writable(locator, if_version)
        while True:
            outcome = self._objects.put(self._key(locator), content, over, write_id)
            if outcome is Outcome.DONE:
                break
            before, lost = over, lost or outcome is Outcome.LOST
            if lost:
                # A refusal may now be of our own write, so only the object itself can tell whether it was applied.
                now = self._look_again(locator, self._key(locator), patience)
                if now is not None and now.write_id == write_id:
                    break
                if if_version is ANY:
                    over = now
                elif not same(now, over):
                    raise _unknown(locator, "someone has written here since, perhaps over it")
            elif outcome is Outcome.REFUSED:
                over = self._writable(locator, if_version)
            if outcome is Outcome.REFUSED and before is None and over is None:
                self._objects.sweep(self._key(locator))
            self._wait(locator, outcome, patience, lost=lost)
        if over is None:
            self._confirm_place(locator, write_id)
        self._remember(locator)
        return locator

    def _confirm_place(self, locator: Locator, write_id: str) -> None:
        """Raises, and takes the new file back, if a folder of its name or a file above it came at the same instant.

        There is no transaction over two keys, so both may have been let in; and a server on a file system can hold only
        one of them. Whoever looks after writing sees the other, so none is acknowledged and then lost.
        """
        self._folders.clear()
        try:
            self._check_place(locator)
        except (IsADirectory, NotADirectory):
            mine = self._head(locator)
            if mine is not None and mine.write_id == write_id:
                self._objects.delete(self._key(locator), mine.etag)
            raise

    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        if not locator.key:
            raise IsADirectory("the root cannot be deleted", where="/")
        check_kind(locator, if_version)
        self._probe.check()
        lost, patience = False, Patience(self._timeout)
        key, over = self._removable(locator, if_version)
        while True:
            outcome = self._objects.delete(key, over.etag)
            if outcome is Outcome.DONE:
                return
            lost = lost or outcome is Outcome.LOST
            if lost:
                now = self._look_again(locator, key, patience)
                if now is None:
                    return
                if not same(now, over) and if_version is not ANY:
                    raise _unknown(locator, "someone has written here since, perhaps after it")
                over = now
            elif outcome is Outcome.REFUSED:
                key, over = self._removable(locator, if_version)
            self._wait(locator, outcome, patience, lost=lost)

    def mkdir(self, locator: Locator) -> Locator:
        if not self._is_folder(locator):
            self.write_bytes(keep_of(locator), b"")
        return locator

    # What a change needs to know first

    def _check_request(self, locator: Locator, if_version: IfVersion) -> None:
        """Raises for what no server has to be asked about."""
        check_kind(locator, if_version)
        if not locator.key:
            raise IsADirectory("the root is a folder", where="/", remedy="Name a file in it")
        if not self._can_be(locator):
            raise TooLarge(
                f"with its prefix {self._prefix!r} the key is longer than the {MAX_KEY_BYTES} bytes S3 holds",
                where=locator.key,
                remedy="Use shorter names, or a shorter prefix",
            )

    def _writable(self, locator: Locator, if_version: IfVersion) -> Seen | None:
        """What a write has to find, None for nothing. Raises Conflict, IsADirectory, NotADirectory."""
        if if_version is ANY:
            seen = self._head(locator)
            if seen is None:
                self._check_place(locator)
            return seen
        held = self._objects.digest(self._key(locator))
        if held is None:
            # A file cannot be below a file, so the place needs a look only where nothing stands.
            self._check_place(locator)
        check_version(locator, if_version, held[1] if held else None)
        return held[0] if held else None

    def _removable(self, locator: Locator, if_version: IfVersion) -> tuple[str, Seen]:
        """The key that goes, and what has to be there. Raises NotFound, Conflict, DirectoryNotEmpty."""
        if if_version is ANY:
            seen = self._head(locator)
        else:
            held = self._objects.digest(self._key(locator)) if self._can_be(locator) else None
            if held is not None:
                check_version(locator, if_version, held[1])
            seen = held[0] if held else None
        if seen is not None:
            return self._key(locator), seen
        mark = keep_of(locator)
        inside = self._objects.some_below(self._key(locator)) if self._can_be(mark) else []
        if inside and inside != [self._key(mark)]:
            raise DirectoryNotEmpty("the folder is not empty", where=locator.key, remedy="Delete what is in it first")
        seen = self._head(mark) if inside else None
        if seen is None:
            raise missing(locator)
        check_version(locator, if_version, "")
        return self._key(mark), seen

    def _check_place(self, locator: Locator) -> None:
        """Raises NotADirectory where a file is among the parents, IsADirectory where a folder is."""
        parent = locator.parent
        while parent.key:
            known = time.monotonic() - self._folders.get(parent.key, float("-inf")) < _FOLDER_SECONDS
            if not known and self._head(parent) is not None:
                raise NotADirectory(f"{parent.key!r} is a file, so nothing can be below it", where=locator.key)
            parent = parent.parent
        if self._is_folder(locator):
            raise IsADirectory("a folder is here", where=locator.key, remedy="Name a file in it")

    def _remember(self, locator: Locator) -> None:
        """The parents of a file that was written are folders, for a while."""
        if len(self._folders) > _FOLDERS:
            self._folders.clear()
        self._folders.pop(locator.key, None)
        now, parent = time.monotonic(), locator.parent
        while parent.key:
            self._folders[parent.key] = now
            parent = parent.parent

    def _look_again(self, locator: Locator, key: str, patience: Patience) -> Seen | None:
        """What is there after a reply was lost. Raises OutcomeUnknown where that cannot be found out."""
        try:
            return self._objects.head(key, patience)
        except StorageError as error:
            raise _unknown(locator, f"and the server cannot be asked: {error.what}") from error

    def _wait(self, locator: Locator, outcome: Outcome, patience: Patience, *, lost: bool) -> None:
        """Wait before another try. Raises OutcomeUnknown or Unavailable when the time is up."""
        # A refused change has seen the server answer, so what it lost is a race, and haste wins races.
        if patience.left if outcome is Outcome.REFUSED and not lost else patience.pause():
            return
        if lost:
            raise _unknown(locator, "and it may still arrive")
        busy = outcome is Outcome.REFUSED
        raise Unavailable(
            "others wrote here at each try" if busy else "the server does not answer; nothing was changed",
            where=self._objects.where(self._key(locator)),
            remedy="Retry" if busy else "Check the endpoint and the network, then retry",
        )

    # Keys

    def _key(self, locator: Locator) -> str:
        return self._prefix + locator.key

    def _can_be(self, locator: Locator) -> bool:
        """Whether S3 could hold an object of this name."""
        return bool(locator.key) and len(self._key(locator).encode()) <= MAX_KEY_BYTES

    def _head(self, locator: Locator) -> Seen | None:
        return self._objects.head(self._key(locator)) if self._can_be(locator) else None

    def _is_folder(self, locator: Locator) -> bool:
        if not locator.key:
            return True
        # Where no name fits below, nothing is.
        room = len(self._key(locator).encode()) + 2 <= MAX_KEY_BYTES
        return room and bool(self._objects.some_below(self._key(locator)))

    def _ours(self, keys: set[str]) -> Iterator[str]:
        """The keys of the bucket as locators spell them, without what none can address: marks, and others' objects."""
        for full in keys:
            key = full[len(self._prefix) :]
            if (
                full.startswith(self._prefix)
                and unicodedata.is_normalized("NFC", key)
                and all(addressable(part) for part in key.split("/"))
            ):
                yield key


def _unknown(locator: Locator, why: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"the reply to this change was lost, {why}", where=locator.key, remedy="Read it, then decide"
    )  # fmt: skip
