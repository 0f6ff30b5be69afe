"""Entry: what a file says, in every spelling people use; and what is wrong with it, apart from that."""

from __future__ import annotations

import pytest

from quire import Locator, Memory, Scope, Status
from quire.engine.entry import MAX_FILE_BYTES, Contents, Entry, read_contents
from quire.engine.kinds import Kinds
from quire.engine.layout import Place, Zone
from tests.engine.looking import ids, put, where

KINDS = Kinds()


def contents(text: str | bytes, kind: str = "fix", name: str = "locked-database", zone: Zone = Zone.ACTIVE) -> Contents:
    place = Place(Scope(), kind, name, zone)
    raw = text if isinstance(text, bytes) else text.encode()
    return read_contents(Locator("at/x.md"), place, KINDS[kind] if kind else None, raw, kinds=KINDS)


def note(text: str, **place: object) -> Entry:
    [entry] = contents(text, **place).entries  # type: ignore[arg-type]
    return entry


def faults(found: Contents) -> list[str]:
    return [fault.code for fault in found.faults]


# Titles


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Locked\n---\n# Other\n", "Locked"),
        ("---\ntitle: 1984\n---\nText\n", "1984"),
        ("---\ntitle: |\n  two\n  lines\n---\nText\n", "two lines"),
        ("---\ntitle: ''\n---\n# Heading\n", "Heading"),
        ("---\ntitle: [a, b]\n---\n# Heading\n", "Heading"),
        ("Some text\n\n## A heading ##\n", "A heading"),
        ("# Learn C#\n", "Learn C#"),
        ("# With returns\r\n\r\nText\r\n", "With returns"),
        ("#hashtag\n", "locked database"),
        ("```sh\n# a comment, no heading\n```\n", "locked database"),
        ("No heading at all\n", "locked database"),
    ],
)
def test_a_title_is_given_or_the_first_heading_or_the_words_of_the_name(text: str, title: str) -> None:
    assert note(text).title == title


def test_an_entry_of_a_log_without_a_title_is_called_by_its_first_words() -> None:
    log = (
        "<!-- entry:ep_20260601_00000001 -->\n\nAda asked for shorter answers, and for none at all where nothing is "
        "known of the matter.\nMore.\n<!-- /entry:ep_20260601_00000001 -->\n"
    )
    [entry] = contents(log, kind="episode", name="2026-06-01").entries
    assert entry.title == "Ada asked for shorter answers, and for none at all where nothing is…"


def test_a_single_is_called_by_its_kind() -> None:
    assert note("I like short answers.\n", kind="profile", name="").title == "profile"


# Tags and aliases


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("tags: [a, b]", ("a", "b")),
        ("tags:\n  - a\n  - '#b'", ("a", "b")),
        ("tags: a, b", ("a", "b")),
        ("tags: a", ("a",)),
        ("tags: a b", ("a", "b")),
        ("tags: '#a #b/c'", ("a", "b/c")),
        ("tags: '#a, #b'", ("a", "b")),
        ("tags: ['two words', 2024, null, a, a]", ("two words", "2024", "a")),
        ("tags: [[nested], {a: 1}]", ()),
        ("tags: #a", ()),
        ("tags:", ()),
        ("tag: a", ("a",)),
        ("tag: a\ntags: b", ("b",)),
        ("other: a", ()),
    ],
)
def test_tags_are_read_in_every_spelling(line: str, tags: tuple[str, ...]) -> None:
    assert note(f"---\n{line}\n---\nText\n").tags == tags


@pytest.mark.parametrize(
    ("line", "aliases"),
    [
        ("aliases: [The lock, DB lock]", ("The lock", "DB lock")),
        ("aliases: The lock, DB lock", ("The lock", "DB lock")),
        ("alias: The lock", ("The lock",)),
        ("other: x", ()),
    ],
)
def test_aliases_are_read_in_every_spelling(line: str, aliases: tuple[str, ...]) -> None:
    assert note(f"---\n{line}\n---\nText\n").aliases == aliases


# Status


