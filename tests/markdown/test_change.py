"""How a change looks in the text: in the style, the place and the quotes of what stood there."""

from __future__ import annotations

import pytest

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.node import Value
from tests.markdown.documents import Writer


def changed(block: str, key: str, value: Value) -> str:
    fence = "---\r\n" if "\r\n" in block else "---\n"
    text = Document.parse(f"{fence}{block}{fence}").set(key, value).text
    assert Document.parse(text).get(key) == value
    return text.removeprefix(fence).removesuffix(fence)


SCALARS: list[tuple[str, Value, str]] = [
    # plain stays plain where it can
    ("k: old\n", "new words", "k: new words\n"),
    ("k:   old   # why\n", "new", "k:   new   # why\n"),
    ("k: old\t# why\n", "new", "k: new\t# why\n"),
    ("k: old\n", "a: b", "k: 'a: b'\n"),
    ("k: old\n", "2026-01-01", "k: 2026-01-01\n"),
    ("k: old\n", "on", "k: on\n"),
    ("k: old\n", "12", "k: '12'\n"),
    ("k: old\n", 12, "k: 12\n"),
    ("k: old\n", True, "k: true\n"),
    ("k: old\n", "", "k: ''\n"),
    ("k: old # why\n", None, "k: # why\n"),
    ("k: 1\n", 1.5, "k: 1.5\n"),
    ("k : old\n", "new", "k : new\n"),
    ("'k': old\n", "new", "'k': new\n"),
    ("k: old\n", "two\nlines\n", 'k: "two\\nlines\\n"\n'),
    # quotes stay
    ("k: 'old'\n", "it's", "k: 'it''s'\n"),
    ('k: "old" # why\n', 'a "b"', 'k: "a \\"b\\"" # why\n'),
    ('k: "old"\n', "é\u2028", 'k: "é\\u2028"\n'),
    ("k: 'old'\n", 3, "k: 3\n"),
    # nothing there yet
    ("k:\n", "new", "k: new\n"),
    ("k:   # why\n", "new", "k: new   # why\n"),
    ("k: \n", ["a"], "k: [a] \n"),
    ("k: ~\n", "new", "k: new\n"),
    # a value below its key
    ("k:\n  old\n", "new", "k:\n  new\n"),
    ("k: # why\n  old\n", None, "k: # why\n"),
    ("k: some words\n  and more\nnext: 1\n", "new", "k: new\nnext: 1\n"),
    ('k: "some words\n  and more" # why\n', "new", 'k: "new" # why\n'),
    # literal text
    ("k: |\n  old\n\n  text\nnext: 1\n", "new\n\n  lines\n", "k: |\n  new\n\n    lines\nnext: 1\n"),
    ("k: |\n  old\n", "new", "k: |-\n  new\n"),
    ("k: |-  # why\n    old\n\n# next\n", "new\n", "k: |  # why\n    new\n\n# next\n"),
    ("k: |+\n  old\n\n\nnext: 1\n", "new\n", 'k: "new\\n"\nnext: 1\n'),
    ("k: >-\n  old\n  text\n", "new", "k: new\n"),
    # one style becomes another
    ("k: [a]\n", "new", "k: new\n"),
    ("k: # why\n  - a\n  - b\nnext: 1\n", "new", "k: new # why\nnext: 1\n"),
    ("k:\n- a\n# between\n- b\n", {"a": "b"}, "k: {a: b}\n"),
    ("k:\n  a: 1\n", [1], "k: [1]\n"),
    ("k: old\n", ["x, y", None, "on"], "k: ['x, y', null, 'on']\n"),
]


@pytest.mark.parametrize(("before", "value", "after"), SCALARS)
def test_a_value_is_changed_in_its_style_and_keeps_its_comment(before: str, value: Value, after: str) -> None:
    assert changed(before, "k", value) == after
    assert changed(before.replace("\n", "\r\n"), "k", value) == after.replace("\n", "\r\n")


LISTS: list[tuple[str, list[Value], str]] = [
    # in brackets
    ("k: [a, b]\n", ["a", "c"], "k: [a, c]\n"),
    ("k: [a, b] # why\n", ["b"], "k: [b] # why\n"),
    ("k: ['a','b']\n", ["a", "b", "c"], "k: ['a','b','c']\n"),
    ('k: [ "a" ]\n', ["a", "b"], 'k: [ "a", "b" ]\n'),
    ("k: []\n", ["a"], "k: [a]\n"),
    ("k: [a, b]\n", [], "k: []\n"),
    ("k: [a, [b, c], d]\n", ["a", ["b", "x"], "d"], "k: [a, [b, x], d]\n"),
    ("k: [\n  a, # one\n  b,\n  ]\n", ["a", "c"], "k: [\n  a, # one\n  c,\n  ]\n"),
    # a line each
    ("k:\n  - a\n  - b # why\n", ["a", "c"], "k:\n  - a\n  - c # why\n"),
    ("k:\n- a\n- b\n", ["a", "x", "b"], "k:\n- a\n- x\n- b\n"),
    ("k:\n  -   'a'\n", ["a", "b"], "k:\n  -   'a'\n  -   'b'\n"),
    ("k:\n  - a\n\n  # two\n  - b\n  - c\n", ["b", "c"], "k:\n\n  # two\n  - b\n  - c\n"),
    ("k:\n  - a # one\n  - b # two\n", ["b", "a"], "k:\n  - b # two\n  - a # one\n"),
    ("k:\n  - a\n  # about b\n  - b\n  - c\n", ["a", "c"], "k:\n  - a\n  # about b\n  - c\n"),
    ("k:\n  -\n  - b\n", ["a", "b"], "k:\n  - a\n  - b\n"),
    ("k:\n  - a: 1\n    b: 2 # why\n  - c\n", [{"a": 1, "b": 3}, "c"], "k:\n  - a: 1\n    b: 3 # why\n  - c\n"),
    ("k:\n  - a: 1\n  - c\n", [{"a": 1, "b": [2]}, "c"], "k:\n  - a: 1\n    b: [2]\n  - c\n"),
    ("k:\n  - |\n    old\n  - c\n", ["new\n", "c"], "k:\n  - |\n    new\n  - c\n"),
]


