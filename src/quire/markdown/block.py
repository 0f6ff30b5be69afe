"""Reading a frontmatter block: the short way, else the long one, else key by key."""

from __future__ import annotations

from quire.markdown import quick
from quire.markdown.node import Tree


def read(block: str) -> Tree:
    """The tree of a block. Never raises: what cannot be read is in the faults, and the rest is in the values."""
    tree = quick.read(block)
    if tree is None:
        from quire.markdown import composed, salvage

        tree = composed.read(block)
        if not tree.sound:
            tree = salvage.read(block, tree)
    return tree
