"""The digest: what was changed in space that is not the agent's alone, as a diff that a person can read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import quire
from quire import Clock, Memory
from quire.engine.digest import diff_of
from quire.engine.hunks import hunks
from quire.engine.journal import Change, Step
from tests.engine.conftest import Time
from tests.engine.looking import put, text_at, tree, where


def shared(memory: Memory, slug: str = "x", text: str = "Text.") -> str:
    """Save a curated entry, and where it lies."""
    return memory.save(text, kind="workflow", slug=slug, scope="shared").locator.key


def test_what_is_curated_is_reported_and_what_is_the_agents_is_not(memory: Memory) -> None:
    memory.save("Mine.", kind="fix", slug="x")
    memory.append("It rained.")
    memory.save("A person.", kind="profile")
    key = shared(memory)
    memory.retag("workflow/x", add=["a"], scope="shared")
    retag, save = memory.digest()
    assert [(it.change.verb, it.change.tier, it.undone) for it in (retag, save)] == [
        ("retag", "T2", False),
        ("save", "T2", False),
    ]
    assert save.diff.startswith(f"--- /dev/null\n+++ b/{key}\n@@ -0,0 +1,")
    assert "+Text.\n" in save.diff
    assert retag.diff.startswith(f"--- a/{key}\n+++ b/{key}\n")
    assert "+tags: [a]\n" in retag.diff


def test_a_change_of_curated_space_is_reported_whatever_it_was_about(memory: Memory) -> None:
    memory.save("It was locked.", kind="fix", slug="locked")
    key = shared(memory, text="See [[locked]].")
    memory.rename("fix/locked", "busy")
    renamed = memory.digest()[0]
    assert renamed.change.verb == "rename"
    assert f"--- a/{key}\n+++ b/{key}\n" in renamed.diff
    assert "-See [[locked]].\n+See [[busy]].\n" in renamed.diff


def test_what_lies_in_the_folder_of_an_agents_skill_is_the_agents(memory: Memory) -> None:
    folder = memory.save("Text.", kind="skill", slug="x").locator.parent
    memory.core.storage.write(folder.child("scripts", "run.sh"), "true\n")
    memory.archive("skill/x")
    assert memory.digest() == []


def test_a_change_is_taken_back_from_the_digest_and_marked(memory: Memory) -> None:
    shared(memory, "x")
    before = tree(memory)
    shared(memory, "y")
    memory.undo(memory.digest()[0].change.id)
    assert tree(memory) == before
    undo, second, first = memory.digest()
    assert [(it.change.verb, it.undone) for it in (undo, second, first)] == [
        ("undo", False), ("save", True), ("save", False)
    ]  # fmt: skip
    assert "-Text.\n" in undo.diff
    memory.undo(undo.change.id)
    assert [(it.change.verb, it.undone) for it in memory.digest()] == [
        ("undo", False), ("undo", True), ("save", False), ("save", False)
    ]  # fmt: skip


def test_since_leaves_out_what_is_older(memory: Memory, time: Time) -> None:
    shared(memory, "x")
    time.forward(hours=2)
    shared(memory, "y")
    assert [it.change.entries[0].rpartition(" ")[2] for it in memory.digest(since="2026-06-01T13:00")] == ["workflow/y"]
    assert len(memory.digest(since="2026-06-01")) == 2
    assert memory.digest(since="2027-01-01") == []


def test_what_was_undone_before_that_moment_is_still_known_to_be(memory: Memory, time: Time) -> None:
    shared(memory, "x")
    first = memory.digest()[0].change
    time.forward(hours=2)
    memory.undo(first.id)
    assert [it.change.verb for it in memory.digest(since="2026-06-01T13:00")] == ["undo"]


def test_what_was_purged_is_said_to_be_and_not_shown(memory: Memory) -> None:
    shared(memory, "x", "Secret.")
    memory.retag("workflow/x", add=["a"], scope="shared")
    memory.purge("workflow/x", yes=True, scope="shared")
    assert [(it.change.verb, it.diff) for it in memory.digest()] == [
        (verb, "# an entry: what was changed here has been purged\n") for verb in ("purge", "retag", "save")
    ]


def test_a_file_of_a_person_is_theirs_also_where_it_is_no_entry(memory: Memory) -> None:
    memory.save("It was locked.", kind="fix", slug="locked")
    key = "projects/atlas/designs/plan.md"
    put(memory, key, "See [[locked]].\n")
    memory.rename("fix/locked", "busy")
    assert f"+++ b/{key}\n" in memory.digest()[0].diff


# The diff


def diff(before: bytes | None, after: bytes | None) -> str:
    found = tuple(hunks(before or b"", after or b"")) if before is not None else ()
    step = Step("a.md", None if before is None else "1", None if after is None else "2", found)
    return diff_of(Change("", "", "edit", "", "", steps=(step,)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"1\n2\n3\n4\n", b"1\n2\nthree\n4\n"),
        (b"---\na: 1\nb: 2\n---\n1\n2\n3\n", b"---\na: 1\nb: 3\nc: 4\n---\n1\n2\nfour\n"),
        (b"1\n2\n", b"1\n2\n3"),
        (b"1\n2", b"1\n2\n"),
        (b"1\r\n2\r\n", b"1\r\n3\r\n"),
        (b"a\x0bb\x0cc\xc2\x85d\n", b"a\x0bb\x0cc\xc2\x85e\n"),
        (b"1\n2\n3\n", b""),
    ],
)
def test_a_diff_is_one_that_patch_can_apply(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "a.md").write_bytes(before)
    subprocess.run(
        ["git", "apply", "--unidiff-zero", "-p1", "-"], cwd=tmp_path, input=diff(before, after).encode(), check=True
    )
    assert (tmp_path / "a.md").read_bytes() == after


def test_lines_are_numbered_as_in_the_file() -> None:
    before = b"".join(b"%d\n" % number for number in range(1, 101))
    assert diff(before, before.replace(b"\n50\n", b"\nfifty\n")) == (
        "--- a/a.md\n+++ b/a.md\n@@ -50,1 +50,1 @@\n-50\n+fifty\n"
    )


def test_a_second_change_is_numbered_by_where_it_was_and_where_it_is() -> None:
    before = b"---\na: 1\n---\n1\n2\n3\n"
    assert diff(before, b"---\na: 1\nb: 2\nc: 3\n---\n1\n2\nthree\n") == (
        "--- a/a.md\n+++ b/a.md\n@@ -2,0 +3,2 @@\n+b: 2\n+c: 3\n@@ -6,1 +8,1 @@\n-3\n+three\n"
    )


def test_what_is_no_text_is_not_printed() -> None:
    assert diff(b"\x00\xff\n", b"\x00\xfe\n") == "# a.md: binary, 3 bytes before, 3 after\n"


def test_a_very_long_change_is_shown_without_comparing_its_lines(memory: Memory) -> None:
    long = "".join(f"line {number}\n" for number in range(5000))
    other = "".join(f"line {number}\n" for number in range(5000, 0, -1))
    shared(memory, text=long)
    memory.edit("workflow/x", f"---\nkind: workflow\n---\n{other}", scope="shared")
    assert memory.digest()[0].diff.count("\n-line") >= 4990


def test_the_persons_own_notes_are_reported_with_the_words_that_allowed_it(tmp_path: Path, time: Time) -> None:
    (tmp_path / "notes").mkdir()
    with quire.open(protocol="ram", personal=tmp_path / "notes", now=time) as memory:
        memory.write_personal("Home/garden.md", "Roses.\n", request="Note the roses.")
        [reported] = memory.digest()
        assert (reported.change.tier, reported.change.request) == ("T1", "Note the roses.")
        assert reported.diff == ("--- /dev/null\n+++ b/personal:Home/garden.md\n@@ -0,0 +1,1 @@\n+Roses.\n")
        memory.undo(reported.change.id)
        assert memory.digest()[1].undone


def test_the_clock_may_have_been_set_back(memory: Memory, time: Time) -> None:
    shared(memory, "x")
    time.forward(days=-3)
    shared(memory, "y")
    assert [it.change.entries[0][-1] for it in memory.digest()] == ["y", "x"]
    assert Clock("UTC", now=time).now().day == 29


def test_a_plan_in_a_synced_root_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "vault").mkdir()
    with quire.open(tmp_path / "vault", protocol="vault", environment={"HOME": str(tmp_path)}) as memory:
        memory.harness().write("plan", "First this.\n")
        [reported] = memory.digest()
        assert reported.change.tier == "T2"
        assert "+First this.\n" in reported.diff
        memory.undo(reported.change.id)
        assert memory.harness().plans() == []


def test_the_root_keeps_what_the_digest_shows(memory: Memory) -> None:
    key = shared(memory)
    assert text_at(memory, key).endswith("Text.\n")
    assert where(memory, "workflow", "x", scope=memory.core.scope("shared")) == key
