"""Checking: what a caller gives, looked at before anything is touched. Each raises InvalidEntry, with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from quire.engine.core import Core
from quire.engine.entry import Status
from quire.engine.kinds import Kind, said
from quire.engine.scope import Scope
from quire.errors import InvalidEntry, MarkdownError, TooLarge
from quire.markdown import render
from quire.markdown.document import Value

MAX_TEXT_BYTES = 1024 * 1024  # an entry is a page; a book is an attachment, or an import in parts
MAX_TITLE = 500
MAX_TAGS = 64
MAX_TAG = 100

# What ends a line, cannot be seen, or turns the direction of what follows. Joiners stay: Persian and emoji need them.
_NOT_IN_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NOT_IN_A_TAG = re.compile("[,\\[\\]{}\"']")

# Fields that the engine writes, and those that have an argument of their own, by its name.
_OURS = (
    "kind",
    "slug",
    "status",
    "created",
    "updated",
    "schema_version",
    "superseded_by",
    "occurrences",
    "deleted_at",
    "deleted_reason",
)
_ARGUMENTS = {"timestamp": "at"} | {
    name: name
    for name in ("title", "tags", "always_load", "supersedes", "derived_from", "source", "valid_from", "valid_to")
}


def checked_text(text: str) -> str:
    """`text` if it can be an entry's. Raises InvalidEntry or TooLarge."""
    if not isinstance(text, str):
        raise InvalidEntry(f"the text is {type(text).__name__}", remedy="Give text")
    if not text.strip():
        raise InvalidEntry("there is nothing to remember: the text is empty", remedy="Give some text")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        what = f"character {error.start} of the text is half a character ({error.reason})"
        raise InvalidEntry(what, remedy="Replace it") from error
    if "\0" in text:
        raise InvalidEntry(f"character {text.index(chr(0))} of the text is NUL", remedy="Remove it")
    if size > MAX_TEXT_BYTES:
        raise TooLarge(
            f"{size:,} bytes are more than the {MAX_TEXT_BYTES:,} of one entry",
            remedy="Split it, or keep the file elsewhere and link to it",
        )
    return text


def checked_fields(
    kind: Kind,
    *,
    title: str | None,
    tags: Iterable[str] | None,
    fields: Mapping[str, Value] | None,
    **known: Value,
) -> dict[str, Value]:
    """What a caller gave besides the text: what it may be, and that it can be written. What is empty is left out."""
    result: dict[str, Value] = {}
    if title is not None:
        result["title"] = _title(title)
    if given := checked_tags(tags):
        result["tags"] = list(given)
    result |= {name: value for name, value in known.items() if value not in (None, False, "", [], ())}
    begins, ends = result.get("valid_from"), result.get("valid_to")
    if begins and ends and str(ends) < str(begins):
        raise InvalidEntry("valid_to is before valid_from", where=kind.name, remedy="Exchange or correct them")
    if fields is not None and not isinstance(fields, Mapping):
        raise InvalidEntry(f"fields are a table, not {said(fields)}", where=kind.name, remedy="Give names and values")
    for name, value in (fields or {}).items():
        result[_field(kind, name, value)] = value
    for name, value in result.items():
        try:
            render.checked(value)
        except MarkdownError as error:
            raise InvalidEntry(error.what, where=f"{kind.name}, field {name}", remedy=error.remedy) from error
    return result


def _title(title: str) -> str:
    words = title.strip() if isinstance(title, str) else ""
    if not words or len(words) > MAX_TITLE or _NOT_IN_A_LINE.search(words):
        what = f"a title is one line of at most {MAX_TITLE} characters"
        raise InvalidEntry(what, where=repr(title)[:80], remedy="Shorten it, and put the rest into the text")
    return words


def _field(kind: Kind, name: str, value: Value) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_TAG or _NOT_IN_A_LINE.search(name):
        raise InvalidEntry(f"{name!r} is no name of a field", where=kind.name, remedy="Use a word")
    if name in _OURS or name == "session":
        what = f"the field {name!r} is not for callers to give"
        raise InvalidEntry(what, where=kind.name, remedy="Leave it out; Quire writes it")
    if name in _ARGUMENTS:
        what = f"the field {name!r} is not given this way"
        raise InvalidEntry(what, where=kind.name, remedy=f"Give it as the argument {_ARGUMENTS[name]}")
    if reason := kind.schema.objection(name, value):
        raise InvalidEntry(reason, where=f"{kind.name}, field {name}", remedy="Correct the value")
    return name


def checked_tags(tags: Iterable[str] | None) -> tuple[str, ...]:
    """Tags without their `#`, each once, in the order given; one text may hold several, with commas between."""
    if isinstance(tags, str):
        tags = tags.split(",")
    if not isinstance(tags, Iterable | None):
        raise InvalidEntry(f"tags are a list of words, not {said(tags)}", remedy="Give words such as python")
    result: dict[str, None] = {}
    for tag in tags or ():
        word = tag.strip().lstrip("#").strip() if isinstance(tag, str) else ""
        if not word or len(word) > MAX_TAG or _NOT_IN_A_LINE.search(word) or _NOT_IN_A_TAG.search(word):
            raise InvalidEntry(f"{tag!r} is not a tag", remedy="Use words such as python or area/testing")
        result[word] = None
    if len(result) > MAX_TAGS:
        raise InvalidEntry(
            f"{len(result)} tags are more than the {MAX_TAGS} of one entry", remedy="Keep those that tell"
        )
    return tuple(result)


def checked_status(status: str) -> Status:
    """The status of a new entry: active, or inbox for what somebody has yet to look at."""
    if status not in (Status.ACTIVE, Status.INBOX):
        raise InvalidEntry(f"a new entry is active or in the inbox, not {status!r}", remedy="Use active or inbox")
    return Status(status)


def checked_sources(core: Core, ids: Iterable[str] | None, scope: Scope | str | None) -> list[Value]:
    """The ids of the entries something is derived from, each of which must be there. Raises EntryNotFound."""
    given = [ids] if isinstance(ids, str) else list(ids or ())
    found = [core.find(id, scope if scope and core.has(id, scope) else None).entry.id for id in given]
    return list(dict.fromkeys(found))
