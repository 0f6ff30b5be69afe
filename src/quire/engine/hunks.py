"""What changed between two versions of a file, in whole lines, small enough to keep for every change.

In a log a hunk holds whole entries, so that one can be taken back after others have joined it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quire.engine.blocks import MARKER, cut, head_of
from quire.errors import QuireError


@dataclass(frozen=True, slots=True)
class Hunk:
    """`old` stood at byte `at` of the text before, and `new` in its place after. Offsets count in the text after."""

    at: int
    old: bytes
    new: bytes
    line: int = 0  # how many lines stand before it


class DoesNotFit(QuireError):
    """The text is not the one these hunks were made from."""

    code = "DOES_NOT_FIT"


def hunks(before: bytes, after: bytes) -> list[Hunk]:
    """The differences, first to last: at most one in the frontmatter, and those below it."""
    old, new = head_of(before), head_of(after)
    if not old or not new:
        old = new = 0
    found = [*_differing(before[:old], after[:new], 0), *_below(before[old:], after[new:], new)]
    lines, counted, result = 0, 0, []
    for at, was, now in found:
        lines += after.count(b"\n", counted, at)
        counted = at
        result.append(Hunk(at, was, now, lines))
    return result


def reverse(after: bytes, changes: list[Hunk]) -> bytes:
    """The text before. Raises DoesNotFit where `after` is not the text that was made."""
    parts, end = [], len(after)
    for hunk in reversed(changes):
        stop = hunk.at + len(hunk.new)
        if not 0 <= hunk.at <= stop <= end or after[hunk.at : stop] != hunk.new:
            raise DoesNotFit("the text has changed since", where=f"byte {hunk.at}")
        parts += [after[stop:end], hunk.old]
        end = hunk.at
    parts.append(after[:end])
    return b"".join(reversed(parts))


_Raw = tuple[int, bytes, bytes]


def _below(before: bytes, after: bytes, at: int) -> Iterator[_Raw]:
    """The differences below the frontmatter. An addition at the end costs nothing beyond its own bytes."""
    if before == after:
        return
    if MARKER not in before or MARKER not in after:
        yield from _differing(before, after, at)
    elif after.startswith(before) and before.endswith(b"\n"):
        yield at + len(before), b"", after[len(before) :]
    else:
        yield from _entries(cut(before), cut(after), at)


def _entries(before: list[tuple[str, bytes]], after: list[tuple[str, bytes]], at: int) -> Iterator[_Raw]:
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        at += len(after[first][1])
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    paired = min(len(old), len(new))
    if [id for id, _ in old[:paired]] != [id for id, _ in new[:paired]]:
        paired = 0
    elif paired and len(old) != len(new) and not all(side[paired - 1][1].endswith(b"\n") for side in (old, new)):
        paired -= 1  # what follows begins within its last line
    for (_, was), (_, now) in zip(old[:paired], new[:paired], strict=True):
        if was != now:
            yield at, was, now
        at += len(now)
    was, now = (b"".join(text for _, text in rest[paired:]) for rest in (old, new))
    if was or now:
        yield at, was, now


def _differing(before: bytes, after: bytes, at: int) -> Iterator[_Raw]:
    if before == after:
        return
    start = before.rfind(b"\n", 0, _shared(before, after)) + 1
    end = _shared_end(before, after, min(len(before), len(after)) - start)
    while end and not (_begins_line(before, len(before) - end) and _begins_line(after, len(after) - end)):
        newline = after.find(b"\n", len(after) - end)
        end = len(after) - newline - 1 if newline >= 0 else 0
    yield at + start, before[start : len(before) - end], after[start : len(after) - end]


def _begins_line(text: bytes, at: int) -> bool:
    return at == 0 or text[at - 1 : at] == b"\n"


def _shared(a: bytes, b: bytes) -> int:
    """The length of the shared beginning; slices are compared whole, as a loop over bytes would cost a thousandfold."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _shared_end(a: bytes, b: bytes, limit: int) -> int:
    """The length of the shared end, at most `limit`."""
    low, high = 0, limit
    if limit <= 0:
        return 0
    if a[len(a) - high :] == b[len(b) - high :]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle
    return low
