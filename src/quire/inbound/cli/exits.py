"""Exit codes: one table, from the class of an error to the code that a shell sees."""

from __future__ import annotations

from quire import errors
from quire.errors import QuireError

DONE = 0
FAILED = 1
MISUNDERSTOOD = 2
INTERRUPTED = 130  # as a shell has it: 128 and the number of the signal
GONE = 141

# Which code an error has; one that is not here has that of its nearest parent that is.
EXITS: dict[type[QuireError], int] = {
    errors.QuireError: FAILED,
    errors.EntryNotFound: 3,
    errors.NotFound: 3,
    errors.NothingToUndo: 3,
    errors.Conflict: 4,
    errors.Busy: 4,
    errors.EntryError: 5,
    errors.InvalidEntryId: 5,
    errors.InvalidLocatorError: 5,
    errors.MarkdownError: 5,
    errors.NotText: 5,
    errors.TooLarge: 5,
    errors.SelectionError: 6,
    errors.ProtocolError: 6,
    errors.AccessDenied: 6,
    errors.StorageFull: 6,
    errors.StorageFailed: 6,
    errors.Unavailable: 6,
}

MEANINGS = {
    DONE: "done",
    FAILED: "it could not be done, or the check found errors",
    MISUNDERSTOOD: "the command was not understood",
    3: "there is no such entry, file or change",
    4: "somebody was faster, or holds the lock: try again",
    5: "refused: what was given cannot be, or is not allowed",
    6: "the storage or the configuration cannot be used",
    INTERRUPTED: "interrupted",
    GONE: "the reader of the output went away",
}


def exit_code(error: QuireError) -> int:
    """The code of an error, by its class."""
    return next(EXITS[kind] for kind in type(error).__mro__ if kind in EXITS)


def worst(codes: list[int]) -> int:
    """The exit code of several attempts."""
    return max(codes, default=DONE)
