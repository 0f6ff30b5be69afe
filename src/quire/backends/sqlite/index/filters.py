"""A filter as SQL: the conditions on a row of `records`, for which one space at a time is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.keys import scalar_label
from quire.ports.index import Filter, scalar_key

_COLUMNS: Final[Mapping[str, str]] = {"created": "created", "updated": "updated", "when": "happened"}


class Asked(NamedTuple):
    """A filter made ready: the spaces it names that exist, and the conditions on `r`, a row of `records`."""

    known: Mapping[int, str]
    where: str
    values: Sequence[Any]


def asked(view: Connection, filter: Filter) -> Asked:
    known = _spaces(view, filter.scopes)
    return Asked(known, *_conditions(filter, known))


def _spaces(view: Connection, scopes: Sequence[str]) -> dict[int, str]:
    """The spaces that exist of these scopes, by number."""
    found = {}
    for scope in dict.fromkeys(scopes):
        space = view.get("SELECT space FROM spaces WHERE scope = ?", (scope,))
        if space is not None:
            found[space] = scope
    return found


def _conditions(filter: Filter, known: Mapping[int, str]) -> tuple[str, list[Any]]:
    """The conditions and their values. That the space is known comes first, and is never left out."""
    parts = [f"r.space IN ({','.join(map(str, known)) or 'NULL'})"]
    values: list[Any] = []
    named = (
        ("kind", filter.kinds), ("status", filter.statuses), ("speaker", filter.speakers), ("session", filter.sessions),
    )  # fmt: skip
    for column, wanted in named:
        if wanted:
            parts.append(f"r.{column} IN ({_marks(wanted)})")
            values += wanted
    for moment, (start, end) in filter.times.items():
        column = _COLUMNS[moment]
        parts.append(f"r.{column} IS NOT NULL")
        if start is not None:
            parts.append(f"r.{column} >= ?")
            values.append(start)
        if end is not None:
            parts.append(f"r.{column} < ?")
            values.append(end)
    if filter.as_of is not None:
        parts.append("(r.valid_from IS NULL OR r.valid_from <= ?) AND (r.valid_to IS NULL OR r.valid_to > ?)")
        values += [filter.as_of, filter.as_of]
    _labelled(filter, parts, values)
    _excluded(filter, known, parts, values)
    return " AND ".join(parts), values


def _labelled(filter: Filter, parts: list[str], values: list[Any]) -> None:
    has = "EXISTS (SELECT 1 FROM labels WHERE space = r.space AND label IN ({}) AND record = r.record)"
    each: list[tuple[str, tuple[str, ...]]] = [("", (f"t:{tag}",)) for tag in filter.tags]
    each += [("", (f"f:{flag}",)) for flag in filter.flags]
    each += [("NOT ", (f"f:{flag}",)) for flag in filter.without]
    each += [
        ("", tuple(scalar_label(name, scalar_key(value)) for value in wanted))
        for name, wanted in filter.scalars.items()
    ]
    for sense, labels in each:
        parts.append(sense + has.format(_marks(labels)))
        values += labels


def _excluded(filter: Filter, known: Mapping[int, str], parts: list[str], values: list[Any]) -> None:
    numbers = {scope: space for space, scope in known.items()}
    by_space: dict[int, list[str]] = {}
    for ref in filter.excluded:
        if ref.scope in numbers:
            by_space.setdefault(numbers[ref.scope], []).append(ref.id)
    for space, ids in by_space.items():
        parts.append(f"NOT (r.space = {space} AND r.id IN ({_marks(ids)}))")
        values += ids


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
