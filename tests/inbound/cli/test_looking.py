"""The verbs that look: what they cannot see is said, and what is no question is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inbound.cli.conftest import Quire

MEMORY = "default_app/default_project/agents/default/memory"


@pytest.fixture
def root(quire: Quire, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    quire("save", "Seen.", "--slug", "seen")
    return home / ".quire"


def put_behind_a_link(folder: Path) -> None:
    folder.rename(folder.parent.parent / "elsewhere")
    folder.symlink_to(folder.parent.parent / "elsewhere")


def test_a_folder_behind_a_link_is_named_by_list_and_export(quire: Quire, root: Path, home: Path) -> None:
    put_behind_a_link(root / MEMORY)
    said = f"quire: warning: {MEMORY}:1: this is a symbolic link, which is not followed, so that nothing behind it is"
    for words in (["list"], ["list", "--everywhere"], ["export", "there"], ["export", "-"], ["export", "x", "--jsonl"]):
        answer = quire(*words)
        assert answer.code == 0
        assert answer.err.startswith(said), words
        assert answer.err.count("\n") == 1
    for words in (["list"], ["export", "there"]):
        assert [fault["path"] for fault in quire(*words, "--json").json["faults"]] == [MEMORY]
        assert quire(*words, "--json").err == ""


@pytest.mark.parametrize("above", ["default_app", "default_app/default_project/agents"])
def test_a_link_on_the_way_is_an_error_of_who_asks_below_it_and_named_everywhere(
    quire: Quire, root: Path, above: str
) -> None:
    put_behind_a_link(root / above)
    for words in (["list"], ["export", "there"]):
        assert quire(*words).code == 6
        assert "is a symbolic link, and Quire follows none" in quire(*words).err
        answer = quire(*words, "--everywhere")
        assert answer.code == 0
        assert f"warning: {above}:1: this is a symbolic link" in answer.err


def test_the_doctor_is_not_content_with_what_it_warns_about(quire: Quire, root: Path) -> None:
    assert quire("doctor").out.endswith("\nall is well\n")
    put_behind_a_link(root / MEMORY)
    answer = quire("doctor")
    assert answer.code == 0
    assert answer.out.endswith("\nall is well, but see the warnings\n")


def test_of_many_faults_in_a_file_the_first_are_named(quire: Quire, root: Path) -> None:
    lines = "".join(f"  - *a{number}\n" for number in range(20))
    (root / MEMORY / "preference/bad.md").write_text(f"---\ntags:\n{lines}---\nText.\n")
    (root / MEMORY / "preference/worse.md").write_text("---\ntags: [a\n---\nText.\n")
    faults = quire("list", "--json").json["faults"]
    bad = [fault for fault in faults if fault["path"].endswith("bad.md")]
    assert len(bad) == 20
    err = quire("list").err.splitlines()
    assert [line for line in err if "bad.md:" in line] == [*err[:5], err[5]]
    assert err[5] == f"quire: warning: {MEMORY}/preference/bad.md: and 15 more in this file; see quire lint"
    assert len(err) == 7
    assert "worse.md:2: " in err[6]


@pytest.mark.parametrize("mark", ["garbage", "garbage#", "#", f"{MEMORY}/preference/seen.md", f"{MEMORY}/_index.md#"])
def test_a_mark_that_ended_no_page_is_refused(quire: Quire, root: Path, mark: str) -> None:
    answer = quire("list", "--after", mark)
    assert (answer.code, answer.out) == (5, "")
    assert f"{mark!r} is not the mark of a page" in answer.err


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_a_page_of_nothing_is_refused(quire: Quire, root: Path, limit: str) -> None:
    for words in (["list"], ["history"], ["history", "preference/seen", "--changes"]):
        answer = quire(*words, "--limit", limit)
        assert (answer.code, answer.out) == (5, "")
        assert "Give a limit of 1 or more" in answer.err
