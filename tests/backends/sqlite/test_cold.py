"""What a fresh process pays: nothing is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from quire.backends.sqlite import SqliteIndex
from quire.backends.sqlite.index import kept
from quire.ports.index import IndexedFile, Piece, Record
from quire.testing.index.making import asked, entry, fill, within


def loaded(program: str) -> set[str]:
    script = f"import sys; before = set(sys.modules); {program}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_port_loads_neither_numpy_nor_a_database() -> None:
    assert not loaded("import quire.ports.index, quire.engine.words") & {"numpy", "apsw", "sqlite3", "Stemmer"}


def test_opening_listing_and_walking_load_no_numpy(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    with SqliteIndex(path) as index:
        fill(index, entry("a", "fox", links=[("see", "b")]), entry("b"))
    program = (
        "from quire.backends.sqlite import SqliteIndex; from quire.ports.index import Filter, Ref; "
        f"i = SqliteIndex({path!r}); f = Filter(('default/default/agent:default',)); i.browse(f); i.versions(); "
        "assert i.linked([Ref(f.scopes[0], 'a')], f); i.stats(); i.close()"
    )
    assert not loaded(program) & {"numpy", "Stemmer", "onnxruntime", "asyncio"}


def test_a_search_loads_nothing_of_other_technologies(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    with SqliteIndex(path) as index:
        fill(index, entry("a", "fox"))
        assert asked(index, "fox")
    program = (
        "from quire.backends.sqlite import SqliteIndex; from quire.ports.index import Filter; "
        f"assert SqliteIndex({path!r}).words({{'fox': 1.0}}, Filter(('default/default/agent:default',)))"
    )
    assert not loaded(program) & {"onnxruntime", "pydantic", "asyncio", "obstore", "asyncpg"}


def test_many_vectors_are_found_as_surely_as_by_looking_at_each(tmp_path: Path) -> None:
    chance = np.random.default_rng(5)
    centres = chance.standard_normal((200, 128))
    number = kept.EXACT_UP_TO + 4_000
    vectors = centres[chance.integers(200, size=number)] + 0.8 * chance.standard_normal((number, 128)) + 2.0
    with SqliteIndex(str(tmp_path / "index.db")) as index:
        records = [Record("s", f"n{i:05}", "fix", pieces=(Piece(0, 1, f"{i:064x}"),)) for i in range(number)]
        index.apply([IndexedFile("log.md", "1", records)])
        index.put_vectors("m", [(f"{i:064x}", vector) for i, vector in enumerate(vectors)])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        met = 0
        for asked_for in vectors[:50] + 0.02 * chance.standard_normal((50, 128)):
            best = {f"n{i:05}" for i in np.argsort(-(vectors @ asked_for))[:10]}
            met += len(best & {hit.ref.id for hit in index.near("m", asked_for, within("s"), limit=10)})
        assert met >= 0.99 * 500
        index.apply([IndexedFile("one.md", "1", [Record("s", "new", "idea", pieces=(Piece(0, 1, "ff"),))])])
        index.put_vectors("m", [("ff", vectors[0])])
        hits = index.near("m", vectors[0], within("s"), limit=2)
        assert {hit.ref.id for hit in hits} == {"new", "n00000"}
        assert [hit.ref.id for hit in index.near("m", -vectors[0], within("s", kinds=("idea",)), limit=3)] == ["new"]
