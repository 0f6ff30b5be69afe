"""A fresh root on the real server for each test."""

import itertools
from collections.abc import Iterator

import pytest

from quire.backends.postgres import PostgresBackend
from tests.servers.postgres import PostgresServer

NUMBERS = itertools.count()


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
