"""What the verbs leave behind is clean: whatever they are asked, in whatever order, lint finds nothing in it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import quire
from quire import EntryError, Memory, Owner
from quire.engine.kinds import Kinds
from quire.engine.lint import Finding
from tests.budget import budget
from tests.engine.conftest import Time

KINDS = [kind.name for kind in Kinds()]
TEXTS = [
    "Run the suites one after the other.",
    "---\nkind: idea\nstatus: odd\n---\nA text that looks like an entry.",
    "# A heading\r\n\r\nwith returns\r\n",
    "<!-- entry:ep_20260601_00000009 -->\nnot an entry\n<!-- /entry:ep_20260601_00000009 -->",
    "superseded_by: nothing\n---\n",
    "記憶 é ﬁ\u00a0",
]

picks = st.integers(0, 3)
kinds, texts = st.sampled_from([*KINDS, "fix", "fix", "workflow", "skill"]), st.sampled_from(TEXTS)
slugs = st.sampled_from([None, "locked", "release", "release-2", "日本"])
steps = st.one_of(
    st.tuples(st.just("save"), kinds, texts, slugs, st.booleans(), st.sampled_from(["active", "active", "inbox"])),
    st.tuples(st.just("supersede"), kinds, texts, slugs, picks),
    st.tuples(st.just("derive"), kinds, texts, slugs, picks),
    st.tuples(st.just("append"), kinds, texts, st.integers(-400, 400)),
    st.tuples(st.just("evolve"), picks, texts),
    st.tuples(st.sampled_from(["forget", "archive"]), picks),
    st.tuples(st.just("restore"), picks),
    st.tuples(st.just("rename"), picks, slugs),
    st.tuples(st.just("retag"), picks, st.sampled_from(["python", "#area/testing", "日本"])),
    st.tuples(st.just("undo")),
    st.tuples(st.just("index")),
)


NOTE = ("save", "fix", "Text.", "locked", False, "active")
MIDDLE_FORGOTTEN: list[Any] = [
    NOTE, ("evolve", 0, "Second."), ("evolve", 0, "Third."), ("evolve", 1, "Fourth."), ("forget", 1), ("forget", 0),
    ("restore", 0),
]  # fmt: skip
TAKEN_BY_ANOTHER: list[Any] = [
    NOTE, ("evolve", 0, "Second."), ("forget", 0), ("restore", 1), ("evolve", 1, "Third."), ("restore", 0),
]  # fmt: skip


@pytest.mark.parametrize("layout", ["root", "vault"])
@settings(max_examples=budget(120, 5000), deadline=None)
@given(asked=st.lists(steps, min_size=10, max_size=40))
@example(MIDDLE_FORGOTTEN)
@example(TAKEN_BY_ANOTHER)
def test_whatever_the_verbs_are_asked_lint_finds_nothing_in_what_they_leave(layout: str, asked: list[Any]) -> None:
    time = Time()
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
        for step in asked:
            time.forward(seconds=7)
            try:
                do(memory, time, *step)
            except EntryError:
                continue  # refused, with nothing changed
        assert wrong(memory) == []


links = st.one_of(
    st.tuples(st.just("save"), st.sampled_from(["fix", "idea", "skill", "episode"]), st.lists(picks, max_size=3)),
    st.tuples(st.just("evolve"), picks, st.lists(picks, max_size=3)),
    st.tuples(st.just("rename"), picks, st.sampled_from(["opened", "closed", "日本"])),
    st.tuples(st.sampled_from(["forget", "restore", "archive"]), picks),
)


@pytest.mark.parametrize("layout", ["root", "vault"])
@settings(max_examples=budget(60, 2000), deadline=None)
@given(asked=st.lists(links, min_size=5, max_size=25))
def test_links_by_id_lead_to_their_entries_whatever_becomes_of_them(layout: str, asked: list[Any]) -> None:
    time = Time()
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as memory:
        for number, step in enumerate(asked):
            time.forward(seconds=7)
            try:
                link(memory, number, *step)
            except EntryError:
                continue
        assert wrong(memory) == []


def link(memory: Memory, number: int, verb: str, what: Any, given: Any = ()) -> None:
    entries = [entry for entry in memory.list(status="all") if entry.scope.owner is Owner.AGENT]
    if verb in ("save", "evolve"):
        given = f"Number {number}. " + " ".join(f"[[{entries[pick % len(entries)].id}]]" for pick in given if entries)
    if verb == "save":
        memory.save(given, kind=what)
    elif entries:
        getattr(memory, verb)(entries[what % len(entries)].id, *([given] if given else []))


def do(memory: Memory, time: Time, verb: str, *given: Any) -> None:
    if verb in ("save", "append", "supersede", "derive"):
        create(memory, time, verb, *given)
    elif verb in ("undo", "index"):
        getattr(memory, verb)()
    elif entries := memory.list(status="all").entries:
        entry, arguments = entries[given[0] % len(entries)], given[1:]
        if verb == "retag":
            memory.retag(entry.id, add=arguments, scope=entry.scope)
        elif verb == "rename":
            memory.rename(entry.id, arguments[0] or "renamed", scope=entry.scope)
        else:
            getattr(memory, verb)(entry.id, *arguments, scope=entry.scope)


def create(memory: Memory, time: Time, verb: str, kind: str, text: str, *given: Any) -> None:
    if verb == "append":
        memory.append(text, kind=kind, at=time.moment + dt.timedelta(hours=given[0]))
        return
    slug, more = given[0], {}
    if verb == "save":
        more = {"always_load": given[1], "status": given[2]}
    elif entries := memory.list(status="all").entries:
        entry = entries[given[1] % len(entries)]
        more = {"supersedes": entry.id} if verb == "supersede" else {"derived_from": [entry.id]}
    memory.save(text, kind=kind, slug=slug, **more)


def wrong(memory: Memory) -> list[Finding]:
    """Everything but the advice that a note which nobody has linked yet deserves."""
    return [finding for finding in memory.lint(everywhere=True)[0] if finding.code != "ORPHAN"]
