"""Changes: the only way the engine alters a storage. Journaled, and made whole or not at all.

A change of one file is one conditional write beside its record. A change of several is a plan; see `plans`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.engine.hunks import Hunk, hunks
from quire.engine.journal import Actor, Change, Journal, Step
from quire.engine.plans import OPEN, Edit, Plans, Recovered, put
from quire.errors import InvalidEntry, OutcomeUnknown, StorageError, StorageFailed
from quire.ports.storage import StorageBackend

__all__ = ["OPEN", "REPORTED", "Changes", "Edit", "Intent", "Recovered"]

REPORTED = ("T1", "T2")  # whose space it is: the person's own notes, and what is curated. The digest reports these
MAX_WORDS = 4000  # characters of a reason or a request


@dataclass(frozen=True, slots=True)
class Intent:
    """What a change is about, for the journal."""

    verb: str
    entries: tuple[str, ...] = ()
    made: Mapping[str, tuple[str, ...]] | None = None
    reason: str = ""
    request: str = ""
    tier: str = ""
    undoes: tuple[str, ...] = ()
    actor: str = ""  # where it is not the one who holds the memory
    storage: str = ""
    erase: bool = False  # whether the journal must not keep what is overwritten


def _check_words(words: object, what: str) -> None:
    if not isinstance(words, str):
        raise InvalidEntry(f"the {what} is {type(words).__name__}, not text", remedy="Say it in words")
    if len(words) > MAX_WORDS:
        raise InvalidEntry(f"a {what} of {len(words):,} characters is too long", remedy=f"Use at most {MAX_WORDS:,}")


class Changes:
    """Applies edits to one storage and records them. Safe to use from several threads."""

    def __init__(self, storage: StorageBackend, journal: Journal, actor: Actor) -> None:
        self._storage = storage
        self._journal = journal
        self.actor = actor

    def apply(self, intent: Intent, edits: Sequence[Edit]) -> Change | None:
        """Make all of `edits`, or none; None where they change nothing.

        Raises Conflict where a file is not as it was read, with nothing changed, and what the storage raises.
        """
        edits = [edit for edit in edits if edit.before != edit.after]
        if not edits:
            return None
        change = self._record(intent, edits)
        if len(edits) > 1:
            Plans(self._storage, self._journal).carry_out(change, edits)
        elif edits[0].before is None and change.tier not in REPORTED:
            # Nothing is overwritten, so that the record may follow: a change that lost its name to another leaves none.
            try:
                put(self._storage, edits[0])
            except OutcomeUnknown as error:
                self._record_doubtful(change, error)
                raise
            self._record_made(change, edits[0])
        else:
            self._record_first(change)
            try:
                put(self._storage, edits[0])
            except OutcomeUnknown:
                raise  # it may have happened, so that the record stands
            except StorageError as error:
                self._void(change, error)
                raise
        return change

    def note(self, intent: Intent) -> Change:
        """Record what changed no file: an undoing that found nothing to do, a request that was met already."""
        change = self._record(intent, [])
        self._record_first(change)
        return change

    def recover(self, others: Mapping[str, StorageBackend | None] | None = None) -> list[Recovered]:
        """Finish what others began and did not live to finish, here and in the `others` that are open, by their names.

        What cannot be finished now, or read, is left where it is, and reported.
        """
        known = {name: storage for name, storage in (others or {}).items() if storage is not None}
        return list(Plans(self._storage, self._journal).recover({**known, "": self._storage}))

    def _record_first(self, change: Change) -> None:
        """Keep the record of a change that is not made yet. Raises what the storage raises; nothing has changed."""
        try:
            self._journal.append(change)
        except OutcomeUnknown as error:
            raise StorageFailed(
                f"the journal cannot be written, so that nothing was changed: {error.what}",
                where=error.where,
                remedy="Look whether the disk is sound",
            ) from error

    def _void(self, change: Change, error: StorageError) -> None:
        """Say that a recorded change did not happen. Where even that is refused, undoing it will find nothing to do."""
        try:
            self._journal.void(change)
        except StorageError as refused:
            error.add_note(f"The journal still has it as {change.id}, and cannot be written: {refused}")

    def _record_doubtful(self, change: Change, error: OutcomeUnknown) -> None:
        """Keep the record of a file that may have been made, so that it can be taken back."""
        try:
            self._journal.append(change)
        except StorageError as refused:
            error.add_note(f"If it was made, the journal does not have it, and cannot be written: {refused}")

    def _record_made(self, change: Change, edit: Edit) -> None:
        """Keep the record of a file that was made; where that is refused, the file goes again."""
        try:
            self._journal.append(change)
        except OutcomeUnknown:
            raise
        except StorageError as refused:
            try:
                put(self._storage, edit.reversed)
            except StorageError as error:
                raise OutcomeUnknown(
                    f"it was written, and could be neither recorded ({refused.what}) nor taken back ({error.what})",
                    where=edit.locator.key,
                    remedy="Look whether it is there before you save it again",
                ) from error
            raise

    def _record(self, intent: Intent, edits: Sequence[Edit]) -> Change:
        _check_words(intent.reason, "reason")
        _check_words(intent.request, "request")
        id, at = self._journal.new_id(after=max(intent.undoes, default=""))
        steps = tuple(_step(edit, intent) for edit in edits)
        return Change(
            id=id,
            at=at,
            verb=intent.verb,
            run=self.actor.run,
            actor=intent.actor or self.actor.name,
            session=self.actor.session,
            reason=intent.reason,
            request=intent.request,
            entries=intent.entries,
            made=intent.made or {},
            tier=intent.tier,
            undoes=intent.undoes,
            steps=steps,
        )


def _step(edit: Edit, intent: Intent) -> Step:
    before, after = edit.versions
    changed: list[Hunk] = []
    if intent.erase:  # the name of a file that goes is made of its words
        return Step(edit.locator.key if after else "", None, None, (), intent.storage, purged=True)
    if edit.bare:
        return Step(edit.locator.key, before, after, (), intent.storage)
    if edit.before is not None:
        changed = hunks(edit.before, edit.after or b"")
    elif edit.keep or intent.tier in REPORTED:  # somebody will want to see what was added to their space
        changed = [Hunk(0, b"", edit.after or b"")]
    return Step(edit.locator.key, before, after, tuple(changed), intent.storage)
