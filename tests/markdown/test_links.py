"""Links: found where a reader would follow one, nowhere else, and exchanged without touching anything around them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.links import Link, links, retarget
from tests.markdown import documents

MOST_SECONDS = 5.0  # of the processor; each of these takes a fraction of one


def found(text: str) -> list[Link]:
    return links(Document.parse(text))


def targets(text: str) -> list[str]:
    return [link.target for link in found(text)]


def renamed(text: str, new: Callable[[str], str] = str.upper) -> str:
    return retarget(Document.parse(text), lambda link: new(link.target)).text


# What is a link


@pytest.mark.parametrize(
    ("text", "target", "heading", "alias", "kind"),
    [
        ("[[note]]", "note", "", "", "wiki"),
        ("[[my note]]", "my note", "", "", "wiki"),
        ("[[ note ]]", "note", "", "", "wiki"),
        ("[[folder/note.md]]", "folder/note.md", "", "", "wiki"),
        ("[[note|shown so]]", "note", "", "shown so", "wiki"),
        ("[[note|with [brackets] in it]]", "note", "", "with [brackets] in it", "wiki"),
        ("[[note|`code`]]", "note", "", "`code`", "wiki"),
        ("[[note#Heading]]", "note", "Heading", "", "wiki"),
        ("[[note#One#Two|shown]]", "note", "One#Two", "shown", "wiki"),
        ("[[note#^block]]", "note", "^block", "", "wiki"),
        ("[[日本語のメモ]]", "日本語のメモ", "", "", "wiki"),
        ("![[note]]", "note", "", "", "embed"),
        ("![[image.png|200]]", "image.png", "", "200", "embed"),
        ("| [[note\\|shown]] | b |", "note", "", "shown", "wiki"),
        ("| [[note#part\\|shown]] | b |", "note", "part", "shown", "wiki"),
        ("[[[note]]]", "note", "", "", "wiki"),
        ("[text](note.md)", "note.md", "", "text", "markdown"),
        ("[text](note.md#part)", "note.md", "part", "text", "markdown"),
        ("[text](my%20note.md)", "my note.md", "", "text", "markdown"),
        ("[text](%E6%97%A5.md)", "日.md", "", "text", "markdown"),
        ("[text](<my note.md>)", "my note.md", "", "text", "markdown"),
        ('[text](note.md "title")', "note.md", "", "text", "markdown"),
        ("[text](<my note.md#a b> 'title')", "my note.md", "a b", "text", "markdown"),
        ("[text]( note.md )", "note.md", "", "text", "markdown"),
        ("[text](../a/note.md)", "../a/note.md", "", "text", "markdown"),
        ("[text](/a/note.md)", "/a/note.md", "", "text", "markdown"),
        ("[text](note)", "note", "", "text", "markdown"),
        ("[text](v1\\_2.MD)", "v1_2.MD", "", "text", "markdown"),
        ("[text](note(1).md)", "note(1).md", "", "text", "markdown"),
        ("[`code` and *more*](note.md)", "note.md", "", "`code` and *more*", "markdown"),
        ("[two\nlines](note.md)", "note.md", "", "two\nlines", "markdown"),
        ("[![shown](picture.png)](note.md)", "note.md", "", "![shown](picture.png)", "markdown"),
        ("![shown](note.md)", "note.md", "", "shown", "markdown"),
        ("[id]: note.md", "note.md", "", "", "markdown"),
        ('[id]: <my note.md> "title"', "my note.md", "", "", "markdown"),
        ("> [id]: note.md#part", "note.md", "part", "", "markdown"),
    ],
)
def test_a_link_says_what_it_names(text: str, target: str, heading: str, alias: str, kind: str) -> None:
    (link,) = found(text)
    assert (link.target, link.heading, link.alias, link.kind) == (target, heading, alias, kind)


@pytest.mark.parametrize(
    "text",
    [
        "[[#heading of this note]]",
        "[[|shown]]",
        "[[]]",
        "[[ ]]",
        "[[a]",
        "[a]]",
        "[[a\nb]]",
        "[[a [[ b",
        "[text](https://example.org/note.md)",
        "[text](HTTP://example.org/note)",
        "[text](mailto:somebody@example.org)",
        "[text](//example.org/note.md)",
        "[text](#part)",
        "[text](picture.png)",
        "[text](v1.9)",
        "[text](folder/)",
        "[text](..)",
        "[text](/docs/page)",
        "[text](note.md?raw=1)",
        "[text](two words.md)",
        "[text](note.md",
        "[text](note.md 'open)",
        "text](note.md)",
        "[text\n\nmore](note.md)",
        "![shown](picture)",
        "[text]([x])",
        "[^1]: note.md",
        "[id]: note.md and more words",
        "[id]: https://example.org",
        "x = a[[0]",
    ],
)
def test_what_is_malformed_or_leads_to_no_note_is_no_link(text: str) -> None:
    assert found(text) == []


def test_brackets_within_the_text_of_an_inline_link_are_no_link_of_their_own() -> None:
    assert targets("[[JsonIgnore]](note.md)") == ["note.md"]
    assert targets("[[JsonIgnore]](https://example.org)") == []
    assert targets("[see [[a]]](note.md)") == ["a", "note.md"]
    assert targets("[[a]] (b)") == ["a"]


def test_a_link_within_a_link_leaves_only_the_inner_one() -> None:
    assert targets("[one [two](a.md) three](b.md)") == ["a.md"]


def test_links_come_in_the_order_of_the_text_with_their_lines_and_places() -> None:
    text = "---\nrelated: '[[one]]'\n---\n[two](two.md) [[three]]\n\n- ![[four]]\n[five]: five.md\n"
    found = links(Document.parse(text, first_line=10))
    assert [(link.target, link.line) for link in found] == [
        ("one", 11),
        ("two.md", 13),
        ("three", 13),
        ("four", 15),
        ("five.md", 16),
    ]
    assert [text[link.start : link.end] for link in found] == ["one", "two.md", "three", "four", "five.md"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_windows_lines_and_a_byte_order_mark_hide_nothing(newline: str, mark: str) -> None:
    text = mark + newline.join(("---", "a: '[[one]]'", "---", "[two]: two.md", "", "[[three]]", "```", "[[no]]", "```"))
    assert targets(text) == ["one", "two.md", "three"]
    assert targets(mark + "[id]: note.md" + newline) == ["note.md"]


# What is none


@pytest.mark.parametrize(
    "text",
    [
        "`[[no]]`",
        "``[[no]] ` [[no]]``",
        "`[text](no.md)`",
        "a `code\nof [[no]] two lines` b",
        "> a `code\n> of [[no]] two lines` b",
        "```\n[[no]]\n```",
        "```python\n[[no]]\n```\n",
        "~~~ ```\n[[no]]\n~~~",
        "````\n```\n[[no]]\n````",
        "```\n[[no]]\n~~~\n[[no]]\n```",
        "```\n[[no]]",
        "- item\n  ```\n  [[no]]\n\n  [[no]]\n  ```",
        "- ```\n  [[no]]\n  ```",
        "1. item\n\n   ~~~\n   [[no]]\n   ~~~",
        "- one\n\t- two\n\t  ```\n\t  [[no]]\n\t  ```",
        "> ```\n> [[no]]\n> ```",
        "> - ```\n>   [[no]]\n>   ```",
        "text `\n2. [[no]]`",
        "text `[[no]]\nand more` text",
        "> ````\n> ```\n> [[no]]\n> ````",
        "> ~~~\n> ```\n> [[no]]\n> ~~~",
        "<!-- a --> `[[no]]`",
        "<!-- a\nb --> `[[no]]\n` c",
        "-      [[no]]",
        "    [[no]]",
        "text\n\n    [[no]]\n\n    [[no]]\n",
        "text\n\n\t[[no]]\n",
        "# heading\n    [[no]]",
        "- item\n\n      [[no]]",
        "<!-- [[no]] -->",
        "<!--\n[[no]]\n\n[[no]]\n-->",
        "text <!-- [[no]] --> text",
        "> <!-- [[no]]\n> [[no]] -->",
        "<!-- [[no]] and nothing closes it\n\n[[no]]",
        "%% [[no]] %%",
        "text %%[[no]]%% text",
        "%%\n[[no]]\n\n[[no]]\n%%",
        "\\[[no]]",
        "[\\[no]]",
        "[\\[no\\]]",
        "\\[text](no.md)",
        "[text\\](no.md)",
        "![[no`]]`",
    ],
)
def test_code_comments_and_escaped_brackets_hold_no_links(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "\\\\[[yes]]",
        "a ` b [[yes]]",
        "a ` b\n\nc ` [[yes]]",
        "- a `\n- [[yes]] `",
        "# a `\n[[yes]] `",
        "| a ` |\n| [[yes]] ` |",
        "`` ` `` [[yes]]",
        "\\`[[yes]]`",
        "`a\\` [[yes]] `b`",
        "```a``` [[yes]]",
        "```\ncode\n```\n[[yes]]",
        "> ```\n> code\n\n[[yes]]",
        "> ```\n[[yes]]",
        "- ```\n  code\n[[yes]]",
        "- ```\n  code\n- [[yes]]",
        "text\n    [[yes]]",
        "- item\n\n  [[yes]]",
        "- item\n\n\t[[yes]]",
        "- one\n    - two\n        - [[yes]]",
        "# heading\n\t- [[yes]]",
        "<!-- a --> [[yes]]",
        "<!-- entry:ep_20260601_00000001 -->\n[[yes]]\n<!-- /entry:ep_20260601_00000001 -->",
        "text <!-- open\n\n[[yes]] -->",
        "100%% sure [[yes]]",
        "%% open [[yes]]",
        "%% a %% [[yes]] %% b %%",
        "<!-- a\nb --> [[yes]]\n",
        "~~gone~~ [[yes]]",
        "text `\n1. [[yes]]`",
        "1. text `\n2. [[yes]]`",
    ],
)
def test_what_is_around_code_and_comments_is_text(text: str) -> None:
    assert targets(text) == ["yes"]


def test_a_mark_of_exclamation_that_is_escaped_embeds_nothing() -> None:
    assert [link.kind for link in found("\\![[a]] ![[b]]")] == ["wiki", "embed"]


# As what it stands there


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("[[a]]", [""]),
        ("part of:: [[a]]", ["part of"]),
        ("part of::[[a]], [b](b.md)", ["part of", "part of"]),
        ("- part_of:: [[a]]", ["part_of"]),
        ("1. part_of:: [[a]]", ["part_of"]),
        ("- [ ] part_of:: [[a]]", ["part_of"]),
        ("> - part_of:: [[a]]", ["part_of"]),
        ("**part of**:: [[a]]", ["part of"]),
        ("関連:: [[a]]", ["関連"]),
        ("text [part of:: [[a]], [[b]]] and [[c]]", ["part of", "part of", ""]),
        ("text (part of:: [[a]]) and [[c]]", ["part of", ""]),
        ("up:: [[a]] (down:: [[b]]) [[c]]", ["up", "down", "up"]),
        ("(a (up:: [[b]]) :) [[c]]", ["up", ""]),
        ("[up:: [[a]] (down:: [[b]]) [[c]]]", ["up", "down", "up"]),
        ("- implements [[a]] (as [[b]] does)", ["implements", ""]),
        ("- implements [[a]]", ["implements"]),
        ("* depends-on [[a]] (since the move)", ["depends-on"]),
        ("- implements [[a]] and more", [""]),
        ("- see the page [[a]]", [""]),
        ("implements [[a]]", [""]),
        ("- 3 [[a]]", [""]),
        ("[[a]] up:: [[b]]", ["", ""]),
        ("std::vector of [[a]]", [""]),
        ("`up:: ` [[a]]", [""]),
        ("up:: [[a]]\n[[b]]", ["up", ""]),
    ],
)
def test_a_relation_is_the_key_of_its_line_or_of_its_brackets(text: str, relations: list[str]) -> None:
    assert [link.relation for link in found(text)] == relations


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('up: "[[a]]"', [("up", "a")]),
        ("up: '[[a|b]] and [[c#d]]'", [("up", "a"), ("up", "c")]),
        ("up: text with [[a]] in it", [("up", "a")]),
        ("up: [[a]]", [("up", "a")]),
        ("up: [[two words|shown]]", [("up", "two words")]),
        ("up:\n  - '[[a]]'\n  - [[b]]\n  - [c, '[[d]]']", [("up", "a"), ("up", "b"), ("up", "d")]),
        ('up: ["[[a]]", "[[b]]"]', [("up", "a"), ("up", "b")]),
        ("rel:\n  up: '[[a]]'\n  down: ['[[b]]']", [("rel", "a"), ("rel", "b")]),
        ("note: |\n  some [[a]]\n  more", [("note", "a")]),
        ("note: >\n  some [[two\n  words]]", [("note", "two words")]),
        ("note: 'some [[two\n  words]]'", [("note", "two words")]),
        ("up: '[[it''s]]'", [("up", "it's")]),
        ('up: "[[caf\\u00e9]]"', [("up", "café")]),
        ("supersedes: fix/a", [("supersedes", "fix/a")]),
        ("supersedes: '[[fix/a]]'", [("supersedes", "fix/a")]),
        ("superseded_by: \"fix/a\"", [("superseded_by", "fix/a")]),
        ("derived_from: [fix/a, 'ep_1']", [("derived_from", "fix/a"), ("derived_from", "ep_1")]),
        ("derived_from: fix/a, fix/b", [("derived_from", "fix/a"), ("derived_from", "fix/b")]),
        ("derived_from:\n- fix/a\n- \"[[fix/b]]\"", [("derived_from", "fix/a"), ("derived_from", "fix/b")]),
        ("derived_from:", []),
        ("derived_from: [2026, true]", []),
        ("other: fix/a", []),
        ("up: x # [[a]]", []),
        ("# [[a]]\nup: x", []),
        ("up: [[a], [b]]", []),
        ("up: [[a, b]]", []),
        ("up: '[[#heading]]'", []),
    ],
)  # fmt: skip
def test_frontmatter_links_carry_the_name_of_their_field(lines: str, expected: list[tuple[str, str]]) -> None:
    found = links(Document.parse(f"---\n{lines}\n---\nBody.\n"))
    assert [(link.relation, link.target) for link in found] == expected
    assert {link.kind for link in found} <= {"field"}


def test_frontmatter_that_is_not_yaml_still_has_its_links() -> None:
    text = "---\nup: [[a]], [[b]] # [[no]]\nsupersedes: fix/c\ndown: [[d]] # [[no]]\n---\n"
    assert [(link.relation, link.target) for link in found(text)] == [
        ("up", "a"),
        ("up", "b"),
        ("supersedes", "fix/c"),
        ("down", "d"),
    ]
    assert renamed(text) == "---\nup: [[A]], [[B]] # [[no]]\nsupersedes: FIX/C\ndown: [[D]] # [[no]]\n---\n"


# Exchanging targets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[old]]", "[[new]]"),
        ("[[ old #Part| old ]]", "[[ new #Part| old ]]"),
        ("| ![[old\\|old]] |", "| ![[new\\|old]] |"),
        ("[old](old) old", "[old](new) old"),
        ("[old]( old#old 'old' )", "[old]( new#old 'old' )"),
        ("[x](<old>)", "[x](<new>)"),
        ("[old]: <old#old>  'old'", "[old]: <new#old>  'old'"),
        ("`[[old]]` [[old]] `[[old]]`", "`[[old]]` [[new]] `[[old]]`"),
        ("---\nup: old\nrel:  '[[old]]'  # [[old]]\n---\n", "---\nup: old\nrel:  '[[new]]'  # [[old]]\n---\n"),
        ("---\nsupersedes:   old\n---\n", "---\nsupersedes:   new\n---\n"),
        ("---\nderived_from: [ old , 'old',\"old\" ]\n---\n", "---\nderived_from: [ new , 'new',\"new\" ]\n---\n"),
        ("---\nn: >-\n  more [[old]]\n  [[old]] words\n---\n", "---\nn: >-\n  more [[new]]\n  [[new]] words\n---\n"),
        ("---\r\nup: '[[old]]'\r\n---\r\n[[old]]\r\n", "---\r\nup: '[[new]]'\r\n---\r\n[[new]]\r\n"),
    ],
)  # fmt: skip
def test_only_the_target_changes(text: str, expected: str) -> None:
    assert retarget(Document.parse(text), {"old": "new"}).text == expected


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("[x](a%20b/c.md)", "a b/d e.md", "[x](a%20b/d%20e.md)"),
        ("[x](a%2Db/c.md)", "a-b/d.md", "[x](a%2Db/d.md)"),
        ("[x](a/c%2Dd/e.md)", "b/c-d/e.md", "[x](b/c%2Dd/e.md)"),
        ("[x](a\\_b/c.md)", "a_b/d.md", "[x](a\\_b/d.md)"),
        ("[x](c.md)", "50%(a).md", "[x](50%25%28a%29.md)"),
        ("[x](c.md)", "日本.md", "[x](日本.md)"),
        ("[x](%E6%97%A5.md)", "本.md", "[x](%E6%9C%AC.md)"),
        ("[x](<a b.md>)", "c d.md", "[x](<c d.md>)"),
        ("[x](<a b.md>)", "c>d.md", "[x](<c%3Ed.md>)"),
        ("[x](a.md)", "../b/a.md", "[x](../b/a.md)"),
        ("---\nu: '[[a]]'\n---\n", "it's", "---\nu: '[[it''s]]'\n---\n"),
        ('---\nu: "[[a]]"\n---\n', 'a"b', '---\nu: "[[a\\"b]]"\n---\n'),
    ],
)
def test_a_new_target_is_spelled_as_the_old_one_was(text: str, new: str, expected: str) -> None:
    changed = retarget(Document.parse(text), lambda link: new)
    assert changed.text == expected
    assert [link.target for link in links(changed)] == [new]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("[[a]]", "b]]c"),
        ("[[a]]", "b|c"),
        ("[[a]]", "b#c"),
        ("[[a]]", ""),
        ("[[a]]", "b\nc"),
        ("[x](a)", "b.png"),
        ("---\nsupersedes: a\n---\n", "b # c"),
        ("---\nsupersedes: a\n---\n", "b: c"),
        ("---\nderived_from: [a]\n---\n", "b, c"),
        ("---\nx: 1\nu: [[a]]\n---\n", "b]]\nx: [[c"),
        ("---\nu: [[a]]\n---\n", '"b'),
        ("---\nu: [[a]]\n---\n", "@b"),
    ],
)
def test_what_could_not_be_read_back_is_refused(text: str, new: str) -> None:
    with pytest.raises(MarkdownError, match="cannot stand in the place of 'a'"):
        retarget(Document.parse(text), lambda link: new)


def test_the_choice_can_be_of_each_link_apart() -> None:
    document = Document.parse("[[a]] ![[a]] [[a]]", first_line=5)
    changed = retarget(document, lambda link: "b" if link.kind == "embed" else None)
    assert changed.text == "[[a]] ![[b]] [[a]]"
    assert changed.first_line == 5


def test_nothing_to_change_gives_the_very_document() -> None:
    document = Document.parse("[[a]] [b](b%2Ec.md)")
    assert retarget(document, {"x": "y"}) is document
    assert retarget(document, lambda link: link.target) is document


# Whatever the text


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_random_markdown_never_raises_and_links_stand_where_they_say(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(documents.ATOMS + MORE_ATOMS) for _ in range(rng.randint(1, 60)))
    text = rng.choice(("", "---\n")) + text.replace("\ud800", "").replace("\udfff", "")
    document = Document.parse(text)
    last = 0
    for link in links(document):
        assert last <= link.start <= link.end
        assert link.line == 1 + text.count("\n", 0, link.start)
        if link.kind in ("wiki", "embed"):
            assert text[link.start : link.end] == link.target
        last = link.start
    assert retarget(document, lambda link: link.target) is document


@settings(deadline=None)
@given(st.text(alphabet="[](){}<>|#!`~%\\:-_*.,'\" \t\r\nab0é", max_size=200))
def test_any_text_is_read_and_rewritten_or_refused(text: str) -> None:
    document = Document.parse(text)
    old = links(document)
    try:
        changed = retarget(document, lambda link: "zz.md" if link.target.lower().endswith(".md") else "zz")
    except MarkdownError:
        return
    assert len(links(changed)) == len(old)
    assert {link.target for link in links(changed)} <= {"zz", "zz.md"}


MORE_ATOMS = (
    "[[a]]", "[[b|c]]", "![[d#e]]", "[x](n.md)", "[x](<n m.md>)", "\n[i]: q.md\n", "`", "``", "\n```\n", "\n~~~\n",
    "\n> ", "\n- ", "\n1. ", "    ", "\n\t", "-->", "\\", "rel:: ", "(", ")", "\n# ", "\n| ", "supersedes: x/y\n",
    "***\n", "derived_from: [a, 'b']\n", "\nrelated: [[z]]\n", "related: '[[it''s]]'\n", '  - "[[q]]"\n',
)  # fmt: skip

# Pieces of a note: `{}` is a link's target and is found, `<>` is the same name where it is not to be found.
PIECES = (
    "Text with [[{}]] and [[{}|<>]] and `[[<>]]`.\n\n",
    "A [link]({}.md) to [[{}#<>]] \\[[<>]].\n\n",
    "- item [[{}]]\n  ```\n  [[<>]]\n  ```\n- other [[{}]]\n\n",
    "> quoted [[{}]]\n> `` [[<>]] ` ``\n\n",
    "```sh\n[[<>]] [x](<>.md)\n```\n\n",
    "~~~\n```\n[[<>]]\n~~~\n\n",
    "<!-- [[<>]]\n\n[[<>]] -->\n\n",
    "%%\n[[<>]]\n%%\n\n",
    "part of:: [[{}]], [[{}]]\n\n",
    "| a | b |\n|---|---|\n| [[{}\\|<>]] | `[[<>]]` |\n\n",
    "Text\n\n    [[<>]]\n\nText ![[{}]]\n\n",
    "[<>]: <{}.md> '<>'\n\n",
    "# Heading [[{}]] <>\n\n",
    "1. one\n   > two [[{}]]\n   > ~~~\n   > [[<>]]\n\n",
    "<!-- entry:ep_20260601_00000001 -->\n[[{}]]\n<!-- /entry:ep_20260601_00000001 -->\n\n",
    "<> ` <>\n\n[[{}]] ` [[{}]]\n\n",
)
FIELDS = (
    "title: <>\n",
    "supersedes: {}\n",
    "up: '[[{}]]'  # [[<>]]\n",
    'related:\n  - "[[{}|<>]]"\n  - [[{}]]\n',
    "derived_from: [{}, '{}']\n",
)
NAMES = st.sampled_from(("fix/a", "note", "a-b", "日本", "Two", "x_y", "ep_20260601_00000001"))


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A note as a template, and the names that go into it."""
    fields = draw(st.lists(st.sampled_from(FIELDS), unique=True, max_size=3))
    body = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8))
    template = ("---\n" + "".join(fields) + "---\n" if fields else "") + "".join(body)
    name = draw(NAMES)
    count = template.count("{}")
    return template.replace("<>", name), draw(st.lists(NAMES, min_size=count, max_size=count))


