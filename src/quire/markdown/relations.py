"""Relations: as what a link stands in its line. `part of:: [[a]]`, `[part of:: [[a]]]`, `- part_of [[a]]`."""

from __future__ import annotations

import re

from quire.markdown.hidden import ESCAPED, HIDDEN

_KEY = rf"([^\s\[\]():|#>{HIDDEN}{ESCAPED}][^\[\]():|\n{HIDDEN}{ESCAPED}]{{0,79}}?)[ \t]*+::(?=\s|!?\[)"
_LINE = re.compile(rf"[ \t>]*+(?:(?:[-+*]|\d{{1,9}}[.)])[ \t]++)*+(?:\[[^\]\n]\][ \t]++)?{_KEY}")
_INLINE = re.compile(rf"[ \t]*+{_KEY}")
_LISTED = re.compile(r"[ \t>]*+[-+*][ \t]++([^\W\d_][\w-]*+)[ \t]++\[\[[^\[\]\n]*+\]\][ \t]*+(?:\([^()\n]*+\))?\s*+\Z")
_BRACKET = re.compile(r"[\[\]()]")
_PAIRS = {"]": "[", ")": "("}


def relations(line: str, targets: list[int]) -> list[str]:
    """The relation of each of the links whose targets begin here in `line`, `""` for none."""
    if "::" not in line:
        listed = _LISTED.match(line)
        return [listed[1] if listed and index == 0 else "" for index in range(len(targets))]
    whole = _LINE.match(line)
    key = _plain(whole[1]) if whole else ""
    within = _Within(line)
    return [within.key_at(target) or key for target in targets]


class _Within:
    """The brackets that are open at one place of a line after another, and the keys that some of them begin with."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.tokens = _BRACKET.finditer(line)
        self.token = next(self.tokens, None)
        self.opened: list[tuple[str, bool]] = []
        self.keys: list[str] = []

    def key_at(self, place: int) -> str:
        """The key of the innermost bracket with one. `place` may not be before the last one."""
        while self.token is not None and self.token.start() < place:
            self.take(self.token)
            self.token = next(self.tokens, None)
        return self.keys[-1] if self.keys else ""

    def take(self, token: re.Match[str]) -> None:
        """Open or close a bracket; one that closes nothing, as in a smiley, is text."""
        if token[0] in "[(":
            key = _INLINE.match(self.line, token.end())
            self.opened.append((token[0], bool(key)))
            if key:
                self.keys.append(_plain(key[1]))
        elif self.opened and self.opened[-1][0] == _PAIRS[token[0]] and self.opened.pop()[1]:
            self.keys.pop()


def _plain(key: str) -> str:
    return key.strip("*_~ \t")
