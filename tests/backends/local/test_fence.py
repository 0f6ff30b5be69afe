"""What protects a text from writers that take no lock: editors, sync clients, other machines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.backends.local import DeviceLocalBackend, rename
from quire.backends.local.folder import Place
from quire.backends.local.writers import Stage
from quire.errors import AlreadyExists, Conflict, OutcomeUnknown
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of

AT = Locator("notes/a.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def storage(root: Path) -> Iterator[DeviceLocalBackend]:
    with DeviceLocalBackend(root) as storage:
        storage.write(AT, "old")
        yield storage


def foreign(root: Path, text: str) -> None:
    """A write as an editor does it: temporary file, then rename, and no lock."""
    temporary = root / "notes" / "editor.tmp"
    temporary.write_text(text)
    temporary.replace(root / "notes" / "a.md")


def litter(root: Path) -> list[str]:
    return [
        str(path.relative_to(root)) for path in root.rglob(".quire-*") if not path.name.startswith(".quire-writers")
    ]


def before_call(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *actions: Callable[[], object]) -> None:
    """Run one action before each of the first calls of a function: the window a race needs, held open."""
    real = getattr(owner, name)
    waiting = list(actions)

    def wrapped(*arguments: object, **keywords: object) -> object:
        if waiting:
            waiting.pop(0)()
        return real(*arguments, **keywords)

    monkeypatch.setattr(owner, name, wrapped)


def test_a_foreign_write_inside_the_window_is_seen_and_stands(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(monkeypatch, rename, "exchange", lambda: foreign(root, "from an editor"))
    with pytest.raises(Conflict) as caught:
        storage.write(AT, "new", if_version=version_of("old"))
    assert caught.value.current == version_of("from an editor")
    assert storage.read(AT) == "from an editor"
    assert os.listdir(root / "notes") == ["a.md"]


def test_a_foreign_delete_inside_the_window_conflicts(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(monkeypatch, rename, "exchange", (root / "notes" / "a.md").unlink)
    with pytest.raises(Conflict) as caught:
        storage.write(AT, "new", if_version=version_of("old"))
    assert caught.value.current is None
    assert os.listdir(root / "notes") == []


def test_of_two_foreign_writes_both_texts_are_kept(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(
        monkeypatch, rename, "exchange", lambda: foreign(root, "first editor"), lambda: foreign(root, "second editor")
    )
    with pytest.raises(Conflict):
        storage.write(AT, "new", if_version=version_of("old"))
    texts = {path.name: path.read_text() for path in (root / "notes").iterdir()}
    assert sorted(texts.values()) == ["first editor", "second editor"]
    assert [name for name in texts if name != "a.md"] == [
        f"a (quire conflict {version_of(texts[name])[:12]}).md" for name in texts if name != "a.md"
    ]


def test_a_foreign_write_while_deleting_is_put_back(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(monkeypatch, os, "rename", lambda: foreign(root, "from an editor"))
    with pytest.raises(Conflict):
        storage.delete(AT, if_version=version_of("old"))
    assert storage.read(AT) == "from an editor"
    assert litter(root) == []


def test_a_foreign_write_while_moving_is_moved_back(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(monkeypatch, rename, "noreplace", lambda: foreign(root, "from an editor"))
    with pytest.raises(Conflict):
        storage.move(AT, Locator("elsewhere/a.md"), if_version=version_of("old"))
    assert storage.read(AT) == "from an editor"
    assert not storage.exists(Locator("elsewhere/a.md"))


def test_a_foreign_file_at_the_name_of_a_creation_is_never_replaced(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "notes" / "a.md").unlink()
    before_call(monkeypatch, rename, "noreplace", lambda: foreign(root, "from an editor"))
    with pytest.raises(AlreadyExists):
        storage.write(AT, "new", if_version=ABSENT)
    assert storage.read(AT) == "from an editor"
    assert litter(root) == []


def test_where_nothing_can_be_exchanged_the_lock_alone_protects(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise rename.Unsupported("as on a file system without it")

    monkeypatch.setattr(rename, "exchange", refuse)
    monkeypatch.setattr(rename, "noreplace", refuse)
    storage.write(AT, "new", if_version=version_of("old"))
    with pytest.raises(Conflict):
        storage.write(AT, "newer", if_version=version_of("old"))
    with pytest.raises(AlreadyExists):
        storage.write(AT, "newer", if_version=ABSENT)
    storage.write(Locator("b.md"), "b", if_version=ABSENT)
    with pytest.raises(AlreadyExists):
        storage.move(Locator("b.md"), AT)
    storage.move(Locator("b.md"), Locator("c.md"))
    storage.delete(AT, if_version=version_of("new"))
    assert [info.locator.key for info in storage.walk(Locator())] == ["c.md"]
    assert litter(root) == []


def test_an_exchange_that_cannot_be_checked_is_unknown_and_finished_by_the_next_open(
    storage: DeviceLocalBackend, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_call(monkeypatch, rename, "exchange", lambda: foreign(root, "from an editor"))
    with monkeypatch.context() as patch:
        real = Place.read

        def failing(self: Place, name: str | None = None) -> bytes:
            if name and name.startswith(".quire-x-"):
                raise OSError(5, "Input/output error")
            return real(self, name)

        patch.setattr(Place, "read", failing)
        with pytest.raises(OutcomeUnknown):
            storage.write(AT, "new", if_version=version_of("old"))
    storage.close()
    with DeviceLocalBackend(root) as again:
        assert again.recovered == 1
        assert again.read(AT) == "from an editor"
    assert litter(root) == []


DIES = """
import os, signal, sys
from pathlib import Path
from quire.backends.local import DeviceLocalBackend, publish, rename
from quire.locator import Locator
from quire.ports.storage import version_of
root, moment, foreign, verb = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
storage = DeviceLocalBackend(root)
def foreign_write():
    if foreign:
        (root / "editor.tmp").write_text(foreign)
        (root / "editor.tmp").replace(root / "notes" / "a.md")
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def around(owner, name):
    real = getattr(owner, name)
    def wrapped(*arguments, **keywords):
        foreign_write()
        if moment == "before": die()
        real(*arguments, **keywords)
        die()
    setattr(owner, name, wrapped)
