"""The parts of a frontmatter block: what each value is, and where it stands in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

# What frontmatter can hold: the core schema of YAML 1.2. Everything else, dates included, is text.
Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

MAX_FRONTMATTER: Final = 65_536  # characters between the fences
MAX_DEPTH: Final = 32  # lists and mappings inside each other
MAX_NODES: Final = 10_000  # keys, values and collections in one block
MAX_DIGITS: Final = 200  # of a whole number, sign included; what is longer is text

# How a node is written. A quoted scalar has its quote as its style, a block scalar its indicator.
PLAIN, SINGLE, DOUBLE, LITERAL, FOLDED, FLOW, BLOCK = "plain", "'", '"', "|", ">", "flow", "block"


class Node:
    """A scalar, list or mapping, with the span of its own text: no trailing comment, no final newline.

    `parts` are the items of a list, or the keys and values of a mapping in turn. A node is `broken` if it is or holds
    what cannot be read as a value: an alias, a tag.
    """

    __slots__ = ("broken", "end", "parts", "start", "style", "value")

    def __init__(self, style: str, start: int, end: int, value: Value, parts: list[Node] | None = None) -> None:
        self.style = style
        self.start = start
        self.end = end
        self.value = value
        self.parts = parts
        self.broken = False

    def pairs(self) -> list[tuple[Node, Node]]:
        """The keys of a mapping with their values, in the order of the text."""
        parts = self.parts or []
        return list(zip(parts[::2], parts[1::2], strict=True))


# Faults of one value or key: where the lines are is certain all the same.
BEARABLE: Final = frozenset({"YAML_ALIAS", "YAML_TAG", "YAML_KEY", "YAML_DUPLICATE_KEY", "YAML_CHARACTER"})


@dataclass(slots=True)
class Fault:
    """A problem that knows its offset in the block, not yet its line in the file."""

    offset: int
    what: str
    remedy: str
    code: str


@dataclass(slots=True)
class Tree:
    """A block as it was read. `sound` says that its structure is certain, so that lines of it may be exchanged.

    `anchored` are the offsets of what an alias elsewhere stands for, so that it is not changed behind its back.
    """

    root: Node | None = None
    values: dict[str, Value] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    sound: bool = True
    anchored: list[int] = field(default_factory=list)


def same(one: Value, other: Value) -> bool:
    """Whether two values are the same, type included: `True` is not `1`, `1` is not `1.0`. Keys have no order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(item, other[key]) for key, item in one.items())
    if isinstance(one, float):
        return repr(one) == repr(other)
    return one == other


def copied(value: Value) -> Value:
    """The same value, sharing no list or mapping with the original."""
    if isinstance(value, list):
        return [copied(item) for item in value]
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value
