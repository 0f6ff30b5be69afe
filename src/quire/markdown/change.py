"""How one value becomes another in the text, in the style and the place of what stands there.

Whoever applies the spans reads the result again and compares, so that this module may be wrong, but never harm.
"""

from __future__ import annotations

import re

from quire.markdown import render
from quire.markdown.node import BLOCK, DOUBLE, FLOW, LITERAL, PLAIN, SINGLE, Node, Value, same
from quire.markdown.opcodes import Opcode, opcodes
from quire.markdown.spans import Edit, Unclear, first_line, lines_of

_COLON = re.compile(r"\s*:")
_SEPARATOR = re.compile(r"\s*,\s*")
_DASH = re.compile(r"[ ]*-[ \t]*")
_LITERAL_HEADER = re.compile(r"\|-?([ \t]+#.*)?")


def change(edit: Edit, key: Node | None, node: Node, new: Value, *, flow: bool = False) -> None:
    """Make `node` (the value of `key`, or an item) say `new`, touching as little as possible.

    `flow` says that it stands inside of brackets. Raises Unclear where there is no obvious way.
    """
    old = node.value
    if not node.broken and same(old, new):
        return
    if isinstance(old, list) and isinstance(new, list) and not node.broken and (node.style == FLOW or (old and new)):
        if node.style == BLOCK:
            _Lines(edit, node, old, new).run()
        elif old:
            _flow_items(edit, node, old, new)
        else:
            _fill(edit, node, new)
    elif isinstance(old, dict) and isinstance(new, dict) and not node.broken and old and new:
        _pairs(edit, node, old, new)
    elif key is not None and (not flow or node.start == node.end):
        _after_key(edit, key, node, new, _like(edit, node, new, flow=flow))
    elif node.style == BLOCK or (flow and node.start == node.end):
        raise Unclear
    elif node.start == node.end:
        edit.put(node.start, node.start, " " + render.inline(new))  # an item that is nothing but its dash
    else:
        edit.put(node.start, node.end, _like(edit, node, new, flow=flow))


def replace(edit: Edit, key: Node, node: Node, new: Value, *, flow: bool = False) -> None:
    """Write the whole value anew, in no style but our own; the comment on the line of the key stays."""
    _after_key(edit, key, node, new, render.inline(new, flow=flow))


def _like(edit: Edit, node: Node, new: Value, *, flow: bool = False) -> str:
    """`new` in the style of what stands there."""
    if isinstance(new, str) and node.style == LITERAL:
        return _literal(edit, node, new)
    quoted_or_plain = node.start < node.end and node.style in (PLAIN, SINGLE, DOUBLE)
    return render.inline(new, node.style if quoted_or_plain else "", flow=flow)


