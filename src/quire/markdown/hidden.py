"""What of a text is not text: fences, indented code, code spans, comments, escaped characters.

Blocks are told apart as CommonMark does, in quotes and lists too: a backtick in one paragraph never pairs with one in
the next. Only an indented list item is one wherever it stands, as outlines are written so. One pass over the lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

HIDDEN: Final = "\x00"  # stands for a character of code or of a comment
ESCAPED: Final = "\x01"  # stands for a backslash, and for the character that it makes an ordinary one

_MAX_BOXES: Final = 32  # lists and quotes inside of each other; what is deeper is text
_QUOTE: Final = 0  # a container of the stack; any other number is how far the text of a list item is indented

# Lines that open nothing and close nothing, outside of any fence.
_PLAIN_LINES = re.compile(r"(?:[^\s>\-+*0-9#`~<%|=_][^\n]*+(?:\n|\Z))++")
_SPACES = re.compile(r" *+")
_BULLET = re.compile(r"([-+*]|(\d{1,9})[.)])( *+)")
_RULE = re.compile(r"(?:(?:\* *+){3,}+|(?:- *+){3,}+|(?:_ *+){3,}+|=++ *+)\r?\n?\Z")
_HEADING = re.compile(r"#{1,6}(?=\s|\Z)")
_FENCE = re.compile(r"(`{3,}+)[^`]*\Z|(~{3,}+)")
_FENCE_END = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+\r?\n?\Z")
_FENCE_ENDS = {mark: re.compile(rf"^ {{0,3}}({mark}{{3,}}+)[ \t]*+\r?$", re.MULTILINE) for mark in "`~"}
_MARK = re.compile(r"\\[!\"#$%&'()*+,\-./:;<=>?@\[\]^_`{}~\\]|`++|<!--|%%")
_TICKS = re.compile(r"`++")


def masked(text: str, start: int, stop: int) -> str:
    """`text` of the same length, with what is hidden between `start` and about `stop` replaced; newlines stay."""
    spans = _Scan(text, start, stop).run() if _may_hide(text) else []
    if not spans:
        return text
    pieces = []
    at = 0
    for first, last, stand_in in spans:
        pieces.append(text[at:first])
        lines = text[first:last].split("\n")
        pieces.append("\n".join(stand_in * len(line) for line in lines))
        at = last
    pieces.append(text[at:])
    return "".join(pieces)


def _may_hide(text: str) -> bool:
    return any(mark in text for mark in ("`", "\\", "    ", "\t", "<!--", "%%", "~~~"))


class _Scan:
    """The lines one by one, with the lists and quotes that are open."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.at = start
        self.stop = stop
        self.spans: list[tuple[int, int, str]] = []
        self.boxes: list[int] = []
        self.paragraph = -1  # where the open one begins
        self.fence = ""  # what opened the fence that is open
        self.fence_start = 0
        self.comments = True  # whether a "%%" can still find another

    def run(self) -> list[tuple[int, int, str]]:
        """The hidden spans in the order of the text, each with what stands for it."""
        text = self.text
        while self.at < len(text) and (self.at < self.stop or self.paragraph >= 0):
            if not self.fence and (plain := _PLAIN_LINES.match(text, self.at)):
                if self.paragraph < 0:
                    self.boxes.clear()
                    self.paragraph = self.at
                self.at = plain.end()
                continue
            end = text.find("\n", self.at) + 1 or len(text)
            self.at = self.line(self.at, end)
        if self.fence:
            self.spans.append((self.fence_start, len(text), HIDDEN))
        self.close(min(self.at, len(text)))
        return self.spans

    def line(self, at: int, end: int) -> int:
        """Take one line. Returns where the next begins."""
        line = self.text[at:end]
        if "\t" in line:
            line = line.expandtabs(4)
        column, depth = self.inside(line)
        if self.fence:
            if depth == len(self.boxes):
                return self.fenced(line, column, end)
            self.spans.append((self.fence_start, at, HIDDEN))
            self.fence = ""
        kept = self.paragraph >= 0
        own = kept and depth == len(self.boxes)  # whether the paragraph is in the very container of this line
        opened = self.boxes[:depth]
        while True:
            indent = _indent(line, column)
            rest = line[column + indent :]
            if not rest or rest.isspace():
                self.close(at)
                self.boxes = opened
                return end
            width = _width(rest, own) if len(opened) < _MAX_BOXES else None
            if indent > 3 and (kept or not width):
                if not kept:
                    self.boxes = opened
                    self.spans.append((at, end, HIDDEN))
                return end
            if width is None:
                break
            self.close(at)
            kept = own = False
            if width == _QUOTE:
                opened.append(_QUOTE)
                column += indent + 1 + (rest[1:2] == " ")
            else:
                opened.append(indent + width)
                column += indent + width
        return self.leaf(at, end, rest, opened)

    def inside(self, line: str) -> tuple[int, int]:
        """How far the open containers go on in this line: the column behind them, and how many they are."""
        column = depth = 0
        for box in self.boxes:
            indent = _indent(line, column)
            if box == _QUOTE:
                if indent > 3 or line[column + indent : column + indent + 1] != ">":
                    break
                column += indent + 1
                column += line[column : column + 1] == " "
            elif indent >= box:
                column += box
            elif line[column + indent : column + indent + 2].strip():
                break
            depth += 1
        return column, depth

    def leaf(self, at: int, end: int, rest: str, opened: list[int]) -> int:
        """What stands in the innermost container. Returns where the next line begins."""
        if fence := _FENCE.match(rest):
            self.close(at)
            self.boxes = opened
            self.fence, self.fence_start = fence[1] or fence[2], at
            return end if opened else self.skip_fence(end)
        if rest.startswith("<!--") or (rest.startswith("%%") and self.comments):
            mark, stop = ("<!--", "-->") if rest[0] == "<" else ("%%", "%%")
            first = self.text.index(mark, at)
            last = self.text.find(stop, first + 2)
            if last >= 0 or mark == "<!--":
                self.close(at)
                self.boxes = opened
                last = last + len(stop) if last >= 0 else len(self.text)
                self.spans.append((first, last, HIDDEN))
                if self.text[last : last + 1] not in ("\n", "\r", ""):
                    self.paragraph = last
                return self.text.find("\n", last) + 1 or len(self.text)
            self.comments = False
        if rest[0] in "#|-=*_" and (rest[0] == "|" or _HEADING.match(rest) or _RULE.match(rest)):
            self.close(at)
            self.boxes = opened
            self.inline(at, end)
            return end
        if self.paragraph < 0:
            self.boxes = opened
            self.paragraph = at
        return end

    def fenced(self, line: str, column: int, end: int) -> int:
        """A line inside of a fence, which may be its last."""
        indent = _indent(line, column)
        closing = _FENCE_END.match(line, column + indent) if indent < 4 else None
        if closing and closing[1].startswith(self.fence):
            self.spans.append((self.fence_start, end, HIDDEN))
            self.fence = ""
        return end

    def skip_fence(self, at: int) -> int:
        """Outside of lists and quotes nothing but its own mark ends a fence, and that can be looked for."""
        for found in _FENCE_ENDS[self.fence[0]].finditer(self.text, at):
            if len(found[1]) >= len(self.fence):
                end = min(found.end() + 1, len(self.text))
                self.spans.append((self.fence_start, end, HIDDEN))
                self.fence = ""
                return end
        return len(self.text)

    def close(self, end: int) -> None:
        """The open paragraph ends here, so that its code spans and comments can be found."""
        if self.paragraph >= 0:
            self.inline(self.paragraph, end)
            self.paragraph = -1

    def inline(self, at: int, end: int) -> None:
        """Code spans, comments and escapes within one paragraph, heading or row of a table."""
        ticks: dict[int, list[int]] | None = None
        hopeless: set[str] = set()
        while found := _MARK.search(self.text, at, end):
            mark, at = found[0], found.end()
            if mark[0] == "\\":
                self.spans.append((found.start(), at, ESCAPED))
                continue
            if mark[0] == "`":
                if ticks is None:
                    ticks = _runs(self.text, found.start(), end)
                same = ticks.get(len(mark), [])
                index = bisect_left(same, at)
                stop = same[index] + len(mark) if index < len(same) else 0
            elif mark in hopeless:
                continue
            else:
                closing = "-->" if mark == "<!--" else mark
                last = self.text.find(closing, found.start() + 2, end)
                stop = last + len(closing) if last >= 0 else 0
                if not stop:
                    hopeless.add(mark)
            if stop:
                self.spans.append((found.start(), stop, HIDDEN))
                at = stop


def _indent(line: str, column: int) -> int:
    spaces = _SPACES.match(line, column)
    return spaces.end() - column if spaces else 0


def _width(rest: str, in_paragraph: bool) -> int | None:
    """How far a list item that begins here indents its text, `_QUOTE` for a quote; None where neither begins."""
    if rest[0] == ">":
        return _QUOTE
    if rest[0] not in "-+*0123456789":
        return None
    bullet = _BULLET.match(rest)
    if bullet is None or _RULE.match(rest):
        return None
    behind = rest[bullet.end() :].strip()
    if not bullet[3] and behind:
        return None
    if in_paragraph and (not behind or (bullet[2] and int(bullet[2]) != 1)):
        return None  # a number or a hyphen at the beginning of a line of text
    gap = len(bullet[3])
    return len(bullet[1]) + (gap if behind and gap < 5 else 1)


def _runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Where the runs of backticks of each length are."""
    runs: dict[int, list[int]] = {}
    for found in _TICKS.finditer(text, start, end):
        runs.setdefault(len(found[0]), []).append(found.start())
    return runs
