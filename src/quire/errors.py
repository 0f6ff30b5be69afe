"""Every exception Quire raises, in one tree.

QuireError                     .code .what .where .remedy
├── InvalidLocatorError        also ValueError: an unsafe key, a caller's bug, never missing data
├── ProtocolError              also ValueError: a backend registered under a bad name
├── SelectionError             the configured storage cannot be produced; .code says which refusal
├── MarkdownError              also ValueError: an edit that could damage the text, or a value it cannot hold
├── InvalidEntryId             also ValueError: not "<prefix>_<YYYYMMDD>_<NNNNNNNN>", or the numbers are used up
├── EntryError                 what the engine refuses; nothing was changed
│   ├── EntryNotFound          also LookupError: no entry has this id
│   ├── InvalidEntry           also ValueError: a kind, slug, tag, text or field that cannot be
│   ├── InvalidScope           also ValueError: not an owner's name, or no room for it in this layout
│   ├── InvalidTime            also ValueError: not a time, or no such zone
│   ├── NotAllowed             also PermissionError: erasing without yes, the person's notes without their words
│   ├── NothingToUndo          also LookupError: no such change stands
│   └── UndoRefused            the text has changed since, and undoing would lose that
├── EmbeddingError             text got no vectors; its words are found all the same
│   ├── EmbedderUnavailable    also ConnectionError: it did not answer, or is busy; safe to retry after .retry_after
│   ├── EmbedderRefused        it will not, or what it gave are not its vectors; trying again will not help
│   └── OverBudget             the ceiling of spending would be passed; nothing was sent
├── IndexFailed                an index; what is true is untouched
│   ├── InvalidRequest         also ValueError: more than a limit allows, or no scope
│   ├── IndexUnavailable       also ConnectionError: it did not answer; safe to retry
│   └── IndexDamaged           it must be built anew from the markdown
└── StorageError
    ├── NotFound               also FileNotFoundError
    ├── IsADirectory           also IsADirectoryError: a file was asked for
    ├── NotADirectory          also NotADirectoryError: a file stands where a folder is needed
    ├── DirectoryNotEmpty      also OSError
    ├── Conflict               someone wrote first; .current is what is there now
    │   └── AlreadyExists      also FileExistsError
    ├── NotText                also ValueError: the bytes are not UTF-8, or the text cannot be
    ├── TooLarge               also ValueError: more than a limit allows
    ├── AccessDenied           also PermissionError: no rights, or a link, a pipe, a device
    ├── StorageFull            also OSError: no space, no quota; the old content is intact
    ├── Busy                   also TimeoutError: another process holds the lock, and is named
    ├── Unavailable            also ConnectionError: the storage did not answer; safe to retry
    ├── StorageFailed          also OSError: nothing changed; the old content is intact
    └── OutcomeUnknown         also OSError: the change may or may not have happened; read, then decide

`str(error)` says what happened, where, and what to do next. The codes are stable and meant for programs.
"""

from __future__ import annotations

import errno
from typing import ClassVar


class QuireError(Exception):
    """The root of the tree: what went wrong, where, and what to do about it."""

    code: str = "QUIRE_ERROR"
    number: ClassVar[int | None] = None  # the errno of those that are an OSError too

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy
        if self.number is not None:
            # An OSError built from one argument has no errno; callers that branch on it expect one.
            setattr(self, "errno", self.number)  # noqa: B010 - only some of the tree declare it

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}. {self.remedy}" if self.remedy else head


class InvalidLocatorError(QuireError, ValueError):
    code = "INVALID_PATH"


class ProtocolError(QuireError, ValueError):
    code = "INVALID_PROTOCOL"


class SelectionError(QuireError):
    """A configured storage that cannot be produced. Each refusal has its own `code`."""

    code = "SELECTION_FAILED"

    def __init__(self, what: str, *, where: str = "", remedy: str = "", code: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        if code:
            self.code = code


class MarkdownError(QuireError, ValueError):
    code = "MARKDOWN_ERROR"


class InvalidEntryId(QuireError, ValueError):
    code = "INVALID_ENTRY_ID"


class EntryError(QuireError):
    code = "ENTRY_ERROR"


class EntryNotFound(EntryError, LookupError):
    code = "ENTRY_NOT_FOUND"


class InvalidEntry(EntryError, ValueError):
    code = "INVALID_ENTRY"


class InvalidScope(EntryError, ValueError):
    code = "INVALID_SCOPE"


class InvalidTime(EntryError, ValueError):
    code = "INVALID_TIME"


class NotAllowed(EntryError, PermissionError):
    code = "NOT_ALLOWED"


class NothingToUndo(EntryError, LookupError):
    code = "NOTHING_TO_UNDO"


class UndoRefused(EntryError):
    code = "UNDO_REFUSED"


class EmbeddingError(QuireError):
    code = "EMBEDDING_ERROR"


class EmbedderUnavailable(EmbeddingError, ConnectionError):
    """No answer. `retry_after` is how many seconds the service asked to be left alone, 0 where it did not say."""

    code = "EMBEDDER_UNAVAILABLE"

    def __init__(self, what: str, *, where: str = "", remedy: str = "", retry_after: float = 0.0) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.retry_after = retry_after


class EmbedderRefused(EmbeddingError):
    code = "EMBEDDER_REFUSED"


class OverBudget(EmbeddingError):
    code = "OVER_BUDGET"


class IndexFailed(QuireError):
    code = "INDEX_FAILED"


class InvalidRequest(IndexFailed, ValueError):
    code = "INVALID_REQUEST"


class IndexUnavailable(IndexFailed, ConnectionError):
    code = "INDEX_UNAVAILABLE"


class IndexDamaged(IndexFailed):
    code = "INDEX_DAMAGED"


class StorageError(QuireError):
    code = "STORAGE_ERROR"


class NotFound(StorageError, FileNotFoundError):
    code = "FILE_NOT_FOUND"
    number = errno.ENOENT


class IsADirectory(StorageError, IsADirectoryError):
    code = "IS_A_DIRECTORY"
    number = errno.EISDIR


class NotADirectory(StorageError, NotADirectoryError):
    code = "NOT_A_DIRECTORY"
    number = errno.ENOTDIR


class DirectoryNotEmpty(StorageError, OSError):
    code = "DIRECTORY_NOT_EMPTY"
    number = errno.ENOTEMPTY


class Conflict(StorageError):
    """Someone wrote first. `current` is the version that is there now, `None` where nothing is."""

    code = "CONFLICT"

    def __init__(self, what: str, *, where: str = "", remedy: str = "", current: str | None = None) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.current = current


class AlreadyExists(Conflict, FileExistsError):
    code = "FILE_EXISTS"
    number = errno.EEXIST


class NotText(StorageError, ValueError):
    code = "NOT_TEXT"


class TooLarge(StorageError, ValueError):
    code = "TOO_LARGE"


class AccessDenied(StorageError, PermissionError):
    code = "PERMISSION_DENIED"
    number = errno.EACCES


class StorageFull(StorageError, OSError):
    code = "STORAGE_FULL"
    number = errno.ENOSPC


class Busy(StorageError, TimeoutError):
    code = "BUSY"
    number = errno.ETIMEDOUT


class Unavailable(StorageError, ConnectionError):
    code = "UNAVAILABLE"


class StorageFailed(StorageError, OSError):
    code = "STORAGE_FAILED"
    number = errno.EIO


class OutcomeUnknown(StorageError, OSError):
    code = "OUTCOME_UNKNOWN"
    number = errno.EIO