def _literal(edit: Edit, node: Node, new: str) -> str:
    """Text as a `|` block again, if its lines can stand there."""
    header, *lines = lines_of(edit.block[node.start : node.end])
    known = _LITERAL_HEADER.fullmatch(header)
    first = next((line for line in lines if line.strip(" ")), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    wanted = new.removesuffix("\n")
    fits = wanted.strip() and not wanted.endswith("\n") and not wanted.startswith((" ", "\n"))
    if not known or not indent or not fits or not wanted.replace("\n", "").isprintable():
        return render.inline(new)
    header = ("|-" if wanted == new else "|") + (known[1] or "")
    return edit.newline.join([header, *(indent + line if line else "" for line in wanted.split("\n"))])


def _after_key(edit: Edit, key: Node, node: Node, new: Value, text: str) -> None:
    """Replace the value after a colon; the comment on that line stays."""
    colon = _COLON.match(edit.block, key.end)
    if colon is None:
        raise Unclear
    gap = edit.block[colon.end() : node.start]
    below = gap != first_line(gap)  # the value begins on a line of its own
    comment = first_line(gap).rstrip() if below else ""
    if new is None and not below:
        edit.put(node.start - gap.endswith(" "), node.end, "")
    elif new is None:
        edit.put(colon.end(), node.end, comment)
    elif node.start == node.end:
        edit.put(colon.end(), colon.end(), " " + text)
    elif node.style == BLOCK:
        edit.put(colon.end(), node.end, f" {text}{comment}")
    else:
        edit.put(node.start, node.end, text)


def _fill(edit: Edit, node: Node, new: list[Value]) -> None:
    """Items into `[]`, between the spaces that are there."""
    middle = (node.start + node.end) // 2
    edit.put(middle, middle, ", ".join(render.inline(item, flow=True) for item in new))


def _quotes(node: Node) -> str:
    """The quotes that a neighbour of this item gets, too."""
    return node.style if node.style in (SINGLE, DOUBLE) else ""


def _flow_items(edit: Edit, node: Node, old: list[Value], new: list[Value]) -> None:
    items = node.parts or []
    between = edit.block[items[0].end : items[1].start] if len(items) > 1 else ""
    separator = between if _SEPARATOR.fullmatch(between) else ", "
    for code in opcodes(old, new):
        for item, value in zip(items[code.first : code.last], new[code.start : code.end], strict=False):
            change(edit, None, item, value, flow=True)
        rest = code.after_pairs()
        beside = items[rest.first - 1] if rest.first else items[0]
        texts = [render.inline(value, _quotes(beside), flow=True) for value in new[rest.start : rest.end]]
        if texts and rest.first:
            edit.put(beside.end, beside.end, "".join(separator + text for text in texts))
        elif texts:
            edit.put(beside.start, beside.start, "".join(text + separator for text in texts))
        elif rest.first < rest.last and rest.first:
            edit.put(beside.end, items[rest.last - 1].end, "")
        elif rest.first < rest.last:
            edit.put(beside.start, items[rest.last].start if rest.last < len(items) else items[-1].end, "")


class _Lines:
    """A list with an item on each line: lines go and come, an item that moves takes its line along.

    A comment between items stays, unless no item follows it any more: it would fall to the next key.
    """

    def __init__(self, edit: Edit, node: Node, old: list[Value], new: list[Value]) -> None:
        self.edit, self.old, self.new = edit, old, new
        self.items = node.parts or []
        self.leads = [self.lead(item) for item in self.items]
        self.codes = opcodes(old, new)
        self.going: dict[str, list[int]] = {}  # what each item says that goes from its place, and where that was
        for index in reversed([index for code in self.codes for index in range(code.first, code.last)]):
            self.going.setdefault(repr(old[index]), []).append(index)
        self.rests = [code if self.moves(code) else code.after_pairs() for code in self.codes]
        last = self.rests[-1]
        self.kept = last.first if last.last == len(old) else len(old)  # items before those at the end that go

    def lead(self, item: Node) -> str:
        """What stands before an item on its line, if that is its dash and nothing else."""
        before = self.edit.block[self.edit.line_start(item) : item.start]
        if not _DASH.fullmatch(before):
            raise Unclear
        return before if before.endswith((" ", "\t")) else before + " "

    def run(self) -> None:
        for code, rest in zip(self.codes, self.rests, strict=True):
            for index in range(code.first, rest.first):
                change(self.edit, None, self.items[index], self.new[code.start + index - code.first])
            for index in range(rest.first, rest.last):
                self.edit.put(self.begin(index), self.edit.line_end(self.items[index]), "")
            if rest.start < rest.end:
                self.insert(rest)

    def moves(self, code: Opcode) -> bool:
        """Whether something comes here that goes elsewhere."""
        return any(repr(value) in self.going for value in self.new[code.start : code.end])

    def begin(self, index: int) -> int:
        """Where the text of an item begins: at its line, or at the comments above it where they go, too."""
        if index and index >= self.kept:
            return self.edit.line_end(self.items[index - 1])
        return self.edit.line_start(self.items[index])

    def insert(self, code: Opcode) -> None:
        index = max(code.first - 1, 0)
        beside = self.items[index]
        at = self.edit.line_end(beside) if code.first else self.edit.line_start(beside)
        self.edit.put(at, at, "".join(self.line(value, index) for value in self.new[code.start : code.end]))

    def line(self, value: Value, beside: int) -> str:
        """The line of a new item, or of one that moves here."""
        places = self.going.get(repr(value))
        if not places:
            return self.leads[beside] + render.inline(value, _quotes(self.items[beside])) + self.edit.newline
        index = places.pop()
        return self.edit.block[self.begin(index) : self.edit.line_end(self.items[index])]


def _pairs(edit: Edit, node: Node, old: dict[str, Value], new: dict[str, Value]) -> None:
    flow = node.style == FLOW
    if flow and old.keys() != new.keys():
        raise Unclear
    pairs = node.pairs()
    staying = [index for index, (key, _) in enumerate(pairs) if key.value in new]
    if len(pairs) != len(old) or not staying:
        raise Unclear  # a key is there twice, or nothing shows where new ones go
    for index, (key, value) in enumerate(pairs):
        if str(key.value) in new:
            change(edit, key, value, new[str(key.value)], flow=flow)
        else:
            start, end = edit.lines(key, value)
            edit.put(edit.line_end(pairs[index - 1][1]) if index > staying[-1] else start, end, "")
    added = {key: value for key, value in new.items() if key not in old}
    if added:
        last_key, last = pairs[-1]
        indent = " " * (last_key.start - edit.line_start(last_key))
        at = edit.line_end(last)
        edit.put(at, at, "".join(render.entry(key, value, edit.newline, indent) for key, value in added.items()))
