from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.backends.sqlite import SqliteIndex
from quire.backends.sqlite.index import kept, searching, segment, store
from quire.ports.index import Index
from quire.testing import IndexTests
from quire.testing.index.making import asked, entry, fill, ids


class TestSqliteIndex(IndexTests):
    games = 60

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        return str(tmp_path / "sqlite" / "index.db")

    @pytest.fixture
    def index(self, path: str) -> Iterator[SqliteIndex]:
        with SqliteIndex(path) as index:
            yield index

    @pytest.fixture
    def other(self, index: SqliteIndex) -> Iterator[SqliteIndex]:
        with SqliteIndex(index.path) as other:
            yield other


class TestCrowdedSqliteIndex(TestSqliteIndex):
    """The same exam where every array is in parts, every second segment is merged and no vector is kept whole."""

    @pytest.fixture(autouse=True)
    def crowded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(segment, "_IN_HEAD", 1)
        monkeypatch.setattr(segment, "CHUNK", 2)
        monkeypatch.setattr(store, "_OF_A_SIZE", 2)
        monkeypatch.setattr(store, "_SMALLEST", 3)
        monkeypatch.setattr(store, "_KEPT_SEGMENTS", 2)
        monkeypatch.setattr(store, "_KEPT_BYTES", 500)
        monkeypatch.setattr(kept, "EXACT_UP_TO", 1)
        monkeypatch.setattr(kept, "STORED_UP_TO", 3)
        monkeypatch.setattr(searching, "_SPARE", 0)

    def test_ten_thousand_entries_answer_as_ten_do(self, index: Index) -> None:
        # In parts of two numbers, three hundred are as many.
        fill(index, *(entry(f"n{i:03}", f"w{i % 10} u{i}") for i in range(300)))
        assert ids(asked(index, "u77")) == ["n077"]
        assert len(asked(index, "w5")) == 30
