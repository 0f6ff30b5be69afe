"""A fault found in text. Parsing never raises: it reports, and the rest works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong on which line of the file (counted from 1), and what a person can do about it.

    `code` is stable and meant for programs; `docs/reference/lint.md` has the table.

    >>> Problem(3, "the key 'tags' is there twice", "Keep one of the two", "YAML_DUPLICATE_KEY").line
    3
    """

    line: int
    what: str
    remedy: str
    code: str
