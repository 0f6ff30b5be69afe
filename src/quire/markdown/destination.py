"""Destinations: what stands in the round brackets of `[text](note.md#heading "title")`, where it names a note."""

from __future__ import annotations

import re

from quire.markdown.hidden import HIDDEN

_TITLE = r"\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)"
_BARE = rf"(?:[^\s()<{HIDDEN}]|\([^\s(){HIDDEN}]*+\))(?:[^\s(){HIDDEN}]++|\([^\s(){HIDDEN}]*+\))*+"
_ANGLE = rf"<([^<>\n{HIDDEN}]*+)>"
INLINE = re.compile(rf"\]\(\s*+(?:{_ANGLE}|({_BARE}))(?:\s++(?:{_TITLE}))?\s*+\)")
DEFINITION = re.compile(
    rf"^\ufeff?[ \t>]*+(?:[-+*][ \t]++)?\[(?!\^)[^\[\]\n]++\]:[ \t]*+(?:{_ANGLE}|([^\s<>{HIDDEN}]++))"
    rf"(?:[ \t]++(?:{_TITLE}))?[ \t]*+\r?$",
    re.MULTILINE,
)

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
_EXTENSION = re.compile(r"[^/]\.([A-Za-z0-9]{1,10})\Z")
_NO_EXTENSION = re.compile(r"(?!/)(?:[^\n\[\](){}<>|*\"]*/)?(?!\.{1,2}\Z)[^\s/\[\](){}<>|*\"][^\n/\[\](){}<>|*\"]*")
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\"#%()<>?\[\\\]^`{|}]")
_UNSAFE_IN_ANGLES = re.compile(r"[\x00-\x1f\x7f#%<>?\\|]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")


def note(raw: str, *, image: bool = False) -> str | None:
    """The path of the note that a destination names, decoded, without the heading; None where it names none.

    A note has the extension `.md` or, as some tools write it, none. What is shown as an image has the first; and what
    begins with a slash, as without an extension that is a page of a web site.

    >>> note("a%20b.md#part"), note("a"), note("https://example.org/a.md"), note("a.png"), note("#part")
    ('a b.md', 'a', None, None, None)
    """
    path = raw.partition("#")[0]
    if not path or _SCHEME.match(path) or "?" in path:
        return None
    target = decoded(path)
    extension = _EXTENSION.search(target)
    if extension is not None:
        named = extension[1].lower() == "md" and "\n" not in target
    else:
        named = not image and bool(_NO_EXTENSION.fullmatch(target))
    return target if named else None


def decoded(raw: str) -> str:
    """The text that `raw` is a spelling of: without backslashes and percent signs that are but spelling."""
    if "\\" in raw:
        raw = _BACKSLASH.sub(r"\1", raw)
    return _PERCENT.sub(_octets, raw) if "%" in raw else raw


def _octets(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def respelled(raw: str, new: str, *, angles: bool) -> str:
    """The path `new` spelled as `raw` is. The folders that stay keep their very bytes."""
    parts, names = raw.split("/"), new.split("/")
    known = [decoded(part) for part in parts]
    head = 0
    while head < min(len(known), len(names)) and known[head] == names[head]:
        head += 1
    tail = 0
    while tail < min(len(known), len(names)) - head and known[-1 - tail] == names[-1 - tail]:
        tail += 1
    foreign = not _FOREIGN.search(raw) and bool(_FOREIGN.search("/".join(known)))
    middle = [_encoded(name, angles=angles, foreign=foreign) for name in names[head : len(names) - tail]]
    return "/".join([*parts[:head], *middle, *parts[len(parts) - tail :]])


def _encoded(name: str, *, angles: bool, foreign: bool) -> str:
    name = (_UNSAFE_IN_ANGLES if angles else _UNSAFE).sub(_percent, name)
    return _FOREIGN.sub(_percent, name) if foreign else name


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in match[0].encode("utf-8", "surrogatepass"))
