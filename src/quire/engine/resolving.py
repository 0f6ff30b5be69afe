"""Resolving: which file or entry a link means. Nothing is guessed: no match is a broken link, several are ambiguous."""

from __future__ import annotations

import enum
import posixpath
import unicodedata
from bisect import bisect_left
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from quire.engine.entry import Contents, Entry, heading_of, text_of
from quire.engine.scope import Scope
from quire.locator import Locator
from quire.markdown.links import ID_FIELDS, Link

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Target:
    """What a link means: an entry, or with an empty `id` a file that is none. `scope` is None outside of any."""

    locator: Locator
    id: str
    scope: Scope | None


class By(enum.Enum):
    """What a link can say of its target, in the order in which that counts."""

    OWN_ID = "the id of an entry in the scope of the holder, in a field that holds ids"
    PATH = "the path from the root"
    RELATIVE = "the path from the holder"
    SUFFIX = "the end of the path"
    ID = "the id"
    SLUG = "the name of the file, or the id of a log's entry"
    TITLE = "the title"
    ALIAS = "an alias"


class Names:
    """The names by which the files of a root can be linked. Case and the composition of letters do not matter.

    The first kind of name that anything has decides. For a markdown link the path from its holder comes first, as for
    every reader of markdown; a bare name in double brackets is never taken for a path from there, so that a neighbour
    does not win over others of its name.
    """

    def __init__(self) -> None:
        self._own: dict[tuple[Scope, str], Held] = {}
        self._by: dict[By, dict[str, Held]] = {
            by: {} for by in (By.PATH, By.SUFFIX, By.ID, By.SLUG, By.TITLE, By.ALIAS)
        }
        self._ends: list[tuple[str, str]] = []  # every path backwards, and as it is

    @classmethod
    def of(cls, contents: Iterable[Contents], others: Iterable[Locator] = ()) -> Names:
        """The names of the files of entries, and of `others`, which are none."""
        names = cls()
        for each in contents:
            names.add(each)
        for locator in others:
            names.add_file(locator, "", None)
        return names

    def add(self, contents: Contents) -> None:
        """A file of entries. What is in a log has its id for a name, and its title; every other file is its entry."""
        scope, own = contents.place.scope, ""
        for entry in contents.entries:
            if entry.id in (f"{entry.kind}/{contents.place.name}", contents.place.kind):
                own = entry.id
            else:
                target = Target(contents.locator, entry.id, scope)
                _put(self._own, (scope, entry.id), target)
                _put(self._by[By.SLUG], folded(entry.id), target)
                self._add_titles(target, entry)
        target = self.add_file(contents.locator, own, scope, contents.place.name)
        if own:
            self._add_titles(target, contents.entries[0])

    def add_file(self, locator: Locator, id: str, scope: Scope | None, slug: str = "") -> Target:
        """A file, whatever it is: its path, its name, and the id and the slug of the entry that it is."""
        target = Target(locator, id, scope)
        path = folded(stem(locator.key))
        _put(self._by[By.PATH], path, target)
        names = {path.rpartition("/")[2]}
        if id:
            if scope is not None:
                _put(self._own, (scope, id), target)
            if "/" in id:
                _put(self._by[By.ID], folded(id), target)
            names.add(folded(slug if "/" in id else id))
        for name in names:
            _put(self._by[By.SLUG], name, target)
        self._ends.clear()
        self._by[By.SUFFIX].clear()
        return target

    def _add_titles(self, target: Target, entry: Entry) -> None:
        """The title that it gives itself, or its first heading. Words made of its slug are no name of their own."""
        title = text_of(entry.document.get("title")) or heading_of(entry.body)
        if title:
            _put(self._by[By.TITLE], folded(title), target)
        for alias in {folded(alias) for alias in entry.aliases}:
            _put(self._by[By.ALIAS], alias, target)

    def resolve(self, link: Link, holder: Locator, scope: Scope | None) -> tuple[Target, ...]:
        """What a link in the file `holder`, of `scope`, means: nothing if it is broken, several if it is ambiguous."""
        return self.meaning(link, holder, scope)[1]

    def meaning(self, link: Link, holder: Locator, scope: Scope | None) -> tuple[By | None, tuple[Target, ...]]:
        """What a link means, and what it says of it."""
        if link.kind == "field" and link.relation in ID_FIELDS and scope is not None:
            own = _get(self._own, (scope, unicodedata.normalize("NFC", link.target)))
            if own:
                return By.OWN_ID, own
        said = folded(link.target)
        path = stem(said)
        for by in _ways(link.kind, path):
            if by is By.RELATIVE:
                found = self._at(_joined(holder.parent.key, stem(link.target)))
            elif by is By.PATH:
                found = self._at(stem(link.target).lstrip("/"))
            elif by is By.SUFFIX:
                found = self._ending(path.lstrip("/"))
            else:
                found = _get(self._by[by], path.lstrip("/") if by in (By.ID, By.SLUG) else said)
            if found:
                return by, found
        return None, ()

    def _at(self, path: str) -> tuple[Target, ...]:
        """The files at a path; of several that differ in case alone the one that is spelled so, if there is."""
        found = _get(self._by[By.PATH], folded(path))
        if len(found) > 1:
            exact = unicodedata.normalize("NFC", path)
            return tuple(target for target in found if stem(target.locator.key) == exact) or found
        return found

    def _ending(self, path: str) -> tuple[Target, ...]:
        """The files whose paths end so."""
        known = self._by[By.SUFFIX]
        if path not in known:
            paths = self._by[By.PATH]
            if not self._ends:
                self._ends = sorted((_backwards(key), key) for key in paths)
            end = _backwards(path)
            first, last = (
                bisect_left(self._ends, (end + "/",)),
                bisect_left(self._ends, (end + "0",)),
            )  # "0" follows "/"
            known[path] = tuple(target for _, key in self._ends[first:last] for target in _get(paths, key))
        return _get(known, path)


Held = tuple[Target, ...] | list[Target]


def _ways(kind: str, path: str) -> tuple[By, ...]:
    """What a link of this kind may say, in order."""
    if not path.strip("/"):
        return ()
    if path.startswith("/"):
        return (By.PATH, By.SUFFIX, By.ID, By.SLUG)
    if kind == "markdown":
        return (By.RELATIVE, By.PATH, By.SUFFIX, By.ID, By.SLUG)
    if "/" in path:
        return (By.PATH, By.RELATIVE, By.SUFFIX, By.ID, By.TITLE, By.ALIAS)
    return (By.PATH, By.SLUG, By.TITLE, By.ALIAS)


def folded(text: str) -> str:
    """`text` as names are compared."""
    return unicodedata.normalize("NFC", text).lower().strip()


def stem(path: str) -> str:
    """`path` without the ending of a note."""
    return path[:-3] if path[-3:].lower() == ".md" else path


def _joined(folder: str, path: str) -> str:
    """The path that `path` is from `folder`; what climbs out of the root is nothing's."""
    return posixpath.normpath(posixpath.join(folder, path))


def _backwards(path: str) -> str:
    return "/".join(reversed(path.split("/")))


def _put(index: dict[K, Held], key: K, target: Target) -> None:
    held = index.get(key)
    if held is None:
        index[key] = (target,)
    elif isinstance(held, list):
        held.append(target)
    else:
        index[key] = [*held, target]


def _get(index: dict[K, Held], key: K) -> tuple[Target, ...]:
    held = index.get(key, ())
    if isinstance(held, list):
        held = index[key] = tuple(held)
    return held
