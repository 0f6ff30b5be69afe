"""The long way: any YAML, by our rules, and every fault with its line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from quire.markdown import composed
from quire.markdown.document import Document
from quire.markdown.node import Value
from quire.markdown.scalar import resolved
from tests.markdown.documents import Writer
from tests.markdown.reading import everything, nodes


def meant(node: yaml.Node) -> Value:
    """What the nodes of the library mean by our rules: an independent way to the same value."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: meant(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [meant(item) for item in node.value]
    assert isinstance(node, yaml.ScalarNode)
    text = str(node.value)
    return text if node.style else resolved(text)


@given(st.integers())
def test_values_are_those_that_the_library_composes(seed: int) -> None:
    block = Writer(seed).block()
    tree = composed.read(block)
    if not tree.sound or tree.faults or "\t# tab" in block:
        return
    node = yaml.compose(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert repr(tree.values) == repr(meant(node) if node else {})


@given(st.integers())
def test_the_span_of_a_node_reads_as_its_value_and_ends_before_comment_and_newline(seed: int) -> None:
    block = Writer(seed).block()
    tree = composed.read(block)
    for pair in tree.root.pairs() if tree.root and tree.sound else ():
        for node in pair:
            text = block[node.start : node.end]
            assert text == text.strip("\n") or "+" in text
            assert not text or not text[0].isspace()
            if not node.broken and node.style in ("plain", "'", '"', "flow") and "\n" not in text and pair[1] is node:
                assert repr(composed.read(f"k: {text}\n").values["k"]) == repr(node.value)


def test_without_the_c_parser_everything_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [Writer(f"fallback {seed}").block().replace("\t# tab", "") for seed in range(200)]
    trees = [composed.read(block) for block in blocks]
    monkeypatch.setattr(composed, "_loader", lambda: yaml.SafeLoader)  # as where the wheel has no C library
    for block, tree in zip(blocks, trees, strict=True):
        slower = composed.read(block)
        assert slower.sound == tree.sound, block
        assert not tree.sound or everything(slower) == everything(tree), block


FAULTS = [
    ("k: *a\n", 2, "YAML_ALIAS", "anchors and aliases are not read ('a')"),
    ("é: 1\nk: &a 1\n", 3, "YAML_ALIAS", "anchors and aliases are not read ('a')"),
    ("k:\n  - 漢\n  - !!str 1\n", 4, "YAML_TAG", "tags are not read ('!!str')"),
    ("k: !mine 1\n", 2, "YAML_TAG", "tags are not read ('!mine')"),
    ("k: 1\nother: 2\nk: 3\n", 4, "YAML_DUPLICATE_KEY", "the key 'k' is there twice"),
    ("k:\n  a: 1\n  a: 2\n", 4, "YAML_DUPLICATE_KEY", "the key 'a' is there twice"),
    ("? [a, b]\n: 1\n", 2, "YAML_KEY", "a key is a word"),
    ("k: {[a]: 1}\n", 2, "YAML_KEY", "a key is a word"),
    ("- a\n- b\n", 2, "FRONTMATTER_NOT_A_MAPPING", "not made of 'key: value' lines"),
    ("only text\n", 2, "FRONTMATTER_NOT_A_MAPPING", "not made of 'key: value' lines"),
    ("漢字: 'a'\nk: a\x07b\n", 3, "YAML_CHARACTER", "YAML does not allow the character U+0007"),
    ("k: a\nl: \ud800\n", 3, "YAML_CHARACTER", "YAML does not allow the character U+D800"),
    ("a: 1\nk: a: b\nc: 1\n", 3, "YAML_SYNTAX", "a second ': ' stands in this value"),
    ("a: 1\nk: [a, b\nc: 1\n", 3, "YAML_SYNTAX", "a bracket is opened here and never closed"),
    ("a: 1\nk: [a, {b: c,\n  b,\n\nc: 1\n", 3, "YAML_SYNTAX", "a bracket is opened here and never closed"),
    ("é: 1\nk: 'open\nc: 1\nd: 1\n", 3, "YAML_SYNTAX", "a quote is opened here and never closed"),
    ('k: "open\n', 2, "YAML_SYNTAX", "a quote is opened here and never closed"),
    ("a: 1\nk: @home\n", 3, "YAML_SYNTAX", "no value begins with '@'"),
    ("a: 1\nk: `x`\n", 3, "YAML_SYNTAX", "no value begins with '`'"),
    ("a: 1\nk: 100%\nl: %x\n", 4, "YAML_SYNTAX", "no value begins with '%'"),
    ("a:\n\tk: 1\n", 3, "YAML_SYNTAX", r"no value begins with '\t'"),
    ("a: 1\nno colon here\nb: 2\n", 3, "YAML_SYNTAX", "this line has no colon"),
    ("garbage\na: 1\nb: 2\n", 2, "FRONTMATTER_NOT_A_MAPPING", "not made of 'key: value' lines"),
    ('a: 1\nk: "\\q"\n', 3, "YAML_SYNTAX", "unknown escape character"),
    ("a: 1\n--- x\n", 3, "YAML_SYNTAX", "a second YAML document begins here"),
    ("a:\n  - b\n - c\n", 4, "YAML_SYNTAX", "did not find expected key"),
    ("%YAML 1.2\n", 3, "YAML_SYNTAX", "did not find expected <document start>"),
]


@pytest.mark.parametrize(("block", "line", "code", "what"), FAULTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fault_is_reported_with_its_line_and_what_to_do(
    block: str, line: int, code: str, what: str, newline: str
) -> None:
    text = f"---\n{block}---\nBody\n".replace("\n", newline)
    for first in (1, 41):
        problem = Document.parse(text, first_line=first).problems[0]
        assert (problem.line - first + 1, problem.code) == (line, code), problem
        assert what in problem.what
        assert problem.remedy


def test_faults_come_in_the_order_of_their_lines() -> None:
    note = Document.parse("---\na: *x\nk: {b: !t 1, b: 2}\na: 2\nl: &y\n---\n")
    assert [problem.line for problem in note.problems] == [2, 3, 3, 4, 5]


def test_a_fault_of_one_value_hides_no_other() -> None:
    note = Document.parse("---\na: *x\nb: [1, !t 2]\nc: {d: *x, e: 1}\n[f]: 1\ng: a\x01b\nh: good\n---\n")
    assert note.fields == {"g": "a\x01b", "h": "good"}
    assert len(note.problems) == 5


def test_of_two_keys_the_last_counts() -> None:
    assert Document.parse("---\na: 1\nb: 1\na: 2\n---\n").fields == {"a": 2, "b": 1}


def test_an_anchored_value_is_read_and_what_refers_to_it_is_not() -> None:
    note = Document.parse("---\na: &x [1, 2]\nb: *x\n<<: *x\nc: 3\n---\n")
    assert note.fields == {"a": [1, 2], "c": 3}


def test_a_value_that_others_refer_to_is_not_changed_behind_their_backs() -> None:
    note = Document.parse("---\na: &x [1, 2]\nb: *x\nc: &y 1\n---\n")
    assert note.set("c", 2).text == "---\na: &x [1, 2]\nb: *x\nc: 2\n---\n"
    assert note.set("b", [1]).set("a", [2]).fields == {"a": [2], "b": [1], "c": 1}


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029", "\ufeff", "\xa0", "\u200b", "\ue000", "\uf8fe"])
def test_what_only_old_readers_take_for_the_end_of_a_line_is_a_character(char: str) -> None:
    note = Document.parse(f"---\na: x{char}y # {char}\nb: 'x{char}'\n---\n")
    assert (dict(note.fields), note.problems) == ({"a": f"x{char}y", "b": f"x{char}"}, ())
    assert note.set("b", "z").text == f"---\na: x{char}y # {char}\nb: 'z'\n---\n"


def test_a_character_that_yaml_forbids_is_reported_and_kept() -> None:
    note = Document.parse("---\na: x\x0by\nb: 1\n---\n")
    assert note.get("a") == "x\x0by"
    assert note.set("b", 2).text == "---\na: x\x0by\nb: 2\n---\n"
    assert note.set("a", "x\x0b").text == '---\na: "x\\x0b"\nb: 1\n---\n'


def test_tabs_on_lines_without_content_do_no_harm() -> None:
    note = Document.parse("---\n\t# comment\na: 1\n\t\nb:\n\t# why\n  - x\n---\n")
    assert (dict(note.fields), note.problems) == ({"a": 1, "b": ["x"]}, ())
    assert note.set("a", 2).text == "---\n\t# comment\na: 2\n\t\nb:\n\t# why\n  - x\n---\n"


def test_a_tab_that_indents_is_called_a_tab() -> None:
    assert "spaces" in Document.parse("---\na:\n\tb: 1\n---\n").problems[0].remedy


def test_a_complex_key_leaves_the_others_readable() -> None:
    tree = composed.read("? {a: b}\n: c\nd: e\n")
    assert tree.values == {"d": "e"}
    assert len(nodes(tree)) == 7
