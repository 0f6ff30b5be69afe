"""Vectors as they are stored: of length one, in half precision, by model and hash."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quire.backends.sqlite.index.connection import Connection
from quire.backends.sqlite.index.keys import hash_key
from quire.backends.sqlite.index.segment import Array
from quire.errors import InvalidRequest


def put(view: Connection, model: str, vectors: Sequence[tuple[str, Sequence[float]]]) -> int:
    dimensions = len(vectors[0][1])
    for name, vector in vectors:
        if len(vector) != dimensions:
            raise InvalidRequest(f"the vector of {name!r} has {len(vector)} numbers, and the first {dimensions}")
    held = packed(np.array([vector for _, vector in vectors], np.float64))
    number = model_number(view, model)
    if number is None:
        number = (view.get("SELECT max(model) FROM models") or 0) + 1
        view.db.execute("INSERT INTO models VALUES (?, ?, ?)", (number, model, dimensions))
    check_dimensions(view, model, dimensions)
    first: int = view.get("SELECT value FROM meta WHERE name = 'next'")
    rows = {hash_key(name): held[at].tobytes() for at, (name, _) in enumerate(vectors)}
    # A vector that is replaced gets a new number, so that whoever has read the old one sees it.
    view.db.executemany(
        "INSERT OR REPLACE INTO vectors SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM pieces WHERE hash = ?3) "
        "AND NOT EXISTS (SELECT 1 FROM vectors WHERE model = ?2 AND hash = ?3 AND held = ?4)",
        [(first + at, number, name, vector) for at, (name, vector) in enumerate(rows.items())],
    )
    view.db.execute("UPDATE meta SET value = value + ? WHERE name = 'next'", (len(rows),))
    found = 0
    names = list(rows)
    for start in range(0, len(names), 500):
        part = names[start : start + 500]
        marks = ",".join("?" * len(part))
        found += view.get(f"SELECT count(DISTINCT hash) FROM pieces WHERE hash IN ({marks})", part)  # noqa: S608
    return found


def packed(vectors: Array) -> Array:
    """Rows of length one in half precision. Raises InvalidRequest for one without length."""
    sizes = np.sqrt((vectors * vectors).sum(axis=1))
    if not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise InvalidRequest("a vector is zero or not finite", remedy="Embed the text again")
    held: Array = (vectors / sizes[:, None]).astype("<f2")
    return held


def unpacked(held: bytes, dimensions: int) -> Array:
    """Rows of length one again, but for what half precision has taken from them."""
    vectors: Array = np.frombuffer(held, "<f2").reshape(-1, dimensions).astype(np.float32)
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors


def model_number(view: Connection, model: str) -> int | None:
    number: int | None = view.get("SELECT model FROM models WHERE key = ?", (model,))
    return number


def check_dimensions(view: Connection, model: str, given: int) -> None:
    held = view.get("SELECT dimensions FROM models WHERE key = ?", (model,))
    if held is not None and held != given:
        raise InvalidRequest(
            f"the model {model!r} has vectors of {held} numbers, not {given}", remedy="Give another model another key"
        )
