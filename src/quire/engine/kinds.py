"""Kinds: what an entry is. A frontmatter class and a row in the table for each; the shape decides how it is stored."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from quire.engine.scope import Owner
from quire.errors import InvalidEntry, InvalidLocatorError
from quire.locator import normalize_key

SCHEMA_VERSION = 1
_NAME = re.compile(r"(?=.{1,40}\Z)[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_FIELD_TYPES: dict[str, type] = {"text": str, "number": float, "integer": int, "boolean": bool, "list": list}
_SAID = {str: "text", float: "a number", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
_RESERVED = "memory"  # where a layout keeps the folders of its kinds; on some systems `Memory` is the same name


class Shape(enum.Enum):
    """How entries of a kind lie on disk, and with that, how they change."""

    NOTE = "note"  # one entry a file
    LOG = "log"  # a file for each day, entries between markers
    SINGLE = "single"  # one file for each owner
    FOLDER = "folder"  # one folder an entry, with its files


class Frontmatter:
    """The chassis of every kind: how a kind is stored, as class variables, and the fields its entries may carry.

    A field that is not declared is a person's own: it is kept, and never judged.
    """

    SHAPE: ClassVar[Shape] = Shape.NOTE
    OWNERS: ClassVar[tuple[Owner, ...]] = (Owner.AGENT, Owner.USER, Owner.SHARED)
    DIR_NAME: ClassVar[str] = ""  # empty: the name of the kind
    FILE_NAME: ClassVar[str] = ""  # of a single, or inside of a folder
    FILE_PREFIX: ClassVar[str] = ""  # of a log's file, or of a folder's name
    ENTRY_ID_PREFIX: ClassVar[str] = ""  # of a log's entries
    SPACE: ClassVar[str] = ""  # where curated entries of it live in a vault, if they have a place of their own
    FIELDS: ClassVar[Mapping[str, type]] = {}  # beyond those of every entry

    COMMON: ClassVar[Mapping[str, type]] = {
        "schema_version": int,
        "kind": str,
        "slug": str,
        "title": str,
        "status": str,
        "created": str,
        "updated": str,
        "tags": list,
        "aliases": list,
        "always_load": bool,
        "priority": float,
        "source": str,
        "session": str,
        "supersedes": str,
        "superseded_by": str,
        "derived_from": list,
        "valid_from": str,
        "valid_to": str,
        "occurrences": int,
        "deleted_at": str,
        "deleted_reason": str,
        "reason": str,
        "timestamp": str,
    }

    @classmethod
    def objection(cls, name: str, value: object) -> str:
        """Why `value` cannot be the field `name` of this kind; empty where it can."""
        wanted = cls.COMMON.get(name) or cls.FIELDS.get(name)
        if wanted is None or value is None:
            return ""
        if wanted is list:
            fits = isinstance(value, str) or (isinstance(value, list) and all(not isinstance(v, dict) for v in value))
        elif wanted is float:
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        elif wanted is str:  # a person may write a number or a bare date where text is wanted
            fits = not isinstance(value, list | dict)
        else:
            fits = type(value) is wanted
        if fits:
            return ""
        if wanted is list and isinstance(value, list):
            return f"{name} has a table in it, and a list of words is wanted"
        return f"{name} is {said(value)}, and {_SAID[wanted]} is wanted"


class NoteFrontmatter(Frontmatter):
    """One entry a file."""


class PreferenceFrontmatter(NoteFrontmatter):
    SPACE = "preferences"


class FeedbackFrontmatter(NoteFrontmatter):
    SPACE = "feedback"


class WorkflowFrontmatter(NoteFrontmatter):
    pass


class FixFrontmatter(NoteFrontmatter):
    pass


class DomainReferenceFrontmatter(NoteFrontmatter):
    pass


class IdeaFrontmatter(NoteFrontmatter):
    pass


class SkillPointerFrontmatter(NoteFrontmatter):
    pass


class InsightFrontmatter(NoteFrontmatter):
    pass


class CrystallizedFrontmatter(NoteFrontmatter):
    pass


class ProceduralFrontmatter(NoteFrontmatter):
    pass


class DailyFrontmatter(Frontmatter):
    """A log: a file for each day, appended to. These are the fields of the file; its entries have their own."""

    SHAPE = Shape.LOG
    OWNERS = (Owner.USER,)


class EpisodeDailyFrontmatter(DailyFrontmatter):
    DIR_NAME, FILE_PREFIX, ENTRY_ID_PREFIX = "episodes", "episode", "ep"


class AtomicFactDailyFrontmatter(DailyFrontmatter):
    DIR_NAME, FILE_PREFIX, ENTRY_ID_PREFIX = ".atomic_facts", "atomic_fact", "af"


class ForesightDailyFrontmatter(DailyFrontmatter):
    DIR_NAME, FILE_PREFIX, ENTRY_ID_PREFIX = ".foresights", "foresight", "fs"


class AgentCaseDailyFrontmatter(DailyFrontmatter):
    OWNERS = (Owner.AGENT,)
    DIR_NAME, FILE_PREFIX, ENTRY_ID_PREFIX = ".cases", "agent_case", "ac"


class SingleFrontmatter(Frontmatter):
    """One file for each owner."""

    SHAPE = Shape.SINGLE
    OWNERS = (Owner.AGENT,)


class ProfileFrontmatter(SingleFrontmatter):
    OWNERS = (Owner.USER,)
    FILE_NAME = "user.md"


class AgentFrontmatter(SingleFrontmatter):
    FILE_NAME = "agent.md"


class SoulFrontmatter(SingleFrontmatter):
    FILE_NAME = "soul.md"


class ToolsFrontmatter(SingleFrontmatter):
    FILE_NAME = "tools.md"


class BehaviorsFrontmatter(SingleFrontmatter):
    FILE_NAME = "behaviors.md"


class SkillFrontmatter(Frontmatter):
    """A folder with a SKILL.md, and what it refers to. `name` and `description` are what agents read of a skill."""

    SHAPE = Shape.FOLDER
    OWNERS = (Owner.AGENT,)
    DIR_NAME, FILE_PREFIX, FILE_NAME = "skills", "skill_", "SKILL.md"
    FIELDS: ClassVar[Mapping[str, type]] = {"name": str, "description": str}


class Kind:
    """A row of the table: a name, and the frontmatter class that says everything else."""

    __slots__ = ("name", "schema")

    def __init__(self, name: str, schema: type[Frontmatter]) -> None:
        self.name = name
        self.schema = schema

    @property
    def shape(self) -> Shape:
        return self.schema.SHAPE

    @property
    def directory(self) -> str:
        return self.schema.DIR_NAME or self.name

    @property
    def one(self) -> str:
        """The name with its article, for messages.

        >>> [Kinds()[name].one for name in ("fix", "episode")]
        ['a fix', 'an episode']
        """
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"

    def __repr__(self) -> str:
        return f"Kind({self.name!r}, {self.shape.value})"


KINDS: Mapping[str, type[Frontmatter]] = {
    "preference": PreferenceFrontmatter,
    "feedback": FeedbackFrontmatter,
    "workflow": WorkflowFrontmatter,
    "fix": FixFrontmatter,
    "domain-reference": DomainReferenceFrontmatter,
    "idea": IdeaFrontmatter,
    "skill-pointer": SkillPointerFrontmatter,
    "insight": InsightFrontmatter,
    "crystallized": CrystallizedFrontmatter,
    "procedural": ProceduralFrontmatter,
    "episode": EpisodeDailyFrontmatter,
    "atomic_fact": AtomicFactDailyFrontmatter,
    "foresight": ForesightDailyFrontmatter,
    "agent_case": AgentCaseDailyFrontmatter,
    "profile": ProfileFrontmatter,
    "agent": AgentFrontmatter,
    "soul": SoulFrontmatter,
    "tools": ToolsFrontmatter,
    "behaviors": BehaviorsFrontmatter,
    "skill": SkillFrontmatter,
}


class Kinds:
    """The table, with what the user declared. Raises InvalidEntry for a declaration that cannot be kept apart.

    >>> Kinds({"recipe": {"fields": {"servings": "integer"}}})["recipe"]
    Kind('recipe', note)
    """

    def __init__(self, declared: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._rows = {name: Kind(name, schema) for name, schema in KINDS.items()}
        for name, row in (declared or {}).items():
            self._rows[name] = Kind(name, _declared(name, row, self._rows.values()))

    def __getitem__(self, name: str) -> Kind:
        try:
            return self._rows[name]
        except (KeyError, TypeError):
            raise InvalidEntry(
                f"there is no kind {name!r}; there are {', '.join(self._rows)}",
                remedy="Correct its spelling, or declare it below [kinds] in the config file",
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._rows.values())

    def of_shape(self, *shapes: Shape) -> list[Kind]:
        """The kinds of these shapes, in the order of the table."""
        return [kind for kind in self if kind.shape in shapes]


def _declared(name: str, row: Mapping[str, Any], others: Iterable[Kind]) -> type[Frontmatter]:
    """The frontmatter class of a kind that was declared as a table in the config file."""
    where = f"kinds.{name}"
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        what = "a kind is named in lower case words joined by hyphens, at most 40 letters"
        raise InvalidEntry(what, where=where, remedy="Choose such a name")
    if name in KINDS:
        raise InvalidEntry("this kind is built in", where=where, remedy="Choose another name")
    if not isinstance(row, Mapping):
        raise InvalidEntry(f"a kind is declared as a table, not as {said(row)}", where=where, remedy=f"Write [{where}]")
    known = {"shape", "owners", "directory", "file", "prefix", "fields"}
    if unknown := sorted(set(row) - known):
        what = f"unknown key {unknown[0]!r}; known: {', '.join(sorted(known))}"
        raise InvalidEntry(what, where=where, remedy="Correct its spelling")
    shape = _one_of(Shape, row.get("shape", "note"), where)
    if shape is Shape.FOLDER:
        raise InvalidEntry("a declared kind is a note, a log or a single", where=where, remedy="Choose one of these")
    fields = _of_type(Mapping, row.get("fields", {}), where, "fields is {}, and a table is wanted")
    owners = row.get("owners", [])
    owners = _of_type(
        list, [owners] if isinstance(owners, str) else owners, where, "owners is {}, and a list is wanted"
    )
    schema: dict[str, Any] = {
        "SHAPE": shape,
        "OWNERS": tuple(_one_of(Owner, owner, where) for owner in owners) or _default_owners(shape),
        "DIR_NAME": _folder(_word(row.get("directory", name), where, "directory"), where),
        "FIELDS": {field: _field_type(field, typ, where) for field, typ in fields.items()},
        "FILE_PREFIX": name,
        "ENTRY_ID_PREFIX": _word(row.get("prefix", name.replace("-", "_")), where, "prefix").replace("-", "_"),
        "FILE_NAME": _file(_word(row.get("file", name), where, "file") + ".md", where),
    }
    made: type[Frontmatter] = type(f"{name.title()}Frontmatter", (Frontmatter,), schema)
    for other in others:
        if reason := _clash(made, other):
            raise InvalidEntry(f"{reason} is that of the kind {other.name!r}", where=where, remedy="Give another")
    return made


def _clash(made: type[Frontmatter], other: Kind) -> str:
    """What of a declared kind another has already, so that a path or an id would not say which it is."""
    single = made.SHAPE is Shape.SINGLE
    if single and other.shape is Shape.SINGLE and made.FILE_NAME == other.schema.FILE_NAME:
        return f"the file {made.FILE_NAME!r}"
    if not single and other.shape is not Shape.SINGLE and made.DIR_NAME.lstrip(".") == other.directory.lstrip("."):
        return f"the directory {made.DIR_NAME!r}"
    if made.SHAPE is other.shape is Shape.LOG and made.ENTRY_ID_PREFIX == other.schema.ENTRY_ID_PREFIX:
        return f"the prefix {made.ENTRY_ID_PREFIX!r}"
    return ""


def _default_owners(shape: Shape) -> tuple[Owner, ...]:
    return (Owner.USER,) if shape is Shape.LOG else Frontmatter.OWNERS


def said(value: object) -> str:
    """What a value is, in the words of the config file."""
    return _SAID.get(type(value), type(value).__name__)


def _of_type(wanted: Any, value: Any, where: str, what: str) -> Any:
    if not isinstance(value, wanted):
        raise InvalidEntry(what.format(said(value)), where=where, remedy="Correct the value")
    return value


def _one_of(choices: Any, value: object, where: str) -> Any:
    try:
        return choices(value)
    except ValueError as error:
        known = ", ".join(choice.value for choice in choices)
        raise InvalidEntry(f"{value!r} is none of {known}", where=where, remedy="Choose one of these") from error


def _word(value: object, where: str, what: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise InvalidEntry(
            f"the {what} {value!r} is not lower case words joined by hyphens, at most 40 letters",
            where=where,
            remedy="Choose such a name",
        )
    return value


def _folder(name: str, where: str) -> str:
    if name == _RESERVED:
        raise InvalidEntry(f"{name!r} is a folder of the layout", where=where, remedy="Choose another directory")
    return _nameable(name, where, "a folder's")


def _file(name: str, where: str) -> str:
    return _nameable(name, where, "a file's")


def _nameable(name: str, where: str, whose: str) -> str:
    try:
        return normalize_key(name)
    except InvalidLocatorError as error:
        raise InvalidEntry(f"{name!r} cannot be {whose} name", where=where, remedy="Choose another") from error


def _field_type(name: str, value: object, where: str) -> type:
    if not name.isprintable() or not 0 < len(name) <= 100:
        raise InvalidEntry(f"{name!r} is no name of a field", where=where, remedy="Use a word")
    if name in Frontmatter.COMMON:
        raise InvalidEntry(f"every entry has the field {name!r} already", where=where, remedy="Choose another name")
    if not isinstance(value, str) or value not in _FIELD_TYPES:
        raise InvalidEntry(
            f"the type of {name!r} is none of {', '.join(_FIELD_TYPES)}", where=where, remedy="Choose one of these"
        )
    return _FIELD_TYPES[value]
