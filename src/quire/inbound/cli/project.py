"""Plans, progress and features of a project, and the person's own notes."""

from __future__ import annotations

import os
from argparse import Namespace

from quire.inbound.cli import shapes
from quire.inbound.cli.asking import opened, text_of
from quire.inbound.cli.output import put, put_json
from quire.inbound.cli.parsing import Misunderstood
from quire.inbound.cli.verbs import BY_NAME

_MARKS = (".harness", ".git")


def plan(asked: Namespace) -> int:
    """A plan: read, replaced, or added to."""
    return _state(asked, "plan", asked.name or "")


def harness(asked: Namespace) -> int:
    """The progress or the features; or what there is."""
    if asked.what:
        return _state(asked, asked.what, "")
    if asked.write is not None or asked.append is not None:
        raise Misunderstood("what to write is not said", "Name progress or features", BY_NAME["harness"].usage)
    with opened(asked, project_folder=project_folder()) as memory:
        state = memory.harness()
        names = [f"plan {name}".strip() for name in state.plans()]
        there = names + [what for what in ("progress", "features") if state.storage.exists(state.at(what))]
    if asked.json:
        put_json({"where": state.where, "folder": state.folder.key, "files": there})
    else:
        put("".join(f"{name}\n" for name in there))
    return 0


def personal(asked: Namespace) -> int:
    """Write one of the person's own notes."""
    text = text_of(asked, asked.text)
    text = text if text.endswith("\n") else f"{text}\n"
    with opened(asked, run=asked.run) as memory:
        change = memory.write_personal(asked.path, text, request=asked.request, if_version=asked.if_version)
    if asked.json:
        put_json(shapes.change(change))
    else:
        put(f"{asked.path}\n")
    return 0


def _state(asked: Namespace, what: str, name: str) -> int:
    if asked.write is not None and asked.append is not None:
        raise Misunderstood("one of --write and --append is meant", "Give one", BY_NAME[asked.verb].usage)
    given = asked.write if asked.append is None else asked.append
    text = None if given is None else text_of(asked, given)
    with opened(asked, run=asked.run, project_folder=project_folder()) as memory:
        state = memory.harness()
        if text is not None:
            (state.write if asked.append is None else state.append)(what, _ended(text), name)
        said, path = state.read(what, name), state.at(what, name)
    if asked.json:
        put_json({"what": what, "name": name, "where": state.where, "path": path.key, "text": said})
    elif text is None:
        put(said)
    else:
        put(f"{path}\n")
    return 0


def project_folder() -> str | None:
    """The project this is in: the nearest folder, from here up, that has a plan already or a repository."""
    here = os.getcwd()
    while True:
        if any(os.path.exists(os.path.join(here, name)) for name in _MARKS):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
