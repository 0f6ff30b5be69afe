"""The table of verbs, and what is made of it: the parser, the help and the page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from quire.inbound.cli import helping
from quire.inbound.cli.parsing import understood
from quire.inbound.cli.table import EVERYWHERE, Verb
from quire.inbound.cli.verbs import BY_NAME, VERBS

PAGE = (Path(__file__).parents[3] / "docs/reference/cli.md").read_text()
SHOWN = [verb for verb in VERBS if not verb.hidden]


def section(verb: Verb) -> str:
    found = re.search(rf"^### {verb.name}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"{verb.name} has no section"
    return found[1]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_has_its_code(verb: Verb) -> None:
    assert verb.function().__doc__
    assert BY_NAME[verb.name] is verb


@pytest.mark.parametrize("verb", SHOWN, ids=lambda verb: verb.name)
def test_every_verb_has_an_example_that_is_in_its_help_and_on_the_page(verb: Verb) -> None:
    assert verb.examples
    for example in verb.examples:
        assert f"  {example}\n" in helping.of(verb)
        assert example in section(verb)


@pytest.mark.parametrize("verb", SHOWN, ids=lambda verb: verb.name)
def test_every_example_is_understood(verb: Verb) -> None:
    for example in verb.examples:
        words = shlex.split(example.partition(" > ")[0])
        assert words.pop(0) == "quire"
        assert understood(words)[0] is verb


@pytest.mark.parametrize("verb", SHOWN, ids=lambda verb: verb.name)
def test_every_option_is_in_the_help_and_on_the_page(verb: Verb) -> None:
    for argument in verb.arguments:
        assert argument.usage.strip("[].") in helping.of(verb)
        if argument.is_option:
            assert f"`{argument.name}" in section(verb), argument.name


def test_the_page_has_no_verb_that_is_not_there() -> None:
    assert sorted(re.findall(r"^### (.*)$", PAGE, re.MULTILINE)) == sorted(verb.name for verb in SHOWN)


def test_the_options_of_every_verb_are_on_the_page_and_in_the_help() -> None:
    for argument in EVERYWHERE:
        assert f"`{argument.name}" in PAGE
        assert f"  {argument.usage} " in helping.of_all()


def test_no_verb_takes_the_name_of_an_option_of_every_verb() -> None:
    everywhere = {argument.name for argument in EVERYWHERE}
    for verb in VERBS:
        names = [argument.name for argument in verb.arguments]
        assert len(set(names)) == len(names)
        assert not everywhere & set(names), verb.name


def test_help_fits_a_terminal() -> None:
    for text in (helping.of_all(), *map(helping.of, SHOWN)):
        examples = text.partition("\nexample")[2].partition("\n\n")[0]
        assert max(len(line) for line in text.splitlines() if line not in examples) <= 100
