"""The channels of links and of neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.filters import Asked, asked
from quire.ports.index import BesideHit, Filter, LinkHit, Ref

_Node = tuple[int, str]  # space and id
_FORWARD: Final = (
    "SELECT l.relation, l.space, l.id FROM links l JOIN records r ON r.record = l.record WHERE r.space = ? AND r.id = ?"
)
_BACKWARD: Final = (
    "SELECT l.relation, r.space, r.id FROM links l JOIN records r ON r.record = l.record WHERE l.space = ? AND l.id = ?"
)


def linked(
    view: Connection, refs: Sequence[Ref], filter: Filter, *, hops: int, relations: Sequence[str], limit: int
) -> list[LinkHit]:
    ready = asked(view, filter)
    known, where, values = ready
    numbers = {scope: space for space, scope in known.items()}
    started = [(numbers[ref.scope], ref.id) for ref in dict.fromkeys(refs) if ref.scope in numbers]
    seen, edge = set(started), started
    hits: list[LinkHit] = []
    for hop in range(1, hops + 1):
        steps: dict[_Node, tuple[Ref, str, bool]] = {}
        for space, id in edge:
            here = Ref(known[space], id)
            # What the filter keeps out is not left by its links either, but for where the walk begins.
            forward = (_FORWARD, (space, id)) if hop == 1 else (f"{_FORWARD} AND {where}", (space, id, *values))
            backward = (f"{_BACKWARD} AND {where}", (space, id, *values))
            for (statement, given), along in ((forward, True), (backward, False)):
                for relation, other, other_id in view.rows(statement, given):
                    there = (other, other_id)
                    if there in seen or other not in known or (relations and relation not in relations):
                        continue
                    step = (here, relation, along)
                    steps[there] = min(steps.get(there, step), step)
        found = [(node, key) for node in steps for key in _keys(view, node, ready)]
        found.sort(key=lambda pair: (known[pair[0][0]], pair[0][1], pair[1]))
        hits += [LinkHit(Ref(known[node[0]], node[1]), key, hop, *steps[node]) for node, key in found]
        edge = list(dict.fromkeys(node for node, _ in found))
        seen |= set(edge)
        if len(hits) >= limit:
            break
    return hits[:limit]


def _keys(view: Connection, node: _Node, ready: Asked) -> Iterable[str]:
    """The files that hold this entry and pass the filter."""
    rows = view.rows(
        "SELECT f.key FROM records r JOIN files f ON f.file = r.file "  # noqa: S608 - conditions of ours
        f"WHERE r.space = ? AND r.id = ? AND {ready.where}",
        (*node, *ready.values),
    )
    return [row[0] for row in rows]


def beside(view: Connection, refs: Sequence[Ref], filter: Filter, distance: int) -> list[BesideHit]:
    ready = asked(view, filter)
    numbers = {scope: space for space, scope in ready.known.items()}
    hits = []
    for ref in dict.fromkeys(refs):
        if ref.scope not in numbers:
            continue
        space = numbers[ref.scope]
        own = view.rows(
            "SELECT r.session, r.turn, f.key FROM records r JOIN files f ON f.file = r.file "
            "WHERE r.space = ? AND r.id = ? AND r.session <> '' ORDER BY r.turn, f.key",
            (space, ref.id),
        )
        for session, turn, key in list(own):
            place = (space, session, turn, ref.id, key)
            before = _row(view, place, ready, distance, before=True)[::-1]
            after = _row(view, place, ready, distance, before=False)
            for number, (id, other) in enumerate(before):
                hits.append(BesideHit(Ref(ref.scope, id), other, ref, number - len(before)))
            for number, (id, other) in enumerate(after, 1):
                hits.append(BesideHit(Ref(ref.scope, id), other, ref, number))
    return hits


def _row(view: Connection, place: Sequence[Any], ready: Asked, number: int, *, before: bool) -> list[tuple[str, str]]:
    """Those next to a place in its session, the nearest first."""
    sign, order = ("<", "DESC") if before else (">", "ASC")
    space, session, turn, id, key = place
    rows = view.rows(
        "SELECT r.id, f.key FROM records r JOIN files f ON f.file = r.file "  # noqa: S608 - words of ours
        f"WHERE r.space = ? AND r.session = ? AND r.session <> '' AND (r.turn, r.id) {sign}= (?, ?) "
        f"AND (r.turn, r.id, f.key) {sign} (?, ?, ?) AND {ready.where} "
        f"ORDER BY r.turn {order}, r.id {order}, f.key {order} LIMIT ?",
        (space, session, turn, id, turn, id, key, *ready.values, number),
    )
    return [(row[0], row[1]) for row in rows]
