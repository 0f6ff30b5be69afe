"""The person's own notes: another storage, read freely, written only on their word."""

from __future__ import annotations

from quire.engine.changes import MAX_WORDS, Changes, Edit, Intent
from quire.engine.core import Core
from quire.engine.entry import Ownership
from quire.engine.journal import Change
from quire.errors import Conflict, InvalidEntry, NotAllowed, NotFound, NotText
from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of

STORAGE = "personal"
MIN_REQUEST = 3  # characters; a request is somebody's words, not a mark in a field


def write(
    core: Core, notes: StorageBackend | None, path: str, text: str, *, request: str, if_version: str | None
) -> Change:
    """Write one note, on a request, journaled before it is written.

    What a folder that begins with a dot holds is no note but a program's own (its plugins run), and is never written. A
    note that says this already is left as it is; the request is journaled all the same. Raises NotAllowed,
    InvalidLocatorError, InvalidEntry, Conflict where the note is not at `if_version` or changes meanwhile, and what the
    storage raises; nothing is written then.
    """
    if notes is None:
        raise NotAllowed(
            "no personal notes are configured",
            where=path,
            remedy="Open with personal=, or set root below [personal] in the config file",
        )
    words = _words(path, request)
    at = _note_at(path)
    content = _content(at, text)
    try:
        before: bytes | None = notes.read_bytes(at)
    except NotFound:
        before = None
    current = None if before is None else version_of(before)
    if if_version is not None and current != if_version:
        raise Conflict(
            "this note changed since it was read" if before is not None else "this note is gone",
            where=at.key,
            remedy="Read it again, then retry",
            current=current,
        )
    intent = Intent("write-personal", (at.key,), request=words, tier=Ownership.PERSONAL.value, storage=STORAGE)
    changes = Changes(notes, core.journal, core.changes.actor)
    return changes.apply(intent, [Edit(at, before, content)]) or changes.note(intent)


def read(notes: StorageBackend | None, path: str) -> str:
    """The text of a note. Raises NotAllowed where no notes are configured, and NotFound."""
    if notes is None:
        raise NotAllowed("no personal notes are configured", where=path, remedy="Open with personal=")
    return notes.read(Locator(path))


def _words(path: str, request: str) -> str:
    words = request.strip() if isinstance(request, str) else ""
    if len(words) < MIN_REQUEST:
        raise NotAllowed(
            "the person's own notes are written only when they ask, and their words are missing",
            where=path,
            remedy="Give the words of their request",
        )
    if len(words) > MAX_WORDS:
        raise NotAllowed(
            f"a request of {len(words):,} characters is no request any more",
            where=path,
            remedy=f"Give the words that ask for this, at most {MAX_WORDS:,} characters",
        )
    return words


def _note_at(path: str) -> Locator:
    at = Locator(path)
    if not at.key:
        raise InvalidEntry("this names no note", where=path, remedy="Give a path such as Home/garden.md")
    if any(part.startswith(".") for part in at.parts):
        raise NotAllowed(
            "what begins with a dot is not a note, but a program's own",
            where=at.key,
            remedy="Choose a path whose parts do not begin with a dot",
        )
    return at


def _content(at: Locator, text: str) -> bytes:
    if not isinstance(text, str):
        raise NotText(f"the text is {type(text).__name__}, not text", where=at.key, remedy="Give text")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotText(
            f"character {error.start} of the text is half a character ({error.reason})",
            where=at.key,
            remedy="Give the whole character",
        ) from error
