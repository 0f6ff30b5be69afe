"""What a power cut may leave of a folder: the file calls of one process, recorded, and the disks they allow.

POSIX promises little. A file's bytes are on disk once the file was fsynced; a name once its folder was. Whatever came
since the last fsync may be there or not, in any combination, except that one rename is one step. `Recorder` listens to
the calls; `Disk.after_power_loss` draws one of the states a worst-case file system may wake up with.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from quire.backends.local import rename


@dataclass(eq=False)
class File:
    content: bytes = b""
    durable: bytes | None = None  # None: no fsync yet, so nothing is promised

    def survivor(self, chance: random.Random, strict: bool) -> bytes:
        kept = self.durable if self.durable is not None else b""
        if strict or self.content == kept:
            return kept
        # What an append leaves untouched is not written again, so only what is new can be torn.
        old = kept if self.content.startswith(kept) else b""
        new = self.content[len(old) :]
        return chance.choice([kept, self.content, old + new[: chance.randrange(len(new) + 1)], old + b"\0" * len(new)])


@dataclass(eq=False)
class Folder:
    names: dict[str, File | Folder] = field(default_factory=dict)
    durable: dict[str, File | Folder] = field(default_factory=dict)


Node = File | Folder
Step = list[tuple[Folder, str, Node | None]]  # what one call does to names; None takes a name away


class Disk:
    """The folder as the process sees it, and what of it is promised."""

    def __init__(self) -> None:
        self.root = Folder()
        self.pending: list[Step] = []

    def step(self, *changes: tuple[Folder, str, Node | None]) -> None:
        for folder, name, node in changes:
            if node is None:
                folder.names.pop(name, None)
            else:
                folder.names[name] = node
        self.pending.append(list(changes))

    def fsync(self, node: Node) -> None:
        if isinstance(node, File):
            node.durable = node.content
            return
        node.durable = dict(node.names)
        for step in self.pending:
            step[:] = [change for change in step if change[0] is not node]
        self.pending = [step for step in self.pending if step]

    def after_power_loss(self, chance: random.Random, into: Path) -> str:
        """Write one state the disk may be in to `into`. Returns which kind it is."""
        mode = chance.choice(["strict", "in order", "in any order"])
        survivors: dict[int, dict[str, Node]] = {}
        self._start(self.root, survivors)
        steps = self.pending
        if mode == "strict":
            steps = []
        elif mode == "in order":
            steps = steps[: chance.randrange(len(steps) + 1)]
        else:
            steps = [step for step in steps if chance.random() < 0.5]
        for step in steps:
            for folder, name, node in step:
                names = survivors.setdefault(id(folder), dict(folder.durable))
                if node is None:
                    names.pop(name, None)
                else:
                    names[name] = node
        self._write(self.root, survivors, into, chance, mode == "strict")
        return mode

    def _start(self, folder: Folder, survivors: dict[int, dict[str, Node]]) -> None:
        survivors[id(folder)] = dict(folder.durable)
        for node in {**folder.names, **folder.durable}.values():
            if isinstance(node, Folder) and id(node) not in survivors:
                self._start(node, survivors)

    def _write(
        self, folder: Folder, survivors: dict[int, dict[str, Node]], into: Path, chance: random.Random, strict: bool
    ) -> None:
        into.mkdir()
        for name, node in survivors.get(id(folder), folder.durable).items():
            if isinstance(node, Folder):
                self._write(node, survivors, into / name, chance, strict)
            else:
                (into / name).write_bytes(node.survivor(chance, strict))


class Recorder:
    """Tells a Disk of the calls the backend makes below `root`, and calls `after` when one has changed something."""

    def __init__(self, root: Path, after: Callable[[], None]) -> None:
        self.disk = Disk()
        self._after = after
        self._nodes: dict[int, Node] = {root.stat().st_ino: self.disk.root}
        self._paused = False

    @contextmanager
    def recording(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with monkeypatch.context() as patch:
            for name in ("open", "write", "fsync", "fdatasync", "rename", "mkdir", "unlink", "rmdir"):
                patch.setattr(os, name, self._listening(getattr(os, name), getattr(self, f"heard_{name}")))
            for name in ("noreplace", "exchange"):
                patch.setattr(rename, name, self._listening(getattr(rename, name), getattr(self, f"heard_{name}")))
            yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """For what the check does itself, which is not part of the story."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def _listening(self, real: Callable[..., Any], heard: Callable[..., bool]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            result = real(*arguments, **keywords)
            if not self._paused:
                with self.paused():
                    if heard(result, *arguments, **keywords):
                        self._after()
            return result

        return call

    def _node(self, fd: int) -> Node | None:
        return self._nodes.get(os.fstat(fd).st_ino)

    def _folder(self, fd: int) -> Folder:
        folder = self._node(fd)
        assert isinstance(folder, Folder)
        return folder

    def heard_open(self, fd: int, path: str, flags: int, mode: int = 0, *, dir_fd: int = -1) -> bool:
        if not flags & os.O_CREAT:
            return False
        made = File()
        self._nodes[os.fstat(fd).st_ino] = made
        self.disk.step((self._folder(dir_fd), path, made))
        return True

    def heard_write(self, count: int, fd: int, content: bytes) -> bool:
        node = self._node(fd)
        if isinstance(node, File):
            node.content += bytes(content[:count])
        return node is not None

    def heard_fsync(self, _: None, fd: int) -> bool:
        node = self._node(fd)
        assert node
        self.disk.fsync(node)
        return True

    heard_fdatasync = heard_fsync

    def heard_mkdir(self, _: None, path: str, mode: int = 0o777, *, dir_fd: int) -> bool:
        made = Folder()
        self._nodes[os.stat(path, dir_fd=dir_fd).st_ino] = made
        self.disk.step((self._folder(dir_fd), path, made))
        return True

    def heard_unlink(self, _: None, path: str, *, dir_fd: int) -> bool:
        folder = self._folder(dir_fd)
        *above, name = path.split("/")
        for part in above:
            inner = folder.names[part]
            assert isinstance(inner, Folder)
            folder = inner
        self.disk.step((folder, name, None))
        return True

    heard_rmdir = heard_unlink

    def heard_rename(self, _: None, source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> bool:
        here, there = self._folder(src_dir_fd), self._folder(dst_dir_fd)
        self.disk.step((here, source, None), (there, target, here.names[source]))
        return True

    def heard_noreplace(self, _: None, source: str, target: str, source_fd: int, target_fd: int) -> bool:
        return self.heard_rename(None, source, target, src_dir_fd=source_fd, dst_dir_fd=target_fd)

    def heard_exchange(self, _: None, one: str, other: str, fd: int) -> bool:
        folder = self._folder(fd)
        self.disk.step((folder, one, folder.names[other]), (folder, other, folder.names[one]))
        return True
