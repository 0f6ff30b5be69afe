"""One command from its words to its exit code. Whatever is refused is printed here, and nowhere else."""

from __future__ import annotations

import io
import os
import sys

from quire.errors import QuireError
from quire.inbound.cli.exits import GONE, INTERRUPTED, MISUNDERSTOOD, exit_code
from quire.inbound.cli.output import complain, flush
from quire.inbound.cli.parsing import Misunderstood, understood


def run(words: list[str]) -> int:
    """Do what the words say."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # memory is UTF-8, whatever the locale is
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    as_json = "--json" in words
    try:
        verb, asked = understood(words)
        code = verb.function()(asked) if verb else 0
        flush()
    except Misunderstood as error:
        if as_json:
            complain(QuireError(error.what, remedy=error.remedy), as_json=True, code="USAGE")
        else:
            print(f"{error.usage}\nquire: {error.what}. {error.remedy}", file=sys.stderr)
        return MISUNDERSTOOD
    except QuireError as error:
        complain(error, as_json=as_json)
        _let_go_of_the_output()
        return exit_code(error)
    except BrokenPipeError:
        _let_go_of_the_output()
        return GONE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    return code


def _let_go_of_the_output() -> None:
    """What is still buffered and cannot be written has nowhere to go; the interpreter must not try again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
