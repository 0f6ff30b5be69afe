"""The command line: parse, call, print. What a verb needs is imported when it runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors of Quire are printed, not raised."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        import quire

        print(f"quire {quire.__version__}")
        return 0
    from quire.inbound.cli.running import run

    return run(words)
