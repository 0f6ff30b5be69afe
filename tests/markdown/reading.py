"""A tree as plain data, so that two readers can be compared."""

from __future__ import annotations

from quire.markdown.node import Node, Tree


def nodes(tree: Tree) -> list[tuple[object, ...]]:
    """Every node with its style, span and value."""
    found: list[tuple[object, ...]] = []
    waiting: list[Node] = [tree.root] if tree.root else []
    while waiting:
        node = waiting.pop()
        found.append((node.style, node.start, node.end, repr(node.value), node.broken, node.parts is None))
        waiting += node.parts or []
    return found


def everything(tree: Tree) -> tuple[object, ...]:
    """All that a reader says about a block."""
    return nodes(tree), repr(tree.values), tree.sound, [(fault.offset, fault.code) for fault in tree.faults]
