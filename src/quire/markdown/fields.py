"""Links in the frontmatter: double brackets in any field, quoted or not, and plain ids in the fields that hold them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from quire.markdown import block
from quire.markdown.brackets import WIKILINK, Named, named
from quire.markdown.document import Document
from quire.markdown.node import DOUBLE, FLOW, FOLDED, LITERAL, PLAIN, SINGLE, Node

ID_FIELDS: Final = ("supersedes", "superseded_by", "derived_from")  # they hold ids, with or without brackets

_KEY_LINE = re.compile(r"^([^\s#\-?\[\]{},][^\n]{0,200}?):(?=\s)", re.MULTILINE)
_MOST_PIECES: Final = 256
_WORD = re.compile(r"[^\s,](?:[^,]*[^\s,])?")
_FOLD = re.compile(r"[ \t]*+\r?\n[ \t]*+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)


class FieldLink(NamedTuple):
    """A link, the field that has it, and the quotes around the text that it stands in."""

    field: str
    link: Named
    quotes: str


def field_links(document: Document) -> list[FieldLink]:
    """The links of the frontmatter in the order of the text; spans are those of the document's text."""
    text, end = document.text, document.body_start
    if not document.has_frontmatter or not _may_hold(text, end):
        return []
    reader = _Reader(text)
    tree, start = document._read, document._cut.block_start  # one package: what is read once is not read again
    if tree.sound and tree.root is not None:
        reader.tree(tree.root, start)
    elif not tree.sound:
        reader.pieces(text[start : document._cut.block_end], start)
    return sorted(reader.found, key=lambda each: each.link.start)


def _may_hold(text: str, end: int) -> bool:
    return any(text.find(mark, 0, end) >= 0 for mark in ("[[", *ID_FIELDS))


class _Reader:
    """Goes over the nodes of a block and keeps the links that are in them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[FieldLink] = []

    def tree(self, root: Node, offset: int) -> None:
        for key, value in root.pairs():
            if isinstance(key.value, str):
                self.node(key.value, value, offset)

    def pieces(self, lines: str, offset: int) -> None:
        """A block that is not YAML: key by key, and where that fails, too, by the brackets alone."""
        starts = list(_KEY_LINE.finditer(lines))
        if not starts or len(starts) > _MOST_PIECES:
            return
        for key, end in zip(starts, [*(match.start() for match in starts[1:]), len(lines)], strict=True):
            piece = lines[key.start() : end]
            tree = block.read(piece)
            if tree.sound and tree.root is not None:
                self.tree(tree.root, offset + key.start())
                continue
            plain = _COMMENT.sub(lambda match: " " * len(match[0]), piece)
            for match in WIKILINK.finditer(plain, key.end() - key.start()):
                self.keep(key[1].strip("'\" "), named(plain, match), offset + key.start(), "")

    def node(self, field: str, node: Node, offset: int) -> None:
        if node.parts is None:
            if isinstance(node.value, str):
                self.scalar(field, node, node.value, offset)
        elif isinstance(node.value, dict):
            for _, value in node.pairs():
                self.node(field, value, offset)
        elif _unquoted(node) and (match := WIKILINK.fullmatch(self.text, node.start + offset, node.end + offset)):
            self.keep(field, named(self.text, match), 0, "")
        else:
            for part in node.parts:
                self.node(field, part, offset)

    def scalar(self, field: str, node: Node, value: str, offset: int) -> None:
        """A text as it is written beside what it says: targets are of the one, spans of the other."""
        if "[[" not in value and field not in ID_FIELDS:
            return
        raw = self.text[node.start + offset : node.end + offset]
        quotes = node.style if node.style in (SINGLE, DOUBLE) else ""
        if "\n" in raw and node.style != LITERAL:
            raw = _FOLD.sub(lambda match: " " * len(match[0]), raw)
        written, said = _links_of(raw), _links_of(value)
        if not said and field in ID_FIELDS and node.style not in (LITERAL, FOLDED):
            inner = len(quotes)
            written = _ids_of(raw, inner, len(raw) - inner)
            said = _ids_of(value, 0, len(value))
        if len(written) == len(said):
            for one, other in zip(written, said, strict=True):
                self.keep(field, other._replace(start=one.start, end=one.end), node.start + offset, quotes)

    def keep(self, field: str, link: Named | None, offset: int, quotes: str) -> None:
        if link is not None:
            moved = link._replace(start=link.start + offset, end=link.end + offset)
            self.found.append(FieldLink(field, moved, quotes))


def _unquoted(node: Node) -> bool:
    """Whether it is a list in a list with one plain word, which is what YAML makes of brackets without quotes."""
    inner = node.parts[0] if node.style == FLOW and node.parts and len(node.parts) == 1 else None
    if inner is None or inner.style != FLOW or not isinstance(inner.value, list) or not inner.parts:
        return False
    return len(inner.parts) == 1 and inner.parts[0].style == PLAIN


def _links_of(text: str) -> list[Named]:
    return [link for match in WIKILINK.finditer(text) if (link := named(text, match))]


def _ids_of(text: str, start: int, end: int) -> list[Named]:
    return [Named(match[0], "", "", *match.span()) for match in _WORD.finditer(text, start, end)]
