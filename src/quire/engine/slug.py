"""Slugs: a name for a file, made from words, that every file system and every sync service keeps."""

from __future__ import annotations

import unicodedata

from quire.errors import InvalidEntry, InvalidLocatorError
from quire.locator import normalize_key
from quire.ports.storage import version_of

MAX_SLUG_BYTES = 80  # leaves room for a suffix, an extension and a sync service's own additions within 255
_WORDS = 8  # of a text that has no title
_LINE = 1000  # characters of its first line that are looked at


def _words_of(text: str) -> list[str]:
    """The words of `text`. Marks belong to their letters: Thai and Hindi cannot be written without them."""
    return "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in text).split()


def slug_of(text: str) -> str:
    """A slug for `text`: its words in lower case, joined by hyphens; letters of every script stay.

    >>> slug_of("E2BIG: the *argument* list")
    'e2big-the-argument-list'
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text[:_LINE]).lower())
    slug = _cut("-".join(_words_of(folded)))
    if not slug:
        return f"note-{version_of(text.encode('utf-8', 'replace'))[:8]}"
    return slug if _safe(slug) else f"note-{slug}"


def slug_of_body(body: str) -> str:
    """A slug from the first words of a text that has no title."""
    for line in body.splitlines():
        words = _words_of(line[:_LINE])
        if words:
            return slug_of(" ".join(words[:_WORDS]))
    return slug_of(body)


def checked_slug(slug: str) -> str:
    """`slug` if it can be one as it is. Raises InvalidEntry, with the slug it could be."""
    if not isinstance(slug, str):
        raise InvalidEntry(
            f"a slug is text, not {type(slug).__name__}", remedy="Use lower case words joined by hyphens"
        )
    normal = unicodedata.normalize("NFC", slug)
    plain = _words_of(normal.replace("-", "x").replace("_", "x")) == [normal.replace("-", "x").replace("_", "x")]
    if normal != normal.lower() or not plain or normal[0] in "-_" or len(normal.encode()) > MAX_SLUG_BYTES:
        raise InvalidEntry(
            f"{slug[:100]!r} is not a slug: lower case words joined by hyphens, at most {MAX_SLUG_BYTES} bytes",
            remedy=f"Use {slug_of(slug)!r}",
        )
    if not _safe(normal):
        raise InvalidEntry(f"{slug!r} is a name that some file systems reserve", remedy="Use another word")
    return normal


def numbered(slug: str, number: int) -> str:
    """The slug of the `number`th entry of this name: itself, then `-2`, `-3`.

    >>> numbered("release", 1), numbered("release", 2)
    ('release', 'release-2')
    """
    return slug if number == 1 else f"{_cut(slug, MAX_SLUG_BYTES - 1 - len(str(number)))}-{number}"


def _cut(slug: str, limit: int = MAX_SLUG_BYTES - 8) -> str:
    """Not longer than `limit` bytes, cut between words where there is one to cut at."""
    raw = slug.encode()
    if len(raw) <= limit:
        return slug
    short = raw[:limit].decode("utf-8", "ignore")
    head, hyphen, _ = short.rpartition("-")
    return (head if hyphen and len(head) > limit // 2 else short).rstrip("-")


def _safe(slug: str) -> bool:
    try:
        return normalize_key(f"{slug}.md") == f"{slug}.md"
    except InvalidLocatorError:
        return False
