"""What became of each file of an import or an export."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from quire.engine.scope import Scope
from quire.errors import Busy, OutcomeUnknown, StorageFull, Unavailable

Progress: TypeAlias = Callable[[int, int, str], None]  # how many are done, of how many, and which one that was

# What is wrong with a storage rather than with one file of it, so that there is no use in going on.
FATAL = (StorageFull, Unavailable, OutcomeUnknown, Busy)


class Outcome(enum.StrEnum):
    """What was done with one file, or with one entry of a log."""

    NEW = "new"
    UPDATED = "updated"  # its source has changed, and nobody had touched the entry since it came in
    SAME = "same"
    CONFLICT = "conflict"  # both sides have changed, or the name is another's: what is there stays
    AWAY = "away"  # it came in once and was forgotten, purged or removed here: it is not brought back
    VANISHED = "vanished"  # it came in once and is not in the source any more: the entry stays
    REFUSED = "refused"  # it could not be carried over
    LEFT_OUT = "left out"  # nothing of it is meant to be carried over


@dataclass(frozen=True, slots=True)
class Item:
    """One file of the source (`path`, with `#id` for one entry of a log), and where it is now.

    `entry` is the id in `scope`; empty for a file that is no entry, as which `at` is its key. `reason` is for people.
    """

    path: str
    outcome: Outcome
    reason: str = ""
    entry: str = ""
    scope: Scope | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class _Result:
    items: tuple[Item, ...]

    def of(self, *outcomes: Outcome | str) -> list[Item]:
        """The items with these outcomes."""
        return [item for item in self.items if item.outcome in outcomes]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many items there are of each outcome that occurs, in the order of `Outcome`."""
        found = Counter(item.outcome for item in self.items)
        return {outcome.value: found[outcome] for outcome in Outcome if found[outcome]}


@dataclass(frozen=True, slots=True)
class Imported(_Result):
    """What an import did, or would do where `dry_run` is set. `memory.undo(run=…)` with its `run` takes it back."""

    name: str = ""
    flavour: str = ""
    run: str = ""
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything came in, so that there is something to take back."""
        return any(item.outcome in (Outcome.NEW, Outcome.UPDATED) for item in self.items)


@dataclass(frozen=True, slots=True)
class Exported(_Result):
    """What an export wrote. A conflict is a file that was there and says something else; it was left as it is."""
