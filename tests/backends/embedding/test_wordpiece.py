"""WordPiece, against cases whose pieces are known from BERT's own vocabulary."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.backends.embedding.weights import installed
from quire.backends.embedding.wordpiece import WordPiece, words

TOKENS = Path(installed().vocabulary).read_text(encoding="utf-8").split("\n")
PIECES = WordPiece(installed().vocabulary)


def pieces(text: str, limit: int = 512) -> str:
    return " ".join(TOKENS[number] for number in PIECES.encode(text, limit))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "[CLS] [SEP]"),
        (" \t\r\n", "[CLS] [SEP]"),
        ("Hello, World!", "[CLS] hello , world ! [SEP]"),
        ("query: cats", "[CLS] query : cats [SEP]"),
        ("unaffable", "[CLS] una ##ffa ##ble [SEP]"),
        ("TICKET-42", "[CLS] ticket - 42 [SEP]"),
        ("$5^2_a", "[CLS] $ 5 ^ 2 _ a [SEP]"),
        ("naïve CAFÉ", "[CLS] naive cafe [SEP]"),
        ("nai\u0308ve", "[CLS] naive [SEP]"),
        ("ÅNGSTRÖM", "[CLS] ang ##strom [SEP]"),
        ("我爱 you", "[CLS] 我 [UNK] you [SEP]"),
        ("a\x00b\x07c\u200bd\ufffde", "[CLS] abc ##de [SEP]"),
        ("a\u00a0b\u2003c", "[CLS] a b c [SEP]"),
        ("“quoted”—yes…", "[CLS] “ quoted ” — yes … [SEP]"),
        ("ΣΑΣ", "[CLS] σ ##α ##σ [SEP]"),
        ("👍", "[CLS] [UNK] [SEP]"),
        ("a" * 101 + " b", "[CLS] [UNK] b [SEP]"),
    ],
)
def test_a_text_has_the_pieces_that_the_model_was_trained_on(text: str, wanted: str) -> None:
    assert pieces(text) == wanted


def test_a_word_of_a_hundred_letters_is_taken_apart_and_a_longer_one_is_not() -> None:
    assert "[UNK]" not in pieces("a" * 100)
    assert pieces("a" * 101) == "[CLS] [UNK] [SEP]"


def test_what_is_too_long_is_cut_and_ends_as_all_do() -> None:
    assert pieces("one two three four", 4) == "[CLS] one two [SEP]"
    assert pieces("one two", 4) == "[CLS] one two [SEP]"
    assert len(PIECES.encode("word " * 100_000, 512)) == 512


def test_a_long_text_is_read_in_parts_as_if_it_were_read_whole() -> None:
    text = " ".join(f"naïve-{number} 汉字 e\u0301\x07x" for number in range(200))
    whole = [TOKENS.index("[CLS]"), *(number for word in words(text) for number in PIECES.encode(word, 512)[1:-1])]
    for limit in (8, 16, 100):
        assert PIECES.encode(text, limit)[:-1] == whole[: limit - 1]


@given(st.text(max_size=60))
def test_any_text_has_pieces_of_the_vocabulary(text: str) -> None:
    numbers = PIECES.encode(text, 32)
    assert 2 <= len(numbers) <= 32
    assert (TOKENS[numbers[0]], TOKENS[numbers[-1]]) == ("[CLS]", "[SEP]")
    assert all(0 <= number < len(TOKENS) for number in numbers)


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_ascii_is_read_as_any_other_text(text: str) -> None:
    assert words(text) == words(text + " é")[:-1]


def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("one\ntwo\n")
    with pytest.raises(ValueError, match="UNK"):
        WordPiece(str(tmp_path / "vocab.txt"))
