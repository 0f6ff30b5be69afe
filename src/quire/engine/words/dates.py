"""Dates as words: `2026-03-01` is also found by its month and by its year."""

from __future__ import annotations

import re

MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_SHORT = {name[:3]: name for name in MONTHS} | {"sept": "september"}
DATE = re.compile(r"(\d{4})[-/.](0?[1-9]|1[0-2])[-/.](0?[1-9]|[12]\d|3[01])(?:[t_].*)?", re.IGNORECASE)
_YEAR_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")


def spelled(text: str) -> tuple[str, str, str, str] | None:
    """A date in figures as (ISO date, month, day, year), the day empty where it says none; None if it is no date.

    >>> spelled("2026/3/01")
    ('2026-03-01', 'march', '1', '2026')
    """
    if found := DATE.fullmatch(text):
        year, month, day = found.groups()
        return f"{year}-{int(month):02}-{int(day):02}", MONTHS[int(month) - 1], str(int(day)), year
    if found := _YEAR_MONTH.fullmatch(text):
        return found[0], MONTHS[int(found[2]) - 1], "", found[1]
    return None


def date_words(moment: str) -> str:
    """The words by which people ask for a day: its month and its year, for the field `date` of a record.

    >>> date_words("2026-03-01T10:00:00Z")
    'march 2026'
    """
    found = spelled(moment[:10])
    return f"{found[1]} {found[3]}" if found else ""


def month_of(word: str) -> str:
    """The full name of a month's abbreviation where no other word is written like it (`mar` and `may` are), else ''."""
    return "" if word in ("mar", "may") else _SHORT.get(word, "")
