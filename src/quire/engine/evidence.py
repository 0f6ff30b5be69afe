"""Evidence: what the journal and the files themselves say of an edit, for whoever goes on with another's plan."""

from __future__ import annotations

from collections.abc import Iterator

from quire.engine.edits import Edit, load
from quire.engine.journal import Journal
from quire.engine.records import Change, Step
from quire.errors import NotFound

OPEN = "open"  # the folder of the plans, beside the records
_MOVING = (b"updated:", b"last_appended_at:")  # lines that each change of a file sets anew


class Evidence:
    """What is known of other changes to the files that one change is about."""

    def __init__(self, journal: Journal, change: Change) -> None:
        self._journal = journal
        self._change = change

    def went_on(self, edit: Edit) -> bool:
        """Whether a later change began with what this edit leaves: so it was made, whatever is there by now."""
        return self._began_with(edit, edit.versions[1])

    def went_elsewhere(self, edit: Edit) -> bool:
        """Whether a later change began with what this edit began with: that text is in that change, and not lost."""
        return self._began_with(edit, edit.versions[0])

    def seems_built_upon(self, edit: Edit, current: bytes | None) -> bool:
        """Whether the file was as planned, and a person has changed or removed it since.

        They leave no record; but they leave the lines that the edit put there.
        """
        if edit.after is None:
            return False
        if current is None:
            return edit.before is not None and not self.went_elsewhere(edit)
        return holds(current, edit.after, edit.before or b"")

    def is_anothers(self, edit: Edit) -> bool:
        """Whether a later change left the file as this one would: one that was told to be done made the very same."""
        wanted = (edit.locator, edit.versions[1])
        if any((each.locator, each.versions[1]) == wanted for edits in self._under_way() for each in edits):
            return True
        last = self.last(edit)
        return last is not None and last.after == edit.versions[1]

    def was_anothers(self, edit: Edit) -> bool:
        """Whether the last record of the file says that another change made this very edit."""
        last = self.last(edit, since=self._change.id[:8])
        return last is not None and (last.before, last.after) == edit.versions

    def last(self, edit: Edit, *, since: str = "") -> Step | None:
        """The last step that another change took with the file, since this one began or since that day."""
        steps: list[Step] = []
        for other in self._journal.oldest_first(since or self._change.id):
            steps += self._steps(other, edit)
        return steps[-1] if steps else None

    def _began_with(self, edit: Edit, version: str | None) -> bool:
        wanted = (edit.locator, version)
        if any((each.locator, each.versions[0]) == wanted for edits in self._under_way() for each in edits):
            return True
        return any(
            step.before == version
            for other in self._journal.mentioning(version or edit.locator.key, self._change.id)
            for step in self._steps(other, edit)
            if other.id > self._change.id
        )

    def _steps(self, other: Change, edit: Edit) -> Iterator[Step]:
        """What another change did to the file. Of what was purged nothing is known."""
        where = (self._change.storage, edit.locator.key)
        if other.id != self._change.id:
            yield from (step for step in other.steps if (step.storage, step.path) == where and not step.purged)

    def _under_way(self) -> Iterator[list[Edit]]:
        """The edits of the other plans of this storage."""
        for plan in self._journal.storage.list(self._journal.at.child(OPEN)):
            try:
                loaded = load(self._journal.storage.read_bytes(plan))
            except NotFound:
                continue
            if loaded and loaded[0].id != self._change.id and loaded[0].storage == self._change.storage:
                yield loaded[1]


def holds(current: bytes, text: bytes, other: bytes = b"") -> bool:
    """Whether `current` has every line of `text` that `other` has not, but for those that any change sets."""
    lines = set(text.splitlines()) - set(other.splitlines())
    kept = {line for line in lines if not line.lstrip().startswith(_MOVING)}
    return bool(kept) and kept <= set(current.splitlines())
