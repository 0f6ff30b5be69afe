"""Limits: whatever a file holds, reading it ends soon, and what is too much is named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import yaml

from quire.errors import MarkdownError
from quire.markdown import block, composed
from quire.markdown.document import Document
from quire.markdown.entries import Log
from quire.markdown.node import MAX_DEPTH, MAX_FRONTMATTER, MAX_NODES, Value

MOST_SECONDS = 5.0  # of the processor, which other processes do not use up: all of this takes a fraction of one
FULL = MAX_FRONTMATTER - 100  # what fits between the fences


@contextmanager
def soon() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < MOST_SECONDS


def note(lines: str) -> Document:
    return Document.parse(f"---\n{lines}\n---\nBody\n")


def filled(piece: str, size: int = FULL) -> str:
    return (piece * (size // len(piece) + 1))[:size]


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}*a{n - 1}]\n" for n in range(1, 60))

TOO_MUCH = {
    "a bomb of aliases": (BOMB, "YAML_ALIAS", 2),
    "a list that is too deep": ("ok: 1\nk: " + "[" * 60_000, "TOO_DEEP", 3),
    "a mapping that is too deep": ("k: " + "{a: " * 15_000, "TOO_DEEP", 2),
    "dashes that are too deep": ("k:\n  " + "- " * 30_000, "TOO_DEEP", 3),
    "lines that are too deep": ("".join(f"{' ' * n}k:\n" for n in range(MAX_DEPTH + 2)), "TOO_DEEP", MAX_DEPTH + 2),
    "too many values": ("k: [" + "a," * (MAX_NODES + 1) + "a]", "TOO_MANY_VALUES", 2),
    "too many keys": ("".join(f"{n}:\n" for n in range(MAX_NODES - 1)), "TOO_MANY_VALUES", MAX_NODES // 2 + 1),
    "an open quote": ("k: 'x " + filled("word ", 60_000), "YAML_SYNTAX", 2),
    "an open double quote": ('k: "x ' + filled("word ", 60_000), "YAML_SYNTAX", 2),
    "a million brackets": ("k: " + "[" * 1_000_000, "FRONTMATTER_NOT_CLOSED", 1),
    "100,000 keys": ("".join(f"key{n}: {n}\n" for n in range(100_000)), "FRONTMATTER_NOT_CLOSED", 1),
    "ten megabytes in an open quote": ("k: '" + "x" * 10_000_000, "FRONTMATTER_NOT_CLOSED", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_is_too_much_is_reported_soon_with_its_line(name: str) -> None:
    lines, code, line = TOO_MUCH[name]
    with soon():
        document = note(lines)
        found = {(problem.code, problem.line) for problem in document.problems}
        assert (code, line) in found
        assert dict(document.fields).get("k") in (None, {})
        assert document.body.endswith("Body\n")
        with pytest.raises(MarkdownError):
            document.set("a1" if name == "a bomb of aliases" else "k", 1)


def test_a_bomb_of_aliases_takes_no_more_room_than_its_text() -> None:
    assert note(BOMB).fields == {"a0": ["x", "x"]}


def test_what_is_as_much_as_allowed_is_read() -> None:
    with soon():
        most = note("k: [" + "a, " * (MAX_NODES - 4) + "a]")
        assert not most.problems
        other: list[Value] = ["b", *["a"] * 5_000]
        assert most.set("k", other).get("k") == other
        longest = note("k: " + "x" * (MAX_FRONTMATTER - 4))
        assert not longest.problems
        assert longest.get("k") == "x" * (MAX_FRONTMATTER - 4)
        assert Document.parse(f"---\nk: {'x' * (MAX_FRONTMATTER - 3)}\n---\n").problems


@pytest.mark.parametrize("before", ["", "---\nk: ", "---\nk: v\n---\n"])
def test_a_line_of_a_hundred_megabytes_is_text_like_any_other(before: str) -> None:
    text = before + "[" * 100_000_000
    with soon():
        document = Document.parse(text)
        assert [problem.code for problem in document.problems] == ["FRONTMATTER_NOT_CLOSED"] * before.endswith("k: ")
        assert document.newline == "\n"
        assert len(document.body) > 99_999_999
    with soon():
        log = Log.parse(text)
        assert (log.entries, log.highest) == ((), 0)


PIECES = (
    "a", "a ", "a: ", "a:\n", "a: b\n", "- ", "-", "- a\n", "  ", "\n", "\t", "#", "# ", "'", '"', "''", "[", "]", "{",
    "}", ",", "a,", "[a,", "{a: ", "&a ", "*a ", "!a ", "|\n", ">\n", "? ", "?", ":", ": ", "\\", "%", "a:\n ",
    "k: |\n  x\n", "é", "\u2028", "\xa0", "\r", "a#", "a :", "a\n ", "\n\n - ", "k: {a: b}\n", "'a': 'b'\n",
    "- a: b\n", "w ", "w-", "a.b/", "\ud800",
)  # fmt: skip
BEFORE = ("", "k: ", "k: [", "k: {", "k: '", 'k: "', "k: |\n  ", "k: >\n  ", "k:\n  - ")


@pytest.mark.parametrize("before", BEFORE)
def test_no_repetition_takes_time_that_grows_faster_than_the_text(before: str) -> None:
    """Eight times the text takes eight times as long; what is quadratic takes sixty-four times as long."""
    for piece in PIECES:
        long = seconds(partial(block.read, before + filled(piece) + "\n"))
        if long > 0.1:
            short = seconds(partial(block.read, before + filled(piece, FULL // 8) + "\n"))
            assert long < 30 * short, (before, piece, short, long)
        assert long < 1, (before, piece)


def seconds(run: Callable[[], object]) -> float:
    """The least of three, as what is measured is not the machine's mood."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
        if times[-1] < 0.05:
            break
    return min(times)


