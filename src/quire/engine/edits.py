"""Edits: what a change does to files, one conditional step each, and how a plan of several is written down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.engine.records import Change, decode_bytes, decoded, encode_bytes, encoded
from quire.errors import Conflict, NotFound
from quire.locator import Locator
from quire.ports.storage import ABSENT, StorageBackend, version_of


@dataclass(frozen=True)
class Edit:
    """One file: what was read (None: nothing is there), and what shall be there (None: nothing)."""

    locator: Locator
    before: bytes | None
    after: bytes | None
    keep: bool = False  # whether the journal keeps the text of a new file, too
    bare: bool = False  # whether it keeps none, not even of what goes

    @cached_property  # hashing a log costs more than anything else that is done with it
    def versions(self) -> tuple[str | None, str | None]:
        return _version(self.before), _version(self.after)

    @property
    def reversed(self) -> Edit:
        return Edit(self.locator, self.after, self.before)


def put(storage: StorageBackend, edit: Edit) -> None:
    """Make one edit. Raises Conflict where the file is not as it was read, and what the storage raises."""
    before = edit.versions[0]
    if edit.after is not None:
        storage.write_bytes(edit.locator, edit.after, if_version=ABSENT if before is None else before)
        return
    try:
        storage.delete(edit.locator, if_version=before or ABSENT)
    except NotFound as error:
        raise Conflict("nothing is here any more", where=edit.locator.key, remedy="Read it again") from error


def dump(change: Change, edits: Sequence[Edit]) -> bytes:
    """A plan: the record, and the whole text of each file before and after, so that anyone can carry it out."""
    whole = [
        [edit.locator.key, *(None if text is None else encode_bytes(text) for text in (edit.before, edit.after))]
        for edit in edits
    ]
    plan = {"change": encoded(change), "edits": whole}
    return json.dumps(plan, ensure_ascii=False).encode("utf-8", "backslashreplace")


def load(raw: bytes) -> tuple[Change, list[Edit]] | None:
    """The change and the edits of a plan; None for what is none."""
    try:
        plan = json.loads(raw)
        change = decoded(plan["change"])
        edits = [Edit(Locator(key), _text(before), _text(after)) for key, before, after in plan["edits"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (change, edits) if _belong(change, edits) else None


def _belong(change: Change, edits: Sequence[Edit]) -> bool:
    """Whether the texts are those of the record: a plan that somebody has edited is not carried out."""
    said = [None if step.purged else (step.path, step.before, step.after) for step in change.steps]
    held = [(edit.locator.key, *edit.versions) for edit in edits]
    return len(said) == len(held) and all(a in (None, b) for a, b in zip(said, held, strict=True))


def _text(value: str | dict[str, str] | None) -> bytes | None:
    return None if value is None else decode_bytes(value)


def _version(content: bytes | None) -> str | None:
    return None if content is None else version_of(content)
