"""The copies that sync services leave when two devices wrote the same file."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from quire.locator import Locator, addressable


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """A copy, the file it belongs to, and the service whose naming this is.

    `certain` is false where a person may have chosen such a name ("Chapter 2.md"); those are only reported beside the
    file they would belong to. `original_exists` is false where one device changed what another deleted.
    """

    locator: Locator
    original: Locator
    service: str
    certain: bool
    original_exists: bool


# A row for each naming: the service, whether nobody would choose such a name, and what it puts between the original's
# stem and its extension. The first row that fits decides; of several suffixes on one name the last is the newest copy.
_NAMINGS = [
    ("quire", True, r" \(quire conflict [0-9a-f]{12}(?: \d+)?\)"),
    ("syncthing", True, r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    ("obsidian-sync", True, r" \(conflicted copy .+ \d{12}\)"),
    ("nextcloud", True, r" \(conflicted copy \d{4}-\d\d-\d\d \d{6}\)"),
    ("dropbox", True, r" \((?:[^()]+ )?conflicted copy[^()]*\)(?: \(\d+\))?"),
    ("dropbox", True, r" \((?:case|unicode encoding|white ?space) conflict(?: \d+)?\)"),
    ("google-drive", True, r"\[conflict(?:ed copy)?(?: \d+)?\]"),
    ("google-drive", False, r" \(\d{1,3}\)"),
    ("icloud", False, r" (?:[2-9]|[1-9]\d)"),
    ("onedrive", False, r"-(?=[A-Z0-9-]*[A-Z])[A-Z0-9][A-Z0-9-]{2,14}(?:-\d{1,3})?"),
    ("onedrive", False, r"-[\w-]*(?:MacBook|iMac|Laptop|Surface)[\w-]*"),
]
# What one of them has in any case: a vault of 100,000 names is looked at in one glance each.
_PERHAPS = re.compile(r"conflict| \(\d{1,3}\)| \d\d?(?:\.|$)|-[^ ]*[A-Z]", re.IGNORECASE)
_PATTERNS = [
    (service, certain, re.compile(suffix, re.IGNORECASE if certain else 0)) for service, certain, suffix in _NAMINGS
]


def recognise(name: str, siblings: Collection[str]) -> tuple[str, str, bool] | None:
    """(service, original name, certain) if `name` is a conflict copy, given the names around it; else None.

    >>> recognise("a.sync-conflict-20260102-030405-ABCDEFG.md", {"a.md"})
    ('syncthing', 'a.md', True)
    """
    if not _PERHAPS.search(name):
        return None
    split, dot, extension = name.rpartition(".")
    for stem, ending in ((split, dot + extension), (name, "")):
        for service, certain, pattern in _PATTERNS:
            # From the right, the shortest suffix first, so that a copy of a copy belongs to the copy.
            for start in range(len(stem) - 1, 0, -1):
                if stem[start] in " .-[" and pattern.fullmatch(stem, start):
                    original = stem[:start].rstrip(" ") + ending
                    if addressable(original) and (certain or original in siblings):
                        return service, original, certain
    return None
