"""`quire init`: a root and a config file, nothing overwritten, and only where it will work."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quire.app import Selection, open_storage, select
from quire.errors import AlreadyExists, QuireError, SelectionError
from quire.inbound.cli.asking import opened, options
from quire.inbound.cli.config_text import NEW, Value, merged
from quire.inbound.cli.doctor import probe
from quire.inbound.cli.output import put, put_json, warn
from quire.locator import Locator
from quire.ports.storage import ABSENT, StorageBackend, version_of
from quire.settings import config_path, config_table

IGNORED = ".index/\n.tmp/\n"
DEFAULT_ROOT = "~/.quire"
_FOLDERS = ("device-local", "vault")
_WORDS = ("layout", "app", "project", "user", "agent", "timezone")


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that was looked at: `done` is "made", "changed" or "kept"."""

    done: str
    path: str


def init(asked: Namespace) -> int:
    """Make what is missing, and say what was done."""
    actions = _act(asked)
    if asked.json:
        put_json({"actions": [{"done": action.done, "path": action.path} for action in actions]})
    else:
        put("".join(f"{action.done:<7}  {action.path}\n" for action in actions))
    return 0


def _act(asked: Namespace) -> list[Action]:
    path = os.path.realpath(config_path(asked.config, os.environ)[0])
    old = _text(path)
    # A config file that is yet to be made says nothing; that it is missing is no error here.
    asked.config = os.devnull if old is None else path
    given = options(asked)
    selection = select(asked.storage, config=asked.config, **given)
    if selection.protocol in _FOLDERS and "root" in given and not given["root"].startswith("~"):
        given["root"] = os.path.abspath(given["root"])
    asked.root = given.pop("root", None)
    asked.option = [pair for pair in asked.option if not pair.startswith("root=")]
    changes = _changes(asked, selection, given)
    new = merged(NEW if old is None else old, changes, path, samples=old is None)

    root = _folder(selection, asked.root)
    made = root is not None and not os.path.isdir(root)
    if root is not None and made:
        _make(root)
    try:
        with opened(asked) as memory:
            storage = memory.core.storage
            failed = next((check for check in probe(storage) if check.state == "failed"), None)
            if failed:
                raise SelectionError(failed.detail, where=failed.name, code=failed.code)
            actions = [Action("made" if made else "kept", root or selection.protocol)]
            if root is not None:
                actions.append(_once(storage, ".gitignore", IGNORED))
    except QuireError:
        if root is not None and made and not os.listdir(root):
            os.rmdir(root)
        raise
    actions.append(_written(path, old, new))
    for name in _variables(changes):
        if name in os.environ:
            warn(f"note: {name} is set, and goes before what the config file says")
    return actions


def _changes(asked: Namespace, selection: Selection, given: Mapping[str, Any]) -> dict[tuple[str, str], Value]:
    """What was given, as keys of the config file."""
    changes: dict[tuple[str, str], Value] = {}
    if asked.storage is not None:
        changes["storage", "backend"] = selection.protocol
    table = f"storage.{selection.protocol}"
    if asked.root is not None:
        changes[table, "root"] = asked.root
    changes |= {(table, name): selection.options[name] for name in given}
    changes |= {("memory", word): getattr(asked, word) for word in _WORDS if getattr(asked, word) is not None}
    if asked.personal is not None:
        notes = asked.personal
        changes["personal", "root"] = notes if notes.startswith("~") else os.path.abspath(notes)
    return changes


def _variables(changes: Mapping[tuple[str, str], Value]) -> Iterator[str]:
    """The variables that go before these keys."""
    for table, key in changes:
        if table == "personal":
            yield "QUIRE_PERSONAL"
        elif table == "memory":
            yield f"QUIRE_{key.upper()}"
        else:
            yield "QUIRE_STORAGE" if key == "backend" else f"QUIRE_STORAGE_{key.upper()}"


def _folder(selection: Selection, root: str | None) -> str | None:
    """The folder of the storage, if it has one."""
    if selection.protocol not in _FOLDERS:
        return None
    return os.path.realpath(os.path.expanduser(root or selection.options.get("root") or DEFAULT_ROOT))


def _make(root: str) -> None:
    try:
        os.makedirs(root, mode=0o700)
    except OSError as error:
        raise SelectionError(
            f"this folder cannot be made ({error.strerror})", where=root, remedy="Give another", code="FOLDER_MISSING"
        ) from error


def _text(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        config_table(path, {})  # which says what is wrong with it
        raise


def _once(storage: StorageBackend, name: str, text: str) -> Action:
    """A file of the root, made where it is missing."""
    shown = os.path.join(getattr(storage, "root", ""), name)
    try:
        storage.write(Locator(name), text, if_version=ABSENT)
    except AlreadyExists:
        return Action("kept", shown)
    return Action("made", shown)


def _written(path: str, old: str | None, new: str) -> Action:
    """The config file, replaced at once and only if nobody else has changed it."""
    if old == new:
        return Action("kept", path)
    folder, name = os.path.split(path)
    before = os.umask(0o077)  # an option may be a password; a file that is there keeps its own mode
    try:
        with open_storage("device-local", environment={}, config=os.devnull, root=folder) as storage:
            storage.write(Locator(name), new, if_version=ABSENT if old is None else version_of(old))
    finally:
        os.umask(before)
    return Action("made" if old is None else "changed", path)
