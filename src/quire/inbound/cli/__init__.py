"""The command line: parse, call, print. What a verb needs is imported when it runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXIT_CODES = """\
exit codes:
  0  done
  1  it could not be done; standard error says why, and what to do
  2  the command was not understood
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors of Quire are printed, not raised."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        import quire

        print(f"quire {quire.__version__}")
        return 0
    parser = _parser()
    parsed = parser.parse_args(words)
    if parsed.run is None:
        parser.print_help()
        return 0

    from quire.errors import QuireError

    try:
        return int(parsed.run(parsed))
    except QuireError as error:
        print(f"quire: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of a pipe has gone; what is still buffered has nowhere to go either.
        sys.stderr.close()
        return 1


def _parser() -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog="quire",
        description="The memory an agent keeps, in markdown you own.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    parser.set_defaults(run=None)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND")

    doctor = verbs.add_parser(
        "doctor",
        help="try the configured storage for real, and say what is wrong with it",
        description="Reads the configuration, opens the storage it names, and writes, reads, lists and deletes a probe "
        "in it. Exits with 1 if anything failed.",
        epilog="example:\n  quire doctor --storage vault --option root=~/Notes\n\n" + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    doctor.add_argument("--config", metavar="FILE", help="the config file, instead of the usual one")
    doctor.add_argument("--storage", metavar="NAME", help="the backend, instead of the configured one")
    doctor.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="an option of the backend; may be repeated"
    )
    doctor.set_defaults(run=_doctor)
    return parser


def _doctor(parsed: argparse.Namespace) -> int:
    from quire.inbound.cli.doctor import run

    return run(parsed)
