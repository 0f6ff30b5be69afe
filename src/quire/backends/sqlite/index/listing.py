"""What is stored: shown by id, listed in parts, counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.filters import asked
from quire.backends.sqlite.index.keys import hash_name, read_extra
from quire.ports.index import Filter, Link, Order, Page, Piece, Record, Ref, Stats, Stored, Waiting

_SHOWN: Final = (
    "SELECT r.record, s.scope, r.id, f.key, f.version, r.line, r.kind, r.status, r.title, r.created, r.updated, "
    "r.happened, r.valid_from, r.valid_to, r.speaker, r.session, r.turn, r.extra "
    "FROM records r JOIN spaces s ON s.space = r.space JOIN files f ON f.file = r.file"
)
_TIMES: Final = {
    "newest": ("coalesce(r.happened, r.created)", "DESC"),
    "oldest": ("coalesce(r.happened, r.created)", "ASC"),
    "updated": ("coalesce(r.updated, r.created)", "DESC"),
    "id": ("NULL", "ASC"),
}


def records(view: Connection, refs: Sequence[Ref]) -> list[Stored]:
    found = []
    for ref in dict.fromkeys(refs):
        rows = view.rows(f"{_SHOWN} WHERE s.scope = ? AND r.id = ? ORDER BY f.key", tuple(ref))
        found += [_stored(view, row) for row in list(rows)]
    return found


def _stored(view: Connection, row: tuple[Any, ...]) -> Stored:
    number, scope, id, key, version, line, kind, status, title, *rest, held = row
    created, updated, when, valid_from, valid_to, speaker, session, turn = rest
    extra = read_extra(held)
    pieces = view.rows("SELECT start, stop, hash FROM pieces WHERE record = ? ORDER BY number", (number,))
    record = Record(
        scope, id, kind, status, line, title, tuple(extra.get("tags", ())), tuple(extra.get("flags", ())),
        created, updated, when, valid_from, valid_to, speaker, session, turn, extra.get("scalars", {}),
        pieces=tuple(Piece(start, stop, hash_name(key)) for start, stop, key in pieces),
        links=tuple(Link(relation, Ref(*target)) for relation, *target in extra.get("links", ())),
    )  # fmt: skip
    return Stored(key, version, record)


def browse(view: Connection, filter: Filter, order: Order, limit: int, after: tuple[Any, ...] | None) -> Page:
    _, where, given = asked(view, filter)
    values = list(given)
    time, direction = _TIMES[order]
    if after is not None:
        beyond = "(s.scope, r.id, f.key) > (?, ?, ?)"
        if after[0] is None:
            where += f" AND {time} IS NULL AND {beyond}"
            values += after[1:]
        else:
            later = "<" if direction == "DESC" else ">"
            where += f" AND ({time} IS NULL OR {time} {later} ? OR ({time} = ? AND {beyond}))"
            values += [after[0], after[0], *after[1:]]
    rows = list(
        view.rows(
            f"{_SHOWN} WHERE {where} ORDER BY {time} IS NULL, {time} {direction}, s.scope, r.id, f.key LIMIT ?",
            (*values, limit + 1),
        )
    )
    entries = tuple(_stored(view, row) for row in rows[:limit])
    if len(rows) <= limit:
        return Page(entries)
    last = rows[limit - 1]
    place = view.get(f"SELECT {time} FROM records r WHERE r.record = ?", (last[0],))  # noqa: S608 - columns of ours
    return Page(entries, json.dumps([place, last[1], last[2], last[3]]))


def missing(view: Connection, model: str, limit: int, after: int) -> list[Waiting]:
    rows = view.rows(
        "SELECT p.hash, s.scope, r.id, f.key, p.number, p.start, p.stop, p.piece FROM pieces p "
        "JOIN records r ON r.record = p.record JOIN spaces s ON s.space = p.space JOIN files f ON f.file = r.file "
        "WHERE p.piece > ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = p.hash "
        "AND v.model = (SELECT model FROM models WHERE key = ?)) ORDER BY p.piece LIMIT ?",
        (after, model, limit),
    )
    return [
        Waiting(hash_name(name), Ref(scope, id), key, number, start, stop, piece)
        for name, scope, id, key, number, start, stop, piece in rows
    ]


def stats(view: Connection, size: int) -> Stats:
    def count(what: str) -> int:
        found: int = view.get(f"SELECT count({what.partition(' ')[0]}) FROM {what.partition(' ')[2]}")  # noqa: S608
        return found

    counted = view.rows(
        "SELECT m.key, count(v.vector) FROM models m JOIN vectors v ON v.model = m.model GROUP BY m.key ORDER BY m.key"
    )
    vectors = dict(counted)
    hashes = view.get("SELECT count(DISTINCT hash) FROM pieces")
    return Stats(
        files=count("* files"),
        entries=count("* records"),
        pieces=count("* pieces"),
        vectors=vectors,
        waiting={model: hashes - number for model, number in vectors.items()},
        bytes=size,
    )