@pytest.mark.parametrize(("before", "value", "after"), LISTS)
def test_a_list_changes_item_by_item(before: str, value: Value, after: str) -> None:
    assert changed(before, "k", value) == after
    assert changed(before.replace("\n", "\r\n"), "k", value) == after.replace("\n", "\r\n")


def test_comments_that_no_item_follows_any_more_go_rather_than_fall_to_the_next_key() -> None:
    before = "k:\n  - a\n  # about b\n  - b\n# at the edge\n  - c\nnext: 1\n"
    assert changed(before, "k", ["a"]) == "k:\n  - a\nnext: 1\n"
    assert changed(before, "k", ["c", "a", "b"]) == "k:\n# at the edge\n  - c\n  - a\n  # about b\n  - b\nnext: 1\n"


MAPPINGS: list[tuple[str, dict[str, Value], str]] = [
    ("k: {a: 1, b: x}\n", {"a": 1, "b": "y"}, "k: {a: 1, b: y}\n"),
    ("k:\n  a: 1\n  b: x # why\n", {"a": 1, "b": "y"}, "k:\n  a: 1\n  b: y # why\n"),
    ("k:\n    a: 1\n", {"a": 1, "b": "z"}, "k:\n    a: 1\n    b: z\n"),
    ("k:\n  a: 1\n  # gone\n  b: 2\nnext: 1\n", {"a": 1}, "k:\n  a: 1\nnext: 1\n"),
    ("k:\n  a: 1\n  b: 2\n", {"b": 2}, "k:\n  b: 2\n"),
    ("k:\n  a:\n    - x\n    - y\n", {"a": ["x", "z"]}, "k:\n  a:\n    - x\n    - z\n"),
    ("k: {a: 1}\n", {"a": 1, "b": 2}, "k: {a: 1, b: 2}\n"),
    ("k: {a: , b: 1}\n", {"a": "x, y", "b": 1}, "k: {a: 'x, y' , b: 1}\n"),
]


@pytest.mark.parametrize(("before", "value", "after"), MAPPINGS)
def test_a_mapping_changes_key_by_key(before: str, value: Value, after: str) -> None:
    assert changed(before, "k", value) == after


def test_keys_in_braces_change_in_place() -> None:
    assert changed("{k: old, other: 1}\n", "k", "a, b") == "{k: 'a, b', other: 1}\n"
    assert changed("{k: old, other: 1}\n", "k", None) == "{k: null, other: 1}\n"


def neighbours(value: Value, writer: Writer) -> list[Value]:
    """Values that are one step from this one, and one that has nothing to do with it."""
    others: tuple[Value, ...] = ("x", "a: b", "", None, 7, 1.5, "two\nlines\n", ["x", "y"], {"a": ["b"]})
    result: list[Value] = [writer.pick(others)]
    if isinstance(value, list) and value:
        index = writer.rng.randrange(len(value))
        result += [[*value[:index], *value[index + 1 :]], [*value[:index], "new: item", *value[index:]]]
        result += [[*value[:index], "exchanged", *value[index + 1 :]], writer.rng.sample(value, len(value))]
    if isinstance(value, dict) and value:
        key = writer.pick(sorted(value))
        rest = {name: value[name] for name in value if name != key}
        result += [{**value, key: "exchanged"}, {**value, "added": ["x"]}, rest]
    return result


@pytest.mark.parametrize("seed", range(300))
def test_whatever_is_changed_nothing_but_the_lines_of_the_key_is(seed: int) -> None:
    writer = Writer(f"change {seed}")
    note = Document.parse(writer.document())
    for key, value in note.fields.items():
        raw = note.raw(key) or ""
        for new in neighbours(value, writer) if raw else ():
            try:
                other = note.set(key, new)
            except MarkdownError:
                assert note.problems
                continue
            lines = other.raw(key)
            assert lines
            places = [at for at in range(len(note.text)) if note.text.startswith(raw, at)]
            texts = [note.text[:at] + lines + note.text[at + len(raw) :] for at in places]
            assert other.text in texts, (key, new)
            assert Document.parse(other.text).set_raw(key, raw).text == note.text, (key, new)