def test_the_parser_in_python_is_bounded_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composed, "_loader", lambda: yaml.SafeLoader)
    for name in ("a bomb of aliases", "a list that is too deep", "dashes that are too deep", "an open quote"):
        with soon():
            assert TOO_MUCH[name][1] in [problem.code for problem in note(TOO_MUCH[name][0]).problems]


# Changing


def test_a_long_list_changes_soon_however_it_changes() -> None:
    items: list[Value] = [f"i{n}" for n in range(4_000)]
    lines = note("k:\n" + "".join(f"- {item}\n" for item in items))
    flow = note(f"k: [{', '.join(map(str, items))}]")
    changes: list[list[Value]] = [
        items[::-1], items[1::2], [*items[1000:], *items[:1000]], [f"j{n}" for n in range(4_000)], ["x"] * 4_000, [],
        [f"j{n}" if n % 7 == 0 else item for n, item in enumerate(items)],
    ]  # fmt: skip
    for document in (lines, flow):
        for changed in changes:
            with soon():
                assert document.set("k", changed).get("k") == changed


def test_a_full_block_changes_soon() -> None:
    document = note("".join(f"key{n}: value {n}\n" for n in range(3_000)))
    with soon():
        other = document.update({"key0": 1, "key1500": [1, 2], "key2999": None, "new": "x"}).remove("key7")
        assert other.fields["key1500"] == [1, 2]
        with pytest.raises(MarkdownError, match="more than 65,536 characters"):
            other.set("much", "x" * 60_000)


# Logs


def entry(number: int, content: str = "---\nuser: ada\n---\nText\n") -> str:
    return f"<!-- entry:ep_20260601_{number:08} -->\n{content}<!-- /entry:ep_20260601_{number:08} -->\n"


def test_a_log_of_very_many_entries_is_read_and_changed_soon() -> None:
    log = Log.parse("---\nid: log\n---\n" + "".join(map(entry, range(1, 20_001))))
    with soon():
        assert len(log.entries) == log.highest == 20_000
    with soon():
        longer = log.append("ep_20260601_00020001", Document.parse("x")).with_header({"entry_count": 20_001})
        shorter = longer.remove("ep_20260601_00010000").replace("ep_20260601_00000001", Document.parse("y"))
        assert len(shorter.entries) == 20_000


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- entry:a -->\n", "<!-- /entry:a -->\n", "<!-- entry:ep_20260601_00000001", "<!-- ",
        "<!-- \\entry:a -->\n", "<!-- entry:", "<!-- entry:" + "a" * 199, "<!-- entry:a -->" + " " * 1000, "---\n",
        "\n", "\r", "<!-- \\\\\\\\\\\\\\\\entry:",
    ],
)  # fmt: skip
def test_damaged_markers_without_end_are_read_soon(piece: str) -> None:
    text = filled(piece, 1_000_000)
    with soon():
        log = Log.parse(text)
        assert len(log.entries) <= 1
        assert log.highest <= 1
    with soon():
        Log.parse("").append("b", Document.parse(text)).replace("b", Document.parse(text[1:]))
