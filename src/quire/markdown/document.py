"""Document: one markdown text, its frontmatter and its body. What is not changed comes back byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from quire.errors import MarkdownError
from quire.markdown import block, render, ways
from quire.markdown.fences import BOM, Parts, split
from quire.markdown.node import BEARABLE, MAX_FRONTMATTER, Tree, Value, copied, same
from quire.markdown.problem import Problem
from quire.markdown.spans import Edit, Unclear

__all__ = ["Document", "Value"]


class Document:
    """A text, immutable: every change gives a new one. `text` is exactly what was parsed.

    What a change replaces is remembered: a field that is set back to what it said gets the text that it had.

    >>> note = Document.parse("---\\nkind: fix  # of a bug\\ntags: [a]\\n---\\nBody\\n")
    >>> note.fields["kind"], note.body
    ('fix', 'Body\\n')
    >>> print(note.set("kind", "idea").text)
    ---
    kind: idea  # of a bug
    tags: [a]
    ---
    Body
    <BLANKLINE>
    """

    __slots__ = ("_origin", "_parts", "_stop", "_tree", "first_line", "text")

    text: str
    first_line: int

    def __init__(self, text: str, first_line: int = 1, *, stop: int | None = None) -> None:
        self.text = text
        self.first_line = first_line
        self._stop = stop  # frontmatter has to end before it
        self._origin: Document | None = None  # what was parsed, before all changes
        self._parts: Parts | None = None
        self._tree: Tree | None = None

    @classmethod
    def parse(cls, text: str, *, first_line: int = 1, stop: int | None = None) -> Document:
        """The document of a text; `first_line` is the line of the file it begins on. Never raises: see `problems`.

        A fence behind the offset `stop` does not close the frontmatter.
        """
        return cls(text, first_line, stop=stop)

    @classmethod
    def new(cls, fields: Mapping[str, Value], body: str, *, newline: str = "\n") -> Document:
        """A document with a frontmatter block, an empty one for no fields.

        Raises MarkdownError for a field that cannot be written, and for too many of them.

        >>> Document.new({"created": "2026-06-01", "tags": ["a", "b"]}, "Text").text
        "---\\ncreated: '2026-06-01'\\ntags: [a, b]\\n---\\nText"
        """
        if newline not in ("\n", "\r\n"):
            raise MarkdownError(
                f"lines cannot end with {newline!r}", remedy="Choose line feeds, with or without returns"
            )
        plain: dict[str, Value] = {render.checked_key(key): render.checked(value) for key, value in fields.items()}
        lines = [render.entry(key, value, newline) for key, value in plain.items()]
        document = cls("".join([f"---{newline}", *lines, f"---{newline}", body]))
        if document._cut.unclosed:
            raise _too_long()
        if not same(document._read.values, plain) or document.problems or document.body != body:
            raise MarkdownError(
                next((problem.what for problem in document.problems), "these fields would not read back as given"),
                remedy="Put what is large or nested into the body",
            )
        return document

    # What it says.

    @property
    def fields(self) -> Mapping[str, Value]:
        """The frontmatter, as far as it can be read; empty where there is none. A copy: changing it changes nothing."""
        return MappingProxyType({key: copied(value) for key, value in self._read.values.items()})

    def get(self, key: str, default: Value = None) -> Value:
        """One field, or `default` where it is absent or cannot be read."""
        values = self._read.values
        return copied(values[key]) if key in values else default

    @property
    def body(self) -> str:
        """What follows the closing fence; all of the text (but a byte order mark) if there is no frontmatter."""
        return self.text[self._cut.body_start :]

    @property
    def body_start(self) -> int:
        """Where in `text` the body begins."""
        return self._cut.body_start

    @property
    def has_frontmatter(self) -> bool:
        """Whether there is a block between fences, readable or not."""
        return bool(self._cut.newline)

    @property
    def newline(self) -> str:
        """How its lines end: those of the frontmatter, else the first one; a single line feed where there is none."""
        if self._cut.newline:
            return self._cut.newline
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the frontmatter, each with its line in the file."""
        if self._cut.unclosed:
            what = f"the first line opens a frontmatter block that nothing closes within {MAX_FRONTMATTER:,} characters"
            remedy = "Close it with a line '---', or put an empty line before the first one"
            return (Problem(self.first_line, what, remedy, "FRONTMATTER_NOT_CLOSED"),)
        faults = sorted(self._read.faults, key=lambda fault: fault.offset)
        return tuple(Problem(self._line(fault.offset), fault.what, fault.remedy, fault.code) for fault in faults)

    def raw(self, key: str) -> str | None:
        """The exact text of a key, all its lines; None where it is absent or its lines cannot be told.

        >>> Document.parse("---\\nn: 0x1F # hex\\n---\\n").raw("n")
        'n: 0x1F # hex\\n'
        """
        if not self._read.sound:
            return None
        try:
            pair = ways.find(self._read, key)
            span = Edit(self._block, self.newline).lines(*pair) if pair else None
        except Unclear:
            return None
        return self._block[slice(*span)] if span else None

    # How it changes.

    def set(self, key: str, value: Value) -> Document:
        """The document with this field. Only the lines of the key change, and they keep their style and comment.

        A new key goes to the end of the block; a text without frontmatter gets one. The same value gives this document.
        Raises MarkdownError if the frontmatter is too broken to be changed safely, or the value cannot be written.
        """
        key, value = render.checked_key(key), render.checked(value)
        values = self._read.values
        if key in values and same(values[key], value) and self._read.sound:
            return self
        return self._edited(
            key, lambda tree: [*self._remembered(key, value), *ways.setting(tree, key, value)], {**values, key: value}
        )

    def update(self, changes: Mapping[str, Value]) -> Document:
        """Several fields at once. Raises as `set` does, and then nothing is changed."""
        document = self
        for key, value in changes.items():
            document = document.set(key, value)
        return document

    def remove(self, key: str) -> Document:
        """The document without the lines of this key; this document if it is not there. Raises as `set` does.

        A block that was only made for the key goes with it.
        """
        if not self._cut.newline and not self._cut.unclosed:
            return self
        values = {name: value for name, value in self._read.values.items() if name != key}
        return self._edited(key, lambda tree: ways.removing(tree, key), values)._unblocked()

    def set_raw(self, key: str, raw: str) -> Document:
        """Put `raw`, the text of a key with all its lines, where the key is, or at the end of the block.

        Raises MarkdownError unless all other fields and the body stay what they are.

        >>> note = Document.parse("---\\nn: 0x1F # hex\\n---\\n")
        >>> note.set("n", 5).set_raw("n", note.raw("n") or "") == note
        True
        """
        if raw and not raw.endswith(("\n", "\r")):
            raw += self.newline
        return self._edited(key, lambda tree: ways.putting(tree, key, raw), None)._unblocked()

    def with_body(self, body: str) -> Document:
        """The document with another body, read back exactly so.

        Where the new body would be taken for frontmatter, an empty block is put before it.
        """
        if body == self.body:
            return self
        head = self.text[: self._cut.body_start]
        if self._cut.newline and body and not head.endswith("\n"):
            head += self._cut.newline
        changed = self._successor(head + body)
        if changed.body != body or changed.has_frontmatter != self.has_frontmatter or changed._cut.unclosed:
            changed = self._successor(head + f"---{self.newline}---{self.newline}" + body)
        return changed._unblocked()

    # How that is done.

    @property
    def _cut(self) -> Parts:
        parts = self._parts
        if parts is None:
            parts = self._parts = split(self.text, self._stop)
        return parts

    @property
    def _block(self) -> str:
        return self.text[self._cut.block_start : self._cut.block_end]

    @property
    def _read(self) -> Tree:
        tree = self._tree
        if tree is None:
            tree = self._tree = block.read(self._block) if self._cut.newline else Tree()
        return tree

    def _line_of(self, key: str) -> int:
        """The line of a key, or of the opening fence where it is not there."""
        pairs = self._read.root.pairs() if self._read.root else ()
        return next((self._line(name.start) for name, _ in pairs if name.value == key), self.first_line)

    def _line(self, offset: int) -> int:
        return self.first_line + self.text.count("\n", 0, self._cut.block_start + offset)

    def _edited(
        self, key: str, find: Callable[[Tree], list[ways.Way]], expected: Mapping[str, Value] | None
    ) -> Document:
        """The first way whose result reads back as `expected` (None: whatever the key says), all else as it was."""
        if self._cut.unclosed or not self._read.sound:
            problems = self.problems
            worst = next((problem for problem in problems if problem.code not in BEARABLE), problems[0])
            raise MarkdownError(worst.what, where=f"line {worst.line}", remedy=worst.remedy)
        refusal = MarkdownError(
            f"the key {key!r} cannot be changed so that all else stays as it is",
            where=f"line {self._line_of(key)}",
            remedy="Change it by hand: 'key: value' on a line of its own",
        )
        try:
            possible = find(self._read)
        except Unclear as unclear:
            raise MarkdownError(unclear.what, where=refusal.where, remedy=unclear.remedy) from unclear
        for way in possible:
            edit = Edit(self._block, self.newline)
            try:
                way(edit)
                changed = self._with_block(edit.result())
            except Unclear as unclear:
                if unclear.what:
                    refusal = MarkdownError(unclear.what, where=refusal.where, remedy=unclear.remedy)
                continue
            if self._kept(changed, key, expected):
                return changed
            if changed._cut.unclosed:
                refusal = _too_long()
        if possible:
            raise refusal
        return self

    def _remembered(self, key: str, value: Value) -> list[ways.Way]:
        """The way back, if this is what the key said when the text was parsed."""
        origin = self._origin
        if origin is None or key not in origin._read.values or not same(origin._read.values[key], value):
            return []
        raw, pair = origin.raw(key), ways.find(origin._read, key)
        if raw:
            return ways.putting(self._read, key, raw)
        return ways.swapping(self._read, key, origin._block[pair[1].start : pair[1].end]) if pair else []

    def _unblocked(self) -> Document:
        """This document without its block, if that is empty and was not there when the text was parsed."""
        origin, cut = self._origin, self._cut
        if origin is None or origin.has_frontmatter or not cut.newline or cut.block_start < cut.block_end:
            return self
        bare = self._successor(self.text[: self.text.startswith(BOM)] + self.body)
        kept = bare.body == self.body and not bare.has_frontmatter and not bare._cut.unclosed
        return bare if kept else self

    def _successor(self, text: str) -> Document:
        document = Document(text, self.first_line)
        document._origin = self._origin or self
        return document

    def _with_block(self, lines: str) -> Document:
        cut, text = self._cut, self.text
        head, tail = text[: cut.block_start], text[cut.block_end :]
        if not cut.newline:
            fence = f"---{self.newline}"
            head, tail = f"{head}{fence}", f"{fence}{tail}"
        return self._successor(head + lines + tail)

    def _kept(self, changed: Document, key: str, expected: Mapping[str, Value] | None) -> bool:
        """Whether `changed` has the same body and the same other keys, with what they said."""
        ours, theirs = self._read, changed._read
        # All behind the block is the same text, so that bodies of one length are one body.
        lengths = {len(document.text) - document.body_start for document in (self, changed)}
        if len(lengths) > 1 or not changed.has_frontmatter or not theirs.sound:
            return False
        if ways.names(ours, key) != ways.names(theirs, key):
            return False
        if expected is not None:
            return same(theirs.values, dict(expected))
        rest, theirs_rest = (
            {name: value for name, value in tree.values.items() if name != key} for tree in (ours, theirs)
        )
        return same(rest, theirs_rest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= 60 else self.text[:59] + "…"
        return f"Document({shown!r})"


def _too_long() -> MarkdownError:
    what = f"the frontmatter would have more than {MAX_FRONTMATTER:,} characters"
    return MarkdownError(what, remedy="Put long text into the body")
