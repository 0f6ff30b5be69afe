"""What the pages say is true: their code runs, transcripts match, links lead somewhere, tables agree with the code."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import quire
from tests.console import matches

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ids = [str(page.relative_to(ROOT)) for page in PAGES]

_spec = importlib.util.spec_from_file_location("docs_blocks", ROOT / "scripts" / "docs.py")
assert _spec
assert _spec.loader
docs = importlib.util.module_from_spec(_spec)
sys.modules["docs_blocks"] = docs
_spec.loader.exec_module(docs)


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    """Python first, all of it; then the transcripts, in the home that the Python has left."""
    text = page.read_text()
    program = docs.program(text)
    if "StorageBackendTests" in program:
        (tmp_path / "test_page.py").write_text(program)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_page.py"]
    else:
        command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for block in docs.blocks(text):
        if block.language == "console" and not block.not_run:
            transcript(block.body, tmp_path, f"{page.name}:{block.line}")
        elif block.language == "toml":
            tomllib.loads(block.body)
        elif block.language == "json":
            json.loads(block.body)


def transcript(body: str, home: Path, where: str) -> None:
    """Run each `$ command` and compare what follows it; see `matches`."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = subprocess.run(
            command, shell=True, cwd=home, env=environment(home), capture_output=True, text=True, check=False
        )
        printed = done.stdout + done.stderr
        assert matches(expected, printed), f"{where}: $ {command}\n{printed}\nwas expected to be\n{expected}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_block_is_of_a_kind_that_is_checked_or_says_why_not(page: Path) -> None:
    for block in docs.blocks(page.read_text()):
        assert block.language in ("python", "console", "toml", "json", "text"), f"{page.name}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_file_a_page_names_is_there(page: Path) -> None:
    for name in re.findall(r"`((?:src|tests|docs|bench|scripts)/[\w./-]+)`", page.read_text()):
        assert (ROOT / name).exists(), f"{page.name} names {name}"


def test_the_reference_knows_every_refusal() -> None:
    table = (ROOT / "docs/reference/configuration.md").read_text()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text()
        if "SelectionError" in text:
            codes = set(re.findall(r'"([A-Z]{3,}_[A-Z0-9_]+|UNREACHABLE)"', text))
            codes = {code for code in codes if not code.startswith(("QUIRE_", "XDG_", "AWS_"))}
            codes -= {"SELECTION_FAILED", "PROBE_FAILED", *(error.code for error in errors())}
            missing = {code for code in codes if f"`{code}`" not in table}
            assert not missing, f"{path.name}: {missing}"


def errors() -> list[type[quire.QuireError]]:
    found = [getattr(quire, name) for name in quire.__all__]
    return [thing for thing in found if inspect.isclass(thing) and issubclass(thing, quire.QuireError)]


def test_the_reference_knows_every_option() -> None:
    table = (ROOT / "docs/reference/configuration.md").read_text()
    for protocol in quire.registry.protocols():
        backend = quire.registry.get(protocol)
        assert backend
        assert f"`{protocol}`" in table
        for name in inspect.signature(backend).parameters:
            assert f"`{name}`" in table, f"{protocol} has an option {name}"


def test_the_seam_reference_knows_every_verb() -> None:
    table = (ROOT / "docs/reference/seam.md").read_text()
    for name, member in vars(quire.StorageBackend).items():
        if not name.startswith("_"):
            assert f"`{name}" in table, name
        if inspect.isfunction(member) and not name.startswith("_"):
            [row] = re.findall(rf"^\| `{name}\((.*?)\)`", table, re.MULTILINE)
            parameters = [parameter for parameter in inspect.signature(member).parameters if parameter != "self"]
            shown = [word.strip("* ").partition("=")[0] for word in row.split(",")]
            assert [word for word in shown if word] == parameters, row


def test_the_project_names_no_download_addresses() -> None:
    """A constraints file has versions; where packages come from is the machine's business."""
    for name in ("constraints.txt", "pyproject.toml", "Makefile", "scripts/setup", ".ci/run"):
        assert not re.search(r"https?://|file://|index-url|find-links", (ROOT / name).read_text()), name


def test_the_memory_reference_knows_every_verb_and_its_arguments() -> None:
    table = (ROOT / "docs/reference/memory.md").read_text()
    for name, member in vars(quire.Memory).items():
        if not inspect.isfunction(member) or name.startswith("_"):
            continue
        rows = re.findall(rf"`{name}\(([^`]*)\)`", table)
        assert rows, f"{name} is not in the reference"
        parameters = [parameter for parameter in inspect.signature(member).parameters if parameter != "self"]
        shown = [word.strip("* ") for word in rows[0].split(",")]
        assert [word for word in shown if word] == parameters, name


def test_the_format_knows_every_field_and_every_kind() -> None:
    from quire.engine.kinds import KINDS, Frontmatter

    text = (ROOT / "docs/reference/format.md").read_text()
    for name in [*Frontmatter.COMMON, *KINDS]:
        assert f"`{name}`" in text, name
    for schema in KINDS.values():
        if schema.ENTRY_ID_PREFIX:
            assert f"(`{schema.ENTRY_ID_PREFIX}`)" in text


def test_the_reference_knows_every_finding() -> None:
    from quire.engine.lint import CHECKS

    table = (ROOT / "docs/reference/lint.md").read_text()
    for check in CHECKS.values():
        row = f"| `{check.code}` | {check.severity} | {check.meaning} | {'yes' if check.repairable else ''} |"
        assert row in table, check.code
