"""Scope: whose memory it is."""

from __future__ import annotations

import pytest

from quire import InvalidScope, Owner, Scope


def test_the_default_is_the_agent_of_the_default_project() -> None:
    assert str(Scope()) == "default/default/agent:default"


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("user:alice", Scope(owner=Owner.USER, id="alice")),
        ("agent", Scope()),
        ("shared", Scope(owner=Owner.SHARED)),
        ("atlas/shared", Scope(project="atlas", owner=Owner.SHARED)),
        ("shop/atlas/agent:coder", Scope("shop", "atlas", Owner.AGENT, "coder")),
    ],
)
def test_text_names_a_scope(text: str, scope: Scope) -> None:
    assert Scope.parse(text) == scope


def test_missing_parts_come_from_the_base() -> None:
    base = Scope("shop", "atlas", Owner.USER, "alice")
    assert Scope.parse("user", base) == base
    assert Scope.parse("agent", base) == Scope("shop", "atlas", Owner.AGENT, "default")


@pytest.mark.parametrize("scope", [Scope(), Scope("a", "b", Owner.USER, "c"), Scope(owner=Owner.SHARED)])
def test_what_is_printed_is_read_back(scope: Scope) -> None:
    assert Scope.parse(str(scope)) == scope


@pytest.mark.parametrize(
    "text", ["", "alice", "robot:x", "shared:x", "a/b/c/user:x", "../user:x", "user:..", "user:a\\b", "user:.hidden"]
)
def test_what_names_no_scope_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidScope, match="Write user:alice"):
        Scope.parse(text)


@pytest.mark.parametrize("scope", [5, None, ["user"], b"user"])
def test_what_is_not_even_text_names_no_scope(scope: object) -> None:
    with pytest.raises(InvalidScope, match="not text"):
        Scope.parse(scope)  # type: ignore[arg-type]


def test_an_owner_may_be_called_as_an_app_is_spelled() -> None:
    assert Scope.parse("user:default_app").id == "default_app"
    assert Scope.parse("agent:default_id").id == "default_id"


@pytest.mark.parametrize(
    ("app", "project"), [("default_app", "x"), ("x", "default_project"), ("_x", "y"), ("a/b", "y")]
)
def test_a_name_that_could_be_mistaken_on_disk_is_refused(app: str, project: str) -> None:
    with pytest.raises(InvalidScope):
        Scope(app, project)
