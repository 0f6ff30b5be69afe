"""Entry: one memory as a verb returns it. Reading a file gives its entries and, apart from them, its faults."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.engine.kinds import Kind, Kinds, Shape
from quire.engine.layout import Place, Zone
from quire.engine.scope import Owner, Scope
from quire.errors import StorageError
from quire.locator import Locator
from quire.markdown.document import Document, Value
from quire.markdown.entries import Log
from quire.markdown.node import MAX_FRONTMATTER
from quire.markdown.problem import Problem
from quire.ports.storage import version_of

MAX_FILE_BYTES = 16 * 1024 * 1024  # of a file that entries are read from; a log is continued long before
TIMES = ("created", "updated", "timestamp", "valid_from", "valid_to", "deleted_at")  # fields that hold one
_DEFAULT_KIND = "preference"
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*")
_HEADING_REACH = 4000  # characters; a heading further down is not what the whole is called
_FIRST_WORDS = 72
_STATUS_LINE = re.compile(r"""^status:[ \t]*["']?(\w+)["']?[ \t]*\r?$""", re.MULTILINE)
_BLANK_LINE = re.compile(r"^[ \t]*\r?$", re.MULTILINE)


class Status(enum.StrEnum):
    """Where in its life an entry is. What is not `active` is not recalled unless asked for."""

    INBOX = "inbox"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DELETED = "deleted"
    ARCHIVED = "archived"


class Ownership(enum.StrEnum):
    """How freely Quire writes: T1 only when told to, T2 and reports it, T3 as it likes."""

    PERSONAL = "T1"
    CURATED = "T2"
    OWN = "T3"


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory. Its identity is `(scope, id)`; everything else was read from `locator`, at `version` of that file."""

    id: str
    scope: Scope
    kind: str
    status: Status
    locator: Locator
    version: str
    document: Document = field(repr=False)
    name: str = ""  # the slug, or the day of the log
    line: int = 1
    zone: Zone = Zone.ACTIVE

    @property
    def fields(self) -> Mapping[str, Value]:
        """The frontmatter, as it was read."""
        return self.document.fields

    @property
    def body(self) -> str:
        """The text below the frontmatter, byte for byte."""
        return self.document.body

    @property
    def text(self) -> str:
        """The body without the newlines around it."""
        return self.document.body.strip("\r\n")

    @property
    def title(self) -> str:
        """The title in the frontmatter, else the first heading, else the words of the name, or the first of a log's."""
        given = " ".join(text_of(self.document.get("title")).split())
        if given or (given := heading_of(self.body)):
            return given
        is_of_log = bool(self.name) and "/" not in self.id
        return (_first_words(self.body) if is_of_log else self.name.replace("-", " ")) or self.id

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags without their `#`, each once, in the order they are written."""
        given = self.fields.get("tags", self.fields.get("tag"))
        if isinstance(given, str) and "," not in given:
            given = list(given.split())
        return tuple(dict.fromkeys(tag for word in words(given) if (tag := word.lstrip("#").strip())))

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names by which a link may mean it."""
        return words(self.fields.get("aliases", self.fields.get("alias")))

    @property
    def created(self) -> str:
        return text_of(self.fields.get("created"))

    @property
    def updated(self) -> str:
        return text_of(self.fields.get("updated")) or self.created

    @property
    def when(self) -> str:
        """When it happened, for what is filed by that; else when it was recorded."""
        return text_of(self.fields.get("timestamp")) or self.created

    @property
    def supersedes(self) -> str:
        return linked(self.fields.get("supersedes"))

    @property
    def superseded_by(self) -> str:
        return linked(self.fields.get("superseded_by"))

    @property
    def derived_from(self) -> tuple[str, ...]:
        return tuple(linked(word) for word in words(self.fields.get("derived_from")))

    @property
    def always_load(self) -> bool:
        """Whether it belongs before an agent at the start of each session: its frontmatter says so, or its folder."""
        said = self.document.get("always_load")
        return said is True or (said is None and self.zone is Zone.ALWAYS)

    @property
    def ownership(self) -> Ownership:
        return Ownership.CURATED if self.scope.owner is Owner.SHARED else Ownership.OWN


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a file, with where it is and what to do. It hides nothing but itself."""

    locator: Locator
    line: int
    what: str
    remedy: str
    code: str

    def __str__(self) -> str:
        return f"{self.locator}:{self.line}: {self.what}. {self.remedy}"


@dataclass(frozen=True, slots=True)
class Contents:
    """What one file holds."""

    locator: Locator
    place: Place
    text: str = field(repr=False)
    version: str
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]


def read_contents(
    locator: Locator,
    place: Place,
    kind: Kind | None,
    raw: bytes,
    *,
    kinds: Kinds | None = None,
    document: Document | None = None,
) -> Contents:
    """The entries of one file, and its faults. Never raises for what is in it.

    `document` is what `raw` was made from, where that is known. `kind` is None where the path does not say it; then the
    frontmatter does, one of `kinds`, or it is a preference.
    """
    if len(raw) > MAX_FILE_BYTES:
        return too_large(locator, place, len(raw))
    version = version_of(raw)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        fault = Fault(locator, line, f"byte {error.start} is not UTF-8", "Save the file as UTF-8", "NOT_UTF8")
        return Contents(locator, place, "", version, (), (fault,))
    if kind is not None and kind.shape is Shape.LOG:
        return _log(locator, place, kind, text, version)
    document = document or Document.parse(text)
    faults = [_fault(locator, problem) for problem in document.problems]
    name = kind.name if kind else _said_kind(document, kinds, locator, faults)
    if kind is None and kinds is not None:
        kind = kinds[name]
    entry_id = name if kind is not None and kind.shape is Shape.SINGLE else f"{name}/{place.name}"
    status = _status(document, place.zone, locator, 1, faults)
    faults += _objections(kind, document, locator, 1)
    entry = Entry(entry_id, place.scope, name, status, locator, version, document, place.name, zone=place.zone)
    return Contents(locator, place, text, version, (entry,), tuple(faults))


def too_large(locator: Locator, place: Place, size: int) -> Contents:
    """What is known of a file that is too large to be read."""
    what = f"{size:,} bytes are more than the {MAX_FILE_BYTES:,} of one file of memory"
    fault = Fault(locator, 1, what, "Split it, or keep it elsewhere and link to it", "TOO_LARGE")
    return Contents(locator, place, "", "", (), (fault,))


def unreadable(locator: Locator, place: Place, error: StorageError) -> Contents:
    """What is known of a file that the storage refuses to give."""
    remedy = error.remedy or "Look at it with other means"
    return Contents(locator, place, "", "", (), (Fault(locator, 1, error.what, remedy, "UNREADABLE"),))


def _said_kind(document: Document, kinds: Kinds | None, locator: Locator, faults: list[Fault]) -> str:
    """The kind that the frontmatter says, where the path is silent."""
    given = document.get("kind")
    if given is None:
        return _DEFAULT_KIND
    said = given.strip().lower() if isinstance(given, str) else ""
    if kinds is None:
        return said or _DEFAULT_KIND
    if said in kinds and kinds[said].shape is Shape.NOTE:
        return said
    known = ", ".join(known.name for known in kinds.of_shape(Shape.NOTE))
    faults.append(Fault(locator, 1, f"the kind {given!r} is none of {known}", "Correct its spelling", "KIND_UNKNOWN"))
    return _DEFAULT_KIND


def _log(locator: Locator, place: Place, kind: Kind, text: str, version: str) -> Contents:
    log = Log.parse(text)
    faults = [_fault(locator, problem) for problem in log.problems]
    entries = []
    for held in log.entries:
        faults += [_fault(locator, problem) for problem in held.document.problems]
        status = _status(held.document, place.zone, locator, held.line, faults)
        faults += _objections(kind, held.document, locator, held.line)
        entries.append(
            Entry(held.id, place.scope, kind.name, status, locator, version, held.document, place.name, held.line)
        )
    return Contents(locator, place, text, version, tuple(entries), tuple(faults))


def _status(document: Document, zone: Zone, locator: Locator, line: int, faults: list[Fault]) -> Status:
    """The status in the frontmatter, and what the folder says where that is silent."""
    given = document.get("status")
    if given is None:
        given = _left_open(document)
    if given is not None:
        try:
            return Status(str(given).strip().lower())
        except ValueError:
            known = ", ".join(Status)
            faults.append(
                Fault(
                    locator, line, f"the status {given!r} is none of {known}", "Correct its spelling", "STATUS_UNKNOWN"
                )
            )
    return {Zone.INBOX: Status.INBOX, Zone.ARCHIVE: Status.ARCHIVED}.get(zone, Status.ACTIVE)


def _left_open(document: Document) -> Status | None:
    """The status in a frontmatter that nothing closes, above its first blank line; None for any other document.

    Nothing else of it is read. But what was forgotten must not come back by a slip in somebody's editor.
    """
    if all(problem.code != "FRONTMATTER_NOT_CLOSED" for problem in document.problems):
        return None
    head = document.text[:MAX_FRONTMATTER]
    blank = _BLANK_LINE.search(head)
    said = _STATUS_LINE.search(head, 0, blank.start() if blank else len(head))
    word = said[1].lower() if said else ""
    return Status(word) if word in set(Status) else None


def _objections(kind: Kind | None, document: Document, locator: Locator, line: int) -> list[Fault]:
    if kind is None:
        return []
    reasons = (kind.schema.objection(name, value) for name, value in document.fields.items())
    return [Fault(locator, line, reason, "Correct the value", "FIELD_TYPE") for reason in reasons if reason]


def _fault(locator: Locator, problem: Problem) -> Fault:
    return Fault(locator, problem.line, problem.what, problem.remedy, problem.code)


def words(value: Value) -> tuple[str, ...]:
    """A list of words, as people write one: a YAML list, or one text with commas."""
    if isinstance(value, str):
        return tuple(word for part in value.split(",") if (word := part.strip()))
    if isinstance(value, list):
        items = [value] if _bracketed(value) else value
        return tuple(text for item in items if (text := text_of(item)))
    return () if value is None or isinstance(value, dict) else (text_of(value),)


def text_of(value: Value) -> str:
    """A scalar as text; empty for none and for anything nested but a wikilink without quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if link := _bracketed(value):
        return link
    return "" if value is None or isinstance(value, list | dict) else str(value).strip()


def _bracketed(value: Value) -> str:
    """The wikilink that YAML takes for a list in a list, as it does without quotes; empty for any other value."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 else None
    word = inner[0] if isinstance(inner, list) and len(inner) == 1 else None
    return f"[[{word}]]" if isinstance(word, str) else ""


def heading_of(body: str) -> str:
    """The first heading, unless code comes first: there a `#` begins a comment."""
    for line in body[:_HEADING_REACH].splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            break
        if heading := _HEADING.fullmatch(line):
            return heading[1]
    return ""


def _first_words(body: str) -> str:
    """The first line of a text, cut between words where it is long."""
    line = " ".join(body.strip()[: _FIRST_WORDS * 4].partition("\n")[0].split())
    if len(line) <= _FIRST_WORDS:
        return line
    head, space, _ = line[:_FIRST_WORDS].rpartition(" ")
    return (head if space else line[:_FIRST_WORDS]) + "…"


def linked(value: Value) -> str:
    """The id in a link field: plain, or as a wikilink."""
    text = text_of(value)
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].partition("|")[0].partition("#")[0].strip()
    return text
