"""WordPiece as BERT's lower-case models want it: text to the numbers of their vocabulary, in plain Python.

Case and accents are dropped, each punctuation mark and each Chinese character is a word of its own, and a word that the
vocabulary does not have is taken apart from the left, the longest known piece first.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LONGEST_WORD = 100  # letters; a longer one is a word nobody knows
_WORDS_KEPT = 20_000  # whose pieces are remembered; most of a text is words that came before

# Where Chinese characters lie in Unicode, as BERT has it. Kana and Hangul are not among them.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_DROPPED = ("Cc", "Cf", "Co", "Cs")  # control, format, private, half of a pair


class WordPiece:
    """The tokens of a vocabulary: one in each line, and its line is its number."""

    def __init__(self, vocabulary: str) -> None:
        """Reads the file. Raises OSError if it cannot, ValueError if it is not a vocabulary of BERT's."""
        with open(vocabulary, encoding="utf-8", newline="\n") as file:
            self._numbers = {line.rstrip("\n"): number for number, line in enumerate(file)}
        try:
            self._unknown, self._first, self._last = (self._numbers[f"[{name}]"] for name in ("UNK", "CLS", "SEP"))
        except KeyError as error:
            raise ValueError(f"{vocabulary} has no token {error.args[0]}") from error
        self._pieces = lru_cache(_WORDS_KEPT)(self._taken_apart)

    def encode(self, text: str, limit: int) -> list[int]:
        """The numbers of a text, between those that mark its ends; `limit` counts both marks. The rest is cut off."""
        # A token is at least one letter of what comes before, unless that is dropped; a book need not be read for 512.
        numbers = [self._first]
        for piece in _slices(text, limit):
            for word in words(piece):
                numbers += self._pieces(word)
            if len(numbers) >= limit:
                break
        return [*numbers[: limit - 1], self._last]

    def _taken_apart(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found, at = [], 0
        while at < len(word):
            lead = "##" if at else ""
            for end in range(len(word), at, -1):
                number = self._numbers.get(lead + word[at:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            at = end
        return tuple(found)


def _slices(text: str, limit: int) -> list[str]:
    """A long text in parts that end between words, so that only as much is read as counts."""
    size = limit * 16
    if len(text) <= size:
        return [text]
    parts, at = [], 0
    while at < len(text):
        end = at + size
        while end < len(text) and text[end] not in " \t\n\r":
            end += 1
        parts.append(text[at:end])
        at = end
    return parts


def words(text: str) -> list[str]:
    """The words of a text: lower case, without accents, punctuation apart."""
    if text.isascii():
        return "".join(_ASCII[ord(letter)] for letter in text).split()
    kept = "".join(_cleaned(letter) for letter in text)
    return "".join(_parted(letter) for letter in unicodedata.normalize("NFD", kept)).split()


@lru_cache(4096)
def _cleaned(letter: str) -> str:
    if letter in "\t\n\r":
        return " "
    if letter == "\ufffd" or unicodedata.category(letter) in _DROPPED:
        return ""
    return letter


@lru_cache(4096)
def _parted(letter: str) -> str:
    """A letter as it stands in a word, or between blanks where it is one. Each alone: no sigma knows it is the last."""
    code, category = ord(letter), unicodedata.category(letter)
    if category == "Mn":
        return ""
    if letter.isspace():
        return " "
    if category[0] == "P" or _is_mark(code) or any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {letter} "
    return letter.lower()


def _is_mark(code: int) -> bool:
    """Among ASCII all that is neither letter, digit nor blank is a mark, such as $ and ^."""
    return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126


_ASCII = ["".join(map(_parted, _cleaned(chr(code)))) for code in range(128)]
