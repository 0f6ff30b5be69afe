"""Whatever lies in the files, and whatever happens to them meanwhile, lint reports and never raises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import AccessDenied, Info, Locator, Memory, NotFound, Unavailable
from quire.engine.lint import Finding
from tests.budget import budget
from tests.engine.conftest import Time
from tests.engine.looking import put, tree

AGENT = {"root": "default_app/default_project/agents/default", "vault": "Memory"}
USER = {"root": "default_app/default_project/users/default", "vault": "Memory/_users/default"}
NOTES = {"root": f"{AGENT['root']}/memory", "vault": AGENT["vault"]}

pieces = st.sampled_from(
    [
        b"---\n", b"...\n", b"\xff\xfe", b"\0", b"\r", b"\r\n", b"\xef\xbb\xbf", b"kind: fix\n", b"kind: [a\n",
        b"slug: x\n", b"status: ' Active'\n", b"status: [a]\n", b"tags: ['#a', 1, {b: c}]\n", b"tags: '#'\n",
        b"created: 0001-01-01\n", b"valid_from: 9999-12-31T23:59\n", b"valid_to: {}\n", b"supersedes: fix/a\n",
        b"superseded_by: [[fix/b]]\n", b"supersedes: {a: b}\n", b"derived_from: ['[[fix/b]]', 7]\n",
        b"entry_count: -1\n", b"entry_count: .inf\n", b"<!-- entry:ep_20260601_00000001 -->\n",
        b"<!-- /entry:ep_20260601_00000001 -->\n", b"<!-- entry:x -->\n", b"<!-- entry:ep_20260601_99999999 -->\n",
        b"[[a]] ![[b.png]] [c](d.md)\n", b"[[[[]]#|", b"? &a [*a]\n", b": !!x\n", b"- - - -\n", b"text\n",
        b"`", b"```\n",
        b"aliases: [a, b]\n", b"title: a\n",
    ]
)  # fmt: skip
contents = st.lists(pieces | st.binary(max_size=8), max_size=14).map(b"".join)
names = st.sampled_from(
    [
        "fix/a.md", "fix/b.md", "fix/A.md", "Fix/a.md", "a.md", "_archive/fix/a.md", "_always-load/a.md",
        "_inbox/fix/a.md", "_index.md", "fix/deep/er/a.md", "fix/.a.md", "fix/a.MD", "fix/é.md", "fix/x (1).md",
        "skills/skill_a/skill.md", "fix/b.png", "_idea-incubator/a.md", "fix/[[a]].md", "fix/a#b|c.md",
    ]
)  # fmt: skip
own = st.sampled_from(["user.md", "soul.md", "skills/skill_a/SKILL.md", "skills/skill_a/references/a.md"])
logs = st.sampled_from(["episodes/episode-2026-06-01.md", "episodes/episode-2026-06-01.2.md", "episodes/episode-x.md"])


@pytest.mark.parametrize("layout", ["root", "vault"])
@settings(max_examples=budget(120, 5000), deadline=None)
@given(
    files=st.dictionaries(
        st.tuples(st.just("note"), names) | st.tuples(st.just("agent"), own) | st.tuples(st.just("user"), logs),
        contents,
        max_size=8,
    )
)
def test_any_bytes_at_any_place_are_looked_at_and_repaired_without_an_error(
    layout: str, files: dict[tuple[str, str], bytes]
) -> None:
    bases = {"note": NOTES[layout], "agent": AGENT[layout], "user": USER[layout]}
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=Time()) as memory:
        for (where, name), content in files.items():
            memory.core.storage.write_bytes(Locator(f"{bases[where]}/{name}"), content)
        before = tree(memory)
        memory.lint(everywhere=True)
        assert tree(memory) == before
        repairs = memory.lint(everywhere=True, fix=True)[1]
        assert all(repair.done for repair in repairs), repairs
        assert memory.lint(everywhere=True, fix=True)[1] == []
        for change in sorted({repair.change for repair in repairs}, reverse=True):
            memory.undo(change)
        assert tree(memory) == before


def test_a_file_that_vanishes_after_it_was_listed_is_no_finding(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = memory.save("Text", kind="fix", slug="gone").locator
    memory.save("See [[kept]].", kind="fix", slug="holder")
    memory.save("Text", kind="fix", slug="kept")
    read = memory.core.storage.read_bytes

    def reading(locator: Locator) -> bytes:
        if locator == gone:
            raise NotFound("nothing is here", where=locator.key)
        return read(locator)

    monkeypatch.setattr(memory.core.storage, "read_bytes", reading)
    assert memory.lint()[0] == []


def test_a_file_that_may_not_be_read_is_a_finding_and_the_rest_is_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = memory.save("Text", kind="fix", slug="locked").locator
    memory.save("See [[locked]] and [[nowhere-at-all]].", kind="fix", slug="holder")
    read = memory.core.storage.read_bytes

    def reading(locator: Locator) -> bytes:
        if locator == locked:
            raise AccessDenied("this file may not be read", where=locator.key, remedy="Check its mode")
        return read(locator)

    monkeypatch.setattr(memory.core.storage, "read_bytes", reading)
    assert said(memory) == {
        ("UNREADABLE", "this file may not be read"),
        ("LINK_BROKEN", "'nowhere-at-all' leads nowhere"),
    }


def test_a_folder_that_may_not_be_read_is_a_finding_and_the_rest_is_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = memory.save("Text", kind="fix", slug="locked").locator.parent
    put(memory, memory.save("Text", kind="idea", slug="other").locator.key, "Text")
    storage = memory.core.storage
    walk, children = storage.walk, storage.list

    def denied(locator: Locator) -> bool:
        return f"{locator}/".startswith(f"{locked}/")

    def walking(locator: Locator) -> Iterator[Info]:
        for info in walk(locator):
            if denied(info.locator):
                raise AccessDenied("this folder may not be read", where=locked.key)
            yield info

    def listing(locator: Locator) -> list[Locator]:
        if denied(locator):
            raise AccessDenied("this folder may not be read", where=locked.key)
        return children(locator)

    monkeypatch.setattr(storage, "walk", walking)
    monkeypatch.setattr(storage, "list", listing)
    found = memory.lint()[0]
    assert [each.code for each in found if each.locator == locked] == ["UNREADABLE"]
    assert "FRONTMATTER_MISSING" in {each.code for each in found}


def test_a_folder_above_the_own_ones_that_may_not_be_read_is_not_a_root_without_faults(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = Locator(memory.save("Text", kind="fix", slug="locked").locator.parts[0])

    def denied(locator: Locator) -> list[Locator]:
        raise AccessDenied("this folder may not be read", where=locked.key)

    monkeypatch.setattr(memory.core.storage, "walk", denied)
    monkeypatch.setattr(memory.core, "all_folders", lambda: [locked])
    monkeypatch.setattr(memory.core.storage, "list", denied)
    for scope in (None, "agent", "agent:another"):
        assert [(each.locator, each.code) for each in memory.lint(scope=scope)[0]] == [(locked, "UNREADABLE")]


def test_a_storage_that_does_not_answer_is_not_a_root_without_faults(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Text", kind="fix")

    def silent(locator: Locator) -> bytes:
        raise Unavailable("the storage does not answer", where=locator.key)

    monkeypatch.setattr(memory.core.storage, "read_bytes", silent)
    with pytest.raises(Unavailable):
        memory.lint()


def said(memory: Memory) -> set[tuple[str, str]]:
    found: list[Finding] = memory.lint()[0]
    return {(each.code, each.what) for each in found if each.code != "ORPHAN"}
