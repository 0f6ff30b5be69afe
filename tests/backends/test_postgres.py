"""The Postgres backend on a real server: the exam, several processes, kills, lost answers, refusals."""

import asyncio
import itertools
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest

from quire.backends.postgres import PostgresBackend
from quire.errors import (
    AccessDenied,
    InvalidLocatorError,
    NotFound,
    OutcomeUnknown,
    QuireError,
    SelectionError,
    StorageError,
    Unavailable,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, ANY, version_of
from quire.testing import StorageBackendTests
from tests.servers import postgres as servers
from tests.servers.postgres import PostgresServer, Wire

postgres_server = servers.postgres_server
NUMBERS = itertools.count()
DONE = b"\0\x01\0\0\0\x01\x01C"  # a row of one column that is true, then the end: the answer to a change


@pytest.fixture
def server(postgres_server: PostgresServer) -> PostgresServer:
    return postgres_server


@pytest.fixture
def root() -> str:
    return f"root {next(NUMBERS)} of many"


@pytest.fixture
def storage(server: PostgresServer, root: str) -> Iterator[PostgresBackend]:
    with PostgresBackend(server.dsn, root=root) as storage:
        yield storage


@pytest.fixture
def other(server: PostgresServer, root: str) -> Iterator[PostgresBackend]:
    with PostgresBackend(server.dsn, root=root) as other:
        yield other


class TestPostgres(StorageBackendTests):
    # The exam has fixtures of these names, which those of the module do not replace.
    @pytest.fixture
    def storage(self, server: PostgresServer, root: str) -> Iterator[PostgresBackend]:
        with PostgresBackend(server.dsn, root=root) as storage:
            yield storage

    @pytest.fixture
    def other(self, server: PostgresServer, root: str) -> Iterator[PostgresBackend]:
        with PostgresBackend(server.dsn, root=root) as other:
            yield other

    @pytest.fixture
    def peek(self, server: PostgresServer, root: str) -> Callable[[str], bytes]:
        async def query(key: str) -> bytes:
            connection = await asyncpg.connect(server.dsn)
            try:
                sql = "SELECT content FROM quire_files WHERE root = $1 AND key = $2"
                return bytes(await connection.fetchval(sql, root, key))
            finally:
                await connection.close()

        return lambda key: asyncio.run(query(key))


# Several processes


def start_python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that runs `code`, with every warning an error."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def outputs(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What each printed, once each has ended well and in silence. All begin as their standard input is closed."""
    results = [process.communicate(timeout=300) for process in processes]
    assert [(process.returncode, result[1]) for process, result in zip(processes, results, strict=True)] == [
        (0, "") for _ in processes
    ]
    return [result[0].strip() for result in results]


COUNT = """
import sys
from quire.backends.postgres import PostgresBackend
from quire.errors import Conflict
from quire.locator import Locator
from quire.ports.storage import version_of

with PostgresBackend(sys.argv[1], root=sys.argv[2], timeout=60) as storage:
    sys.stdin.read()
    for _ in range(200):
        while True:
            seen = storage.read(Locator("counter"))
            try:
                storage.write(Locator("counter"), str(int(seen) + 1), if_version=version_of(seen))
                break
            except Conflict:
                pass
"""


def test_increments_of_eight_processes_all_count(storage: PostgresBackend, server: PostgresServer, root: str) -> None:
    at = storage.write(Locator("counter"), "0")
    outputs([start_python(COUNT, server.dsn, root) for _ in range(8)])
    assert storage.read(at) == "1600"


def test_many_processes_make_the_table_at_once(server: PostgresServer) -> None:
    code = (
        "import sys; from quire.backends.postgres import PostgresBackend; from quire.locator import Locator\n"
        "sys.stdin.read(); s = PostgresBackend(sys.argv[1], table=sys.argv[2]); s.write(Locator(sys.argv[3]), 'x')\n"
        "s.close()"
    )
    table = f"made_at_once_{next(NUMBERS)}"
    outputs([start_python(code, server.dsn, table, str(number)) for number in range(6)])
    with PostgresBackend(server.dsn, table=table) as storage:
        assert [at.key for at in storage.list(Locator())] == list("012345")


def test_a_process_may_end_without_closing(server: PostgresServer, root: str) -> None:
    code = (
        "import sys; from quire.backends.postgres import PostgresBackend; from quire.locator import Locator\n"
        "storage = PostgresBackend(sys.argv[1], root=sys.argv[2]); storage.write(Locator('a'), 'x')"
    )
    outputs([start_python(code, server.dsn, root)])


def test_a_forked_child_is_told_to_open_its_own(server: PostgresServer, root: str) -> None:
    code = """
import os, sys, warnings
from quire.backends.postgres import PostgresBackend
from quire.errors import Unavailable
from quire.locator import Locator

warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of Python warn of forks beside threads
storage = PostgresBackend(sys.argv[1], root=sys.argv[2])
at = storage.write(Locator("a"), "parent")
if not (child := os.fork()):
    try:
        storage.read(at)
    except Unavailable as error:
        storage.close()
        with PostgresBackend(sys.argv[1], root=sys.argv[2]) as own:
            own.write(at, str(error))
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
print(storage.read(at))
storage.close()
"""
    assert "before a fork" in outputs([start_python(code, server.dsn, root)])[0]


# The server dies


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


# Answers are lost


@pytest.fixture
def wire(server: PostgresServer) -> Iterator[Wire]:
    wire = Wire(server.port)
    yield wire
    wire.close()


@pytest.fixture
def lossy(wire: Wire, root: str) -> Iterator[PostgresBackend]:
    with PostgresBackend(wire.dsn, root=root, timeout=5) as storage:
        yield storage


def test_increments_are_exact_whatever_is_lost(wire: Wire, lossy: PostgresBackend, storage: PostgresBackend) -> None:
    at = storage.write(Locator("counter"), "0")
    for number in range(30):
        if number % 3 == 1:
            wire.cut(DONE)
        if number % 3 == 2:
            wire.cut(version_of(str(number)).encode())  # the request, so that nothing is done
        lossy.write(at, str(number + 1), if_version=version_of(str(number)))
        assert storage.read(at) == str(number + 1)
        assert wire.pending == 0


def test_a_change_whose_answer_is_lost_has_happened(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend
) -> None:
    at, moved = Locator("folder/a"), Locator("else/where/b")
    for change in (
        lambda: lossy.write(at, "one", if_version=ABSENT),
        lambda: lossy.write(at, "two"),
        lambda: lossy.mkdir(Locator("new/deep")),
        lambda: lossy.move(at, moved),
        lambda: lossy.move(Locator("else"), Locator("folder/within")),
        lambda: lossy.delete(Locator("new/deep")),
    ):
        wire.cut(DONE)
        change()
        assert wire.pending == 0
    assert [(info.locator.key, storage.read(info.locator)) for info in storage.walk(Locator())] == [
        ("folder/within/where/b", "two")
    ]
    assert storage.list(Locator()) == [Locator("folder"), Locator("new")]


def test_a_change_that_never_arrived_is_sent_again(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend, root: str
) -> None:
    wire.cut(b"cut this text")
    at = lossy.write(Locator("a"), "cut this text", if_version=ABSENT)
    assert (storage.read(at), wire.pending) == ("cut this text", 0)
    for verb in (lossy.read, lossy.info, lossy.list, lossy.exists):
        wire.cut(root.encode())
        verb(at)
        assert wire.pending == 0


def test_who_cannot_know_says_so(wire: Wire, lossy: PostgresBackend, storage: PostgresBackend) -> None:
    at = storage.write(Locator("a"), "one")
    wire.cut(DONE, then=lambda: storage.write(at, "three"))
    with pytest.raises(OutcomeUnknown) as caught:
        lossy.write(at, "two", if_version=version_of("one"))
    assert caught.value.where == "a"
    wire.cut(b"a text for anyone")
    with pytest.raises(OutcomeUnknown):
        lossy.write(at, "a text for anyone")  # whether it was there and written over does not show
    wire.cut(DONE, then=lambda: storage.write(at, "new"))
    with pytest.raises(OutcomeUnknown):
        lossy.delete(at)
    assert storage.read(at) == "new"


def test_an_answer_that_does_not_come_is_not_waited_for(wire: Wire, storage: PostgresBackend, root: str) -> None:
    with PostgresBackend(wire.dsn, root=root, timeout=0.5) as hasty:
        at = hasty.write(Locator("a"), "one")
        wire.swallow(DONE)
        hasty.write(at, "two", if_version=version_of("one"))
        assert storage.read(at) == "two"
        wire.swallow(root.encode())
        with pytest.raises(Unavailable):
            hasty.read(at)
        assert hasty.read(at) == "two"


def test_a_lost_statement_cannot_act_later(
    wire: Wire, lossy: PostgresBackend, storage: PostgresBackend, server: PostgresServer, root: str
) -> None:
    """It waits for a lock as its connection is cut. The call ends; then the lock is freed, and it must not wake."""
    at = storage.write(Locator("a"), "one")

    async def play() -> None:
        holder = await asyncpg.connect(server.dsn)
        try:
            holding = holder.transaction()
            await holding.start()
            await holder.execute("SELECT FROM quire_files WHERE root = $1 AND key = 'a' FOR UPDATE", root)
            call = asyncio.create_task(asyncio.to_thread(lossy.write, at, "late"))
            blocked = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
            deadline = time.monotonic() + 20
            while not await holder.fetchval(blocked, holder.get_server_pid()):
                assert time.monotonic() < deadline
            wire.cut_all()
            with pytest.raises(OutcomeUnknown):
                await call
            assert await holder.fetchval(blocked, holder.get_server_pid()) == 0
            await holding.rollback()
        finally:
            await holder.close()

    asyncio.run(play())
    assert storage.read(at) == "one"


def test_a_statement_that_takes_too_long_is_ended_and_changes_nothing(server: PostgresServer, root: str) -> None:
    async def play(storage: PostgresBackend) -> None:
        holder = await asyncpg.connect(server.dsn)
        try:
            async with holder.transaction():
                await holder.execute("SELECT FROM quire_files WHERE root = $1 FOR UPDATE", root)
                with pytest.raises(Unavailable, match="raise `timeout`"):
                    await asyncio.to_thread(storage.write, Locator("a"), "two")
        finally:
            await holder.close()

    with PostgresBackend(server.dsn, root=root, timeout=0.3) as storage:
        storage.write(Locator("a"), "one")
        asyncio.run(play(storage))
        assert storage.read(Locator("a")) == "one"


# What is refused, and in which words


def refusal(kind: type[QuireError], attempt: Callable[[], object], *secrets: str) -> QuireError:
    """The error of `attempt`. No secret is in it, nor in anything it was raised from."""
    with pytest.raises(kind) as caught:
        attempt()
    told = "".join(traceback.format_exception_only(caught.value)) + str(vars(caught.value))
    cause: BaseException | None = caught.value
    while cause is not None:
        told += f"{cause!r} {cause}"
        cause = cause.__cause__ or cause.__context__
    assert not [secret for secret in secrets if secret in told]
    return caught.value


def test_a_password_is_checked_and_never_told(server: PostgresServer) -> None:
    at = f"127.0.0.1:{server.port}"
    PostgresBackend(server.dsn, table="for_the_guarded").close()
    server.sql(f"GRANT SELECT ON for_the_guarded TO {servers.GUARDED}")
    right = f"postgresql://{servers.GUARDED}:{quote(servers.PASSWORD, safe='')}@{at}/postgres"
    with PostgresBackend(right, table="for_the_guarded") as storage:
        assert storage.list(Locator()) == []
        error = refusal(AccessDenied, lambda: storage.write(Locator("a"), "x"), servers.PASSWORD)
        assert "permission denied" in str(error)
    error = refusal(AccessDenied, lambda: PostgresBackend(right, table="not_allowed"), servers.PASSWORD)
    assert "permission denied" in str(error)
    wrong = f"postgresql://{servers.GUARDED}:hunter2@{at}/postgres"
    error = refusal(AccessDenied, lambda: PostgresBackend(wrong), "hunter2")
    assert at in str(error) and "password" in str(error)


@pytest.mark.parametrize(
    "dsn",
    [
        "host=localhost password=hunter2",
        "mysql://me:hunter2@localhost/db",
        "postgresql://me:hunter2#x@localhost/db",
        "postgresql://me:hunter2/x@localhost/db",
        "postgresql://me:54/hunter2@localhost/db",
        "postgresql://me:hunter2?x@localhost/db",
        "postgresql://me:hunter2@localhost:port/db",
        "postgresql://me:hunter2@[::1/db",
        "",
    ],
)
def test_a_dsn_that_cannot_be_read_is_not_repeated(dsn: str) -> None:
    assert refusal(SelectionError, lambda: PostgresBackend(dsn), "hunter2").code == "BAD_DSN"


def test_each_refusal_has_its_own_code(server: PostgresServer) -> None:
    def code(**options: Any) -> str:
        return refusal(SelectionError, lambda: PostgresBackend(**{"dsn": server.dsn, **options})).code

    assert code(dsn=server.dsn.replace("/postgres", "/absent").replace("absent@", "postgres@")) == "NO_DATABASE"
    assert code(table="absent.files") == "NO_SCHEMA"
    for table in ("", "Files", "a;b", 'a"b', "1a", "a.b.c", "a b", "é", "a" * 52, "files; DROP TABLE x"):
        assert code(table=table) == "BAD_TABLE_NAME"
    for root in ("", "a\0b", "x" * 256, "\ud800"):
        assert code(root=root) == "BAD_ROOT"
    for timeout in (0, -1, float("nan")):
        assert code(timeout=timeout) == "BAD_TIMEOUT"
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    assert code(dsn=server.dsn.removesuffix("postgres") + "latin") == "BAD_ENCODING"


def test_without_the_driver_the_module_imports_and_the_class_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['asyncpg'] = None\n"
        "from quire.backends.postgres import PostgresBackend\n"
        "try: PostgresBackend('postgresql://localhost/x')\n"
        "except ModuleNotFoundError as error: print(error.name)"
    )
    assert outputs([start_python(code)]) == ["asyncpg"]


