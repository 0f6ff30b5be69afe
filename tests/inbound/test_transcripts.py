"""Terminal sessions, each in a home of its own, with a real shell and the real command.

A transcript begins with prose. `$ ` begins a command, whose next lines may go on after `> `; then comes what it prints,
standard output before standard error, where `...` stands for anything on a line, and alone on a line for any lines. A
line `? 3` is the exit code, if it is not 0; a line that begins with `: ` is a remark.

`QUIRE_TRANSCRIPTS=write pytest tests/inbound/test_transcripts.py` writes what is printed now into them, for a person to
read and to commit; what still matches stays as it was written.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from quire.inbound.cli.verbs import VERBS
from tests.console import matches

FOLDER = Path(__file__).parent.parent / "transcripts"
WRITING = os.environ.get("QUIRE_TRANSCRIPTS") == "write"  # looked at before a test has an environment of its own
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))

# What is another each time. Written as `...`, from the longest to the shortest.
CHANGING = [
    r"\b[0-9a-f]{64}\b",
    r"\b\d{8}T\d{12}-[0-9a-f]{8}\b",
    r"\brun [0-9a-f]{12}\b",
    r"(?<=import-)[0-9a-f]{12}\b",
    r"\b20\d\d-\d\d-\d\dT[\d:.]+\+00:00",
    r"/[\w/.-]*/home\d+",
    r"\b" + dt.datetime.now(dt.UTC).date().isoformat(),
    r"(?<=database-)[a-z0-9_]{8}(?=\.md)",
]


@dataclass
class Command:
    """One command of a transcript: how it is written, and what is to follow it."""

    words: str
    remarks: list[str] = field(default_factory=list)  # before it
    expected: str = ""
    code: int = 0


def parse(text: str) -> tuple[str, list[Command]]:
    """The prose, and the commands."""
    prose, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    commands: list[Command] = []
    remarks: list[str] = []
    for part in parts:
        lines = part.splitlines(keepends=True)
        words = lines.pop(0)
        while lines and re.match(r"> |>$", lines[0]):
            words += re.sub(r"^> ?", "", lines.pop(0))
        command = Command(words, remarks)
        remarks = [line for line in lines if line.startswith(": ")]
        output = [line for line in lines if not line.startswith(": ")]
        if output and (code := re.fullmatch(r"\? (\d+)\n", output[-1])):
            command.code = int(code[1])
            output.pop()
        command.expected = "".join(output)
        commands.append(command)
    assert not remarks, "a remark stands before the command it is about"
    return prose, commands


def render(prose: str, commands: list[Command]) -> str:
    """The text of a transcript."""
    parts = [prose]
    for command in commands:
        first, *more = command.words.splitlines()
        written = "".join([f"$ {first}\n", *(f"> {line}".rstrip() + "\n" for line in more)])
        parts += [*command.remarks, written, command.expected, f"? {command.code}\n" if command.code else ""]
    return "".join(parts)


def run(command: Command, home: Path) -> tuple[int, str]:
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("VISUAL", "EDITOR", "TMPDIR")},
        "HOME": str(home),
        "TMPDIR": str(home),
        "LC_ALL": "C",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command.words], cwd=home, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        check=False, timeout=60,
    )  # fmt: skip
    printed = (done.stdout + done.stderr).decode()
    if printed and not printed.endswith("\n"):
        printed += "\n(no newline)\n"
    return done.returncode, printed


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=[path.stem for path in TRANSCRIPTS])
def test_a_session_goes_as_it_is_written(path: Path, home: Path) -> None:
    prose, commands = parse(path.read_text())
    for command in commands:
        code, printed = run(command, home)
        if WRITING:
            if not matches(command.expected, printed):
                for pattern in CHANGING:
                    printed = re.sub(pattern, "...", printed)
                command.expected = printed.replace(str(home), "...")
            command.code = code
        else:
            said = f"{path.name}: $ {command.words}"
            assert matches(command.expected, printed), f"{said}{printed}\nwas expected to be\n{command.expected}"
            assert code == command.code, f"{said}exited with {code}\n{printed}"
    if WRITING:
        path.write_text(render(prose, commands))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=[path.stem for path in TRANSCRIPTS])
def test_a_transcript_says_what_it_is_about_and_is_written_as_it_would_be(path: Path) -> None:
    text = path.read_text()
    prose, commands = parse(text)
    assert prose.strip()
    assert commands
    assert render(prose, commands) == text


def test_every_verb_is_in_a_transcript() -> None:
    words = "".join(command.words for path in TRANSCRIPTS for command in parse(path.read_text())[1])
    for verb in VERBS:
        assert re.search(rf"\bquire (?:--\S+ \S+ )*{verb.name}\b", words), verb.name
