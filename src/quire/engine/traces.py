"""Traces: what the journal has of one entry, and how a record reads without it."""

from __future__ import annotations

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from quire.engine.blocks import blocks, cut
from quire.engine.core import Core
from quire.engine.journal import Remake
from quire.engine.kinds import Kind, Shape
from quire.engine.lives import Lives
from quire.engine.records import decode_bytes, encode_bytes
from quire.engine.scope import Scope
from quire.locator import Locator

Record = dict[str, Any]


class Traces(ABC):
    """What the journal has of the entry `id` of `scope`, whether or not it is there. Each look is a new one."""

    def __init__(self, core: Core, kind: Kind, id: str, scope: Scope) -> None:
        self.core = core
        self.kind = kind
        self.id = id
        self.scope = scope
        self.name = f"{scope} {id}"
        kept = kind.shape in (Shape.LOG, Shape.SINGLE)  # the id of these says nothing of the text, and stays taken
        self.tombstone = self.name if kept else f"{scope} {kind.name}/purged-{secrets.token_hex(4)}"
        self.homes: set[str] = set()  # the paths that its own file had
        self._void: set[str] = set()

    @abstractmethod
    def any(self) -> bool:
        """Whether the journal has anything of it."""

    @abstractmethod
    def erase(self) -> None:
        """Take all of it out of the journal. Whoever dies within it finds the rest, and erases again."""

    def _rewrite(self, make: Remake, words: Iterable[str]) -> None:
        self._void = self.core.journal.voided()
        mention = {json.dumps(word, ensure_ascii=False)[1:-1].encode() for word in (*words, *self._void)}
        self.core.journal.rewrite(make, tuple(mention))

    def _empty_void(self, record: Record) -> None:
        """Take the texts out of a change that did not happen: nobody needs them, and whose they became is not known."""
        if record.get("id") in self._void:
            for step in record.get("steps", ()):
                if not step.get("storage"):
                    step.pop("hunks", None)


class LogTraces(Traces):
    """Of an entry of a log: the pieces of hunks that have its marker. What others wrote into the same hunk stays."""

    def any(self) -> bool:
        return bool(self._paths())

    def erase(self) -> None:
        self._rewrite(self._without, {*self._paths(), self.name})

    @property
    def _marker(self) -> bytes:
        return f"<!-- entry:{self.id} -->".encode()

    def _paths(self) -> set[str]:
        return {
            step.path
            for change in self.core.journal.oldest_first()
            for step in change.steps
            if any(self._marker in text for hunk in step.hunks for text in (hunk.old, hunk.new))
            and self._is_log(step.path, step.storage)
        }

    def _is_log(self, path: str, storage: str) -> bool:
        place = self.core.layout.parse(Locator(path)) if path and not storage else None
        return place is not None and (place.scope, place.kind) == (self.scope, self.kind.name)

    def _without(self, record: Record) -> Record:
        self._empty_void(record)
        touched = [
            step
            for step in record.get("steps", ())
            if any(self._is_its(hunk) for hunk in step.get("hunks", ()))
            and self._is_log(step["path"], step.get("storage", ""))
        ]
        if touched or self.name in (*record.get("entries", ()), *record.get("made", ())):
            _forget_words(record)
        for step in touched:
            kept = [self._cut(hunk) if self._is_its(hunk) else hunk for hunk in step["hunks"]]
            step |= {"before": None, "after": None, "hunks": [hunk for hunk in kept if hunk], "purged": True}
        return record

    def _is_its(self, hunk: list[Any]) -> bool:
        return any(self._marker in decode_bytes(text) for text in hunk[1:3])

    def _cut(self, hunk: list[Any]) -> list[Any] | None:
        """A hunk with only the entries of others; None where there are none."""
        old, new = (self._others(decode_bytes(text)) for text in hunk[1:3])
        return [hunk[0], encode_bytes(old), encode_bytes(new), *hunk[3:]] if old or new else None

    def _others(self, text: bytes) -> bytes:
        rest = b"".join(piece for id, piece in cut(text) if id != self.id)
        # One that has no end, or is there twice, cannot be told from what follows it.
        return rest if blocks(rest) and self._marker not in rest else b""


class NoteTraces(Traces):
    """Of an entry with a file of its own: the steps of its files, and its names, of all the lives that had this id.

    The changes that gave it another path, or brought it back, lead to what was before them. Their texts go with
    everything else; but where they were, only after that, the oldest first.
    """

    def __init__(self, core: Core, kind: Kind, id: str, scope: Scope) -> None:
        super().__init__(core, kind, id, scope)
        self._steps: dict[str, set[str]] = {}  # its paths, by change
        self._paths: set[str] = set()
        self._names: set[str] = set()
        self._own: set[str] = set()  # the names that no other entry had
        self._moves: list[str] = []  # the changes that gave it another path, and still say so

    def any(self) -> bool:
        self._look()
        return bool(self._steps)

    def erase(self) -> None:
        self._look()
        words = self._paths | self._names
        self._rewrite(self._without, words)
        while self._moves:
            del self._moves[0]
            self._rewrite(self._without, words)

    def _look(self) -> None:
        here = {found.contents.locator.key for found in self.core.at(self.id, self.scope)}
        lives = Lives(self.core, self.scope)
        chosen = lives.called(self.name, here)
        self._steps = {}
        self._moves = sorted(set[str]().union(*(life.moves for life in chosen)))
        for life in chosen:
            for change, paths in life.steps.items():
                self._steps.setdefault(change, set()).update(paths)
        self._paths = here.union(*self._steps.values())
        self._names = {self.name}.union(*(life.names for life in chosen))
        self._own = self._names.difference(*(life.names for life in lives.all if life not in chosen))
        self.homes |= here.union(*(life.homes for life in chosen))

    def _touched(self, record: Record) -> list[Record]:
        """The steps of a record that are its; of one that did not happen all on its paths."""
        void = record.get("id") in self._void
        paths = self._paths if void else self._steps.get(record.get("id", ""), set())
        return [step for step in record.get("steps", ()) if step["path"] in paths and not step.get("storage")]

    def _emptied(self, record: Record) -> Record:
        self._empty_void(record)
        touched = self._touched(record)
        if touched or self._own.intersection((*record.get("entries", ()), *record.get("made", ()))):
            _forget_words(record)
        for step in touched:
            step.pop("hunks", None)
            step["purged"] = True
        return record

    def _without(self, record: Record) -> Record:
        self._emptied(record)
        if record.get("id") in self._moves:
            return record
        touched = self._touched(record)
        names = self._names if touched else self._own
        for step in touched:
            step |= {"path": "", "before": None, "after": None}

        def put(name: str) -> str:
            return self.tombstone if name in names else name

        if "entries" in record:
            record["entries"] = [put(name) for name in record["entries"]]
        if "made" in record:
            record["made"] = {put(name): [put(each) for each in ids] for name, ids in record["made"].items()}
        return record


def _forget_words(record: Record) -> None:
    """Take out what was said about a change."""
    for name in ("reason", "request"):
        record.pop(name, None)
