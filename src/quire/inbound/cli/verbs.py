"""The verbs: one table."""

from __future__ import annotations

from quire.inbound.cli.table import Argument, Verb, flag, option, word

_ID = word("ID", "the entry", values="ids")
_IDS = word("ID", "the entries", many=True, values="ids")
_TEXT = word("TEXT", "the text; - reads standard input, as does nothing where that is no terminal", needed=False)
_KIND = option("--kind", "KIND", "what it is", values="kinds")
_TITLE = option("--title", "TITLE", "one line that says what it is about")
_TAG = option("--tag", "TAG", "a tag; may be repeated", many=True, values="tags")
_AT = option("--at", "TIME", "when it happened, as 2026-06-01 or 2026-06-01T09:30")
_SOURCE = option("--source", "SOURCE", "where it comes from")
_DERIVED = option("--derived-from", "ID", "an entry that it was made from; may be repeated", many=True, values="ids")
_FIELD = option("--field", "NAME=VALUE", "a further field of the frontmatter, as YAML; may be repeated", many=True)
_REASON = option("--reason", "WORDS", "why, for the entry and the journal")
_SINCE = option("--since", "TIME", "from this moment on")
_EVERYWHERE = flag("--everywhere", "of all scopes in the root")
_LIMIT = option("--limit", "N", "at most so many", number=True)
_WRITE = option("--write", "TEXT", "replace it by this text; - reads standard input")
_APPEND = option("--append", "TEXT", "add this line at the end; - reads standard input")

