"""Bringing in: each piece of a plan compared with what is here, and carried over where that loses nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator

from quire.engine.changes import Changes, Edit, Intent
from quire.engine.core import Core, Found
from quire.engine.entry import Entry, Status, text_of
from quire.engine.listing import files
from quire.engine.scope import Scope
from quire.engine.transfer.ledger import Known
from quire.engine.transfer.making import made
from quire.engine.transfer.merging import BOTH_CHANGED, FORGOTTEN, REMOVED, SAYS_ELSE, Merge
from quire.engine.transfer.past import Past
from quire.engine.transfer.pieces import Piece, Role
from quire.engine.transfer.plan import Plan
from quire.engine.transfer.relink import Relinker
from quire.engine.transfer.report import FATAL, Item, Outcome, Progress
from quire.errors import AlreadyExists, Conflict, NotFound, QuireError
from quire.locator import Locator
from quire.ports.storage import version_of

_TRIES = 20  # against others who append to the same log; each try loses only to their progress
_TAKEN = "another got its name while it came in; import again to bring it in"


class Bringer:
    """Carries out a plan. With `dry`, it decides the same and changes nothing."""

    def __init__(self, core: Core, plan: Plan, past: Past, changes: Changes, dry: bool) -> None:
        self.core = core
        self.plan = plan
        self.past = past
        self.changes = changes
        self.dry = dry
        self._merges: dict[str, Merge] = {}
        self._relinker = Relinker(plan, self._merges)
        self._by_source: dict[Scope, dict[str, Found]] = {}

    def run(self, progress: Progress | None) -> Iterator[Item]:
        """The outcome of each piece. What is wrong with one never stops the rest; what is wrong with the storage does.

        Logs go first, so that entries which name theirs are told the ids that they got.
        """
        pieces = sorted(self.plan.pieces, key=lambda piece: piece.role is not Role.LOG)
        for piece in pieces:
            if piece.role is Role.LOG:
                with contextlib.suppress(QuireError):  # said where it is brought in
                    self._decide(piece)
        if any(map(self._may_change, pieces)):
            self._relinker.look()
        for number, piece in enumerate(pieces, 1):
            try:
                yield from self._bring(piece)
            except FATAL:
                raise
            except (QuireError, UnicodeError) as error:
                yield Item(piece.path, Outcome.REFUSED, str(error))
            if progress is not None:
                progress(number, len(pieces), piece.path)
        yield from self._vanished()

    def _may_change(self, piece: Piece) -> bool:
        """Whether something of `piece` with links in it might be written."""
        if piece.role is Role.LOG:
            merge = self._merges.get(piece.path)
            return merge is not None and any(each.outcome is not Outcome.SAME for each in merge.decisions)
        is_known = piece.known is not None and piece.known.source == self.plan.versions.get(piece.path)
        return piece.role is Role.ENTRY and not is_known

    def _bring(self, piece: Piece) -> Iterator[Item]:
        if piece.role is Role.LOG:
            yield from self._log(piece)
        elif piece.role is Role.ENTRY:
            yield self._entry(piece)
        else:
            yield self._file(piece)

    # Entries, one a file

    def _entry(self, piece: Piece) -> Item:
        known, found = piece.known, self._found(piece)
        if known is not None and found is None:
            return self._item(piece, Outcome.AWAY, REMOVED)
        raw = self.plan.source.read(piece.path)
        source = version_of(raw)
        is_untouched = known is not None and found is not None and known.version == version_of(found.raw)
        is_forgotten = found is not None and found.entry.status is Status.DELETED and not is_untouched
        if known is not None and known.source == source:
            return self._item(piece, Outcome.AWAY, FORGOTTEN) if is_forgotten else self._item(piece, Outcome.SAME)
        document, why = made(self.plan, self._relinker, piece, raw, found.entry.created if found else "")
        after = document.text.encode()
        if found is None:
            return self._create(piece, source, after, why)
        if found.raw == after:
            self._remember(piece, source, after)
            return self._item(piece, Outcome.SAME)
        if is_forgotten:
            return self._item(piece, Outcome.AWAY, FORGOTTEN)
        if not is_untouched:
            return self._item(piece, Outcome.CONFLICT, BOTH_CHANGED if known else SAYS_ELSE)
        change = self._change(self._intent(piece, found.entry), Edit(found.contents.locator, found.raw, after))
        self._remember(piece, source, after, change)
        return self._item(piece, Outcome.UPDATED, why)

    def _found(self, piece: Piece) -> Found | None:
        """The entry that `piece` is here, also under another name that it was given meanwhile."""
        if not piece.is_here and piece.known is None:
            return None
        found = next(self.core.at(piece.id, piece.scope), None)
        found = found or self._sources(piece.scope).get(self.plan.said_source(piece))
        if found is not None:
            piece.kind, piece.place = self.core.kinds[found.entry.kind], found.contents.place
        return found

    def _sources(self, scope: Scope) -> dict[str, Found]:
        """The entries of a scope by what they say they are from. Read once, and only where an entry is missed."""
        if scope not in self._by_source:
            self._by_source[scope] = {
                source: Found(entry, contents, contents.text.encode())
                for contents in files(self.core, scope=scope)
                for entry in contents.entries
                if (source := text_of(entry.fields.get("source"))).startswith("import:")
            }
        return self._by_source[scope]

    def _create(self, piece: Piece, source: str, after: bytes, why: str) -> Item:
        assert piece.place is not None
        at = self._at(piece)
        entry = self.core.parsed(at, piece.place, after).entries[0]
        try:
            change = self._change(self._intent(piece, entry, new=(entry.id,)), Edit(at, None, after))
        except AlreadyExists:
            if self.core.storage.read_bytes(at) != after:
                return self._item(piece, Outcome.REFUSED, _TAKEN)
            change = ""
        self._remember(piece, source, after, change)
        return self._item(piece, Outcome.NEW if change or self.dry else Outcome.SAME, why)

    def _intent(self, piece: Piece, *entries: Entry, new: Container[str] = ()) -> Intent:
        made = {self.core.name_of(entry): entry.derived_from for entry in entries if entry.id in new}
        return self.core.intent("import", *entries, reason=self.plan.said_source(piece), made=made)

    def _remember(self, piece: Piece, source: str, after: bytes, change: str = "") -> None:
        """Put into the ledger what `piece` is here; where no change made it just now, the one that did."""
        change = change or self.past.made_by(f"{piece.scope} {piece.id}")
        known = Known(source, self._at(piece).key, version_of(after), piece.id, str(piece.scope), change)
        self.plan.ledger.put(piece.path, known)

    def _item(self, piece: Piece, outcome: Outcome, reason: str = "") -> Item:
        return Item(piece.path, outcome, reason or piece.reason, piece.id, piece.scope, self._at(piece).key)

    def _at(self, piece: Piece) -> Locator:
        assert piece.place is not None
        return self.core.layout.place(piece.place)

    # Logs

    def _decide(self, piece: Piece) -> None:
        assert piece.kind is not None and piece.place is not None
        text = self.plan.source.read(piece.path).decode("utf-8")
        merge = Merge(self.core, piece.path, piece.scope, piece.kind, piece.place, text)
        merge.decide(self.plan.ledger, self.past)
        self._merges[piece.path] = merge

    def _log(self, piece: Piece) -> Iterator[Item]:
        if piece.path not in self._merges:
            self._decide(piece)
        merge = self._merges[piece.path]
        for _ in range(_TRIES):
            done = [each for each in merge.decisions if each.outcome in (Outcome.NEW, Outcome.UPDATED)]
            if not done:
                change = ""
                break
            edit = merge.edit(lambda document: self._relinker.relinked(document, piece)[0])
            new = {each.id for each in done if each.outcome is Outcome.NEW}
            entries = self.core.parsed(edit.locator, merge.place, edit.after or b"").entries
            changed = [entry for entry in entries if entry.id in {each.id for each in done}]
            try:
                change = self._change(self._intent(piece, *changed, new=new), edit)
                break
            except Conflict:
                merge.decide(self.plan.ledger, self.past)
        else:
            raise Conflict("others append to this log again and again", where=piece.path, remedy="Import again later")
        yield from self._log_items(piece, merge, change)

    def _log_items(self, piece: Piece, merge: Merge, change: str) -> Iterator[Item]:
        ledger, at = self.plan.ledger, self._at(piece).key
        for each in merge.decisions:
            path, why = merge.key(each.entry.id), ""
            written = each.outcome in (Outcome.NEW, Outcome.UPDATED)
            if written or (each.outcome is Outcome.SAME and path not in ledger.known):
                document, why = self._relinker.relinked(each.entry.document, piece)
                source, version = version_of(each.entry.document.text), version_of(document.text)
                by = change if written else self.past.made_by(f"{piece.scope} {each.id}")
                ledger.put(path, Known(source, at, version, each.id, str(piece.scope), by))
            yield Item(path, each.outcome, each.reason or why, each.id, piece.scope, at)
        for line, reason in merge.left_behind():
            yield Item(f"{piece.path}:{line}", Outcome.REFUSED, reason, "", piece.scope, at)

    # Files that are no entries

    def _file(self, piece: Piece) -> Item:
        ledger = self.plan.ledger
        known = ledger.known.get(piece.path)
        known = known if known and not known.entry else None
        at = Locator(known.at) if known else piece.at
        if at is None:
            return Item(piece.path, Outcome.REFUSED, piece.reason)
        raw, here = self.plan.source.read(piece.path), self._bytes_at(at)
        source = version_of(raw)

        def item(outcome: Outcome, reason: str = "") -> Item:
            return Item(piece.path, outcome, reason or piece.reason, "", piece.scope, at.key)

        if known is not None and here is None:
            return item(Outcome.AWAY, REMOVED)
        if here == raw:
            ledger.put(piece.path, Known(source, at.key, source, change=self.past.made_by(at.key)))
            return item(Outcome.SAME)
        if known is not None and known.source == source:
            return item(Outcome.SAME)
        if here is not None and (known is None or known.version != version_of(here)):
            return item(Outcome.CONFLICT, BOTH_CHANGED if known else SAYS_ELSE)
        # Of no tier, as the journal would keep all the bytes of what is new in reported space, and files may be large.
        change = self._change(Intent("import", reason=self.plan.said_source(piece)), Edit(at, here, raw))
        ledger.put(piece.path, Known(source, at.key, source, change=change))
        return item(Outcome.NEW if here is None else Outcome.UPDATED)

    def _bytes_at(self, at: Locator) -> bytes | None:
        try:
            return self.core.storage.read_bytes(at)
        except NotFound:
            return None

    # What is gone, and how changes are made

    def _vanished(self) -> Iterator[Item]:
        """What the ledger has and the source has not. What could not be read may still be there."""
        refused = {item.path for item in self.plan.settled if item.outcome is Outcome.REFUSED}
        seen = refused.union(piece.path for piece in self.plan.pieces)
        seen.update(merge.key(each.entry.id) for merge in self._merges.values() for each in merge.decisions)
        for path, known in sorted(self.plan.ledger.known.items()):
            if path in seen or path.rpartition("#")[0] in refused:
                continue
            scope = Scope.parse(known.scope) if known.scope else None
            yield Item(path, Outcome.VANISHED, "it is not in the source any more", known.entry, scope, known.at)

    def _change(self, intent: Intent, edit: Edit) -> str:
        """Make a change, and return its id in the journal; empty where nothing was to be changed."""
        if self.dry:
            return ""
        self.plan.ledger.begin(self.changes.actor.run)
        change = self.changes.apply(intent, [edit])
        return change.id if change else ""
