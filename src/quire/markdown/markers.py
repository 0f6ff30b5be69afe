"""The lines that say where a log entry begins and ends, and how content that has such lines is kept apart from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from quire.errors import MarkdownError

_START = "<!-- "
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.:/]|-(?!-)){0,199}")
# Without an anchor the search looks for the literal beginning, which is many times faster; the line start is checked.
_MARKER = re.compile(rf"<!-- (/?)entry:({_ID.pattern}) -->[ \t]*(?:\r?\n|\Z)")
_SEQUENCE = re.compile(r"<!-- /?entry:[a-z][a-z0-9_]{0,120}_([0-9]{8})(?![0-9])")
_WRITTEN = re.compile(r"^(<!-- )(?=\\*/?entry:)", re.MULTILINE)
_ESCAPED = re.compile(r"^(<!-- )\\(?=\\*/?entry:)", re.MULTILINE)


class Marker(NamedTuple):
    """A marker's line: an opening or a closing one, of which entry, and from where to where."""

    closing: bool
    id: str
    start: int
    end: int


def markers(text: str, start: int, stop: int | None = None) -> Iterator[Marker]:
    """All markers from `start` to `stop`, in order."""
    for match in _MARKER.finditer(text, start, len(text) if stop is None else stop):
        at = match.start()
        if at == start or text[at - 1] == "\n":
            yield Marker(bool(match[1]), match[2], at, match.end())


def highest(text: str, start: int) -> int:
    """The largest number in any line that begins as a marker does, whole or not; 0 if there is none."""
    found = 0
    for match in _SEQUENCE.finditer(text, start):
        if match.start() == start or text[match.start() - 1] == "\n":
            found = max(found, int(match[1]))
    return found


def escaped(content: str) -> str:
    """Content as it may stand between markers: each line that reads as a marker has one backslash more.

    >>> escaped("<!-- entry:a -->"), escaped(r"<!-- \\entry:a -->")
    ('<!-- \\\\entry:a -->', '<!-- \\\\\\\\entry:a -->')
    """
    return _WRITTEN.sub(r"\1\\", content) if _START in content else content


def unescaped(content: str) -> str:
    """What `escaped` was given."""
    return _ESCAPED.sub(r"\1", content) if "<!-- \\" in content else content


def rewritten(old: str, content: str) -> str:
    """The same, in place of `old`: lines that stay are as they were, also those that only look like a marker."""
    if escaped(unescaped(old)) == old:
        return escaped(content)
    before, lines = old.split("\n"), content.split("\n")
    meant = [unescaped(line) for line in before]
    shorter = min(len(meant), len(lines))
    head = next((index for index in range(shorter) if meant[index] != lines[index]), shorter)
    rest = shorter - head
    tail = next((index for index in range(rest) if meant[-1 - index] != lines[-1 - index]), rest)
    middle = map(escaped, lines[head : len(lines) - tail])
    return "\n".join([*before[:head], *middle, *before[len(before) - tail :]])


def wrapped(id: str, content: str, newline: str) -> str:
    """An entry with its markers, without a newline after the last. Raises MarkdownError for what cannot be an id."""
    if not _ID.fullmatch(id):
        raise MarkdownError(
            f"{id[:200]!r} cannot be the id of a log entry",
            remedy="Use up to 200 letters, digits, '_', '.', ':', '/' and single '-', a letter or digit first",
        )
    return f"<!-- entry:{id} -->{newline}{escaped(content)}{final_newline(content, newline)}<!-- /entry:{id} -->"


def final_newline(content: str, newline: str) -> str:
    """The newline behind `content`: a return before a line feed would be read as part of it."""
    return "\r\n" if content.endswith("\r") else newline


def without_final_newline(text: str) -> str:
    """`text` without the one newline at its end, if there is one."""
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
