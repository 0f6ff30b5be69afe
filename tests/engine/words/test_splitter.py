"""Text to words: what a person would search for is a word."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.engine.words import LANGUAGES, MAX_WORD, Splitter, date_words, read_question
from quire.engine.words.dates import spelled
from quire.engine.words.stops import ENGLISH

SPLIT = Splitter().words
CASES = {
    "The foxes were running, quickly!": ["fox", "run", "quick"],
    "Caroline's dog's": ["carolin", "dog"],
    "Caroline’s": ["carolin"],
    "don't I'm they've won’t": [],
    "O'Brien": ["obrien", "brien"],
    "CAFÉ naïve Ångström Straße": ["cafe", "naiv", "angstrom", "strass"],
    "cafe\u0301": ["cafe"],
    "ｆｕｌｌ　ｗｉｄｔｈ": ["full", "width"],
    "well-known": ["well-known", "well", "known"],
    "and/or he/she": [],
    "the U.S. e.g. at 3 p.m.": ["u.s", "3"],
    "v1.9": ["v1.9", "v1", "9"],
    "E2BIG": ["e2big", "2", "big"],
    "TICKET-42,": ["ticket-42", "ticket", "42"],
    "(src/quire/app.py)": ["src/quire/app.py", "src", "quir", "app", "py"],
    "snake_case": ["snake_case", "snake", "case"],
    "__init__": ["init"],
    "camelCase": ["camelcas", "camel", "case"],
    "HTTPServer": ["httpserver", "http", "server"],
    "iPhone12": ["iphone12", "iphon", "12"],
    "YouTube youtube": ["youtub", "tube", "youtub"],
    "C++ C# F#": ["c++", "c#", "f#"],
    "foo@bar.com": ["foo@bar.com", "foo", "bar", "com"],
    "1,000,000 3.14 10:30": ["1000000", "3.14", "10:30"],
    "1st 22nd": ["1", "22"],
    "2026-03-01": ["2026-03-01", "march", "1", "2026"],
    "2026/3/1": ["2026-03-01", "march", "1", "2026"],
    "2026-03": ["2026-03", "march", "2026"],
    "2026-03-01T10:00:00Z": ["2026-03-01", "march", "1", "2026"],
    "Sept Oct": ["sept", "septemb", "oct", "octob"],
    "東京都": ["東京", "京都", "東", "京", "都"],
    "水": ["水"],
    "用v1.9吧": ["用", "v1.9", "v1", "9", "吧"],
    "ไทย": ["ไท", "ทย", "ไ", "ท", "ย"],
    "привет мир": ["привет", "мир"],
    "й": ["й"],
    "": [],
    "--- ... !!! ___": [],
}


@pytest.mark.parametrize("text", CASES)
def test_words_of(text: str) -> None:
    assert SPLIT(text) == CASES[text]


@pytest.mark.parametrize("word", ["did", "when", "what", "why", "how", "the", "does", "whose", "were", "would"])
def test_what_carries_a_question_is_no_word(word: str) -> None:
    assert SPLIT(f"{word} {word.upper()} {word.title()}?") == []


def test_the_stop_words_are_as_the_splitter_looks_them_up() -> None:
    assert len(ENGLISH) > 200
    for word in ENGLISH:
        assert SPLIT(word) == [], word
        assert word == word.lower()
    assert "may" in ENGLISH  # a month, but far more often not
    assert "march" not in ENGLISH


def test_a_question_and_a_text_meet_however_they_are_spelled() -> None:
    for one, other in (
        ("the Foxes", "fox"), ("CAFÉ", "cafe\u0301"), ("E2BIG", "e2big"), ("Running", "runs"), ("東京", "東京都"),
        ("app.py", "src/quire/app.py"), ("march 2026", "2026-03-15"), ("iphone 12", "iPhone12"), ("1,000", "1000"),
        ("ticket 42", "TICKET-42"), ("server", "HTTPServer"), ("ＡＢＣ", "abc"),
    ):  # fmt: skip
        assert set(SPLIT(one)) & set(SPLIT(other)), (one, other)


@given(st.text())
def test_any_text_has_words_that_are_folded_and_short(text: str) -> None:
    for word in SPLIT(text):
        assert word
        assert len(word) <= MAX_WORD
        assert not any(character.isspace() for character in word)
        assert word not in ENGLISH


@given(st.text(max_size=40))
def test_the_words_do_not_depend_on_what_was_read_before(text: str) -> None:
    assert Splitter().words(text) == SPLIT(text) == SPLIT(text)


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N"]), max_size=30))
def test_composed_and_decomposed_text_has_the_same_words(text: str) -> None:
    assert SPLIT(unicodedata.normalize("NFC", text)) == SPLIT(unicodedata.normalize("NFD", text))


def test_a_very_long_word_is_found_by_its_beginning_and_its_parts() -> None:
    assert SPLIT("x" * 100_000) == ["x" * MAX_WORD]
    assert "fox" in SPLIT("a1b2/" * 1_000 + "fox")
    assert all(len(word) <= MAX_WORD for word in SPLIT("ab-" * 10_000 + "c"))


def test_another_language_is_stemmed_by_its_own_rules() -> None:
    assert Splitter("german").words("Katzen liefen") == ["katz", "lief"]
    assert Splitter(None).words("The foxes") == ["the", "foxes"]
    for language in LANGUAGES:
        assert Splitter(language).words("fox")
    with pytest.raises(ValueError, match="klingon"):
        Splitter("klingon")


def test_threads_share_a_splitter() -> None:
    splitter = Splitter()
    texts = [f"running foxes number {i} jumping houses{i}" for i in range(400)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(splitter.words, texts)) == [Splitter().words(text) for text in texts]


def test_a_date_is_spelled_in_words() -> None:
    assert date_words("2026-03-01T10:00:00Z") == "march 2026"
    assert date_words("no date") == date_words("") == ""
    assert spelled("2026-13-01") is spelled("2026-02-32") is spelled("1.2.3") is None


def test_a_question_is_read() -> None:
    asked = read_question('What did "The Red Fox" do about TICKET-42 in src/app.py, and and why?', Splitter())
    assert asked.terms == ("red", "fox", "ticket-42", "ticket", "42", "src/app.py", "src", "app", "py")
    assert [(exact.text, exact.quoted) for exact in asked.exact] == [
        ("The Red Fox", True), ("TICKET-42", False), ("src/app.py", False),
    ]  # fmt: skip
    assert asked.exact[0].terms == ("red", "fox")


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("what broke v1.9?", ["v1.9"]),
        ("E2BIG from getUser in snake_case", ["E2BIG", "getUser", "snake_case"]),
        ("is HttpServer or Node.js used", ["HttpServer", "Node.js"]),
        ("use `quire serve` now", ["quire serve"]),
        ("他说「红色的狐狸」了吗", ["红色的狐狸"]),
        ("“curly quotes” and «foxes»", ["curly quotes", "foxes"]),
        ("on the 1st of May 2023 at 10:30 or 3 p.m., and/or 2026-03-01", []),
        ("an ordinary question about Caroline and the U.S. border", ["U.S"]),
        ('an open " quote', []),
        ("", []),
    ],
)
def test_what_is_meant_to_the_letter(question: str, exact: list[str]) -> None:
    assert [one.text for one in read_question(question, Splitter()).exact] == exact


@given(st.text(max_size=200))
def test_any_text_may_be_asked(text: str) -> None:
    asked = read_question(text, Splitter())
    assert len(set(asked.terms)) == len(asked.terms) <= 64
    assert all(exact.terms for exact in asked.exact)
