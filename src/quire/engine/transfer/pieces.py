"""Pieces: the files of a source, and what each is here."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from quire.engine.entry import Status
from quire.engine.kinds import Kind, Shape
from quire.engine.layout import Place
from quire.engine.scope import Scope
from quire.engine.transfer.ledger import Known
from quire.engine.transfer.source import SourceFile
from quire.locator import Locator


class Role(enum.Enum):
    """What a file of the source is here."""

    ENTRY = "entry"  # one entry a file
    LOG = "log"  # many
    FILE = "file"  # none


@dataclass(slots=True)
class Piece:
    """One file of the source, and where it goes: `place` for entries, `at` for other files.

    `kind` is the kind of the entry, which the place does not always say. `known` is what the ledger has of it; where it
    has nothing, `is_here` says that an entry was found to be it all the same. `was` are the status of an entry that
    changes its layout, and whether it is always loaded: paths say these differently there.
    """

    file: SourceFile
    role: Role
    scope: Scope
    kind: Kind | None = None
    place: Place | None = None
    at: Locator | None = None
    was: tuple[Status, bool] | None = None
    reason: str = ""
    known: Known | None = None
    is_here: bool = False

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def id(self) -> str:
        """The id of the entry that it becomes."""
        assert self.kind is not None and self.place is not None
        return self.kind.name if self.kind.shape is Shape.SINGLE else f"{self.kind.name}/{self.place.name}"