@settings(deadline=None)
@given(planted())
def test_the_links_found_are_exactly_those_planted(note: tuple[str, list[str]]) -> None:
    template, names = note
    assert [target.removesuffix(".md") for target in targets(template.format(*names))] == names


@settings(deadline=None)
@given(planted())
def test_exchanging_every_target_gives_the_note_that_was_written_with_the_new_ones(note: tuple[str, list[str]]) -> None:
    template, names = note

    def new(target: str) -> str:
        plain = target.removesuffix(".md")
        return f"new-{plain}{target[len(plain) :]}"

    assert renamed(template.format(*names), new) == template.format(*map(new, names))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 400_000,
        "[[a" * 150_000,
        "[[a|" * 100_000,
        "[[a|" + "[b " * 150_000,
        "]" * 400_000 + "(a.md)",
        "](a.md)" * 60_000,
        "[a" * 200_000 + "](b.md)",
        "[a](b.md)" * 40_000,
        '](a "' * 80_000,
        "`" * 400_000 + "\n[[a]]",
        "".join("`" * n + " " for n in range(800)) + "[[a]]",
        "` " * 200_000 + "[[a]]",
        "a" + "<!--" * 100_000 + "[[a]]",
        "%% a " * 80_000 + "[[a]]",
        "\\[" * 200_000 + "[[a]]",
        "```\n" * 100_000 + "[[a]]",
        "- " * 200_000 + "`[[a]]`",
        "- " * 100_000 + "\n" * 200_000 + "`[[a]]`",
        "> " * 200_000 + "`[[a]]`",
        "- - " * 100_000 + "x\n`[[a]]`",
        "a:: " + "(" * 100_000 + "[[a]]" * 40_000,
        "(k:: [[a]]" * 40_000,
        "[a]: b.md\n" * 40_000,
        "[[a]] " * 60_000,
        "---\nup: '" + "[[a]] " * 10_000 + "'\n---\n",
        "---\nup: " + "[" * 60_000 + "[[a]]\n---\n",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    document = Document.parse(text)
    start = time.process_time()
    assert len(links(document)) <= 60_000
    assert time.process_time() - start < MOST_SECONDS
