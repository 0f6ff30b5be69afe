"""What a verb is: a row of which the parser, the help, the completion and the check of the docs are all made."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Argument:
    """A word or an option of a verb. `values` says what completes it: kinds, statuses, ids, files, folders, …"""

    name: str  # "text", or "--kind"
    help: str
    shown: str = ""  # what stands for its value; empty for a flag
    many: bool = False
    needed: bool = False
    values: str = ""
    among: tuple[str, ...] = ()  # where nothing else will do
    number: bool = False

    @property
    def is_option(self) -> bool:
        return self.name.startswith("-")

    @property
    def usage(self) -> str:
        """How it is written, as in `[TEXT]`, `ID...`, `--kind KIND`."""
        if self.is_option:
            return f"{self.name} {self.shown}".strip()
        dots = "..." if self.many else ""
        return f"{self.shown}{dots}" if self.needed else f"[{self.shown}{dots}]"


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: `run` is the module below this package and the function in it, which takes what was asked."""

    name: str
    help: str
    run: str
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    about: str = ""  # what a person should know beyond the line of help
    hidden: bool = False

    def function(self) -> Callable[[Any], int]:
        """The code of the verb, imported now and not before."""
        module, _, name = self.run.partition(":")
        found: Callable[[Any], int] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        return found

    @property
    def usage(self) -> str:
        words = " ".join(argument.usage for argument in self.arguments if not argument.is_option)
        return f"quire {self.name} {words} [options]".replace("  ", " ")


def word(shown: str, help: str, *, needed: bool = True, many: bool = False, values: str = "") -> Argument:
    """An argument that is told by its position."""
    return Argument(shown.lower(), help, shown, needed=needed, many=many, values=values)


def option(name: str, shown: str, help: str, *, many: bool = False, values: str = "", number: bool = False) -> Argument:
    """An option with a value; `many` may be repeated."""
    return Argument(name, help, shown, many=many, values=values, number=number)


def flag(name: str, help: str) -> Argument:
    """An option that is there or not."""
    return Argument(name, help)


# Options of every verb, before or after it.
EVERYWHERE = (
    option("--root", "DIR", "the folder of the storage", values="folders"),
    option("--storage", "NAME", "the backend, instead of the configured one", values="storages"),
    option("--option", "NAME=VALUE", "an option of the backend; may be repeated", many=True),
    option("--config", "FILE", "the config file, instead of the usual one", values="files"),
    option("--layout", "NAME", "how entries lie in the root: root or vault", values="layouts"),
    option("--scope", "SCOPE", "whose entries: user:alice, agent, shared, or app/project/user:alice", values="scopes"),
    option("--app", "NAME", "the app whose memory it is"),
    option("--project", "NAME", "the project whose memory it is"),
    option("--user", "NAME", "the user whose memory it is"),
    option("--agent", "NAME", "the agent whose memory it is"),
    option("--timezone", "ZONE", "where the person lives, as in Europe/Berlin"),
    option("--personal", "DIR", "the folder of the person's own notes", values="folders"),
    option("--project-folder", "DIR", "the project's own folder, for plans that are not synced", values="folders"),
    option("--run", "NAME", "the run that these changes belong to, and can be undone with"),
    flag("--json", "print JSON, of a documented shape"),
)
