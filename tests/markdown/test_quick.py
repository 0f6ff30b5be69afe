"""The short way: what it reads, it reads as the long way does; whatever is not simple, it leaves to that."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from quire.markdown import composed, quick
from quire.markdown.node import MAX_NODES
from tests.budget import budget
from tests.markdown.documents import ATOMS, ITEMS, PLAIN, WORDS, Writer
from tests.markdown.reading import everything

SIMPLE = """\
kind: fix
title: "Locked database: one after the other"  # as it was
slug: 'it''s'
created: 2026-06-01T12:00:00Z
tags: [sqlite, 'a, b', "c"]
# a comment
aliases:
  - a b
  - "c: d"

  # another
  - 7
empty:
none: ~
none of it: []
"""

PIECES = (
    *ATOMS, *PLAIN, *ITEMS, *WORDS, "a", "k: ", "key: a\n", "tags: [a, b]\n", "t:\n  - x\n  - 'y'\n", 'q: "z"\n',
    "- x\n", "# c\n", "\xa0", "\u0301", "\u200d", "\x0b", "\x7f", "²", "_", "٣", ", ", "  - ", "\n", "\n", "\n", "C#",
    "x:y",
)  # fmt: skip
STYLES = (Writer.one_line, Writer.one_line, Writer.empty, Writer.block_list, Writer.brackets)


def agree(block: str) -> bool:
    """Whether the short way takes the block; where it does, the long way says the same."""
    tree = quick.read(block)
    if tree is not None:
        assert everything(tree) == everything(composed.read(block)), block
    return tree is not None


def test_frontmatter_as_most_people_write_it_needs_no_yaml_library() -> None:
    assert agree(SIMPLE)
    assert agree(SIMPLE.replace("\n", "\r\n"))
    code = (
        "import sys; from quire.markdown.document import Document; "
        f"assert len(Document.parse({f'---{chr(10)}{SIMPLE}---{chr(10)}'!r}).set('new', ['a']).fields) == 10; "
        "sys.exit('yaml' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "a: b: c", "a: {b: c}", "a: |", "a: >-", "a: &x b", "a: *x", "a: !t b", "a: 'open", 'a: "open', "a: [b",
        "a: b]: c", "  a: b", "a:\tb", "a: \"\\n\"", "? a", "- a", "a: 'b' c", "a: [b, [c]]", "a: [b: c]", "a: [,]",
        "a: [b,]", "a: @b", "a: %b", "a: `b", "'a': b", '"a": b', "a:\n  b", "a: b\n  c", "a:\n  - b\n - c",
        "a:\n  - b: c", "a:\n  -", "a:\n  - - b", "a: b\na: c", "a: \x07", "a: \u2028", "a: \ufeff", "a: b\rc: d", "a",
        "--- ", "%YAML 1.2", "a: ---", "a: - b", "a: [- b]",
    ],
)  # fmt: skip
def test_whatever_is_not_simple_is_left_to_the_long_way(line: str) -> None:
    assert not agree(f"{line}\n")
    assert not agree(f"first: 1\n{line}\n")


def test_the_two_agree_on_how_much_is_too_much() -> None:
    for count in (MAX_NODES - 3, MAX_NODES - 2):
        block = "k:\n" + "- a\n" * count
        tree = quick.read(block)
        assert (tree is not None) == composed.read(block).sound == (count == MAX_NODES - 3)


@pytest.mark.torture
def test_the_two_agree_on_every_block_that_the_short_one_takes() -> None:
    taken = 0
    for seed in range(budget(20_000, 1_000_000)):
        dice = random.Random(f"quick {seed}")
        pieces = "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 14)))
        taken += agree(f"{dice.choice(('', 'k: '))}{pieces}\n")
    assert taken > seed / 50


@pytest.mark.torture
def test_the_two_agree_on_written_blocks_and_on_damaged_ones() -> None:
    taken = 0
    for seed in range(budget(4_000, 200_000)):
        writer = Writer(f"two {seed}")
        keys = writer.rng.sample(("kind", "tags", "a b", "日本", "x.y", "no"), writer.rng.randint(0, 4))
        block = "".join(f"{key}:{writer.pick(STYLES)(writer, '')}\n" for key in keys)
        taken += agree(block)
        taken += agree(writer.mutated(block))
    assert taken > seed / 5
