"""What stands in double brackets: `[[target#heading|alias]]`."""

from __future__ import annotations

import re
from typing import NamedTuple

from quire.markdown.hidden import HIDDEN

# A bar that belongs to the row of a table has a backslash before it. A link never spans lines, and holds no other.
_NAME = rf"[^\[\]|#\n{HIDDEN}\\]*+(?:\\(?!\|)[^\[\]|#\n{HIDDEN}\\]*+)*+"
_REST = rf"[^\[\]|\n{HIDDEN}\\]*+(?:\\(?!\|)[^\[\]|\n{HIDDEN}\\]*+)*+"
_ALIAS = r"(?:[^\[\]\n]++|\](?!\])|\[(?!\[))*+"
WIKILINK = re.compile(rf"\[\[({_NAME})(?:#({_REST}))?(?:\\?\|({_ALIAS}))?\]\]")


class Named(NamedTuple):
    """A link's parts, and where in the text its target is."""

    target: str
    heading: str
    alias: str
    start: int
    end: int


def named(text: str, match: re.Match[str], offset: int = 0) -> Named | None:
    """The parts of a match, read from `text` at `offset` from it; None for a link within the same note."""
    first, last = match.span(1)
    target = text[first + offset : last + offset]
    stripped = target.strip()
    if not stripped:
        return None
    first += target.index(stripped)
    heading, alias = (text[match.start(n) + offset : match.end(n) + offset].strip() if match[n] else "" for n in (2, 3))
    return Named(stripped, heading, alias, first + offset, first + offset + len(stripped))
