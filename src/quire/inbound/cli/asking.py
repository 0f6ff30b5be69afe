"""What every verb asks for: the memory that is meant, and text from an argument or from standard input."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any

from quire.errors import InvalidEntry, NotFound, NotText, QuireError, SelectionError, TooLarge
from quire.inbound.cli.output import warn
from quire.inbound.cli.parsing import Misunderstood
from quire.inbound.cli.verbs import BY_NAME
from quire.settings import DEFAULT_PROTOCOL, Layer, storage_settings

if TYPE_CHECKING:
    from quire.engine.memory import Memory
    from quire.markdown.document import Value

ACTOR = "cli"
_MAKE_ROOTS = ("save", "append", "import", "plan", "harness")  # verbs that put something into a new root
MAX_INPUT = 16 * 1024 * 1024  # bytes of standard input; an entry may have less, and says so itself


def opened(asked: Namespace, *, run: str | None = None, project_folder: str | None = None) -> Memory:
    """The memory that is meant. Raises what `quire.open` raises."""
    from quire.app import open_memory

    given = options(asked)
    if asked.verb not in _MAKE_ROOTS:
        require_there(asked.storage, asked.config, given)
    memory = open_memory(
        protocol=asked.storage,
        layout=asked.layout,
        app=asked.app,
        project=asked.project,
        user=asked.user,
        agent=asked.agent,
        timezone=asked.timezone,
        personal=asked.personal,
        project_folder=asked.project_folder or project_folder,
        config=asked.config,
        actor=ACTOR,
        run=run,
        **given,
    )
    for recovered in memory.recovered:
        if not asked.json:
            warn(f"note: {recovered.said}")
    return memory


def require_there(protocol: str | None, config: str | None, given: dict[str, Any]) -> None:
    """A root that was named and misspelled is made by a verb that saves; to one that looks it would only seem empty."""
    settings = storage_settings(protocol, given, (), config=config, environment=os.environ)
    root = settings.options.get("root")
    if root is None or not isinstance(root.value, str) or os.path.lexists(os.path.expanduser(root.value)):
        return  # what is no text is refused when it is opened
    if settings.protocol.value != DEFAULT_PROTOCOL:
        return  # no other makes a folder: a vault has to be there, and the root of a database is a name in it
    raise SelectionError(
        "there is no such folder, and this command makes none",
        where=f"{root.value}, from {'--root' if root.layer is Layer.ARGUMENT else root.source}",
        remedy="Check its spelling, or make it with quire init",
        code="FOLDER_MISSING",
    )


def options(asked: Namespace) -> dict[str, Any]:
    """The options of the backend, the root among them. Raises Misunderstood."""
    from quire.app import open_memory, select

    others = {*signature(open_memory).parameters, *signature(select).parameters} - {"root"}
    given: dict[str, Any] = dict(_pair(pair, "--option", "root=~/Notes") for pair in asked.option)
    if asked.root is not None:
        given["root"] = asked.root
    for name in given:
        if name in others:
            raise Misunderstood(
                f"{name!r} is no option of a backend", "It may be one of this command: see quire --help"
            )
    return given


def fields(pairs: Iterable[str]) -> dict[str, Value]:
    """Further fields, each value read as it would be in a file. Raises Misunderstood, and InvalidEntry."""
    from quire.markdown.document import Document

    found: dict[str, Value] = {}
    for name, value in (_pair(pair, "--field", "servings=4") for pair in pairs):
        document = Document.parse(f"---\nvalue: {value}\n---\n")
        if document.problems or list(document.fields) != ["value"]:
            raise InvalidEntry(
                f"{value!r} is not the value of a field", where=f"--field {name}", remedy="Put it in quotes, as in YAML"
            )
        found[name] = document.fields["value"]
    return found


def text_of(asked: Namespace, given: str | None) -> str:
    """The text that was given: as an argument, or on standard input. Raises Misunderstood, NotText, TooLarge."""
    if given is not None and given != "-":
        return given
    if given is None and (sys.stdin is None or sys.stdin.isatty()):
        raise Misunderstood(
            "no text was given",
            "Give it as an argument; or give -, type it, and end with Ctrl-D on a line of its own",
            BY_NAME[asked.verb].usage,
        )
    return standard_input()


def standard_input(limit: int | None = MAX_INPUT) -> str:
    """All of standard input. Raises NotText, with the byte; TooLarge."""
    if sys.stdin is None:
        raise QuireError("standard input is closed", remedy="Give the text as an argument")
    try:
        raw = sys.stdin.buffer.read(-1 if limit is None else limit + 1)
    except OSError as error:
        raise QuireError(f"standard input cannot be read ({error.strerror})") from error
    if limit is not None and len(raw) > limit:
        raise TooLarge(f"standard input has more than {limit:,} bytes", remedy="Give less, or import a folder")
    return decoded(raw, "standard input")


def from_file(path: str) -> bytes:
    """The bytes of a file. Raises NotFound, or QuireError where it cannot be read."""
    try:
        with open(os.path.expanduser(path), "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise NotFound("there is no such file", where=path, remedy="Check the path") from error
    except OSError as error:
        raise QuireError(f"it cannot be read ({error.strerror})", where=path, remedy="Check the path") from error


def decoded(raw: bytes, where: str) -> str:
    """The text of bytes. Raises NotText, with the first byte that is none."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(
            f"byte {error.start} is not UTF-8 ({error.reason})", where=where, remedy="Give it as UTF-8"
        ) from error


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Misunderstood(f"{text!r} is not NAME=VALUE", f"As in {option} {example}")
    return name, value
