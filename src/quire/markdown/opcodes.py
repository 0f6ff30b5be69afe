"""Which items of a list went, came and stayed."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from quire.markdown.node import Value, same


class Opcode(NamedTuple):
    """`old[first:last]` becomes `new[start:end]`."""

    first: int
    last: int
    start: int
    end: int

    def after_pairs(self) -> Opcode:
        """What is left when old items have become new ones one by one: only old ones, or only new ones, or nothing."""
        paired = min(self.last - self.first, self.end - self.start)
        return Opcode(self.first + paired, self.last, self.start + paired, self.end)


def opcodes(old: list[Value], new: list[Value]) -> list[Opcode]:
    """What changes, in order; items between two opcodes stay. Takes little more time than reading both lists.

    >>> opcodes(["a", "b", "c"], ["a", "c", "d"])
    [Opcode(first=1, last=2, start=1, end=1), Opcode(first=3, last=3, start=2, end=3)]
    """
    head = 0
    while head < min(len(old), len(new)) and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    found: list[Opcode] = []
    row, column = head, head
    last, end = len(old) - tail, len(new) - tail
    for at, to in [*_staying(old[head:last], new[head:end]), (last - head, end - head)]:
        if row < head + at or column < head + to:
            found.append(Opcode(row, head + at, column, head + to))
        row, column = head + at + 1, head + to + 1
    return found


def _staying(old: list[Value], new: list[Value]) -> list[tuple[int, int]]:
    """Items of `old` and where they are in `new`, as many as are in the same order in both."""
    places = {word: index for index, word in enumerate(_named(new))}
    common = [(index, places[word]) for index, word in enumerate(_named(old)) if word in places]
    # The longest rising run of places: `ends` has the lowest end of each length, `before` the way back.
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(common):
        length = bisect_left(ends, place)
        before.append(holders[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        holders[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    number = holders[-1] if holders else -1
    while number >= 0:
        run.append(common[number])
        number = before[number]
    return run[::-1]


def _named(items: list[Value]) -> list[tuple[str, int]]:
    """A name for each item: what it says, and which of those that say it."""
    seen: Counter[str] = Counter()
    names = []
    for item in items:
        word = repr(item)
        names.append((word, seen[word]))
        seen[word] += 1
    return names
