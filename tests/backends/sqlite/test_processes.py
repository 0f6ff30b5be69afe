"""Several processes on one file: one writes at a time, nobody waits to read, all see what is written."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quire.backends.sqlite import SqliteIndex
from quire.errors import IndexUnavailable
from quire.testing.index.making import asked, entry, file, ids, within

WRITER = """
import sys
from quire.backends.sqlite import SqliteIndex
from quire.ports.index import IndexedFile, Piece, Record
path, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
with SqliteIndex(path) as index:
    print("ready", flush=True)
    for i in range(number):
        words = {"body": ["fox", name, f"u{i}"]}
        record = Record("s", f"{name}{i}", "fix", words=words, pieces=(Piece(0, 1, f"{name}{i}"),))
        index.apply([IndexedFile(f"{name}{i % 50}.md", str(i), [record])])
        index.put_vectors("m", [(f"{name}{i}", [1.0, float(i)])])
        print(i, flush=True)
"""
HERE = within("s")


def writer(path: str, name: str, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, name, str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_what_one_process_writes_the_next_question_of_another_finds(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    with SqliteIndex(path) as index:
        child = writer(path, "a", 40)
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        for i in range(40):
            assert child.stdout.readline() == f"{i}\n"
            assert ids(asked(index, f"u{i}", HERE)) == [f"a{i}"]
            assert f"a{i}" in ids(index.near("m", [1.0, float(i)], HERE))
        assert child.communicate() == ("", "")
        assert child.returncode == 0


def test_processes_that_open_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "index.db")
    children = [writer(path, name, 50) for name in "abc"]
    for child in children:
        _, errors = child.communicate()
        assert child.returncode == 0, errors
    with SqliteIndex(path) as index:
        assert len(asked(index, "fox", HERE, limit=500)) == 150
        assert len(index.near("m", [1, 0], HERE, limit=500)) == 150
        assert len(index.versions()) == 150


@pytest.mark.parametrize("after", [1, 9, 33, 70])
def test_a_writer_that_is_killed_leaves_a_whole_index(tmp_path: Path, after: int) -> None:
    path = str(tmp_path / "index.db")
    child = writer(path, "a", 10_000)
    assert child.stdout
    for _ in range(after + 1):
        child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with SqliteIndex(path) as index:
        found = asked(index, "fox", HERE, limit=500)
        assert sorted(hit.key for hit in found) == list(index.versions())
        assert len(found) >= min(after, 50)
        index.apply([file("b.md", entry("b", "fox", scope="s"))])
        assert len(asked(index, "fox", HERE, limit=500)) == len(found) + 1


def test_a_reader_does_not_wait_for_a_writer_and_sees_none_of_its_half(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    with SqliteIndex(path) as one, SqliteIndex(path) as two:
        one.apply([file("a.md", entry("a", "fox"))])
        with one._connection.writing() as view:
            view.db.execute("DELETE FROM records")
            started = time.monotonic()
            assert ids(asked(two, "fox")) == ["a"]
            assert time.monotonic() - started < 5
            view.db.execute("ROLLBACK")
            view.db.execute("BEGIN")
        assert ids(asked(one, "fox")) == ["a"]


def test_a_writer_that_waits_too_long_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    with SqliteIndex(path) as one, SqliteIndex(path) as two, one._connection.writing():
        two._connection.db.set_busy_timeout(50)
        with pytest.raises(IndexUnavailable, match="writing"):
            two.apply([file("a.md", entry("a", "fox"))])


def test_threads_share_one_index(tmp_path: Path) -> None:
    with SqliteIndex(str(tmp_path / "index.db")) as index:
        barrier = threading.Barrier(4)

        def work(name: int) -> int:
            barrier.wait()
            for i in range(20):
                index.apply([file(f"{name}-{i}.md", entry(f"{name}-{i}", f"fox w{name}"))])
                assert len(asked(index, f"w{name}")) == i + 1
            return len(asked(index, f"w{name}"))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [20] * 4
        assert len(asked(index, "fox", limit=200)) == 80
