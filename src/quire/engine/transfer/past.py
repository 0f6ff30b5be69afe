"""The past: what the journal says that an import must know of."""

from __future__ import annotations

from dataclasses import dataclass, field

from quire.engine.core import Core
from quire.engine.kinds import Kind, Shape
from quire.engine.scope import Scope
from quire.locator import Locator


@dataclass(slots=True)
class Past:
    """One pass over the journal: the changes that are undone, what imports made, and the ids that logs ever had."""

    core: Core
    undone: set[str] = field(default_factory=set)
    _made: dict[str, str] = field(default_factory=dict)
    _ids: dict[tuple[Scope, str, str], set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for change in self.core.journal.newest_first():
            if change.id not in self.undone:
                self.undone.update(change.undoes)
                if change.verb == "import":
                    for what in (*change.made, *(step.path for step in change.steps if step.before is None)):
                        self._made.setdefault(what, change.id)
            for step in change.steps:
                place = self.core.layout.parse(Locator(step.path)) if step.path and not step.storage else None
                if place and place.kind and self.core.kinds[place.kind].shape is Shape.LOG:
                    ids = self._ids.setdefault((place.scope, place.kind, place.name[:10]), set())
                    ids.update(name.rpartition(" ")[2] for name in change.entries)

    def made_by(self, what: str) -> str:
        """The import that made this entry (`<scope> <id>`), or the file with this key; empty for none that stands."""
        return self._made.get(what, "")

    def ids(self, scope: Scope, kind: Kind, day: str) -> set[str]:
        """The ids that entries of this day have had, as far as the journal goes."""
        return self._ids.get((scope, kind.name, day), set())
