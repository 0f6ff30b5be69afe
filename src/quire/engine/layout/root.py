"""The layout `root`: many apps, projects, users and agents below one root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from quire.engine.kinds import Kind, Shape
from quire.engine.layout.place import MEMORY, Layout, Place, Zone, name_in, tail
from quire.engine.scope import DEFAULT, Owner, Scope
from quire.errors import InvalidScope
from quire.locator import Locator

_OWNERS = {"users": Owner.USER, "agents": Owner.AGENT}
_FOLDERS = {owner: folder for folder, owner in _OWNERS.items()}
_SHARED = "knowledge"


class RootLayout(Layout):
    """`<app>/<project>/{users/<id>,agents/<id>,knowledge}/…`. The inbox is a status here, not a folder."""

    name = "root"
    mark = f"{DEFAULT}_app"
    zones = (Zone.ACTIVE, Zone.ARCHIVE)

    def base(self, scope: Scope) -> list[str]:
        owner = [_SHARED] if scope.owner is Owner.SHARED else [_FOLDERS[scope.owner], scope.id]
        return [spelled(scope.app, "app"), spelled(scope.project, "project"), *owner]

    def _segments(self, place: Place) -> list[str]:
        kind = self.kinds[place.kind]
        path = tail(kind, place.name, self.directory(kind))
        if place.zone is Zone.ARCHIVE:
            at = 1 if kind.shape is Shape.FOLDER else 0
            path.insert(at, Zone.ARCHIVE.value)
        within = [MEMORY] if kind.shape is Shape.NOTE and place.scope.owner is not Owner.SHARED else []
        return [*self.base(place.scope), *within, *path]

    def _candidates(self, parts: Sequence[str]) -> Iterator[Place]:
        scope, rest = self._owner_of(parts)
        if scope is None or not rest:
            return
        if len(rest) == 1:
            if kind := self._singles.get(rest[0]):
                yield Place(scope, kind.name, "")
            return
        if rest[0] in self._logs and (name := name_in(self._logs[rest[0]], rest[1:])):
            yield Place(scope, self._logs[rest[0]].name, name)
        rest = [part for part in rest if part != MEMORY]
        zone = Zone.ARCHIVE if Zone.ARCHIVE.value in rest else Zone.ACTIVE
        rest = [part for part in rest if part != Zone.ARCHIVE.value]
        if (found := self._directories.get(rest[0] if rest else "")) and (name := name_in(found, rest[1:])):
            yield Place(scope, found.name, name, zone)

    def _owner_of(self, parts: Sequence[str]) -> tuple[Scope | None, Sequence[str]]:
        try:
            if len(parts) > 3 and parts[2] == _SHARED:
                return _scope(parts[0], parts[1], Owner.SHARED, ""), parts[3:]
            if len(parts) > 3 and parts[2] in _OWNERS:
                return _scope(parts[0], parts[1], _OWNERS[parts[2]], parts[3]), parts[4:]
        except InvalidScope:
            pass  # a folder that no scope could have made is a person's own
        return None, ()

    def zone_of(self, kind: Kind, status: str, always_load: bool) -> Zone:
        return Zone.ARCHIVE if status == "archived" and kind.shape in (Shape.NOTE, Shape.FOLDER) else Zone.ACTIVE

    def folders(self, scope: Scope, kind: Kind | None) -> list[Locator]:
        base = self.base(scope)
        if kind is None or kind.shape is Shape.SINGLE:
            return [Locator("/".join(base))]
        if kind.shape is not Shape.NOTE:
            return [Locator("/".join([*base, kind.directory]))]
        within = base if scope.owner is Owner.SHARED else [*base, MEMORY]
        return [
            Locator("/".join([*within, *path])) for path in ((Zone.ARCHIVE.value, kind.directory), (kind.directory,))
        ]

    def contents(self, scope: Scope) -> Locator:
        within = [] if scope.owner is Owner.SHARED else [MEMORY]
        return Locator("/".join([*self.base(scope), *within, "_index.md"]))

    def harness(self, project: str) -> Locator:
        return Locator(f"{spelled(DEFAULT, 'app')}/{spelled(project, 'project')}/_harness")


@lru_cache(1024)  # a walk asks the same for every file of a scope
def _scope(app: str, project: str, owner: Owner, id: str) -> Scope:
    return Scope(said(app, "app"), said(project, "project"), owner, id)


def spelled(name: str, what: str) -> str:
    """How an app or a project is spelled on disk."""
    return f"{DEFAULT}_{what}" if name == DEFAULT else name


def said(folder: str, what: str) -> str:
    """The app or the project that a folder stands for; the plain word `default` stands for none."""
    if folder == DEFAULT:
        raise InvalidScope(f"{folder!r} on disk is no {what}")
    return DEFAULT if folder == f"{DEFAULT}_{what}" else folder
