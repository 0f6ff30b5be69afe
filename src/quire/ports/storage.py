"""The storage seam: what the engine asks of whatever keeps the text.

A backend writes `read_bytes`, `write_bytes`, `list`, `info`, `delete` and `capabilities`; everything else has a default
here, right but not always fast, to be overridden where a technology can do better. `docs/reference/seam.md` is the
specification and `quire.testing.StorageBackendTests` the exam.
"""

from __future__ import annotations

import enum
import hashlib
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias

from quire.errors import (
    AlreadyExists,
    Busy,
    Conflict,
    DirectoryNotEmpty,
    InvalidLocatorError,
    IsADirectory,
    NotADirectory,
    NotFound,
    NotText,
    StorageError,
    TooLarge,
)
from quire.locator import MAX_KEY_BYTES, Locator, trusted

MAX_CONTENT_BYTES = 256 * 1024 * 1024  # one entry is a page, one attachment a file; more belongs in a blob store

_APPEND_TRIES = 200  # each try loses only to somebody's progress

KEEP = ".quire-dir"  # what `mkdir` leaves where a technology has no folders of its own


class Presence(enum.Enum):
    """What `if_version` can ask besides a version."""

    ANY = "any"
    ABSENT = "absent"


ANY = Presence.ANY
ABSENT = Presence.ABSENT
IfVersion: TypeAlias = str | Presence


@dataclass(frozen=True, slots=True)
class Info:
    """What is known of a locator without its content. `mtime` is information, never an order: sync clients rewrite it.

    `version` is the sha256 of the bytes from `info`; from `walk` it may be a cheaper stamp that only says "the same as
    before" or "look again". A directory has none.
    """

    locator: Locator
    is_dir: bool
    size: int
    mtime: float
    version: str = ""


_new = object.__new__
_set_locator, _set_is_dir, _set_size, _set_mtime, _set_version = (
    vars(Info)[name].__set__ for name in ("locator", "is_dir", "size", "mtime", "version")
)


