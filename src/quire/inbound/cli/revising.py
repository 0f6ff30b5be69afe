"""The verbs that change what is there."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TypeVar

from quire.engine.entry import Entry
from quire.engine.memory import Memory
from quire.engine.records import Change
from quire.errors import NotAllowed, QuireError
from quire.inbound.cli import shapes
from quire.inbound.cli.asking import fields, opened, text_of
from quire.inbound.cli.exits import exit_code, worst
from quire.inbound.cli.output import about, complain, put, put_json, tell
from quire.inbound.cli.parsing import Misunderstood
from quire.inbound.cli.project import project_folder
from quire.inbound.cli.verbs import BY_NAME

T = TypeVar("T")
_WANTS_PROJECT = "project_folder="  # in the remedy of an error


def evolve(asked: Namespace) -> int:
    """A new entry in the place of an old one."""
    text = text_of(asked, asked.text)
    further = fields(asked.field)
    with opened(asked, run=asked.run) as memory:
        entry = memory.evolve(asked.id, text, reason=asked.reason or "", scope=asked.scope, fields=further)
    return tell(asked, entry)


def rename(asked: Namespace) -> int:
    """Another name."""
    with opened(asked, run=asked.run) as memory:
        entry = memory.rename(asked.id, asked.slug, scope=asked.scope)
    return tell(asked, entry)


def retag(asked: Namespace) -> int:
    """Other tags."""
    if asked.set is None and not asked.add and not asked.remove:
        raise Misunderstood("no tag was given", "Give --add, --remove or --set", BY_NAME["retag"].usage)
    given = None if asked.set is None else [tag for tag in asked.set.split(",") if tag.strip()]
    with opened(asked, run=asked.run) as memory:
        entry = memory.retag(asked.id, tags=given, add=asked.add, remove=asked.remove, scope=asked.scope)
    return tell(asked, entry)


def forget(asked: Namespace) -> int:
    """Mark as deleted."""
    return _entries(asked, lambda memory, name: memory.forget(name, reason=asked.reason or "", scope=asked.scope))


def archive(asked: Namespace) -> int:
    """Put away."""
    return _entries(asked, lambda memory, name: memory.archive(name, reason=asked.reason or "", scope=asked.scope))


def restore(asked: Namespace) -> int:
    """Make active again."""
    return _entries(asked, lambda memory, name: memory.restore(name, reason=asked.reason or "", scope=asked.scope))


def purge(asked: Namespace) -> int:
    """Erase for good."""
    done, code = _each(asked, lambda memory, name: memory.purge(name, yes=asked.yes, scope=asked.scope))
    if asked.json:
        put_json({"purged": list(done)})
    return code


def undo(asked: Namespace) -> int:
    """Take changes back."""
    try:
        undone = _undone(asked)
    except NotAllowed as error:
        folder = None if asked.project_folder else project_folder()
        if folder is None or _WANTS_PROJECT not in error.remedy:
            raise
        undone = _undone(asked, folder)  # nothing was changed, and only what lies there opens somebody's folder
    if asked.json:
        put_json({"undone": [shapes.change(change) for change in undone]})
        return 0
    for change in undone:
        put(f"{change.id}  {change.verb} of {about(change)}\n")
    return 0


def _undone(asked: Namespace, folder: str | None = None) -> list[Change]:
    with opened(asked, project_folder=folder) as memory:
        return memory.undo(asked.change, run=asked.run)


def _entries(asked: Namespace, act: Callable[[Memory, str], Entry]) -> int:
    done, code = _each(asked, act)
    if asked.json:
        put_json(shapes.listed(done.values()))
    return code


def _each(asked: Namespace, act: Callable[[Memory, str], T]) -> tuple[dict[str, T], int]:
    """Attempt each id; one that fails keeps none of the others from it, and the exit code is the worst."""
    done: dict[str, T] = {}
    codes = []
    with opened(asked, run=asked.run) as memory:
        for id in dict.fromkeys(asked.id):
            try:
                done[id] = act(memory, id)
            except QuireError as error:
                complain(error, as_json=asked.json)
                codes.append(exit_code(error))
            else:
                if not asked.json:
                    put(f"{id}\n")
    return done, worst(codes)
