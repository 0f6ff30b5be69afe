"""Lives: which text in the journal was whose, while names are given up, taken again and exchanged."""

from __future__ import annotations

from dataclasses import dataclass, field

from quire.engine.core import Core
from quire.engine.journal import Change, Step
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.engine.scope import Scope
from quire.locator import Locator


@dataclass(eq=False)
class Life:
    """One entry from its making to its end, by whatever names. `at` is where its file lies; empty once that went."""

    at: str = ""
    homes: set[str] = field(default_factory=set)  # the paths of its own file, which name it
    names: set[str] = field(default_factory=set)
    steps: dict[str, set[str]] = field(default_factory=dict)  # its paths, those in its folder too, by change
    stood: set[tuple[str, str | None]] = field(default_factory=set)  # the paths and versions of its own file
    moves: set[str] = field(default_factory=set)  # the changes that gave it another path, or brought it back


class Lives:
    """The lives of one scope's entries, but for those of logs, as the journal tells them from its beginning."""

    def __init__(self, core: Core, scope: Scope) -> None:
        self._core = core
        self._scope = scope
        self._folders = [kind.schema.FILE_NAME for kind in core.kinds.of_shape(Shape.FOLDER)]
        self._homes: dict[str, tuple[str, Place] | None] = {}
        self._at: dict[str, Life] = {}
        self._stood: dict[tuple[str, str | None], Life] = {}
        self.all: list[Life] = []
        for change in core.journal.oldest_first():
            self._take(change)

    def called(self, name: str, here: set[str]) -> list[Life]:
        """Those that were ever called so, but for one that lives on at a path that is not one of `here`."""
        return [
            life
            for life in self.all
            if life.at in here or (name in life.names and not (life.at and self._core.storage.exists(Locator(life.at))))
        ]

    def _take(self, change: Change) -> None:
        own: list[tuple[str, Step]] = []
        beside: list[tuple[str, Step]] = []
        for step in change.steps:
            if step.path and not step.storage and (found := self._home(step.path)):
                (own if found[0] == step.path else beside).append((found[0], step))
        before = {home: self._at.get(home) for home, _ in beside}
        leaving: list[Life] = []
        for home, step in own:
            if step.before is not None:
                life = self._at.get(home) or self._begin(home)
                self._note(life, change, home, step)
                if step.after is None:
                    self._at.pop(home, None)
                    life.at = ""
                    leaving.append(life)
        for home, step in own:
            if step.before is None and step.after is not None:
                life = self._coming(change, home, step, leaving)
                self._settle(life, home)
                if life.stood:
                    life.moves.add(change.id)
                self._note(life, change, home, step)
        for home, step in beside:
            was, now = before[home], self._at.get(home)
            holder = (now or was) if step.before is None else (was or now)
            self._note(holder or self._begin(home), change, home, step)

    def _coming(self, change: Change, home: str, step: Step, leaving: list[Life]) -> Life:
        """Whose file this new one is: what is undone comes back, what left in the same change has moved here."""
        if change.undoes:
            back = next((life for life in leaving if (home, step.after) in life.stood), None)
            back = back or self._stood.get((home, step.after))
            if back and back.at in ("", home):
                return back
        if leaving := [life for life in leaving if not life.at]:
            name = self._homes[home]
            same = (life for life in leaving if any(_named_alike(self._homes[other], name) for other in life.homes))
            return next(same, leaving[0])
        here = self._at.get(home)
        return here if here and not here.stood else self._begin(home)  # of that only files in its folder were known

    def _begin(self, home: str) -> Life:
        life = Life()
        self.all.append(life)
        self._settle(life, home)
        return life

    def _settle(self, life: Life, home: str) -> None:
        other = self._at.get(home)
        if other and other is not life:
            other.at = ""  # somebody removed its file, and left no record
        self._at[home] = life
        life.at = home

    def _note(self, life: Life, change: Change, home: str, step: Step) -> None:
        life.homes.add(home)
        life.names |= self._names(home, change)
        life.steps.setdefault(change.id, set()).add(step.path)
        for version in (step.before, step.after):
            if version is not None and step.path == home:
                life.stood.add((home, version))
                self._stood[home, version] = life

    def _names(self, home: str, change: Change) -> set[str]:
        """What the journal calls the entry whose own file this is."""
        found = self._homes[home]
        assert found is not None
        kind, name = found[1].kind, found[1].name
        if kind:
            single = self._core.kinds[kind].shape is Shape.SINGLE
            return {f"{self._scope} {kind}" if single else f"{self._scope} {kind}/{name}"}
        notes = self._core.kinds.of_shape(Shape.NOTE)  # the path does not say which; the record does
        return {f"{self._scope} {each.name}/{name}" for each in notes}.intersection(change.entries)

    def _home(self, path: str) -> tuple[str, Place] | None:
        """The own file of the entry that has this path, and its place; None for what is no entry's of this scope."""
        if path not in self._homes:
            self._homes[path] = found = self._looked_up(Locator(path))
            if found:
                self._homes[found[0]] = found
        return self._homes[path]

    def _looked_up(self, at: Locator) -> tuple[str, Place] | None:
        parse, kinds = self._core.layout.parse, self._core.kinds
        home, place = at, parse(at)
        folder = at.parent
        while place is None and folder.key:
            for name in self._folders:
                home = folder.child(name)
                found = parse(home)
                place = found if found and found.kind and kinds[found.kind].shape is Shape.FOLDER else place
            folder = folder.parent
        if place is None or place.scope != self._scope or (place.kind and kinds[place.kind].shape is Shape.LOG):
            return None
        return home.key, place


def _named_alike(one: tuple[str, Place] | None, other: tuple[str, Place] | None) -> bool:
    return one is not None and other is not None and one[1].name == other[1].name
