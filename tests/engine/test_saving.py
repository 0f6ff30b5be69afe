"""Saving: remembered once, in the place of its kind, with every field that was given; or refused, and nothing saved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire import Document, EntryNotFound, InvalidEntry, InvalidScope, InvalidTime, Memory, Scope, Status, TooLarge
from quire.engine.layout import Zone
from tests.engine.conftest import Time
from tests.engine.looking import ids, put, remove, text_at, tree, where

# What a save leaves


def test_a_text_is_all_that_is_needed(memory: Memory) -> None:
    entry = memory.save("Answer in three sentences unless asked for more.")
    assert entry.id == "preference/answer-in-three-sentences-unless-asked-for-more"
    assert memory.get(entry.id) == entry
    assert tree(memory) == {
        entry.locator.key: b"---\nkind: preference\nslug: answer-in-three-sentences-unless-asked-for-more\n"
        b"status: active\ncreated: '2026-06-01T12:00:00+00:00'\nupdated: '2026-06-01T12:00:00+00:00'\n"
        b"source: python\nschema_version: 1\n---\nAnswer in three sentences unless asked for more.\n"
    }


def test_everything_that_is_given_is_in_the_frontmatter(memory: Memory) -> None:
    source = memory.append("The suites failed with a locked database.")
    entry = memory.save(
        "Run the suites one after the other.",
        kind="fix",
        slug="lock",
        title="Locked database",
        tags=["#testing", "area/db", "testing"],
        scope="user",
        derived_from=[source.id],
        source="a talk with Ada",
        valid_from="2026-05-01",
        valid_to="2027-01-01T10:00+02:00",
        at="2026-05-30T08:00",
        fields={"priority": 3, "aliases": ["DB lock"], "mood": {"of": "the day"}},
    )
    assert entry.id == "fix/lock"
    assert entry.scope.owner is quire.Owner.USER
    assert dict(memory.get("fix/lock").fields) == {
        "kind": "fix",
        "slug": "lock",
        "title": "Locked database",
        "status": "active",
        "created": "2026-06-01T12:00:00+00:00",
        "updated": "2026-06-01T12:00:00+00:00",
        "timestamp": "2026-05-30T08:00:00+00:00",
        "tags": ["testing", "area/db"],
        "source": "a talk with Ada",
        "derived_from": [source.id],
        "valid_from": "2026-05-01T00:00:00+00:00",
        "valid_to": "2027-01-01T08:00:00+00:00",
        "priority": 3,
        "aliases": ["DB lock"],
        "mood": {"of": "the day"},
        "schema_version": 1,
    }


def test_who_saved_it_and_in_which_session_is_kept(time: Time) -> None:
    with quire.open(protocol="ram", now=time, actor="cli", session="s-1") as memory:
        entry = memory.save("Text.")
        assert (entry.fields["source"], entry.fields["session"]) == ("cli", "s-1")


@pytest.mark.parametrize(
    "body",
    [
        "---\nkind: idea\n---\nIt begins as frontmatter does.\n",
        "---\nIt begins with a rule.\n",
        "<!-- entry:ep_20260601_00000001 -->\nWith a marker.\n<!-- /entry:ep_20260601_00000001 -->\n",
        "With returns.\r\nAnd more.\r\n",
        "With\rlone returns",
        "\ufeffWith a mark of byte order.\n",
        "\n\n  Indented, after empty lines.\n\n\n",
        "No newline at the end",
        "# A heading\n\n[[link]] `code` 日本語 🧵\u2028\u00a0\n",
        "\ttab: [x\n",
    ],
)
def test_a_body_comes_back_as_it_was_given(memory: Memory, body: str) -> None:
    for kind in ("fix", "skill", "profile", "episode"):
        entry = memory.save(body, kind=kind)
        read = memory.get(entry.id, scope=entry.scope).body
        assert read.rstrip("\r\n") == body.rstrip("\r\n")
        assert read.startswith(body)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300))
def test_any_text_comes_back(text: str) -> None:
    with quire.open(protocol="ram") as memory:
        if not text.strip():
            with pytest.raises(InvalidEntry):
                memory.save(text)
            return
        for kind in ("fix", "episode"):
            entry = memory.save(text, kind=kind)
            assert memory.get(entry.id).body.startswith(text)
            assert memory.get(entry.id).fields == entry.fields


# The same again


def test_the_same_body_again_is_reinforced_and_not_doubled(memory: Memory, time: Time) -> None:
    first = memory.save("Run them one by one.", kind="fix", slug="x")
    for minutes, body in enumerate(
        ["Run them one by one.", "Run them one by one.\n\n", "\nRun them one by one.  ", "Run them one by one.\r\n"], 1
    ):
        time.forward(minutes=1)
        again = memory.save(body, kind="fix", slug="x")
        assert again.id == first.id
        assert again.fields["occurrences"] == minutes + 1
        assert again.updated == f"2026-06-01T12:0{minutes}:00+00:00"
        assert again.created == first.created
    assert len(tree(memory)) == 1
    assert memory.get("fix/x").body == first.body


def test_it_is_the_same_with_other_ends_of_lines(memory: Memory) -> None:
    memory.save("One.\nTwo.\n", slug="x")
    assert memory.save("One.\r\nTwo.\r\n", slug="x").fields["occurrences"] == 2


def test_the_same_body_is_found_under_a_number_too(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="x")
    assert memory.save("Two.", kind="fix", slug="x").id == "fix/x-2"
    assert memory.save("Three.", kind="fix", slug="x").id == "fix/x-3"
    assert memory.save("Two.", kind="fix", slug="x").id == "fix/x-2"
    assert memory.save("Three.", kind="fix", slug="x").id == "fix/x-3"
    memory.purge("fix/x", yes=True)
    assert memory.save("Two.", kind="fix", slug="x").id == "fix/x-2"
    assert memory.save("Four.", kind="fix", slug="x").id == "fix/x"


def test_what_is_given_again_adds_to_what_is_there(memory: Memory) -> None:
    one, two = memory.append("One."), memory.append("Two.")
    memory.save("Text.", slug="x", tags=["a", "b"], derived_from=[one.id], source="first", fields={"priority": 1})
    entry = memory.save(
        "Text.",
        slug="x",
        title="A title",
        tags=["b", "c"],
        derived_from=[two.id],
        source="second",
        valid_to="2027-01-01",
        fields={"priority": 2, "mood": "good"},
    )
    assert entry.tags == ("a", "b", "c")
    assert entry.derived_from == (one.id, two.id)
    assert entry.title == "A title"
    assert (entry.fields["priority"], entry.fields["mood"]) == (2, "good")
    assert entry.fields["valid_to"] == "2027-01-01T00:00:00+00:00"
    assert entry.fields["source"] == "first"
    again = memory.save("Text.", slug="x")
    assert (again.tags, again.title, again.fields["priority"]) == (("a", "b", "c"), "A title", 2)


def test_what_a_person_wrote_around_it_stays_when_it_is_reinforced(memory: Memory) -> None:
    key = where(memory, "fix", "x")
    put(memory, key, "---\n# mine\nkind:   fix\ntags: a   # one\nextra: [1,2]\n---\nText.")
    memory.save("Text.", kind="fix", slug="x")
    assert text_at(memory, key) == (
        "---\n# mine\nkind:   fix\ntags: a   # one\nextra: [1,2]\noccurrences: 2\n"
        "updated: '2026-06-01T12:00:00+00:00'\n---\nText."
    )


def test_a_save_out_of_the_inbox_is_a_save(memory: Memory) -> None:
    memory.save("Maybe.", kind="fix", slug="x", status="inbox")
    assert memory.save("Maybe.", kind="fix", slug="x", status="inbox").status is Status.INBOX
    entry = memory.save("Maybe.", kind="fix", slug="x")
    assert (entry.id, entry.status, entry.fields["occurrences"]) == ("fix/x", Status.ACTIVE, 3)
    assert memory.get("fix/x") == entry
    assert list(tree(memory)) == [where(memory, "fix", "x")]
    assert memory.save("Maybe.", kind="fix", slug="x", status="inbox").status is Status.ACTIVE


@pytest.mark.parametrize("away", ["forget", "archive", "evolve"])
def test_what_was_put_away_stays_away_and_the_save_is_a_new_entry(memory: Memory, away: str) -> None:
    memory.save("Text.", kind="fix", slug="x")
    {
        "forget": lambda: memory.forget("fix/x"),
        "archive": lambda: memory.archive("fix/x"),
        "evolve": lambda: memory.evolve("fix/x", "Other text."),
    }[away]()
    before = memory.get("fix/x")
    entry = memory.save("Text.", kind="fix", slug="x")
    assert entry.id == ("fix/x-3" if away == "evolve" else "fix/x-2")
    assert entry.status is Status.ACTIVE
    assert memory.get("fix/x") == before
    assert memory.save("Text.", kind="fix", slug="x").id == entry.id


def test_a_file_that_says_nothing_sure_is_left_alone(memory: Memory) -> None:
    key = where(memory, "fix", "x")
    put(memory, key, "---\nstatus: [\n---\nText.\n")
    with pytest.raises(InvalidEntry, match=r"x\.md"):
        memory.save("Text.", kind="fix", slug="x")
    assert memory.save("Other text.", kind="fix", slug="x").id == "fix/x-2"
    memory.core.storage.write_bytes(memory.get("fix/x-2").locator, b"\xff")
    assert memory.save("More text.", kind="fix", slug="x").id == "fix/x-3"
    assert text_at(memory, key) == "---\nstatus: [\n---\nText.\n"


def test_the_title_names_the_file_and_else_the_first_words(memory: Memory) -> None:
    assert memory.save("Text.", title="E2BIG: the argument list").id == "preference/e2big-the-argument-list"
    assert memory.save("# Heading\n\nText.").id == "preference/heading"
    assert memory.save("🧵").id.startswith("preference/note-")


# Superseding


def test_a_save_can_take_the_place_of_another(memory: Memory, time: Time) -> None:
    memory.save("Old.", kind="fix", slug="old")
    time.forward(hours=1)
    new = memory.save("New.", kind="fix", slug="new", supersedes="fix/old")
    old = memory.get("fix/old")
    assert (new.status, new.supersedes) == (Status.ACTIVE, "fix/old")
    assert (old.status, old.superseded_by) == (Status.SUPERSEDED, "fix/new")
    assert old.fields["valid_to"] == "2026-06-01T13:00:00+00:00"
    assert ids(memory.history("fix/new")) == ["fix/old", "fix/new"]
    memory.undo()
    assert memory.get("fix/old").status is Status.ACTIVE
    with pytest.raises(EntryNotFound):
        memory.get("fix/new")


def test_the_same_superseding_save_again_is_reinforced(memory: Memory) -> None:
    memory.save("Old.", kind="fix", slug="old")
    memory.save("New.", kind="fix", slug="new", supersedes="fix/old")
    again = memory.save("New.", kind="fix", slug="new", supersedes="fix/old")
    assert (again.id, again.fields["occurrences"]) == ("fix/new", 2)
    assert set(ids(memory.list(status="all"))) == {"fix/old", "fix/new"}


def test_an_entry_that_is_there_can_take_the_place_of_another(memory: Memory) -> None:
    memory.save("Old.", kind="fix", slug="old")
    memory.save("New.", kind="fix", slug="new")
    memory.save("New.", kind="fix", slug="new", supersedes="fix/old")
    assert memory.get("fix/new").supersedes == "fix/old"
    assert memory.get("fix/old").superseded_by == "fix/new"
    assert set(ids(memory.list(status="all"))) == {"fix/old", "fix/new"}


def test_what_took_the_place_of_one_does_not_take_that_of_another_too(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="one")
    memory.save("Two.", kind="fix", slug="two")
    memory.save("New.", kind="fix", slug="new", supersedes="fix/one")
    entry = memory.save("New.", kind="fix", slug="new", supersedes="fix/two")
    assert (entry.id, entry.supersedes) == ("fix/new-2", "fix/two")
    assert memory.get("fix/new").supersedes == "fix/one"


def test_nothing_supersedes_itself(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    entry = memory.save("Text.", kind="fix", slug="x", supersedes="fix/x")
    assert (entry.id, entry.status, entry.supersedes) == ("fix/x", Status.ACTIVE, "")


def test_only_what_is_active_is_superseded(memory: Memory) -> None:
    memory.save("Old.", kind="fix", slug="old")
    memory.forget("fix/old")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match="only an active entry is superseded, and this one is deleted"):
        memory.save("New.", kind="fix", slug="new", supersedes="fix/old")
    with pytest.raises(EntryNotFound):
        memory.save("New.", kind="fix", slug="new", supersedes="fix/nothing")
    assert tree(memory) == before


# Places


def test_what_waits_in_the_inbox_lies_in_the_inbox(memory: Memory) -> None:
    fix = memory.save("Maybe.", kind="fix", slug="x", status="inbox")
    idea = memory.save("A thought.", kind="idea", slug="y", status="inbox")
    assert fix.status is idea.status is Status.INBOX
    if memory.core.layout.name == "vault":
        assert {fix.locator.key, idea.locator.key} == {"Memory/_inbox/fix/x.md", "Memory/_idea-incubator/y.md"}


def test_what_is_loaded_always_keeps_its_id(memory: Memory) -> None:
    entry = memory.save("Be short.", kind="feedback", slug="short", always_load=True)
    assert entry.id == memory.get("feedback/short").id == "feedback/short"
    assert entry.always_load
    if memory.core.layout.name == "vault":
        assert entry.locator.key == "Memory/_always-load/short.md"
    assert memory.save("Be short.", kind="feedback", slug="short").fields["occurrences"] == 2


def test_two_kinds_may_have_one_slug_though_they_share_a_folder(memory: Memory) -> None:
    memory.save("A preference.", slug="x", always_load=True)
    fix = memory.save("A fix.", kind="fix", slug="x", always_load=True)
    idea = memory.save("An idea.", kind="idea", slug="x")
    assert fix.id == ("fix/x-2" if memory.core.layout.name == "vault" else "fix/x")
    assert idea.id == "idea/x"
    assert memory.get("preference/x").text == "A preference."
    assert memory.get(fix.id).text == "A fix."
    assert memory.save("A fix.", kind="fix", slug="x", always_load=True).id == fix.id


def test_a_slug_is_taken_in_every_zone(memory: Memory) -> None:
    memory.save("Loaded.", slug="a", always_load=True)
    memory.save("Waiting.", slug="b", status="inbox")
    memory.save("Away.", slug="c")
    memory.archive("preference/c")
    assert [memory.save("Other.", slug=slug).id for slug in "abc"] == [
        "preference/a-2", "preference/b-2", "preference/c-2",
    ]  # fmt: skip
    assert memory.save("Other, too.", slug="a", always_load=True).id == "preference/a-3"


def test_what_is_there_can_be_made_to_load_always_by_saving_it_again(memory: Memory) -> None:
    memory.save("Be short.", slug="short")
    entry = memory.save("Be short.", slug="short", always_load=True)
    assert (entry.id, entry.always_load) == ("preference/short", True)
    assert list(tree(memory)) == [where(memory, "preference", "short", memory.core.layout.zones[0])] or (
        list(tree(memory)) == ["Memory/_always-load/short.md"]
    )
    assert memory.save("Be short.", slug="short").always_load


def test_a_single_is_rewritten_and_keeps_its_own_fields(memory: Memory, time: Time) -> None:
    first = memory.save("I am Ada.", kind="profile", tags=["me"], fields={"mood": "good"})
    assert first.id == "profile"
    assert memory.save("I am Ada.\n", kind="profile").fields["occurrences"] == 2
    time.forward(days=1)
    second = memory.save("I am Ada, and write Python.", kind="profile")
    assert second.text == "I am Ada, and write Python."
    assert (second.tags, second.fields["mood"], second.created) == (("me",), "good", first.created)
    assert "occurrences" not in second.fields
    assert second.updated == "2026-06-02T12:00:00+00:00"
    memory.undo()
    assert memory.get("profile").text == "I am Ada."


def test_a_single_that_was_forgotten_is_there_again_when_it_is_saved(memory: Memory) -> None:
    for body in ("I am Ada.", "I am Ada, still."):
        memory.save("I am Ada.", kind="profile")
        memory.forget("profile", reason="wrong person")
        entry = memory.save(body, kind="profile")
        assert entry.status is Status.ACTIVE
        assert not {"deleted_at", "reason"} & set(entry.fields)
        assert ids(memory.list()) == ["profile"]


def test_a_skill_is_a_folder_with_a_name(memory: Memory) -> None:
    skill = memory.save("Tag, build, publish.", kind="skill", slug="release", fields={"description": "How we release"})
    assert skill.id == "skill/release"
    assert skill.locator.key.endswith("/skills/skill_release/SKILL.md")
    assert (skill.fields["name"], skill.fields["description"]) == ("release", "How we release")
    assert memory.save("Tag first.", kind="skill", slug="release").fields["name"] == "release-2"


def test_scopes_do_not_share_slugs(memory: Memory) -> None:
    for scope in ("agent", "user", "shared", "user:alice", "atlas/agent:coder", "atlas/shared"):
        assert memory.save(f"Of {scope}.", slug="x", scope=scope).id == "preference/x"
    assert memory.get("preference/x", scope="atlas/agent:coder").text == "Of atlas/agent:coder."
    assert memory.get("preference/x", scope=Scope.parse("user:alice")).text == "Of user:alice."


def test_a_kind_that_is_not_the_agents_goes_to_its_owner(memory: Memory) -> None:
    assert memory.save("I am Ada.", kind="profile").scope.owner is quire.Owner.USER
    assert memory.append("It rained.").scope.owner is quire.Owner.USER
    assert memory.save("Be kind.", kind="soul").scope.owner is quire.Owner.AGENT
    with pytest.raises(InvalidEntry, match=r"a soul belongs to agent, and .* is neither"):
        memory.save("Be kind.", kind="soul", scope="user")


# Refusals: nothing is saved


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"text": ""}, InvalidEntry, "the text is empty"),
        ({"text": " \n\t"}, InvalidEntry, "the text is empty"),
        ({"text": "a\0b"}, InvalidEntry, "character 1 of the text is NUL"),
        ({"text": "ab\ud800"}, InvalidEntry, "character 2 of the text is half a character"),
        ({"text": b"bytes"}, InvalidEntry, "the text is bytes"),
        ({"text": None}, InvalidEntry, "the text is NoneType"),
        ({"text": "x" * (1024 * 1024 + 1)}, TooLarge, "1,048,577 bytes are more than the 1,048,576 of one entry"),
        ({"kind": "fx"}, InvalidEntry, "there is no kind 'fx'"),
        ({"slug": "Not A Slug"}, InvalidEntry, "is not a slug"),
        ({"slug": ""}, InvalidEntry, "is not a slug"),
        ({"title": "two\nlines"}, InvalidEntry, "a title is one line"),
        ({"title": "two\u2028lines"}, InvalidEntry, "a title is one line"),
        ({"title": "bell\x07"}, InvalidEntry, "a title is one line"),
        ({"title": "half\udc00"}, InvalidEntry, "a title is one line"),
        ({"title": " "}, InvalidEntry, "a title is one line"),
        ({"title": "x" * 501}, InvalidEntry, "a title is one line"),
        ({"title": 5}, InvalidEntry, "a title is one line"),
        ({"tags": ["a\nb"]}, InvalidEntry, "is not a tag"),
        ({"tags": ["#"]}, InvalidEntry, "is not a tag"),
        ({"tags": [5]}, InvalidEntry, "5 is not a tag"),
        ({"tags": 5}, InvalidEntry, "tags are"),
        ({"tags": [f"t{n}" for n in range(65)]}, InvalidEntry, "65 tags are more than the 64"),
        ({"scope": "nobody"}, InvalidScope, "names no owner"),
        ({"supersedes": "fix/nothing"}, EntryNotFound, "no such entry"),
        ({"derived_from": ["fix/nothing"]}, EntryNotFound, "no such entry"),
        ({"derived_from": "fix/nothing"}, EntryNotFound, "no such entry"),
        ({"source": "half\udc00"}, InvalidEntry, "source"),
        ({"status": "deleted"}, InvalidEntry, "active or in the inbox, not 'deleted'"),
        ({"valid_from": "soon"}, InvalidTime, "'soon' is not a time"),
        ({"valid_from": "2027-01-01", "valid_to": "2026-01-01"}, InvalidEntry, "valid_to is before valid_from"),
        ({"at": "soon"}, InvalidTime, "'soon' is not a time"),
        ({"fields": {"status": "deleted"}}, InvalidEntry, "'status'"),
        ({"fields": {"kind": "idea"}}, InvalidEntry, "'kind'"),
        ({"fields": {"created": "2020-01-01"}}, InvalidEntry, "'created'"),
        ({"fields": {"title": "x"}}, InvalidEntry, "'title' .*Give it as the argument title"),
        ({"fields": {"supersedes": "fix/x"}}, InvalidEntry, "'supersedes' .*Give it as the argument"),
        ({"fields": {"timestamp": "2020-01-01"}}, InvalidEntry, "'timestamp' .*Give it as the argument at"),
        ({"fields": {"occurrences": 5}}, InvalidEntry, "'occurrences'"),
        ({"fields": {"priority": "high"}}, InvalidEntry, "priority is text, and a number is wanted"),
        ({"fields": {"x": object()}}, InvalidEntry, "field x"),
        ({"fields": {"x": "half\udc00"}}, InvalidEntry, "field x"),
        ({"fields": {"": "x"}}, InvalidEntry, "'' is no name of a field"),
        ({"fields": {5: "x"}}, InvalidEntry, "5 is no name of a field"),
        ({"fields": {"x": "y" * 70_000}}, InvalidEntry, "65,?536 characters"),
        ({"fields": ["x"]}, InvalidEntry, "fields are a table"),
        ({"kind": "profile", "slug": "me"}, InvalidEntry, "there is one profile"),
        ({"kind": "profile", "status": "inbox"}, InvalidEntry, "there is one profile"),
        ({"kind": "profile", "supersedes": "fix/x"}, InvalidEntry, "there is one profile"),
        ({"kind": "episode", "slug": "x"}, InvalidEntry, "an entry of a log has no slug"),
        ({"kind": "episode", "always_load": True}, InvalidEntry, "an entry of a log"),
        ({"kind": "episode", "supersedes": "fix/x"}, InvalidEntry, "an entry of a log"),
    ],
)
def test_what_cannot_be_saved_is_refused_with_the_reason(
    memory: Memory, arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        memory.save(**{"text": "Text.", **arguments})
    assert tree(memory) == {}


def test_a_text_may_be_as_large_as_the_limit(memory: Memory) -> None:
    assert len(memory.save("é" * (512 * 1024), slug="x").text) == 512 * 1024


@pytest.mark.parametrize(
    "tag", ["python", "area/testing", "two words", "日本語", "می‌خواهم", "👨‍👩‍👧", "c++", "2024", "true"]
)
def test_a_tag_may_be_of_any_script(memory: Memory, tag: str) -> None:
    memory.save("Text.", slug="x", tags=[tag])
    assert memory.get("preference/x").tags == (tag,)


def test_tags_may_be_given_as_one_text(memory: Memory) -> None:
    assert memory.save("Text.", tags="a, #b").tags == ("a", "b")
    assert memory.save("Text!", tags=None).tags == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "title", ["👨‍👩‍👧: family", "'quoted': \"both\"", "- not a list", "C# & [brackets] | {more}", "# x", "true"]
)
def test_a_title_comes_back_as_it_was_given(memory: Memory, title: str) -> None:
    entry = memory.save("Text.", title=title)
    assert memory.get(entry.id).title == title
    assert not memory.list().faults


# Together


def at_once(calls: Sequence[Callable[[], object]]) -> list[Exception]:
    failures: list[Exception] = []

    def run(call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_savers_of_one_slug_all_land(tmp_path: Path, layout: str) -> None:
    memories = [quire.open(tmp_path, layout=layout) for _ in range(4)]
    saves = [partial(memory.save, f"Text {number}.", slug="x") for number in range(6) for memory in memories[:2]]
    assert at_once(saves) == []
    texts = [entry.text for entry in memories[3].list()]
    assert sorted(texts) == [f"Text {number}." for number in range(6)]
    assert all(entry.fields["occurrences"] == 2 for entry in memories[3].list())
    for memory in memories:
        memory.close()


def test_savers_of_one_slug_into_different_folders_never_share_an_id(tmp_path: Path) -> None:
    with quire.open(tmp_path, layout="vault") as one, quire.open(tmp_path, layout="vault") as two:
        for number in range(25):
            slug = f"n{number}"
            assert at_once([
                partial(one.save, "Loaded.", slug=slug, always_load=True),
                partial(two.save, "Active.", slug=slug),
                partial(two.save, "Waiting.", slug=slug, status="inbox"),
            ]) == []  # fmt: skip
        listed = one.list()
        assert len(listed) == len(set(ids(listed))) == 75
        for entry in listed:
            assert one.get(entry.id) == entry
        one.undo()
        assert len(one.list()) == 74


def test_of_two_that_supersede_one_entry_one_is_told(tmp_path: Path) -> None:
    with quire.open(tmp_path) as one, quire.open(tmp_path) as two:
        one.save("Old.", slug="old")
        failures = at_once(
            [
                lambda: one.save("Newer.", slug="newer", supersedes="preference/old"),
                lambda: two.save("Newest.", slug="newest", supersedes="preference/old"),
            ]
        )
        assert [type(failure) for failure in failures] == [InvalidEntry]
        assert len(ids(one.list())) == 1
        assert one.get("preference/old").superseded_by == one.list().entries[0].id


def test_a_file_that_vanishes_meanwhile_gives_its_name_back(memory: Memory) -> None:
    memory.save("Text.", slug="x")
    remove(memory, where(memory, "preference", "x"))
    assert memory.save("Text.", slug="x").fields.get("occurrences") is None


def test_a_save_leaves_nothing_but_its_file_and_a_record(tmp_path: Path) -> None:
    with quire.open(tmp_path, layout="vault") as memory:
        memory.save("Text.", slug="x")
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert [name for name in files if not name.startswith(".journal/")] == ["Memory/preference/x.md"]
    assert len(files) == 2
    assert Document.parse((tmp_path / "Memory/preference/x.md").read_text()).problems == ()
    assert Zone.ALWAYS.value not in str(files)
