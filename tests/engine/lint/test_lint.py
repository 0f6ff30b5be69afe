"""Lint as a verb: what it looks at, in which order it tells, and what it takes for clean."""

from __future__ import annotations

import itertools

import pytest

from quire import Memory
from quire.engine.lint import Finding
from tests.engine.looking import put, text_at


def codes(found: list[Finding]) -> list[str]:
    return [each.code for each in found]


def test_an_empty_root_is_clean(memory: Memory) -> None:
    assert memory.lint() == ([], [])


def test_the_scopes_of_this_memory_are_looked_at_unless_others_are_named(memory: Memory) -> None:
    own = memory.save("Text", kind="fix", slug="own")
    others = memory.save("Text", kind="fix", slug="others", scope="user:alice")
    for entry in (own, others):
        put(memory, entry.locator.key, "Text")
    assert {each.id for each in memory.lint()[0]} == {"fix/own"}
    assert {each.id for each in memory.lint(scope="user:alice")[0]} == {"fix/others"}
    assert {each.id for each in memory.lint(everywhere=True)[0]} == {"fix/own", "fix/others"}


def test_a_scope_says_the_same_alone_and_among_all(memory: Memory) -> None:
    for scope, slug in itertools.product(("user:alice", "shared", "agent"), ("a", "b")):
        entry = memory.save(f"See [[{slug}]] and [[c]].", kind="fix", slug=slug, scope=scope)
        put(memory, entry.locator.key, text_at(memory, entry.locator.key).replace("status: active", "status: odd"))
    everything = memory.lint(everywhere=True)[0]
    assert everything
    for owner in {each.scope for each in everything}:
        assert memory.lint(scope=owner)[0] == [each for each in everything if each.scope == owner]


def test_only_what_is_looked_at_is_repaired(memory: Memory) -> None:
    key = memory.save("Text", kind="fix", slug="locked", scope="user:alice").locator.key
    put(memory, key, "---\nslug: open\n---\nText\n")
    assert memory.lint(fix=True)[1] == []
    assert text_at(memory, key) == "---\nslug: open\n---\nText\n"
    assert len(memory.lint(fix=True, scope="user:alice")[1]) == 1


def test_findings_come_by_file_line_and_code(memory: Memory) -> None:
    for slug in ("b", "a"):
        entry = memory.save("Text", kind="fix", slug=slug)
        put(memory, entry.locator.key, "---\nslug: c\nstatus: odd\ntags: ['#a']\ncreated: then\n---\n[[x]] [[y]]\n")
    found = memory.lint()[0]
    assert found == sorted(found, key=lambda each: (each.locator.key, each.line, each.code))
    assert codes(found)[:6] == [
        "SLUG_CONTRADICTS", "STATUS_UNKNOWN", "TAG_HASH", "TIME_INVALID", "LINK_BROKEN", "LINK_BROKEN",
    ]  # fmt: skip
    assert memory.lint()[0] == found


def test_a_link_by_path_slug_title_or_alias_is_not_broken(memory: Memory) -> None:
    entry = memory.save("Text", kind="fix", slug="locked", title="A locked database", fields={"aliases": ["busy"]})
    path = entry.locator.key.removesuffix(".md")
    memory.save(
        f"[[{path}]] [[fix/locked]] [[locked]] [[A locked database]] [[busy|it]] [a](locked.md) [[#b]]\n\n# b\n",
        kind="fix",
        slug="holder",
    )
    assert memory.lint()[0] == []


def test_a_link_in_code_is_no_link(memory: Memory) -> None:
    memory.save("`[[nowhere]]`\n\n```sh\nif [[ -f x ]]; then [[y]]; fi\n```\n", kind="fix")
    assert codes(memory.lint()[0]) == ["ORPHAN"]


def test_an_attachment_that_is_there_is_not_broken(memory: Memory) -> None:
    entry = memory.save("![[plan.png]] ![[gone.png]]", kind="fix")
    put(memory, entry.locator.parent.child("plan.png").key, "an image")
    assert [each.what for each in memory.lint()[0]] == ["'gone.png' leads nowhere"]


def test_an_ambiguous_link_names_what_it_could_be(memory: Memory) -> None:
    for kind in ("idea", "workflow"):
        memory.save("Text", kind=kind, slug="same")
    memory.save("See [[same]].", kind="fix", slug="holder")
    (found,) = memory.lint()[0]
    assert found.code == "LINK_AMBIGUOUS"
    assert "idea/same.md" in found.what
    assert "workflow/same.md" in found.what


