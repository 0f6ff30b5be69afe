"""Completion in a real bash; of zsh and fish, what their scripts say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from quire.engine.kinds import KINDS
from quire.inbound.cli.table import EVERYWHERE
from quire.inbound.cli.verbs import VERBS
from tests.inbound.cli.conftest import Quire

SHOWN = [verb for verb in VERBS if not verb.hidden]


@pytest.fixture
def filled(quire: Quire) -> Quire:
    quire("save", "One.", "--kind", "fix", "--slug", "locked-database")
    quire("save", "Two.", "--kind", "fix", "--slug", "lonely")
    quire("save", "Three.", "--scope", "shared", "--slug", "all")
    quire("append", "Four.", "--at", "2026-06-01")
    quire("save", "Me.", "--kind", "profile")
    return quire


def bash(quire: Quire, *lines: list[str]) -> list[list[str]]:
    """What bash offers at the end of each of these command lines."""
    script = quire("completion", "bash").out
    tries = [
        f"COMP_WORDS=(quire {shlex.join(words)}); COMP_CWORD={len(words)}; _quire; "
        'printf "%s\\n" "${COMPREPLY[@]}"; echo "-- end"'
        for words in lines
    ]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script + "\n".join(tries)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stderr == ""
    return [part.split("\n")[:-1] if part.strip() else [] for part in done.stdout.split("-- end\n")[:-1]]


def test_verbs_options_and_values(filled: Quire) -> None:
    lines = [[""], ["ev"], ["help", "re"], ["save", "--al"], ["save", "--kind", "fe"], ["list", "--status", "a"]]
    lines += [
        ["completion", ""],
        ["--layout", ""],
        ["--root", "x", "sho"],
        ["undo", "--ju"],
        ["--ag"],
        ["import", "x", "--fl"],
    ]
    lines += [["import", "x", "--flavour", "e"], ["save", "--title", ""], ["save", ""], ["index", ""]]
    assert bash(filled, *lines) == [
        [*(verb.name for verb in SHOWN), "help"],
        ["evolve"],
        ["rename", "retag", "restore"],
        ["--always-load"],
        ["feedback"],
        ["active", "archived", "all"],
        ["bash", "zsh", "fish"],
        ["root", "vault"],
        ["show"],
        [],
        ["--agent"],
        ["--flavour"],
        ["everos"],
        [],
        [],
        [],
    ]


def test_ids_are_looked_up(filled: Quire, home: Path) -> None:
    lines = [
        ["show", "fix/lo"],
        ["show", ""],
        ["show", "ep"],
        ["forget", "fix/lonely", "p"],
        ["save", "--supersedes", "fix/loc"],
    ]
    lines += [
        ["--scope", "shared", "show", ""],
        ["--root", str(home / "other"), "show", ""],
        ["--agent", "coder", "show", "f"],
    ]
    assert bash(filled, *lines) == [
        ["fix/locked-database", "fix/lonely"],
        ["fix/locked-database", "fix/lonely", "profile", "preference/all"],
        ["ep_20260601_00000001"],
        ["profile", "preference/all"],
        ["fix/locked-database"],
        ["preference/all"],
        [],
        [],
    ]


def test_the_command_that_the_scripts_ask_prints_what_goes_on_from_the_last_word(filled: Quire, home: Path) -> None:
    folder = home / ".quire/default_app/default_project/agents/default/memory/fix"
    (folder / "lo\x7f.md").write_text("A name that no terminal should see.")
    answer = filled("__complete", "ids", "--", "--json", "forget", "profile", "fix/lo")
    assert answer == (0, "fix/locked-database\nfix/lonely\n", "")
    assert filled("__complete", "ids", "--", "show", "none").out == ""
    assert filled("__complete", "changes", "--", "undo", "1999").out == ""


def test_changes_are_looked_up_the_newest_first(filled: Quire) -> None:
    [offered] = bash(filled, ["undo", ""])
    known = [change["id"] for change in filled("history", "--json").json["changes"]]
    assert offered == known
    assert len(offered) == 5


def test_files_and_folders(filled: Quire, home: Path) -> None:
    (home / "drafts").mkdir()
    (home / "draft.md").write_text("x")
    at = str(home / "draft")
    folders, files = bash(filled, ["--root", at], ["edit", "fix/lonely", "--from", at])
    assert folders == [f"{at}s"]
    assert sorted(files) == [f"{at}.md", f"{at}s"]


def test_the_name_of_a_file_is_never_run(filled: Quire, home: Path) -> None:
    folder = home / ".quire/default_app/default_project/agents/default/memory/fix"
    (folder / f"$(touch {home.name}-ran).md").write_text("x")
    (folder / "a b;c.md").write_text("x")
    [offered] = bash(filled, ["show", "fix/"])
    assert rf"fix/\$\(touch\ {home.name}-ran\)" in offered
    assert r"fix/a\ b\;c" in offered
    assert not list(Path.cwd().glob("*-ran"))


def test_kinds_of_the_configuration_are_offered(quire: Quire, home: Path) -> None:
    (home / ".config/quire").mkdir(parents=True)
    (home / ".config/quire/config.toml").write_text("[kinds.recipe]\n")
    assert bash(quire, ["save", "--kind", "rec"]) == [["recipe"]]


def test_where_nothing_can_be_looked_up_nothing_is_offered(quire: Quire, home: Path) -> None:
    script_home = home / ".config/quire"
    assert bash(quire, ["show", ""]) == [[]]
    script_home.mkdir(parents=True)
    script = quire("completion", "bash").out
    (script_home / "config.toml").write_text("[memory]\nlayout = 'tree'\n")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    tried = f'{script}\nCOMP_WORDS=(quire show ""); COMP_CWORD=2; _quire; echo "${{#COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", tried], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_knows_every_verb_option_and_kind(quire: Quire, shell: str) -> None:
    script = quire("completion", shell).out
    arguments = [*EVERYWHERE, *(argument for verb in SHOWN for argument in verb.arguments)]
    for name in [argument.name for argument in arguments if argument.is_option]:
        assert re.search(rf"-l {name[2:]}\b" if shell == "fish" else rf"[ (]{name}\b", script), name
    for word in [*(verb.name for verb in SHOWN), *KINDS, "superseded", "device-local"]:
        assert re.search(rf"(?<![\w-]){word}(?![\w-])", script), word
    assert not re.search(r"@[A-Z]+@", script), "a placeholder is left"


def test_an_option_is_completed_alike_in_every_verb() -> None:
    """The scripts look at the option alone, not at the verb it is of."""
    values: dict[str, set[str]] = {}
    for argument in [*EVERYWHERE, *(argument for verb in SHOWN for argument in verb.arguments)]:
        if argument.is_option:
            values.setdefault(argument.name, set()).add(argument.values)
    assert all(len(each) == 1 for each in values.values())
