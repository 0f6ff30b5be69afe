"""Where the frontmatter of a text begins and ends."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from quire.markdown.node import MAX_FRONTMATTER

BOM: Final = "\ufeff"
_OPEN = re.compile(r"\ufeff?---[ \t]{0,80}(?:(\r?\n)|\Z)")
_CLOSE = re.compile(r"\n(?:---|\.\.\.)[ \t]{0,80}(?:(\r?\n)|\Z)")
_REACH: Final = MAX_FRONTMATTER + 100  # the longest block and its closing fence


class Parts(NamedTuple):
    """Offsets of the block between the fences and of the body. `newline` is `""` where there is no frontmatter."""

    newline: str
    block_start: int
    block_end: int
    body_start: int
    unclosed: bool = False


def split(text: str, stop: int | None = None) -> Parts:
    """Find the frontmatter: a first line `---`, and the next line that is `---` or `...`, before the offset `stop`.

    Without a closing fence within reach the text has no frontmatter; `unclosed` says that it looked as if.
    """
    opened = _OPEN.match(text)
    body = 1 if text.startswith(BOM) else 0
    if not opened:
        return Parts("", body, body, body)
    start = opened.end()
    limit = min(len(text) if stop is None else stop, start + _REACH)
    closed = _CLOSE.search(text, start - 1, limit)
    if not closed or (closed[1] is None and limit < len(text)) or closed.start() + 1 - start > MAX_FRONTMATTER:
        return Parts("", body, body, body, unclosed=True)
    return Parts(opened[1], start, closed.start() + 1, closed.end())
