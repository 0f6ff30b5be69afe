"""What is loaded always: whole entries, by priority, within a budget; the same bytes each time; and never forged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire import AccessDenied, InvalidEntry, Locator, Memory
from quire.engine.context import tokens
from quire.engine.layout import Zone
from tests.engine.conftest import Time
from tests.engine.looking import Watched, ids, put, where


def test_whole_entries_quoted_and_labelled(memory: Memory) -> None:
    memory.save("Answer in three sentences.\n\nUnless asked.", slug="short", title='Be "short"', always_load=True)
    context = memory.session_context()
    assert context.text == (
        "Remembered text, the most important first. Each piece stands between two lines of tildes, below a line that "
        "says what it is and where it came from.\n\n"
        'memory id="preference/short" of="default/default/agent:default" title="Be \\"short\\"" from="python"\n'
        "~~~\nAnswer in three sentences.\n\nUnless asked.\n~~~\n"
    )
    assert ids(context.entries) == ["preference/short"]
    assert context.tokens == tokens(context.text)


def test_nothing_to_load_is_no_text(memory: Memory) -> None:
    memory.save("Not always.", slug="x")
    context = memory.session_context()
    assert (context.text, context.entries, context.left_out, context.tokens) == ("", (), (), 0)


def test_the_higher_priority_comes_first_then_what_is_curated_then_the_name(memory: Memory, time: Time) -> None:
    for slug, scope, priority in [
        ("d", "agent", None),
        ("c", "user", None),
        ("b", "shared", None),
        ("a", "agent", 0.5),
        ("z", "agent", 7),
        ("y", "shared", -1),
        ("n", "agent", float("nan")),
    ]:
        time.forward(hours=1)
        fields = {} if priority is None else {"priority": priority}
        memory.save(f"Rule {slug}.", slug=slug, scope=scope, always_load=True, fields=fields)
    put(memory, where(memory, "fix", "m"), "---\nalways_load: true\npriority: high\n---\nBy hand.\n")
    order = [entry.name for entry in memory.session_context().entries]
    assert order == ["z", "a", "b", "m", "c", "d", "n", "y"]


def test_all_three_owners_are_there_and_nobody_else(memory: Memory) -> None:
    for scope in ("agent", "user", "shared", "user:alice", "agent:coder", "atlas/shared"):
        memory.save(f"Of {scope}.", slug="x", scope=scope, always_load=True)
    assert {str(entry.scope) for entry in memory.session_context().entries} == {
        "default/default/agent:default", "default/default/user:default", "default/default/shared",
    }  # fmt: skip


@pytest.mark.parametrize("away", ["forget", "archive", "evolve"])
def test_what_is_put_away_is_not_loaded(memory: Memory, away: str) -> None:
    memory.save("Old.", slug="x", always_load=True)
    if away == "evolve":
        memory.evolve("preference/x", "New.")
        assert ids(memory.session_context().entries) == ["preference/x-2"]
    else:
        getattr(memory, away)("preference/x")
        assert memory.session_context().entries == ()


def test_what_waits_in_the_inbox_is_not_loaded(memory: Memory) -> None:
    memory.save("Nobody has looked at it.", slug="x", always_load=True, status="inbox")
    assert memory.session_context().entries == ()
    memory.restore("preference/x")
    assert ids(memory.session_context().entries) == ["preference/x"]


def test_what_is_not_true_yet_or_any_more_is_not_loaded(memory: Memory, time: Time) -> None:
    memory.save("On holiday.", slug="holiday", always_load=True, valid_from="2026-07-01", valid_to="2026-07-15")
    memory.save("Always.", slug="always", always_load=True)
    put(memory, where(memory, "fix", "typo"), "---\nalways_load: true\nvalid_to: soon\n---\nBy hand.\n")
    loaded = []
    for days in (0, 30, 14):
        time.forward(days=days)
        loaded.append([entry.name for entry in memory.session_context().entries])
    assert loaded == [["typo", "always"], ["typo", "always", "holiday"], ["typo", "always"]]


def test_a_file_that_a_person_drops_into_the_folder_is_loaded(memory: Memory) -> None:
    if Zone.ALWAYS not in memory.core.layout.zones:
        put(memory, where(memory, "preference", "voice"), "---\nalways_load: true\n---\nBy hand.\n")
    else:
        put(memory, "_always-load/voice.md", "By hand.\n")
    assert ids(memory.session_context().entries) == ["preference/voice"]


# The budget


def test_what_does_not_fit_is_left_out_whole_and_named(memory: Memory) -> None:
    memory.save("word " * 2000, slug="long", always_load=True, fields={"priority": 9})
    memory.save("Short.", slug="short", always_load=True)
    context = memory.session_context(budget=150)
    assert ids(context.entries) == ["preference/short"]
    assert ids(context.left_out) == ["preference/long"]
    assert context.text.endswith('\nLeft out, as they do not fit: "preference/long"\n')
    assert "word word" not in context.text


def test_a_budget_of_nothing_is_no_text_and_all_is_named_apart(memory: Memory) -> None:
    for slug in "abc":
        memory.save(f"Rule {slug}.", slug=slug, always_load=True)
    context = memory.session_context(budget=0)
    assert (context.text, context.tokens) == ("", 0)
    assert ids(context.left_out) == ["preference/a", "preference/b", "preference/c"]


@given(st.integers(0, 600), st.lists(st.integers(1, 400), max_size=8))
def test_no_budget_is_ever_exceeded_and_nothing_is_lost(budget: int, sizes: list[int]) -> None:
    with quire.open(protocol="ram") as memory:
        for number, size in enumerate(sizes):
            memory.save(f"{number} " + "ä日x " * size, slug=f"n{number}", always_load=True)
        context = memory.session_context(budget=budget)
        assert tokens(context.text) <= max(budget, 1)
        assert context.tokens <= budget
        assert len(context.entries) + len(context.left_out) == len(sizes)
        for entry in context.entries:
            assert f"\n{entry.text}\n" in context.text


def test_not_one_token_is_taken_that_is_not_there(memory: Memory) -> None:
    memory.save("A rule of some length. " * 3, slug="a", always_load=True)
    memory.save("日本語のきまり。" * 4, slug="b", always_load=True)
    contexts = [memory.session_context(budget=budget) for budget in range(200)]
    assert all(context.tokens <= budget for budget, context in enumerate(contexts))
    assert {len(context.entries) for context in contexts} == {0, 1, 2}


def test_a_great_many_that_do_not_fit_do_not_fill_the_text_with_their_names(memory: Memory) -> None:
    for number in range(60):
        memory.save("word " * 500, slug=f"rule-{number}", always_load=True)
    context = memory.session_context(budget=200)
    assert context.tokens <= 200
    assert re.search(r"\d+ more\n$", context.text)
    assert len(context.left_out) == 60


@pytest.mark.parametrize("budget", [-1, 1.5, "100", None, True])
def test_what_is_no_budget_is_refused(memory: Memory, budget: object) -> None:
    with pytest.raises(InvalidEntry, match="tokens is none"):
        memory.session_context(budget=budget)  # type: ignore[arg-type]


# The same bytes, and nobody's but ours


def test_it_is_the_same_bytes_from_run_to_run(memory: Memory, time: Time) -> None:
    for number in range(5):
        memory.save(f"Rule {number}.", slug=f"n{number}", always_load=True, fields={"priority": number % 2})
    first = memory.session_context()
    time.forward(days=400)
    for key, scope in (("n1", "agent"), ("n3", "agent")):
        memory.save(f"Rule {key[1]}.", slug=key, scope=scope)  # reinforced: its file changes
    memory.append("Something else.")
    assert memory.session_context().text == first.text


lines = st.text(st.sampled_from("~`#ab \n-=\"'\\[]"), max_size=40) | st.just('memory id="x" of="user"') | st.just("~~~")


@given(st.lists(st.tuples(st.lists(lines, min_size=1, max_size=6).map("\n".join), lines), min_size=1, max_size=4))
def test_no_text_can_end_its_own_quotation_or_make_a_label(entries: list[tuple[str, str]]) -> None:
    kept = [(text, title.replace("\n", " ").strip()) for text, title in entries if text.strip()]
    with quire.open(protocol="ram") as memory:
        for number, (text, title) in enumerate(kept):
            memory.save(text, slug=f"n{number}", title=title or None, always_load=True, source=title or None)
        context = memory.session_context(budget=100_000)
        assert quoted(context.text) == [entry.text for entry in context.entries]
        assert len(context.entries) == len(kept)


def quoted(text: str) -> list[str]:
    """What stands between fences, as a reader of markdown would find it."""
    found: list[str] = []
    fence, held = "", list[str]()
    for line in text.split("\n"):
        if not fence and set(line) == {"~"} and len(line) >= 3:
            fence, held = line, []
        elif fence and line == fence:
            found.append("\n".join(held))
            fence = ""
        elif fence:
            held.append(line)
        else:
            assert line in ("",) or line.startswith(("memory id=", "Remembered text,")), line
    assert not fence
    return found


# What cannot be read


def test_a_file_that_cannot_be_read_is_a_fault_and_not_silence(memory: Memory) -> None:
    memory.save("A rule.", slug="rule", always_load=True)
    zone = Zone.ALWAYS if Zone.ALWAYS in memory.core.layout.zones else Zone.ACTIVE
    key = where(memory, "preference", "bad", zone)
    memory.core.storage.write_bytes(Locator(key), b"---\nalways_load: true\n---\n\xff\n")
    refused = where(memory, "preference", "refused", zone)
    put(memory, refused, "---\nalways_load: true\n---\nText.\n")
    memory.core.storage = Watched(memory.core.storage)
    memory.core.storage.refused[refused] = AccessDenied("you may not read this")
    context = memory.session_context()
    assert ids(context.entries) == ["preference/rule"]
    assert {(fault.locator.key, fault.code) for fault in context.faults} == {(key, "NOT_UTF8"), (refused, "UNREADABLE")}


def test_logs_are_not_even_read(memory: Memory) -> None:
    memory.append("always_load: true")
    rule = memory.save("A rule.", slug="rule", always_load=True)
    memory.core.storage = watched = Watched(memory.core.storage)
    memory.session_context()
    assert watched.read_keys == [rule.locator.key]
