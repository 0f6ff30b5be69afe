"""A disk that is full in the middle of a change: an error that says so, the old state, and no harm done."""

from __future__ import annotations

import datetime as dt
import random
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import quire
from quire import Memory
from quire.errors import StorageFull
from tests.budget import budget
from tests.engine.campaigns.running import report
from tests.engine.looking import tree

pytestmark = pytest.mark.torture
LONG = "x" * 100_000
DAY = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize("world", ["root", "vault"])
def test_a_disk_that_is_full_from_any_file_call_on(tmp_path: Path, trials: Path, world: str) -> None:
    seed = random.SystemRandom().getrandbits(32)
    found = report("filling", world, seed, budget(8, 1), trials, folder=tmp_path)
    assert found["STORAGE_FULL"] > found["fillings"] // 2


@contextmanager
def limited(size: int) -> Iterator[None]:
    """No file may grow beyond `size`: the kernel cuts the write short, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


CHANGES: dict[str, Callable[[Memory], object]] = {
    "save": lambda memory: memory.save(LONG, kind="fix", slug="long"),
    "save what supersedes": lambda memory: memory.save(LONG, kind="fix", slug="long", supersedes="fix/x"),
    "evolve": lambda memory: memory.evolve("fix/x", LONG),
    "append": lambda memory: memory.append(LONG),
}


@pytest.mark.parametrize("verb", CHANGES)
def test_a_write_that_the_kernel_cuts_short_leaves_the_old_state(tmp_path: Path, verb: str) -> None:
    with quire.open(tmp_path / "root", timezone="UTC", now=lambda: DAY) as memory:
        memory.save("Short.", kind="fix", slug="x")
        memory.append("Short, too.")
        before, records = tree(memory), [change.id for change in memory.changes()]
        with limited(20_000), pytest.raises(StorageFull):
            CHANGES[verb](memory)
        assert tree(memory) == before
        assert [change.id for change in memory.changes()] == records
        assert not list(tmp_path.rglob(".journal/open/*"))
        CHANGES[verb](memory)
        memory.undo()
        assert tree(memory) == before
