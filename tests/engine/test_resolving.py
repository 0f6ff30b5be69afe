"""Resolving: the first kind of name that anything has decides, and nothing is guessed."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire import Locator, Memory, Owner, Scope
from quire.engine.layout import Zone
from quire.engine.listing import files
from quire.engine.resolving import Names, Target
from quire.markdown.document import Document
from quire.markdown.links import Link, links
from tests.engine.looking import put, where

HERE = Locator("notes/here.md")
MOST_SECONDS = 5.0


def link(text: str) -> Link:
    (found,) = links(Document.parse(text))
    return found


def names_of(memory: Memory) -> Names:
    contents = list(files(memory.core, everywhere=True))
    known = {each.locator for each in contents}
    return Names.of(contents, [locator for locator in memory.core.files() if locator not in known])


def meant(memory: Memory, text: str, holder: str = HERE.key, scope: Scope | None = None) -> list[str]:
    """What a link in a file means: ids of entries, and the paths of other files."""
    targets = names_of(memory).resolve(link(text), Locator(holder), scope)
    return [target.id or target.locator.key for target in targets]


def paths(*keys: str) -> Names:
    return Names.of((), map(Locator, keys))


def at(names: Names, text: str, holder: str = HERE.key) -> list[str]:
    return [target.locator.key for target in names.resolve(link(text), Locator(holder), None)]


# The names of files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[a/b/one]]", ["a/b/one.md"]),
        ("[[a/b/one.md]]", ["a/b/one.md"]),
        ("[[/a/b/one]]", ["a/b/one.md"]),
        ("[[b/one]]", ["a/b/one.md"]),
        ("[[one]]", ["a/b/one.md"]),
        ("[[one.md]]", ["a/b/one.md"]),
        ("[[ONE]]", ["a/b/one.md"]),
        ("[[A/B/One]]", ["a/b/one.md"]),
        ("[[../a/b/one]]", ["a/b/one.md"]),
        ("[[./neighbour]]", ["notes/neighbour.md"]),
        ("[[sub/leaf]]", ["notes/sub/leaf.md"]),
        ("[[notes/sub/leaf]]", ["notes/sub/leaf.md"]),
        ("[[picture.png]]", ["media/picture.png"]),
        ("![[media/picture.png]]", ["media/picture.png"]),
        ("[x](../a/b/one.md)", ["a/b/one.md"]),
        ("[x](../a/b/one)", ["a/b/one.md"]),
        ("[x](/a/b/one.md)", ["a/b/one.md"]),
        ("[x](a/b/one.md)", ["a/b/one.md"]),
        ("[x](neighbour.md)", ["notes/neighbour.md"]),
        ("[x](one.md)", ["a/b/one.md"]),
        ("[[picture]]", []),
        ("[[b/o]]", []),
        ("[[ne]]", []),
        ("[[x/one]]", []),
        ("[[b/one/]]", []),
        ("[[./one]]", []),
        ("[[../one]]", []),
        ("[[../../a/b/one]]", []),
        ("[x](./one.md)", []),
        ("[x](../one.md)", []),
    ],
)
def test_a_file_is_named_by_its_path_the_way_to_it_or_the_end_of_its_path(text: str, expected: list[str]) -> None:
    names = paths("a/b/one.md", "notes/here.md", "notes/neighbour.md", "notes/sub/leaf.md", "media/picture.png")
    assert at(names, text) == expected


def test_a_letter_is_the_same_however_it_is_composed() -> None:
    names = paths("notes/caf\u00e9.md")
    assert at(names, "[[cafe\u0301]]") == ["notes/caf\u00e9.md"]
    assert at(names, "[[notes/CAFE\u0301]]") == ["notes/caf\u00e9.md"]


def test_two_files_of_one_name_make_a_bare_link_ambiguous_even_where_one_is_a_neighbour() -> None:
    names = paths("notes/one.md", "a/one.md")
    assert at(names, "[[one]]") == ["notes/one.md", "a/one.md"]
    assert at(names, "[[notes/one]]") == ["notes/one.md"]
    assert at(names, "[[./one]]") == ["notes/one.md"]


def test_a_markdown_link_means_the_neighbour_as_for_every_reader_of_markdown() -> None:
    names = paths("one.md", "notes/one.md", "a/one.md")
    assert at(names, "[x](one.md)") == ["notes/one.md"]
    assert at(names, "[x](one.md)", "b/here.md") == ["one.md"]
    assert at(names, "[[one]]") == ["one.md"]


def test_an_end_of_a_path_that_several_have_is_ambiguous() -> None:
    names = paths("a/x/one.md", "b/x/one.md", "c/xx/one.md")
    assert at(names, "[[x/one]]") == ["a/x/one.md", "b/x/one.md"]
    assert at(names, "[[a/x/one]]") == ["a/x/one.md"]


def test_names_that_differ_in_case_alone_are_told_apart_by_the_whole_path_only() -> None:
    names = paths("a/One.md", "a/one.md")
    assert at(names, "[[a/One]]") == ["a/One.md"]
    assert at(names, "[[a/one]]") == ["a/one.md"]
    assert at(names, "[[a/ONE]]") == ["a/One.md", "a/one.md"]
    assert at(names, "[[One]]") == ["a/One.md", "a/one.md"]


def test_a_file_that_is_no_entry_has_no_id_and_no_scope() -> None:
    (target,) = paths("notes/one.md").resolve(link("[[one]]"), HERE, None)
    assert target == Target(Locator("notes/one.md"), "", None)


def test_nothing_is_named_by_nothing() -> None:
    names = paths("notes/one.md")
    for target in ("", ".md", "/", "//", ".", "..", "./", "../", "a/..", "\x00"):
        assert names.resolve(Link(target, "wiki"), HERE, None) == ()


# The names of entries


def test_an_entry_is_named_by_its_path_its_id_its_slug_its_title_and_its_aliases(memory: Memory) -> None:
    entry = memory.save("Text.", kind="fix", slug="one", title="The First", fields={"aliases": ["Uno", "eins"]})
    path = entry.locator.key.removesuffix(".md")
    for said in (path, f"{path}.md", "fix/one", "Fix/One", "one", "One", "The First", "the first", "uno", "Eins"):
        (target,) = names_of(memory).resolve(link(f"[[{said}]]"), HERE, None)
        assert target == Target(entry.locator, "fix/one", entry.scope), said


def test_a_first_heading_is_a_title_and_words_made_of_a_slug_are_not(memory: Memory) -> None:
    memory.save("# What it is\n\nText.", kind="fix", slug="with-heading")
    memory.save("Text.", kind="fix", slug="without-title")
    assert meant(memory, "[[what it is]]") == ["fix/with-heading"]
    assert meant(memory, "[[without title]]") == []


def test_the_first_kind_of_name_that_anything_has_decides(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="one", title="two", fields={"aliases": ["three"]})
    memory.save("Text.", kind="idea", slug="two", title="three")
    memory.save("Text.", kind="idea", slug="three", title="four", fields={"aliases": ["one"]})
    assert meant(memory, "[[one]]") == ["fix/one"]
    assert meant(memory, "[[two]]") == ["idea/two"]
    assert meant(memory, "[[three]]") == ["idea/three"]
    assert meant(memory, "[[four]]") == ["idea/three"]


def test_two_entries_of_one_slug_title_or_alias_are_ambiguous(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="one", title="Same", fields={"aliases": ["alias"]})
    memory.save("Text.", kind="idea", slug="one", title="same", fields={"aliases": ["Alias"]})
    for said in ("one", "SAME", "alias"):
        assert sorted(meant(memory, f"[[{said}]]")) == ["fix/one", "idea/one"]
    assert meant(memory, "[[fix/one]]") == ["fix/one"]


def test_an_alias_that_repeats_itself_or_the_title_is_not_ambiguous(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="one", title="First", fields={"aliases": ["uno", "Uno", "First", "one"]})
    assert meant(memory, "[[uno]]") == meant(memory, "[[first]]") == meant(memory, "[[one]]") == ["fix/one"]


def test_an_id_names_an_entry_whose_path_does_not_say_it(memory: Memory) -> None:
    memory.save("Text.", kind="skill", slug="deploy")
    memory.save("Text.", kind="idea", slug="kite", status="inbox")
    memory.save("Text.", kind="preference", slug="tabs", always_load=True)
    for said in ("skill/deploy", "idea/kite", "preference/tabs"):
        assert meant(memory, f"[[{said}]]") == [said]
    assert meant(memory, "[[deploy]]") == meant(memory, "[[skill_deploy/SKILL]]") == ["skill/deploy"]


def test_what_lies_in_the_folder_of_a_skill_is_a_file_of_its_own(memory: Memory) -> None:
    folder = memory.save("Text.", kind="skill", slug="deploy").locator.parent
    put(memory, f"{folder}/references/steps.md", "Text.\n")
    assert meant(memory, "[[steps]]") == [f"{folder}/references/steps.md"]
    assert meant(memory, "[x](references/steps.md)", f"{folder}/SKILL.md") == [f"{folder}/references/steps.md"]
    assert meant(memory, "[x](../SKILL.md)", f"{folder}/references/steps.md") == ["skill/deploy"]


def test_an_entry_of_a_log_is_named_by_its_id_and_its_title_and_the_log_by_its_file(memory: Memory) -> None:
    entry = memory.append("Text.", title="A talk")
    assert meant(memory, f"[[{entry.id}]]") == meant(memory, "[[a talk]]") == [entry.id]
    (log,) = names_of(memory).resolve(link("[[episode-2026-06-01]]"), HERE, None)
    assert log == Target(entry.locator, "", entry.scope)


def test_the_one_of_its_kind_is_named_by_its_file_and_by_its_kind(memory: Memory) -> None:
    memory.save("I am Ada.", kind="profile")
    assert meant(memory, "[[user]]") == meant(memory, "[[profile]]") == ["profile"]


def test_an_entry_of_any_status_is_there(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="one")
    memory.archive("fix/one")
    memory.save("Text.", kind="fix", slug="two")
    memory.forget("fix/two")
    assert meant(memory, "[[one]]") == ["fix/one"]
    assert meant(memory, "[[fix/two]]") == ["fix/two"]


def test_a_file_that_is_no_text_still_has_its_path(memory: Memory) -> None:
    path = where(memory, "fix", "one")
    memory.core.storage.write_bytes(Locator(path), b"\xff\xfe")
    assert meant(memory, "[[one]]") == meant(memory, "[[fix/one]]") == [path]


# Ids in fields that hold ids


@pytest.fixture
def both(memory: Memory) -> tuple[Memory, Scope, Scope]:
    """The same id in two scopes."""
    agent, user = Scope(), Scope(owner=Owner.USER)
    for scope in (agent, user):
        memory.save(f"Text of {scope}.", kind="fix", slug="one", scope=scope)
    return memory, agent, user


@pytest.mark.parametrize("said", ["supersedes: fix/one", "superseded_by: '[[fix/one]]'", "derived_from: [fix/one]"])
def test_an_id_in_a_field_for_ids_means_the_entry_of_the_holders_scope(
    both: tuple[Memory, Scope, Scope], said: str
) -> None:
    memory, *scopes = both
    for scope in scopes:
        (target,) = names_of(memory).resolve(link(f"---\n{said}\n---\n"), HERE, scope)
        assert (target.id, target.scope) == ("fix/one", scope)


@pytest.mark.parametrize("said", ["[[fix/one]]", "[[one]]", "---\nrelated: '[[fix/one]]'\n---\n"])
def test_any_other_link_to_an_id_of_two_scopes_is_ambiguous(both: tuple[Memory, Scope, Scope], said: str) -> None:
    memory, agent, user = both
    targets = names_of(memory).resolve(link(said), HERE, agent)
    assert {target.scope for target in targets} == {agent, user}


def test_an_id_that_the_holders_scope_does_not_have_is_looked_for_everywhere(memory: Memory) -> None:
    episode = memory.append("Text.")
    agent, elsewhere = Scope(), Scope(owner=Owner.SHARED)
    said = link(f"---\nderived_from: {episode.id}\n---\n")
    for scope in (agent, elsewhere, None):
        (target,) = names_of(memory).resolve(said, HERE, scope)
        assert (target.id, target.scope) == (episode.id, episode.scope)
    assert names_of(memory).resolve(link("---\nsupersedes: fix/none\n---\n"), HERE, agent) == ()


def test_the_ids_of_two_logs_are_told_apart_by_the_scope(memory: Memory) -> None:
    ada, ben = (Scope(owner=Owner.USER, id=name) for name in ("ada", "ben"))
    one, other = memory.append("Text.", scope=ada), memory.append("Text.", scope=ben)
    assert one.id == other.id
    said = link(f"---\nderived_from: {one.id}\n---\n")
    assert [target.scope for target in names_of(memory).resolve(said, HERE, ben)] == [ben]
    assert len(names_of(memory).resolve(link(f"[[{one.id}]]"), HERE, ben)) == 2


# Whatever the root


SEGMENTS = st.sampled_from(("a", "b", "note", "caf\u00e9", "x y"))
KEYS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)


@settings(deadline=None)
@given(st.sets(KEYS, min_size=1, max_size=12), KEYS, st.data())
def test_what_is_found_is_what_looking_at_every_path_finds(keys: set[str], holder: str, data: st.DataObject) -> None:
    ends = st.sampled_from(sorted(keys)).map(lambda key: "/".join(key.split("/")[-2:]))
    said = data.draw(ends | KEYS)
    beside = f"{holder.rpartition('/')[0]}/{said}".lstrip("/")
    exact = {key for key in keys if key == said}
    relative = {key for key in keys if key == beside and "/" in said}
    ending = {key for key in keys if key.endswith(f"/{said}")}
    names = paths(*(f"{key}.md" for key in sorted(keys)))
    spelled = data.draw(st.sampled_from((said, said.upper(), unicodedata.normalize("NFD", said), f"{said}.md")))
    found = names.resolve(Link(spelled, "wiki"), Locator(f"{holder}.md"), None)
    assert {target.locator.key for target in found} == {f"{key}.md" for key in exact or relative or ending}


@settings(deadline=None)
@given(st.text(max_size=40), KEYS)
def test_any_target_is_resolved_or_not_and_never_raises(target: str, key: str) -> None:
    names = paths(f"{key}.md")
    for kind in ("wiki", "embed", "markdown", "field"):
        assert len(names.resolve(Link(target, kind), HERE, None)) <= 1


def test_names_can_be_added_after_some_were_looked_up() -> None:
    names = paths("a/x/one.md")
    assert at(names, "[[x/one]]") == ["a/x/one.md"]
    names.add_file(Locator("b/x/one.md"), "", None)
    assert at(names, "[[x/one]]") == ["a/x/one.md", "b/x/one.md"]
    assert at(names, "[[one]]") == ["a/x/one.md", "b/x/one.md"]


def test_the_cost_of_a_link_does_not_grow_with_the_files() -> None:
    names = paths(*(f"folder-{n % 100}/sub/{name}.md" for n in range(20_000) for name in ("same", f"note-{n}")))
    start = time.process_time()
    for n in range(20_000):
        names.resolve(Link(f"sub/note-{n}", "wiki"), HERE, None)
        names.resolve(Link("same", "wiki"), HERE, None)
        names.resolve(Link("sub/same", "wiki"), HERE, None)
    assert time.process_time() - start < MOST_SECONDS


def test_both_layouts_and_zones_name_the_same_way(memory: Memory) -> None:
    put(memory, where(memory, "fix", "one", Zone.ARCHIVE), "---\nkind: fix\n---\nText.\n")
    assert meant(memory, "[[fix/one]]") == meant(memory, "[[one]]") == ["fix/one"]
