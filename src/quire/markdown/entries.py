"""Daily logs: entries between markers, in one text. What stands between the entries stays.

`docs/reference/format.md` specifies markers and escapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from quire.errors import MarkdownError
from quire.markdown.document import Document, Value
from quire.markdown.entry_id import EntryId
from quire.markdown.fences import BOM
from quire.markdown.markers import (
    Marker,
    final_newline,
    highest,
    markers,
    rewritten,
    unescaped,
    without_final_newline,
    wrapped,
)
from quire.markdown.problem import Problem

__all__ = ["EntryId", "Log", "LogEntry"]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry: its document, unescaped, and its span in the log's text, markers included.

    `closed` is False for an entry without a closing marker: it has all the text up to the next one. `inside` is what
    stands between the lines of the markers.
    """

    id: str
    document: Document
    start: int
    end: int
    line: int
    closed: bool = True
    inside: tuple[int, int] = (0, 0)


class _Read(NamedTuple):
    entries: tuple[LogEntry, ...]
    problems: tuple[Problem, ...]
    by_id: dict[str, LogEntry]
    ambiguous: frozenset[str]


class Log:
    """A text with entries, immutable: every change gives a new one, and changes that block only.

    >>> log = Log.parse("").append("ep_20260601_00000001", Document.new({"user": "ada"}, "Text"))
    >>> print(log.text)
    <!-- entry:ep_20260601_00000001 -->
    ---
    user: ada
    ---
    Text
    <!-- /entry:ep_20260601_00000001 -->
    <BLANKLINE>
    >>> log.entries[0].document.body, log.highest
    ('Text', 1)
    """

    __slots__ = ("_parsed", "document")

    document: Document

    def __init__(self, document: Document) -> None:
        self.document = document
        self._parsed: _Read | None = None

    @classmethod
    def parse(cls, text: str) -> Log:
        """The log of a text. Never raises: see `problems`."""
        document = Document.parse(text)
        swallowed = next(markers(text, 0, document.body_start), None) if document.has_frontmatter else None
        return cls(Document.parse(text, stop=swallowed.start) if swallowed else document)

    @property
    def text(self) -> str:
        """The whole text, exactly."""
        return self.document.text

    @property
    def entries(self) -> tuple[LogEntry, ...]:
        """The entries in the order of the text; of those that share an id the first."""
        return self._read.entries

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the header and the markers. An entry's own frontmatter reports in its document."""
        return (*self.document.problems, *self._read.problems)

    @property
    def highest(self) -> int:
        """The largest number that any marker has, damaged ones included; 0 without a number."""
        return highest(self.text, 1 if self.text.startswith(BOM) else 0)

    def get(self, id: str) -> LogEntry | None:
        """The entry of that id, or None."""
        return self._read.by_id.get(id)

    def append(self, id: str, document: Document) -> Log:
        """The log with one more entry at its end. Whether its last line ends with a newline stays as it was.

        Raises MarkdownError if the id is there already or cannot be one, or if the header is open, as it would swallow
        what comes.
        """
        text = self.text
        self._check_header()
        if f"<!-- entry:{id} -->" in text and any(marker.id == id for marker in self._markers()):
            raise MarkdownError(f"the log has an entry {id!r}", remedy="Replace it, or take the next id")
        newline = self.document.newline
        block = wrapped(id, document.text, newline)
        if not text or text.endswith("\n"):
            return Log.parse(f"{text}{block}{newline}")
        missing = "\r\n" if text.endswith("\r") else newline
        return Log.parse(f"{text}{missing}{block}")

    def replace(self, id: str, document: Document) -> Log:
        """The log with another document for that entry, its markers and the lines that stay as they are.

        Raises MarkdownError if it is not there, not closed or twice.
        """
        start, end = self._one(id).inside
        old = self.text[start:end]
        content = without_final_newline(old)
        new = rewritten(content, document.text)
        last = final_newline(new, old[len(content) :] or (self.document.newline if new else ""))
        return Log.parse(self.text[:start] + new + last + self.text[end:])

    def remove(self, id: str) -> Log:
        """The log without that entry; right after `append` this is the log before it. Raises as `replace` does."""
        entry = self._one(id)
        head, tail = self.text[: entry.start], self.text[entry.end :]
        if not tail and not self._final_newline(entry):
            head = without_final_newline(head)
        return Log.parse(head + tail)

    def with_header(self, changes: Mapping[str, Value]) -> Log:
        """The log with these fields of its own frontmatter set. Raises MarkdownError as `Document.set` does."""
        return Log(self.document.update(changes))

    @property
    def _read(self) -> _Read:
        if self._parsed is None:
            self._parsed = _Reader(self.document).run(self._markers(), self.document.first_line)
        return self._parsed

    def _markers(self) -> list[Marker]:
        return list(markers(self.text, self.document.body_start))

    def _check_header(self) -> None:
        problem = next((one for one in self.document.problems if one.code == "FRONTMATTER_NOT_CLOSED"), None)
        if problem:
            raise MarkdownError(problem.what, where=f"line {problem.line}", remedy=problem.remedy)

    def _one(self, id: str) -> LogEntry:
        entry = self.get(id)
        if entry is None:
            raise MarkdownError(f"the log has no entry {id!r}", remedy="Look at the ids it has")
        if not entry.closed or id in self._read.ambiguous:
            what = "is there more than once" if entry.closed else "has no closing marker"
            raise MarkdownError(
                f"entry {id!r} {what}", where=f"line {entry.line}", remedy="Correct the markers by hand"
            )
        return entry

    def _final_newline(self, entry: LogEntry) -> str:
        text = self.text[entry.start : entry.end]
        return text[len(without_final_newline(text)) :]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Log) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Log({len(self.entries)} entries)"