@pytest.mark.parametrize("written", ["deleted", "Deleted", "DELETED", "' deleted '"])
def test_a_status_is_read_as_people_write_it(written: str) -> None:
    found = contents(f"---\nstatus: {written}\n---\nText\n")
    assert found.entries[0].status is Status.DELETED
    assert not found.faults


@pytest.mark.parametrize(
    ("zone", "status"),
    [(Zone.ACTIVE, Status.ACTIVE), (Zone.INBOX, Status.INBOX), (Zone.ARCHIVE, Status.ARCHIVED)],
)
def test_without_a_status_the_folder_says_it(zone: Zone, status: Status) -> None:
    assert note("Text\n", zone=zone).status is status
    assert note("---\nstatus:\n---\nText\n", zone=zone).status is status


@pytest.mark.parametrize(
    "fields", ["status: deleted\n", "kind: fix\r\nstatus: 'deleted'\r\n", "a: [\nstatus: deleted "]
)
def test_what_was_forgotten_stays_so_where_a_slip_leaves_the_frontmatter_open(fields: str) -> None:
    found = contents(f"---\n{fields}")
    assert faults(found) == ["FRONTMATTER_NOT_CLOSED"]
    assert [entry.status for entry in found.entries] == [Status.DELETED]


@pytest.mark.parametrize("text", ["---\n\nstatus: deleted\n", "---\nstatus: gone\n", "---\nThe status: deleted\n"])
def test_text_below_a_rule_says_nothing_of_the_status(text: str) -> None:
    assert note(text).status is Status.ACTIVE


def test_an_entry_of_a_log_that_was_forgotten_stays_so_with_its_frontmatter_open() -> None:
    marker = "entry:ep_20260601_00000001 -->\n"
    log = f"<!-- {marker}---\nstatus: deleted\nSecret.\n<!-- /{marker}<!-- entry:ep_20260601_00000002 -->\nKept.\n"
    statuses = {entry.id: entry.status for entry in contents(log, kind="episode", name="2026-06-01").entries}
    assert statuses["ep_20260601_00000001"] is Status.DELETED
    assert statuses["ep_20260601_00000002"] is Status.ACTIVE


def test_an_unknown_status_is_a_fault_that_names_the_known_ones() -> None:
    found = contents("---\nkind: fix\nstatus: draft\n---\nText\n")
    assert faults(found) == ["STATUS_UNKNOWN"]
    assert "inbox, active, superseded, deleted, archived" in str(found.faults[0])
    assert found.entries[0].status is Status.ACTIVE


# Without much, or with too much


def test_a_file_without_frontmatter_is_an_entry(memory: Memory) -> None:
    put(memory, where(memory, "fix", "By hand"), "# Dropped in\n\nText\n")
    entry = memory.get("fix/By hand")
    assert (entry.title, entry.kind, entry.status, entry.tags) == ("Dropped in", "fix", "active", ())
    assert (entry.created, entry.updated, entry.when, entry.supersedes) == ("", "", "", "")
    assert ids(memory.list()) == ["fix/By hand"]
    assert memory.list().faults == ()


def test_an_empty_file_is_an_entry_with_nothing_in_it() -> None:
    assert note("").text == ""


def test_values_of_the_wrong_type_are_faults_and_hide_nothing() -> None:
    found = contents("---\nalways_load: 'yes'\npriority: high\ncreated: [2026]\n---\nText\n")
    assert faults(found) == ["FIELD_TYPE"] * 3
    entry = found.entries[0]
    assert (entry.always_load, entry.created, entry.text) == (False, "", "Text")


def test_a_file_that_is_not_utf8_is_a_fault_with_its_line() -> None:
    found = contents(b"one\ntwo \xff\n")
    assert found.entries == ()
    assert faults(found) == ["NOT_UTF8"]
    assert found.faults[0].line == 2


def test_a_file_beyond_the_limit_is_a_fault_and_is_not_parsed() -> None:
    found = contents(b"x" * (MAX_FILE_BYTES + 1))
    assert found.entries == ()
    assert faults(found) == ["TOO_LARGE"]
    assert "16,777,217 bytes are more than the 16,777,216" in str(found.faults[0])


