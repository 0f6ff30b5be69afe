"""Scalars: what plain text means, and how a value is spelled."""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from quire.markdown.document import Document
from quire.markdown.node import DOUBLE, MAX_DIGITS, PLAIN, SINGLE, Value, same
from quire.markdown.scalar import resolved, spelled

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(),
    st.text(), st.text(alphabet="yesnoYESNO0123456789+-._:eExb ~#'\"[]{},&*!|>%@`\\\n\t=<?", max_size=12),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
        ("true", True), ("False", False), ("TRUE", True), ("tRue", "tRue"),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"), ("No", "No"),
        ("0", 0), ("-0", 0), ("+12", 12), ("007", 7), ("0o17", 15), ("0x1F", 31), ("-0x1F", "-0x1F"), ("0b11", "0b11"),
        ("1_000", "1_000"), ("12:30", "12:30"), ("190:20:30", "190:20:30"), ("0o8", "0o8"), ("0X1F", "0X1F"),
        ("1.50", 1.5), (".5", 0.5), ("5.", 5.0), ("-1e3", -1000.0), ("1E-2", 0.01), ("1.", 1.0), (".", "."), ("e3",
        "e3"), (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf), (".iNf", ".iNf"), ("inf", "inf"), ("nan",
        "nan"), ("2026-06-01", "2026-06-01"), ("2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z"), ("v1.9", "v1.9"),
        ("=", "="), ("<<", "<<"), ("٣", "٣"), ("1 2", "1 2"), ("--1", "--1"), ("+", "+"),
    ],
)  # fmt: skip
def test_plain_text_means_what_the_core_schema_of_yaml_1_2_says(text: str, value: Value) -> None:
    assert same(resolved(text), value)
    assert same(Document.parse(f"---\nk: {text}\n---\n").get("k", "absent"), value)
    assert same(Document.parse(f"---\nk: [{text}]\n---\n").get("k"), [value] if text else [])


def test_not_a_number_is_a_number() -> None:
    assert same(resolved(".nan"), math.nan)


def test_a_number_that_nobody_counts_to_is_text_and_whatever_is_read_can_be_written() -> None:
    for longest in ("9" * MAX_DIGITS, "-" + "9" * (MAX_DIGITS - 1), "0x" + "f" * 165, "0o" + "7" * 198):
        value = resolved(longest)
        assert isinstance(value, int)
        assert resolved(longest[:2] + longest[2] + longest[2:]) == longest[:2] + longest[2] + longest[2:]
        assert Document.new({"k": value}, "").get("k") == value
        assert Document.parse(f"---\nk: [{longest}]\n---\n").set("k", [value, 1]).get("k") == [value, 1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain words", "plain words"), ("it's", "it's"), ("on", "'on'"), ("12", "'12'"), ("2026-06-01",
        "'2026-06-01'"), ("", "''"), ("a: b", "'a: b'"), ("a #b", "'a #b'"), ("a#b", "a#b"), ("- a", "'- a'"), ("[a",
        "'[a'"), ("<<", "'<<'"), ("a\nb", '"a\\nb"'), ("\u2028", '"\\u2028"'), ("\x85", '"\\x85"'), ("\ufeff",
        '"\\ufeff"'), ("🧵", "'🧵'"), ("日本", "日本"), (None, "null"), (True, "true"), (3, "3"), (1.5, "1.5"), (1e16,
        "1.0e+16"), (1e-7, "1.0e-07"), (-math.inf, "-.inf"),
    ],
)  # fmt: skip
def test_a_value_is_quoted_wherever_a_reader_could_take_it_for_another(value: str | float | None, text: str) -> None:
    assert spelled(value) == text


@given(SCALARS, st.sampled_from(["", PLAIN, SINGLE, DOUBLE]), st.booleans())
def test_whatever_is_spelled_reads_back(value: str | float | None, like: str, flow: bool) -> None:
    text = spelled(value, like, flow=flow)
    note = Document.parse(f"---\nk: [{text}, 1]\n---\n" if flow else f"---\nk: {text}\n---\n")
    assert not note.problems
    assert same(note.get("k", "absent"), [value, 1] if flow else value)


@given(st.dictionaries(st.text(min_size=1, max_size=8), SCALARS | st.lists(SCALARS, max_size=4), max_size=5))
@example({"tags": ["why?", "a?b"], "title": "why?"})
def test_what_is_written_anew_says_the_same_to_a_reader_of_yaml_1_1(fields: dict[str, Value]) -> None:
    note = Document.new(fields, "")
    block = note.text[4:-4]
    assert repr(yaml.load(block, Loader=yaml.SafeLoader) or {}) == repr(fields)
    assert repr(yaml.load(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}) == repr(fields)
