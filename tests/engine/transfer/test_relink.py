"""Links of notes that come in: those that still mean the same are not touched, the others say where it is now."""

from __future__ import annotations

import posixpath

import pytest

import quire
from quire import Locator, Memory
from quire.backends.ram import RamBackend
from quire.engine.listing import files
from quire.engine.resolving import Names
from quire.engine.transfer import Imported
from quire.markdown.links import links
from tests.engine.conftest import Time
from tests.engine.looking import tree
from tests.engine.transfer.carrying import entry_of, fill, outcomes, reason


def led(memory: Memory, result: Imported, path: str) -> list[str]:
    """The paths of the source to whose entries the links of the note at `path` lead; "?" for none or several."""
    entry = entry_of(memory, result, path)
    others = [at for at in memory.core.files() if memory.core.layout.parse(at) is None]
    names = Names.of(files(memory.core, everywhere=True), others)
    back = {item.at: item.path for item in result.items}
    found = [names.resolve(link, entry.locator, entry.scope) for link in links(entry.document)]
    return [back.get(targets[0].locator.key, "?") if len(targets) == 1 else "?" for targets in found]


def test_a_link_by_name_is_not_touched(memory: Memory, source: RamBackend) -> None:
    text = "[[My Note]], [[my note#Part|there]], ![[pic.png]], [[Nowhere]], `[[code]]`\n"
    fill(source, {"a.md": text, "deep/er/My Note.md": "", "img/pic.png": b"1"})
    result = memory.import_from(source, name="notes")
    assert entry_of(memory, result, "a.md").body == text
    assert led(memory, result, "a.md") == ["deep/er/My Note.md", "deep/er/My Note.md", "img/pic.png", "?"]


def test_a_link_by_path_becomes_one_by_name(memory: Memory, source: RamBackend) -> None:
    fill(source, {"a.md": "[[deep/Note]] [[deep/Note#Part|as I say]]\n", "deep/Note.md": ""})
    result = memory.import_from(source, name="notes")
    assert entry_of(memory, result, "a.md").body == "[[Note]] [[Note#Part|as I say]]\n"


def test_of_two_notes_of_one_name_each_link_keeps_its_own(memory: Memory, source: RamBackend) -> None:
    notes = {
        "a/x.md": "[[x]] is me",
        "b/x.md": "[[x]] is me too",
        "b/y.md": "[[x]] is beside me",
        "z.md": "[[b/x]] and [[a/x]] and [[x]]",
    }
    result = memory.import_from(fill(source, notes), name="notes")
    assert led(memory, result, "b/y.md") == ["b/x.md"]
    assert led(memory, result, "z.md") == ["b/x.md", "a/x.md", "a/x.md"]
    assert entry_of(memory, result, "b/y.md").text == "[[x-2]] is beside me"


def test_a_name_that_was_ours_before_does_not_catch_their_links(memory: Memory, source: RamBackend) -> None:
    memory.save("Mine.", kind="idea", slug="x")
    fill(source, {"x.md": "Theirs.", "y.md": "See [[x]]."})
    result = memory.import_from(source, name="notes")
    assert led(memory, result, "y.md") == ["x.md"]
    assert entry_of(memory, result, "y.md").text == "See [[x-2]]."


def test_markdown_links_lead_from_the_new_place(memory: Memory, source: RamBackend) -> None:
    notes = {
        "a/one.md": "[two](../b/two.md#part 'title') [three](<./my three.md>) [web](https://x.y/z.md) [self](#part)\n",
        "b/two.md": "---\nkind: fix\n---\n[one](../a/one.md)\n\n[1]: ../a/my%20three.md\n",
        "a/my three.md": "",
    }
    result = memory.import_from(fill(source, notes), name="notes")
    assert led(memory, result, "a/one.md") == ["b/two.md", "a/my three.md"]
    assert led(memory, result, "b/two.md") == ["a/one.md", "a/my three.md"]
    body = entry_of(memory, result, "a/one.md").body
    assert "#part 'title')" in body
    assert body.endswith("[web](https://x.y/z.md) [self](#part)\n")


@pytest.mark.parametrize(
    "text",
    [
        "![x](img/my%20pic.png)",
        "![x](<img/my pic.png>)",
        '[x](./img/my%20pic.png "title")',
        "[x]: img/my%20pic.png",
        "[![x](img/my%20pic.png)](other.md)",
    ],
)
def test_pictures_are_shown_from_the_new_place(memory: Memory, source: RamBackend, text: str) -> None:
    fill(source, {"n/a.md": f"{text}\n\n`{text}`\n", "n/img/my pic.png": b"1", "n/other.md": ""})
    result = memory.import_from(source, name="notes")
    entry = entry_of(memory, result, "n/a.md")
    assert f"`{text}`" in entry.body
    shown = entry.body.partition("\n")[0].replace("%20", " ")
    at = shown[shown.index("..") : shown.index(".png") + 4]
    key = posixpath.normpath(posixpath.join(entry.locator.parent.key, at))
    assert memory.core.storage.read_bytes(Locator(key)) == b"1"


