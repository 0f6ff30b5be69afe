"""What every layout shares: where in the folder of a scope an entry of a shape lies."""

from __future__ import annotations

import datetime as dt
import enum
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.engine.kinds import Kind, Kinds, Shape
from quire.engine.scope import Scope
from quire.errors import InvalidLocatorError, InvalidScope
from quire.locator import Locator

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})((?:\.[a-z0-9]+)*)")
MEMORY = "memory"


class Zone(enum.Enum):
    """A part of a scope's folder that recall treats in its own way."""

    ACTIVE = ""
    ALWAYS = "_always-load"  # flat: the kind is in the frontmatter
    INBOX = "_inbox"
    ARCHIVE = "_archive"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry, or the log that holds it, belongs. `kind` is empty where the path does not say it.

    `name` is the slug of a note or a folder, the day of a log (and the part: `2026-06-01.2`), and empty for a single.
    """

    scope: Scope
    kind: str
    name: str
    zone: Zone = Zone.ACTIVE


class Layout(ABC):
    """`place` and `parse` are inverse: what one gives the other takes back, and neither knows any content."""

    name: str
    mark: str  # the folder that a root in this layout has, once the one agent of the default project has said anything
    zones: tuple[Zone, ...]  # in the order in which an entry is looked for

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self._directories = {kind.directory: kind for kind in kinds.of_shape(Shape.NOTE, Shape.FOLDER)}
        self._logs = {self.directory(kind): kind for kind in kinds.of_shape(Shape.LOG)}
        self._singles = {kind.schema.FILE_NAME: kind for kind in kinds.of_shape(Shape.SINGLE)}

    def place(self, place: Place) -> Locator:
        """The locator of `place`. Raises InvalidScope if this layout has no room for that scope."""
        segments = self._segments(place)
        try:
            return Locator("/".join(segments))
        except InvalidLocatorError as error:
            raise InvalidScope(error.what, where=str(place.scope), remedy=error.remedy) from error

    def parse(self, locator: Locator) -> Place | None:
        """The place whose locator this is, or None for a file that is no entry's."""
        if not locator.name.endswith(".md"):
            return None
        for found in self._candidates(locator.parts):
            try:
                if "/".join(self._segments(found)) == locator.key:
                    return found
            except InvalidScope:
                continue
        return None

    @abstractmethod
    def base(self, scope: Scope) -> list[str]:
        """The folder of `scope`, as segments."""

    @abstractmethod
    def _segments(self, place: Place) -> list[str]: ...

    @abstractmethod
    def _candidates(self, parts: Sequence[str]) -> Iterator[Place]:
        """The places that these segments might be; `parse` keeps the one that leads back to them."""

    @abstractmethod
    def zone_of(self, kind: Kind, status: str, always_load: bool) -> Zone:
        """Where a new entry of this status belongs."""

    @abstractmethod
    def folders(self, scope: Scope, kind: Kind | None) -> list[Locator]:
        """The folders that hold all entries of `scope` (of `kind`), so that a listing need not walk the whole root."""

    @abstractmethod
    def contents(self, scope: Scope) -> Locator:
        """Where the generated map of contents of `scope` is."""

    @abstractmethod
    def harness(self, project: str) -> Locator:
        """The folder of a project's plans, progress and features."""

    def directory(self, kind: Kind) -> str:
        """The folder of a kind within its scope."""
        return kind.directory


def tail(kind: Kind, name: str, directory: str) -> list[str]:
    """The last segments of an active entry's path, by its shape."""
    schema = kind.schema
    if kind.shape is Shape.LOG:
        return [directory, f"{schema.FILE_PREFIX}-{name}.md"]
    if kind.shape is Shape.SINGLE:
        return [schema.FILE_NAME]
    if kind.shape is Shape.FOLDER:
        return [directory, schema.FILE_PREFIX + name, schema.FILE_NAME]
    return [directory, f"{name}.md"]


def name_in(kind: Kind, rest: Sequence[str]) -> str | None:
    """The name that `rest`, what follows the folder of a kind, stands for; None if it is no entry of this shape."""
    schema = kind.schema
    if kind.shape is Shape.FOLDER:
        if len(rest) == 2 and rest[1] == schema.FILE_NAME and rest[0].startswith(schema.FILE_PREFIX):
            return plain_name(rest[0][len(schema.FILE_PREFIX) :])
        return None
    if len(rest) != 1:
        return None
    stem = rest[0].removesuffix(".md")
    if kind.shape is Shape.LOG:
        day = stem.removeprefix(f"{schema.FILE_PREFIX}-")
        return day if day != stem and day_of(day) else None
    return plain_name(stem)


def plain_name(stem: str) -> str | None:
    """`stem`, unless it is one of the names that are Quire's own."""
    return None if not stem or stem[0] in "._" else stem


def day_of(name: str) -> dt.date | None:
    """The day of a log's name, whatever part it is; None if it is not one."""
    found = _DAY.fullmatch(name)
    if not found:
        return None
    try:
        return dt.date.fromisoformat(found[1])
    except ValueError:
        return None
