"""The digest: what was changed in space that is not the agent's alone, for the person to see and take back."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from quire.engine.changes import REPORTED
from quire.engine.core import Core
from quire.engine.hunks import Hunk
from quire.engine.journal import Change, Step
from quire.engine.standing import standing

_CONTEXT = 3  # lines around a change, where the journal has them
_COMPARED = 4000  # lines of one hunk; a longer one is shown as all that went and all that came


@dataclass(frozen=True, slots=True)
class Reported:
    """One change, and what it did to each file as a unified diff. `undone` says that it was taken back."""

    change: Change
    diff: str
    undone: bool


def digest(core: Core, since: dt.datetime | None) -> list[Reported]:
    """The changes of curated and personal space since a moment, the newest first, the undoing of one, too."""
    first = since.astimezone(dt.UTC).strftime("%Y%m%dT%H%M%S%f") if since else ""
    stands = {change.id for change in standing(core, first)}
    shown = (change for change in core.journal.newest_first(first) if change.tier in REPORTED and change.steps)
    return [Reported(change, diff_of(change), change.id not in stands) for change in shown]


def diff_of(change: Change) -> str:
    """What a change did, file by file, as far as the journal keeps it."""
    return "".join(_of_step(step) for step in change.steps)


def _of_step(step: Step) -> str:
    path = f"{step.storage}:{step.path}" if step.storage else step.path
    if step.purged:
        return f"# {path or 'an entry'}: what was changed here has been purged\n"
    before = "/dev/null" if step.before is None else f"a/{path}"
    after = "/dev/null" if step.after is None else f"b/{path}"
    lines = [f"--- {before}\n", f"+++ {after}\n"]
    shift = 0  # how many lines later the text after is by now
    for hunk in step.hunks:
        old, new = _lines(hunk.old), _lines(hunk.new)
        if old is None or new is None:
            return f"# {path}: binary, {len(hunk.old):,} bytes before, {len(hunk.new):,} after\n"
        lines += _of_hunk(hunk, old, new, shift)
        shift += len(new) - len(old)
    return "".join(lines)


def _of_hunk(hunk: Hunk, old: list[str], new: list[str], shift: int) -> Iterator[str]:
    """The lines of one hunk, numbered as in the files."""
    if len(old) + len(new) > _COMPARED:
        groups = [[("replace", 0, len(old), 0, len(new))]]
    else:
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        groups = [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]
    for group in groups:
        was = _range(hunk.line - shift + group[0][1], group[-1][2] - group[0][1])
        now = _range(hunk.line + group[0][3], group[-1][4] - group[0][3])
        yield f"@@ -{was} +{now} @@\n"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[old_from:old_to])
                continue
            yield from (_line("-", line) for line in old[old_from:old_to])
            yield from (_line("+", line) for line in new[new_from:new_to])


def _range(before: int, length: int) -> str:
    return f"{before + 1 if length else before},{length}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _lines(text: bytes) -> list[str] | None:
    """The lines as files have them, ended by line feeds only; None for what is no text."""
    try:
        parts = text.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
