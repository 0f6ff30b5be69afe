"""Lost replies, crashes, and many writers: each change is in effect once, or its caller is told that nobody knows."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from quire.backends.s3 import S3Backend
from quire.errors import AlreadyExists, Conflict, OutcomeUnknown, QuireError, Unavailable
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
from tests.backends.counting import count_in_processes
from tests.servers.proxy import Proxy, proxy_to
from tests.servers.s3 import BUCKET, S3Server, running_s3


@pytest.fixture
def proxy(s3_server: S3Server) -> Iterator[Proxy]:
    with proxy_to(s3_server.ports["s3"]) as proxy:
        yield proxy


def through(proxy: Proxy, server: S3Server, timeout: float = 10.0) -> S3Backend:
    """A backend behind the proxy that has passed its probe, so that what is spoiled is the test's own request."""
    storage = S3Backend(f"s3://{BUCKET}", **{**server.keys, "endpoint": proxy.endpoint}, timeout=timeout)
    storage.write(Locator("first"), "")
    return storage


def test_eight_processes_count_to_the_exact_sum(s3_server: S3Server, storage: S3Backend, bucket: str) -> None:
    assert count_in_processes(storage, {"url": f"s3://{bucket}", **s3_server.keys}) == 8 * 200


# Lost replies


@pytest.mark.parametrize("fault", ["drop", "cut"])
def test_a_lost_reply_to_a_write_is_found_out(s3_server: S3Server, proxy: Proxy, bucket: str, fault: str) -> None:
    storage = through(proxy, s3_server)
    spoil = {"drop": proxy.drop_next, "cut": proxy.cut_next}[fault]
    at = Locator("counter")
    spoil(b"PUT")
    storage.write(at, "0", if_version=ABSENT)
    for number in range(10):
        spoil(b"PUT")
        storage.write(at, str(number + 1), if_version=version_of(str(number)))
    spoil(b"PUT")
    storage.write(at, "any")
    assert storage.read(at) == "any"
    assert proxy.spoiled == 12
    with pytest.raises(AlreadyExists):
        storage.write(at, "any", if_version=ABSENT)


@pytest.mark.parametrize("fault", ["drop", "cut"])
def test_a_lost_reply_to_a_delete_is_found_out(s3_server: S3Server, proxy: Proxy, bucket: str, fault: str) -> None:
    storage = through(proxy, s3_server)
    at = storage.write(Locator("a"), "x")
    {"drop": proxy.drop_next, "cut": proxy.cut_next}[fault](b"DELETE")
    storage.delete(at, if_version=version_of("x"))
    assert proxy.spoiled == 1
    assert not storage.exists(at)


@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
def test_reads_outlive_a_cut(s3_server: S3Server, proxy: Proxy, bucket: str, method: bytes) -> None:
    storage = through(proxy, s3_server)
    at = storage.write(Locator("a/b"), "x")
    looks: list[Callable[[], bool]] = [
        lambda: storage.read(at) == "x",
        lambda: storage.exists(at),
        lambda: storage.list(Locator("a")) == [at],
        lambda: [info.locator for info in storage.walk(Locator("a"))] == [at],
    ]
    for look in looks:
        proxy.drop_next(method)
        assert look()


def test_says_so_when_another_wrote_over_a_write_whose_reply_was_lost(
    s3_server: S3Server, storage: S3Backend, proxy: Proxy
) -> None:
    """Ours lands, its reply is lost, and another's write lands before we look: no honest answer is yes or no."""
    lossy = through(proxy, s3_server)
    at = storage.write(Locator("a"), "0")
    passed: list[bytes] = []

    def judge(start: bytes) -> str:
        passed.append(start.split(b" ", 1)[0])
        if passed[-1] == b"PUT":
            return "drop"
        if passed[-1] == b"HEAD" and b"PUT" in passed:
            proxy.judge = lambda start: "pass"
            storage.write(at, "2", if_version=version_of("1"))
        return "pass"

    proxy.judge = judge
    with pytest.raises(OutcomeUnknown):
        lossy.write(at, "1", if_version=version_of("0"))
    assert storage.read(at) == "2"


