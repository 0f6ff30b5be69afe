"""The Postgres backend sits the exam on a real server."""

import asyncio
from collections.abc import Callable, Iterator

import asyncpg
import pytest

from quire.backends.postgres import PostgresBackend
from quire.testing import StorageBackendTests
from tests.servers.postgres import PostgresServer


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
