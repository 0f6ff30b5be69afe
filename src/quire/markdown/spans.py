"""Spans of a block and what goes there: a change touches these bytes and no other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from quire.markdown.node import FLOW, Node, Tree

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"(?:[ \t]*+(?:\r\n|\n|\r))*+")


class Unclear(Exception):
    """The text is of a shape in which this change has no obvious place. `what` and `remedy` say so where they can."""

    def __init__(self, what: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


@dataclass(slots=True)
class Edit:
    """The changes of one block, collected while walking over its nodes."""

    block: str
    newline: str
    spans: list[tuple[int, int, str]] = field(default_factory=list)

    def result(self) -> str:
        """The block with all changes applied. Raises Unclear where two of them overlap."""
        pieces: list[str] = []
        at = 0
        for start, end, text in sorted(self.spans, key=lambda span: span[:2]):
            if start < at:
                raise Unclear
            pieces += (self.block[at:start], text)
            at = end
        return "".join([*pieces, self.block[at:]])

    def put(self, start: int, end: int, text: str) -> None:
        """Let `text` stand where `start` to `end` is now."""
        self.spans.append((start, end, text))

    def line_start(self, node: Node) -> int:
        """Where the line begins that `node` begins on."""
        return max(self.block.rfind("\n", 0, node.start), self.block.rfind("\r", 0, node.start)) + 1

    def line_end(self, node: Node) -> int:
        """Behind the end of the line that `node` ends on."""
        found = _BREAK.search(self.block, node.end)
        return found.end() if found else len(self.block)

    def lines(self, first: Node, last: Node) -> tuple[int, int]:
        """The whole lines of an entry. Raises Unclear if something else stands before it on its line."""
        start = self.line_start(first)
        if self.block[start : first.start].strip(" "):
            raise Unclear
        return start, self.line_end(last)

    def blank_end(self, offset: int) -> int:
        """Behind the lines from `offset` on that hold nothing."""
        found = _BLANK.match(self.block, offset)
        return found.end() if found else offset

    def append(self, tree: Tree, text: Callable[[str], str]) -> None:
        """Add lines at the end, indented as the others are. Raises Unclear if the block is written in braces."""
        root, end = tree.root, len(self.block)
        if root is not None and root.style == FLOW:
            raise Unclear("the frontmatter is written in braces", "Write it as lines of 'key: value'")
        column = root.start - self.line_start(root) if root is not None else 0
        self.put(end, end, text(" " * column))


def first_line(text: str) -> str:
    """`text` up to its first end of a line."""
    return _BREAK.split(text, maxsplit=1)[0]


def lines_of(text: str) -> list[str]:
    """The lines of `text` without their ends."""
    return _BREAK.split(text)
