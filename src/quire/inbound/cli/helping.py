"""Help, made from the table of verbs."""

from __future__ import annotations

import textwrap

from quire.inbound.cli.exits import MEANINGS
from quire.inbound.cli.table import EVERYWHERE, Argument, Verb
from quire.inbound.cli.verbs import VERBS

USAGE = "quire COMMAND [options]"
_WIDTH = 100
_COLUMN = 26


def of_all() -> str:
    """The help of the whole command line."""
    verbs = [(verb.name, verb.help) for verb in VERBS if not verb.hidden]
    return "\n".join(
        [
            f"usage: {USAGE}",
            "",
            "The memory an agent keeps, in markdown you own.",
            "",
            "commands:",
            *_columns([*verbs, ("help COMMAND", "the help of a command, with an example")]),
            "",
            "options of every command, before or after it:",
            *_arguments(EVERYWHERE),
            *_columns([("-h, --help", "print this, or the help of a command"), ("-V, --version", "print the version")]),
            "",
            "exit codes:",
            *_columns([(str(code), meaning) for code, meaning in MEANINGS.items()]),
            "",
        ]
    )


def of(verb: Verb) -> str:
    """The help of one verb."""
    lines = [f"usage: {verb.usage}", "", *_wrapped(f"{verb.help[0].upper()}{verb.help[1:]}. {verb.about}")]
    if verb.arguments:
        lines += ["", *_arguments(verb.arguments)]
    names = ", ".join(argument.name for argument in EVERYWHERE)
    lines += ["", *_wrapped(f"Options of every command (see quire --help): {names}.")]
    lines += ["", "example:" if len(verb.examples) == 1 else "examples:"]
    lines += [f"  {example}" for example in verb.examples]
    lines += ["", "exit codes:", *_columns([(str(code), meaning) for code, meaning in MEANINGS.items()]), ""]
    return "\n".join(lines)


def _arguments(arguments: tuple[Argument, ...]) -> list[str]:
    words = [argument for argument in arguments if not argument.is_option]
    options = [argument for argument in arguments if argument.is_option]
    return _columns([(argument.shown if not argument.is_option else argument.usage, _said(argument))
                     for argument in (*words, *options)])  # fmt: skip


def _said(argument: Argument) -> str:
    return f"{argument.help}: {', '.join(argument.among)}" if argument.among else argument.help


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    lines = []
    for left, right in rows:
        wrapped = textwrap.wrap(right, _WIDTH - _COLUMN) or [""]
        if len(left) > _COLUMN - 4:
            lines += [f"  {left}", " " * _COLUMN + wrapped[0]]
        else:
            lines.append(f"  {left:<{_COLUMN - 2}}{wrapped[0]}")
        lines += [" " * _COLUMN + more for more in wrapped[1:]]
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text.strip(), _WIDTH)
