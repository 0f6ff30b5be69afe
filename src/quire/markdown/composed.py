"""The long way through a frontmatter block: the events of PyYAML, bounded, without aliases, tags and recursion.

Values and keys are resolved by our own rules (YAML 1.2), so of the library only its scanner and parser are used.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from quire.markdown.node import BLOCK, FLOW, FOLDED, LITERAL, MAX_DEPTH, MAX_NODES, PLAIN, Fault, Node, Tree, Value
from quire.markdown.scalar import resolved

_FAULTY = "Correct the line; text with ': ', ' #' or brackets in it goes into quotes"
_TAB = "Indent with spaces, as YAML takes no tabs there"
_QUOTE = "Put the text into quotes"
# The library ends lines at the first three, as YAML 1.1 did, and stops at the others. Here all are characters like any
# other, and those that YAML does not allow are reported.
_ODD = re.compile("[\x85\u2028\u2029\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ALLOWED = frozenset("\x85\u2028\u2029\ufeff")
_TAB_LINE = re.compile(r"^\t[ \t]*(?=#|\r?$)", re.MULTILINE)  # nothing on it, or a comment: no indentation to get wrong
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")


class _Stop(Exception):
    """Reading cannot go on; the fault says why."""

    def __init__(self, offset: int, what: str, remedy: str, code: str) -> None:
        super().__init__(what)
        self.fault = Fault(offset, what, remedy, code)


@functools.cache
def _loader() -> type[Any]:
    """The C parser where the wheel has it, else the same in Python."""
    loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return loader


def read(block: str) -> Tree:
    """The tree of any block. Never raises: what cannot be read is in the faults, and then `sound` may be False."""
    builder = _Builder(block)
    try:
        builder.run()
    except _Stop as stop:
        builder.tree.faults.append(stop.fault)
        builder.tree.sound = False
    except (yaml.YAMLError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        builder.tree.faults.append(_syntax(block, error, builder.open))
        builder.tree.sound = False
    return builder.tree


def _syntax(block: str, error: Exception, still_open: list[Node]) -> Fault:
    """What is wrong in words that need no knowledge of YAML, at the place where a person would look."""
    mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    offset = mark.index if mark else 0
    what = getattr(error, "problem", None) or str(error).partition("\n")[0]
    at_end = not block[offset:].strip()
    brackets = [node.start for node in still_open if node.style == FLOW]
    if at_end and brackets:
        return _not_yaml(
            brackets[0], "a bracket is opened here and never closed", "Close it, or put the text into quotes"
        )
    if at_end and context and block.startswith(("'", '"'), context.index):
        return _not_yaml(context.index, "a quote is opened here and never closed", "Close it")
    if context and getattr(error, "context", "") == "while scanning a simple key":
        return _not_yaml(context.index, "this line has no colon", "Write 'key: value', or indent it below its key")
    if what.startswith("mapping values are not allowed"):
        remedy = f"{_QUOTE}, or correct how far the line is indented"
        return _not_yaml(offset, "a second ': ' stands in this value", remedy)
    if what.endswith("cannot start any token"):
        char = block[offset : offset + 1]
        return _not_yaml(offset, f"no value begins with {char!r}", _TAB if char == "\t" else _QUOTE)
    return _not_yaml(context.index if at_end and context else offset, what, _FAULTY)


def _not_yaml(offset: int, what: str, remedy: str) -> Fault:
    return Fault(offset, f"the frontmatter is not YAML: {what}", remedy, "YAML_SYNTAX")


class _Builder:
    """Builds nodes from events with a stack of its own."""

    def __init__(self, block: str) -> None:
        self.tree = Tree()
        self.open: list[Node] = []  # collections that have not ended
        self.count = 0
        self.anchors: dict[str, int] = {}
        self.restore: dict[int, str] = {}
        self.block = self.readable(block)

    def readable(self, block: str) -> str:
        """The block as the library can read it, of the same length: another character stands in for each odd one."""
        found: dict[str, int] = {}
        for match in _ODD.finditer(block):
            found.setdefault(match[0], match.start())
        if found:
            free = (code for code in range(0xE000, 0xF8FF) if chr(code) not in block)
            stand_ins = dict(zip(found, free, strict=False))
            self.restore = {code: char for char, code in stand_ins.items()}
            block = block.translate({ord(char): code for char, code in stand_ins.items()})
        for char, offset in found.items():
            if char not in _ALLOWED:
                self.fault(
                    offset, f"YAML does not allow the character U+{ord(char):04X}", "Remove it", "YAML_CHARACTER"
                )
        return _TAB_LINE.sub(lambda match: " " * len(match[0]), block) if "\t" in block else block

    def run(self) -> None:
        loader = _loader()(self.block)
        try:
            while True:
                event = loader.get_event()
                if isinstance(event, StreamEndEvent):
                    return
                self.take(event, event.start_mark.index, event.end_mark.index)
        finally:
            loader.dispose()

    def take(self, event: Event, start: int, end: int) -> None:
        if isinstance(event, ScalarEvent):
            self.check(event, start, event.tag)
            self.add(self.scalar(event, start, end))
        elif isinstance(event, CollectionStartEvent):
            self.check(event, start, event.tag)
            if len(self.open) >= MAX_DEPTH:
                what = f"lists and mappings are more than {MAX_DEPTH} deep"
                raise _Stop(start, what, "Flatten them", "TOO_DEEP")
            value: Value = {} if isinstance(event, MappingStartEvent) else []
            node = Node(FLOW if event.flow_style else BLOCK, start, end, value, [])
            node.broken = event.tag is not None
            self.open.append(node)
        elif isinstance(event, CollectionEndEvent):
            self.close(end)
        elif isinstance(event, AliasEvent):
            self.check(event, start, None)
            node = Node(PLAIN, start, end, None)
            node.broken = True
            self.add(node)
        elif isinstance(event, DocumentStartEvent) and (event.explicit or self.tree.root is not None):
            raise _Stop(start, "a second YAML document begins here", "Keep one block of keys", "YAML_SYNTAX")

    def check(self, event: NodeEvent, start: int, tag: str | None) -> None:
        """Count, and report what is not allowed; raises _Stop beyond a limit."""
        self.count += 1
        if self.count > MAX_NODES:
            what = f"the frontmatter has more than {MAX_NODES:,} values"
            raise _Stop(start, what, "Move the data into the body", "TOO_MANY_VALUES")
        if event.anchor is not None:
            if not isinstance(event, AliasEvent):
                self.anchors[event.anchor] = start
            elif event.anchor in self.anchors:
                self.tree.anchored.append(self.anchors[event.anchor])
            what = f"anchors and aliases are not read ({event.anchor!r})"
            self.fault(start, what, "Write the value out", "YAML_ALIAS")
        if tag is not None:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            self.fault(start, f"tags are not read ({shown!r})", "Remove the tag", "YAML_TAG")

    def fault(self, offset: int, what: str, remedy: str, code: str) -> None:
        self.tree.faults.append(Fault(offset, what, remedy, code))

    def scalar(self, event: ScalarEvent, start: int, end: int) -> Node:
        text = event.value.translate(self.restore) if self.restore else event.value
        style = event.style or PLAIN
        value: Value = text
        if style == PLAIN:
            parent = self.open[-1] if self.open else None
            is_key = parent is not None and isinstance(parent.value, dict) and len(parent.parts or ()) % 2 == 0
            value = text if is_key else resolved(text)
        elif style in (LITERAL, FOLDED):
            end = _block_scalar_end(self.block, start, end)
        node = Node(style, start, end, value)
        node.broken = event.tag is not None
        return node

    def add(self, node: Node) -> None:
        if self.open:
            parent = self.open[-1]
            assert parent.parts is not None
            parent.parts.append(node)
        elif isinstance(node.value, dict):
            self.tree.root = node
            self.tree.values = node.value
        else:
            what = "the frontmatter is not made of 'key: value' lines"
            remedy = "Write such lines, or no '---' at the top"
            raise _Stop(node.start, what, remedy, "FRONTMATTER_NOT_A_MAPPING")

    def close(self, end: int) -> None:
        node = self.open.pop()
        parts = node.parts or []
        if isinstance(node.value, dict):
            node.value = self.mapping(node)
        else:
            node.value = [part.value for part in parts]
            node.broken = node.broken or any(part.broken for part in parts)
        if node.style == FLOW:
            node.end = end
        elif parts:
            node.end = parts[-1].end
        self.add(node)

    def mapping(self, node: Node) -> dict[str, Value]:
        """The readable pairs. A key that is there twice counts as what it says last, as for most readers."""
        values: dict[str, Value] = {}
        seen: set[str] = set()
        for key, value in node.pairs():
            if not isinstance(key.value, str) or key.parts is not None or key.broken:
                self.fault(key.start, "a key is a word, not a list, a mapping or an alias", "Correct it", "YAML_KEY")
                node.broken = True
                continue
            if key.value in seen:
                what = f"the key {key.value!r} is there twice"
                self.fault(key.start, what, "Keep one of the two", "YAML_DUPLICATE_KEY")
            seen.add(key.value)
            if value.broken:
                node.broken = True
            else:
                values[key.value] = value.value
        return values


def _block_scalar_end(block: str, start: int, end: int) -> int:
    """Where the text of a block scalar ends: blank lines after it are its own only where it keeps them (`+`)."""
    raw = block[start:end]
    header = _BLOCK_HEADER.search(raw)  # behind an anchor
    if header and "+" in header[0]:
        return start + len(raw[:-1] if raw.endswith(("\n", "\r")) else raw) - raw.endswith("\r\n")
    inked = len(raw.rstrip(" \t\r\n"))
    rest = raw[inked:]
    line_end = min((at for at in (rest.find("\n"), rest.find("\r")) if at >= 0), default=len(rest))
    return start + inked + line_end