VERBS: tuple[Verb, ...] = (
    Verb(
        "init",
        "make the root and the config file, and show what was done",
        "starting:init",
        ("quire init", "quire init --storage vault --root ~/Obsidian/Agent --timezone Europe/Berlin"),
        about="What is given is written into the config file, where other keys and comments stay as they are. Nothing "
        "that exists is overwritten, and doing it twice changes nothing. What cannot work is refused before anything "
        "is written.",
    ),
    Verb(
        "save",
        "remember a text, and print its id",
        "saving:save",
        ('quire save "Run the suites one after the other." --kind fix --title "Locked database" --tag sqlite',),
        (
            _TEXT,
            _KIND,
            option("--slug", "SLUG", "the name of its file, instead of one made from the title or the text"),
            _TITLE,
            _TAG,
            flag("--always-load", "put it before the agent at the start of every session"),
            option("--supersedes", "ID", "the entry that it takes the place of", values="ids"),
            _DERIVED,
            _SOURCE,
            option("--status", "STATUS", "active, or inbox for what somebody has yet to look at", values="statuses"),
            option("--valid-from", "TIME", "since when it is true"),
            option("--valid-to", "TIME", "until when it was true"),
            _AT,
            _FIELD,
        ),
        about="The same text again is counted, not doubled; another text under the same name is another entry.",
    ),
    Verb(
        "append",
        "add an entry to the log of a day, and print its id",
        "saving:append",
        ('quire append "Moved the suites to one worker." --at 2026-06-01T09:30',),
        (_TEXT, _KIND, _AT, _TITLE, _TAG, _DERIVED, _SOURCE, _FIELD),
        about="The kind is one that is a log: episode, unless another is given.",
    ),
    Verb(
        "show",
        "print an entry as it is on disk",
        "looking:show",
        ("quire show fix/locked-database",),
        (_ID, flag("--body", "the text without its frontmatter")),
    ),
    Verb(
        "list",
        "list entries, one a line",
        "looking:list_",
        ("quire list --kind fix --tag sqlite", "quire list --status all --since 2026-06-01"),
        (
            _KIND,
            option("--status", "STATUS", "these, separated by commas, or all", values="statuses"),
            option("--tag", "TAG", "those with this tag", values="tags"),
            _SINCE,
            option("--until", "TIME", "before this moment"),
            _LIMIT,
            option("--after", "MARK", "go on behind the page that ended with this mark"),
            _EVERYWHERE,
        ),
        about="Without --status, those that are active or in the inbox. Files that cannot be read are named on "
        "standard error, and hide nothing but themselves.",
    ),
    Verb(
        "edit",
        "open an entry in your editor, and replace it if the result is sound",
        "editing:edit",
        ("quire edit fix/locked-database", "quire edit fix/locked-database --from draft.md"),
        (
            _ID,
            option("--from", "FILE", "take the whole text from here instead; - reads standard input", values="files"),
            option("--if-version", "VERSION", "only if its file is at this version"),
        ),
        about="The editor is $VISUAL, else $EDITOR. If the result is refused, or somebody changed the entry meanwhile, "
        "your text is kept, and the message says where and how to go on.",
    ),
    Verb(
        "evolve",
        "put a new entry in the place of an old one, and print its id",
        "revising:evolve",
        ('quire evolve fix/locked-database "Give each suite its own database." --reason "It is faster."',),
        (_ID, _TEXT, _REASON, _FIELD),
        about="Fields that are not changed are kept. The old entry is superseded, and stays.",
    ),
    Verb(
        "rename",
        "give an entry another name, and rewrite the links to it",
        "revising:rename",
        ("quire rename fix/locked-database-2 a-database-each",),
        (_ID, word("SLUG", "its new name, without the kind")),
    ),
    Verb(
        "retag",
        "change the tags of an entry",
        "revising:retag",
        ("quire retag fix/a-database-each --add testing --remove sqlite",),
        (
            _ID,
            option("--add", "TAG", "add this tag; may be repeated", many=True, values="tags"),
            option("--remove", "TAG", "remove this tag; may be repeated", many=True, values="tags"),
            option("--set", "TAGS", "have these and no others, separated by commas; '' for none"),
        ),
    ),
    Verb(
        "forget",
        "mark entries as deleted: never recalled again, and still there",
        "revising:forget",
        ('quire forget fix/a-database-each --reason "The suites are gone."',),
        (_IDS, _REASON),
    ),
    Verb(
        "archive",
        "put entries away: no longer recalled, and still there",
        "revising:archive",
        ("quire archive fix/a-database-each",),
        (_IDS, _REASON),
    ),
    Verb(
        "restore",
        "make entries active again: what was deleted, archived, or in the inbox",
        "revising:restore",
        ("quire restore fix/a-database-each",),
        (_IDS, _REASON),
    ),
    Verb(
        "purge",
        "erase entries for good, and what the journal keeps of them",
        "revising:purge",
        ("quire purge fix/a-database-each --yes",),
        (_IDS, flag("--yes", "say that this is meant")),
        about="The only verb that erases. It cannot be undone.",
    ),
    Verb(
        "undo",
        "take back the last change, one change, or all of a run",
        "revising:undo",
        ("quire undo", "quire undo --run tidying"),
        (word("CHANGE", "the change, by its id or the beginning of it", needed=False, values="changes"),),
        about="What was made from an entry that is withdrawn is withdrawn with it. Here, --run names the run to take "
        "back. An undo can be undone, by its id. Where a text has changed since, nothing is done.",
    ),
    Verb(
        "history",
        "show the chain an entry is in, or what the journal knows",
        "looking:history",
        ("quire history fix/locked-database --changes", "quire history --limit 10"),
        (
            word("ID", "the entry; without it, the changes of all of them", needed=False, values="ids"),
            flag("--changes", "what the journal knows of it, too, the newest first"),
            _LIMIT,
        ),
    ),
    Verb(
        "digest",
        "show what was changed in space that is not the agent's alone",
        "looking:digest",
        ("quire digest --since 2026-06-01",),
        (_SINCE,),
        about="The changes of shared entries and of your own notes, the newest first, each with its diff. "
        "quire undo takes one back by its id.",
    ),
    Verb(
        "context",
        "print what is put before the agent at the start of a session",
        "looking:context",
        ("quire context --budget 2000",),
        (option("--budget", "TOKENS", "at most so many tokens; 2000, if not given", number=True),),
    ),
    Verb(
        "index",
        "write the map of contents, _index.md",
        "looking:index",
        ("quire index",),
        about="Made from the frontmatter, and only written where it changes.",
    ),
    Verb(
        "plan",
        "read or write the plan of a project",
        "project:plan",
        ("quire plan release --write '# Release'", "quire plan release"),
        (word("NAME", "which plan; the unnamed one, if not given", needed=False), _WRITE, _APPEND),
        about="Plans lie in the synced root where there is one, else in .harness/ of --project-folder; if that is not "
        "given, of the nearest folder, from here up, that has a .harness or a .git. A plan that is not there is an "
        "error, never another plan.",
    ),
    Verb(
        "harness",
        "read or write the progress and the features of a project",
        "project:harness",
        ("quire harness progress --append 'The suites pass.'", "quire harness"),
        (
            Argument("what", "which; without it, what there is", "WHAT", among=("progress", "features")),
            _WRITE,
            _APPEND,
        ),
        about="They lie where the plans do.",
    ),
    Verb(
        "personal",
        "write one of your own notes, on your request",
        "project:personal",
        ("quire personal Today.md 'Call the dentist.' --request 'note that I have to call the dentist'",),
        (
            word("PATH", "the note, below the folder of your own notes"),
            _TEXT,
            Argument("--request", "the words that ask for it; both are kept in the journal", "WORDS", needed=True),
            option("--if-version", "VERSION", "only if the note is at this version"),
        ),
    ),
    Verb(
        "lint",
        "say what is wrong in the root, and repair what has one right answer",
        "linting:lint",
        ("quire lint", "quire lint --fix"),
        (flag("--fix", "repair; each repair can be undone"), _EVERYWHERE),
        about="Exits with 1 if a finding of the severity 'error' is left.",
    ),
    Verb(
        "import",
        "bring in a folder of markdown; doing it again doubles nothing",
        "transfer:import_",
        ("quire import ~/Vault --dry-run", "quire import ~/Vault --kind domain-reference"),
        (
            word("PATH", "the folder, or a file of JSON Lines; - is standard input", values="folders"),
            option("--name", "NAME", "how it is known when it is done again, instead of the name of the folder"),
            option("--flavour", "NAME", "what made it, instead of what it looks like", values="flavours"),
            option("--kind", "KIND", "the kind of notes that do not say theirs", values="kinds"),
            flag("--dry-run", "say what would be done, and change nothing"),
        ),
        about="What could not be brought in, or was changed on both sides, is listed, and stays as it is; then it "
        "exits with 1. An import is one run, which is printed, and which quire undo --run takes back.",
    ),
    Verb(
        "export",
        "write the memory to a folder of plain files, or as JSON Lines",
        "transfer:export",
        ("quire export backup", "quire export - --jsonl"),
        (
            word("PATH", "the folder, or the file of --jsonl; - is standard output", values="folders"),
            flag("--jsonl", "one file of JSON Lines instead of a folder"),
            option("--status", "STATUS", "only these, separated by commas", values="statuses"),
            _EVERYWHERE,
        ),
        about="What is there is not overwritten; a file that is in the way is listed, and then it exits with 1.",
    ),
    Verb(
        "doctor",
        "try the configured storage and memory for real, and say what is wrong",
        "doctor:run",
        ("quire doctor", "quire doctor --storage vault --root ~/Obsidian/Agent"),
        about="Reads the configuration, opens the storage it names, writes, reads, lists and deletes a probe in it, "
        "and reads every entry. Exits with 1 if anything failed.",
    ),
    Verb(
        "completion",
        "print the completion of a shell",
        "completion:completion",
        ("quire completion bash > ~/.local/share/bash-completion/completions/quire",),
        (
            Argument(
                "shell", "the shell it is for", "SHELL", needed=True, among=("bash", "zsh", "fish"), values="shells"
            ),
        ),
    ),
    Verb("__complete", "what completes an id", "completion:candidates", (), (word("WORDS", "", many=True),), "", True),
)
BY_NAME = {verb.name: verb for verb in VERBS}
