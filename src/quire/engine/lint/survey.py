"""Survey: every file of the root, looked at once. What is in a file never raises; it becomes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from quire.engine.changes import Edit
from quire.engine.core import Core
from quire.engine.entry import Contents, Entry, Fault
from quire.engine.kinds import Kind, Shape
from quire.engine.lint.finding import CHECKS, Finding, Severity
from quire.engine.scope import Scope
from quire.errors import AccessDenied, InvalidScope, MarkdownError, NotFound, StorageError, StorageFailed, TooLarge
from quire.locator import Locator
from quire.markdown.document import Document, Value

_OF_THE_FILE = (AccessDenied, TooLarge, StorageFailed)  # others are of the storage, and stop the survey


@dataclass(frozen=True, slots=True)
class Plan:
    """The one right answer to a finding. `make` gives the edit from the file as it is by then, None for none to make.

    `id` is the entry that is changed, empty for the header of a log; `done` says what was done.
    """

    locator: Locator
    id: str
    done: str
    make: Callable[[Core, Contents, bytes], Edit | None]


def sure(core: Core, contents: Contents, plan: Plan) -> Plan | None:
    """`plan` if it can be carried out on these contents; None where the text is too broken to be changed safely."""
    try:
        return plan if plan.make(core, contents, b"") else None
    except MarkdownError:
        return None


class Noted(NamedTuple):
    """A finding, and how to repair it where that is sure."""

    finding: Finding
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """An entry as the checks look at it: its fields read once, as each reading is a copy."""

    entry: Entry
    contents: Contents
    kind: Kind | None
    fields: Mapping[str, Value]

    @property
    def key(self) -> tuple[Scope, str]:
        return self.entry.scope, self.entry.id

    def note(
        self,
        code: str,
        what: str,
        remedy: str,
        *,
        at: str = "",
        line: int = 0,
        plan: Plan | None = None,
        severity: Severity | None = None,
    ) -> Noted:
        """A finding about this entry: at the line of the field `at`, at `line`, or where the entry begins."""
        entry = self.entry
        return noted(
            entry.locator,
            line or (line_of(entry.document, at) if at else entry.line),
            code,
            what,
            remedy,
            id=entry.id,
            scope=entry.scope,
            plan=plan,
            severity=severity,
        )


def noted(
    locator: Locator,
    line: int,
    code: str,
    what: str,
    remedy: str,
    *,
    id: str = "",
    scope: Scope | None = None,
    plan: Plan | None = None,
    severity: Severity | None = None,
) -> Noted:
    """A finding, as severe as the table says where nothing else is said."""
    severity = severity or CHECKS[code].severity
    return Noted(Finding(locator, line, code, what, remedy, id, scope, severity, plan is not None), plan)


@dataclass
class Survey:
    """What was found in the root: the entries, the files that hold none, and what could not be read."""

    core: Core
    contents: list[Contents] = field(default_factory=list)
    subjects: list[Subject] = field(default_factory=list)  # all but those in conflict copies
    others: list[Locator] = field(default_factory=list)
    copies: dict[Locator, Copy] = field(default_factory=dict)
    unread: list[tuple[Locator, StorageError]] = field(default_factory=list)
    bases: dict[Locator, Scope] = field(default_factory=dict)  # the folders that belong to a scope

    def scope_of(self, locator: Locator) -> tuple[Scope, Locator] | None:
        """The scope in whose folder a file lies, and that folder; None for a file that lies in none."""
        folder = locator
        while folder.key:
            folder = folder.parent
            if folder in self.bases:
                return self.bases[folder], folder
        return None


class Copy(NamedTuple):
    """A conflict copy, as the storage reports it."""

    original: Locator
    service: str
    certain: bool


def survey(core: Core) -> Survey:
    """Look at every file of the root, but for folders whose name begins with a dot."""
    found = Survey(core)
    if conflicts := getattr(core.storage, "conflicts", None):
        found.copies = {copy.locator: Copy(copy.original, copy.service, copy.certain) for copy in conflicts()}
    kinds = {kind.name: kind for kind in core.kinds}
    for locator, size in _files(core, found.unread):
        place = core.layout.parse(locator)
        if place is None:
            found.others.append(locator)
            continue
        try:
            read = core.contents(locator, place, size=size)
        except _OF_THE_FILE as error:
            found.unread.append((locator, error))
            continue
        if read is None:
            continue  # it has gone since it was listed
        contents = read[0]
        found.contents.append(contents)
        if (copy := found.copies.get(locator)) is None or not copy.certain:
            found.subjects += (
                Subject(entry, contents, kinds.get(entry.kind), entry.document.fields) for entry in contents.entries
            )
    scopes = {contents.place.scope for contents in found.contents}.union(core.scopes)
    for scope in sorted(scopes, key=Scope.sort_key):
        try:
            found.bases |= dict.fromkeys(core.layout.folders(scope, None), scope)
        except InvalidScope:
            continue  # this layout has no room for it, so that nothing of it can be here
    return found


def _files(core: Core, unread: list[tuple[Locator, StorageError]]) -> Iterator[tuple[Locator, int]]:
    """Every file with its size."""
    for child in core.all_folders():
        below = _below(core, child, unread)
        yield from below or [(child, 0)]  # a file at the top has nothing below it


def _below(core: Core, folder: Locator, unread: list[tuple[Locator, StorageError]]) -> list[tuple[Locator, int]]:
    """The files below a folder. Where one folder of them may not be read, that is noted, and the rest is walked."""
    try:
        return [(info.locator, info.size) for info in core.storage.walk(folder)]
    except AccessDenied:
        pass  # it does not say how far it came
    try:
        children = core.storage.list(folder)
    except AccessDenied as error:
        unread.append((folder, error))
        return []
    return [found for child in children for found in _below(core, child, unread) or _itself(core, child)]


def _itself(core: Core, locator: Locator) -> list[tuple[Locator, int]]:
    try:
        info = core.storage.info(locator)
    except AccessDenied:
        return [(locator, 0)]
    except NotFound:
        return []
    return [] if info.is_dir else [(locator, info.size)]


def line_of(document: Document, name: str) -> int:
    """The line of the file on which a field stands; the first of the document where that cannot be told."""
    raw = document.raw(name)
    at = document.text.find(f"\n{raw}", 0, document.body_start) if raw else -1
    return document.first_line + (document.text.count("\n", 0, at + 1) if at >= 0 else 0)


def is_log(core: Core, contents: Contents) -> bool:
    """Whether the file holds a log."""
    return bool(contents.place.kind) and core.kinds[contents.place.kind].shape is Shape.LOG


def fault_id(contents: Contents, fault: Fault, in_log: bool) -> str:
    """The id of the entry that a fault is in; empty where it is about the file or about markers."""
    if not in_log:
        return contents.entries[0].id if contents.entries else ""
    if fault.code.startswith("MARKER_"):
        return next((entry.id for entry in contents.entries if entry.line == fault.line), "")
    before = [entry.id for entry in contents.entries if entry.line <= fault.line]
    return before[-1] if before else ""
