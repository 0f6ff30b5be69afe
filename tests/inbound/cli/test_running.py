"""What holds for every command: help, usage, options, errors, streams, and what starting costs."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import quire as library
from quire.inbound.cli import main
from tests.inbound.cli.conftest import QUIRE, Quire, process


def test_tells_its_version(quire: Quire) -> None:
    assert process("--version").out == f"quire {library.__version__}\n"
    assert quire("-V").out == quire("--version").out
    done = subprocess.run([sys.executable, "-m", "quire", "-V"], capture_output=True, text=True, check=True)
    assert done.stdout == f"quire {library.__version__}\n"


def modules(*words: str) -> set[str]:
    program = "import sys; from quire.inbound.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def processor_seconds(*command: str) -> float:
    """What a process takes of the processor, at best of five, which does not depend on what else runs."""
    taken = []
    for _ in range(5):
        started = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        assert started.returncode == 0
        taken.append(usage.ru_utime + usage.ru_stime)
    return min(taken)


def test_the_version_costs_at_most_60_ms_over_the_bare_interpreter() -> None:
    bare = processor_seconds(sys.executable, "-c", "pass")
    assert processor_seconds(QUIRE, "--version") - bare <= 0.060
    assert not modules("--version") & {"argparse", "dataclasses", "inspect", "typing", "quire.app", "quire.errors"}


def test_help_reads_no_memory_and_a_verb_imports_no_other() -> None:
    assert not modules("save", "--help") & {"quire.app", "quire.engine.memory", "yaml"}
    loaded = modules("list")
    assert "quire.inbound.cli.looking" in loaded
    others = {"saving", "revising", "editing", "starting", "doctor", "transfer", "completion", "shells"}
    assert not loaded & {f"quire.inbound.cli.{name}" for name in others}
    assert not loaded & {"asyncio", "ssl", "subprocess", "numpy", "obstore", "asyncpg", "quire.engine.lint"}


def test_nothing_asked_is_answered_with_the_help(quire: Quire) -> None:
    answer = quire()
    assert answer.code == 0
    assert answer == quire("--help") == quire("-h") == quire("help") == quire("help", "help")
    for word in ("commands:", "exit codes:", "--root DIR", "help COMMAND"):
        assert word in answer.out


def test_help_of_a_command_is_asked_for_in_three_ways(quire: Quire) -> None:
    answer = quire("save", "--help")
    assert answer == quire("help", "save") == quire("--root", "x", "save", "-h")
    assert "example:" in answer.out


def test_behind_two_hyphens_help_is_a_text(quire: Quire) -> None:
    assert quire("save", "--slug", "x", "--", "--help").out == "preference/x\n"
    assert quire("show", "preference/x", "--body").out == "--help\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lsit"], "Did you mean 'list'?"),
        (["frobnicate"], "See quire --help"),
        (["--json", "lsit"], '"code": "USAGE"'),
        (["--root"], "no command was given"),
        (["list", "--lim", "3"], "unrecognized arguments: --lim"),
        (["list", "extra"], "unrecognized arguments: extra"),
        (["list", "--limit", "x"], "invalid int value"),
        (["show"], "required: ID"),
        (["doctor", "--option", "root"], "NAME=VALUE"),
        (["save", "x", "--field", "=1"], "NAME=VALUE"),
        (["list", "--option", "layout=root"], "no option of a backend"),
        (["completion", "tcsh"], "invalid choice"),
        (["personal", "a.md", "x"], "--request"),
        (["plan", "--write", "x", "--append", "y"], "one of --write and --append"),
        (["harness", "--write", "x"], "what to write is not said"),
        (["retag", "fix/x"], "no tag was given"),
        (["__complete"], "required: WORDS"),
    ],
)
def test_a_command_that_is_not_understood_exits_with_2(quire: Quire, words: list[str], said: str) -> None:
    answer = quire(*words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert ("usage: quire" in answer.err) == ("--json" not in words)


def test_the_options_of_every_command_stand_before_it_or_after_it(quire: Quire, tmp_path: Path) -> None:
    root = str(tmp_path / "root")
    assert quire("--root", root, "--json", "--agent", "coder", "save", "One.", "--slug", "one").json["id"]
    before = quire("--root", root, "--scope", "agent:coder", "--json", "list")
    after = quire("list", "--json", "--scope", "agent:coder", "--root", root)
    between = quire("--root", root, "list", "--json", "--agent", "coder")
    assert before == after == between
    assert [entry["id"] for entry in before.json["entries"]] == ["preference/one"]
    assert quire("list", f"--root={root}", "--agent=coder").out == quire(f"--root={root}", "--agent=coder", "list").out


def test_a_value_that_is_called_like_a_command_is_a_value(quire: Quire) -> None:
    assert quire("--agent", "list", "save", "x", "--slug", "x", "--json").json["scope"] == "default/default/agent:list"


def test_errors_are_json_on_standard_error_where_json_is_asked_for(quire: Quire) -> None:
    answer = quire("show", "fix/nothing", "--json")
    assert (answer.code, answer.out) == (3, "")
    error = json.loads(answer.err)["error"]
    assert list(error) == ["code", "what", "where", "remedy"]
    assert error["code"] == "ENTRY_NOT_FOUND"


def test_a_word_that_is_not_utf_8_is_refused_with_its_place() -> None:
    answer = process("save", "--title", b"caf\xe9", "x")
    assert (answer.code, answer.out) == (5, "")
    assert "argument 3: byte 3 is not UTF-8" in answer.err


@pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1", "tr_TR.UTF-8"])
def test_memory_is_utf_8_whatever_the_locale(home: Path, locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "PYTHONIOENCODING": "latin-1"}
    assert process("save", "Größe 設定", "--slug", "größe", env=environment).out == "preference/größe\n"
    assert process("show", "preference/größe", "--body", env=environment).out == "Größe 設定\n"
    assert process("save", "-", "--slug", "b", stdin="日本".encode(), env=environment).code == 0
    assert process("show", "preference/b", "--body", env=environment).out == "日本\n"


def test_who_stops_reading_is_no_error_worth_a_message(quire: Quire) -> None:
    quire("save", "x" * 500_000, "--slug", "long")
    reader, writer = os.pipe()
    os.close(reader)
    for words in (["show", "preference/long"], ["list"], ["--help"], ["list", "--json"]):
        done = subprocess.run([QUIRE, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (141, b""), words
    os.close(writer)


class Impatient(io.BytesIO):
    """Standard input of a person who presses Ctrl-C."""

    def read(self, size: int | None = -1) -> bytes:
        os.kill(os.getpid(), signal.SIGINT)
        return super().read(size)


def test_ctrl_c_ends_it_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Impatient()))
    assert main(["save", "-"]) == 130
    assert capsys.readouterr() == ("", "\n")
    assert not (home / ".quire").exists()


def test_without_a_text_on_a_terminal_it_says_what_to_do(home: Path) -> None:
    terminal, slave = pty.openpty()
    try:
        done = subprocess.run([QUIRE, "save"], stdin=slave, capture_output=True, text=True, check=False, timeout=60)
    finally:
        os.close(terminal)
        os.close(slave)
    assert done.returncode == 2
    assert "no text was given. Give it as an argument; or give -" in done.stderr


def test_several_processes_at_once_lose_nothing(home: Path) -> None:
    """The same slug from all of them: each gets a name of its own, and all are there."""
    running = [
        subprocess.Popen([QUIRE, "save", f"Text {number}.", "--slug", "same"], stdout=subprocess.PIPE, text=True)
        for number in range(6)
    ]
    ids = [process.communicate()[0].strip() for process in running]
    assert [process.returncode for process in running] == [0] * 6
    assert sorted(ids) == ["preference/same", *(f"preference/same-{number}" for number in range(2, 7))]
    listed = json.loads(process("list", "--json").out)["entries"]
    assert {entry["body"] for entry in listed} == {f"Text {number}.\n" for number in range(6)}


def test_progress_is_shown_on_a_terminal_only(home: Path) -> None:
    (home / "notes").mkdir()
    for number in range(3):
        (home / "notes" / f"{number}.md").write_text(f"Note {number}.\n")
    assert "\r" not in process("import", "notes", "--dry-run", cwd=home).err
    terminal, slave = pty.openpty()
    done = subprocess.run([QUIRE, "import", "notes"], cwd=home, stdout=subprocess.PIPE, stderr=slave, check=False)
    os.close(slave)
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert "\r1/3 " in shown
    assert shown.endswith(" \r")
