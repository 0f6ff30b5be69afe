"""Plans: changes of several files, which happen whole or not at all, whoever has to see to it.

A plan lies in `.journal/open/` and says what each file holds before and after. Each step is conditional, so that
whoever finds a plan, in whatever process, can go on with it, and any number that do so at once agree. How it ends is
decided in one step, too: by its deletion, once every file is as planned and the record is kept; or, where that cannot
be, by its getting another name, under which all is taken back. A process that stood still meanwhile finds either.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.engine.edits import Edit, dump, load, put
from quire.engine.evidence import OPEN, Evidence, holds
from quire.engine.journal import Journal
from quire.engine.records import Change
from quire.errors import AlreadyExists, Conflict, NotFound, OutcomeUnknown, StorageError
from quire.locator import Locator
from quire.ports.storage import ABSENT, StorageBackend

__all__ = ["OPEN", "Edit", "Plans", "Recovered", "put"]

_PLAN, _BACK = ".json", ".back"  # under way, and being taken back
_HELP = ".help"  # beside a plan that others than its owner are at work on, too
_OWNER_MAY_LIVE = 0.1  # seconds; a change takes milliseconds, and to help a living owner is harmless, only double work


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of a plan that was found: "finished", "taken back", "unfinished" or "unreadable".

    `said` is for people. One that is unfinished could not be carried out yet; the next open tries again.
    """

    change: Change | None
    outcome: str
    said: str


