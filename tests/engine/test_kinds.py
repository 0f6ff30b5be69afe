"""Kinds: a table, with what the user declares in the config file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import quire
from quire import InvalidEntry, SelectionError
from quire.engine.kinds import KINDS, Kinds, Shape


def test_every_kind_of_the_design_has_its_shape() -> None:
    shapes = {shape: {kind.name for kind in Kinds().of_shape(shape)} for shape in Shape}
    assert shapes[Shape.NOTE] >= {
        "preference", "workflow", "fix", "domain-reference", "idea", "skill-pointer", "insight", "crystallized",
        "procedural",
    }  # fmt: skip
    assert shapes[Shape.LOG] == {"episode", "atomic_fact", "foresight", "agent_case"}
    assert shapes[Shape.SINGLE] == {"profile", "agent", "soul", "tools", "behaviors"}
    assert shapes[Shape.FOLDER] == {"skill"}


def test_each_kind_has_one_frontmatter_class() -> None:
    assert len(set(KINDS.values())) == len(KINDS)


def test_an_unknown_kind_names_those_there_are() -> None:
    with pytest.raises(InvalidEntry, match="there is no kind 'fx'; there are preference"):
        Kinds()["fx"]


def test_a_declared_kind_works_without_code(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        '[kinds.recipe]\nfields = { servings = "integer" }\n'
        '[kinds.standup]\nshape = "log"\nprefix = "su"\nowners = ["agent"]\n'
        '[kinds.manifesto]\nshape = "single"\n'
    )
    with quire.open(protocol="ram", config=str(config)) as memory:
        soup = memory.save("Boil it.", kind="recipe", slug="soup", fields={"servings": 4})
        assert memory.get("recipe/soup").fields["servings"] == 4
        assert soup.locator.key.endswith("/memory/recipe/soup.md")
        assert memory.append("Did it.", kind="standup", at="2026-06-01").id == "su_20260601_00000001"
        assert memory.save("We boil.", kind="manifesto").locator.name == "manifesto.md"
        with pytest.raises(InvalidEntry, match="servings is text, and a whole number is wanted"):
            memory.save("Fry it.", kind="recipe", fields={"servings": "four"})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"Recipe": {}}, "lower case words"),
        ({"fix": {}}, "built in"),
        ({"recipe": {"shap": "note"}}, "unknown key 'shap'"),
        ({"recipe": {"shape": "blob"}}, "none of note, log, single, folder"),
        ({"recipe": {"shape": "folder"}}, "a note, a log or a single"),
        ({"recipe": {"owners": ["robot"]}}, "none of user, agent, shared"),
        ({"recipe": {"directory": "../x"}}, "not lower case words"),
        ({"recipe": {"directory": "fix"}}, "the directory 'fix' is that of the kind 'fix'"),
        ({"standup": {"shape": "log", "prefix": "ep"}}, "the prefix 'ep' is that of the kind 'episode'"),
        ({"me": {"shape": "single", "file": "user"}}, "the file 'user.md' is that of the kind 'profile'"),
        ({"recipe": {"fields": {"title": "text"}}}, "every entry has the field 'title' already"),
        ({"recipe": {"fields": {"servings": "float"}}}, "none of text, number"),
        ({"recipe": {"fields": {"servings": ["integer"]}}}, "none of text, number"),
        ({"recipe": {"fields": "servings"}}, "fields is text, and a table is wanted"),
        ({"recipe": {"fields": {"a\nb": "text"}}}, "is no name of a field"),
        ({"recipe": {"owners": 5}}, "owners is a whole number, and a list is wanted"),
        ({"recipe": {"directory": 5}}, "the directory 5 is not lower case words"),
        ({"recipe": {"directory": "d" * 41}}, "is not lower case words"),
        ({"standup": {"shape": "log", "prefix": "p" * 41}}, "is not lower case words"),
        ({"con": {}}, "'con' cannot be a folder's name"),
        ({"me": {"shape": "single", "file": "aux"}}, "'aux.md' cannot be a file's name"),
        ({"memory": {}}, "'memory' is a folder of the layout"),
        ({"recipe": "note"}, "a kind is declared as a table"),
    ],
)
def test_a_declaration_that_cannot_be_kept_apart_is_refused(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidEntry, match=said):
        Kinds(declared)


def test_one_owner_may_be_said_as_a_word() -> None:
    assert [owner.value for owner in Kinds({"standup": {"owners": "shared"}})["standup"].schema.OWNERS] == ["shared"]


def test_a_kind_that_is_not_even_text_is_refused() -> None:
    for name in (None, 5, ["fix"]):
        with pytest.raises(InvalidEntry, match="there is no kind"):
            Kinds()[name]  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "value", "objection"),
    [
        ("priority", 5, ""),
        ("priority", 0.5, ""),
        ("priority", True, "priority is true or false, and a number is wanted"),
        ("tags", "a, b", ""),
        ("tags", ["a", 5], ""),
        ("tags", [{"a": 1}], "tags has a table in it, and a list of words is wanted"),
        ("title", 1984, ""),
        ("title", ["a"], "title is a list, and text is wanted"),
        ("always_load", "yes", "always_load is text, and true or false is wanted"),
        ("occurrences", 2.5, "occurrences is a number, and a whole number is wanted"),
        ("created", None, ""),
        ("mood", {"of": "the person"}, ""),
    ],
)
def test_a_field_is_judged_by_what_the_chassis_says_of_it(name: str, value: object, objection: str) -> None:
    assert Kinds()["fix"].schema.objection(name, value) == objection


def test_the_refusal_names_the_config_file(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[kinds.recipe]\nshape = "blob"\n')
    with pytest.raises(SelectionError, match=r"config\.toml, kinds: kinds\.recipe") as refused:
        quire.open(protocol="ram", config=str(config))
    assert refused.value.code == "KIND_INVALID"
