"""Records: what the journal keeps of one change, and how it is written as a line of JSON.

`docs/reference/format.md` specifies it. Keys that are not known are left alone, as a later Quire may have written them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.engine.hunks import Hunk

_ID = re.compile(r"\d{8}T\d{12}-[0-9a-f]{8}")
_TEXTS = ("id", "at", "verb", "run", "actor", "session", "reason", "request", "tier")
_NEEDED = ("id", "at", "verb", "run")


class NoRecord(ValueError):
    """What was read is no record; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened to one file: `before` and `after` are versions, None where nothing was or is.

    Of a step that was purged nothing is known but that it was; its path is empty where that was words of the entry.
    """

    path: str
    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...] = ()
    storage: str = ""  # empty for the root; "personal" for the person's own notes
    purged: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One record: a verb, its steps, and enough to take it back."""

    id: str
    at: str
    verb: str
    run: str
    actor: str
    session: str = ""
    reason: str = ""
    request: str = ""
    entries: tuple[str, ...] = ()  # the ids it was about, the scope before each: "default/default/agent:default fix/x"
    made: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what it created, with what that derives from
    tier: str = ""
    undoes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def storage(self) -> str:
        """The storage it changed; empty for the root. A change is of one storage only."""
        return self.steps[0].storage if self.steps else ""


def scope_and_id(name: str) -> tuple[str, str]:
    """The parts of what the journal calls an entry. Both may have spaces in them; a scope has two slashes.

    >>> scope_and_id("default/atlas/agent:my bot fix/My note")
    ('default/atlas/agent:my bot', 'fix/My note')
    """
    app, project, rest = (*name.split("/", 2), "", "")[:3]
    head, slash, slug = rest.partition("/")
    owner, _, last = head.rpartition(" ")
    return f"{app}/{project}/{owner}", f"{last}{slash}{slug}"


@dataclass(frozen=True, slots=True)
class Void:
    """A line that says of a change that it did not happen."""

    id: str


def encode_bytes(content: bytes) -> str | dict[str, str]:
    """Bytes as JSON: text where they are text, else base64."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def decode_bytes(value: str | dict[str, str]) -> bytes:
    """The bytes that `encode_bytes` was given."""
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"], validate=True)


def line_of(record: Change | Void | Mapping[str, Any]) -> bytes:
    """A record as a line, with its newline."""
    if isinstance(record, Void):
        record = {"void": record.id}
    elif isinstance(record, Change):
        record = encoded(record)
    # Half a character in a reason is escaped as JSON does it; nothing else can hold one.
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def encoded(change: Change) -> dict[str, Any]:
    """A change as JSON has it; what is empty is left out."""
    record: dict[str, Any] = {name: value for name in _TEXTS if (value := getattr(change, name)) or name in _NEEDED}
    for name in ("entries", "made", "undoes"):
        if value := getattr(change, name):
            record[name] = value
    record["steps"] = [_encoded_step(step) for step in change.steps]
    return record


def _encoded_step(step: Step) -> dict[str, Any]:
    record: dict[str, Any] = {"path": step.path, "before": step.before, "after": step.after}
    if step.storage:
        record["storage"] = step.storage
    if step.hunks:
        record["hunks"] = [[hunk.at, encode_bytes(hunk.old), encode_bytes(hunk.new), hunk.line] for hunk in step.hunks]
    if step.purged:
        record["purged"] = True
    return record


def read_line(line: bytes) -> Change | Void:
    """The record of a line. Raises ValueError, mostly NoRecord, for what is none."""
    try:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise NoRecord("it is no record")
        return Void(_text(record, "void")) if "void" in record else decoded(record)
    except RecursionError as error:
        raise NoRecord("it is nested too deeply") from error


def decoded(record: Mapping[str, Any]) -> Change:
    """The change that `encoded` was given. Raises ValueError for what is none."""
    if not isinstance(record, dict):
        raise NoRecord("it is no record")
    for name in _NEEDED:
        if name not in record:
            raise NoRecord(f"it has no {name!r}")
    texts = {name: _text(record, name) for name in _TEXTS if name in record}
    if not _ID.fullmatch(texts["id"]):
        raise NoRecord(f"{texts['id'][:40]!r} is not the id of a change")
    made = record.get("made", {})
    if not isinstance(made, dict):
        raise NoRecord("'made' is no table")
    texts.setdefault("actor", "")
    return Change(
        **texts,
        entries=_words(record.get("entries", ()), "entries"),
        made={name: _words(sources, "made") for name, sources in made.items()},
        undoes=_words(record.get("undoes", ()), "undoes"),
        steps=tuple(_step(step) for step in _list(record.get("steps", ()), "steps")),
    )


def _step(step: Any) -> Step:
    if not isinstance(step, dict):
        raise NoRecord("a step is no table")
    before, after = (None if step.get(name) is None else _text(step, name) for name in ("before", "after"))
    found = tuple(_hunk(hunk) for hunk in _list(step.get("hunks", ()), "hunks"))
    storage = _text(step, "storage") if "storage" in step else ""
    return Step(_text(step, "path"), before, after, found, storage, step.get("purged") is True)


def _hunk(hunk: Any) -> Hunk:
    try:
        at, old, new, *rest = hunk
        line = rest[0] if rest else 0
        found = Hunk(at, decode_bytes(old), decode_bytes(new), line)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise NoRecord("a hunk is not what one is") from error
    if type(at) is not int or type(line) is not int:
        raise NoRecord("a hunk stands nowhere")
    return found


def _text(record: Mapping[str, Any], name: str) -> str:
    if not isinstance(value := record.get(name), str):
        raise NoRecord(f"{name!r} is no text")
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise NoRecord(f"{name!r} is no list")
    return list(value)


def _words(value: Any, name: str) -> tuple[str, ...]:
    words = _list(value, name)
    if not all(isinstance(word, str) for word in words):
        raise NoRecord(f"{name!r} has what is no text")
    return tuple(words)
