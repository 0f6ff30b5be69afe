"""Making the table, and making sure that it is ours."""

from __future__ import annotations

import hashlib
import re

from quire.backends.postgres import statements
from quire.backends.postgres.failures import unreachable
from quire.backends.postgres.server import Lost, Server
from quire.errors import SelectionError

_NAME = re.compile(r"(?:[a-z_][a-z0-9_]{0,50}\.)?[a-z_][a-z0-9_]{0,50}")


def quoted(table: str) -> str:
    """`table` as an identifier. Raises SelectionError unless it is `name` or `schema.name`, in small ASCII letters.

    >>> quoted("app.notes")
    '"app"."notes"'
    """
    if not isinstance(table, str) or not _NAME.fullmatch(table):
        raise SelectionError(
            f"{table!r} cannot be the name of the table",
            remedy="Use a-z, 0-9 and _, at most 51 characters, with a schema and a dot before it if you like",
            code="BAD_TABLE_NAME",
        )
    return ".".join(f'"{part}"' for part in table.split("."))


async def ensure(server: Server, table: str) -> None:
    """Make the table unless it is there. Raises SelectionError where something else bears the name.

    Many processes may do this at once: `IF NOT EXISTS` alone is a race between them, so they queue at a lock that the
    server frees with the transaction. Where the table stands no right to create one is needed.
    """
    if await _shape(server, table) == statements.EXPECTED_SHAPE:
        return
    try:
        await _create(server, table)
    except Lost as lost:
        raise unreachable(server.address.place, str(lost)) from lost
    odd = await _shape(server, table) ^ statements.EXPECTED_SHAPE
    if odd:
        raise SelectionError(
            f"there is a table {table} of another shape (it differs in: {'; '.join(sorted(odd)[:3])})",
            where=server.address.place,
            remedy="Choose another name with `table`",
            code="TABLE_MISMATCH",
        )


async def _create(server: Server, table: str) -> None:
    number = int.from_bytes(hashlib.sha256(f"quire {table}".encode()).digest()[:8], signed=True)
    index = '"' + table.rpartition(".")[2].strip('"') + '_parent"'
    async with server.session(server.deadline()) as session, session.connection.transaction():
        await session.connection.execute(statements.LOCK_SCHEMA, number)
        if not await session.connection.fetchval("SELECT to_regclass($1)::text", table):
            await session.connection.execute(statements.TABLE.replace("{table}", table))
            await session.connection.execute(statements.INDEX.replace("{table}", table).replace("{index}", index))


async def _shape(server: Server, table: str) -> frozenset[str]:
    return frozenset(row[0] for row in await server.ask(statements.SHAPE, table))
