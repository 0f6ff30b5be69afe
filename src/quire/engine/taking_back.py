"""Taking back: what the files will say once changes are reversed, worked out before any of them is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.engine.blocks import Blocks, blocks
from quire.engine.changes import Edit
from quire.engine.core import Core
from quire.engine.hunks import DoesNotFit, reverse
from quire.engine.journal import Change, Step
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.errors import NotFound, UndoRefused
from quire.locator import Locator
from quire.ports.storage import version_of


@dataclass(frozen=True, slots=True)
class Part:
    """A change to be taken back, or of one that goes beyond what is withdrawn its steps on these files only."""

    change: Change
    only: frozenset[str] | None = None


@dataclass
class Reversal:
    """The files as they are, and as they will be."""

    core: Core
    away: Mapping[tuple[str, str], Change]  # the files that a change which stays has put elsewhere
    now: dict[tuple[str, str], bytes | None] = field(default_factory=dict)
    then: dict[tuple[str, str], bytes | None] = field(default_factory=dict)
    versions: dict[tuple[str, str], str | None] = field(default_factory=dict)
    taken: dict[tuple[str, str], tuple[Step, Change]] = field(default_factory=dict)  # the last that led to `then`
    logs: dict[tuple[str, str], Blocks] = field(default_factory=dict)
    purged: bool = False

    def take_back(self, part: Part) -> None:
        for step in reversed(part.change.steps):
            if part.only is None or step.path in part.only:
                self._take_back(step, part.change)

    def edits(self) -> list[Edit]:
        """What has to be done. Raises UndoRefused where what was there before is not what the records say."""
        for at, (step, change) in self.taken.items():
            _check(step, change, self.then[at])
        whole = self.then | {at: log.text if log else None for at, log in self.logs.items()}
        return [Edit(Locator(at[1]), self.now[at], text) for at, text in whole.items() if self.now[at] != text]

    def _take_back(self, step: Step, change: Change) -> None:
        if step.purged:
            self.purged = True
            if not step.hunks:
                return  # the entry is gone, and nothing else was changed with it
        at = (step.storage, step.path)
        if at not in self.logs and not step.purged:
            current = self._read(at)
            seen = self.versions[at]
            if seen == step.before and seen != step.after:
                later = self.away.get(at)
                if seen is None and later and later.id > change.id:
                    raise _refused(step, change, current, f"{later.verb} {later.id}")
                return  # it did not take effect, or somebody put it back
            if seen == step.after:
                self.then[at] = _before(step, current, change)
                # Of many steps in a row the last is checked, or a long log would be hashed for each.
                self.versions[at] = step.before
                self.taken[at] = step, change
                return
        self._take_back_entries(at, step, change)

    def _read(self, at: tuple[str, str]) -> bytes | None:
        if at in self.then:
            return self.then[at]
        if at not in self.now:
            try:
                self.now[at] = self.core.storage_of(at[0]).read_bytes(Locator(at[1]))
            except NotFound:
                self.now[at] = None
            current = self.now[at]
            self.versions[at] = None if current is None else version_of(current)
        return self.now[at]

    def _take_back_entries(self, at: tuple[str, str], step: Step, change: Change) -> None:
        """A log that others have written since: only the entries of this step change, if nobody has touched those."""
        current = self._read(at)
        if current is None or log_at(self.core, step) is None or not step.hunks:
            raise _refused(step, change, current)
        log = self.logs[at] if at in self.logs else Blocks(current)
        for hunk in reversed(step.hunks):
            was, made = blocks(hunk.old), blocks(hunk.new)
            for id in dict.fromkeys((*made, *was)):
                old, new, held = was.get(id), made.get(id), log.get(id)
                if old in (held, new):
                    continue
                if held != new:
                    raise _refused(step, change, current)
                log.put(id, old)
        self.logs[at] = log


def _before(step: Step, current: bytes | None, change: Change) -> bytes | None:
    if step.before is None:
        return None
    try:
        return reverse(current or b"", list(step.hunks))
    except DoesNotFit as error:
        raise _refused(step, change, current) from error


def _check(step: Step, change: Change, text: bytes | None) -> None:
    if (None if text is None else version_of(text)) != step.before:
        raise UndoRefused(
            f"a record since {change.id} is damaged, so that what was there before is not known",
            where=step.path,
            remedy="It cannot be undone; edit the file by hand",
        )


def _refused(step: Step, change: Change, current: bytes | None, later: str = "") -> UndoRefused:
    state = "it is gone" if current is None else "it has changed"
    return UndoRefused(
        f"{state} since {change.verb} at {change.at[:19]}, and undoing would lose that",
        where=step.path,
        remedy=f"Undo the later change{later and f', {later},'} first, or edit the file by hand; nothing was changed",
    )


def log_at(core: Core, step: Step) -> Place | None:
    place = None if step.storage else core.layout.parse(Locator(step.path))
    return place if place and place.kind and core.kinds[place.kind].shape is Shape.LOG else None
