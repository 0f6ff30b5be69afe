"""Roots, folders and writers beside each other."""

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import pytest

from quire.backends.postgres import PostgresBackend
from quire.errors import (
    InvalidLocatorError,
    NotFound,
    StorageError,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
from tests.servers.postgres import PostgresServer


def test_roots_never_see_each_other(server: PostgresServer, root: str) -> None:
    names = [root, root + "'; DROP TABLE quire_files; --", root + "%", root + "_", root.replace("root", "____")]
    at = Locator("a'; DROP TABLE quire_files; --/%/_")
    with ExitStack() as stack:
        stores = [stack.enter_context(PostgresBackend(server.dsn, root=name)) for name in names]
        for storage, name in zip(stores, names, strict=True):
            assert list(storage.walk(Locator())) == []
            storage.write(at, name, if_version=ABSENT)
        stores[0].delete(at)
        stores[1].move(at, Locator("elsewhere"))
        assert [storage.exists(at) for storage in stores] == [False, False, True, True, True]
        assert [storage.read(at) for storage in stores[2:]] == names[2:]
        assert stores[1].read(Locator("elsewhere")) == names[1]
        stores[2].move(Locator("a'; DROP TABLE quire_files; --"), Locator("b"))
        assert [[info.locator.key for info in storage.walk(Locator())] for storage in stores] == [
            [], ["elsewhere"], ["b/%/_"], [at.key], [at.key],
        ]  # fmt: skip


def test_what_fails_leaves_no_folders(storage: PostgresBackend) -> None:
    at = storage.write(Locator("a"), "x")
    attempts: list[Callable[[], object]] = [
        lambda: storage.write(Locator("b/c/d"), "y", if_version=version_of("x")),
        lambda: storage.write(Locator("a/b/c"), "y"),
        lambda: storage.mkdir(Locator("a/b/c")),
        lambda: storage.move(at, Locator("e/f"), if_version=version_of("y")),
        lambda: storage.move(Locator("absent"), Locator("g/h")),
        lambda: storage.move(at, Locator("a/b/c")),
    ]
    for attempt in attempts:
        with pytest.raises(StorageError):
            attempt()
    assert storage.list(Locator()) == [at]


def test_a_folder_cannot_move_so_deep_that_keys_grow_too_long(storage: PostgresBackend) -> None:
    at = storage.write(Locator("/".join(["d" * 200] * 5)), "x")
    with pytest.raises(InvalidLocatorError):
        storage.move(Locator("d" * 200), Locator("e" * 240))
    assert storage.read(at) == "x"
    assert storage.list(Locator()) == [Locator("d" * 200)]


def test_a_folder_moves_whole_while_others_write_into_it(storage: PostgresBackend, other: PostgresBackend) -> None:
    """Each file goes with its folder or begins the next one; none is lost, left without a folder, or doubled."""
    writing = threading.Event()

    def write() -> None:
        for number in range(200):
            other.write(Locator(f"here/{number % 5}/{number}"), "x", if_version=ABSENT)
            writing.set()

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        writing.wait(20)
        for step in itertools.count():
            with suppress(NotFound):
                storage.move(Locator("here"), Locator(f"there/{step}"))
            if written.done():
                break
        written.result()
    infos = list(storage.walk(Locator()))
    assert sorted(int(info.locator.name) for info in infos) == list(range(200))
    assert all(storage.info(info.locator.parent).is_dir for info in infos)
    assert len(storage.list(Locator("there"))) > 1
