"""Finding: one thing that is wrong, where, and what to do. The table says what there is to find."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from quire.engine.scope import Scope
from quire.locator import Locator


class Severity(enum.StrEnum):
    """How much it matters."""

    ERROR = "error"  # something is lost, or hidden from the engine
    WARNING = "warning"  # the engine may not do what the text means
    ADVICE = "advice"  # it works, and could be better


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table: a stable code, what it means in one sentence, and whether `fix` can ever repair it."""

    code: str
    severity: Severity
    meaning: str
    repairable: bool = False


_ERROR, _WARNING, _ADVICE = Severity.ERROR, Severity.WARNING, Severity.ADVICE

_ROWS = [
    # The file
    Check("NOT_UTF8", _ERROR, "The file is not text in UTF-8, so that nothing of it is read."),
    Check("UNREADABLE", _ERROR, "The storage refuses to give the file, or the folder."),
    Check("UNREACHABLE_NAME", _ERROR, "A name in the folder cannot be addressed, so that the engine never sees it."),
    Check("STRAY_FILE", _ERROR, "A note lies where no entry can be, so that the engine never sees it."),
    Check("CONFLICT_COPY", _WARNING, "A sync service has left another device's text beside this file."),
    Check("NAME_COLLISION", _WARNING, "Two names would be one on a file system that ignores case or Unicode form."),
    Check("DUPLICATE_ID", _ERROR, "Two entries of a scope have one id, and only the first of them is found by it."),
    # The frontmatter
    Check("FRONTMATTER_MISSING", _WARNING, "The entry has no frontmatter."),
    Check("FRONTMATTER_NOT_CLOSED", _ERROR, "The frontmatter is opened and never closed, so that it is not read."),
    Check("FRONTMATTER_NOT_A_MAPPING", _ERROR, "The frontmatter is not made of keys and values."),
    Check("YAML_SYNTAX", _ERROR, "A line of the frontmatter is not YAML."),
    Check("YAML_CHARACTER", _ERROR, "The frontmatter holds a character that YAML does not know."),
    Check("YAML_DUPLICATE_KEY", _ERROR, "A key is there twice, and only the last counts."),
    Check("YAML_KEY", _ERROR, "A key is not a word, so that it is not read."),
    Check("YAML_ALIAS", _ERROR, "A value is an anchor or an alias, so that it is not read."),
    Check("YAML_TAG", _ERROR, "A value has a YAML tag, so that it is not read."),
    Check("TOO_MANY_VALUES", _ERROR, "The frontmatter has more values than are read."),
    Check("TOO_DEEP", _ERROR, "The frontmatter is nested deeper than is read."),
    Check("FIELD_TYPE", _WARNING, "A field is of another type than its kind says."),
    Check("KIND_MISSING", _WARNING, "The path does not say the kind, and neither does the frontmatter."),
    Check("KIND_UNKNOWN", _ERROR, "The kind is none that a note here can have, so that it counts as a preference."),
    Check("KIND_CONTRADICTS", _WARNING, "The kind in the frontmatter is not that of the folder, which counts."),
    Check("SLUG_CONTRADICTS", _WARNING, "The slug in the frontmatter is not the name of the file, which counts.", True),
    Check("STATUS_UNKNOWN", _ERROR, "The status is no word that is known, so that the folder decides."),
    Check("STATUS_SPELLING", _ADVICE, "The status is spelled in a way that other tools may not understand.", True),
    Check("STATUS_CONTRADICTS", _WARNING, "The status in the frontmatter is not that of the folder."),
    Check("ALWAYS_LOAD_CONTRADICTS", _WARNING, "The entry lies in `_always-load`, and its frontmatter says no."),
    Check("TIME_INVALID", _WARNING, "A time cannot be read as one."),
    Check("TIME_ORDER", _WARNING, "The entry ends to be true before it begins to."),
    Check("TAG_HASH", _WARNING, "A tag is written with its `#`, so that no filter finds it.", True),
    # The text
    Check("NUL_CHARACTER", _WARNING, "The text holds a NUL, which no entry may be saved with."),
    Check("TOO_LONG", _ADVICE, "The entry is too long to be one memory."),
    Check("TOO_LARGE", _WARNING, "The entry is larger than any may be saved."),
    # The log
    Check("MARKER_NOT_CLOSED", _ERROR, "An entry of a log has no closing marker, so that it takes what follows."),
    Check("MARKER_STRAY", _WARNING, "A marker closes an entry that is not open."),
    Check("MARKER_DUPLICATE", _ERROR, "An entry of a log has the id of one above it, so that it is not read."),
    Check("LOG_ID_MISPLACED", _ERROR, "The id of an entry is not of this log's kind and day, so that it is not found."),
    Check("LOG_COUNT_LOW", _ERROR, "`entry_count` is below the highest id, which could be issued again.", True),
    # Supersession and sources
    Check("SUPERSESSION_BROKEN", _ERROR, "`supersedes` or `superseded_by` names an entry that is not there."),
    Check("SUPERSESSION_CYCLE", _ERROR, "Entries supersede one another in a circle, so that none is the newest."),
    Check("SUPERSESSION_FORK", _ERROR, "Two entries supersede the same one."),
    Check("SUPERSESSION_HALF_DONE", _ERROR, "An entry supersedes another, which does not know it.", True),
    Check("SUPERSESSION_ONE_SIDED", _WARNING, "An entry is superseded by another, which does not say so."),
    Check("SUPERSESSION_NAMELESS", _WARNING, "An entry is superseded, and nothing says by which."),
    Check("TWO_ACTIVE", _ERROR, "Two entries of one chain of supersession are active."),
    Check("SOURCE_MISSING", _WARNING, "`derived_from` names an entry that is not there."),
    # Links
    Check("LINK_BROKEN", _WARNING, "A link leads nowhere.", True),
    Check("LINK_AMBIGUOUS", _WARNING, "A link could mean several files."),
    Check("ORPHAN", _ADVICE, "No other entry links to the note, and it links to none."),
]
CHECKS: Mapping[str, Check] = {check.code: check for check in _ROWS}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `id` is that of the entry, empty where it is about none; `scope` whose file it is.

    `fixable` says that it has one right answer, which `fix` would give it.
    """

    locator: Locator
    line: int
    code: str
    what: str
    remedy: str
    id: str = ""
    scope: Scope | None = None
    severity: Severity = Severity.WARNING
    fixable: bool = False

    def __str__(self) -> str:
        return f"{self.locator}:{self.line}: {self.severity}: {self.what}. {self.remedy} [{self.code}]"

    def sort_key(self) -> tuple[str, int, str, str, str]:
        """The order findings are listed in: no two that differ compare equal."""
        return (self.locator.key, self.line, self.code, self.id, self.what)


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a finding that was fixable. `change` is what `undo` takes; empty where nothing was changed."""

    finding: Finding
    change: str
    what: str

    @property
    def done(self) -> bool:
        """Whether it was repaired; else `what` says why not."""
        return bool(self.change)
