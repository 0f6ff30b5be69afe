"""Exporting: the files as they are, or lines of JSON that anybody can read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import InvalidEntry, InvalidScope, Locator, Memory, NotADirectory
from quire.backends.ram import RamBackend
from tests.engine.conftest import Time
from tests.engine.looking import put, tree
from tests.engine.transfer.carrying import everything
from tests.engine.transfer.test_trees import essence, save_all


def test_the_files_of_our_scopes_go_out_as_they_are(memory: Memory) -> None:
    save_all(memory)
    target = RamBackend()
    result = memory.export_to(target)
    assert {item.path for item in result.items} == set(everything(target))
    assert set(result.counts) == {"new"}
    assert everything(target).items() <= tree(memory).items()
    assert not [key for key in everything(target) if "atlas" in key or "ada" in key or ".journal" in key]
    assert [key for key in everything(target) if key.endswith("_attachments/x/a.png")]


def test_one_scope_can_be_named_or_all_of_them(memory: Memory) -> None:
    save_all(memory)
    one, all_of_it = RamBackend(), RamBackend()
    memory.export_to(one, scope="atlas/agent:coder")
    memory.export_to(all_of_it, everywhere=True)
    [key] = everything(one)
    assert key.endswith("workflow/project.md")
    assert everything(all_of_it) == tree(memory)
    with pytest.raises(InvalidScope):
        memory.export_to(one, scope="robot:x")


def test_files_of_a_scope_within_the_folder_of_another_stay_its_own(memory: Memory) -> None:
    """In a vault the user's folder lies within the agent's."""
    base = "/".join(memory.core.layout.base(memory.core.scopes[1]))
    put(memory, f"{base}/_attachments/a.txt", "The user's")
    memory.save("The user's.", kind="idea", scope="user")
    agents, users = RamBackend(), RamBackend()
    memory.export_to(agents, scope="agent")
    memory.export_to(users, scope="user")
    assert everything(agents) == {}
    assert len(everything(users)) == 2


def test_entries_of_one_status_go_out_alone(memory: Memory) -> None:
    save_all(memory)
    gone = memory.append("Wrong.", kind="agent_case")
    memory.forget(gone.id)
    target = RamBackend()
    memory.export_to(target, everywhere=True, status="active")
    with quire.open(protocol="ram", layout=memory.core.layout.name) as other:
        other.import_from(target, name="old")
        assert essence(other) == {key: said for key, said in essence(memory).items() if said[0] == "active"}
    with pytest.raises(InvalidEntry, match="status"):
        memory.export_to(target, status="lost")


def test_nothing_that_is_there_is_overwritten(memory: Memory) -> None:
    save_all(memory)
    target = RamBackend()
    memory.export_to(target, everywhere=True)
    key = next(key for key in everything(target) if key.endswith("old.md"))
    target.write(Locator(key), "Somebody's own")
    result = memory.export_to(target, everywhere=True)
    assert [item.path for item in result.of("conflict")] == [key]
    assert set(result.counts) == {"same", "conflict"}
    assert target.read(Locator(key)) == "Somebody's own"


def test_one_file_that_cannot_be_written_does_not_stop_the_rest(memory: Memory) -> None:
    memory.save("One.", kind="fix", slug="one")
    memory.save("Two.", kind="idea", slug="two")
    target = RamBackend()
    at = memory.get("fix/one").locator
    target.write(at.parent, "a file where a folder is needed")
    result = memory.export_to(target)
    [refused] = result.of("refused")
    assert refused.path == at.key
    assert "is a file" in refused.reason
    assert target.read(memory.get("idea/two").locator)
    assert issubclass(NotADirectory, quire.StorageError)


def test_progress_counts_every_file_of_an_export(memory: Memory) -> None:
    save_all(memory)
    seen: list[tuple[int, int, str]] = []
    memory.export_to(RamBackend(), everywhere=True, progress=lambda *step: seen.append(step))
    assert [step[:2] for step in seen] == [(number, len(seen)) for number in range(1, len(seen) + 1)]


# Lines


def test_a_line_is_an_entry_with_its_whole_text(memory: Memory) -> None:
    saved = memory.save("Grüße.", kind="fix", title="Lock")
    [line] = memory.export_lines()
    assert line.endswith("\n")
    assert "Grüße" in line
    assert json.loads(line) == {
        "scope": "default/default/agent:default",
        "id": "fix/lock",
        "kind": "fix",
        "status": "active",
        "path": saved.locator.key,
        "text": saved.document.text,
    }


def test_each_entry_of_a_log_is_a_line_of_its_own(memory: Memory) -> None:
    memory.append("First.")
    memory.append("Second.\n<!-- entry:ep_20260601_00000009 -->")
    records = [json.loads(line) for line in memory.export_lines()]
    assert [record["id"] for record in records] == ["ep_20260601_00000001", "ep_20260601_00000002"]
    assert records[1]["text"] == memory.get("ep_20260601_00000002").document.text


def test_files_that_are_no_text_are_lines_in_base64(memory: Memory) -> None:
    base = "/".join(memory.core.layout.base(memory.core.scopes[0]))
    memory.core.storage.write_bytes(Locator(f"{base}/_attachments/a.png"), b"\x89PNG")
    put(memory, f"{base}/_attachments/a.txt", "Text\n")
    records = [json.loads(line) for line in memory.export_lines()]
    assert records == [
        {"path": f"{base}/_attachments/a.png", "base64": "iVBORw=="},
        {"path": f"{base}/_attachments/a.txt", "text": "Text\n"},
    ]
    assert list(memory.export_lines(status="all")) == []


def test_lines_come_in_with_everything(memory: Memory, layout: str, time: Time) -> None:
    save_all(memory)
    lines = list(memory.export_lines(everywhere=True))
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as other:
        result = other.import_from(lines, name="old")
        assert result.flavour == "quire"
        assert set(result.counts) == {"new"}
        assert list(other.export_lines(everywhere=True)) == lines
        assert set(other.import_from(lines, name="old").counts) == {"same"}
        other.undo(run=result.run)
        assert tree(other) == {}


def test_lines_of_one_layout_come_into_the_other(memory: Memory, layout: str, time: Time) -> None:
    save_all(memory)
    other_layout = "vault" if layout == "root" else "root"
    with quire.open(protocol="ram", layout=other_layout, timezone="UTC", now=time) as other:
        other.import_from(memory.export_lines(everywhere=True), name="old")
        assert essence(other) == essence(memory)


def test_a_line_needs_an_id_and_a_text_only(memory: Memory) -> None:
    lines = ['{"id": "fix/lock", "text": "Run them apart."}', '{"id": "ep_20260601_00000004", "text": "It happened."}']
    assert memory.import_from(lines, name="lines").counts == {"new": 2}
    assert memory.get("fix/lock").text == "Run them apart."
    assert memory.get("ep_20260601_00000004").text == "It happened."
    assert memory.append("Next.").id == "ep_20260601_00000005"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "it is no object"),
        ('{"text": "x"}', "it has no id"),
        ('{"id": "fix/x"}', "an entry has an id and a text"),
        ('{"id": 7, "text": "x"}', "an entry has an id and a text"),
        ('{"id": "gadget/x", "text": "x"}', "no kind 'gadget'"),
        ('{"id": "fix/../../x", "text": "x"}', "never climbs"),
        ('{"id": "fix/", "text": "x"}', "fix/"),
        ('{"id": "episode/x", "text": "x"}', "episode/x"),
        ('{"id": "zz_20260601_00000001", "text": "x"}', "begin with 'zz'"),
        ('{"id": "fix/y", "scope": "robot:x", "text": "x"}', "names no owner"),
        ('{"path": "../x", "text": "x"}', "never climbs"),
        ('{"path": "a/x", "base64": "?"}', "cannot be read"),
        ('{"id": "fix/ok", "text": "Other."}', "other text for"),
    ],
)
def test_a_bad_line_is_refused_by_its_number_and_hides_only_itself(memory: Memory, line: str, why: str) -> None:
    good = '{"id": "fix/ok", "text": "Good."}'
    result = memory.import_from(["\ufeff" + good + "\r\n", "\n", line, good.replace("ok", "good")], name="lines")
    [refused] = result.of("refused")
    assert refused.path == "line 3"
    assert why in refused.reason
    assert {item.entry for item in result.of("new")} == {"fix/ok", "fix/good"}


# Any memory

kinds = st.sampled_from(["fix", "idea", "preference", "profile", "episode", "agent_case", "skill", "insight"])
scopes = st.sampled_from(["agent", "user", "shared", "user:ada", "atlas/agent:coder", "atlas/shared"])
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
saves = st.tuples(kinds, scopes, texts, st.booleans(), st.sampled_from(["keep", "forget", "archive", "evolve"]))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["root", "vault"]), st.sampled_from(["root", "vault"]), st.lists(saves, max_size=8))
def test_any_memory_survives_the_way_out_and_in(
    layout: str, other_layout: str, given_saves: list[tuple[str, str, str, bool, str]]
) -> None:
    now = Time()
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=now) as memory:
        for kind, scope, text, always, then in given_saves:
            row = memory.core.kinds[kind]
            try:
                where = memory.core.scope_for(row, scope)
            except InvalidEntry:
                where = memory.core.scope_for(row, None)
            # In a vault what is always loaded lies in one folder: of two kinds one name would be taken, and reported.
            saved = memory.save(text, kind=kind, scope=where, always_load=always and kind == "fix")
            if then == "forget":
                memory.forget(saved.id, scope=where)
            elif then == "archive" and row.shape.value == "note":
                memory.archive(saved.id, scope=where)
            elif then == "evolve" and saved.status == "active":
                memory.evolve(saved.id, text + " more", scope=where)
        out, again = RamBackend(), RamBackend()
        memory.export_to(out, everywhere=True)
        assert everything(out) == tree(memory)
        with quire.open(protocol="ram", layout=other_layout, timezone="UTC", now=now) as other:
            other.import_from(out, name="old")
            assert essence(other) == essence(memory)
            other.export_to(again, everywhere=True)
            if layout == other_layout:
                assert everything(again) == everything(out)
        with quire.open(protocol="ram", layout=other_layout, timezone="UTC", now=now) as other:
            other.import_from(memory.export_lines(everywhere=True), name="old")
            assert essence(other) == essence(memory)
