"""Links: what a text names of other texts, and how such a name is exchanged without touching anything else.

In the body `[[target]]`, `![[target]]`, `[text](note.md)` and `[id]: note.md`; in the frontmatter any `[[target]]`, and
plain ids in the fields that hold them. What is code, comment or escaped names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from quire.errors import MarkdownError
from quire.markdown import destination
from quire.markdown.brackets import WIKILINK, named
from quire.markdown.document import Document
from quire.markdown.fields import ID_FIELDS, field_links
from quire.markdown.hidden import masked
from quire.markdown.node import DOUBLE, SINGLE, same
from quire.markdown.relations import relations

__all__ = ["ID_FIELDS", "Link", "links", "retarget"]

LinkKind: TypeAlias = Literal["wiki", "embed", "markdown", "field"]

_ANGLES: Final = "<"
_SIGNS: Final = ("[[", "](", "]:")
_BRACKET = re.compile(r"[\[\]]|\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Link:
    """One link to another text. `start` and `end` are those of its target in the document's text.

    `target` is what it names, decoded, without heading and alias. `relation` is the key of `relation:: [[target]]`, or
    the frontmatter field that has the link. `style` says how the target is spelled: in quotes, in angle brackets.
    """

    target: str
    kind: LinkKind
    relation: str = ""
    heading: str = ""
    alias: str = ""
    line: int = 1
    start: int = 0
    end: int = 0
    style: str = field(default="", repr=False)


class _Found(NamedTuple):
    target: str
    kind: LinkKind
    heading: str
    alias: str
    start: int
    end: int
    style: str


def links(document: Document) -> list[Link]:
    """The links of a document in the order of its text. Never raises: what is malformed is no link.

    >>> [link.target for link in links(Document.parse("[[a|b]] `[[c]]` [d](e%20f.md) \\\\[[g]] ![[h#i]]"))]
    ['a', 'e f.md', 'h']
    """
    text = document.text
    if not any(sign in text for sign in _SIGNS) and not any(name in text for name in ID_FIELDS):
        return []
    found = [
        (_Found(link.target, "field", link.heading, link.alias, link.start, link.end, quotes), name)
        for name, link, quotes in field_links(document)
    ]
    stop = max(text.rfind(sign) for sign in _SIGNS) + 2
    if stop > document.body_start:
        found += _Body(text, document.body_start, stop).links()
    result = []
    line, counted = document.first_line, 0
    for (target, kind, heading, alias, start, end, style), relation in found:
        line += text.count("\n", counted, start)
        counted = start
        result.append(Link(target, kind, relation, heading, alias, line, start, end, style))
    return result


def retarget(document: Document, changes: Mapping[str, str] | Callable[[Link], str | None]) -> Document:
    """The document with other targets in its links, and every other byte as it was.

    `changes` gives a new target, decoded, for the one that is there, or for a link as a whole; none leaves it. It is
    spelled in the style of the old one. Raises MarkdownError where it cannot be, and nothing is changed then.

    >>> retarget(Document.parse("[[a#b|c]] [x](<a.md>)"), {"a": "d", "a.md": "my d.md"}).text
    '[[d#b|c]] [x](<my d.md>)'
    """
    choose = (lambda link: changes.get(link.target)) if isinstance(changes, Mapping) else changes
    old = links(document)
    wanted = [link.target if (new := choose(link)) is None else new for link in old]
    pieces, at = [], 0
    for link, target in zip(old, wanted, strict=True):
        if target != link.target:
            pieces += [document.text[at : link.start], _spelled(document.text[link.start : link.end], link, target)]
            at = link.end
    if not pieces:
        return document
    changed = Document.parse("".join([*pieces, document.text[at:]]), first_line=document.first_line)
    _check(document, changed, old, wanted)
    return changed


def _spelled(raw: str, link: Link, target: str) -> str:
    """The new target as text, in the style of the old one."""
    if link.kind == "markdown":
        return destination.respelled(raw, target, angles=link.style == _ANGLES)
    if link.style == SINGLE:
        return target.replace("'", "''")
    if link.style == DOUBLE:
        return target.replace("\\", "\\\\").replace('"', '\\"')
    return target


def _check(document: Document, changed: Document, old: list[Link], wanted: list[str]) -> None:
    """Raises MarkdownError unless what was written reads back as what was wanted, and all else as it was."""
    touched = {link.relation for link, target in zip(old, wanted, strict=True) if target != link.target}
    rest = [{key: value for key, value in each.fields.items() if key not in touched} for each in (document, changed)]
    kept = document.fields.keys() == changed.fields.keys() and same(rest[0], rest[1])
    if kept and [_read(link, link.target) for link in links(changed)] == list(map(_read, old, wanted)):
        return
    link, target = next(pair for pair in zip(old, wanted, strict=True) if pair[0].target != pair[1])
    raise MarkdownError(
        f"{target!r} cannot stand in the place of {link.target!r}",
        where=f"line {link.line}",
        remedy="Change the link by hand: a target has no brackets, bars or number signs",
    )


def _read(link: Link, target: str) -> tuple[str, str, str, str]:
    return target, link.kind, link.relation, link.heading


class _Body:
    """The links below the frontmatter. `plain` is the text with everything replaced in which no link can be."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.start = start
        self.plain = masked(text, start, stop)

    def links(self) -> list[tuple[_Found, str]]:
        """The links, each with its relation."""
        found = sorted([*self.wiki(), *self.inline(), *self.definitions()], key=lambda link: link.start)
        result: list[tuple[_Found, str]] = []
        first, end = 0, self.start
        while first < len(found):
            at = found[first].start
            begin = self.plain.rfind("\n", end, at) + 1 or end
            end = self.plain.find("\n", at)
            end = len(self.plain) if end < 0 else end
            last = first + 1
            while last < len(found) and found[last].start < end:
                last += 1
            here = found[first:last]
            keys = relations(self.plain[begin:end], [link.start - begin for link in here])
            result += zip(here, keys, strict=True)
            first = last
        return result

    def wiki(self) -> Iterator[_Found]:
        """`[[target]]`, and with a mark of exclamation the embedding of it."""
        for match in WIKILINK.finditer(self.plain, self.start):
            if destination.INLINE.match(self.plain, match.end() - 1):
                continue  # the text of an inline link, in brackets of its own
            if link := named(self.text, match):
                embed = match.start() > self.start and self.plain[match.start() - 1] == "!"
                yield _Found(
                    link.target, "embed" if embed else "wiki", link.heading, link.alias, link.start, link.end, ""
                )

    def inline(self) -> Iterator[_Found]:
        """`[text](note.md)`. Whether a bracket was opened is only looked at where the destination is a note."""
        opened: list[int] = []
        at = self.start
        for match in destination.INLINE.finditer(self.plain, self.start):
            if self.destination(match) is None:
                continue
            self.brackets(opened, at, match.start())
            at = match.start() + 1
            if not opened:
                continue
            bracket = opened.pop()
            image = bracket > self.start and self.plain[bracket - 1] == "!"
            if link := self.destination(match, image=image, alias=self.text[bracket + 1 : match.start()]):
                at = match.end()
                yield link
                if not image:
                    opened.clear()  # a link holds no links

    def brackets(self, opened: list[int], start: int, end: int) -> None:
        """Keep account of the brackets that are open in a paragraph."""
        for match in _BRACKET.finditer(self.plain, start, end):
            if match[0] == "[":
                opened.append(match.start())
            elif match[0] != "]":
                opened.clear()
            elif opened:
                opened.pop()

    def definitions(self) -> Iterator[_Found]:
        """`[id]: note.md`"""
        if "]:" in self.plain:
            start = self.start if self.start > 1 else 0  # one character is a byte order mark, part of the first line
            for match in destination.DEFINITION.finditer(self.plain, start):
                if link := self.destination(match):
                    yield link

    def destination(self, match: re.Match[str], *, image: bool = False, alias: str = "") -> _Found | None:
        """The link of a destination, in angle brackets or bare, if it names a note."""
        angles = match[1] is not None
        start, end = match.span(1 if angles else 2)
        raw, _, heading = self.text[start:end].partition("#")
        target = destination.note(raw, image=image)
        if target is None:
            return None
        heading = destination.decoded(heading)
        return _Found(target, "markdown", heading, alias, start, start + len(raw), _ANGLES if angles else "")
