"""Several processes on one table."""

import itertools
import subprocess
import sys

from quire.backends.postgres import PostgresBackend
from quire.locator import Locator
from tests.backends.counting import count_in_processes
from tests.servers.postgres import PostgresServer

NUMBERS = itertools.count()


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


def test_eight_processes_count_to_the_exact_sum(storage: PostgresBackend, server: PostgresServer, root: str) -> None:
    assert count_in_processes(storage, {"dsn": server.dsn, "root": root, "timeout": 60}) == 8 * 200


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
