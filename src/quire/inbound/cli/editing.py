"""`quire edit`: a private copy, an editor, a check, and only then the entry. What was typed is never lost."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from argparse import Namespace

from quire.engine.entry import Entry
from quire.engine.memory import Memory
from quire.errors import Conflict, QuireError
from quire.inbound.cli import shapes
from quire.inbound.cli.asking import decoded, from_file, opened, standard_input
from quire.inbound.cli.output import put, put_json, tell, warn
from quire.inbound.cli.table import EVERYWHERE

_TRIES = 20  # against others who write to the same log; the entry itself has not changed then


def edit(asked: Namespace) -> int:
    """Give an entry the text that an editor, a file or standard input has."""
    given = getattr(asked, "from")
    if given is not None:
        text = standard_input() if given == "-" else decoded(from_file(given), given)
        with opened(asked, run=asked.run) as memory:
            return tell(asked, memory.edit(asked.id, text, if_version=asked.if_version, scope=asked.scope))
    command = _editor()
    with opened(asked, run=asked.run) as memory:
        entry = memory.get(asked.id, scope=asked.scope)
        if asked.if_version not in (None, entry.version):
            raise Conflict("it is at another version", where=entry.id, remedy="Look again", current=entry.version)
    # Nothing is held open while a person thinks.
    path = _copy(entry)
    before = entry.document.text.encode()
    raw = _edited(command, path, before)
    if raw == before:
        os.unlink(path)
        return _unchanged(asked, entry)
    try:
        text = decoded(raw, path)
        with opened(asked, run=asked.run) as memory:
            entry = _replaced(memory, entry, text)
    except QuireError as error:
        _keep(error, asked, entry, path)
        raise
    except KeyboardInterrupt:
        warn(f"note: your text is kept in {path}")
        raise
    os.unlink(path)
    return tell(asked, entry)


def _replaced(memory: Memory, entry: Entry, text: str) -> Entry:
    """The entry with its new text. A file that changed where this entry did not is no conflict."""
    version = entry.version
    for _ in range(_TRIES):
        try:
            return memory.edit(entry.id, text, if_version=version, scope=entry.scope)
        except Conflict:
            now = memory.get(entry.id, scope=entry.scope)
            if now.document.text != entry.document.text:
                raise
            version = now.version
    return memory.edit(entry.id, text, if_version=version, scope=entry.scope)


def _editor() -> list[str]:
    """The person's editor, with its arguments. Raises QuireError where there is none."""
    for variable in ("VISUAL", "EDITOR"):
        if given := os.environ.get(variable, "").strip():
            try:
                return shlex.split(given)
            except ValueError as error:
                raise QuireError(f"{given!r} is no command: {error}", where=f"${variable}") from error
    raise QuireError("no editor is set", where="$VISUAL and $EDITOR", remedy="Set one of them, or use --from FILE")


def _copy(entry: Entry) -> str:
    """A file that only this person can read, named so that an editor knows its language."""
    name = re.sub(r"[^\w-]+", "-", entry.id)[:40]
    try:
        handle, path = tempfile.mkstemp(prefix=f"quire-{name}-", suffix=".md")
        with open(handle, "wb") as file:
            file.write(entry.document.text.encode())
    except OSError as error:
        raise QuireError(
            f"no copy to edit can be made ({error.strerror})",
            where=tempfile.gettempdir(),
            remedy="Set TMPDIR to a folder that can be written to",
        ) from error
    return path


def _edited(command: list[str], path: str, before: bytes) -> bytes:
    """What the editor has left. Raises QuireError where it did not end well; what it wrote is kept then."""
    try:
        editor = subprocess.Popen([*command, path])  # noqa: S603 - the person's own choice of program
    except OSError as error:
        os.unlink(path)
        raise QuireError(f"the editor cannot be started ({error.strerror})", where=command[0]) from error
    # Ctrl-C is the editor's while it runs.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = editor.wait()
    finally:
        signal.signal(signal.SIGINT, interrupt)
    try:
        raw = from_file(path)
    except QuireError as error:
        raise QuireError(f"the editor left nothing: {error.what}", where=path, remedy="Nothing was replaced") from error
    if code:
        kept = "Nothing was replaced"
        if raw == before:
            os.unlink(path)
        else:
            kept += f"; what it wrote is in {path}"
        raise QuireError(f"the editor ended with {code}", where=command[0], remedy=kept)
    return raw


def _keep(error: QuireError, asked: Namespace, entry: Entry, path: str) -> None:
    """Say in the error where the text is, and how to go on with it."""
    same = _elsewhere(asked)
    resume = shlex.join(["quire", "edit", entry.id, *same, "--from", path])
    if isinstance(error, Conflict):
        first = f"Put the two together ({shlex.join(['quire', 'show', entry.id, *same])})"
    else:
        first = error.remedy or "Correct it"
    error.remedy = f"Your text is kept in {path}. {first}, then: {resume}"


def _elsewhere(asked: Namespace) -> list[str]:
    """The options that say which memory was meant, as they were given."""
    words: list[str] = []
    for argument in EVERYWHERE:
        given = getattr(asked, argument.name[2:].replace("-", "_"))
        for value in given if isinstance(given, list) else [given] if isinstance(given, str) else []:
            words += [argument.name, value]
    return words


def _unchanged(asked: Namespace, entry: Entry) -> int:
    if asked.json:
        put_json(shapes.entry(entry))
    else:
        put(f"{entry.id} was not changed\n")
    return 0