class Plans:
    """The plans of one storage, which lie beside the journal."""

    def __init__(self, storage: StorageBackend, journal: Journal) -> None:
        self._storage = storage
        self._journal = journal

    def carry_out(self, change: Change, edits: Sequence[Edit]) -> None:
        """Make all of `edits` and record the change. Raises Conflict or what the storage raises, with none made."""
        plan = self._journal.at.child(OPEN, change.id + _PLAN)
        self._journal.storage.write_bytes(plan, dump(change, edits), if_version=ABSENT)
        self._go_on(plan, change, edits, ours=True)

    def recover(self, storages: dict[str, StorageBackend]) -> Iterator[Recovered]:
        """Finish what others began and did not live to finish; `storages` by the names that steps give them.

        A plan whose owner lives is gone within moments, so that all are left alone for that long.
        """
        deadline = time.monotonic() + _OWNER_MAY_LIVE
        for plan in self._journal.storage.list(self._journal.at.child(OPEN)):
            if plan.name.endswith(_HELP):
                self._clear(plan)
            if not plan.name.endswith((_PLAN, _BACK)) or self._vanishes(plan, deadline):
                continue
            try:
                loaded = load(self._journal.storage.read_bytes(plan))
            except NotFound:
                continue
            if loaded is None:
                yield Recovered(None, "unreadable", f"the plan {plan} cannot be read; it may be deleted")
                continue
            change, edits = loaded
            if change.storage in storages:
                yield Plans(storages[change.storage], self._journal)._resume(plan, change, edits)
            else:
                said = f"{_said(change)} waits until the root is opened with its {change.storage} storage"
                yield Recovered(change, "unfinished", said)

    def _resume(self, plan: Locator, change: Change, edits: Sequence[Edit]) -> Recovered:
        try:
            if plan.name.endswith(_PLAN):
                self._journal.storage.write_bytes(_beside(plan, _HELP), b"")
                self._go_on(plan, change, edits)
                return Recovered(change, "finished", f"{_said(change)} was finished")
            self._take_back(_beside(plan, _PLAN), change, edits, self._made(change, edits))
        except Conflict as error:
            return Recovered(change, "taken back", f"{_said(change)} was taken back: {error}")
        except StorageError as error:  # it must keep nobody from opening the root
            return Recovered(change, "unfinished", f"{_said(change)} is half done, and cannot be finished now: {error}")
        finally:
            self._clear(_beside(plan, _HELP))
        return Recovered(change, "taken back", f"{_said(change)} was taken back")

    def _clear(self, mark: Locator) -> None:
        """Remove the mark of a plan that is not there any more."""
        storage = self._journal.storage
        if not any(storage.exists(_beside(mark, ending)) for ending in (_PLAN, _BACK)):
            try:
                storage.delete(mark)
            except StorageError:
                pass  # somebody did; or it is refused, and the next to open the root does

    def _vanishes(self, plan: Locator, deadline: float) -> bool:
        while self._journal.storage.exists(plan):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def _go_on(self, plan: Locator, change: Change, edits: Sequence[Edit], *, ours: bool = False) -> None:
        made: list[Edit] = []  # of a plan of our own not what we find made: another did that, for reasons of their own
        late: Edit | None = None
        try:
            for edit in edits:
                self._require_undecided(plan)
                late = edit if self._put_or_agree(edit, change, plan, ours=ours) else None
                made += [edit] if late or not ours else []
            self._journal.append(change)
            self._finish(plan)
        except OutcomeUnknown:
            raise  # the plan stays, and the next to open the root will know
        except _Decided:
            if self._was_finished(plan, change):
                self._withdraw(late, change)
                return
            self._take_back(plan, change, edits, made, ours=ours)
            raise Conflict(
                "this change was taken back while its process stood still",
                where=", ".join(change.entries),
                remedy="Read it again, then retry",
            ) from None
        except StorageError as error:
            if not ours and not isinstance(error, Conflict):
                raise  # a lock that is held, a disk that is full: no reason to give up what another has begun
            if self._take_back(plan, change, edits, made, ours=ours):
                raise

    def _require_undecided(self, plan: Locator) -> None:
        if not self._journal.storage.exists(plan):
            raise _Decided

    def _finish(self, plan: Locator) -> None:
        """Decide that it has happened."""
        try:
            self._journal.storage.delete(plan)
        except NotFound as error:
            raise _Decided from error

    def _withdraw(self, late: Edit | None, change: Change) -> None:
        """Undo an edit that was made after another had finished the change, on a file that has moved on since."""
        last = Evidence(self._journal, change).last(late) if late else None
        if late and last and last.after != late.versions[1]:
            try:
                put(self._storage, late.reversed)
            except Conflict:
                pass  # it has moved on again

    def _was_finished(self, plan: Locator, change: Change) -> bool:
        """Whether a plan that is gone was carried out: what is taken back is void before it loses its other name."""
        return not self._journal.storage.exists(_beside(plan, _BACK)) and self._journal.find(change.id) is not None

    def _take_back(
        self, plan: Locator, change: Change, edits: Sequence[Edit], made: Sequence[Edit], *, ours: bool = False
    ) -> bool:
        """Decide that it shall not be, and undo what was `made` of it. False if another had finished it.

        Raises OutcomeUnknown where the storage refuses.
        """
        try:
            if not self._given_up(plan) and self._was_finished(plan, change):
                return False
            if ours:
                self._reverse(change, made, made)
            else:
                evidence = Evidence(self._journal, change)
                self._reverse(change, edits, [edit for edit in made if not evidence.is_anothers(edit)])
        except StorageError as error:
            raise OutcomeUnknown(
                f"a part of it was made, and could not be taken back ({error.what})",
                where=", ".join(change.entries),
                remedy="Open the root again when the storage allows; that puts it right",
            ) from error
        try:
            self._journal.void(change)
            self._journal.storage.delete(_beside(plan, _BACK))
        except StorageError:
            pass  # somebody helped; or the journal cannot be written, and the next to open the root says it
        return True

    def _reverse(self, change: Change, perhaps: Sequence[Edit], made: Sequence[Edit]) -> None:
        """Undo, the last first; files that were `perhaps` deleted come back before anything else.

        What somebody has built upon stays. So do copies where an original cannot come back.
        """
        whole = True
        for edit in reversed(perhaps):
            whole &= edit.after is not None or self._comes_back(edit, change)
        for edit in reversed(made):
            if edit.after is not None and (edit.before is not None or whole):
                try:
                    put(self._storage, edit.reversed)
                except Conflict:
                    continue

    def _comes_back(self, edit: Edit, change: Change) -> bool:
        """Give a file back that was deleted. False where another has its name, so that its text is only in a copy."""
        if Evidence(self._journal, change).went_elsewhere(edit):
            return True
        try:
            put(self._storage, edit.reversed)
        except Conflict:
            return holds(self._read(edit.locator) or b"", edit.before or b"")
        return True

    def _made(self, change: Change, edits: Sequence[Edit]) -> list[Edit]:
        """What was made of a plan that somebody else began to take back: its beginning, as far as it stands."""
        evidence, made = Evidence(self._journal, change), []
        for edit in edits:
            current = self._read(edit.locator)
            if current != edit.after and not evidence.seems_built_upon(edit, current):
                break
            made.append(edit)
        return made

    def _given_up(self, plan: Locator) -> bool:
        """Give the plan its other name. False if it is gone."""
        try:
            self._journal.storage.move(plan, _beside(plan, _BACK))
        except AlreadyExists:  # by a technology that copies, and died in between
            try:
                self._journal.storage.delete(plan)
            except NotFound:
                return True
        except NotFound:
            return self._journal.storage.exists(_beside(plan, _BACK))
        return True

    def _put_or_agree(self, edit: Edit, change: Change, plan: Locator, *, ours: bool) -> bool:
        """Make one edit, or find that it was made, and whether it was made here.

        The owner of a plan that nobody helps with makes each step. What it finds made is another's: two that evolve an
        entry in the same second write the same.
        """
        evidence = Evidence(self._journal, change)
        if not ours and evidence.went_on(edit):
            return False
        try:
            put(self._storage, edit)
        except Conflict:
            if ours and not self._journal.storage.exists(_beside(plan, _HELP)):
                raise
            current = self._read(edit.locator)
            if current == edit.after:
                made = not evidence.was_anothers(edit)
            elif ours:
                made = evidence.went_on(edit)
            else:
                made = evidence.seems_built_upon(edit, current)
            if not made:
                raise
            return False
        return True

    def _read(self, at: Locator) -> bytes | None:
        try:
            return self._storage.read_bytes(at)
        except NotFound:
            return None


class _Decided(Exception):
    """The plan is not there any more: whoever helped has finished it, or has given it up."""


def _beside(plan: Locator, ending: str) -> Locator:
    """The other file of a plan, with this ending."""
    return plan.parent.child(plan.name.rpartition(".")[0] + ending)


def _said(change: Change) -> str:
    return f"{change.verb} of {', '.join(change.entries)}"
