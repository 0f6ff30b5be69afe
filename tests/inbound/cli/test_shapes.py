"""The JSON of every verb, held against the shapes that the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from quire.inbound.cli.verbs import VERBS
from tests.inbound.cli.conftest import Quire

PAGE = (Path(__file__).parents[3] / "docs/reference/cli.md").read_text()
JSON = PAGE.partition("## JSON")[2]

Shape = Any


def shapes() -> dict[str, Shape]:
    """What the page shows, by the words in italics above it: the first block is of the first word."""
    found: dict[str, Shape] = {}
    words: list[str] = []
    for paragraph in JSON.split("\n\n"):
        if paragraph.startswith("```json"):
            found[words.pop(0)] = json.loads(paragraph.strip().removeprefix("```json").removesuffix("```"))
        elif paragraph.startswith(("A", "*", "Of")):
            words = [word.lower() for word in re.findall(r"\*(\w+)\*", paragraph)]
    return found


SHAPES = shapes()
ENTRY, ENTRIES, CHANGE = SHAPES["entry"], SHAPES["entries"], SHAPES["change"]
ENTRIES["entries"] = [ENTRY]
SHAPES["repair"]["finding"] = SHAPES["finding"]
SHAPES["export"]["items"] = SHAPES["transfer"]["items"]


def check(shape: Shape, got: Any, where: str = "") -> None:
    """`got` has the keys of `shape`, in their order, and values of their types; null is text that may be null."""
    if shape is None:
        assert got is None or isinstance(got, str), where
    elif isinstance(shape, dict):
        assert isinstance(got, dict), where
        assert list(got) == list(shape) or not shape, where
        for name, inner in shape.items():
            check(inner, got[name], f"{where}.{name}")
    elif isinstance(shape, list):
        assert isinstance(got, list), where
        for each in got if shape else []:
            check(shape[0], each, f"{where}[]")
    else:
        assert type(got) is type(shape), f"{where}: {got!r}"


@pytest.fixture
def filled(quire: Quire, home: Path) -> Quire:
    """A memory with something of everything."""
    (home / "Notes").mkdir()
    quire("init", "--personal", str(home / "Notes"), "--timezone", "UTC")
    quire("save", "Run the suites.", "--kind", "fix", "--slug", "suites", "--tag", "#a", "--always-load")
    quire("save", "For all.", "--slug", "all", "--scope", "shared", "--run", "shared")
    quire("evolve", "fix/suites", "Run them in turn.", "--reason", "Faster.")
    return quire


COMMANDS: dict[str, tuple[list[str], Shape]] = {
    "init": (["init"], {"actions": [{"done": "", "path": ""}]}),
    "save": (["save", "x"], ENTRY),
    "append": (["append", "x"], ENTRY),
    "show": (["show", "fix/suites"], ENTRY),
    "edit": (["edit", "fix/suites-2", "--from", "-"], ENTRY),
    "evolve": (["evolve", "fix/suites-2", "y"], ENTRY),
    "rename": (["rename", "fix/suites-2", "other"], ENTRY),
    "retag": (["retag", "fix/suites-2", "--add", "b"], ENTRY),
    "list": (["list", "--limit", "1"], ENTRIES),
    "forget": (["forget", "fix/suites-2"], ENTRIES),
    "archive": (["archive", "fix/suites-2"], ENTRIES),
    "restore": (["restore", "fix/suites-2"], ENTRIES),
    "history": (["history", "fix/suites", "--changes"], {**ENTRIES, "changes": [CHANGE]}),
    "undo": (["undo"], {"undone": [CHANGE]}),
    "digest": (["digest"], {"changes": [{**CHANGE, "diff": "", "undone": False}]}),
    "context": (["context"], {"text": "", "tokens": 0, "entries": [ENTRY], "left_out": [ENTRY]}),
    "index": (["index"], {"written": [""]}),
    "purge": (["purge", "fix/suites-2", "--yes"], {"purged": [""]}),
    "personal": (["personal", "a.md", "x", "--request", "write it down"], CHANGE),
    "plan": (["plan", "release", "--write", "# Release"], SHAPES["state"]),
    "harness": (["harness", "progress", "--append", "Done."], SHAPES["state"]),
    "lint": (["lint"], {"findings": [SHAPES["finding"]], "repairs": [SHAPES["repair"]]}),
    "import": (["import", "Vault"], SHAPES["transfer"]),
    "export": (["export", "backup"], SHAPES["export"]),
    "doctor": (
        ["doctor"],
        {"ok": True, "checks": [{"name": "", "state": "", "detail": "", "code": "", "milliseconds": 0.0}]},
    ),
}
PRINTS_A_SCRIPT = {"completion", "__complete"}


def test_every_verb_is_asked() -> None:
    assert {verb.name for verb in VERBS} == set(COMMANDS) | PRINTS_A_SCRIPT
    for name in COMMANDS:
        assert re.search(rf"^\| .*`{name}`", JSON, re.MULTILINE), name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_json_of_a_verb_has_the_shape_of_the_page(
    filled: Quire, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "Vault").mkdir()
    (tmp_path / "Vault/Bread.md").write_text("Flour.\n")
    words, shape = COMMANDS[name]
    answer = filled(*words, "--json", stdin=b"---\nkind: fix\n---\nEdited.\n")
    assert answer.err == ""
    check(shape, answer.json, name)


def test_a_list_that_goes_on_says_where(filled: Quire) -> None:
    first = filled("list", "--limit", "1", "--json").json
    assert isinstance(first["next"], str)
    second = filled("list", "--limit", "100", "--after", first["next"], "--json").json
    assert second["next"] is None
    ids = [entry["id"] for page in (first, second) for entry in page["entries"]]
    assert ids == [entry["id"] for entry in filled("list", "--json").json["entries"]]


def test_a_file_that_cannot_be_read_is_a_fault(filled: Quire, home: Path) -> None:
    broken = home / ".quire/default_app/default_project/agents/default/memory/fix/broken.md"
    broken.write_text("---\nkind: [\n---\n")
    page = filled("list", "--json").json
    check(ENTRIES, page)
    assert [fault["path"].rpartition("/")[2] for fault in page["faults"]] == ["broken.md"]
    assert {"fix/broken", "fix/suites-2"} <= {entry["id"] for entry in page["entries"]}


def test_findings_and_repairs_of_lint(filled: Quire, home: Path) -> None:
    folder = home / ".quire/default_app/default_project/agents/default/memory/fix"
    (folder / "odd.md").write_text("---\nkind: fix\nslug: odd\ntags: ['#x']\nstatus: Active\n---\nSee [[nothing]].\n")
    answer = filled("lint", "--json")
    found = json.loads(answer.out)
    check(COMMANDS["lint"][1], found)
    severities = {finding["severity"] for finding in found["findings"]}
    assert answer.code == (1 if "error" in severities else 0)
    assert any(finding["fixable"] for finding in found["findings"])
    fixed = json.loads(filled("lint", "--fix", "--json").out)
    check(COMMANDS["lint"][1], fixed)
    assert any(repair["done"] and repair["change"] for repair in fixed["repairs"])
    lines = filled("lint").out.splitlines()
    assert len(lines) == len(fixed["findings"])


def test_the_shape_of_the_harness_alone(quire: Quire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    quire("plan", "--write", "# Now")
    check({"where": "", "folder": "", "files": [""]}, quire("harness", "--json").json)


def test_an_error_has_the_shape_of_the_page(filled: Quire) -> None:
    for words in (["show", "fix/none"], ["list", "--what"], ["list", "--storage", "none"]):
        check(SHAPES["error"], json.loads(filled(*words, "--json").err))


def test_what_yaml_can_hold_and_json_cannot_is_text(quire: Quire) -> None:
    quire("save", "x", "--slug", "x", "--field", "a=.inf", "--field", "b=[.nan, 1.5]")
    fields = quire("show", "preference/x", "--json").json["fields"]
    assert (fields["a"], fields["b"]) == ("inf", ["nan", 1.5])