class _Reader:
    """One pass over the markers."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.entries: dict[str, LogEntry] = {}
        self.problems: list[Problem] = []
        self.ambiguous: set[str] = set()
        self.opened: tuple[Marker, int] | None = None  # an entry that has no end yet, and its line

    def run(self, found: list[Marker], line: int) -> _Read:
        counted = 0
        for marker in found:
            line += self.text.count("\n", counted, marker.start)
            counted = marker.start
            if not marker.closing:
                self.finish(marker.start, None)
                self.opened = marker, line
            elif self.opened and marker.id == self.opened[0].id:
                self.finish(marker.start, marker)
            else:
                what = f"this closes {marker.id!r}, which is not open"
                self.report(line, what, "Remove the line, or add the opening one", "MARKER_STRAY")
        self.finish(len(self.text), None)
        problems = sorted(self.problems, key=lambda problem: problem.line)
        return _Read(tuple(self.entries.values()), tuple(problems), self.entries, frozenset(self.ambiguous))

    def finish(self, stop: int, closed: Marker | None) -> None:
        """The entry that is open ends here."""
        if self.opened is None:
            return
        (opened, line), self.opened = self.opened, None
        if closed is None:
            remedy = f"Add a line '<!-- /entry:{opened.id} -->' where it ends"
            self.report(line, f"entry {opened.id!r} has no closing marker", remedy, "MARKER_NOT_CLOSED")
        if opened.id in self.entries:
            self.ambiguous.add(opened.id)
            what = f"entry {opened.id!r} is there twice; only the first counts"
            self.report(line, what, "Give one of them an id of its own", "MARKER_DUPLICATE")
            return
        content = unescaped(without_final_newline(self.text[opened.end : stop]))
        document = Document.parse(content, first_line=line + 1)
        end = closed.end if closed else stop
        inside = opened.end, stop
        self.entries[opened.id] = LogEntry(opened.id, document, opened.start, end, line, closed is not None, inside)

    def report(self, line: int, what: str, remedy: str, code: str) -> None:
        self.problems.append(Problem(line, what, remedy, code))
