"""Respelling: what the links to files must say once these have other names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from quire.engine.entry import Contents
from quire.engine.resolving import By, Names, Target, folded, stem
from quire.engine.scope import Scope
from quire.locator import Locator
from quire.markdown.links import ID_FIELDS, Link

_UNSPEAKABLE = re.compile(r"[\[\]|#\n\\]")
# A name may be spelled in a way in which its own characters do not stand in the text. A space is in no slug.
_CODED = re.compile(rb"%(?!20)[0-9A-Fa-f]{2}|\\[-_uUxX\r\n]")


@dataclass(frozen=True, slots=True)
class Move:
    """A file that gets another name, and where it is an entry, another id."""

    source: Target
    target: Target
    slug: str = ""


class Respelling:
    """The names of a root before and after some files move. A link to one of them says `slug`, or needs no change."""

    def __init__(self, moves: Mapping[Locator, Move], slug: str) -> None:
        self._moves = moves
        self._slug = folded(slug)
        self._files: list[tuple[Locator, str, Scope | None, str]] = []
        self._logs: list[Contents] = []

    def know(self, locator: Locator, id: str, scope: Scope | None, slug: str) -> None:
        """Take a file into account, as `Names.add_file` does."""
        self._files.append((locator, id, scope, slug))

    def know_log(self, contents: Contents) -> None:
        """Take a log into account whose entries have names of their own."""
        self._logs.append(contents)

    def may_mention(self, raw: bytes) -> bool:
        """Whether a link in this text can say the slug. False is certain."""
        if (b"%" in raw or b"\\" in raw) and _CODED.search(raw):
            return True
        if raw.isascii():
            return self._slug.encode() in raw.lower()
        return self._slug in folded(raw.decode("utf-8", "replace"))

    def target(self, link: Link, holder: Locator, scope: Scope | None) -> str | None:
        """What a link must say now; None where it says so already, meant no file that moves, or cannot say it.

        It goes on to say the path, the id or the slug, unless that is not enough any more.
        """
        if self._slug not in folded(link.target):
            return None
        by, meant = self._before.meaning(link, holder, scope)
        move = self._moves.get(meant[0].locator) if len(meant) == 1 else None
        if by is None or move is None:
            return None
        at = self._moves[holder].target.locator if holder in self._moves else holder
        for text in (link.target, *_spellings(link, by, move, at)):
            if not (link.kind != "markdown" and _UNSPEAKABLE.search(text)):
                said = replace(link, target=text)
                if self._after.resolve(said, at, scope) == (move.target,):
                    return text
        return None

    @cached_property
    def _before(self) -> Names:
        names = Names()
        for file in self._files:
            names.add_file(*file)
        for contents in self._logs:
            names.add(contents)
        return names

    @cached_property
    def _after(self) -> Names:
        names = Names()
        for locator, id, scope, slug in self._files:
            move = self._moves.get(locator)
            if move is None:
                names.add_file(locator, id, scope, slug)
            else:
                names.add_file(move.target.locator, move.target.id, scope, move.slug)
        for contents in self._logs:
            names.add(contents)
        return names


def _spellings(link: Link, by: By, move: Move, holder: Locator) -> Iterator[str]:
    """Ways to say where it went: first as the link says where it was, then those that say more."""
    new = move.target
    plain, path = stem(link.target), stem(new.locator.key)
    ending = link.target[len(plain) :]
    exchanged = _exchanged(plain, stem(move.source.locator.key), path)
    if by in (By.PATH, By.RELATIVE, By.SUFFIX) or exchanged != plain:
        yield exchanged + ending
    elif by is By.SLUG:
        yield new.id.rpartition("/")[2] + ending
    if link.kind == "markdown":
        yield posixpath.relpath(path, holder.parent.key or ".") + ending
    elif new.id:
        yield new.id + (ending if by is By.ID else "")
    if not (link.kind == "field" and link.relation in ID_FIELDS):
        for count in range(2, path.count("/") + 1):
            yield "/".join(path.split("/")[-count:]) + ending
    yield path + ending


def _exchanged(said: str, old: str, new: str) -> str:
    """What was said of a path, with other names where it has others. What leads there stays as it is written."""
    parts = said.split("/")
    for at, (before, now) in enumerate(zip(reversed(old.split("/")), reversed(new.split("/")), strict=False), 1):
        if at > len(parts) or folded(parts[-at]) != folded(before):
            break
        if before != now:
            parts[-at] = now
    return "/".join(parts)