def test_what_is_forgotten_put_away_or_superseded_may_link_where_it_likes(memory: Memory) -> None:
    for slug, verb in (("a", memory.forget), ("b", memory.archive)):
        verb(memory.save("See [[nowhere]].", kind="fix", slug=slug).id)
    memory.evolve(memory.save("See [[nowhere]].", kind="fix", slug="c").id, "See nothing.")
    assert codes(memory.lint()[0]) == []


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "profile"},
        {"kind": "skill", "slug": "deploy"},
        {"kind": "episode"},
        {"kind": "fix", "always_load": True},
        {"kind": "fix", "status": "inbox"},
    ],
)
def test_what_is_found_without_a_link_is_no_orphan(memory: Memory, given: dict[str, object]) -> None:
    memory.save("Text", **given)  # type: ignore[arg-type]
    assert memory.lint()[0] == []


def test_a_note_is_no_orphan_once_it_links_or_is_linked(memory: Memory) -> None:
    memory.save("Text", kind="fix", slug="linked")
    memory.save("See [[linked]].", kind="fix", slug="linking")
    memory.save("See [[itself]].", kind="fix", slug="itself")
    assert [(each.code, each.id) for each in memory.lint()[0]] == [("ORPHAN", "fix/itself")]


def test_what_is_derived_from_another_scope_has_its_source(memory: Memory) -> None:
    episode = memory.append("We decided.")
    memory.save("Decided.", kind="fix", derived_from=[episode.id])
    assert memory.lint()[0] == []


def test_a_fork_is_mended_by_forgetting_one_of_the_two(memory: Memory) -> None:
    memory.evolve(memory.save("One", kind="fix", slug="a").id, "Two")
    other = memory.save("Three", kind="fix", slug="b")
    put(memory, other.locator.key, text_at(memory, other.locator.key).replace("slug: b", "slug: b\nsupersedes: fix/a"))
    assert codes(memory.lint()[0]) == ["SUPERSESSION_FORK", "SUPERSESSION_FORK"]
    memory.forget("fix/b")
    assert memory.lint()[0] == []


def test_what_begins_with_an_underscore_or_lies_with_a_skill_is_somebody_s_own(memory: Memory) -> None:
    note = memory.save("Text", kind="fix", status="inbox").locator.parent
    skill = memory.save("Text", kind="skill", slug="deploy").locator.parent
    put(memory, skill.child("references", "steps.md").key, "Text")
    put(memory, note.child("_draft.md").key, "Text")
    put(memory, note.child("_drafts", "one.md").key, "Text")
    assert memory.lint()[0] == []


def test_a_file_that_is_no_note_is_nobody_s_concern(memory: Memory) -> None:
    note = memory.save("Text", kind="fix", status="inbox").locator.parent
    put(memory, note.child("numbers.csv").key, "1,2")
    assert memory.lint()[0] == []


def test_a_skill_without_its_page_is_not_seen(memory: Memory) -> None:
    skill = memory.save("Text", kind="skill", slug="deploy").locator.parent
    put(memory, skill.parent.child("skill_other", "skill.md").key, "Text")
    assert codes(memory.lint()[0]) == ["STRAY_FILE"]


@pytest.mark.parametrize("layout", ["vault"])
def test_a_project_s_own_documents_are_no_strays(memory: Memory) -> None:
    for key in ("projects/atlas/roadmap.md", "projects/atlas/designs/seam.md", "projects/atlas/_harness/PLAN.md"):
        put(memory, key, "Text")
    put(memory, "projects/atlas/fix/a.md", "---\nkind: fix\n---\nSee [[roadmap]].\n")
    put(memory, "projects/atlas/Fix/b.md", "Text")
    found = memory.lint(everywhere=True)[0]
    assert [(each.code, each.locator.key) for each in found] == [("STRAY_FILE", "projects/atlas/Fix/b.md")]
    assert "projects/atlas/fix/b.md" in found[0].remedy


@pytest.mark.parametrize(
    ("text", "long"),
    [("word " * 1599, False), ("word " * 1600, True), ("記" * 2000, False), ("記" * 2001, True)],
)
def test_a_memory_is_as_long_as_a_session_has_room_for(memory: Memory, text: str, long: bool) -> None:
    memory.append(text)
    assert codes(memory.lint()[0]) == ["TOO_LONG"] * long


def test_a_profile_may_be_long(memory: Memory) -> None:
    memory.save("word " * 5000, kind="profile")
    assert memory.lint()[0] == []