def test_two_that_write_the_same_bytes_do_not_take_each_others_for_their_own(
    s3_server: S3Server, storage: S3Backend, proxy: Proxy
) -> None:
    """Ours never arrives, another's with the same bytes does: the content would say it is ours."""
    lossy = through(proxy, s3_server)
    at = storage.write(Locator("counter"), "0")

    def judge(start: bytes) -> str:
        if not start.startswith(b"PUT"):
            return "pass"
        proxy.judge = lambda start: "pass"
        storage.write(at, "1", if_version=version_of("0"))
        return "cut"

    proxy.judge = judge
    with pytest.raises((OutcomeUnknown, Conflict)):
        lossy.write(at, "1", if_version=version_of("0"))


def test_a_lossy_network_loses_and_doubles_nothing(s3_server: S3Server, storage: S3Backend, proxy: Proxy) -> None:
    """One request in ten is cut or its reply dropped, under four counters."""
    at = storage.write(Locator("counter"), "0")
    handles = [through(proxy, s3_server) for _ in range(4)]
    dice = random.Random(11)

    def judge(start: bytes) -> str:
        return dice.choice(["drop", "cut"]) if dice.random() < 0.1 else "pass"

    proxy.judge = judge

    def count(handle: S3Backend) -> tuple[int, int]:
        done = unknown = 0
        while done + unknown < 25:
            try:
                seen = handle.read(at)
                handle.write(at, str(int(seen) + 1), if_version=version_of(seen))
                done += 1
            except Conflict:
                continue
            except OutcomeUnknown:
                unknown += 1
        return done, unknown

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(count, handles))
    proxy.judge = lambda start: "pass"
    done, unknown = (sum(column) for column in zip(*results, strict=True))
    assert proxy.spoiled > 20
    assert done <= int(storage.read(at)) <= done + unknown


# Crashes


def test_a_killed_server_loses_nothing_that_was_acknowledged() -> None:
    with running_s3() as server:
        server.make_bucket(BUCKET)
        storage = S3Backend(f"s3://{BUCKET}", **server.keys, timeout=6)
        storage.write(Locator("counter"), "0", if_version=ABSENT)
        acknowledged, failed, unknown = [], [], 0
        stop, enough = threading.Event(), threading.Event()

        def write() -> None:
            nonlocal unknown
            number = 0
            while not stop.is_set():
                number += 1
                try:
                    storage.write(Locator(f"runs/{number}"), str(number), if_version=ABSENT)
                    acknowledged.append(number)
                    seen = storage.read(Locator("counter"))
                    storage.write(Locator("counter"), str(int(seen) + 1), if_version=version_of(seen))
                except QuireError as error:
                    failed.append(error)
                    unknown += isinstance(error, OutcomeUnknown)
                else:
                    counted.append(number)
                if len(acknowledged) > 50:
                    enough.set()

        counted: list[int] = []
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(write)
            assert enough.wait(30)
            server.kill()
            poll(lambda: failed, 30)
            server.restart()
            before = len(counted)
            poll(lambda: len(counted) > before + 20, 30)
            stop.set()
            run.result(30)
        assert failed
        for number in acknowledged:
            assert storage.read(Locator(f"runs/{number}")) == str(number)
        # One writer: each counted once, and each failure at most once more.
        assert len(counted) <= int(storage.read(Locator("counter"))) <= len(counted) + unknown


def poll(done: Callable[[], object], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "what was waited for did not come"
        time.sleep(0.02)


def test_a_server_that_goes_away_is_unavailable_not_absent(s3_server: S3Server, proxy: Proxy, bucket: str) -> None:
    storage = through(proxy, s3_server, timeout=0.5)
    proxy.close()
    at = Locator("first")
    for attempt in (
        lambda: storage.exists(at),
        lambda: storage.read(at),
        lambda: storage.list(Locator()),
        lambda: list(storage.walk(Locator())),
        lambda: storage.write(at, "x"),
        lambda: storage.delete(at),
    ):
        with pytest.raises((Unavailable, OutcomeUnknown)):
            attempt()
