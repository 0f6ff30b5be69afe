"""The short way through a frontmatter block: plain scalars, quoted text, simple lists. No YAML library is loaded.

It reads only what stands on lines of its own beyond doubt, in the same way as the library does, and gives up at the
first line that is anything else.
"""

from __future__ import annotations

import re

from quire.markdown.node import BLOCK, DOUBLE, FLOW, MAX_NODES, PLAIN, SINGLE, Node, Tree, Value
from quire.markdown.scalar import resolved

# Control characters, other ends of lines, whatever a YAML reader refuses: not for this module.
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\r(?!\n)")

# Groups of a scalar: plain, single-quoted, double-quoted. A plain one has no ": " and no " #" inside.
_SCALAR = r"""(?:
    ((?:[^\s\-?:,\[\]{}#&*!|>'"%@`]|-(?=[0-9A-Za-z]))[^\s:#]*+(?:(?:[ ]++(?=[^\s#])|:(?=[^\s])|\#)[^\s:#]*+)*+)
  | '([^'\r\n\t]*+(?:''[^'\r\n\t]*+)*+)'
  | "([^"\\\r\n\t]*+)"
)"""
_REST = r"(?:[ \t]*+|[ \t]++\#[^\r\n]*+)\r?\n"
_LINE = re.compile(
    rf"""
    (\w(?:[\w ./-]{{0,98}}[\w./-])?):(?:[ ]++{_SCALAR}|[ ]++(\[[^\[\]\r\n]*+\]))?{_REST}  # groups 1 to 5: a key
  | ([ ]*)-[ ]++{_SCALAR}{_REST}                                                         # groups 6 to 9: an item
  | [ ]*+(?:\#[^\r\n]*+)?\r?\n                                                           # nothing, or a comment
    """,
    re.VERBOSE,
)
_WORD = r"""(?!-)[^\s,\[\]{}:\#&*!|>'"%@`?]++"""
_ITEM = rf"""(?:({_WORD}(?:[ ]++[^\s,\[\]{{}}:\#&*!|>'"%@`?]++)*+)|'([^'\t]*+(?:''[^'\t]*+)*+)'|"([^"\\\t]*+)")"""
_FLOW_ITEM = re.compile(rf"[ ]*+{_ITEM}[ ]*+([,\]])")
_EMPTY_FLOW = re.compile(r"\[[ ]*+\]")
_STYLES = (PLAIN, SINGLE, DOUBLE)


def read(block: str) -> Tree | None:
    """The tree of a block in which every line is of a simple shape; None where the long way has to look.

    >>> read("kind: fix\\ntags: [a, b]\\n").values
    {'kind': 'fix', 'tags': ['a', 'b']}
    >>> read("kind: {nested: 1}\\n") is None
    True
    """
    if _ODD.search(block):
        return None
    values: dict[str, Value] = {}
    parts: list[Node] = []
    items: _Items | None = None  # the list that is open
    end, match = 0, _LINE.match
    while end < len(block):
        line = match(block, end)
        if line is None:
            return None
        end = line.end()
        key = line[1]
        if key is not None:
            if key in values:
                return None
            items = None
            node = _value(line)
            if node is None:
                return None
            parts += (Node(PLAIN, line.start(1), line.end(1), key), node)
            values[key] = node.value
            if node.start == node.end:
                items = _Items(node)
        elif line.lastindex is not None:
            if items is None or not items.add(line):
                return None
            values[parts[-2].value] = items.values  # type: ignore[index]
    if len(block) > MAX_NODES and _count(parts) >= MAX_NODES:  # the mapping itself counts, too
        return None
    if not parts:
        return Tree()
    return Tree(Node(BLOCK, parts[0].start, parts[-1].end, values, parts), values)


def _value(line: re.Match[str]) -> Node | None:
    """The value after a key, or None for a list that is not simple."""
    group = line.lastindex
    if group == 2:
        text = line[2]
        return Node(PLAIN, line.start(2), line.end(2), resolved(text))
    if group == 1:
        at = line.end(1) + 1
        return Node(PLAIN, at, at, None)
    if group == 5:
        return _flow(line)
    return _quoted(line, group)


def _quoted(line: re.Match[str], group: int | None) -> Node:
    assert group is not None
    text = line[group]
    single = group in (3, 8)
    if single and "'" in text:
        text = text.replace("''", "'")
    return Node(SINGLE if single else DOUBLE, line.start(group) - 1, line.end(group) + 1, text)


def _flow(line: re.Match[str]) -> Node | None:
    text, at = line[5], line.start(5)
    values: list[Value] = []
    parts: list[Node] = []
    whole = Node(FLOW, at, line.end(5), values, parts)
    if _EMPTY_FLOW.fullmatch(text):
        return whole
    position, last = 1, len(text)
    while position < last:
        item = _FLOW_ITEM.match(text, position)
        if item is None or (item[4] == "]") != (item.end() == last):
            return None
        position = item.end()
        if item[1] is not None:
            node = Node(PLAIN, at + item.start(1), at + item.end(1), resolved(item[1]))
        elif item[2] is not None:
            node = Node(SINGLE, at + item.start(2) - 1, at + item.end(2) + 1, item[2].replace("''", "'"))
        else:
            node = Node(DOUBLE, at + item.start(3) - 1, at + item.end(3) + 1, item[3])
        parts.append(node)
        values.append(node.value)
    return whole


class _Items:
    """A list that grows item by item, in place of the empty value after its key."""

    __slots__ = ("indent", "node", "values")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.values: list[Value] = []
        self.indent = -1

    def add(self, line: re.Match[str]) -> bool:
        """Whether the line is the next item: one that is indented otherwise is not."""
        width = line.end(6) - line.start(6)
        node = self.node
        if self.indent < 0:
            self.indent = width
            node.style, node.start, node.value, node.parts = BLOCK, line.end(6), self.values, []
        elif self.indent != width:
            return False
        group = line.lastindex
        if group == 7:
            item = Node(PLAIN, line.start(7), line.end(7), resolved(line[7]))
        else:
            item = _quoted(line, group)
        assert node.parts is not None
        node.parts.append(item)
        self.values.append(item.value)
        node.end = item.end
        return True


def _count(parts: list[Node]) -> int:
    return len(parts) + sum(len(node.parts) for node in parts if node.parts)
