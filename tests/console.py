"""What a terminal session is expected to print, with wildcards."""

from __future__ import annotations

import re


def matches(expected: str, printed: str) -> bool:
    """Whether `printed` is what is expected: `...` is anything on a line, and alone on a line any lines."""
    pattern = re.escape(expected).replace(r"\.\.\.", ".*")
    return bool(re.fullmatch(re.sub(r"(?m)^\.\*\\\n", r"(?:.*\\n)*?", pattern), printed))
