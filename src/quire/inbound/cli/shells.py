"""The scripts that complete a command line, one for each shell; all three are written from the table of verbs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence

from quire.inbound.cli.table import EVERYWHERE, Argument
from quire.inbound.cli.verbs import VERBS

Known = Mapping[str, Sequence[str]]

_SHOWN = [verb for verb in VERBS if not verb.hidden]
_ASKED = ("ids", "changes")  # only the storage knows these
_PATHS = ("files", "folders")

# How bash and zsh alike decide what is wanted: `known` words, or a `want` that is looked up.
_DECIDE = """\
    for word in "${before[@]}"; do
        if [[ -n $skip ]]; then skip=; continue; fi
        case $word in
            @VALUED@) skip=1 ;;
            -*) ;;
            *) verb=$word; break ;;
        esac
    done
    case $verb in
@OPTIONS@
    esac
    options+=(@EVERYWHERE@)
    case $previous in
@VALUES@
        *) case $current in
            -*) known=("${options[@]}") ;;
            *) case $verb in
                ''|help) want=verbs ;;
@WORDS@
            esac ;;
        esac ;;
    esac
"""

_BASH = """\
# Completion of quire for bash: put it into ~/.local/share/bash-completion/completions/quire, or source it.
_quire() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= skip= want= word
    local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}") options=() known=()
    COMPREPLY=()
@DECIDE@
    case $want in
        verbs) known=(@VERBS@) ;;
        files) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
        folders) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
        ?*) while IFS= read -r word; do known+=("$word"); done < <(
            quire __complete "$want" -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) ;;
    esac
    # Not with compgen -W, which would run what a file's name says.
    for word in "${known[@]}"; do
        if [[ $word == "$current"* ]]; then COMPREPLY+=("$(printf %q "$word")"); fi
    done
    if [[ $want == f* ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F _quire quire
"""

_ZSH = """\
#compdef quire
# Completion of quire for zsh: put it as _quire into a folder of $fpath, or source it after compinit.
_quire() {
    local current=${words[CURRENT]} previous=${words[CURRENT-1]} verb= skip= want= word
    local -a before=("${(@)words[2,CURRENT-1]}") options=() known=() verbs=()
@DECIDE@
    case $want in
        verbs)
            verbs=(@DESCRIBED@)
            _describe command verbs ;;
        files) _files ;;
        folders) _files -/ ;;
        ?*) known=("${(@f)$(quire __complete "$want" -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}") ;;
    esac
    if (( $#known )); then compadd -- "${(@)known:#}"; fi
}
if [[ $funcstack[1] == _quire ]]; then _quire "$@"; else compdef _quire quire; fi
"""

_FISH = """\
# Completion of quire for fish: put it into ~/.config/fish/completions/quire.fish.
complete -c quire -f
"""


def _bash(known: Known) -> str:
    names = " ".join(verb.name for verb in _SHOWN)
    return _BASH.replace("@DECIDE@\n", _decide(known)).replace("@VERBS@", f"{names} help")


def _zsh(known: Known) -> str:
    described = " ".join(shlex.quote(f"{verb.name}:{verb.help.replace(':', chr(92) + ':')}") for verb in _SHOWN)
    return _ZSH.replace("@DECIDE@\n", _decide(known)).replace("@DESCRIBED@", described)


def _decide(known: Known) -> str:
    options = [argument for argument in _every_argument() if argument.is_option]
    valued = {argument.name: argument for argument in options if argument.shown}
    words = {verb.name: [each for each in verb.arguments if not each.is_option] for verb in _SHOWN}
    parts = {
        "VALUED": "|".join(argument.name for argument in EVERYWHERE if argument.shown),
        "EVERYWHERE": _words(argument.name for argument in EVERYWHERE),
        "OPTIONS": _cases({verb.name: f"options=({_words(_options(verb.arguments))})" for verb in _SHOWN}, 8),
        "VALUES": _cases({name: _wanted(argument, known) for name, argument in valued.items()}, 8),
        "WORDS": _cases({name: _wanted(its[0], known) for name, its in words.items() if its}, 16),
    }
    text = _DECIDE
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _wanted(argument: Argument, known: Known) -> str:
    """What the shell sets to say what completes this argument."""
    if argument.values in (*_ASKED, *_PATHS):
        return f"want={argument.values}"
    given = argument.among or known.get(argument.values, ())
    return f"known=({_words(given)})" if given else ":"


def _cases(cases: Mapping[str, str], indent: int) -> str:
    """The branches of a `case`, those that do the same in one."""
    same: dict[str, list[str]] = {}
    for name, action in cases.items():
        same.setdefault(action, []).append(name)
    return "\n".join(f"{' ' * indent}{'|'.join(names)}) {action} ;;" for action, names in same.items())


def _fish(known: Known) -> str:
    lines = [
        f"complete -c quire -n __fish_use_subcommand -a {verb.name} -d {_fish_quoted(verb.help)}" for verb in _SHOWN
    ]
    lines += [_fish_line("", argument, known) for argument in EVERYWHERE]
    for verb in _SHOWN:
        condition = f" -n '__fish_seen_subcommand_from {verb.name}'"
        words = [argument for argument in verb.arguments if not argument.is_option]
        shown = [argument for argument in verb.arguments if argument.is_option] + words[:1]
        lines += [_fish_line(condition, argument, known) for argument in shown]
    return _FISH + "\n".join(line for line in lines if line) + "\n"


def _fish_line(condition: str, argument: Argument, known: Known) -> str:
    option = f" -l {argument.name[2:]} -d {_fish_quoted(argument.help)}" if argument.is_option else ""
    given = argument.among or known.get(argument.values, ())
    if argument.values in _ASKED:
        ask = f"quire __complete {argument.values} -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null"
        values = f" -a {_fish_quoted(f'({ask})')}"
    elif argument.values == "folders":
        values = " -a '(__fish_complete_directories)'"
    elif argument.values == "files":
        values = " -F"
    else:
        values = f" -a {_fish_quoted(' '.join(given))}" if given else ""
    needs = (" -r" if values == " -F" else " -x") if argument.is_option and argument.shown else ""
    return f"complete -c quire{condition}{option}{needs}{values}" if option or values else ""


def _every_argument() -> list[Argument]:
    return [*EVERYWHERE, *(argument for verb in _SHOWN for argument in verb.arguments)]


def _options(arguments: Iterable[Argument]) -> list[str]:
    return [argument.name for argument in arguments if argument.is_option]


def _words(words: Iterable[str]) -> str:
    return " ".join(shlex.quote(word) for word in words)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: Mapping[str, Callable[[Known], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
