"""`quire doctor`: the same code as every other command, walked step by step, each step tried for real."""

from __future__ import annotations

import os
import secrets
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from typing import Any

from quire.app import produce, select
from quire.errors import Conflict, NotFound, QuireError, SelectionError, StorageError
from quire.inbound.cli.asking import options, require_there
from quire.inbound.cli.output import one_line, put, put_json, table
from quire.ports.storage import ABSENT, StorageBackend, version_of
from quire.settings import config_path

_SHOWN = 5  # how many names of a kind are listed before "and more"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried. `state` is "ok", "warning" or "failed"; `code` is that of the error, if any."""

    name: str
    state: str
    detail: str
    code: str = ""
    milliseconds: float = 0.0


def run(asked: Namespace) -> int:
    """Print the report; 1 if anything failed."""
    checks = list(diagnose(asked.storage, asked.config, options(asked)))
    if all(check.state != "failed" for check in checks):
        from quire.inbound.cli.memory_checks import examine

        checks += examine(asked)
    healthy = all(check.state != "failed" for check in checks)
    if asked.json:
        put_json({"ok": healthy, "checks": [asdict(check) for check in checks]})
    else:
        put(table([(f"{check.state:>7}", check.name, one_line(check.detail)) for check in checks]))
        put(f"{_summed_up(checks)}\n")
    return 0 if healthy else 1


def _summed_up(checks: list[Check]) -> str:
    states = {check.state for check in checks}
    if "failed" in states:
        return "something is wrong; see the lines marked 'failed'"
    return "all is well, but see the warnings" if "warning" in states else "all is well"


def diagnose(protocol: str | None, config: str | None, given: dict[str, Any]) -> Iterator[Check]:
    """Walk from the configuration to a working storage, stopping at the first step that later ones need."""
    path, _ = config_path(config, os.environ)
    yield Check("config", "ok", path if os.path.exists(path) else f"{path} (not there; defaults apply)")
    step = "selection"
    try:
        selection = select(protocol, config=config, **given)
        yield Check(step, "ok", f"{selection.protocol} (from {selection.source})")
        step, start = "open", time.perf_counter()
        require_there(protocol, config, given)
        storage = produce(selection)
    except SelectionError as error:
        yield Check(step, "failed", str(error), error.code)
        return
    with storage:
        yield Check("open", "ok", _describe(storage), milliseconds=since(start))
        promised = [field.name for field in fields(storage.capabilities) if getattr(storage.capabilities, field.name)]
        yield Check("capabilities", "ok", ", ".join(promised) or "none beyond the seam")
        yield from probe(storage)
        yield from _look_around(storage)


def probe(storage: StorageBackend) -> Iterator[Check]:
    """Write, read, write under a condition, list and delete, in the storage itself."""
    at = storage.resolve(f"quire-doctor-{secrets.token_hex(6)}.md")
    text = "Quire's doctor wrote this to see whether it can. It may be deleted.\r\n"

    def read() -> bool:
        return storage.read(at) == text and storage.info(at).version == version_of(text)

    def refuse() -> bool:
        try:
            storage.write(at, "wrong", if_version=version_of("something else"))
        except Conflict:
            return storage.read(at) == text
        return False

    def delete() -> bool:
        storage.delete(at, if_version=version_of(text))
        return not storage.exists(at)

    steps: list[tuple[str, Callable[[], object], str]] = [
        ("write", lambda: storage.write(at, text, if_version=ABSENT), "a probe was written"),
        ("read", read, "it came back byte for byte"),
        ("condition", refuse, "a write with a stale version was refused"),
        ("list", lambda: at in storage.list(storage.resolve()), "it is in the listing"),
        ("delete", delete, "it was deleted"),
    ]
    for name, step, detail in steps:
        start = time.perf_counter()
        try:
            good = step()
        except QuireError as error:
            yield Check(name, "failed", str(error), error.code, since(start))
            break
        if good:
            yield Check(name, "ok", detail, milliseconds=since(start))
        else:
            yield Check(name, "failed", f"not so: {detail}", "PROBE_FAILED", since(start))
    else:
        return
    try:
        storage.delete(at)
    except NotFound:
        pass
    except StorageError as error:
        yield Check("clean up", "failed", f"the probe {at} is still there: {error}", error.code)


def _look_around(storage: StorageBackend) -> Iterator[Check]:
    """What a backend with files can tell beyond the seam. What it cannot, it has no such method for."""
    if recovered := getattr(storage, "recovered", 0):
        yield Check("recovery", "warning", f"{recovered} temporary files of a process that died were put right")
    if unrecovered := getattr(storage, "unrecovered", []):
        found = [f"{path} ({why})" for path, why in unrecovered]
        yield several(
            "leftovers",
            "",
            "temporary files of a process that died could not be put right; the next open tries again",
            found,
        )
    if unreachable := getattr(storage, "unreachable", None):
        found = [f"{path} ({why})" for path, why in unreachable()]
        yield several("names", "every file can be reached", "names cannot be reached", found)
    if conflicts := getattr(storage, "conflicts", None):
        found = [f"{copy.locator} (of {copy.original}, {copy.service})" for copy in conflicts()]
        yield several("conflicts", "no conflict copies", "conflict copies", found)


def several(name: str, none: str, what: str, found: list[str]) -> Check:
    if not found:
        return Check(name, "ok", none)
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return Check(name, "warning", f"{len(found)} {what}: {', '.join(islice(found, _SHOWN))}{more}")


def _describe(storage: StorageBackend) -> str:
    root = getattr(storage, "root", "")
    return f"{type(storage).__name__} {root}".strip()


def since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 2)
