"""Standing: which of the changes in the journal are still in effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.engine.changes import REPORTED
from quire.engine.core import Core
from quire.engine.journal import Change, Step
from quire.errors import NotFound
from quire.locator import Locator
from quire.ports.storage import version_of


def standing(core: Core, down_to: str, later: Later | None = None) -> Iterator[Change]:
    """The changes that stand, undoings too, newest first.

    An undoing that was itself undone counts for nothing, and so does one that never happened.
    """
    undone: set[str] = set()
    later = later or Later(core)
    for each in core.journal.newest_first(down_to):
        if each.id not in undone and (not each.undoes or later.saw(each)):
            undone.update(each.undoes)
            yield each
        later.add(each)


@dataclass
class Later:
    """What later changes began with, or where there is none what is there now.

    The record of a change that overwrites one file comes before it, so that a process may die in between. Nobody has
    seen then what it would have made, and what it would have changed is what they saw.
    """

    core: Core
    began: dict[tuple[str, str], set[str | None]] = field(default_factory=dict)

    def add(self, change: Change) -> None:
        for step in change.steps:
            self.began.setdefault((step.storage, step.path), set()).add(step.before)

    def saw(self, change: Change) -> bool:
        """Whether it happened."""
        if len(change.steps) != 1 or (change.steps[0].before is None and change.tier not in REPORTED):
            return True  # the record of these comes last
        return self._saw(change.steps[0])

    def _saw(self, step: Step) -> bool:
        if step.purged or (step.storage and step.storage not in self.core.others):
            return True
        seen = self.began.get((step.storage, step.path)) or {self._now(step)}
        return step.after in seen or step.before not in seen

    def _now(self, step: Step) -> str | None:
        try:
            return version_of(self.core.storage_of(step.storage).read_bytes(Locator(step.path)))
        except NotFound:
            return None