def test_a_port_where_nothing_listens_is_unavailable_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        port = taken.getsockname()[1]
        started = time.monotonic()
        error = refusal(Unavailable, lambda: PostgresBackend(f"postgresql://me:hunter2@127.0.0.1:{port}/x"), "hunter2")
    assert f"127.0.0.1:{port}" in str(error)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_would_lose_writes_is_refused(server: PostgresServer, setting: str) -> None:
    def change(command: str, value: str) -> None:
        server.sql(command, "SELECT pg_reload_conf()")
        deadline = time.monotonic() + 20
        while server.sql(f"SHOW {setting}").strip() != value:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    change(f"ALTER SYSTEM SET {setting} = off", "off")
    try:
        error = refusal(SelectionError, lambda: PostgresBackend(server.dsn))
        assert error.code == "UNSAFE_SERVER"
        assert f"{setting} = on" in error.remedy
        PostgresBackend(server.dsn, allow_unsafe=True).close()
    finally:
        change(f"ALTER SYSTEM RESET {setting}", "on")


@pytest.mark.parametrize(
    "spoil",
    [
        "DROP TABLE {0}; CREATE TABLE {0} (id int)",
        "DROP TABLE {0}; CREATE VIEW {0} AS SELECT 1 AS id",
        "ALTER TABLE {0} ADD more text",
        "ALTER TABLE {0} DROP CONSTRAINT {0}_root_parent_fkey",
        "ALTER TABLE {0} SET UNLOGGED",
        "ALTER TABLE {0} ALTER content SET NOT NULL",
    ],
)
def test_a_table_of_another_shape_is_left_alone(server: PostgresServer, spoil: str) -> None:
    table = f"spoilt_{next(NUMBERS)}"
    PostgresBackend(server.dsn, table=table).close()
    PostgresBackend(server.dsn, table=table).close()
    server.sql(spoil.format(table))
    error = refusal(SelectionError, lambda: PostgresBackend(server.dsn, table=table))
    assert error.code == "TABLE_MISMATCH"
    assert table in str(error)


def test_a_schema_may_be_named(server: PostgresServer) -> None:
    server.sql("CREATE SCHEMA apart")
    with PostgresBackend(server.dsn, table="apart.files") as storage:
        storage.write(Locator("a"), "x")
    assert server.sql("SELECT key FROM apart.files WHERE content IS NOT NULL").strip() == "a"


def test_a_closed_backend_is_unavailable(server: PostgresServer, root: str) -> None:
    storage = PostgresBackend(server.dsn, root=root)
    at = storage.write(Locator("a"), "x")
    walking = storage.walk(Locator())
    storage.close()
    for attempt in (lambda: storage.read(at), lambda: storage.write(at, "y"), lambda: list(walking)):
        assert "closed" in str(refusal(Unavailable, attempt))


# Beside each other


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
