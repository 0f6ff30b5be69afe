"""The ways in which a key of a block can be set, removed or exchanged."""

from __future__ import annotations

from collections.abc import Callable

from quire.markdown import render
from quire.markdown.change import change, replace
from quire.markdown.node import FLOW, Node, Tree, Value
from quire.markdown.spans import Edit, Unclear

Way = Callable[[Edit], None]


def find(tree: Tree, key: str) -> tuple[Node, Node] | None:
    """The nodes of a key, or None. Raises Unclear if it is there more than once."""
    found = [pair for pair in (tree.root.pairs() if tree.root else ()) if pair[0].value == key]
    if len(found) > 1:
        raise Unclear(f"the key {key!r} is there twice", "Keep one of the two, then change it")
    return found[0] if found else None


def names(tree: Tree, key: str) -> list[Value]:
    """The keys besides `key`, in order, also those whose values cannot be read."""
    return [name.value for name, _ in (tree.root.pairs() if tree.root else ()) if name.value != key]


def _free(tree: Tree, key: str) -> tuple[Node, Node] | None:
    """The same, of a key that may change. Raises Unclear also where an alias elsewhere stands for part of its value."""
    pair = find(tree, key)
    if pair and any(pair[0].start <= offset < pair[1].end for offset in tree.anchored):
        raise Unclear(f"another value refers to the anchor in {key!r}", "Write both values out, then change it")
    return pair


def setting(tree: Tree, key: str, value: Value) -> list[Way]:
    """How a field can be set, the gentlest way first. Raises Unclear as `_free` does."""
    pair = _free(tree, key)
    if pair is None:
        return [lambda edit: edit.append(tree, lambda indent: render.entry(key, value, edit.newline, indent))]
    flow = tree.root is not None and tree.root.style == FLOW
    return [lambda edit: change(edit, *pair, value, flow=flow), lambda edit: replace(edit, *pair, value, flow=flow)]


def removing(tree: Tree, key: str) -> list[Way]:
    """How a key is taken out; no way if it is not there. Raises Unclear as `_free` does."""
    pair = _free(tree, key)
    if pair is None:
        return []
    # Blank lines behind it would become part of a text before it that keeps such lines (`|+`): then they go, too.
    return [
        lambda edit: edit.put(*edit.lines(*pair), ""),
        lambda edit: edit.put(edit.lines(*pair)[0], edit.blank_end(edit.lines(*pair)[1]), ""),
    ]


def putting(tree: Tree, key: str, raw: str) -> list[Way]:
    """How the lines of a key are exchanged or, where it is absent, added. Raises Unclear as `_free` does."""
    pair = _free(tree, key)
    if pair is None:
        return [lambda edit: edit.append(tree, lambda _: raw)]
    return [lambda edit: edit.put(*edit.lines(*pair), raw)]


def swapping(tree: Tree, key: str, text: str) -> list[Way]:
    """How the text of a value is exchanged, the key and all around it staying; no way if it is not there."""
    pair = _free(tree, key)
    return [] if pair is None else [lambda edit: edit.put(pair[1].start, pair[1].end, text)]
