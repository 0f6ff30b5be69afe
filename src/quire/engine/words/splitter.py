"""Text to words. What a person would search for is a word, so an identifier is one, and its parts are too."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from quire.engine.words.dates import DATE, month_of, spelled
from quire.engine.words.scripts import RUN, fold, pairs
from quire.engine.words.stops import ENGLISH

MAX_WORD: Final = 64  # characters; what is longer is found by its parts, or by its beginning if it has none
LANGUAGES: Final = (
    "arabic", "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian",
    "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
_REMEMBERED: Final = 200_000  # spellings; then the memory of them starts anew
_LONGEST_REMEMBERED: Final = 40

_JOINED = re.compile(r"[^\W_](?:\+\+|#)(?![\w])|[^\W_]+(?:[-._/\\:@#+'’*=~&]+[^\W_]+)*")
_TONGUE = re.compile(r"[^\W_](?:\+\+|#)")  # C++, C#
_DOTTED = re.compile(r"[^\W_]+(?:[._][^\W_]+)+")  # U.S., a_b
_TIMES_AND_ASIDES = frozenset(("a.m", "p.m", "e.g", "i.e"))
_PART = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"['’]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DIGITS_BESIDE_LETTERS = re.compile(r"[a-z]\d|\d[a-z]")
_LETTERS_OR_DIGITS = re.compile(r"[a-z]{2,}|\d+")


class Splitter:
    """Text to words, in one language or none. It remembers each spelling it has met, so most words cost one look-up.

    `language` is one of LANGUAGES and says how words are stemmed; None stems nothing. Stop words are known for English.
    Raises ValueError for another language. Safe to use from several threads.
    """

    def __init__(self, language: str | None = "english") -> None:
        if language is not None and language not in LANGUAGES:
            raise ValueError(f"no stemmer for the language {language!r}; choose one of {', '.join(LANGUAGES)}, or None")
        self.language = language
        self._stops = ENGLISH if language == "english" else frozenset[str]()
        self._stem_one: Callable[[str], str] | None = None
        self._met: dict[str, tuple[str, ...]] = {}

    def words(self, text: str) -> list[str]:
        """The words of `text` in its order, each as often as it is said; an identifier is followed by its parts.

        >>> Splitter().words("Did the TICKET-42 dogs run to src/app.py?")
        ['ticket-42', 'ticket', '42', 'dog', 'run', 'src/app.py', 'src', 'app', 'py']
        """
        found: list[str] = []
        met = self._met
        for chunk in text.split():
            known = met.get(chunk)
            if known is None:
                known = self._read(chunk)
                if len(chunk) <= _LONGEST_REMEMBERED:
                    if len(met) >= _REMEMBERED:
                        met.clear()
                    met[chunk] = known
            found += known
        return found

    def _read(self, chunk: str) -> tuple[str, ...]:
        """The words of a text without spaces."""
        if not chunk.isascii():
            chunk = unicodedata.normalize("NFKC", chunk)
        if "," in chunk:
            chunk = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), chunk)
        found: list[str] = []
        last = 0
        if not chunk.isascii():
            for run in RUN.finditer(chunk):
                self._spaced(chunk[last : run.start()], found)
                found += pairs(fold(run[0]))
                last = run.end()
        self._spaced(chunk[last:], found)
        return tuple(found)

    def _spaced(self, text: str, found: list[str]) -> None:
        for joined in _JOINED.finditer(text):
            self._joined(joined[0], found)

    def _joined(self, spelling: str, found: list[str]) -> None:
        """One word, or several that are joined: an identifier, a path, a date, a hyphenated word."""
        spelling = _APOSTROPHE.sub("'", spelling)
        folded = fold(spelling)
        if folded.endswith("'s"):
            spelling, folded = spelling[:-2], folded[:-2]
        plain = folded.replace("'", "")
        if plain in self._stops:
            return
        if date := spelled(folded):
            found.append(date[0])
            found += [self._stem(date[1]), *filter(None, date[2:])]
        elif _NUMBER.fullmatch(folded):
            found.append(folded)
        elif plain.isalnum():
            self._one(plain, spelling, found)
        elif _TONGUE.fullmatch(folded):
            found.append(folded)
        else:
            self._several(folded, spelling, found)

    def _one(self, word: str, spelling: str, found: list[str]) -> None:
        if ordinal := _ORDINAL.fullmatch(word):
            found.append(ordinal[1])
            return
        found.append(self._stem(word)[:MAX_WORD])
        if month := self.language == "english" and month_of(word):
            found.append(self._stem(month))
        elif "'" in spelling:
            self._parts(_PART.findall(fold(spelling)), found)
        elif len(word) > 2 and word.isascii():
            if _DIGITS_BESIDE_LETTERS.search(word):
                self._parts(_LETTERS_OR_DIGITS.findall(word), found)
            elif not (spelling.islower() or spelling[1:].islower() or spelling.isupper()):
                self._parts([hump.lower() for hump in _HUMP.findall(spelling)], found)

    def _several(self, folded: str, spelling: str, found: list[str]) -> None:
        parts = _PART.findall(spelling)
        words: list[str] = []
        for part in parts:
            plain = fold(part)
            if plain not in self._stops:
                self._one(plain, part, words)
        if not words and (not _DOTTED.fullmatch(folded) or folded in _TIMES_AND_ASIDES):
            return  # and/or, he/she, e.g.
        if len(folded) <= MAX_WORD:
            found.append(folded)
        if stamp := DATE.match(folded):
            found += [word for word in self._read(stamp[0][:10]) if word not in words]
        found += words

    def _parts(self, parts: list[str], found: list[str]) -> None:
        if len(parts) > 1:
            found += [
                self._stem(part) for part in parts if part not in self._stops and (len(part) > 1 or part.isdigit())
            ]

    def _stem(self, word: str) -> str:
        """The stem; what has a figure in it is a name and has none."""
        if self.language is None or not word.isalpha() or len(word) > MAX_WORD:
            return word
        if self._stem_one is None:
            import Stemmer

            stemmer = Stemmer.Stemmer(self.language, 0)  # without a memory of its own it may serve several threads
            self._stem_one = stemmer.stemWord
        return self._stem_one(word)