def file_info(key: str, size: int, mtime: float, version: str) -> Info:
    """The Info of a file whose key is known to be normal, at a third of the price: a walk makes one for every file."""
    info = _new(Info)
    _set_locator(info, trusted(key))
    _set_is_dir(info, False)
    _set_size(info, size)
    _set_mtime(info, mtime)
    _set_version(info, version)
    return info


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend promises. Everything defaults to no."""

    concurrent_writers: bool = False
    conflict_files: bool = False
    encryption: bool = False
    sync: bool = False


class StorageBackend(ABC):
    """A namespace of text and bytes, addressed by Locator.

    Every verb raises an error of `quire.errors`; nothing of the technology below comes through. Instances may be used
    from several threads.
    """

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What this backend promises. Never fails."""

    @property
    def conflict_strategy(self) -> str:
        """How divergent concurrent writes are reconciled; `"none"` where there is nothing to reconcile."""
        return "none"

    @abstractmethod
    def read_bytes(self, locator: Locator) -> bytes:
        """All bytes at `locator`, never part of a write in progress.

        Raises NotFound, IsADirectory, or TooLarge above MAX_CONTENT_BYTES.
        """

    @abstractmethod
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        """Put `content` at `locator`, whole or not at all, and durable when the call returns. Parents are made.

        `if_version` is `ANY`, `ABSENT`, or the version that was seen; the check and the write are one step. Raises
        Conflict (AlreadyExists for `ABSENT`), IsADirectory, NotADirectory, StorageFailed or StorageFull with the old
        content intact, or OutcomeUnknown where the change may have happened.
        """

    @abstractmethod
    def list(self, locator: Locator) -> list[Locator]:
        """The immediate children, sorted by key; `[]` for an empty folder, for a file and for nothing."""

    @abstractmethod
    def info(self, locator: Locator) -> Info:
        """What is at `locator`, with its exact version. Raises NotFound. May read the content to hash it."""

    @abstractmethod
    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        """Remove the file, or the empty folder, at `locator`.

        Raises NotFound, Conflict, DirectoryNotEmpty; IsADirectory for the root.
        """

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        """Add `content` to the end of the file at `locator`, durable when the call returns. A missing file is made.

        Appends that race all land, each whole and in one piece. One that failed leaves the old bytes. A crash in the
        middle of the call may leave part of `content`, and a reader may see part of it before the call returns: this is
        for logs whose reader tolerates a torn record, and what is true is written with `write_bytes`.

        Here: read, then write under a condition, again where others were faster. Raises what `write_bytes` raises;
        TooLarge for the size that would result; Busy where others were faster each time.
        """
        content = payload(locator, content)
        for _ in range(_APPEND_TRIES):
            try:
                held = self.read_bytes(locator)
                seen: IfVersion = version_of(held)
            except NotFound:
                held, seen = b"", ABSENT
            check_size(locator, len(held) + len(content))
            try:
                return self.write_bytes(locator, held + content, if_version=seen)
            except Conflict:
                continue
        raise Busy(
            f"others wrote here first, {_APPEND_TRIES} times; nothing was added", where=locator.key, remedy="Try again"
        )

    def resolve(self, *parts: str) -> Locator:
        """The locator of `parts`; `resolve()` is the root. Raises InvalidLocatorError."""
        return Locator().child(*parts)

    def read(self, locator: Locator) -> str:
        """The text at `locator`, as it was written: no newline is translated, no byte order mark dropped.

        Raises NotText where the bytes are not UTF-8, and what `read_bytes` raises.
        """
        content = self.read_bytes(locator)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotText(
                f"byte {error.start} is not UTF-8 ({error.reason})",
                where=locator.key,
                remedy="Read it with read_bytes, or save the file as UTF-8",
            ) from error

    def write(self, locator: Locator, content: str, *, if_version: IfVersion = ANY) -> Locator:
        """Put text at `locator`; `read` gives back the same text. Raises NotText, and what `write_bytes` raises."""
        if not isinstance(content, str):
            raise NotText(
                f"the content is {type(content).__name__}, not text", where=locator.key, remedy="Use write_bytes"
            )
        try:
            encoded = content.encode("utf-8")
        except UnicodeEncodeError as error:
            raise NotText(
                f"character {error.start} of the text cannot be written as UTF-8 ({error.reason})", where=locator.key
            ) from error
        return self.write_bytes(locator, encoded, if_version=if_version)

    def exists(self, locator: Locator) -> bool:
        """Whether a file or a folder is at `locator`. A storage that cannot answer raises; it never says no."""
        try:
            self.info(locator)
        except (NotFound, NotADirectory):
            return False
        return True

    def mkdir(self, locator: Locator) -> Locator:
        """Make the folder and its parents; an existing folder is fine. Raises NotADirectory where a file stands."""
        if not locator.key or (self.exists(locator) and self.info(locator).is_dir):
            return locator
        check_place(self, keep_of(locator))
        self.write_bytes(keep_of(locator), b"")
        return locator

    def walk(self, locator: Locator) -> Iterator[Info]:
        """Every file below `locator` with its Info, sorted by key. No content is read where it can be avoided."""
        children = [(child.key + "/" * info.is_dir, info) for child in self.list(locator) for info in self._seen(child)]
        for _, info in sorted(children, key=lambda pair: pair[0]):
            if info.is_dir:
                yield from self.walk(info.locator)
            else:
                yield info

    def _seen(self, locator: Locator) -> Iterator[Info]:
        """The Info of a child that was listed, or nothing if it has gone since."""
        try:
            yield self.info(locator)
        except NotFound:
            return

    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        """Give the file at `source` the name `target`; never overwrites. A folder moves with all that is below it.

        Here: copy, then delete. A crash in between leaves both, never neither. Raises NotFound, Conflict,
        AlreadyExists where anything is at `target`.
        """
        seen = self.info(source)
        check_move(source, target, seen, if_version)
        if seen.is_dir:
            check_lengths(source, target, self.walk(source))
            return self._move_folder(source, target)
        if self.exists(target):
            raise already_exists(target, self.info(target).version or None)
        content = self.read_bytes(source)
        version = version_of(content)
        check_version(source, if_version, version)
        self.write_bytes(target, content, if_version=ABSENT)
        try:
            self.delete(source, if_version=version)
        except (Conflict, NotFound):
            # Someone changed or took the source meanwhile, so the copy must not stand for it.
            self.delete(target, if_version=version)
            raise
        return target

    def _move_folder(self, source: Locator, target: Locator) -> Locator:
        """File by file, so not in one step: a reader may see some on either side."""
        if self.exists(target):
            raise already_exists(target, None)
        self.mkdir(target)
        for child in self.list(source):
            self.move(child, target.child(child.name))
        try:
            self.delete(source)
        except NotFound:
            pass  # it was only implied by the files that have moved
        return target

    def close(self) -> None:
        """Let go of connections and handles. Calling it twice is fine; a closed backend may not be used."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def version_of(content: bytes | str) -> str:
    """The version of this content: the sha256 of its bytes, in hex.

    >>> version_of("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def payload(locator: Locator, content: bytes) -> bytes:
    """`content` as bytes, checked. What each `write_bytes` does first."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise StorageError(f"the content is {type(content).__name__}, not bytes", where=locator.key, remedy="Use write")
    check_size(locator, memoryview(content).nbytes)
    return bytes(content)


def check_size(locator: Locator, size: int) -> None:
    """Raises TooLarge above MAX_CONTENT_BYTES."""
    if size > MAX_CONTENT_BYTES:
        raise TooLarge(
            f"{size:,} bytes are more than the {MAX_CONTENT_BYTES:,} one file may have",
            where=locator.key,
            remedy="Split it, or keep it outside and link to it",
        )


def check_version(locator: Locator, if_version: IfVersion, current: str | None) -> None:
    """Raises Conflict unless `current` is what `if_version` asks for.

    `current` is the version that is there, None where nothing is, and empty for a folder.
    """
    check_kind(locator, if_version)
    if isinstance(if_version, Presence):
        if if_version is ABSENT and current is not None:
            raise already_exists(locator, current)
        return
    if if_version == current:
        return
    if current is None:
        raise Conflict("nothing is here any more", where=locator.key, remedy="Write with if_version=ABSENT to create")
    stamp = "" if len(if_version) == 64 else " (the version given is a stamp of walk; ask info for the exact one)"
    raise Conflict(
        f"someone wrote first: here is {f'version {current[:12]}…' if current else 'a folder'}, "
        f"not version {if_version[:12]}…{stamp}",
        where=locator.key,
        remedy="Read it again, then retry",
        current=current,
    )


def check_kind(locator: Locator, if_version: IfVersion) -> None:
    """Raises StorageError for a precondition that is neither ANY, ABSENT nor a version."""
    if not isinstance(if_version, str | Presence):
        raise StorageError(f"if_version must be ANY, ABSENT or a version, not {if_version!r}", where=locator.key)


def already_exists(locator: Locator, current: str | None) -> AlreadyExists:
    """The error for a name that is taken."""
    return AlreadyExists(
        "something is here already" + (f", version {current[:12]}…" if current else ""),
        where=locator.key,
        remedy="Choose another name, or give the version you saw",
        current=current,
    )


def check_move(source: Locator, target: Locator, seen: Info, if_version: IfVersion) -> None:
    """What is wrong with a move before anything is touched."""
    if not source.key or not target.key:
        raise IsADirectory("the root cannot be moved or replaced", where="/")
    if target.key == source.key:
        raise already_exists(target, seen.version or None)
    if target.key.startswith(source.key + "/"):
        raise NotADirectory("nothing can move below itself", where=f"{source.key} → {target.key}")
    if seen.is_dir and if_version is not ANY:
        raise Conflict("a folder has no version", where=source.key, remedy="Move it without if_version")


def check_lengths(source: Locator, target: Locator, below: Iterable[Info]) -> None:
    """Raises InvalidLocatorError if a file `below` the folder that moves would get a key that is too long."""
    for info in below:
        if len((target.key + info.locator.key[len(source.key) :]).encode()) > MAX_KEY_BYTES:
            raise InvalidLocatorError(
                f"{info.locator.key!r} would get a key of more than {MAX_KEY_BYTES} bytes",
                where=f"{source.key} → {target.key}",
                remedy="Choose a shorter name",
            )


def check_place(storage: StorageBackend, locator: Locator) -> None:
    """Raises unless a file may stand at `locator`: it is no folder, and no file is among its parents."""
    if not locator.key:
        raise IsADirectory("the root is a folder", where="/", remedy="Name a file in it")
    parent = locator.parent
    while parent.key:
        try:
            if not storage.info(parent).is_dir:
                raise NotADirectory(f"{parent.key!r} is a file, so nothing can be below it", where=locator.key)
            break
        except NotFound:
            parent = parent.parent
    try:
        if storage.info(locator).is_dir:
            raise IsADirectory("a folder is here", where=locator.key, remedy="Name a file in it")
    except NotFound:
        pass


def missing(locator: Locator) -> NotFound:
    """The error for a locator where nothing is."""
    return NotFound("nothing is here", where=locator.key or "/", remedy="Look with list, or check the spelling")


def keep_of(folder: Locator) -> Locator:
    """Where `mkdir` leaves its mark for a technology without folders. No caller's locator can be this."""
    return trusted(f"{folder.key}/{KEEP}")


# The arithmetic of folders, for a technology that only knows keys.


def any_below(keys: Sequence[str], locator: Locator) -> bool:
    """Whether one of the sorted `keys` lies below `locator`."""
    place = bisect_left(keys, locator.key + "/")
    return (
        bool(keys) if not locator.key else keys[place : place + 1] != [] and keys[place].startswith(locator.key + "/")
    )


def below(keys: Sequence[str], locator: Locator) -> Sequence[str]:
    """The slice of sorted `keys` that lie below `locator`."""
    if not locator.key:
        return keys
    return keys[bisect_left(keys, locator.key + "/") : bisect_left(keys, locator.key + "0")]  # "0" follows "/"


def children(keys: Sequence[str], locator: Locator) -> list[Locator]:
    """The immediate children of `locator`, given all keys, sorted."""
    prefix = locator.key + "/" if locator.key else ""
    names = {key[len(prefix) :].partition("/")[0] for key in below(keys, locator)} - {KEEP}
    return [trusted(prefix + name) for name in sorted(names)]


def removable(keys: Sequence[str], locator: Locator) -> Locator:
    """The key that goes when `locator` is deleted: its own, or the mark of an empty folder.

    Raises NotFound, DirectoryNotEmpty; IsADirectory for the root.
    """
    if not locator.key:
        raise IsADirectory("the root cannot be deleted", where="/")
    inside = below(keys, locator)
    if not inside:
        if keys[bisect_left(keys, locator.key) :][:1] != [locator.key]:
            raise missing(locator)
        return locator
    if list(inside) != [keep_of(locator).key]:
        raise DirectoryNotEmpty(f"the folder holds {len(children(keys, locator))} things", where=locator.key)
    return keep_of(locator)
