"""What is refused, and in which words."""

import itertools
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from quire.backends.postgres import PostgresBackend
from quire.errors import (
    AccessDenied,
    QuireError,
    SelectionError,
    Unavailable,
)
from quire.locator import Locator
from tests.servers import postgres as servers
from tests.servers.postgres import PostgresServer

NUMBERS = itertools.count()


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
