"""The calls that change something: each one statement, in effect once, whatever becomes of its answer.

Where an answer is lost, its session is fenced off, so that it cannot act any more, and the row is looked at. It bears
the call's own mark: done. It is as the call wants to find it: nothing was done, and the statement is sent again.
Anything else can have come about either way, and the caller is told so with OutcomeUnknown.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from quire.backends.postgres import statements
from quire.backends.postgres.failures import CHECK_FAILED, TAKEN, BrokenRule, unreachable
from quire.backends.postgres.server import Lost, Server
from quire.errors import (
    DirectoryNotEmpty,
    InvalidLocatorError,
    IsADirectory,
    NotADirectory,
    OutcomeUnknown,
    QuireError,
    Unavailable,
)
from quire.locator import MAX_KEY_BYTES, Locator, trusted
from quire.ports.storage import (
    ABSENT,
    IfVersion,
    Info,
    Presence,
    already_exists,
    check_move,
    check_version,
    missing,
)

Settle: TypeAlias = Callable[[], Awaitable[bool | None]]
"""What a look after a lost answer shows: it happened, it did not, or nobody can tell."""

_VERSION = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Row:
    """What stands at a key, and the mark of the call that put it there."""

    info: Info
    mark: uuid.UUID | None


class Changes:
    """The changes to one root in one table. Everything here runs on the loop of `server`."""

    def __init__(self, server: Server, table: str, root: str) -> None:
        self._server, self._table, self._root = server, table, root

    async def ask(self, statement: str, *args: object) -> list[Any]:
        """The rows of a statement that reads. Raises what `Server.ask` raises."""
        return await self._server.ask(statement.replace("{table}", self._table), self._root, *args)

    async def look(self, *keys: str) -> dict[str, Row]:
        """What stands at these keys, now. The root always does, even before it has a row."""
        found = {row["key"]: Row(info_of(row), row["write_id"]) for row in await self.ask(statements.LOOK, list(keys))}
        if "" in keys:
            found.setdefault("", Row(Info(trusted(""), True, 0, 0.0), None))
        return found

    async def write(self, locator: Locator, content: bytes, if_version: IfVersion) -> None:
        key, mark = locator.key, uuid.uuid4()
        if not key:
            raise IsADirectory("the root is a folder", where="/", remedy="Name a file in it")
        if not (isinstance(if_version, Presence) or (isinstance(if_version, str) and _VERSION.fullmatch(if_version))):
            await self._explain(locator, if_version)  # nothing has such a version, so this raises

        async def settle() -> bool | None:
            row = (await self.look(key)).get(key)
            if row and row.mark == mark:
                return True
            untouched = row is None if if_version is ABSENT else row is not None and row.info.version == if_version
            return False if untouched else None

        folders: list[str] = []  # to be made along with the file, once they are known to be missing
        deadline = self._server.deadline()
        while True:
            statement, *more = _writing(if_version, folders)
            try:
                if await self._once(locator, settle, statement, key, content, mark, *more):
                    return
            except BrokenRule:
                await self._refuse_file_above(locator)
                folders = _folders_above(locator)
            else:
                await self._explain(locator, if_version)
            self._give_up_after(deadline, locator)

    async def mkdir(self, locator: Locator) -> None:
        async def settle() -> bool | None:
            return False  # twice is as good as once

        deadline = self._server.deadline()
        while True:
            row = (await self.look(locator.key)).get(locator.key)
            if row and row.info.is_dir:
                return
            if row:
                raise _file_above(locator.key, locator)
            try:
                folders = [*_folders_above(locator), locator.key]
                await self._once(locator, settle, statements.MKDIR, folders, uuid.uuid4())
            except BrokenRule:
                await self._refuse_file_above(locator)
            self._give_up_after(deadline, locator)

    async def delete(self, locator: Locator, if_version: IfVersion) -> None:
        if not locator.key:
            raise IsADirectory("the root cannot be deleted", where="/")

        deadline = self._server.deadline()
        while True:
            seen = await self._seen(locator)
            check_version(locator, if_version, seen.info.version)

            async def settle(seen: Row = seen) -> bool | None:
                row = (await self.look(locator.key)).get(locator.key)
                if row is None:
                    return True
                return False if row.mark == seen.mark else None

            try:
                if await self._once(locator, settle, statements.DELETE, locator.key, seen.mark):
                    return
            except BrokenRule as error:
                raise DirectoryNotEmpty("the folder holds something", where=locator.key) from error
            self._give_up_after(deadline, locator)

    async def move(self, source: Locator, target: Locator, if_version: IfVersion) -> None:
        mark, folders = uuid.uuid4(), _folders_above(target)
        deadline = self._server.deadline()
        while True:
            seen = await self._seen(source)
            check_move(source, target, seen.info, if_version)
            taken = (await self.look(target.key)).get(target.key)
            if taken:
                raise already_exists(target, taken.info.version or None)
            check_version(source, if_version, seen.info.version)
            if target.key.startswith(source.key + "/"):
                raise _file_above(source.key, target)  # one statement could do it: the file goes and a folder comes

            async def settle(seen: Row = seen) -> bool | None:
                rows = await self.look(source.key, target.key)
                if target.key in rows and rows[target.key].mark == mark:
                    return True
                return False if source.key in rows and rows[source.key].mark == seen.mark else None

            try:
                moved = (source.key, target.key, mark, folders, seen.mark)
                if await self._once(source, settle, statements.MOVE, *moved):
                    return
            except BrokenRule as rule:
                if rule.state == CHECK_FAILED:
                    raise InvalidLocatorError(
                        f"a key below would be longer than {MAX_KEY_BYTES} bytes", where=target.key
                    ) from rule
                if rule.state != TAKEN:  # the next look names the one who took it
                    await self._refuse_file_above(target)
            self._give_up_after(deadline, source)

    async def _once(self, locator: Locator, settle: Settle, statement: str, *args: object) -> bool:
        """Whether the statement did something; it does so once. Raises BrokenRule, OutcomeUnknown, or what failed."""
        deadline = self._server.deadline()
        recovered_by: float | None = None
        while True:
            try:
                rows = await self._server.fetch(deadline, statement.replace("{table}", self._table), self._root, *args)
                return bool(rows)
            except Lost as lost:
                if recovered_by is None:
                    recovered_by = self._server.deadline()
                try:
                    await self._server.fence(lost.session, recovered_by)
                    done = await settle()
                except QuireError as error:
                    raise self._unknown(locator, f"{lost}; and then: {error.what}") from error
                if done is None:
                    raise self._unknown(locator, f"{lost}; and then someone else wrote") from lost
                if done:
                    return True
                if self._server.past(recovered_by):
                    raise unreachable(self._server.address.place, f"{lost}; nothing was changed") from lost
                deadline = recovered_by

    def _unknown(self, locator: Locator, said: str) -> OutcomeUnknown:
        return OutcomeUnknown(
            f"the answer of the database was lost, and the change may or may not have happened ({said})",
            where=locator.key,
            remedy="Read it, then decide",
        )

    async def _seen(self, locator: Locator) -> Row:
        row = (await self.look(locator.key)).get(locator.key)
        if row is None:
            raise missing(locator)
        return row

    async def _explain(self, locator: Locator, if_version: IfVersion) -> None:
        """Raises the error for a write that found its place not as it asked; returns if that has changed since."""
        row = (await self.look(locator.key)).get(locator.key)
        if row is None:
            await self._refuse_file_above(locator)
        elif row.info.is_dir:
            raise IsADirectory("a folder is here", where=locator.key, remedy="Name a file in it")
        check_version(locator, if_version, row.info.version if row else None)

    async def _refuse_file_above(self, locator: Locator) -> None:
        """Raises NotADirectory if a file is among the parents; otherwise they are missing, or were a moment ago."""
        for key, row in (await self.look(*_folders_above(locator))).items():
            if not row.info.is_dir:
                raise _file_above(key, locator)

    def _give_up_after(self, deadline: float, locator: Locator) -> None:
        if self._server.past(deadline):
            raise Unavailable(
                "others kept changing it, so this call never got its turn; nothing was changed",
                where=locator.key,
                remedy="Try again",
            )


def info_of(row: Any) -> Info:
    return Info(trusted(row["key"]), row["is_dir"], row["size"], row["mtime"], row["version"])


def _writing(if_version: IfVersion, folders: list[str]) -> tuple[Any, ...]:
    """The statement for a write, and what it takes besides key, content and mark."""
    if isinstance(if_version, str):
        return statements.REPLACE, if_version
    statement = statements.CREATE if if_version is ABSENT else statements.PUT
    return (statements.WITH_FOLDERS + statement, folders) if folders else (statement,)


def _folders_above(locator: Locator) -> list[str]:
    """The keys of the folders around `locator`, the root first: always in one order, so that no two calls deadlock."""
    parts = locator.parts[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]


def _file_above(key: str, locator: Locator) -> NotADirectory:
    return NotADirectory(f"{key!r} is a file, so it cannot be a folder", where=locator.key)
