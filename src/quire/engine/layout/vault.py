"""The layout `vault`: one person's memory in an Obsidian vault. No truth lies in a folder that sync services hide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from quire.engine.kinds import Kind, Shape
from quire.engine.layout.place import Layout, Place, Zone, name_in, plain_name, tail
from quire.engine.layout.root import said, spelled
from quire.engine.scope import DEFAULT, Owner, Scope
from quire.errors import InvalidScope
from quire.locator import Locator

_MEMORY = "Memory"  # the agent's own
_PROJECTS = "projects"  # curated, by project
_PEOPLE = {"_users": Owner.USER, "_agents": Owner.AGENT}  # for those who are not the one person and the one agent
_FOLDERS = {owner: folder for folder, owner in _PEOPLE.items()}
_INCUBATOR = "_idea-incubator"
_IDEA = "idea"


class VaultLayout(Layout):
    """`Memory/` is the agent's, `projects/` and the directive spaces beside it are curated.

    The curated space of no project in particular is the root itself: directives lie in `preferences/`, `feedback/` and
    `_always-load/`, and what has no such space in `projects/default_project/`.
    """

    name = "vault"
    mark = _MEMORY
    zones = (Zone.ACTIVE, Zone.ALWAYS, Zone.INBOX, Zone.ARCHIVE)

    def base(self, scope: Scope) -> list[str]:
        if scope.app != DEFAULT:
            raise InvalidScope(
                f"the layout 'vault' holds one app, and {scope.app!r} is another", remedy="Use the layout 'root'"
            )
        if scope.owner is Owner.SHARED:
            return [_PROJECTS, spelled(scope.project, "project")]
        project = [] if scope.project == DEFAULT else [_PROJECTS, scope.project]
        own = [] if scope.owner is Owner.AGENT and scope.id == DEFAULT else [_FOLDERS[scope.owner], scope.id]
        return [*project, _MEMORY, *own]

    def directory(self, kind: Kind) -> str:
        return kind.directory.lstrip(".")

    def _segments(self, place: Place) -> list[str]:
        base = self.base(place.scope)
        at_root = place.scope.owner is Owner.SHARED and place.scope.project == DEFAULT
        if place.zone is Zone.ALWAYS:
            return [*([] if at_root else base), Zone.ALWAYS.value, f"{place.name}.md"]
        kind = self.kinds[place.kind]
        path = tail(kind, place.name, self.directory(kind))
        if place.zone is Zone.INBOX:
            return [*base, _INCUBATOR, path[-1]] if kind.name == _IDEA else [*base, Zone.INBOX.value, *path]
        if place.zone is Zone.ARCHIVE:
            return [*([] if at_root else base), Zone.ARCHIVE.value, *path]
        if at_root and kind.schema.SPACE:
            return [kind.schema.SPACE, path[-1]]
        return [*base, *path]

    def _candidates(self, parts: Sequence[str]) -> Iterator[Place]:
        shared = _scope(DEFAULT, Owner.SHARED)
        for kind in self.kinds.of_shape(Shape.NOTE):
            if parts[0] == kind.schema.SPACE and (name := name_in(kind, parts[1:])):
                yield Place(shared, kind.name, name)
        if parts[0] in (Zone.ALWAYS.value, Zone.ARCHIVE.value):
            yield from self._within(shared, parts)
        for scope, rest in self._owners_of(parts):
            yield from self._within(scope, rest)

    def _owners_of(self, parts: Sequence[str]) -> Iterator[tuple[Scope, Sequence[str]]]:
        """The scopes whose folder `parts` might begin with, and what follows it."""
        try:
            project = DEFAULT
            if parts[0] == _PROJECTS and len(parts) > 2:
                project = said(parts[1], "project")
                parts = parts[2:]
                yield _scope(project, Owner.SHARED), parts
            if parts[0] == _MEMORY:
                yield _scope(project, Owner.AGENT), parts[1:]
                if len(parts) > 3 and parts[1] in _PEOPLE:
                    yield _scope(project, _PEOPLE[parts[1]], parts[2]), parts[3:]
        except InvalidScope:
            return  # a folder that no scope could have made is a person's own

    def _within(self, scope: Scope, rest: Sequence[str]) -> Iterator[Place]:
        if len(rest) == 1 and (kind := self._singles.get(rest[0])):
            yield Place(scope, kind.name, "")
        if len(rest) < 2:
            return
        if rest[0] == Zone.ALWAYS.value:
            if len(rest) == 2 and (name := plain_name(rest[1].removesuffix(".md"))):
                yield Place(scope, "", name, Zone.ALWAYS)
            return
        if rest[0] == _INCUBATOR and (name := name_in(self.kinds[_IDEA], rest[1:])):
            yield Place(scope, _IDEA, name, Zone.INBOX)
        zone = next((zone for zone in (Zone.INBOX, Zone.ARCHIVE) if zone.value == rest[0]), Zone.ACTIVE)
        rest = rest if zone is Zone.ACTIVE else rest[1:]
        kind = self._directories.get(rest[0]) or self._logs.get(rest[0])
        if kind and (name := name_in(kind, rest[1:])):
            yield Place(scope, kind.name, name, zone)

    def zone_of(self, kind: Kind, status: str, always_load: bool) -> Zone:
        if kind.shape in (Shape.LOG, Shape.SINGLE):
            return Zone.ACTIVE
        if status == "archived":
            return Zone.ARCHIVE
        if kind.shape is Shape.FOLDER:
            return Zone.ACTIVE
        if status == "inbox":
            return Zone.INBOX
        return Zone.ALWAYS if always_load and status == "active" else Zone.ACTIVE

    def folders(self, scope: Scope, kind: Kind | None) -> list[Locator]:
        base = Locator("/".join(self.base(scope)))
        if scope.owner is not Owner.SHARED or scope.project != DEFAULT:
            return [base]
        spaces = {known.schema.SPACE for known in self.kinds if known.schema.SPACE}
        return [Locator(name) for name in sorted({Zone.ARCHIVE.value, Zone.ALWAYS.value, base.key, *spaces})]

    def contents(self, scope: Scope) -> Locator:
        return Locator("/".join([*self.base(scope), "_index.md"]))

    def harness(self, project: str) -> Locator:
        return Locator(f"{_PROJECTS}/{spelled(project, 'project')}/_harness")


@lru_cache(1024)  # a walk asks the same for every file of a scope
def _scope(project: str, owner: Owner, id: str = DEFAULT) -> Scope:
    return Scope(project=project, owner=owner, id=id)
