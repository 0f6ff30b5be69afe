#!/usr/bin/env python3
"""The code blocks of a page. usage: docs.py PAGE, which prints its Python blocks as one program."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

_FENCE = re.compile(r"^```(?P<language>\w*)(?P<note>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, why it is not run (if it says so), its text, and the line it starts on."""

    language: str
    not_run: str
    body: str
    line: int


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found = []
    for match in _FENCE.finditer(page):
        note = match["note"].strip()
        if note and not note.startswith("not-run: "):
            raise ValueError(f"a block says {note!r}; only 'not-run: <reason>' is known")
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(match["language"], note.removeprefix("not-run: "), match["body"], line))
    return found


def program(page: str) -> str:
    """The Python blocks of a page as one program: a page is read from top to bottom."""
    return "\n".join(block.body for block in blocks(page) if block.language == "python" and not block.not_run)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(program(file.read()))
