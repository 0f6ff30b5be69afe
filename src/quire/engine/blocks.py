"""Blocks: a log cut at its entries, so that one of them can be compared, put back or taken out by itself.

All in bytes: what was not meant is not even decoded.
"""

from __future__ import annotations

import re

from quire.markdown.markers import markers

MARKER = b"<!-- entry:"
_FENCE = re.compile(rb"\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)")


def head_of(text: bytes) -> int:
    """The length of the frontmatter; 0 where there is none."""
    if not text.startswith((b"---\n", b"---\r\n", b"\xef\xbb\xbf---")):
        return 0
    fence = _FENCE.search(text, 3)
    return fence.end() if fence else 0


def cut(body: bytes) -> list[tuple[str, bytes]]:
    """The pieces of a log's body in their order: entries with their ids, and what stands between them under no id.

    An entry that is not closed is no piece of its own, nor is the second of one id.
    """
    pieces: list[tuple[str, bytes]] = []
    seen: set[str] = set()
    at, opened = 0, None
    for marker in markers(body.decode("latin-1"), 0):  # one character a byte, and the markers are ASCII
        if not marker.closing:
            opened = marker
        elif opened and opened.id == marker.id and marker.id not in seen:
            if opened.start > at:
                pieces.append(("", body[at : opened.start]))
            pieces.append((marker.id, body[opened.start : marker.end]))
            seen.add(marker.id)
            at, opened = marker.end, None
    if at < len(body):
        pieces.append(("", body[at:]))
    return pieces


def blocks(text: bytes) -> dict[str, bytes]:
    """The entries of a piece of a log, by their ids, each without the newline at its end."""
    return {id: _bare(block) for id, block in cut(text) if id}


class Blocks:
    """A log whose entries change one by one; the bytes around them stay.

    >>> log = Blocks(b"<!-- entry:a -->\\nA\\n<!-- /entry:a -->\\n")
    >>> log.put("b", b"<!-- entry:b -->\\nB\\n<!-- /entry:b -->")
    >>> log.put("a", None)
    >>> log.text
    b'<!-- entry:b -->\\nB\\n<!-- /entry:b -->\\n'
    """

    def __init__(self, text: bytes) -> None:
        head = head_of(text)
        self._ended = not text or text.endswith(b"\n")
        self._newline = b"\r\n" if b"\r\n" in text else b"\n"
        self._head = text[:head]
        self._pieces = [[id.encode(), block] for id, block in cut(text[head:])]
        self._at = {piece[0]: piece for piece in self._pieces if piece[0]}

    def get(self, id: str) -> bytes | None:
        """The entry with its markers, without the newline at its end; None where there is none."""
        piece = self._at.get(id.encode())
        return None if piece is None else _bare(piece[1])

    def put(self, id: str, block: bytes | None) -> None:
        """Give the entry this text, or none; a new one goes where its id belongs in their order."""
        key = id.encode()
        piece = self._at.get(key)
        if block is None:
            if piece is not None:
                piece[:] = b"", b""
                del self._at[key]
            return
        if piece is None:
            piece = self._at[key] = [key, b""]
            place = next((i for i, other in enumerate(self._pieces) if other[0] > key), len(self._pieces))
            self._pieces.insert(place, piece)
        piece[1] = block + (piece[1][len(_bare(piece[1])) :] or self._newline)

    def __bool__(self) -> bool:
        """Whether there is an entry in it, or anything else below the frontmatter."""
        return any(block.strip() for _, block in self._pieces)

    @property
    def text(self) -> bytes:
        """The whole log. Whether its last line ends with a newline stays as it was."""
        parts = [self._head]
        for _, block in self._pieces:
            if block and parts[-1] and not parts[-1].endswith(b"\n"):
                parts.append(self._newline)
            if block:
                parts.append(block)
        text = b"".join(parts)
        return text if self._ended else _bare(text)


def _bare(block: bytes) -> bytes:
    return block[:-2] if block.endswith(b"\r\n") else block.removesuffix(b"\n")
