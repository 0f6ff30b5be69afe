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
python - <<'PY'
from quire import ABSENT, open_storage

with open_storage() as storage:
    for key, text in {
        "fix/locked-database.md": "The test database is locked when two suites run: start them one after the other.\n",
        "preference/short-answers.md": "Answer in three sentences unless asked for more.\n",
        "workflow/release.md": "Release on Tuesdays, after the backup.\n",
    }.items():
        print("saved", storage.write(storage.resolve(key), text, if_version=ABSENT))
PY
run ls -R "$HOME/.quire"

say "2. Edit one by hand, with any editor; here sed"
run sed -i 's/Tuesdays/Thursdays/' "$HOME/.quire/workflow/release.md"

say "3. List them and show one, from a new process"
python - <<'PY'
from quire import open_storage

with open_storage() as storage:
    for info in storage.walk(storage.resolve()):
        print(f"{info.size:>4} bytes  {info.locator}")
    print("\nworkflow/release.md says:", storage.read(storage.resolve("workflow/release.md")).strip())
PY

say "4. A writer that has not seen the edit cannot trample it"
python - <<'PY'
from quire import Conflict, open_storage, version_of

with open_storage() as storage:
    at = storage.resolve("workflow/release.md")
    try:
        storage.write(at, "Release whenever.\n", if_version=version_of("Release on Tuesdays, after the backup.\n"))
    except Conflict as error:
        print("refused:", error)
PY

say "5. Forget one, softly, and take that back"
python - <<'PY'
from quire import open_storage

with open_storage() as storage:
    at, away = storage.resolve("preference/short-answers.md"), storage.resolve("_archive/short-answers.md")
    storage.move(at, away)
    print("forgotten:", [str(info.locator) for info in storage.walk(storage.resolve())])
    storage.move(away, at)
    print("undone:   ", [str(info.locator) for info in storage.walk(storage.resolve())])
PY

say "6. Does the storage work? The doctor tries it"
run quire doctor
