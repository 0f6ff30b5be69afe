"""Whatever happens to the file, the index answers as before or says that it must be built anew; it never breaks."""

from __future__ import annotations

import os
import random
import sqlite3
from pathlib import Path

import apsw
import pytest

from quire.backends.ram_index import RamIndex
from quire.backends.sqlite import SqliteIndex
from quire.backends.sqlite.index import store
from quire.backends.sqlite.index.writing import Writer
from quire.errors import IndexDamaged, IndexFailed, IndexUnavailable
from quire.ports.index import Ref
from quire.testing.index.making import HERE, asked, entry, file, ids, within


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "index.db")


def filled(path: str, number: int = 400) -> None:
    with SqliteIndex(path) as index:
        words = [f"fox w{i % 50} u{i}" for i in range(number)]
        index.apply([file(f"{i}.md", entry(f"n{i}", text, pieces=[(f"h{i}", "")])) for i, text in enumerate(words)])
        index.put_vectors("m", [(f"h{i}", [1, i, 0, 1]) for i in range(number)])
        index.apply([], ["7.md"])


def use(index: SqliteIndex) -> None:
    """Every verb once."""
    asked(index, "fox w7 u9")
    index.near("m", [1, 0, 0, 0], within())
    index.browse(within(), limit=1000)
    index.records([Ref(HERE, f"n{i}") for i in range(0, 400, 7)])
    index.linked([Ref(HERE, "n1")], within())
    index.versions()
    index.stats()
    index.apply([file("new.md", entry("new", "fox"))], ["3.md"])


@pytest.mark.parametrize("left", [0.999, 0.7, 0.4, 0.1])
def test_a_file_that_was_cut_is_noticed(path: str, left: float) -> None:
    filled(path)
    os.truncate(path, int(os.path.getsize(path) * left))
    with pytest.raises(IndexDamaged) as caught, SqliteIndex(path) as index:
        use(index)
    assert "index again" in str(caught.value)
    assert path in str(caught.value)


def test_noise_is_answered_or_noticed_and_never_breaks(path: str) -> None:
    filled(path)
    whole = Path(path).read_bytes()
    chance = random.Random(11)
    noticed = 0
    for _ in range(60):
        noisy = bytearray(whole)
        for _ in range(chance.choice([1, 8, 64])):
            start = chance.randrange(len(noisy))
            noisy[start : start + 16] = chance.randbytes(len(noisy[start : start + 16]))
        Path(path).write_bytes(noisy)
        for end in ("-wal", "-shm"):
            Path(path + end).unlink(missing_ok=True)
        try:
            with SqliteIndex(path) as index:
                use(index)
        except IndexFailed:
            noticed += 1
    assert noticed > 20


@pytest.mark.parametrize("content", [b"not a database at all, but text", b"SQLite format 3\0" + b"\0" * 5000])
def test_what_is_no_database_is_refused(path: str, content: bytes) -> None:
    Path(path).write_bytes(content)
    with pytest.raises(IndexDamaged):
        SqliteIndex(path)
    assert Path(path).read_bytes()[:16] == content[:16]


def test_another_database_is_refused_and_left_alone(path: str) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    before = Path(path).read_bytes()
    with pytest.raises(IndexDamaged, match="not an index of Quire"):
        SqliteIndex(path)
    assert Path(path).read_bytes() == before


def test_another_version_is_refused(path: str) -> None:
    filled(path)
    database = apsw.Connection(path)
    database.pragma("user_version", 99)
    database.close()
    with pytest.raises(IndexDamaged, match="version 99"):
        SqliteIndex(path)


def test_a_file_taken_away_while_open_is_noticed(path: str) -> None:
    filled(path)
    with SqliteIndex(path) as index:
        assert asked(index, "fox")
        for end in ("", "-wal", "-shm"):
            Path(path + end).unlink(missing_ok=True)
        for verb in (lambda: asked(index, "fox"), index.versions, index.clear, lambda: index.apply([], ["1.md"])):
            with pytest.raises(IndexDamaged, match="taken away"):
                verb()
    filled(path, 5)
    with SqliteIndex(path) as index:
        assert len(asked(index, "fox")) == 5


def test_a_file_replaced_while_open_is_noticed(path: str, tmp_path: Path) -> None:
    filled(path)
    with SqliteIndex(path) as index:
        filled(str(tmp_path / "other.db"), 5)
        os.replace(tmp_path / "other.db", path)
        with pytest.raises(IndexDamaged):
            asked(index, "fox")


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnavailable):
        SqliteIndex(str(tmp_path / "file" / "index.db"))


def test_a_change_that_failed_leaves_nothing_behind_not_even_in_memory(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Writer) -> None:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(store, "_OF_A_SIZE", 2)
    with SqliteIndex(path) as index, RamIndex() as model:
        for step in range(12):
            good = file("a.md", *(entry(f"n{i}", f"fox u{i} s{step}") for i in range(step + 1)), version=str(step))
            bad = [file(f"{i}.md", entry(f"bad{i}", f"fox bad v{i}")) for i in range(step + 2)]
            with monkeypatch.context() as patch, pytest.raises(IndexUnavailable, match="full"):
                patch.setattr(Writer, "_drop_vectors", fail)
                index.apply(bad)
            index.apply([good])
            model.apply([good])
            for words in ("fox bad", f"u{step} v0", f"s{step}"):
                assert asked(index, words) == asked(model, words)


def test_a_closed_index_says_so(path: str) -> None:
    index = SqliteIndex(path)
    index.close()
    with pytest.raises(IndexUnavailable, match="closed"):
        asked(index, "fox")


def test_a_full_disk_keeps_what_is_there(path: str) -> None:
    filled(path)
    with SqliteIndex(path) as index:
        index._connection.db.pragma("max_page_count", index._connection.db.pragma("page_count") + 2)
        with pytest.raises(IndexUnavailable, match="full"):
            index.apply([file(f"x{i}.md", entry(f"x{i}", f"fox v{i} " * 50)) for i in range(2_000)])
        assert len(asked(index, "fox", limit=1_000)) == 399
        assert asked(index, "v1") == []
        index._connection.db.pragma("max_page_count", 1 << 30)
        index.apply([file("x.md", entry("x", "v1"))])
        assert ids(asked(index, "v1")) == ["x"]
