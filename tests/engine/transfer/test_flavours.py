"""Flavours: the programs whose folders are known, told apart by what is in them."""

from __future__ import annotations

import pytest

from quire import InvalidEntry, Memory
from quire.backends.ram import RamBackend
from tests.engine.transfer.carrying import entry_of, fill

BASIC = """---
title: {title}
type: {type}
permalink: {link}
tags: [coffee]
---
# {title}

- relates_to [[{other}]]
"""
EPISODE = """---
id: episode_log_ada_2026-06-01
type: episode_daily
file_type: episode_daily
schema_version: 1
user_id: ada
track: user
date: '2026-06-01'
entry_count: 1
last_appended_at: '2026-06-01T09:12:13+00:00'
---
<!-- entry:ep_20260601_00000001 -->
Ada deployed.
<!-- /entry:ep_20260601_00000001 -->
"""
ADA = "default_app/default_project/users/ada"
OURS = "---\nkind: fix\nslug: x\nstatus: active\ncreated: '2026-06-01T12:00:00+00:00'\nschema_version: 1\n---\nText\n"


@pytest.mark.parametrize(
    ("flavour", "files"),
    [
        ("markdown", {"a.md": "Text", "b.md": "---\npermalink: x\n---\nObsidian, too, has these.\n", "c.md": "Text"}),
        ("markdown", {"README.md": "# Notes", "users/ada/user.md": "not deep enough"}),
        ("markdown", {"projects/atlas/idea/x.md": "A person's own folder", "preferences/y.md": "Tabs"}),
        ("basic-memory", {"a.md": BASIC.format(title="A", type="note", link="a", other="B")}),
        ("claude-code", {"MEMORY.md": "- [Tabs](feedback_tabs.md)\n", "feedback_tabs.md": "---\nname: Tabs\n---\n"}),
        ("everos", {f"{ADA}/episodes/episode-2026-06-01.md": EPISODE}),
        ("everos", {f"{ADA}/user.md": "Ada.", ".index/sqlite/system.db": b"\0", "ome.toml": ""}),
        ("quire", {"default_app/default_project/agents/default/memory/fix/x.md": OURS}),
        ("quire", {"Memory/fix/x.md": OURS, "Memory/_attachments/notes/a.png": b"1"}),
        ("quire", {"Memory/_users/ada/episodes/episode-2026-06-01.md": EPISODE}),
    ],
)
def test_a_folder_is_known_by_what_is_in_it(
    memory: Memory, source: RamBackend, flavour: str, files: dict[str, str | bytes]
) -> None:
    assert memory.import_from(fill(source, files), name="notes", dry_run=True).flavour == flavour


def test_what_is_given_counts_more_than_what_it_looks_like(memory: Memory, source: RamBackend) -> None:
    fill(source, {"MEMORY.md": "Text"})
    assert memory.import_from(source, name="notes", flavour="markdown", dry_run=True).flavour == "markdown"


def test_basic_memory_keeps_its_fields_and_relations(memory: Memory, source: RamBackend) -> None:
    text = BASIC.format(title="Coffee", type="guide", link="drinks/coffee", other="Tea")
    result = memory.import_from(fill(source, {"drinks/Coffee.md": text}), name="notes")
    entry = entry_of(memory, result, "drinks/Coffee.md")
    assert (entry.kind, entry.title, entry.tags) == ("workflow", "Coffee", ("coffee",))
    assert entry.body == text.partition("---\n# ")[2].join(["# ", ""])
    assert entry.fields["permalink"] == "drinks/coffee"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("type: user", "preference"),
        ("type: feedback", "feedback"),
        ("type: project", "domain-reference"),
        ("metadata:\n  type: feedback", "feedback"),
        ("type: other", "domain-reference"),
    ],
)
def test_claude_code_says_the_kind_in_its_own_words(memory: Memory, source: RamBackend, said: str, kind: str) -> None:
    topic = f"---\nname: run-tests-first\ndescription: Run the tests before a commit.\n{said}\n---\nAlways.\n"
    fill(source, {"MEMORY.md": "- [Run tests](feedback_tests.md) — always\n", "feedback_tests.md": topic})
    result = memory.import_from(source, name="atlas")
    entry = entry_of(memory, result, "feedback_tests.md")
    assert (entry.kind, entry.title, entry.name) == (kind, "run-tests-first", "feedback_tests")
    assert entry.fields["description"] == "Run the tests before a commit."
    assert entry_of(memory, result, "MEMORY.md").text.startswith("- [Run tests](")


def test_a_tree_says_itself_whose_an_entry_is(memory: Memory, source: RamBackend) -> None:
    fill(source, {f"{ADA}/user.md": "Ada."})
    with pytest.raises(InvalidEntry, match="Leave scope and kind out"):
        memory.import_from(source, name="notes", scope="user:bob")
    with pytest.raises(InvalidEntry, match="Leave scope and kind out"):
        memory.import_from(source, name="notes", kind="insight")
