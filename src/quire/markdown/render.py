"""Values as new frontmatter text."""

from __future__ import annotations

import functools
from typing import Final

from quire.errors import MarkdownError
from quire.markdown.node import MAX_DEPTH, MAX_DIGITS, MAX_FRONTMATTER, MAX_NODES, Value
from quire.markdown.scalar import spelled, writable

_WIDTH: Final = 100  # a list that fits is written in one line
_LONGEST_KEY: Final = 256
_STEP: Final = "  "


def checked(value: object) -> Value:
    """A copy of `value` made of nothing but what frontmatter can hold. Raises MarkdownError, saying what it cannot."""
    return _Checker().value(value, 1)


def checked_key(key: object) -> str:
    """The key as plain text. Raises MarkdownError for what cannot be one."""
    return _Checker().key(key)


class _Checker:
    def __init__(self) -> None:
        self.nodes = 0
        self.size = 0

    def value(self, value: object, depth: int) -> Value:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _refused(f"a value with more than {MAX_NODES:,} parts", "Put the data into the body")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int):
            if not -(10 ** (MAX_DIGITS - 1)) < value < 10**MAX_DIGITS:
                raise _refused(f"a number of {MAX_DIGITS} digits or more", "Write it as text")
            return int(value)
        if isinstance(value, float):
            return float(value)
        if depth >= MAX_DEPTH:
            raise _refused(f"a value that is more than {MAX_DEPTH} deep", "Flatten it")
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {self.key(key): self.value(item, depth + 1) for key, item in value.items()}
        raise _refused(
            f"a value of type {type(value).__name__}", "Text, numbers, true, false, null, lists and dicts can"
        )

    def text(self, text: str) -> str:
        self.size += len(text)
        if self.size > MAX_FRONTMATTER:
            raise _refused(f"more than {MAX_FRONTMATTER:,} characters", "Put long text into the body")
        if not writable(text):
            raise _refused("a lone surrogate, which UTF-8 cannot hold,", "Replace it")
        return str.__str__(text)

    def key(self, key: object) -> str:
        if not isinstance(key, str):
            raise _refused(f"a key of type {type(key).__name__}", "A key is text")
        if len(key) > _LONGEST_KEY:
            raise _refused(f"a key of more than {_LONGEST_KEY} characters", "Shorten it")
        return self.text(key)


def _refused(what: str, remedy: str) -> MarkdownError:
    return MarkdownError(f"{what} cannot be written as frontmatter", remedy=remedy)


def inline(value: Value, like: str = "", *, flow: bool = False) -> str:
    """A value on one line. `like` is the style of a scalar; a list or mapping is written in brackets.

    >>> inline({"tags": ["a", "b, c"], "done": None})
    "{tags: [a, 'b, c'], done: null}"
    """
    if isinstance(value, list):
        return "[" + ", ".join(inline(item, flow=True) for item in value) + "]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key_text(key, flow=True)}: {inline(item, flow=True)}" for key, item in value.items())
            + "}"
        )
    return spelled(value, like, flow=flow)


@functools.lru_cache(1024)  # the keys of all entries are the same few
def key_text(key: str, *, flow: bool = False) -> str:
    """A key, quoted wherever a reader could take it for anything else."""
    return spelled(key, flow=flow)


def entry(key: str, value: Value, newline: str, indent: str = "") -> str:
    """The line or lines of a new key, final newline included.

    >>> entry("tags", ["a", "b"], "\\n")
    'tags: [a, b]\\n'
    """
    return indent + key_text(key) + ":" + _after_colon(value, newline, indent, len(indent) + len(key) + 2) + newline


def _after_colon(value: Value, newline: str, indent: str, used: int) -> str:
    if value is None:
        return ""
    text = " " + inline(value)
    if not isinstance(value, list | dict) or not value or used + len(text) <= _WIDTH:
        return text
    return newline + newline.join(_lines(value, newline, indent + _STEP))


def _lines(value: list[Value] | dict[str, Value], newline: str, indent: str) -> list[str]:
    if isinstance(value, list):
        return [f"{indent}- {inline(item)}" for item in value]
    return [
        indent + key_text(key) + ":" + _after_colon(item, newline, indent, len(indent) + len(key) + 2)
        for key, item in value.items()
    ]