if verb == "write":
    around(rename, "exchange")
    storage.write(Locator("notes/a.md"), "new", if_version=version_of("old"))
else:
    around(os, "rename")
    storage.delete(Locator("notes/a.md"), if_version=version_of("old"))
"""


@pytest.mark.parametrize("verb", ["write", "delete"])
@pytest.mark.parametrize("text", ["", "from an editor"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_writer_that_dies_in_the_window_takes_no_text_with_it(root: Path, moment: str, text: str, verb: str) -> None:
    with DeviceLocalBackend(root) as storage:
        storage.write(AT, "old")
    died = subprocess.run([sys.executable, "-c", DIES, str(root), moment, text, verb], check=False)
    assert died.returncode == -signal.SIGKILL
    with DeviceLocalBackend(root) as storage:
        found = {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator())}
    if text:
        # A deletion in flight knows only a hash of the name, so there the text may come back beside it.
        assert text in found.values()
        assert "new" not in found.values()
    elif verb == "write":
        assert found == {"notes/a.md": "old" if moment == "before" else "new"}
    else:
        assert found == ({"notes/a.md": "old"} if moment == "before" else {})
    assert litter(root) == []
    assert not (root / ".quire-writers").exists()


def test_what_a_living_writer_needs_is_left_alone(storage: DeviceLocalBackend, root: Path) -> None:
    storage.write(AT, "newer")  # so that it has a record
    temporary = root / "notes" / storage._writers.temporary(Stage.WRITING).name
    temporary.write_text("half writ")
    with DeviceLocalBackend(root) as other:
        assert other.recovered == 0
        assert temporary.exists()
        assert [info.locator for info in other.walk(Locator())] == [AT]
        assert other.list(Locator("notes")) == [AT]