def test_one_bad_entry_of_a_log_hides_no_other() -> None:
    log = (
        "<!-- entry:ep_20260601_00000001 -->\n---\nstatus: [\n---\nOne\n<!-- /entry:ep_20260601_00000001 -->\n"
        "<!-- entry:ep_20260601_00000002 -->\nTwo\n"
        "<!-- entry:ep_20260601_00000003 -->\nThree\n<!-- /entry:ep_20260601_00000003 -->\n"
    )
    found = contents(log, kind="episode", name="2026-06-01")
    assert [entry.text for entry in found.entries] == ["One", "Two", "Three"]
    assert {fault.line for fault in found.faults} == {3, 7}


# What is loaded always lies in one flat folder; the frontmatter says of what kind it is


@pytest.mark.parametrize(
    ("text", "id", "said"),
    [
        ("---\nkind: fix\n---\nText\n", "fix/x", []),
        ("---\nkind: Fix\n---\nText\n", "fix/x", []),
        ("Text\n", "preference/x", []),
        ("---\nkind: rant\n---\nText\n", "preference/x", ["KIND_UNKNOWN"]),
        ("---\nkind: episode\n---\nText\n", "preference/x", ["KIND_UNKNOWN"]),
        ("---\nkind: [fix]\n---\nText\n", "preference/x", ["KIND_UNKNOWN", "FIELD_TYPE"]),
        ("---\nkind: fix\npriority: high\n---\nText\n", "fix/x", ["FIELD_TYPE"]),
    ],
)
def test_the_kind_of_what_is_always_loaded_is_in_its_frontmatter(text: str, id: str, said: list[str]) -> None:
    found = contents(text, kind="", name="x", zone=Zone.ALWAYS)
    assert ids(found.entries) == [id]
    assert faults(found) == said


def test_what_lies_in_the_folder_is_loaded_always_unless_it_says_no() -> None:
    assert note("Text\n", kind="", zone=Zone.ALWAYS).always_load
    assert note("---\nalways_load: true\n---\nText\n").always_load
    assert not note("---\nalways_load: false\n---\nText\n", kind="", zone=Zone.ALWAYS).always_load
    assert not note("Text\n").always_load


# Links and times


def test_a_link_is_read_plain_or_as_a_wikilink() -> None:
    entry = note(
        "---\nsupersedes: '[[fix/old|the old one]]'\nsuperseded_by: fix/new\n"
        "derived_from: ['[[ep_20260601_00000001]]', idea/x]\n---\nText\n"
    )
    assert entry.supersedes == "fix/old"
    assert entry.superseded_by == "fix/new"
    assert entry.derived_from == ("ep_20260601_00000001", "idea/x")


def test_when_it_happened_comes_before_when_it_was_recorded() -> None:
    assert note("---\ncreated: 2026-06-02\ntimestamp: 2026-06-01\n---\n").when == "2026-06-01"
    assert note("---\ncreated: 2026-06-02\n---\n").when == "2026-06-02"


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("derived_from: [[fix/a]]", ("fix/a",)),
        ('derived_from: "[[fix/a]]"', ("fix/a",)),
        ("derived_from: [fix/a, fix/b]", ("fix/a", "fix/b")),
        ('derived_from: ["[[fix/a]]", "[[fix/b|B]]"]', ("fix/a", "fix/b")),
        ("derived_from:\n- [[fix/a]]\n- [[fix/b]]", ("fix/a", "fix/b")),
        ("derived_from: fix/a", ("fix/a",)),
    ],
)
def test_a_source_is_read_in_every_way_a_person_links(memory: Memory, written: str, ids: tuple[str, ...]) -> None:
    saved = memory.save("Text.", kind="fix", slug="x")
    put(memory, saved.locator.key, f"---\n{written}\n---\nText.\n")
    assert memory.get("fix/x").derived_from == ids


@pytest.mark.parametrize("written", ["supersedes: [[fix/a]]", 'supersedes: "[[fix/a]]"', "supersedes: fix/a"])
def test_what_is_superseded_is_read_in_every_way_a_person_links(memory: Memory, written: str) -> None:
    saved = memory.save("Text.", kind="fix", slug="x")
    put(memory, saved.locator.key, f"---\n{written}\n---\nText.\n")
    assert memory.get("fix/x").supersedes == "fix/a"
