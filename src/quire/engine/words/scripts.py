"""Scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.

Their runs become overlapping pairs and single characters: no dictionary is needed, and a question of any length meets
what it is part of.
"""

from __future__ import annotations

import re
import unicodedata

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Korean
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese, and the marks of repetition
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese
)
RUN = re.compile(f"[{_UNSPACED}]+")
_MARKS = re.compile("(?<=[A-Za-z\u0370-\u03ff\u1f00-\u1fff])[\u0300-\u036f]+")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run, then its single characters.

    >>> pairs("東京都")
    ['東京', '京都', '東', '京', '都']
    """
    return [run[i : i + 2] for i in range(len(run) - 1)] + list(run)


def fold(text: str) -> str:
    """Case, width and the diacritics of Latin and Greek letters taken away. Other scripts keep their marks.

    >>> fold("Ｃafé ÅNGSTRÖM Straße й")
    'cafe angstrom strasse й'
    """
    if text.isascii():
        return text.lower()
    wide = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", wide)).translate(_LETTERS)
