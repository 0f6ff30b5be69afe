"""What a question asks for by its words, and what of it must be met to the letter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from quire.engine.words.splitter import Splitter

MAX_TERMS: Final = 64  # of one question; the text of a whole file is not a question
_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|«([^»\n]{2,200})»|「([^」\n]{1,200})」|`([^`\n]{2,200})`")
_SHAPED = re.compile(
    r"[\w.@#~-]*[/\\][\w./\\@#~-]*\w"  # a path
    r"|\w+(?:[-.:]\w+)*_\w+(?:[-._:]\w+)*"  # snake_case
    r"|(?=[\w.:-]*\d)(?=[\w.:-]*[^\W\d_])\w+(?:[-.:]\w+)*"  # letters with figures: v1.9, E2BIG, TICKET-42
    r"|[a-z]+[A-Z]\w*"  # camelCase
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b"  # PascalCase
    r"|\w+(?:\.\w+)+"  # a dotted name, a file with its extension
)
_COMMON = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm|k)?|\d+(?:[-:]\d+)*|(?:e\.g|i\.e|[ap]\.m|etc)\.?", re.IGNORECASE)
_PROSE_SLASH = re.compile(r"[A-Za-z]+/[A-Za-z]+")  # and/or


@dataclass(frozen=True, slots=True)
class Exact:
    """A part of a question that is meant to the letter. `terms` are its words; `quoted` is whether quotes said so."""

    text: str
    terms: tuple[str, ...]
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question read: its terms, each once in the order they are asked, and what of it is exact."""

    text: str
    terms: tuple[str, ...]
    exact: tuple[Exact, ...]


def read_question(text: str, splitter: Splitter) -> Question:
    """Read a question. Never fails: one without a word asks for nothing, and says so by having no terms.

    >>> asked = read_question('Did "the red fox" break v1.9?', Splitter())
    >>> asked.terms, [exact.text for exact in asked.exact]
    (('red', 'fox', 'break', 'v1.9', 'v1', '9'), ['the red fox', 'v1.9'])
    """
    terms = tuple(dict.fromkeys(splitter.words(text)))[:MAX_TERMS]
    exact: dict[str, Exact] = {}
    for found in _QUOTED.finditer(text):
        said = next(group for group in found.groups() if group)
        if words := tuple(dict.fromkeys(splitter.words(said))):
            exact[said.casefold()] = Exact(said, words, quoted=True)
    for found in _SHAPED.finditer(_QUOTED.sub(" ", text)):
        said = found[0].strip(".:-")
        if not said or _COMMON.fullmatch(said) or _PROSE_SLASH.fullmatch(said):
            continue
        words = tuple(dict.fromkeys(splitter.words(said)))
        if words and said.casefold() not in exact:
            exact[said.casefold()] = Exact(said, words)
    return Question(text, terms, tuple(exact.values()))
