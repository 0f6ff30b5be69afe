#!/bin/sh
# The main job, in a fresh folder: memories are files, and files are yours. Needs no network, no key and no server.
set -eu
HOME=$(mktemp -d)
export HOME
# Nothing the user has configured may lead the demo to their own memories.
unset XDG_CONFIG_HOME XDG_STATE_HOME $(env | sed -n 's/^\(QUIRE_[A-Z_]*\)=.*/\1/p')
trap 'rm -rf "$HOME"' EXIT
cd "$HOME"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. Save three memories"
run quire save "The test database is locked when two suites run: start them one after the other." \
    --kind fix --title "Locked database" --tag testing
run quire save "Answer in three sentences unless asked for more." --kind preference --slug short-answers --always-load
run quire save "Release on Tuesdays, after the backup. See [[locked-database]] if the suite hangs." --kind workflow --slug release
run quire list

say "2. They are markdown files, and yours: edit one with any editor; here sed"
release=$(quire show workflow/release --json | python -c 'import json, sys; print(json.load(sys.stdin)["path"])')
run sed -i 's/Tuesdays/Thursdays/' "$HOME/.quire/$release"
run quire show workflow/release

say "3. What turns out better takes the place of what was; the chain stays"
run quire evolve fix/locked-database "Give each suite a database of its own; then they may run side by side." --reason "measured"
run quire history fix/locked-database

say "4. Rename one, and the link to it follows"
run quire undo
run quire rename fix/locked-database one-suite-at-a-time
run quire show workflow/release --body

say "5. Forget one, softly, and take that back"
run quire forget preference/short-answers --reason "only for the demo"
run quire list
run quire undo
run quire list

say "6. What an agent is told at the start of every session"
run quire context

say "7. A log, by the day; and what the person asks of it"
run quire append "Ada asked for shorter answers." --kind episode
run quire list --kind episode

say "8. Is anything wrong? Two look: lint at the text, the doctor at everything"
run quire lint
run quire doctor
