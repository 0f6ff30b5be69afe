"""Scalars: what plain text means, and how a value is spelled so that every YAML reader takes it for that value."""

from __future__ import annotations

import re
from typing import Final

from quire.markdown.node import DOUBLE, MAX_DIGITS, PLAIN, SINGLE, Value

_WORDS: Final[dict[str, Value]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# As long as their decimal digits may be: whatever is read can be written.
_OCTAL = re.compile(r"0o[0-7]{1,198}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,165}")
_NUMBER_STARTS = frozenset("0123456789+-.")

# Whatever a reader could not print, or would take for the end of a line: written as an escape only.
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# What a reader of YAML 1.1 takes for a boolean, null, a merge or a default.
_OLD_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
# Numbers of any version: bases, underscores, exponents, sexagesimals, dates and times.
_NUMERIC = re.compile(r"[-+.]?[0-9][-+0-9_,.:xXoObBa-fA-FeEtTzZ ]*")
_UNMISTAKABLE = re.compile(r"\w[^:#,\[\]{}\"'`&*!|>%@\\\t]*(?<! )")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')


def resolved(text: str) -> Value:
    """The value of a plain scalar in the core schema of YAML 1.2: null, a boolean, a number, else the text itself.

    >>> [resolved(text) for text in ("3", "true", "yes", "2026-01-01", "")]
    [3, True, 'yes', '2026-01-01', None]
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or len(text) > MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    return int(text[2:], 16) if _HEXADECIMAL.fullmatch(text) else text


def spelled(value: str | float | None, like: str = "", *, flow: bool = False) -> str:
    """A scalar as text on one line, in the style `like` where the value can be written so.

    Without a style, text is quoted wherever a reader of YAML 1.1 or 1.2 could take it for something else.

    >>> spelled("on"), spelled("on", PLAIN), spelled("on", DOUBLE), spelled(True), spelled("it's 1:30")
    ("'on'", 'on', '"on"', 'true', "it's 1:30")
    """
    if not isinstance(value, str):
        return _constant(value)
    if like == DOUBLE or _UNPRINTABLE.search(value):
        return _double(value)
    if like == PLAIN and plain_reads_back(value, flow=flow):
        return value
    if like != SINGLE and unmistakable(value, flow=flow):
        return value
    return "'" + value.replace("'", "''") + "'"


def _constant(value: float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        shown = repr(value)
        if "e" in shown and "." not in shown:
            return shown.replace("e", ".0e")  # without a point it is text to a reader of YAML 1.1
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(shown, shown)
    return str(value)


def _double(text: str) -> str:
    def escape(match: re.Match[str]) -> str:
        number = ord(match[0])
        return _ESCAPES.get(match[0]) or (f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}")

    return '"' + _ESCAPED.sub(escape, text) + '"'


def plain_reads_back(text: str, *, flow: bool) -> bool:
    """Whether `text` without quotes is read as this very text by a reader of YAML 1.2."""
    if text != text.strip() or resolved(text) != text or "\t" in text:
        return False
    if text[0] in "-?:" and (len(text) == 1 or text[1] == " " or flow):
        return False
    if text[0] in ",[]{}#&*!|>'\"%@`" or ": " in text or " #" in text or text[-1] == ":":
        return False
    return not flow or not any(mark in text for mark in ",[]{}?")  # a "?" ends a plain text there for some readers


def unmistakable(text: str, *, flow: bool) -> bool:
    """Whether no reader of any version could take `text` without quotes for anything but this text."""
    if not plain_reads_back(text, flow=flow):
        return False
    if text.lower() in _OLD_WORDS or _NUMERIC.fullmatch(text):
        return False
    return bool(_UNMISTAKABLE.fullmatch(text)) or (not flow and text[0].isalpha())


def writable(text: str) -> bool:
    """Whether the text can be in a file at all: a lone surrogate cannot."""
    return not _SURROGATE.search(text)