def test_links_in_fields_are_kept_like_those_in_the_text(memory: Memory, source: RamBackend) -> None:
    fill(source, {"a.md": '---\nup: "[[sub/Topic]]" # mine\nlist: ["[[Topic]]"]\n---\n', "sub/Topic.md": ""})
    result = memory.import_from(source, name="notes")
    head = entry_of(memory, result, "a.md").document.text
    assert 'up: "[[Topic]]" # mine\nlist: ["[[Topic]]"]\n' in head


def test_permalinks_of_basic_memory_become_links_by_name(memory: Memory, source: RamBackend) -> None:
    coffee = "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\n---\n- goes_with [[drinks/tea]]\n"
    tea = "---\ntitle: Tea leaves\ntype: note\npermalink: drinks/tea\n---\n- goes_with [[Coffee]]\n"
    result = memory.import_from(fill(source, {"Coffee.md": coffee, "Tea leaves.md": tea}), name="notes")
    assert result.flavour == "basic-memory"
    assert led(memory, result, "Coffee.md") == ["Tea leaves.md"]
    assert entry_of(memory, result, "Tea leaves.md").body == "- goes_with [[Coffee]]\n"


def test_claude_code_links_by_the_name_in_the_frontmatter(memory: Memory, source: RamBackend) -> None:
    fill(
        source,
        {
            "MEMORY.md": "- [Tests](feedback_tests.md) — always\n",
            "feedback_tests.md": "---\nname: run-tests\ntype: feedback\n---\nSee [[use-uv]].\n",
            "project_uv.md": "---\nname: use-uv\ntype: project\n---\n",
        },
    )
    result = memory.import_from(source, name="atlas")
    assert led(memory, result, "feedback_tests.md") == ["project_uv.md"]
    assert led(memory, result, "MEMORY.md") == ["feedback_tests.md"]


def test_links_of_a_root_are_not_touched_in_the_same_layout(memory: Memory, layout: str, time: Time) -> None:
    memory.save("One.", kind="fix", slug="one")
    memory.save("[[one]] [[fix/one]] [two](./two.md) ![x](../x.png)", kind="fix", slug="two")
    before = tree(memory)
    out = RamBackend()
    memory.export_to(out)
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as other:
        other.import_from(out, name="old")
        assert tree(other) == before


def test_ids_in_fields_follow_an_entry_that_got_another(memory: Memory, layout: str, time: Time) -> None:
    mine = memory.append("Mine.", scope="user")
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as other:
        time.forward(minutes=1)
        theirs = other.append("Theirs.", scope="user")
        assert theirs.id == mine.id
        other.save("Learnt from it.", kind="insight", slug="learnt", derived_from=[theirs.id], scope="user")
        out = RamBackend()
        other.export_to(out)
    memory.import_from(out, name="other")
    [source] = memory.get("insight/learnt", scope="user").derived_from
    assert memory.get(source, scope="user").text == "Theirs."


def test_a_link_to_what_was_purged_here_stays_as_it_is(memory: Memory, source: RamBackend) -> None:
    fill(source, {"a.md": "Text", "sub/b.md": "Text"})
    result = memory.import_from(source, name="notes")
    memory.purge(entry_of(memory, result, "sub/b.md").id, yes=True)
    fill(source, {"a.md": "[[sub/b]]"})
    again = memory.import_from(source, name="notes")
    assert outcomes(again) == {"a.md": "updated", "sub/b.md": "away"}
    assert entry_of(memory, again, "a.md").text == "[[sub/b]]"


def test_links_that_were_rewritten_do_not_make_a_note_another(memory: Memory, source: RamBackend) -> None:
    """Without the ledger, a note that says its own source is known by its text, in which links may be others."""
    fill(source, {"a/x.md": "1", "b/x.md": "2", "n.md": "---\nsource: a book\n---\n[[b/x]] [[a/x]]"})
    memory.import_from(source, name="notes")
    memory.core.storage.delete(Locator(".journal/imports/notes.jsonl"))
    before = tree(memory)
    assert memory.import_from(source, name="notes").counts == {"same": 3}
    assert tree(memory) == before


def test_a_link_that_cannot_be_spelled_is_told_and_the_others_are_kept(memory: Memory, source: RamBackend) -> None:
    note = "---\ntitle: {0}\ntype: note\npermalink: n/{0}\n---\n"
    fill(
        source,
        {
            "a.md": note.format("a") + "[[n/sharp]] and [[n/flat]]\n",
            "c#d.md": note.format("sharp").replace("title: sharp", "title: flat"),
            "e.md": note.format("flat"),
        },
    )
    result = memory.import_from(source, name="notes")
    assert entry_of(memory, result, "a.md").body == "[[n/sharp]] and [[e]]\n"
    assert reason(result, "a.md") == "no link can say where 'n/sharp' is now"
