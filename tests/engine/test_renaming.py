"""Renaming: the entry gets another name, and every link to it follows, in the same change."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import quire
from quire import InvalidEntry, Locator, Memory, NotFound, Owner, Scope
from quire.engine.layout import Zone
from quire.engine.listing import files
from quire.engine.resolving import Names, Target
from quire.markdown.document import Document
from quire.markdown.entries import Log
from quire.markdown.links import links
from tests.budget import budget
from tests.engine.conftest import Time
from tests.engine.looking import put, remove, text_at, tree, where

NOTE = "notes/mine.md"


@pytest.fixture
def target(memory: Memory) -> str:
    """The path of an entry `fix/old`, without its ending."""
    return memory.save("Text.", kind="fix", slug="old", title="The title").locator.key.removesuffix(".md")


def after(memory: Memory, text: str, *, at: str = NOTE, slug: str = "new") -> str:
    """What a file says once `fix/old` is renamed."""
    put(memory, at, text)
    memory.rename("fix/old", slug)
    return text_at(memory, at)


def without_updated(files: dict[str, bytes]) -> dict[str, bytes]:
    return {key: re.sub(rb"(?m)^updated: .*\n", b"", text) for key, text in files.items()}


# The entry itself


def test_the_entry_has_its_new_name_and_everything_else_it_had(memory: Memory, time: Time) -> None:
    old = memory.save("Text.", kind="fix", slug="old", title="The title", tags=["a"])
    time.forward(hours=1)
    new = memory.rename("fix/old", "new")
    assert new.id == "fix/new"
    assert new.locator.key == where(memory, "fix", "new")
    assert new.document.text == (
        old.document.text.replace("slug: old", "slug: new").replace(
            f"updated: '{old.updated}'", "updated: '2026-06-01T13:00:00+00:00'"
        )
    )
    assert memory.get("fix/new") == new
    assert old.locator.key not in tree(memory)


def test_a_slug_that_the_frontmatter_does_not_repeat_is_not_added(memory: Memory) -> None:
    put(memory, where(memory, "fix", "old"), "---\nkind: fix\n---\nText.\n")
    assert "slug" not in memory.rename("fix/old", "new").fields


@pytest.mark.parametrize("zone", [Zone.ACTIVE, Zone.ARCHIVE])
def test_the_entry_stays_in_its_zone(memory: Memory, zone: Zone) -> None:
    put(memory, where(memory, "fix", "old", zone), "---\nkind: fix\n---\nText [[old]].\n")
    entry = memory.rename("fix/old", "new")
    assert entry.locator.key == where(memory, "fix", "new", zone)
    assert entry.text == "Text [[new]]."


def test_what_is_always_loaded_is_renamed_where_it_lies(memory: Memory) -> None:
    old = memory.save("Text.", kind="preference", slug="old", always_load=True)
    put(memory, NOTE, "[[preference/old]] [[old]]\n")
    new = memory.rename("preference/old", "new")
    assert new.locator.parent == old.locator.parent
    assert new.id == "preference/new"
    assert text_at(memory, NOTE) == "[[preference/new]] [[new]]\n"


def test_the_same_name_changes_nothing(memory: Memory, target: str) -> None:
    before = tree(memory)
    assert memory.rename("fix/old", "old").id == "fix/old"
    assert tree(memory) == before


@pytest.mark.parametrize("slug", ["Not A Slug", "", "../new", "new.md"])
def test_what_is_no_slug_is_refused(memory: Memory, target: str, slug: str) -> None:
    before = tree(memory)
    with pytest.raises(InvalidEntry):
        memory.rename("fix/old", slug)
    assert tree(memory) == before


@pytest.mark.parametrize("zone", [Zone.ACTIVE, Zone.ARCHIVE])
def test_the_name_of_another_is_refused_wherever_that_one_lies(memory: Memory, target: str, zone: Zone) -> None:
    put(memory, where(memory, "fix", "new", zone), "---\nkind: fix\n---\nAnother.\n")
    before = tree(memory)
    with pytest.raises(InvalidEntry, match="fix/new is another entry") as error:
        memory.rename("fix/old", "new")
    assert error.value.code == "ENTRY_EXISTS"
    assert tree(memory) == before


def test_what_has_no_slug_is_not_renamed(memory: Memory) -> None:
    episode = memory.append("Text.")
    memory.save("I am Ada.", kind="profile")
    for id in (episode.id, "profile"):
        with pytest.raises(InvalidEntry, match="has no slug"):
            memory.rename(id, "new")


# The links to it


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("[[old]]", "[[new]]"),
        ("[[old.md]]", "[[new.md]]"),
        ("[[ OLD ]]", "[[ new ]]"),
        ("[[old|Old]] [[old#Old]] [[old#^old|old]]", "[[new|Old]] [[new#Old]] [[new#^old|old]]"),
        ("![[old]]", "![[new]]"),
        ("| [[old\\|Old]] |", "| [[new\\|Old]] |"),
        ("[[fix/old]]", "[[fix/new]]"),
        ("[[fix/old.md|Old]]", "[[fix/new.md|Old]]"),
        ("part of:: [[old]], [[fix/old]]", "part of:: [[new]], [[fix/new]]"),
        ("- implements [[old]] (old)", "- implements [[new]] (old)"),
        ("[old](old.md 'old')", "[old](new.md 'old')"),
        ("[old](<old.md#old>)", "[old](<new.md#old>)"),
        ("[old](fix/old)", "[old](fix/new)"),
        ("[old]: fix/old.md#old", "[old]: fix/new.md#old"),
        ("[old](%6F%6C%64.md)", "[old](new.md)"),
        ("---\nsupersedes: fix/old\n---\n", "---\nsupersedes: fix/new\n---\n"),
        ("---\nsuperseded_by: '[[fix/old]]'\n---\n", "---\nsuperseded_by: '[[fix/new]]'\n---\n"),
        ("---\nderived_from: [fix/old, old]\n---\n", "---\nderived_from: [fix/new, new]\n---\n"),
        ('---\nup: "[[old|old]]" # old\n---\n', '---\nup: "[[new|old]]" # old\n---\n'),
        ("---\nup: [[old]], [[fix/old]]\n---\n", "---\nup: [[new]], [[fix/new]]\n---\n"),
        ("---\r\nold: old\r\n---\r\n[[old]]\r\nold", "---\r\nold: old\r\n---\r\n[[new]]\r\nold"),
        ("\ufeff[[old]]", "\ufeff[[new]]"),
    ],
)
def test_a_link_follows_in_its_own_style(memory: Memory, target: str, before: str, expected: str) -> None:
    assert after(memory, before) == expected


@pytest.mark.parametrize(
    "text",
    [
        "`[[old]]` ``[[fix/old]]``",
        "```\n[[old]]\n```\n\n    [[old]]\n",
        "- item\n  ~~~\n  [x](old.md)\n  ~~~\n",
        "<!-- [[old]] --> %%[[old]]%% \\[[old]]",
        "[[The title]] [[the title|old]]",
        "[[older]] [[old-2]] [[x/old]] [[idea/old]]",
        "[old](https://example.org/old.md) old [[#old]]",
        "---\ntitle: old\nslug: old\n---\n",
    ],
)
def test_what_means_something_else_or_is_code_stays(memory: Memory, target: str, text: str) -> None:
    assert after(memory, text) == text


def test_a_path_stays_a_path_and_the_way_from_the_holder_stays_one(memory: Memory, target: str) -> None:
    new = where(memory, "fix", "new").removesuffix(".md")
    folder = "/".join([".."] * NOTE.count("/"))
    text = "[[{0}]] [[/{0}|x]] [x]({1}/{0}.md) [x](<{1}/{0}.md>) [[{1}/{0}]] [x](/{0}.md)\n"
    assert after(memory, text.format(target, folder)) == text.format(new, folder)


def test_a_neighbour_that_is_named_as_one_stays_so(memory: Memory, target: str) -> None:
    beside = target.removesuffix("old") + "beside.md"
    assert after(memory, "[[./old]] [x](./old.md) [x](old.md)\n", at=beside) == "[[./new]] [x](./new.md) [x](new.md)\n"


def test_an_alias_stays_as_no_alias_has_changed(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="old", fields={"aliases": ["ancient"]})
    assert after(memory, "[[ancient]] [[old]]\n") == "[[ancient]] [[new]]\n"


def test_links_of_the_entry_to_itself_follow(memory: Memory) -> None:
    memory.save("See [[old]], [[fix/old#part]] and [here](old.md).", kind="fix", slug="old")
    assert memory.rename("fix/old", "new").text == "See [[new]], [[fix/new#part]] and [here](new.md)."


def test_the_chain_of_supersession_follows(memory: Memory) -> None:
    memory.save("First.", kind="fix", slug="old")
    second = memory.evolve("fix/old", "Second.")
    memory.rename("fix/old", "first")
    memory.rename(second.id, "second")
    assert memory.get("fix/first").superseded_by == "fix/second"
    assert memory.get("fix/second").supersedes == "fix/first"
    assert [entry.id for entry in memory.history("fix/second")] == ["fix/first", "fix/second"]


@pytest.mark.parametrize("at", ["top.md", "Notes of mine/deep/er/note.md", "notes/UPPER.MD"])
def test_a_persons_own_note_anywhere_in_the_root_follows(memory: Memory, target: str, at: str) -> None:
    assert after(memory, "[[old]]\n", at=at) == "[[new]]\n"


def test_files_that_are_no_notes_and_hidden_folders_stay(memory: Memory, target: str) -> None:
    for key in ("notes/data.txt", ".obsidian/note.md"):
        put(memory, key, "[[old]]\n")
    memory.core.storage.write_bytes(Locator("notes/latin.md"), b"[[old]] \xe9\n")
    memory.rename("fix/old", "new")
    assert text_at(memory, "notes/data.txt") == text_at(memory, ".obsidian/note.md") == "[[old]]\n"
    assert tree(memory)["notes/latin.md"] == b"[[old]] \xe9\n"


def test_a_generated_map_of_contents_is_left_to_be_made_anew(memory: Memory, target: str) -> None:
    (key,) = memory.index()
    before = text_at(memory, key)
    put(memory, "notes/_index.md", "My own list: [[old]]\n")
    put(memory, "notes/report.md", "---\ngenerated: true\n---\nBy another tool: [[old]]\n")
    memory.rename("fix/old", "new")
    assert text_at(memory, key) == before
    assert text_at(memory, "notes/report.md").endswith("[[new]]\n")
    assert text_at(memory, "notes/_index.md") == "My own list: [[new]]\n"
    assert memory.index() == [key]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_follows_however_its_letters_are_composed_or_spelled(
    memory: Memory, form: Literal["NFC", "NFD"]
) -> None:
    memory.save("Text.", kind="fix", slug="caf\u00e9-\u30ac")
    name = unicodedata.normalize(form, "caf\u00e9-\u30ac")
    coded = "caf%C3%A9-%E3%82%AC"
    put(memory, NOTE, f"[[{name}]] [x]({coded}.md)\n---\n")
    put(memory, "notes/field.md", '---\nup: "[[caf\\u00e9-\\u30ac]]"\n---\n')
    memory.rename("fix/caf\u00e9-\u30ac", "tee-\u8336")
    assert text_at(memory, NOTE) == "[[tee-\u8336]] [x](tee-%E8%8C%B6.md)\n---\n"
    assert text_at(memory, "notes/field.md") == '---\nup: "[[tee-\u8336]]"\n---\n'


# Logs


def test_links_in_a_log_follow_in_the_frontmatter_of_its_entries_in_their_text_and_around_them(
    memory: Memory, target: str
) -> None:
    first = memory.append("About [[old]].", derived_from=["fix/old"], fields={"up": "[[old|x]]"})
    memory.append("Not about it.")
    key = first.locator.key
    text = (
        text_at(memory, key).replace("---\n<!--", "---\nA person writes: [[fix/old]].\n<!--", 1) + "And [x](old.md).\n"
    )
    put(memory, key, text)
    memory.rename("fix/old", "new")
    expected = (
        text.replace("[[old]]", "[[new]]")
        .replace("fix/old", "fix/new")
        .replace("[[old|x]]", "[[new|x]]")
        .replace("(old.md)", "(new.md)")
    )
    assert text_at(memory, key) == expected
    assert memory.get(first.id).derived_from == ("fix/new",)


def test_a_damaged_log_keeps_every_other_byte(memory: Memory, target: str) -> None:
    key = memory.append("Text.").locator.key
    text = (
        "---\nbroken: [\n---\n<!-- entry:ep_20260601_00000001 -->\n---\nderived_from: fix/old\n---\n[[old]]\n"
        "<!-- entry:ep_20260601_00000002 -->\n---\nup: [[old]], [[x]]\n---\n<!-- \\entry:x --> [[old]]\n"
        "<!-- /entry:ep_20260601_00000002 -->\n<!-- entry:ep_20260601_00000002 -->\n[[old]]\n"
        "<!-- /entry:ep_20260601_00000002 -->\n<!-- /entry:stray -->\n\x00\r\n[[old]]"
    )
    put(memory, key, text)
    memory.rename("fix/old", "new")
    assert text_at(memory, key) == text.replace("old", "new")


def test_markers_and_fences_in_the_text_of_an_entry_survive(memory: Memory, target: str) -> None:
    body = "<!-- entry:ep_20260601_00000009 -->\n```\n[[old]]\n```\n---\n[[old]]"
    entry = memory.append(body)
    memory.rename("fix/old", "new")
    assert memory.get(entry.id).text == body.replace("---\n[[old]]", "---\n[[new]]")


# Names that several have


def test_a_bare_link_that_could_mean_another_is_left_alone(memory: Memory, target: str) -> None:
    memory.save("Text.", kind="idea", slug="old")
    assert after(memory, "[[old]] [[fix/old]] [[idea/old]]\n") == "[[old]] [[fix/new]] [[idea/old]]\n"


def test_an_entry_of_a_log_has_its_id_for_a_name_too(memory: Memory) -> None:
    id = memory.append("Text.").id
    memory.save("Text.", kind="fix", slug=id)
    put(memory, NOTE, f"[[{id}]] [[fix/{id}]]\n")
    memory.rename(f"fix/{id}", "new")
    assert text_at(memory, NOTE) == f"[[{id}]] [[fix/new]]\n"


def test_a_bare_link_becomes_the_id_where_the_new_name_is_that_of_another_too(memory: Memory, target: str) -> None:
    memory.save("Text.", kind="idea", slug="new")
    assert after(memory, "[[old|x]] ![[old]]\n") == "[[fix/new|x]] ![[fix/new]]\n"


def test_links_to_others_stay_even_where_the_new_name_makes_them_ambiguous(memory: Memory, target: str) -> None:
    memory.save("Text.", kind="idea", slug="new")
    assert after(memory, "[[new]] [[idea/new]]\n") == "[[new]] [[idea/new]]\n"


def test_a_field_for_ids_means_the_entry_of_its_own_scope(memory: Memory) -> None:
    agent, user = Scope(), Scope(owner=Owner.USER)
    for scope in (agent, user):
        memory.save("Text.", kind="fix", slug="old", scope=scope)
        memory.save("Text [[fix/old]].", kind="idea", slug="from-it", scope=scope, derived_from=["fix/old"])
    memory.rename("fix/old", "new", scope=user)
    assert memory.get("idea/from-it", scope=user).derived_from == ("fix/new",)
    assert memory.get("idea/from-it", scope=agent).derived_from == ("fix/old",)
    for scope in (agent, user):  # which of the two was meant nobody said
        assert memory.get("idea/from-it", scope=scope).text == "Text [[fix/old]]."


def test_a_whole_path_tells_scopes_apart(memory: Memory) -> None:
    user = Scope(owner=Owner.USER)
    paths = [
        memory.save("Text.", kind="fix", slug="old", scope=scope).locator.key.removesuffix(".md")
        for scope in (Scope(), user)
    ]
    put(memory, NOTE, f"[[{paths[0]}]] [[{paths[1]}]]\n")
    new = memory.rename("fix/old", "new", scope=user).locator.key.removesuffix(".md")
    assert text_at(memory, NOTE) == f"[[{paths[0]}]] [[{new}]]\n"


def test_an_id_in_another_scope_follows_where_only_one_has_it(memory: Memory, target: str) -> None:
    episode = memory.append("Text.", derived_from=["fix/old"])
    assert episode.scope.owner is Owner.USER
    memory.rename("fix/old", "new")
    assert memory.get(episode.id).derived_from == ("fix/new",)


# Folders


@pytest.fixture
def skill(memory: Memory) -> str:
    """The folder of a skill `old` with attachments."""
    folder = memory.save("Read [the steps](references/steps.md).", kind="skill", slug="old").locator.parent.key
    put(memory, f"{folder}/references/steps.md", "Back to [the skill](../SKILL.md), or [[skill_old/SKILL]].\n")
    put(memory, f"{folder}/references/old.md", "About [[skill/old]] and [[steps]].\n")
    memory.core.storage.write_bytes(Locator(f"{folder}/scripts/run.bin"), b"\x00\xff [[old]]")
    return folder


def test_a_folder_moves_with_all_that_is_in_it(memory: Memory, skill: str) -> None:
    before = tree(memory)
    entry = memory.rename("skill/old", "new")
    folder = skill.replace("skill_old", "skill_new")
    assert entry.locator.key == f"{folder}/SKILL.md"
    assert entry.fields["name"] == entry.fields["slug"] == "new"
    assert entry.text == "Read [the steps](references/steps.md)."
    assert {key.replace("skill_old", "skill_new") for key in before} == set(tree(memory))
    assert tree(memory)[f"{folder}/scripts/run.bin"] == b"\x00\xff [[old]]"
    assert text_at(memory, f"{folder}/references/steps.md") == (
        "Back to [the skill](../SKILL.md), or [[skill_new/SKILL]].\n"
    )
    with pytest.raises(NotFound):
        memory.core.storage.info(Locator(skill))


def test_links_to_a_folder_and_into_it_follow(memory: Memory, skill: str) -> None:
    up = "../" * NOTE.count("/")
    text = (
        f"[[skill/old]] [[skill_old/SKILL]] [[{skill}/SKILL]] [[SKILL]] [[steps]] [x]({up}{skill}/SKILL.md)\n"
        f"[[{skill}/references/steps]] [[skill_old/references/old|x]] [x]({up}{skill}/references/steps.md#old)\n"
        f"![[{skill}/scripts/run.bin]]\n"
    )
    put(memory, NOTE, text)
    memory.rename("skill/old", "new")
    assert text_at(memory, NOTE) == text.replace("skill_old", "skill_new").replace("skill/old", "skill/new")
    folder = skill.replace("skill_old", "skill_new")
    assert text_at(memory, f"{folder}/references/old.md") == "About [[skill/new]] and [[steps]].\n"


def test_links_within_a_folder_stay_though_another_has_files_of_the_same_names(memory: Memory, skill: str) -> None:
    other = memory.save("Text.", kind="skill", slug="other").locator.parent
    put(memory, f"{other}/references/old.md", "Text.\n")
    text = "---\nname: old\n---\n[x](references/old.md) [x](./references/old.md#old) [[references/old]]\n"
    put(memory, f"{skill}/SKILL.md", text)
    entry = memory.rename("skill/old", "new")
    assert entry.text == "[x](references/old.md) [x](./references/old.md#old) [[references/old]]"


def test_a_bare_name_that_a_folder_shares_with_its_attachment_is_left_alone(memory: Memory, skill: str) -> None:
    put(memory, NOTE, "[[old]]\n")
    memory.rename("skill/old", "new")
    assert text_at(memory, NOTE) == "[[old]]\n"


# One change


def test_all_of_it_is_one_change_that_undo_takes_back_byte_for_byte(memory: Memory, skill: str) -> None:
    put(memory, NOTE, "[[skill_old/SKILL]] [[skill/old]]\r\n")
    memory.append("About [[skill/old]].")
    before = tree(memory)
    memory.rename("skill/old", "new")
    (undone,) = memory.undo()
    assert undone.verb == "rename"
    assert tree(memory) == before


def test_the_journal_names_the_entry_as_it_was_and_as_it_is(memory: Memory, target: str) -> None:
    entry = memory.rename("fix/old", "new")
    change = next(iter(memory.changes("fix/new")))
    assert (change.verb, change.entries) == ("rename", (f"{entry.scope} fix/old", f"{entry.scope} fix/new"))


def test_a_link_rewritten_in_space_that_others_share_is_reported(memory: Memory, target: str) -> None:
    memory.save("About [[old]].", kind="domain-reference", slug="shared", scope="shared")
    before = len(memory.digest())
    memory.rename("fix/old", "new")
    reported = memory.digest()
    assert len(reported) == before + 1
    assert "-About [[old]]." in reported[0].diff
    assert "+About [[new]]." in reported[0].diff


def test_a_file_that_is_gone_when_it_is_read_is_no_hindrance(memory: Memory, target: str) -> None:
    put(memory, NOTE, "[[old]]\n")
    put(memory, "notes/other.md", "[[old]]\n")
    storage = memory.core.storage
    read = storage.read_bytes

    def reading(locator: Locator) -> bytes:
        if locator.key == NOTE and NOTE in tree_keys(memory):
            remove(memory, NOTE)
        return read(locator)

    storage.read_bytes = reading  # type: ignore[method-assign]
    memory.rename("fix/old", "new")
    assert text_at(memory, "notes/other.md") == "[[new]]\n"


def tree_keys(memory: Memory) -> set[str]:
    return {info.locator.key for info in memory.core.storage.walk(Locator())}


def test_somebody_who_saves_meanwhile_loses_nothing(memory: Memory, target: str) -> None:
    put(memory, NOTE, "[[old]]\n")
    storage = memory.core.storage
    write, others = storage.write_bytes, iter([b"[[old]] and more\n"])

    def writing(locator: Locator, content: bytes, **conditions: object) -> Locator:
        if locator.key == NOTE and (text := next(others, None)):
            write(locator, text)
        return write(locator, content, **conditions)  # type: ignore[arg-type]

    storage.write_bytes = writing  # type: ignore[method-assign]
    assert memory.rename("fix/old", "new").id == "fix/new"
    assert text_at(memory, NOTE) == "[[new]] and more\n"


# Whatever the root


ENTRIES = (("fix", "a"), ("idea", "a"), ("fix", "b"), ("idea", "c-d"), ("skill", "e"), ("fix", "e"))
STYLES = (
    "[[{slug}]]", "[[{id}|{slug}]]", "[[{path}]]", "[x](/{path}.md)", "![[{slug}#{slug}]]", "`[[{slug}]]`",
    "[[{slug}.md]]", "[x]({way}{path}.md)", "[x](<{way}{path}.md#{slug}>)", "rel:: [[{id}]]", "[[/{path}]]",
    "| [[{id}\\|x]] |",
)  # fmt: skip
FIELDS = ("up: '[[{slug}]]'", "rel: [[{id}]]", "derived_from: {id}", "supersedes: '[[{id}]]'")


@st.composite
def roots(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]], dict[str, list[tuple[str, tuple[str, str]]]]]:
    """A layout, some entries, and for each file that links the styles in which it links to which."""
    layout = draw(st.sampled_from(("root", "vault")))
    entries = draw(st.lists(st.sampled_from(ENTRIES), min_size=1, unique=True))
    said = st.tuples(st.sampled_from(STYLES + FIELDS), st.sampled_from(entries))
    holders = st.sampled_from(
        ("mine.md", "notes/mine.md", "entry", "log", *(f"{kind}/{slug}" for kind, slug in entries))
    )
    return (
        layout,
        entries,
        draw(st.dictionaries(holders, st.lists(said, min_size=1, max_size=5), min_size=1, max_size=4)),
    )


def grown(memory: Memory, said: dict[str, list[tuple[str, tuple[str, str]]]], entries: list[tuple[str, str]]) -> None:
    paths = {
        (kind, slug): memory.save("Text.", kind=kind, slug=slug).locator.key.removesuffix(".md")
        for kind, slug in entries
    }
    log = memory.append("Text.").locator.key
    linking = memory.save("Text.", kind="fix", slug="linking").locator.key
    for holder, styles in said.items():
        kind, _, slug = holder.partition("/")
        known = paths.get((kind, slug))
        key = {"entry": linking, "log": log}.get(holder, f"{known}.md" if known else holder)
        way = "../" * key.count("/")
        lines = [
            (style in FIELDS, style.format(slug=to[1], id="/".join(to), path=paths[to], way=way))
            for style, to in styles
        ]
        fields = {line.partition(":")[0]: line for is_field, line in lines if is_field}
        body = "".join(f"{line}\n\n" for is_field, line in lines if not is_field)
        if holder == "log":
            whole = Log.parse(text_at(memory, log))
            entry = "---\n" + "".join(f"{line}\n" for line in fields.values()) + "---\n" + body
            put(memory, log, whole.append("ep_20260601_00000002", Document.parse(entry)).text + body)
        else:
            old = text_at(memory, key) if key in tree(memory) else "---\n---\n"
            head, _, rest = old.partition("\n---\n")
            put(memory, key, head + "".join(f"\n{line}" for line in fields.values()) + "\n---\n" + rest + body)


def meanings(memory: Memory) -> dict[tuple[str, int], tuple[str, tuple[Target, ...]]]:
    """What each link says and what it means, by the entry or the file that has it and its number there."""
    contents = list(files(memory.core, everywhere=True))
    held = {each.locator for each in contents}
    others = [locator for locator in memory.core.files() if locator not in held]
    names = Names.of(contents, others)
    documents: list[tuple[Locator, Scope | None, str, Document]] = [
        (entry.locator, entry.scope, entry.id, entry.document) for each in contents for entry in each.entries
    ]
    documents += [(locator, None, locator.key, Document.parse(text_at(memory, locator.key))) for locator in others]
    return {
        (holder, number): (link.target, names.resolve(link, locator, scope))
        for locator, scope, holder, document in documents
        for number, link in enumerate(links(document))
    }


@settings(max_examples=budget(50, 5000), deadline=None)
@given(roots(), st.sampled_from(("new", "a", "b", "c-d", "x_y", "linking")), st.data())
def test_every_link_that_meant_the_entry_means_it_still_and_no_other_changes(
    root: tuple[str, list[tuple[str, str]], dict[str, list[tuple[str, tuple[str, str]]]]],
    slug: str,
    data: st.DataObject,
) -> None:
    layout, entries, said = root
    kind, old = data.draw(st.sampled_from(entries))
    assume(old != slug)
    moment = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=lambda: moment) as memory:
        grown(memory, said, entries)
        before, known = tree(memory), meanings(memory)
        gone = memory.get(f"{kind}/{old}")
        try:
            new = memory.rename(gone.id, slug)
        except InvalidEntry:
            assert tree(memory) == before
            return

        now = meanings(memory)
        for (holder, number), (said_before, targets) in known.items():
            said_now, means_now = now[new.id if holder == gone.id else holder, number]
            if targets == (Target(gone.locator, gone.id, gone.scope),):
                assert means_now == (Target(new.locator, new.id, new.scope),)
            else:
                assert said_now == said_before
        if slug in ("new", "x_y"):  # a name that nobody has can be taken back without a trace
            memory.rename(new.id, old)
            assert without_updated(tree(memory)) == without_updated(before)
            memory.undo()
        memory.undo()
        assert tree(memory) == before
