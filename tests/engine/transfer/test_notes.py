"""Notes from elsewhere: what an import keeps of them, and what it adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire import Document, InvalidEntry, InvalidScope, Memory, Scope
from quire.backends.ram import RamBackend
from tests.engine.looking import tree
from tests.engine.transfer.carrying import entry_of, fill, outcomes, reason


def test_a_note_comes_in_with_its_body_as_it_is(memory: Memory, source: RamBackend) -> None:
    body = "# Plan\r\n\r\nFirst line  \r\nno newline at the end"
    result = memory.import_from(fill(source, {"a/Plan.md": body}), name="notes")
    entry = entry_of(memory, result, "a/Plan.md")
    assert entry.body == body
    assert (entry.id, entry.title, entry.status) == ("domain-reference/Plan", "Plan", "active")


def test_the_frontmatter_keeps_its_keys_comments_and_order(memory: Memory, source: RamBackend) -> None:
    head = "---\ntags: [b, a]   # as I like them\nmine: {x: 1}\naliases:\n    - The other\n---\n"
    result = memory.import_from(fill(source, {"x.md": head + "Text\n"}), name="notes")
    text = entry_of(memory, result, "x.md").document.text
    assert text.startswith(head.removesuffix("---\n"))
    assert text.endswith("---\nText\n")


def test_only_what_an_entry_needs_is_added(memory: Memory, source: RamBackend) -> None:
    note = "---\ntitle: A\nkind: fix\ncreated: 2025-01-02\nsource: a book\n---\nText\n"
    result = memory.import_from(fill(source, {"x.md": note}), name="notes")
    assert entry_of(memory, result, "x.md").document.text == note


def test_where_it_came_from_is_said_unless_it_says_so_itself(memory: Memory, source: RamBackend) -> None:
    fill(source, {"a/x.md": "X\n", "y.md": "---\nsource: a book\n---\nY\n"})
    result = memory.import_from(source, name="notes")
    assert entry_of(memory, result, "a/x.md").fields["source"] == "import:notes/a/x.md"
    assert entry_of(memory, result, "y.md").fields["source"] == "a book"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=300))
def test_any_text_comes_in_with_its_body_and_fields(text: str) -> None:
    with quire.open(protocol="ram", timezone="UTC") as memory:
        result = memory.import_from(fill(RamBackend(), {"x.md": text}), name="notes")
        before, after = Document.parse(text), entry_of(memory, result, "x.md").document
        assert after.body == before.body
        assert dict(before.fields).items() <= dict(after.fields).items()
        assert result.counts == {"new": 1}
        assert memory.import_from(fill(RamBackend(), {"x.md": text}), name="notes").counts == {"same": 1}


def test_frontmatter_that_cannot_be_read_comes_in_untouched_and_is_told(memory: Memory, source: RamBackend) -> None:
    broken = "---\nkey: [1, 2\nother: x\n---\nText\n"
    unclosed = "---\nText without an end\n"
    result = memory.import_from(fill(source, {"broken.md": broken, "open.md": unclosed}), name="notes")
    assert entry_of(memory, result, "broken.md").document.text == broken
    assert entry_of(memory, result, "open.md").document.text == unclosed
    assert "nothing was added to its frontmatter" in reason(result, "broken.md")
    assert memory.import_from(source, name="notes").counts == {"same": 2}


def test_an_empty_note_is_a_note(memory: Memory, source: RamBackend) -> None:
    result = memory.import_from(fill(source, {"Some day.md": ""}), name="notes")
    assert entry_of(memory, result, "Some day.md").title == "Some day"


# Names


def test_a_note_keeps_the_name_of_its_file(memory: Memory, source: RamBackend) -> None:
    names = ["My Note", "über", "日本語", "E-Mail", "v1.9", "100% (draft) [x]", "a,b;c'd", "🙂"]
    result = memory.import_from(fill(source, {f"{name}.md": name for name in names}), name="notes")
    assert {item.entry for item in result.items} == {f"domain-reference/{name}" for name in names}


def test_a_second_file_of_one_name_gets_a_number(memory: Memory, source: RamBackend) -> None:
    result = memory.import_from(fill(source, {"a/x.md": "1", "b/X.md": "2", "c/x.md": "3"}), name="notes")
    assert [item.entry.partition("/")[2] for item in result.items] == ["x", "X-2", "x-3"]


def test_a_name_that_an_entry_has_already_is_not_taken_from_it(memory: Memory, source: RamBackend) -> None:
    mine = memory.save("Mine.", kind="idea", slug="x")
    result = memory.import_from(fill(source, {"x.md": "Theirs."}), name="notes")
    assert entry_of(memory, result, "x.md").name == "x-2"
    assert memory.get("idea/x").version == mine.version


@pytest.mark.parametrize(("path", "name"), [("_index.md", "index"), ("_.md", "note-"), ("sub/_Home.md", "home")])
def test_a_name_of_our_own_becomes_a_slug_and_stays_the_title(
    memory: Memory, source: RamBackend, path: str, name: str
) -> None:
    entry = entry_of(memory, memory.import_from(fill(source, {path: "Text"}), name="notes"), path)
    assert entry.name.startswith(name)
    assert entry.title == path.rpartition("/")[2].removesuffix(".md").replace("-", " ")


def test_a_long_name_leaves_room_for_its_number(memory: Memory, source: RamBackend) -> None:
    long = "n" * 252
    result = memory.import_from(fill(source, {f"a/{long}.md": "1", f"b/{long}.md": "2"}), name="notes")
    assert [len(entry_of(memory, result, f"{where}/{long}.md").name) for where in "ab"] == [252, 252]
    assert entry_of(memory, result, f"b/{long}.md").text == "2"


# What it is called, of which kind it is, and when it was made


@pytest.mark.parametrize(
    ("stem", "text", "title"),
    [
        ("kebab-case-name", "Text", "kebab case name"),
        ("2026-06-01 Meeting", "Text", "2026-06-01 Meeting"),
        ("2026-06-01", "Text", "2026-06-01"),
        ("Topic", "## See also\n", "Topic"),
        ("topic", "# The real title\n", "The real title"),
        ("script", "```sh\n# a comment\n```\n# Heading\n", "script"),
        ("topic", "---\ntitle: Said\n---\n# Other\n", "Said"),
    ],
)
def test_the_title_is_what_a_person_would_call_it(
    memory: Memory, source: RamBackend, stem: str, text: str, title: str
) -> None:
    result = memory.import_from(fill(source, {f"{stem}.md": text}), name="notes")
    assert entry_of(memory, result, f"{stem}.md").title == title


def test_the_kind_is_what_the_note_says_or_what_is_given(memory: Memory, source: RamBackend) -> None:
    notes = {
        "said.md": "---\nkind: workflow\n---\n",
        "type.md": "---\ntype: Idea\n---\n",
        "unknown.md": "---\nkind: gadget\n---\n",
        "log.md": "---\nkind: episode\n---\n",
        "silent.md": "Text",
    }
    result = memory.import_from(fill(source, notes), name="notes", kind="insight")
    assert {item.path: item.entry.partition("/")[0] for item in result.items} == {
        "said.md": "workflow",
        "type.md": "idea",
        "unknown.md": "insight",
        "log.md": "insight",
        "silent.md": "insight",
    }
    assert entry_of(memory, result, "unknown.md").fields["kind"] == "gadget"


@pytest.mark.parametrize(
    ("head", "when"),
    [
        ("created: 2024-02-03T04:05:06+01:00", "2024-02-03T04:05:06+01:00"),
        ("date: 2024-02-03", "2024-02-03"),
        ("created_at: '2024-02-03 10:00'", "2024-02-03 10:00"),
        ("created: 1706929506000", "2024-02-03T03:05:06+00:00"),  # milliseconds, as Dendron writes them
    ],
)
def test_the_time_it_was_made_is_its_own(memory: Memory, source: RamBackend, head: str, when: str) -> None:
    result = memory.import_from(fill(source, {"x.md": f"---\n{head}\n---\n"}), name="notes")
    entry = entry_of(memory, result, "x.md")
    assert entry.when == when
    assert head in entry.document.text


def test_a_note_without_a_time_has_that_of_its_file(memory: Memory, source: RamBackend) -> None:
    fill(source, {"x.md": "Text"})
    written = next(iter(source.walk(quire.Locator()))).mtime
    entry = entry_of(memory, memory.import_from(source, name="notes"), "x.md")
    assert abs(memory.core.clock.read(entry.created).timestamp() - written) <= 1


# Where they go


def test_notes_go_to_the_scope_that_is_named(memory: Memory, source: RamBackend) -> None:
    result = memory.import_from(fill(source, {"x.md": "Text"}), name="notes", scope="shared")
    [item] = result.items
    assert str(item.scope) == "default/default/shared"
    assert memory.get("domain-reference/x", scope="shared").text == "Text"
    assert [report.change.verb for report in memory.digest()] == ["import"]


def test_bad_arguments_are_refused_before_anything_is_read(memory: Memory, source: RamBackend) -> None:
    fill(source, {"x.md": "Text"})
    with pytest.raises(InvalidEntry, match="no kind 'gadget'"):
        memory.import_from(source, name="notes", kind="gadget")
    with pytest.raises(InvalidEntry, match="not a kind of note"):
        memory.import_from(source, name="notes", kind="episode")
    with pytest.raises(InvalidEntry, match="there are markdown, basic-memory"):
        memory.import_from(source, name="notes", flavour="evernote")
    with pytest.raises(InvalidScope):
        memory.import_from(source, name="notes", scope="robot:x")
    assert tree(memory) == {}


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 200, "con", "tab\t", "a\\b"])
def test_a_name_that_cannot_be_a_folder_is_refused_with_one_that_can(
    memory: Memory, source: RamBackend, name: str
) -> None:
    with pytest.raises(InvalidEntry, match="such as '"):
        memory.import_from(source, name=name)


# What is not a note


def test_other_files_lie_below_attachments_as_they_were(memory: Memory, source: RamBackend) -> None:
    image = bytes(range(256))
    result = memory.import_from(fill(source, {"img/a.png": image, "data.csv": "1,2\n"}), name="notes")
    base = "/".join(memory.core.layout.base(Scope()))
    assert tree(memory) == {
        f"{base}/_attachments/notes/data.csv": b"1,2\n",
        f"{base}/_attachments/notes/img/a.png": image,
    }
    assert [item.at for item in result.items] == sorted(tree(memory))
    assert list(memory.list()) == []


def test_what_can_be_no_entry_is_kept_as_a_file_and_told(memory: Memory, source: RamBackend) -> None:
    files = {
        "latin.md": "Gr\xfc\xdfe".encode("latin-1"),
        "zero.md": b"a\0b",
        "big.md": b"x" * 2_000_000,
        "ok.md": b"ok",
    }
    result = memory.import_from(fill(source, files), name="notes")
    assert "byte 2 is not UTF-8" in reason(result, "latin.md")
    assert "byte 1 is NUL" in reason(result, "zero.md")
    assert "2,000,000 bytes are more than the" in reason(result, "big.md")
    kept = {item.path: memory.core.storage.read_bytes(quire.Locator(item.at)) for item in result.items}
    assert all(kept[path] == files[path] for path in ("latin.md", "zero.md", "big.md"))
    assert [entry.name for entry in memory.list()] == ["ok"]
    again = memory.import_from(source, name="notes")
    assert again.counts == {"same": 4}
    assert "not UTF-8" in reason(again, "latin.md")


def test_what_begins_with_a_dot_is_left_out_and_told(memory: Memory, source: RamBackend) -> None:
    fill(
        source, {".obsidian/app.json": "{}", ".obsidian/x.md": "", "a/.trash/old.md": "", ".gitignore": "", "x.md": ""}
    )
    result = memory.import_from(source, name="notes")
    assert outcomes(result) == {
        ".gitignore": "left out",
        ".obsidian/": "left out",
        "a/.trash/": "left out",
        "x.md": "new",
    }
    assert reason(result, ".obsidian/").startswith("2 files")


# Trying, and watching


def test_a_dry_run_says_the_same_and_writes_nothing(memory: Memory, source: RamBackend) -> None:
    fill(source, {"a/x.md": "1", "b/x.md": "2", "bad.md": b"\xff", "pic.png": b"1"})
    before = {info.locator.key for info in memory.core.storage.walk(quire.Locator())}
    dry = memory.import_from(source, name="notes", dry_run=True)
    assert {info.locator.key for info in memory.core.storage.walk(quire.Locator())} == before
    real = memory.import_from(source, name="notes")
    assert dry.dry_run
    assert dry.items == real.items


def test_progress_counts_every_file(memory: Memory, source: RamBackend) -> None:
    seen: list[tuple[int, int, str]] = []
    fill(source, {"a.md": "1", "b.png": "2", "c.md": b"\xff"})
    memory.import_from(source, name="notes", progress=lambda *step: seen.append(step))
    assert [step[:2] for step in seen] == [(1, 3), (2, 3), (3, 3)]
    assert {step[2] for step in seen} == {"a.md", "b.png", "c.md"}


def test_an_empty_source_is_an_empty_result(memory: Memory, source: RamBackend) -> None:
    result = memory.import_from(source, name="notes")
    assert (result.items, result.changed, tree(memory)) == ((), False, {})
