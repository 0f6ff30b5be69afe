"""Words to what was asked, by the table of verbs. Only the parser of the verb that is meant is built."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from typing import NoReturn

from quire.errors import NotText
from quire.inbound.cli import helping
from quire.inbound.cli.output import put
from quire.inbound.cli.table import EVERYWHERE, Argument, Verb
from quire.inbound.cli.verbs import BY_NAME, VERBS


class Misunderstood(Exception):
    """What cannot be understood, and how it would be written."""

    def __init__(self, what: str, remedy: str, usage: str = helping.USAGE) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.usage = f"usage: {usage}"


class _Parser(argparse.ArgumentParser):
    verb: Verb

    def error(self, message: str) -> NoReturn:
        raise Misunderstood(message, f"See quire {self.verb.name} --help", self.verb.usage)


def understood(words: list[str]) -> tuple[Verb | None, argparse.Namespace]:
    """The verb and what was asked of it; None where help was asked for, and given. Raises Misunderstood, NotText."""
    for number, text in enumerate(words, 1):
        _require_text(text, number)
    at = verb_at(words)
    name = words[at] if at < len(words) else ""
    asks = {"-h", "--help"} & set(words[: words.index("--") if "--" in words else len(words)])
    if name == "help":
        name, asks = next((text for text in words[at + 1 :] if not text.startswith("-")), ""), {"help"}
    if not words or (asks and name in ("", "help")):
        put(helping.of_all())
        return None, argparse.Namespace()
    if name not in BY_NAME:
        raise _unknown(name)
    verb = BY_NAME[name]
    if asks:
        put(helping.of(verb))
        return None, argparse.Namespace()
    return verb, _parser(verb).parse_args(words[:at] + words[at + 1 :])


def verb_at(words: list[str]) -> int:
    """Where the verb stands: the first word that is neither an option of every verb nor the value of one."""
    with_value = {argument.name for argument in EVERYWHERE if argument.shown}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        at += 2 if words[at] in with_value else 1
    return at


def everywhere(words: list[str]) -> argparse.Namespace:
    """What the options of every verb say in a command line that is not finished."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.verb = BY_NAME["completion"]
    for argument in EVERYWHERE:
        _add(parser, argument)
    return parser.parse_known_args(words)[0]


def _parser(verb: Verb) -> _Parser:
    parser = _Parser(prog=f"quire {verb.name}", add_help=False, allow_abbrev=False)
    parser.verb = verb
    parser.set_defaults(verb=verb.name)
    for argument in (*EVERYWHERE, *verb.arguments):
        _add(parser, argument)
    return parser


def _add(parser: argparse.ArgumentParser, argument: Argument) -> None:
    name, shown = argument.name, argument.shown
    choices = argument.among or None
    if not argument.is_option:
        nargs = ("+" if argument.needed else "*") if argument.many else None if argument.needed else "?"
        parser.add_argument(name, metavar=shown, nargs=nargs, choices=choices)
    elif not shown:
        parser.add_argument(name, action="store_true")
    elif argument.many:
        parser.add_argument(name, metavar=shown, action="append", default=[])
    else:
        kind = int if argument.number else str
        parser.add_argument(name, metavar=shown, type=kind, choices=choices, required=argument.needed)


def _unknown(name: str) -> Misunderstood:
    if not name:
        return Misunderstood("no command was given", "See quire --help")
    near = get_close_matches(name, [verb.name for verb in VERBS if not verb.hidden], 1)
    return Misunderstood(f"there is no command {name!r}", f"Did you mean {near[0]!r}?" if near else "See quire --help")


def _require_text(text: str, number: int) -> None:
    """A word of the shell that is not UTF-8 comes with its bytes disguised as halves of characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = len(text[: error.start].encode("utf-8"))
        raise NotText(f"byte {at} is not UTF-8", where=f"argument {number}", remedy="Give it as UTF-8") from error
