"""The server dies in the middle of a run of writes."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.backends.postgres import PostgresBackend
from quire.errors import (
    StorageError,
    Unavailable,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, ANY
from tests.servers.postgres import PostgresServer


def test_a_killed_server_keeps_what_it_acknowledged(server: PostgresServer, root: str) -> None:
    acknowledged: list[tuple[str, str]] = []
    failures: list[BaseException] = []
    done = threading.Event()

    def work(storage: PostgresBackend, number: int) -> None:
        for step in itertools.count():
            if done.is_set():
                return
            key, text = f"{number}/{step}", f"text {number} {step}"
            try:
                storage.write(Locator(key), text, if_version=ABSENT if step % 2 else ANY)
                acknowledged.append((key, text))
            except BaseException as error:
                failures.append(error)

    def until_more(count: int) -> None:
        wanted, deadline = len(acknowledged) + count, time.monotonic() + 60
        while len(acknowledged) < wanted:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    with PostgresBackend(server.dsn, root=root, timeout=30) as storage, ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, storage, number) for number in range(3)]
        try:
            for _ in range(3):
                until_more(50)
                server.kill()
                server.restart()
            until_more(50)
        finally:
            done.set()
        for each in running:
            each.result()
        assert all(storage.read(Locator(key)) == text for key, text in acknowledged)
        assert all(isinstance(error, StorageError) for error in failures), failures
        assert len(failures) <= 9  # those under way in each of three kills, at most


def test_a_server_that_is_gone_is_unavailable_and_found_again(server: PostgresServer, root: str) -> None:
    with PostgresBackend(server.dsn, root=root, timeout=0.5) as storage:
        at = storage.write(Locator("a"), "kept")
        server.kill()
        try:
            for attempt in (
                lambda: storage.read(at),
                lambda: storage.write(at, "x"),
                lambda: storage.write(at, "x", if_version=ABSENT),
                lambda: storage.exists(at),
                lambda: storage.list(at),
                lambda: list(storage.walk(Locator())),
                lambda: storage.delete(at),
                lambda: storage.move(at, Locator("b")),
                lambda: storage.mkdir(Locator("c")),
                lambda: PostgresBackend(server.dsn, timeout=0.5),
            ):
                with pytest.raises(Unavailable) as caught:
                    attempt()
                assert f"127.0.0.1:{server.port}" in str(caught.value)
        finally:
            server.restart()
        assert storage.read(at) == "kept"
