"""What can still be read of a block that is not YAML: every key whose own lines are."""

from __future__ import annotations

import re
from typing import Final

from quire.markdown import composed, quick
from quire.markdown.node import BEARABLE, Fault, Tree, Value

_KEY_LINE = re.compile(r"^[^\s#\-?\[\]{},][^\n]{0,200}?:(?=\s)", re.MULTILINE)
_MOST_PIECES: Final = 256  # each is read by itself, and reading has a price


def read(block: str, whole: Tree) -> Tree:
    """The values of the keys that can be read one by one; the faults are those of the lines that cannot.

    `whole` is what came of reading all at once. The result is not sound: an open quote may have swallowed keys.
    """
    starts = [match.start() for match in _KEY_LINE.finditer(block)]
    if not starts or len(starts) > _MOST_PIECES:
        return Tree(None, {}, whole.faults, sound=False)
    if block[: starts[0]].strip():
        starts = [0, *starts]  # what stands above the first key is a piece of its own
    values: dict[str, Value] = {}
    faults: list[Fault] = []
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        piece = block[start:end]
        tree = quick.read(piece) or composed.read(piece)
        for key in tree.values:
            if key in values:
                what = f"the key {key!r} is there twice"
                faults.append(Fault(start, what, "Keep one of the two", "YAML_DUPLICATE_KEY"))
        values |= tree.values
        for fault in tree.faults:
            fault.offset = min(start + fault.offset, end - 1)
            faults.append(fault)
    if all(fault.code in BEARABLE for fault in faults):
        faults.append(whole.faults[-1])  # what stopped the reading of all at once
    return Tree(None, values, faults, sound=False)
