"""Locator: an address in some storage that cannot leave its root.

A key is `/`-separated, relative, in Unicode NFC. Whatever could climb out of a root, or be one name on this system and
another on the next, is refused when the locator is made, so that no backend has to think of it again.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from quire.errors import InvalidLocatorError

MAX_SEGMENT_BYTES = 255  # what ext4, APFS and NTFS hold in one name
MAX_KEY_BYTES = 1024  # what S3 holds in one key
RESERVED_PREFIX = ".quire-"

# Control characters, line separators and bidirectional overrides: invisible, and different names look alike.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_DRIVE = re.compile(r"[A-Za-z]:")
# Windows takes these for devices whatever the extension, and reads the superscript digits as digits.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE)
# Names that need no further look, the shape nearly every real file has: a walk of a large folder lives on this. Five
# characters before the first dot or space are more than any device has.
_PLAIN = re.compile(r"[A-Za-z0-9_-]{5}[A-Za-z0-9_ -]{0,100}\.[A-Za-z0-9]{1,16}")


def normalize_key(key: str) -> str:
    """The one spelling of `key`: empty and `.` segments dropped, a leading `/` ignored, NFC.

    Raises InvalidLocatorError, naming the segment and the reason, for anything that is not a safe relative key.

    >>> normalize_key("/notes//./today.md")
    'notes/today.md'
    """
    if not isinstance(key, str):
        raise InvalidLocatorError(f"a key must be text, not {type(key).__name__}")
    if len(key) > MAX_KEY_BYTES * 4:
        raise _refused(key[:80] + "…", f"the key is longer than {MAX_KEY_BYTES} bytes")
    segments = [part for part in unicodedata.normalize("NFC", key).split("/") if part not in ("", ".")]
    for segment in segments:
        reason = _objection(segment)
        if reason:
            raise _refused(key, f"segment {segment!r}: {reason}")
    result = "/".join(segments)
    if len(result.encode()) > MAX_KEY_BYTES:
        raise _refused(key[:80] + "…", f"the key is longer than {MAX_KEY_BYTES} bytes")
    return result


plain = _PLAIN.fullmatch  # whether a name found in a folder needs no further look; None says nothing


def addressable(name: str) -> bool:
    """Whether a name found in a folder can be one segment of a locator, spelled as it is or after NFC."""
    return name not in ("", ".") and "/" not in name and _objection(unicodedata.normalize("NFC", name)) is None


@lru_cache(maxsize=4096)  # the folders of a root are asked about with each file that is in them
def _objection(segment: str) -> str | None:
    """Why `segment` cannot be a name, or None. One reason a line, in the order a reader would ask."""
    if segment == "..":
        return "a locator never climbs; there is no '..'"
    if "\\" in segment:
        return "a backslash is a separator on Windows; use '/' between segments"
    if _UNPRINTABLE.search(segment):
        return "control and direction characters are not allowed in names"
    if _DRIVE.match(segment):
        return "this reads as a Windows drive letter"
    if segment[-1] in ". ":
        return "Windows drops a trailing dot or space, so two names would be one"
    if _DEVICE.fullmatch(segment):
        return "Windows reserves this name for a device"
    if segment.lower().startswith(RESERVED_PREFIX):
        return f"names that begin with {RESERVED_PREFIX!r} are for Quire's own temporary files"
    try:
        size = len(segment.encode())
    except UnicodeEncodeError:
        return "the name is not valid Unicode (a lone surrogate)"
    if size > MAX_SEGMENT_BYTES:
        return f"the name is longer than {MAX_SEGMENT_BYTES} bytes"
    return None


def _refused(key: str, reason: str) -> InvalidLocatorError:
    return InvalidLocatorError(
        f"{key!r} is not a key: {reason}",
        remedy="A key is a relative path such as 'notes/today.md'",
    )


@dataclass(frozen=True, slots=True, order=True)
class Locator:
    """A place in a backend's namespace: a value, hashable and ordered by its key, that does no I/O.

    Raises InvalidLocatorError at construction; a Locator that exists is safe in every backend.

    >>> Locator("notes").child("2026", "today.md")
    Locator(key='notes/2026/today.md')
    """

    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", normalize_key(self.key))

    @property
    def parts(self) -> tuple[str, ...]:
        """The segments; `()` for the root."""
        return tuple(self.key.split("/")) if self.key else ()

    @property
    def name(self) -> str:
        """The last segment; `""` for the root."""
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> Locator:
        """The folder around it; the root is its own parent."""
        return trusted(self.key.rpartition("/")[0])

    def child(self, *parts: str) -> Locator:
        """A place below this one. Each part is normalised; none can climb."""
        return Locator("/".join((self.key, *(normalize_key(part) for part in parts))))

    def __str__(self) -> str:
        return self.key


_new = object.__new__
_set_key = vars(Locator)["key"].__set__  # the slot itself, as a frozen instance refuses plain assignment


def trusted(key: str) -> Locator:
    """A Locator of a key that is known to be normal: cut from another, or checked with `addressable`."""
    locator = _new(Locator)
    _set_key(locator, key)
    return locator
