"""Merging logs: entry by entry, under their own ids where these are free."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field

from quire.clock import stamp
from quire.engine import logs
from quire.engine.changes import Edit
from quire.engine.core import Core
from quire.engine.entry import Status, text_of
from quire.engine.kinds import Kind
from quire.engine.layout import Place
from quire.engine.scope import Scope
from quire.engine.transfer.ledger import Known, Ledger
from quire.engine.transfer.past import Past
from quire.engine.transfer.report import Outcome
from quire.errors import InvalidEntryId, NotFound
from quire.markdown.document import Document
from quire.markdown.entries import EntryId, Log, LogEntry
from quire.ports.storage import version_of

REMOVED = "it was purged, or removed by hand, and is not brought back; import under another name to have it again"
FORGOTTEN = "it was forgotten here; restore brings it back"
BOTH_CHANGED = "it has changed on both sides; what is here stays"
SAYS_ELSE = "it says something else here; that stays"


@dataclass(slots=True)
class Decision:
    """What to do with one entry of a source's log. `id` is the one it has here, or gets."""

    entry: LogEntry
    id: str
    outcome: Outcome
    reason: str = ""


@dataclass(slots=True)
class Merge:
    """One log of a source, and the day that it belongs to here."""

    core: Core
    path: str
    scope: Scope
    kind: Kind
    place: Place
    text: str
    decisions: list[Decision] = field(default_factory=list)
    raw: bytes | None = None  # of the file that entries are added to

    @property
    def day(self) -> str:
        return self.place.name[:10]

    @property
    def _date(self) -> dt.date:
        return dt.date.fromisoformat(self.day)

    def key(self, id: str) -> str:
        """How the ledger and the report name one entry of this log."""
        return f"{self.path}#{id}"

    def decide(self, ledger: Ledger, past: Past) -> None:
        """Compare each entry with what is there. Reads, and writes nothing."""
        self.raw = self._read()
        held = self._held()
        by_text: dict[str, list[str]] = {}
        for id, document in held.items():
            by_text.setdefault(document.text, []).append(id)
        claimed = {known.entry for entry in self._source.entries if (known := ledger.known.get(self.key(entry.id)))}
        highest = self._highest(held, past, dry=ledger.read_only)
        used: set[str] = set()
        self.decisions = []
        for entry in self._source.entries:
            known = ledger.known.get(self.key(entry.id))
            same = next((id for id in by_text.get(entry.document.text, ()) if id not in claimed | used), None)
            if known is not None:
                decision = _known(entry, known, held.get(known.entry))
            elif same is not None:
                decision = Decision(entry, same, Outcome.SAME)
            elif entry.id in held and entry.id not in claimed and _is_one(entry.document, held[entry.id]):
                decision = Decision(entry, entry.id, Outcome.CONFLICT, SAYS_ELSE)
            elif self._is_free(entry.id, held, ledger, past) and entry.id not in used:
                decision = Decision(entry, entry.id, Outcome.NEW)
            else:
                highest += 1
                id = EntryId.next_for(self.kind.schema.ENTRY_ID_PREFIX, self._date, highest - 1).format()
                decision = Decision(entry, id, Outcome.NEW, f"{entry.id} is another entry here")
            used.add(decision.id)
            self.decisions.append(decision)

    def edit(self, relinked: Callable[[Document], Document]) -> Edit:
        """The edit that carries out the decisions."""
        at = self.core.layout.place(self.place)
        new = [decision for decision in self.decisions if decision.outcome is Outcome.NEW]
        documents = {decision.id: relinked(decision.entry.document) for decision in self.decisions}
        if self._comes_whole(new):
            log = self._source
            for decision in new:
                if documents[decision.id] != decision.entry.document:
                    log = log.replace(decision.id, documents[decision.id])
            return Edit(at, None, log.text.encode())
        log = Log.parse(self.raw.decode("utf-8")) if self.raw is not None else self._new()
        for decision in self.decisions:
            if decision.outcome is Outcome.UPDATED:
                log = log.replace(decision.id, documents[decision.id])
        for decision in new:
            log = log.append(decision.id, documents[decision.id])
        if new:
            count = log.document.get("entry_count")
            highest = max([count if isinstance(count, int) else 0, *(_sequence(decision.id) for decision in new)])
            now = stamp(self.core.clock.now())
            log = log.with_header({"entry_count": highest, "last_appended_at": now})
        return Edit(at, self.raw, log.text.encode())

    def left_behind(self) -> list[tuple[int, str]]:
        """What of the source's log does not come in where it is merged: (line, reason) pairs."""
        if self._comes_whole([decision for decision in self.decisions if decision.outcome is Outcome.NEW]):
            return []
        found = [
            (problem.line, problem.what) for problem in self._source.problems if problem.code == "MARKER_DUPLICATE"
        ]
        text, at = self._source.text, self._source.document.body_start
        for entry in self._source.entries:
            if text[at : entry.start].strip():
                found.append((text.count("\n", 0, at) + 1, "text between entries stays in the source"))
            at = entry.end
        if text[at:].strip():
            found.append((text.count("\n", 0, at) + 1, "text between entries stays in the source"))
        return found

    def _comes_whole(self, new: list[Decision]) -> bool:
        """Whether the file is taken as it is: nothing is here, and all of it comes in under its own ids."""
        return (
            self.raw is None
            and self._source.document.has_frontmatter
            and len(new) == len(self.decisions)
            and all(decision.id == decision.entry.id for decision in new)
        )

    @property
    def _source(self) -> Log:
        return Log.parse(self.text)

    def _new(self) -> Log:
        return logs.new_log(self.kind, self.scope, self._date)

    @property
    def _counted(self) -> int:
        """How many the header of the file here says were issued; some may have been taken out by hand."""
        return logs.counted(self.raw) if self.raw is not None else 0

    def _read(self) -> bytes | None:
        try:
            return self.core.storage.read_bytes(self.core.layout.place(self.place))
        except NotFound:
            return None

    def _held(self) -> dict[str, Document]:
        """The entries of the day here, in whichever of its parts."""
        held: dict[str, Document] = {}
        for locator in self.core.parts_of(self.scope, self.kind, self.day):
            place = self.core.layout.parse(locator)
            read = self.core.contents(locator, place) if place else None
            for entry in read[0].entries if read else ():
                held.setdefault(entry.id, entry.document)
        return held

    def _highest(self, held: dict[str, Document], past: Past, *, dry: bool) -> int:
        """The number below the next one that is nobody's."""
        ids = {*held, *past.ids(self.scope, self.kind, self.day), *(entry.id for entry in self._source.entries)}
        highest = max([self._counted, *map(_sequence, ids)])
        if (
            self.core.storage.capabilities.sync and not dry
        ):  # another device counts on without us, in a block of its own
            return logs.next_slot(self.core, self.kind, self.scope, self._date).id.sequence - 1
        return highest

    def _is_free(self, id: str, held: dict[str, Document], ledger: Ledger, past: Past) -> bool:
        """Whether no entry here has this id, or has had it: but for this very one, which an undo took back."""
        before = ledger.withdrawn.get(self.key(id))
        own = before is not None and before.entry == id
        return id not in held and (own or id not in past.ids(self.scope, self.kind, self.day))


def _known(entry: LogEntry, known: Known, here: Document | None) -> Decision:
    """What to do with an entry that came in before."""
    if here is None:
        return Decision(entry, known.entry, Outcome.AWAY, REMOVED)
    is_untouched = version_of(here.text) == known.version
    if text_of(here.get("status")) == Status.DELETED and not is_untouched:
        return Decision(entry, known.entry, Outcome.AWAY, FORGOTTEN)
    if known.source == version_of(entry.document.text) or here.text == entry.document.text:
        return Decision(entry, known.entry, Outcome.SAME)
    if is_untouched:
        return Decision(entry, known.entry, Outcome.UPDATED)
    return Decision(entry, known.entry, Outcome.CONFLICT, BOTH_CHANGED)


def _is_one(source: Document, here: Document) -> bool:
    """Whether two texts are of one memory: they were recorded at the same moment."""
    times = [(text_of(each.get("created")), text_of(each.get("timestamp"))) for each in (source, here)]
    return times[0] == times[1] and any(times[0])


def _sequence(id: str) -> int:
    try:
        return EntryId.parse(id).sequence
    except InvalidEntryId:
        return 0
